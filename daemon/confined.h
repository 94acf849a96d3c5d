/* SPDX-License-Identifier: MIT */
/*
 * The server's confinement, for good and before it reads a byte from outside: a root with
 * nothing in it but the directory of its history, namespaces, another user where that may be chosen, no capability, no_new_privs,
 * death with the monitor, a filter.
 */
#ifndef QUOD_CONFINED_H
#define QUOD_CONFINED_H

#include <sys/types.h>

#include "jail/jail.h"

/* Where that directory then is. */
#define SERVER_HISTORY_NAME "history"

/* The exit status of a server where another start would end in the same way. */
#define SERVER_EXIT_FOR_GOOD 2

/* A user, in the user namespace of who looks. */
struct seen {
	uid_t uid;
	gid_t gid;
};

/*
 * All but the filter. `history` is the directory, or -1. *ret_seen is
 * quodd's own user as this process now sees it: among the peers on sockets. Errors: with
 * err filled.
 */
int server_leave(int history, uid_t uid, gid_t gid, struct seen *ret_seen,
		 struct jail_error *err);

/* The filter: after it nothing can be opened, started or connected to. */
int server_seal(struct jail_error *err);

#endif
