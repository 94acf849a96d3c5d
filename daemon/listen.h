/* SPDX-License-Identifier: MIT */
/*
 * The socket on which clients come, and the lock that keeps a second daemon away from the
 * same state.
 */
#ifndef QUOD_LISTEN_H
#define QUOD_LISTEN_H

#include "supervisor/options.h"

/*
 * Binds and listens; the socket's owner alone may connect, or with `open` everybody. One that nobody listens on any
 * more is replaced. *ret_fd is the caller's. Errors, with usage filled: -EADDRINUSE (somebody
 * listens there), -ENAMETOOLONG, -EEXIST (there is something that is no socket), and what
 * socket(2) and bind(2) give.
 */
int listen_unix(const char *path, bool open, int *ret_fd, struct usage *usage);

/* *ret_fd (the caller's) holds the lock. Errors, with usage filled: -EBUSY (another daemon
 * has it), and what open(2) gives. */
int state_lock(const char *dir, int *ret_fd, struct usage *usage);

#endif
