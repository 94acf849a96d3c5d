/* SPDX-License-Identifier: MIT */
/*
 * What `quod status`, `quod history` and `quod cancel` have in common: questions to quodd
 * that need no run, and their answers as a table or as JSON.
 */
#ifndef QUOD_CMD_ASK_H
#define QUOD_CMD_ASK_H

#include "supervisor/client.h"
#include "supervisor/output.h"
#include "supervisor/table.h"

#define ASKED_MOST 2u

/* Exit code: there is an answer, and it is no. */
#define EXIT_ANSWER_NO 1

struct asked {
	struct output output;
	struct client clients[ASKED_MOST]; /* in the order of the paths */
	size_t count;
};

/* Asks for all of the paths; this process is confined then. To be given to asked_free() in
 * any case. Returns 0, or the exit code, with *why filled. */
int ask(struct asked *asked, const char *socket, const char *method,
	const char *const *paths, size_t count, struct usage *why);
void asked_free(struct asked *asked);
#define own_asked __attribute__((cleanup(asked_free)))

/* Writes to stdout and waits for it: text that is safe for a terminal, or lines of JSON.
 * Returns 0 or an exit code; what failed is told. */
int asked_print(struct asked *asked, const struct text *text);
int asked_print_json(struct asked *asked, const struct text *lines);

/* "-o" as typed, NULL: not given; text or json. Errors: -EINVAL, with usage filled. */
int asked_kind(const char *word, enum output_kind *ret_kind, struct usage *usage);

/* A scalar as people read it, - for null and for what is not there, the first part of a
 * list that is longer than a line. */
void asked_add_cell(struct table *table, const struct json_span *value);
void asked_add_text(const struct json_span *value, struct text *to);

#endif
