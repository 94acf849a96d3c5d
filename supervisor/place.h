/* SPDX-License-Identifier: MIT */
/*
 * Where the cgroups of runs are made: the one question that `quod run` and `quod exec`
 * settle before anything else, because the answer may move this process.
 */
#ifndef QUOD_PLACE_H
#define QUOD_PLACE_H

#include <stdbool.h>

#include "jail/jail.h"

/* As asked for. */
struct place_request {
	const char *dir; /* a delegated cgroup directory; NULL: our own cgroup */
	bool required;	 /* limits that a cgroup can hold must be held by one */
};

/* What came of it. */
struct run_place {
	int fd;		       /* for jail_spec.cgroup_fd; -1: none */
	bool required;	       /* as asked for: for JAIL_NEED_CGROUP */
	bool failed;	       /* nothing may run: err says why */
	struct jail_error err; /* filled if failed */
	/* Borrowed; NULL: each jail makes its own root. */
	struct jail_template *template;
};

/*
 * Opens it. If cgroups are required and the caller's own is not delegated, systemd is
 * asked for a scope. Without a cgroup runs go on if none was asked for.
 */
void place_open(const struct place_request *request, struct run_place *ret_place);
void place_close(struct run_place *place);

#endif
