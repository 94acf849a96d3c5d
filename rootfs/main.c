/* SPDX-License-Identifier: MIT */
/*
 * quod-js, the interpreter that lives in the jail. argv: { "quod-js", ARENA, ["ahead"] }.
 *
 *	1  not dumpable; the arena is reserved, in one piece and untouched
 *	2  inner filter on: from here on nothing but read, write, clocks and exit
 *	3  ahead: Duktape is built; READY
 *	4  JOB is read and looked at, an engine is chosen and built: FINDING*, GATE
 *	5  GO is awaited, then the script runs: LOG*, VALUE ...
 *	6  END
 *
 * The arena, in one piece: texts of the job | room before the heap | heap, of ARENA bytes
 * and what is built ahead and what an engine adds | reserve | guard. Nothing is ever allocated outside of it.
 */
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
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
#define TOUCHED_BYTES	    ((size_t)160 << 10)
#define TOUCHED_AHEAD_BYTES RUN_AHEAD_BYTES /* the gate's come on top of Duktape's */

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

static size_t pages(size_t bytes)
{
	return (bytes + 4095) & ~(size_t)4095;
}

static void *map(void *at, size_t bytes, int protection, int flags)
{
	return mmap(at, bytes, protection, MAP_PRIVATE | MAP_ANONYMOUS | flags, -1, 0);
}

/* MAP_FAILED: there is not so much to be had. The guard counts in no limit but RLIMIT_AS. */
static char *arena_map(const struct engine_room *room, size_t heap_bytes)
{
	size_t bytes = pages(JOB_TEXT_BYTES) + pages(room->before) +
		       pages(heap_bytes + room->after + RUN_RESERVE_BYTES);
	char *arena = map(NULL, bytes + room->guard, PROT_NONE, MAP_NORESERVE);

	if (arena == MAP_FAILED || map(arena, bytes, PROT_READ | PROT_WRITE,
				       MAP_FIXED | MAP_NORESERVE) == MAP_FAILED)
		return MAP_FAILED;
	return arena;
}

/* Returns where the texts of the job go. */
static char *arena_reserve(size_t heap_bytes, bool ahead, bool *has_quickjs)
{
	size_t touched = ahead ? TOUCHED_AHEAD_BYTES : TOUCHED_BYTES;
	struct engine_room room = engine_duktape.room();
	char *arena = MAP_FAILED, *heap;

	if (ahead)
		heap_bytes += RUN_AHEAD_BYTES;
#ifdef WITH_QUICKJS
	struct engine_room more = engine_quickjs.room();

	/* Under a caller's RLIMIT_AS there may be no room for the guard. */
	arena = arena_map(&more, heap_bytes);
	*has_quickjs = arena != MAP_FAILED;
	if (*has_quickjs)
		room = more;
#else
	*has_quickjs = false;
#endif
	if (arena == MAP_FAILED)
		arena = arena_map(&room, heap_bytes);
	if (arena == MAP_FAILED)
		end_now(END_NO_MEMORY);
	heap = arena + pages(JOB_TEXT_BYTES) + pages(room.before);
	map(heap, touched, PROT_READ | PROT_WRITE, MAP_FIXED | MAP_POPULATE);
	run.heap = run.gate_heap = heap_init(heap, heap_bytes);
	return arena;
}

static void say_ready(void)
{
	unsigned char payload[8] = {0};

	put_u32le(payload, PROTOCOL_VERSION);
	out_small_frame(&run.out, FRAME_READY, payload, sizeof(payload));
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
	if (!run_set_caps())
		run_end_limit(LIMIT_MEMORY);
}

int main(int argc, char **argv)
{
	bool ahead = argc == 3 && !strcmp(argv[2], WORD_AHEAD), has_quickjs = false;
	size_t heap_bytes = argc == 2 || ahead ? arena_bytes_parse(argv[1]) : 0;
	char *texts;

	if (!heap_bytes)
		end_now(END_USAGE);
	if (prctl(PR_SET_DUMPABLE, 0) < 0)
		end_now(END_DUMPABLE);
	run.engine = &engine_duktape;
	machine_init();
	texts = arena_reserve(heap_bytes, ahead, &has_quickjs);
	filter_enter();
	if (ahead)
		run_build_ahead();
	say_ready();
	take_job(texts, heap_bytes);
	if (run_gate(has_quickjs) & GO_COMPILE)
		run.engine->compile_only();
	else
		run.engine->execute();
	run_end();
}
