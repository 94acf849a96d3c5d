/* SPDX-License-Identifier: MIT */
/* Runs programs of the build, quod above all, and says what they said. */
#ifndef QUOD_TESTS_PROGRAMS_H
#define QUOD_TESTS_PROGRAMS_H

#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

/* Path of a program of the build, in a ring of a few. */
const char *built(const char *name);

struct said {
	int code; /* exit status, or 128 and the signal; -1 if it did not end in a minute
		   */
	char out[65536], err[65536];
};

/* argv ends with NULL; standard input is empty. A static buffer. */
const struct said *program_run(const char *const *argv);

/* A quod that runs, and the guest in its jail. */
struct running {
	pid_t pid;
	long guest;
	int out; /* its standard output, or the terminal it has */
};

/* Starts it and waits until it has printed `until`; false, and a failed check, if it
 * never does. With a terminal, that is its controlling terminal and all three of its
 * streams. */
bool program_start(const char *const *argv, const char *until, bool with_terminal,
		   struct running *ret_running);
/* Kills and reaps. */
void program_stop(struct running *running);

#endif
