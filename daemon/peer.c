/* SPDX-License-Identifier: MIT */
/*
 * The kernel says who is at the other end: of a unix socket the user and his groups, as he
 * was when he connected, of TCP an address.
 */
#include "daemon/peer.h"

#include <errno.h>
#include <string.h>

#include "base/own.h"
#include "daemon/server.h"

socklen_t peer_address_len(const union peer_address *address)
{
	switch (address->any.sa_family) {
	case AF_INET:
		return sizeof(address->in);
	case AF_INET6:
		return sizeof(address->in6);
	default:
		return sizeof(sa_family_t);
	}
}

/* In a user namespace of ours we know nobody but our own user, and him by another number;
 * all the others look like one. */
static uid_t name_uid(const struct server *server, uid_t seen)
{
	if (seen == server->seen.uid)
		return server->owner;
	return seen == PEER_OVERFLOW || seen == server->owner ? PEER_UNKNOWN : seen;
}

/* The same of groups. */
static gid_t name_gid(const struct server *server, gid_t seen)
{
	if (seen == server->seen.gid)
		return server->group;
	return seen == PEER_OVERFLOW || seen == server->group ? PEER_UNKNOWN : seen;
}

/* Of more groups than there is room for none counts but the first. */
static int read_unix_peer(const struct server *server, int fd, struct peer *peer)
{
	struct ucred cred;
	socklen_t len = sizeof(cred), room = sizeof(peer->gids);

	if (getsockopt(fd, SOL_SOCKET, SO_PEERCRED, &cred, &len) < 0)
		return -errno;
	peer->uid = name_uid(server, cred.uid);
	if (getsockopt(fd, SOL_SOCKET, SO_PEERGROUPS, peer->gids, &room) < 0)
		room = 0;
	peer->gids_count = room / sizeof(gid_t);
	if (peer->gids_count < ARRAY_LEN(peer->gids))
		peer->gids[peer->gids_count++] = cred.gid;
	for (unsigned i = 0; i < peer->gids_count; i++)
		peer->gids[i] = name_gid(server, peer->gids[i]);
	return 0;
}

static void map_address(const struct sockaddr_in *in, struct in6_addr *to)
{
	*to = (struct in6_addr){.s6_addr = {[10] = 0xff, [11] = 0xff}};
	memcpy(&to->s6_addr[12], &in->sin_addr, sizeof(in->sin_addr));
}

static int read_tcp_peer(const union peer_address *address, struct peer *peer)
{
	if (address->any.sa_family == AF_INET6)
		peer->tcp_address = address->in6.sin6_addr;
	else if (address->any.sa_family == AF_INET)
		map_address(&address->in, &peer->tcp_address);
	else
		return -EAFNOSUPPORT;
	return 0;
}

int peer_read(const struct server *server, enum peer_kind kind, int fd,
	      const union peer_address *address, struct peer *ret_peer)
{
	*ret_peer = (struct peer){.kind = kind, .uid = PEER_UNKNOWN};
	return kind == PEER_UNIX ? read_unix_peer(server, fd, ret_peer)
				 : read_tcp_peer(address, ret_peer);
}
