/* SPDX-License-Identifier: MIT */
/* Who has connected, asked before a byte of his is read. */
#ifndef QUOD_PEER_H
#define QUOD_PEER_H

#include <netinet/in.h>
#include <sys/socket.h>
#include <sys/un.h>

#include "daemon/tenants.h"

struct server;

union peer_address {
	struct sockaddr any;
	struct sockaddr_in in;
	struct sockaddr_in6 in6;
	struct sockaddr_un un;
};

/* What of it says something: a client's path is of no interest. */
socklen_t peer_address_len(const union peer_address *address);

/*
 * Fills *ret_peer. `kind` is that of the listening socket, which the monitor has checked;
 * `address` is what accept(2) gave. Errors: -EAFNOSUPPORT, what getsockopt(2) gives.
 */
int peer_read(const struct server *server, enum peer_kind kind, int fd,
	      const union peer_address *address, struct peer *ret_peer);

#endif
