/* SPDX-License-Identifier: MIT */
/*
 * Command-line options from a table: parser, --help and whatever else is generated read
 * the same one. The parser only stores strings and flags; what they mean is checked by
 * the command, when all of them are known.
 */
#ifndef QUOD_OPTIONS_H
#define QUOD_OPTIONS_H

#include <stdbool.h>
#include <stddef.h>

#include "base/text.h"

struct option {
	char letter;	  /* 0: none */
	const char *name; /* without its dashes; NULL: only the letter */
	const char *arg;  /* what follows it, for help; NULL: a flag */
	const char *help;
	size_t offset; /* in the caller's struct: const char *, or bool for a flag */
};

/* One sentence on what is wrong with the command line or a file that it names. */
struct usage {
	char text[512];
};

/* Writes the sentence and returns `r`, so that it can be returned in turn. */
int usage_fail(struct usage *usage, int r, const char *format, ...)
	__attribute__((format(printf, 3, 4)));

/*
 * Stores the options' values (borrowed from argv) in *into and moves everything else to
 * the front of argv, *ret_rest of them. With `strict` the first that is no option ends
 * the options. Each may be given once. Errors: -EINVAL, with usage filled.
 */
int options_parse(const struct option *table, size_t count, bool strict, int argc,
		  char **argv, void *into, int *ret_rest, struct usage *usage);

/* The same where there may be nothing but options. */
int options_parse_only(const struct option *table, size_t count, int argc, char **argv,
		       void *into, struct usage *usage);

/* "--name" or "-x", as a message spells it. */
void options_spell(const struct option *option, char *text, size_t size);

/* A line for each. */
void options_help(const struct option *table, size_t count, struct text *to);

#endif
