/* SPDX-License-Identifier: MIT */
/*
 * console: each call is one LOG frame, written before the call returns, so whatever ends
 * the run later loses none of it. The host counts the sum; a single line is cut here.
 */
#include "rootfs/console.h"
#include "rootfs/inspect.h"
#include "rootfs/peek.h"
#include "rootfs/run.h"

static const struct {
	const char *name;
	enum log_level level;
} methods[] = {
	{"log", LOG_LOG},   {"info", LOG_INFO},	  {"debug", LOG_DEBUG},
	{"warn", LOG_WARN}, {"error", LOG_ERROR}, {"trace", LOG_DEBUG},
};

static void write_line(duk_context *ctx, struct out *out)
{
	for (duk_idx_t i = 0; i < duk_get_top(ctx) && !out->cut; i++) {
		if (i)
			out_char(out, ' ');
		inspect_write_plain(ctx, i, out);
	}
}

static void send_line(duk_context *ctx, enum log_level level)
{
	struct out *out = &run.out;
	bool cut;

	out_count(out, run.job.log_bytes);
	write_line(ctx, out);
	cut = out->cut;
	run_frame_begin(FRAME_LOG, 2 + out->total);
	out_u8(out, (uint8_t)level);
	out_u8(out, cut ? LOG_FLAG_CUT : 0);
	out_section(out, run.job.log_bytes);
	write_line(ctx, out);
	run_frame_end();
}

static duk_ret_t console_write(duk_context *ctx)
{
	duk_require_stack(ctx, 16);
	send_line(ctx, methods[duk_get_current_magic(ctx)].level);
	return 0;
}

/* assert(condition, ...): the rest is said as an error where the condition fails. */
static duk_ret_t console_assert(duk_context *ctx)
{
	duk_require_stack(ctx, 16);
	if (duk_get_top(ctx)) {
		if (duk_to_boolean(ctx, 0))
			return 0;
		duk_remove(ctx, 0);
	}
	duk_push_string(ctx, duk_get_top(ctx) ? "Assertion failed:" : "Assertion failed");
	duk_insert(ctx, 0);
	send_line(ctx, LOG_ERROR);
	return 0;
}

void console_define(duk_context *ctx)
{
	duk_push_global_object(ctx);
	duk_push_object(ctx);
	for (unsigned i = 0; i < sizeof(methods) / sizeof(methods[0]); i++) {
		peek_push_native(ctx, console_write, DUK_VARARGS, (int)i,
				 methods[i].name);
		peek_define(ctx, -2, methods[i].name);
	}
	peek_push_native(ctx, console_assert, DUK_VARARGS, 0, "assert");
	peek_define(ctx, -2, "assert");
	peek_define(ctx, -2, "console");
	duk_pop(ctx);
}
