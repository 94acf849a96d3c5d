/* SPDX-License-Identifier: MIT */
/*
 * The sockets on which clients come, bound here or passed by systemd, and the lock that keeps a second daemon away from the
 * same state.
 */
#ifndef QUOD_LISTEN_H
#define QUOD_LISTEN_H

#include <stdbool.h>

#include "supervisor/options.h"

#define LISTENERS_MOST 8u

struct listeners {
	int fds[LISTENERS_MOST]; /* owned */
	unsigned count;
};

/*
 * Takes the sockets that systemd has passed ($LISTEN_FDS, sd_listen_fds(3)), none if it
 * has not: each has to be a listening stream socket, unix or TCP, and TCP has to be
 * loopback unless `anywhere`. Errors, with usage filled: -EINVAL, -E2BIG, -EPERM (an
 * address that others reach), and what fcntl(2) gives; what was taken is in *listeners.
 */
int listeners_inherit(bool anywhere, struct listeners *listeners, struct usage *usage);
void listeners_close(struct listeners *listeners);

/* True for a TCP socket, false for a unix socket. */
bool listener_is_tcp(int fd);

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
