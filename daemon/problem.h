/* SPDX-License-Identifier: MIT */
/*
 * What is wrong with a request, as a client gets it (RFC 9457): what, why and where.
 */
#ifndef QUOD_PROBLEM_H
#define QUOD_PROBLEM_H

#include "base/text.h"

/* X(status, title) */
#define PROBLEMS(X)                   \
	X(400, "Malformed request")   \
	X(401, "Who are you?")        \
	X(403, "Not for you")         \
	X(404, "No such resource")    \
	X(405, "No such method here") \
	X(409, "Over already")        \
	X(413, "Too large")           \
	X(415, "Wrong content type")  \
	X(422, "Impossible job")      \
	X(429, "Too many")            \
	X(500, "The daemon failed")   \
	X(503, "Not now")

struct problem {
	unsigned status; /* 0: none */
	char detail[400];
	/* A JSON pointer into the body, or "?NAME" of the query; "": all of the request. */
	char where[120];
	char allow[32];	      /* 405: the methods that there are */
	unsigned retry_after; /* 429, 503: seconds */
	const char *reason;   /* for the metrics, see REFUSALS; NULL: as the status */
};

/* Returns -EINVAL, so that it can be returned in turn. `where` may be NULL. */
int problem_set(struct problem *problem, unsigned status, const char *where,
		const char *format, ...) __attribute__((format(printf, 4, 5)));

void problem_write(const struct problem *problem, struct text *to);

#endif
