/* SPDX-License-Identifier: MIT */
/*
 * What this host can do for one purpose, found by trying: a table of checks, each of
 * which adds a row or several, or none where its subject is not here.
 *
 * A row is of fixed size and has no pointers: a child can make it, confined or with
 * another root, and send it in one write; who takes it calls finding_seal(). Words of the
 * host are in it, so it is escaped before anybody is shown it.
 */
#ifndef QUOD_DOCTOR_H
#define QUOD_DOCTOR_H

#include <stdbool.h>

#include "base/text.h"
#include "jail/jail.h"

/* Of the HTTP interface: as in its paths, and in the answer of /readyz. */
#define DOCTOR_API 1u

/* X(id, word of --for) */
#define DOCTOR_PURPOSES(X)                                      \
	X(RUN, "run")		/* `quod run` of this caller */ \
	X(QUODD, "quodd")	/* the host's daemon */         \
	X(ROOTLESS, "rootless") /* a user's own programs */     \
	X(CONTAINER, "container")

enum doctor_purpose {
#define X(id, word) DOCTOR_##id,
	DOCTOR_PURPOSES(X)
#undef X
		DOCTOR_PURPOSES_COUNT
};

extern const char *const doctor_purpose_names[DOCTOR_PURPOSES_COUNT];
/* In the order of enum jail_probe_state. */
extern const char *const finding_state_names[JAIL_PROBE_FAILS + 1];

struct finding {
	char name[48];
	char room[16];		     /* whose matter it is: a word of the table */
	enum jail_probe_state state; /* LESS: it goes, held by something weaker */
	char tried[160];	     /* what was done to find it */
	char found[480];
	char instead[200]; /* with LESS: which limit is held by what; may be empty */
	char remedy[480];  /* what mends it, with the command; empty: nothing to mend */
};

#define DOCTOR_FINDINGS_MOST 96u

struct doctor {
	enum doctor_purpose purpose;
	bool is_daemon; /* quodd asks, of itself: nothing is asked of a daemon */
	/* Of the daemon that is looked at; borrowed; NULL: the usual ones. */
	const char *socket, *config, *state;
	const char *room; /* of the check that is being made */
	unsigned count;
	struct finding findings[DOCTOR_FINDINGS_MOST];
};

/* Makes every check that is for the purpose. Some are made in children, which are reaped
 * before it returns; this process may have been moved into another cgroup. */
void doctor_examine(struct doctor *doctor);

/* A row that works, to be filled. Its name and what was tried are ours and no more than
 * words; where there is no room the last one is given again. */
struct finding *doctor_add(struct doctor *doctor, const char *name, const char *format,
			   ...) __attribute__((format(printf, 3, 4)));

/* What was found. */
void finding_is(struct finding *finding, enum jail_probe_state state, const char *format,
		...) __attribute__((format(printf, 3, 4)));
/* What mends it: a command where there is one. */
void finding_mend(struct finding *finding, const char *format, ...)
	__attribute__((format(printf, 2, 3)));
/* Which limit is then held by what. */
void finding_instead(struct finding *finding, const char *format, ...)
	__attribute__((format(printf, 2, 3)));

/* A message of ours: what mends it stands in its last brackets, if it has any. */
void finding_told(struct finding *finding, enum jail_probe_state state,
		  const char *sentence);

/* Of one that another process has sent: its strings end, its state is one. */
void finding_seal(struct finding *finding);

/* As one object, with a member for each of its own. */
void finding_write_json(const struct finding *finding, struct text *to);

enum jail_probe_state doctor_worst(const struct doctor *doctor);

#endif
