/* SPDX-License-Identifier: MIT */
/*
 * The part of the state directory that is the server's: DIR/history. The monitor makes it
 * and hands it over; it never looks into it.
 */
#ifndef QUOD_STATE_H
#define QUOD_STATE_H

#include <sys/types.h>

#include "supervisor/options.h"

/*
 * Makes it where it is not there, for its owner alone. `uid` is whom the server becomes, 0:
 * nobody else than we. *ret_fd is the caller's. Errors, with usage filled: -EPERM (it
 * belongs to a third), -ENOTDIR and -ELOOP (it is something else), and what mkdir(2),
 * open(2) and chown(2) give.
 */
int state_open_history(const char *dir, uid_t uid, gid_t gid, int *ret_fd,
		       struct usage *usage);

#endif
