/* SPDX-License-Identifier: MIT */
/*
 * The value of a run: as JSON where JSON can say it, and as text always.
 */
#include "rootfs/inspect.h"
#include "rootfs/json.h"
#include "rootfs/run.h"
#include "rootfs/values.h"
#include "rootfs/verdict.h"

static uint8_t flags_of(int at, bool is_json)
{
	uint8_t flags = is_json ? VALUE_IS_JSON : 0;

	if (values->kind(at) == IS_BOOLEAN && values->boolean(at))
		flags |= VALUE_IS_TRUE;
	return flags;
}

void verdict_send(int at)
{
	struct out *out = &run.out;
	uint64_t json_bytes = 0, text_bytes;
	bool is_json;

	run_tell_begin();
	run.phase = PHASE_RESULT;
	out_count(out, run.job.value_bytes);
	is_json = json_write(at, out);
	if (is_json && out->cut)
		run_end_limit(LIMIT_VALUE);
	if (is_json)
		json_bytes = out->total;
	out_section(out, run.job.value_bytes);
	inspect_write_plain(at, out);
	if (out->cut)
		run_end_limit(LIMIT_VALUE);
	text_bytes = out->total;
	run_frame_begin(FRAME_VALUE, 5 + json_bytes + text_bytes);
	out_u8(out, flags_of(at, is_json));
	out_u32(out, (uint32_t)json_bytes);
	if (is_json)
		json_write(at, out);
	out_section(out, run.job.value_bytes);
	inspect_write_plain(at, out);
	run_frame_last();
	run_tell_end();
	run.phase = PHASE_RUN;
}
