/* SPDX-License-Identifier: MIT */
/*
 * The tenants of the server as they are now: who is one, how many runs each has, who waits
 * for a place, and whose turn it is.
 */
#ifndef QUOD_TENANTS_H
#define QUOD_TENANTS_H

#include <netinet/in.h>

#include "daemon/problem.h"
#include "daemon/roster.h"

struct tenant {
	char name[POLICY_NAME_MOST + 8];
	uint32_t number; /* in the roster that counts now */
	bool gone;	 /* it is not in it: what runs ends, nothing new begins */
	struct terms terms;
	uint64_t policies;
	uint32_t policy;
	unsigned running, queued;
	struct waiter *first, *last;
	uint64_t served; /* when it last got a place, in places */
	uint64_t credit; /* of its rate, in runs times the interval in ns */
	uint64_t credit_ns;
	size_t held_bytes;   /* of bodies, and of the history that is being read */
	unsigned references; /* of exchanges and waiters */
	uint64_t started, refused;
	struct tenant *next;
};

/* Part of what waits for a place. */
struct waiter {
	struct tenant *tenant; /* NULL: waits for nothing, has nothing */
	struct waiter *next;
	uint64_t since_ns, until_ns; /* in the queue: monotonic */
	bool placed;
};

struct tenants {
	struct roster *roster; /* owned */
	struct tenant *list;   /* those that are gone too */
	unsigned running;
	bool dispatching;
	uint64_t served;
	/* A place is there for one that has waited: it has it already. */
	void (*start)(struct waiter *waiter);
};

#define PEER_UNKNOWN UINT32_MAX

/* Only of a unix socket the kernel says who is at its other end. */
enum peer_kind { PEER_UNIX, PEER_TCP };

/* Who somebody is by what the kernel says of him: as a user, else as a member of a group.
 * By TCP he is nobody: PEER_UNKNOWN, and in no group. */
struct peer {
	enum peer_kind kind;
	struct in6_addr tcp_address; /* IPv4: mapped */
	uid_t uid;
	gid_t gids[64];
	unsigned gids_count;
};

/* From now on this roster counts; the tenants own it. There may be more places now:
 * tenants_dispatch(). Errors: -ENOMEM, all stays as it was. */
int tenants_adopt(struct tenants *tenants, struct roster *roster_consume);
/* Whoever waits and whose turn it is gets a place. */
void tenants_dispatch(struct tenants *tenants);
void tenants_free(struct tenants *tenants);

/* Whoever keeps one across events has a reference. NULL is fine. */
struct tenant *tenant_ref(struct tenant *tenant);
void tenant_unref(struct tenants *tenants, struct tenant *tenant);

/* NULL: he is none. */
struct tenant *tenants_find_peer(const struct tenants *tenants, const struct peer *peer);
struct tenant *tenants_find_token(const struct tenants *tenants, const char *token);
struct tenant *tenants_find_name(const struct tenants *tenants, const char *name);

/*
 * A place for one of so many `runs`: 1: it is there, 0: the waiter is in the queue, until start() is
 * called or it leaves. Errors: -EAGAIN, the rate or the queue is used up: with problem
 * filled.
 */
int tenants_enter(struct tenants *tenants, struct tenant *tenant, unsigned runs,
		  struct waiter *waiter, struct problem *problem);
/* The next of them: gives the place back and waits for one without bounds. start() may be
 * called before this returns. */
void tenants_again(struct tenants *tenants, struct waiter *waiter);
/* The same for a run of ours: a place that is free now, if there is one, without rate and
 * without being counted. */
bool tenants_try(struct tenants *tenants, struct tenant *tenant, struct waiter *waiter);
/* Gives the place back or leaves the queue, whichever it is in; other waiters may start
 * meanwhile. */
void tenants_leave(struct tenants *tenants, struct waiter *waiter);

/* Bodies that are in memory on behalf of a tenant. False: it has too many already, and
 * these are not counted. */
bool tenant_hold(struct tenant *tenant, size_t bytes);
void tenant_let_go(struct tenant *tenant, size_t bytes);

#endif
