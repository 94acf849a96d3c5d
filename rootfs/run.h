/* SPDX-License-Identifier: MIT */
/*
 * One run inside quod-js, from READY to END: what the parts of the process share, and
 * the only places where a run ends.
 */
#ifndef QUOD_JS_RUN_H
#define QUOD_JS_RUN_H

#include "rootfs/engine.h"
#include "rootfs/heap.h"
#include "rootfs/job.h"
#include "rootfs/out.h"

/* Kept of the arena so that what a run has to say can be said when its heap is full. */
#define RUN_RESERVE_BYTES ((size_t)64 * 1024)

/* Of the arena, for what is built ahead of the job. */
#define RUN_AHEAD_BYTES ((size_t)256 * 1024)

enum run_stage { RUN_STARTING, RUN_WAITING, RUN_GATED, RUN_GOING };

struct run {
	struct heap *heap;	/* of Duktape */
	struct heap *gate_heap; /* the same, or behind what was built ahead in it;
				   NULL: its work is done */
	size_t gate_peak;	/* then: most bytes that it had */
	bool built;		/* ahead */
	const struct engine *engine;
	struct job job;
	struct out out;
	enum run_stage stage;
	bool denied; /* by us: what is asked for cannot be done, GO or not */
	unsigned findings;
	bool awaits;		/* the source, outside of functions */
	bool telling;		/* a value, line or error is on its way out */
	enum error_phase phase; /* what a limit that is hit now belongs to */
};

/* The only one: the engine's hooks carry no context. */
extern struct run run;

/* Builds Duktape before there is a job, in the first RUN_AHEAD_BYTES of the heap, whose
 * range has to be larger by so much than any job's heap. */
void run_build_ahead(void);

/* The caps of this job. False: more is taken already. */
bool run_set_caps(void);

/* From the start of the heap: how far bytes of it may be other than zero. */
size_t run_heap_dirty(void);
/* Most bytes that the run has had: of the gate or of Duktape, which never have them
 * together. */
size_t run_heap_peak(void);

/* FINDING of the rule that has this signal, about the source as a whole: what is asked
 * for cannot be done, GO or not. The detail is short and ASCII. */
void run_deny(const char *signal, const char *detail);

/* FINDING*; chooses the engine, builds it and gives it the job; GATE; then waits for GO,
 * whose flags it returns. Ends the process where none comes or none would help. */
uint32_t run_gate(bool has_quickjs);

/* Around all that is said of the script's values. While it is said none of the script's
 * code may run: a second one in between ends the process, before what it says could be
 * taken for the rest of the first. */
void run_tell_begin(void);
void run_tell_end(void);

/* out_frame() and out_flush() with the reserve open: no frame breaks off in its middle
 * for lack of memory. */
void run_frame_begin(enum frame_type type, uint64_t payload_bytes);
void run_frame_end(void);
/* Of a frame after which there may be but END: it goes along with that. */
void run_frame_last(void);
/* But code of the script comes before: it may take all the time there is. */
void run_code_follows(void);

/* END and exit. */
_Noreturn void run_end(void);

/* LIMIT, END and exit; waits for GO before, if it has not come yet. */
_Noreturn void run_end_limit(enum limit_kind kind);

#endif
