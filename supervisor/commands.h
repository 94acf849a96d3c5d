/* SPDX-License-Identifier: MIT */
/*
 * What is behind each row of COMMANDS.
 */
#ifndef QUOD_COMMANDS_H
#define QUOD_COMMANDS_H

#include "supervisor/command_table.h"
#include "supervisor/options.h"

struct command {
	const char *name;
	const struct option *options;
	size_t options_count;
	/* Words after the name; returns the exit code. argv[argc] is NULL. */
	int (*run)(int argc, char **argv);
};

#define X(name, synopsis, kind, about) extern const struct command command_##name;
COMMANDS(X)
#undef X

/* Says it on stderr and returns the exit code for it. r: -EINVAL if the command line is
 * wrong, another errno if it named something that is. */
int command_misused(const struct command *command, int r, const struct usage *usage);

/* Says it on stderr. Returns the exit code. */
int command_failed(int code, const struct usage *why);

/* Writes the text to stdout. Returns 0, or the exit code if that failed. */
int command_print(struct text *text);

#endif
