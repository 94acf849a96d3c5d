/* SPDX-License-Identifier: MIT */
/*
 * Out of memory ends a run at once, from wherever it is noticed: no exception that the
 * script could catch, no unwinding that would need memory. The frame says it all.
 */
#include <string.h>

#include "rootfs/end.h"
#include "rootfs/run.h"

struct run run;

void run_deny(const char *rule, const char *message)
{
	struct out *out = &run.out;

	out_frame(out, FRAME_FINDING, 10 + strlen(rule) + strlen(message));
	out_u8(out, FINDING_DENY);
	out_u32(out, 0);
	out_u32(out, 0);
	out_u8(out, (uint8_t)strlen(rule));
	out_text(out, rule);
	out_text(out, message);
	out_flush(out);
	run.denied = true;
}

void run_gate(enum job_engine engine)
{
	unsigned char payload[8];

	put_u32le(payload, 0);
	put_u32le(payload + 4, engine);
	run.stage = RUN_GATED;
	out_small_frame(FRAME_GATE, payload, sizeof(payload));
	if (!job_wait_go() || run.denied)
		end_now(END_DONE);
	run.stage = RUN_GOING;
}

void run_frame_begin(enum frame_type type, uint64_t payload_bytes)
{
	heap_set_cap(run.heap, run.job.heap_bytes + RUN_RESERVE_BYTES);
	out_frame(&run.out, type, payload_bytes);
}

/* Where the reserve was touched the cap stays raised: by no more than the reserve. */
void run_frame_end(void)
{
	out_flush(&run.out);
	run.out.writing = false;
	heap_set_cap(run.heap, run.job.heap_bytes);
}

void run_end(void)
{
	unsigned char payload[16] = {0};

	put_u64le(payload, heap_peak(run.heap));
	out_small_frame(FRAME_END, payload, sizeof(payload));
	end_now(END_DONE);
}

void run_end_limit(enum limit_kind kind)
{
	unsigned char payload[2] = {(unsigned char)kind, (unsigned char)run.phase};

	if (run.out.writing || run.stage < RUN_WAITING)
		end_now(END_NO_MEMORY);
	if (run.stage < RUN_GOING)
		run_gate(JOB_ENGINE_DUKTAPE);
	out_small_frame(FRAME_LIMIT, payload, sizeof(payload));
	run_end();
}
