/* SPDX-License-Identifier: MIT */
/*
 * A run in progress: shared by run.c (the order of things), run_io.c (bytes in and out),
 * run_frames.c (what the guest says) and run_end.c (what it all comes to).
 */
#ifndef QUOD_RUN_INTERNAL_H
#define QUOD_RUN_INTERNAL_H

#include <sys/uio.h>

#include "supervisor/cell.h"
#include "supervisor/frames.h"
#include "supervisor/guard.h"
#include "supervisor/run.h"

/* The guest's raw diagnostics that are kept. */
#define RUN_DIAGNOSTICS_MOST 4096u

/* Of a finding: a rule's own words and what was found. */
#define RUN_MESSAGE_MOST 1024u

/* What is still to be written to the guest. */
struct run_feed {
	struct iovec parts[7]; /* head, source, input, name, rules, globals, GO */
	unsigned now, count;
};

/* X(state): each is a function step_STATE in run.c. */
#define RUN_STATES(X)                                                       \
	X(start)  /* a jail is asked for */                                 \
	X(await)  /* until it is there; we confine ourselves, it sets up */ \
	X(greet)  /* set-up goes on in the child until READY */             \
	X(gate)	  /* the guest parses; it has run nothing */                \
	X(decide) /* GO or not */                                           \
	X(guest)  /* the script runs */                                     \
	X(stop)	  /* a reason is noted: kill */                             \
	X(dying)  /* until it is dead */                                    \
	X(drain)  /* dead; what it said last is still in the pipes */       \
	X(reap)	  /* collect, remove, decide the status */

enum run_state {
#define X(state) RUN_##state,
	RUN_STATES(X)
#undef X
		RUN_done
};

struct run {
	const struct request *request;
	const struct run_means *means;
	struct record *record;

	enum run_state state;
	struct cell *cell; /* of the means */
	struct guard guard;
	struct frames frames;
	struct run_feed feed;
	unsigned char head[REQUEST_HEAD_BYTES];
	unsigned char rules[JOB_RULES_MOST];
	unsigned char go[FRAME_HEADER_BYTES + 4];
	struct text diagnostics;

	uint64_t start_ns, ready_ns, go_ns, end_ns; /* monotonic; 0: not yet */
	bool held;				    /* there is, or was, a jail */
	bool confined;	   /* we are; before, nothing that the guest wrote is read */
	bool drained;	   /* nothing more is taken from the guest */
	bool complete;	   /* END seen */
	bool unparsed;	   /* says the gate */
	bool must_examine; /* and that the mode does not let through */
	bool compile_only; /* GO was for that alone */
	enum outcome outcome;
	bool violated;
	uint32_t violation_arch, violation_number;

	bool failed; /* by us or by the host: err says how */
	struct jail_error err;
	bool has_result;
	struct jail_result result;
};

/* run_io.c: one round of whatever the guard found ready. */
void run_pump(struct run *run);
/* What is still in the pipes of a dead jail, bounded. */
void run_drain(struct run *run);
void run_feed_job(struct run *run);
void run_feed_go(struct run *run);

/* run_frames.c: takes in one checked frame. */
void run_take_frame(struct run *run, const struct frame *frame);
/* The frame says where; NULL: it is about the source as a whole. */
void run_add_finding(struct run *run, const struct rule *rule, const struct frame *frame);

/* Does a finding block? */
bool run_is_rejected(const struct run *run);

/* Was its end seen before the deadline? */
static inline bool run_ended_in_time(const struct run *run)
{
	return !run->guard.deadline_ns || run->end_ns < run->guard.deadline_ns;
}

/* run_end.c: the status and all that explains it. */
void run_conclude(struct run *run);
/* A failure of ours. The first one counts; the jail has to go. */
void run_fail(struct run *run, const struct jail_error *err);
void run_failf(struct run *run, enum jail_stage stage, int errnum, const char *format,
	       ...) __attribute__((format(printf, 4, 5)));

#endif
