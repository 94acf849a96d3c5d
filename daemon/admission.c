/* SPDX-License-Identifier: MIT */
/*
 * Connections are counted, each time anew: by tenant, by user, by address. There are at
 * most a thousand of them.
 */
#include "daemon/admission.h"

#include "daemon/server.h"

/* Of one who is no tenant: enough to be told so; or to show a token, where there are any. */
#define STRANGER_MOST 4u
#define SHOWING_MOST  32u
/* So many of all are kept for others than a single tenant, and of several for the one who
 * has started us. */
#define STRANGERS_RESERVE 8u
/* One of several tenants may have this part of all, and so may all strangers together: a
 * user of the host can be 65536 of them. */
#define TENANT_PART 4u
/* Of all, so many may be TCP, where anybody may be who has no token: one in two. Of one
 * address that is not the loopback, one in sixteen. */
#define TCP_PART     2u
#define ADDRESS_PART 16u

static unsigned count_tcp(const struct http *http)
{
	unsigned count = 0;

	for (const struct connection *at = http->connections; at; at = at->next)
		count += at->peer.kind == PEER_TCP;
	return count;
}

static bool is_same_peer(const struct peer *a, const struct peer *b)
{
	if (a->kind != b->kind)
		return false;
	return a->kind == PEER_UNIX
		       ? a->uid == b->uid
		       : IN6_ARE_ADDR_EQUAL(&a->tcp_address, &b->tcp_address);
}

/* Of one user as far as they are no tenant's; of one address all of them. */
static unsigned count_of(const struct http *http, const struct peer *peer)
{
	unsigned count = 0;

	for (const struct connection *at = http->connections; at; at = at->next)
		count += is_same_peer(&at->peer, peer) &&
			 (!at->account || peer->kind == PEER_TCP);
	return count;
}

static bool is_loopback(const struct in6_addr *address)
{
	return IN6_IS_ADDR_LOOPBACK(address) ||
	       (IN6_IS_ADDR_V4MAPPED(address) && address->s6_addr[12] == IN_LOOPBACKNET);
}

static bool has_tokens(const struct roster *roster)
{
	for (uint32_t i = 0; i < roster->keys_count; i++)
		if (roster->keys[i].kind == ROSTER_TOKEN)
			return true;
	return false;
}

static unsigned count_of_tenant(const struct http *http, const struct tenant *tenant)
{
	unsigned count = 0;

	for (const struct connection *at = http->connections; at; at = at->next)
		count += at->account == tenant;
	return count;
}

/* On unix sockets; the one who has started us is none. */
static unsigned count_strangers(const struct http *http)
{
	unsigned count = 0;

	for (const struct connection *at = http->connections; at; at = at->next)
		count += !at->account && at->peer.kind == PEER_UNIX &&
			 at->peer.uid != http->server->owner;
	return count;
}

static bool may_have_more(const struct http *http, const struct tenant *tenant)
{
	unsigned most = http->server->tenants.roster->tenants_count == 1
				? http->connections_most - STRANGERS_RESERVE
				: http->connections_most / TENANT_PART;

	return count_of_tenant(http, tenant) < most;
}

void admission_claim(struct connection *connection, struct http *http,
		     struct tenant *tenant)
{
	if (connection->account == tenant || !may_have_more(http, tenant))
		return;
	tenant_unref(&http->server->tenants, connection->account);
	connection->account = tenant_ref(tenant);
}

static bool may_come_by_tcp(const struct http *http, const struct peer *peer)
{
	unsigned part = is_loopback(&peer->tcp_address) ? TCP_PART : ADDRESS_PART;

	return count_tcp(http) < http->connections_most / TCP_PART &&
	       count_of(http, peer) < http->connections_most / part;
}

bool admission_may_come(const struct http *http, const struct peer *peer,
			const struct tenant *tenant)
{
	const struct roster *roster = http->server->tenants.roster;
	bool is_owner = peer->kind == PEER_UNIX && peer->uid == http->server->owner;
	unsigned part = http->connections_most / TENANT_PART;

	if (!is_owner && roster->tenants_count > 1 &&
	    http->connections_count + STRANGERS_RESERVE >= http->connections_most)
		return false;
	if (peer->kind == PEER_TCP)
		return may_come_by_tcp(http, peer);
	if (tenant)
		return may_have_more(http, tenant);
	if (is_owner)
		return count_of(http, peer) < part;
	return count_of(http, peer) <
		       (has_tokens(roster) ? SHOWING_MOST : STRANGER_MOST) &&
	       count_strangers(http) < part;
}
