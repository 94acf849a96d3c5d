/* SPDX-License-Identifier: MIT */
/*
 * Who may do what: settings, tenants, how a client is known to be one, and the policies
 * that they may use. The monitor makes it from files (daemon/config.h), the server gets
 * the same as bytes; neither changes it afterwards. A reload is another one, with the next
 * generation number: tenants and policies are numbers within one generation.
 */
#ifndef QUOD_ROSTER_H
#define QUOD_ROSTER_H

#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

#include "daemon/terms.h"
#include "policy/policy.h"

/* Policies of a tenant are bits. */
#define ROSTER_POLICIES_MOST 64u
#define ROSTER_TENANTS_MOST  4096u
#define ROSTER_KEYS_MOST     16384u

/* SHA-256 of a token. */
#define ROSTER_HASH_BYTES 32u

struct roster_tenant {
	char name[POLICY_NAME_MOST + 8];
	uint64_t policies;	 /* bit n: policy n */
	uint32_t policy, unused; /* the one of a job that names none */
	struct terms terms;
};

/* What the kernel calls whom it cannot name in our user namespace. */
#define PEER_OVERFLOW 65534u

enum roster_key_kind { ROSTER_UID, ROSTER_GID, ROSTER_TOKEN };

/* What makes a client a tenant. */
struct roster_key {
	uint32_t kind; /* enum roster_key_kind */
	uint32_t tenant;
	uint32_t id;			       /* uid or gid */
	unsigned char hash[ROSTER_HASH_BYTES]; /* of a token */
};

struct roster {
	uint32_t generation; /* from 1 */
	struct settings settings;
	struct roster_tenant *tenants;
	struct roster_key *keys;
	const struct policy **policies;
	uint32_t tenants_count, keys_count, policies_count;
	unsigned references;
};

/* Empty, with one reference. NULL: no memory. */
struct roster *roster_new(void);
struct roster *roster_ref(struct roster *roster);
/* NULL is fine. */
void roster_unref(struct roster *roster);
static inline void own_roster_unref(struct roster **roster)
{
	roster_unref(*roster);
}
#define own_roster __attribute__((cleanup(own_roster_unref)))

/* Room for one more, cleared; NULL: no memory, or as many as there may be. */
struct roster_tenant *roster_add_tenant(struct roster *roster);
struct roster_key *roster_add_key(struct roster *roster);
/* The roster's from here on, also on failure. Its number, or -ENOMEM, -E2BIG. */
int roster_add_policy(struct roster *roster, const struct policy *policy);

/* By name; the count of them where there is none. */
uint32_t roster_find_tenant(const struct roster *roster, const char *name);
uint32_t roster_find_policy(const struct roster *roster, const char *name);

/*
 * As bytes in a sealed memory file, to be given to the other process: *ret_fd is the
 * caller's. Errors: what memfd_create(2) and write(2) give, -ENOMEM.
 */
int roster_send(const struct roster *roster, int *ret_fd);
/*
 * From such a file. Only a roster of this version of the program is one. Errors: -EBADMSG,
 * -ENOMEM, what read(2) gives.
 */
int roster_receive(int fd, struct roster **ret_roster);

#endif
