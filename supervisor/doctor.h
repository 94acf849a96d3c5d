/* SPDX-License-Identifier: MIT */
/*
 * What this host can do for one purpose, found by trying: a table of checks, each of
 * which adds a row or several, or none where its subject is not here.
 */
#ifndef QUOD_DOCTOR_H
#define QUOD_DOCTOR_H

#include "supervisor/finding.h"

/* Of the HTTP interface: as in its paths, and in the answer of /readyz. */
#define DOCTOR_API 1u

/* X(id, word of --for) */
#define DOCTOR_PURPOSES(X)                                      \
	X(RUN, "run")		/* `quod run` of this caller */ \
	X(QUODD, "quodd")	/* the host's daemon */         \
	X(ROOTLESS, "rootless") /* a user's own programs */     \
	X(CONTAINER, "container")

/* The words, with one space between. */
#define DOCTOR_WORD(id, word) " " word
#define DOCTOR_WORDS	      (&(DOCTOR_PURPOSES(DOCTOR_WORD))[1])

enum doctor_purpose {
#define X(id, word) DOCTOR_##id,
	DOCTOR_PURPOSES(X)
#undef X
		DOCTOR_PURPOSES_COUNT
};

extern const char *const doctor_purpose_names[DOCTOR_PURPOSES_COUNT];

struct doctor {
	enum doctor_purpose purpose;
	bool is_daemon; /* quodd asks, of itself: nothing is asked of a daemon */
	/* Of the daemon that is looked at; borrowed; NULL: the usual ones. */
	const char *socket, *config, *state;
	const char *room; /* of the check that is being made */
	unsigned count;
	struct finding findings[FINDING_ROWS_MOST];
};

/* Makes every check that is for the purpose. Some are made in children, which are reaped
 * before it returns; this process may have been moved into another cgroup. */
void doctor_examine(struct doctor *doctor);

/* A row that works, to be filled. Its name and what was tried are ours and no more than
 * words; where there is no room the last one is given again. */
struct finding *doctor_add(struct doctor *doctor, const char *name, const char *format,
			   ...) __attribute__((format(printf, 3, 4)));

enum jail_probe_state doctor_worst(const struct doctor *doctor);

#endif
