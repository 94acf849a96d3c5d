/* SPDX-License-Identifier: MIT */
/*
 * Clients of quodd, good and hostile: one table of what they do and of what is a right answer
 * to it.
 */
#ifndef QUOD_TESTS_CROWD_H
#define QUOD_TESTS_CROWD_H

#include <stdbool.h>
#include <stdint.h>

#include "base/text.h"
#include "tests/race/crew.h"

enum crowd_how {
	CROWD_ASKS,   /* on the connection that it keeps */
	CROWD_ONCE,   /* on a connection of its own, which ends with the reply */
	CROWD_SLOW,   /* the same, in pieces with pauses */
	CROWD_LEAVES, /* goes away at some moment of it */
	CROWD_DEAF,   /* reads nothing for a while, then goes away */
	CROWD_RAW,    /* bytes that are no HTTP: a refusal or the end of the connection */
};

#define CROWD_CODES_MOST 2

struct crowd_kind {
	const char *name;
	unsigned weight;
	enum crowd_how how;
	const char *line; /* method and path; or the bytes, if they are no HTTP */
	const char *accept;
	const char *body; /* NULL: none */
	unsigned pad;	  /* so many spaces come after the body */
	int codes[CROWD_CODES_MOST];
	const char *status; /* of the record; NULL: none is expected */
};

struct crowd {
	const char *socket;
	int kept; /* -1: none; owned */
	uint64_t random;
	unsigned weights;
};

struct crowd_did {
	const struct crowd_kind *kind;
	const char *wrong; /* static; NULL: nothing */
	bool cut;	   /* the connection could not be made, or ended too early */
	bool busy;	   /* refused for want of room, which is an answer */
	bool has_record;
	bool failed; /* the record is of an internal error, which is wrong too */
	char id[RUN_ID_LEN + 1]; /* of the record */
	struct text reply;
};

void crowd_init(struct crowd *crowd, const char *socket, uint64_t random);
void crowd_end(struct crowd *crowd);

/* One exchange of a kind by chance. To be followed by crowd_forget(). */
void crowd_exchange(struct crowd *crowd, struct crowd_did *ret);
void crowd_forget(struct crowd_did *did);

/* The body of a GET, on a connection of its own. False: there was none. */
bool crowd_get(const char *socket, const char *path, struct text *to);

#endif
