/* SPDX-License-Identifier: MIT */
/*
 * What is run under faults, and how a run that met one ended.
 */
#ifndef QUOD_TESTS_SUBJECT_H
#define QUOD_TESTS_SUBJECT_H

#include "tests/fault/tracer.h"

/* X(name, its number in a mask is its place) */
#define ENDINGS(X)                                                            \
	X(AS_EVER, "as ever") /* as if nothing had been */                    \
	X(NO_LEAF, "no leaf") /* the same, but without a cgroup of its own */ \
	X(REFUSED, "refused") /* internal_error, with stage and object */     \
	X(MUTE, "no record")  /* exit code 125 and one line on stderr */      \
	X(UNUSABLE, "usage")  /* names what cannot be used */                 \
	X(CRASHED, "crashed") /* the program died of it */                    \
	X(OTHER, "otherwise")

enum ending {
#define X(id, text) END_##id,
	ENDINGS(X)
#undef X
		END_COUNT
};

extern const char *const ending_names[END_COUNT];

/* X(id) */
#define SUBJECTS(X)                                                          \
	X(RUN)	 /* quod run: a script that ends */                          \
	X(WAIT)	 /* quod run: one that would wait for ever; it times out */  \
	X(SPIN)	 /* quod run: one that would never end; it times out */      \
	X(EXEC)	 /* quod exec: a program that ends */                        \
	X(TASKS) /* the same, under a policy that allows more processes */   \
	X(PAUSE) /* quod exec: one that would wait for ever; it times out */ \
	X(CASES) /* quod run --cases: of the first kind, in a child of quod */

enum subject_id {
#define X(id) SUBJECT_##id,
	SUBJECTS(X)
#undef X
		SUBJECT_COUNT
};

/* A run makes so many calls more or less, as the other side is faster or slower. */
#define SUBJECT_SLACK 15

struct subject {
	const char *name;
	char *argv[16];
	uint64_t runs_by;	/* the call that begins the program's work */
	bool exec;		/* no record, but the program's own output */
	bool limited;		/* it ends by its time limit: output may be cut short */
	struct trial reference; /* undisturbed */
	char walls_without_leaf[TRIAL_WALLS_ROOM];
};

/* Makes both references. False, and says why, where the subject does not work at all.
 * Static; call it once for each, before anything of it has been run. */
bool subject_prepare(enum subject_id id, struct subject **ret_subject);

/* Also what is said of it, in one line: "lifeline: pidfd of ...". */
enum ending subject_ending(const struct subject *subject, const struct trial *trial,
			   char *said, size_t size);

/* Runs it untouched and unwatched; its exit code. */
int subject_run_plainly(const struct subject *subject);

#endif
