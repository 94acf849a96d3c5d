/* SPDX-License-Identifier: MIT */
/*
 * quod-js, the interpreter that lives in the jail. argv: { "quod-js", ARENA }.
 *
 *	1  not dumpable; the arena is reserved, in one piece and untouched
 *	2  inner filter on: from here on nothing but read, write, clocks and exit
 *	3  READY
 *	4  the engine's heap is built, ahead of the job
 *	5  JOB is read and looked at: FINDING*, GATE
 *	6  GO is awaited, then the script runs: LOG*, VALUE ...
 *	7  END
 *
 * The arena: heap (ARENA bytes) | reserve | texts of the job. Nothing is ever allocated
 * outside of it.
 */
#include <stdbool.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/prctl.h>

#include "rootfs/end.h"
#include "rootfs/engine.h"
#include "rootfs/filter.h"
#include "rootfs/machine.h"
#include "rootfs/run.h"

#define ARENA_LEAST ((size_t)512 << 10)
#define ARENA_MOST  ((size_t)4 << 30)

/* What every run touches is mapped in one go: a page fault each costs far more. */
#define WARM_BYTES ((size_t)160 << 10)

/* 0: no number in range. */
static size_t arena_bytes_parse(const char *text)
{
	size_t bytes = 0;

	for (; *text >= '0' && *text <= '9'; text++) {
		bytes = bytes * 10 + (size_t)(*text - '0');
		if (bytes > ARENA_MOST)
			return 0;
	}
	return *text || bytes < ARENA_LEAST ? 0 : bytes & ~(size_t)4095;
}

/* Returns where the texts of the job go. */
static char *arena_reserve(size_t heap_bytes)
{
	size_t bytes = heap_bytes + RUN_RESERVE_BYTES + JOB_TEXT_BYTES;
	char *arena = mmap(NULL, bytes, PROT_READ | PROT_WRITE,
			   MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);

	if (arena == MAP_FAILED)
		end_now(END_NO_MEMORY);
	mmap(arena, WARM_BYTES, PROT_READ | PROT_WRITE,
	     MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED | MAP_POPULATE, -1, 0);
	run.heap = heap_init(arena, heap_bytes);
	return arena + heap_bytes + RUN_RESERVE_BYTES;
}

static void say_ready(void)
{
	unsigned char payload[8] = {0};

	put_u32le(payload, PROTOCOL_VERSION);
	out_small_frame(FRAME_READY, payload, sizeof(payload));
}

static void take_job(char *room, size_t heap_bytes)
{
	if (!job_read(&run.job, room))
		end_now(END_DONE);
	if (run.job.heap_bytes > heap_bytes)
		end_now(END_BAD_JOB);
	run.stage = RUN_WAITING;
	if (run.job.flags & JOB_SEEDED)
		machine_seed(run.job.seed);
	if (run.job.flags & JOB_FROZEN_TIME)
		machine_freeze(run.job.now_ms);
	hook_call_frames = (int)run.job.stack_frames;
	if (heap_set_cap(run.heap, (size_t)run.job.heap_bytes))
		run_end_limit(LIMIT_MEMORY);
}

int main(int argc, char **argv)
{
	const struct engine *engine = &engine_duktape;
	size_t heap_bytes = argc == 2 ? arena_bytes_parse(argv[1]) : 0;
	char *room;

	if (!heap_bytes)
		end_now(END_USAGE);
	if (prctl(PR_SET_DUMPABLE, 0) < 0)
		end_now(END_DUMPABLE);
	machine_init();
	room = arena_reserve(heap_bytes);
	filter_enter();
	say_ready();
	engine->build();
	take_job(room, heap_bytes);
	if (run.job.engine == JOB_ENGINE_QUICKJS)
		run_deny("engine", "quickjs");
	engine->prepare();
	if (run_gate(engine->id) & GO_COMPILE)
		engine->compile_only();
	else
		engine->execute();
	run_end();
}
