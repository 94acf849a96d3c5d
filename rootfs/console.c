/* SPDX-License-Identifier: MIT */
/*
 * console: each call is one LOG frame, written before the call returns, so whatever ends
 * the run later loses none of it. The host counts the sum; a single line is cut here.
 */
#include "rootfs/console.h"
#include "rootfs/inspect.h"
#include "rootfs/run.h"
#include "rootfs/values.h"

const char *const console_names[] = {
#define X(name) [CONSOLE_##name] = #name,
	CONSOLE_METHODS(X)
#undef X
};

static const enum log_level levels[] = {
	[CONSOLE_log] = LOG_LOG,      [CONSOLE_info] = LOG_INFO,
	[CONSOLE_debug] = LOG_DEBUG,  [CONSOLE_warn] = LOG_WARN,
	[CONSOLE_error] = LOG_ERROR,  [CONSOLE_trace] = LOG_DEBUG,
	[CONSOLE_assert] = LOG_ERROR,
};

static void write_line(enum console_method method, struct out *out)
{
	int count = values->top();

	if (method == CONSOLE_assert)
		out_text(out, count ? "Assertion failed: " : "Assertion failed");
	for (int i = 0; i < count && !out->cut; i++) {
		if (i)
			out_char(out, ' ');
		inspect_write_plain(i, out);
	}
}

void console_write(enum console_method method)
{
	struct out *out = &run.out;
	bool cut;

	run_tell_begin();
	out_count(out, run.job.log_bytes);
	write_line(method, out);
	cut = out->cut;
	run_frame_begin(FRAME_LOG, 2 + out->total);
	out_u8(out, (uint8_t)levels[method]);
	out_u8(out, cut ? LOG_FLAG_CUT : 0);
	out_section(out, run.job.log_bytes);
	write_line(method, out);
	run_frame_end();
	run_tell_end();
}
