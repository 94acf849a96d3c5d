/* SPDX-License-Identifier: MIT */
/*
 * One row of quod doctor: what was tried, what was found, what mends it.
 *
 * A row is of fixed size and has no pointers: a child can make it, confined or with
 * another root, and send it in one write; who takes it calls finding_seal(). Words of the
 * host are in it, so it is escaped before anybody is shown it.
 */
#ifndef QUOD_FINDING_H
#define QUOD_FINDING_H

#include <stdbool.h>

#include "base/text.h"
#include "jail/jail.h"

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

#define FINDING_ROWS_MOST 96u

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

/* Rows for findings_read(), or for who reads them one by one. Errors: what write(2) gives. */
int findings_write(int fd, const struct finding *findings, unsigned count);

/* All rows in a file, sealed. *ret_findings is the caller's. Errors: -EBADMSG (it is none of
 * that), -ENOMEM, what read(2) gives. */
int findings_read(int fd, struct finding **ret_findings, unsigned *ret_count);

#endif
