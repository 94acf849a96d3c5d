/* SPDX-License-Identifier: MIT */
/*
 * How a run can end: the closed list of statuses, the reasons for which we kill, and the
 * one place that decides which status it is when several are true.
 */
#ifndef QUOD_STATUS_H
#define QUOD_STATUS_H

#include <stdbool.h>
#include <stdint.h>

/* X(id, name in the record, exit code, one line) */
#define STATUS_TABLE(X)                                                          \
	X(OK, "ok", 0, "the script ran to its end")                              \
	X(ERROR, "error", 1, "the script threw and did not catch")               \
	X(REJECTED, "rejected", 3, "a gate refused the source; nothing ran")     \
	X(TIMEOUT, "timeout", 124, "the wall time was over")                     \
	X(CPU_LIMIT, "cpu_limit", 7, "the CPU time was used up")                 \
	X(MEMORY_LIMIT, "memory_limit", 5, "the memory was used up")             \
	X(OUTPUT_LIMIT, "output_limit", 6, "the log or the value was too large") \
	X(VIOLATION, "violation", 4, "a forbidden system call was tried")        \
	X(CRASHED, "crashed", 128, "the interpreter died; 128+n by signal n")    \
	X(CANCELLED, "cancelled", 130, "the caller gave up")                     \
	X(INTERNAL_ERROR, "internal_error", 125, "quod itself failed")

enum status {
#define X(id, name, code, about) STATUS_##id,
	STATUS_TABLE(X)
#undef X
		STATUS_COUNT
};

struct status_info {
	const char *name;
	int exit_code;
	const char *about;
};

extern const struct status_info status_infos[STATUS_COUNT];

/* Exit codes that belong to no status. */
#define EXIT_NOT_PASSED 1
#define EXIT_USAGE	2
#define EXIT_LESS	8 /* of doctor */

/* Why we killed, written down before the kill. X(id, name in the record, status) */
#define KILL_REASONS(X)                         \
	X(NONE, "none", OK)                     \
	X(TIMEOUT, "timeout", TIMEOUT)          \
	X(CPU, "cpu_limit", CPU_LIMIT)          \
	X(OUTPUT, "output_limit", OUTPUT_LIMIT) \
	X(CANCELLED, "cancelled", CANCELLED)    \
	X(REJECTED, "rejected", REJECTED)       \
	X(PROTOCOL, "protocol", CRASHED)        \
	X(VIOLATION, "violation", VIOLATION)    \
	X(FAILURE, "internal_error", INTERNAL_ERROR)

enum kill_reason {
#define X(id, name, status) KILL_##id,
	KILL_REASONS(X)
#undef X
		KILL_REASONS_COUNT
};

struct kill_info {
	const char *name;
	enum status status;
};

extern const struct kill_info kill_infos[KILL_REASONS_COUNT];

/* What the guest said of its own run. */
enum outcome {
	OUTCOME_NONE,
	OUTCOME_VALUE,
	OUTCOME_ERROR,
	OUTCOME_MEMORY,	    /* the engine's heap cap */
	OUTCOME_LARGE,	    /* the value did not fit */
	OUTCOME_COMPILED,   /* that was all it should be */
	OUTCOME_UNEXAMINED, /* it would run, but the gate could not read it */
};

/* All that decides, gathered when the jail is gone. */
struct facts {
	bool setup_failed; /* no hostile byte was read when it went wrong */
	bool complete;	   /* END seen, exit status 0, before the deadline */
	enum outcome outcome;
	enum kill_reason killed;
	bool memory_limit_hit; /* the run's own limit, says its cgroup */
	bool oom_killed;       /* by the kernel, whoever's memory ran out */
	int signal;	       /* that ended pid 1 of the jail; 0: it exited */
};

/*
 * The kernel's own limit on CPU time, a backstop for when quod was stopped and could not
 * look, kills without a word: a SIGKILL that is not ours, nor for memory, once the time
 * was used up, is that. With everything else in the facts. Pure.
 */
void facts_note_cpu(struct facts *facts, uint64_t used_us, uint64_t limit_ms);

/* Pure. The order is the precedence that the documentation promises. */
enum status status_decide(const struct facts *facts);

/* The kernel killed the run, not for its own limit: whose memory it was. Static. */
const char *explain_foreign_oom(bool in_group);

/* Of the process: `judged` makes an ok run that did not pass a failure. */
int status_exit_code(enum status status, int signal, bool judged, bool passed);

#endif
