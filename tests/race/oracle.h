/* SPDX-License-Identifier: MIT */
/*
 * What may have come of a round. It knows the documentation and the round's script, and
 * nothing of quod's own code: a status that neither of the two racers could have caused,
 * and a record whose fields contradict each other, the exit code, the events or the
 * script, are faults.
 */
#ifndef QUOD_TESTS_ORACLE_H
#define QUOD_TESTS_ORACLE_H

#include "tests/race/crew.h"
#include "tests/race/launch.h"
#include "tests/race/round.h"

/* Columns of the matrix. X(id, name) */
#define OUTCOMES(X)                                               \
	X(OK, "ok")                                               \
	X(ERROR, "error")                                         \
	X(REJECTED, "rejected")                                   \
	X(TIMEOUT, "timeout")                                     \
	X(CPU, "cpu_limit")                                       \
	X(MEMORY, "memory_limit")                                 \
	X(OUTPUT, "output_limit")                                 \
	X(VIOLATION, "violation")                                 \
	X(CRASHED, "crashed")                                     \
	X(CANCELLED, "cancelled")                                 \
	X(INTERNAL, "internal_error")                             \
	X(UNHEARD, "unheard")	/* the reader had gone */         \
	X(SIGNALED, "signaled") /* quod, before its first step */ \
	X(NONE, "none")

enum outcome_id {
#define X(id, name) OUTCOME_##id,
	OUTCOMES(X)
#undef X
		OUTCOME_IDS
};

extern const char *const outcome_names[OUTCOME_IDS];

enum side { SIDE_NONE, SIDE_GUEST, SIDE_HOST };

struct verdict {
	enum outcome_id outcome;
	enum side side; /* who came first */
	char id[RUN_ID_LEN + 1];
	char fault[512]; /* "": legal */
};

void oracle_judge(const struct round *round, const struct launched *launched,
		  struct verdict *ret);

#endif
