/* SPDX-License-Identifier: MIT */
/* The start of the server. */
#ifndef QUOD_START_H
#define QUOD_START_H

#include <sys/types.h>

#include "daemon/listen.h"
#include "daemon/roster.h"

struct start {
	/* NULL: the one beside our own file, where both are as they were built, or else the
	 * installed one. */
	const char *program;
	const struct roster *roster;
	uid_t uid; /* whom it becomes; 0: nobody else */
	gid_t gid;
	const struct listeners *listeners;
	int history_fd, journal_fd; /* -1: none */
};

struct started {
	pid_t pid;     /* our child */
	int orders_fd; /* our end of the socket pair; the caller's */
};

/* Forks and executes it. What it is given stays the caller's as well. Errors, with usage
 * filled: what socketpair(2), fcntl(2), open(2) and fork(2) give. */
int start_server(const struct start *start, struct started *ret_started,
		 struct usage *usage);

#endif
