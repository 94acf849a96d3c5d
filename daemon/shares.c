/* SPDX-License-Identifier: MIT */
/*
 * A share is made when it is needed: a thousand tenants that do nothing cost nothing. It
 * stays until the daemon ends, its tenant is gone, or there are so many that those without
 * a jail go: each costs a descriptor, of which jails need many.
 */
#include "daemon/shares.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/own.h"
#include "daemon/log.h"

#define SHARES_MOST 64u

struct share {
	char name[POLICY_NAME_MOST + 8]; /* the tenant's */
	char dir[POLICY_NAME_MOST + 32];
	int fd;	   /* owned */
	bool gone; /* its tenant is */
	struct share *next;
};

static struct jail_share spec_of(const struct share *share,
				 const struct roster_tenant *tenant)
{
	const uint64_t *terms = tenant->terms.value;

	return (struct jail_share){.name = share->dir,
				   .memory_bytes = terms[TERM_MEMORY],
				   .processes = (uint32_t)terms[TERM_TASKS],
				   .cpu_weight = (uint32_t)terms[TERM_WEIGHT]};
}

static bool has_knob(const struct run_place *place, const char *name)
{
	return place->fd >= 0 && faccessat(place->fd, name, F_OK, 0) == 0;
}

int shares_check(const struct run_place *place, const struct roster *roster,
		 struct jail_error *err)
{
	static const struct {
		enum term_id term;
		const char *knob;
	} held[] = {{TERM_MEMORY, "memory.max"}, {TERM_TASKS, "pids.max"}};

	for (uint32_t i = 0; i < roster->tenants_count; i++)
		for (size_t k = 0; k < ARRAY_LEN(held); k++) {
			const struct roster_tenant *tenant = &roster->tenants[i];

			if (!tenant->terms.value[held[k].term] ||
			    has_knob(place, held[k].knob))
				continue;
			*err = (struct jail_error){.stage = JAIL_STAGE_CGROUP,
						   .errnum = EOPNOTSUPP};
			snprintf(err->text, sizeof(err->text),
				 "%s= of tenant '%s' cannot be held: %.300s (quod doctor "
				 "says what mends it)",
				 term_infos[held[k].term].key, tenant->name,
				 place->err.text[0]
					 ? place->err.text
					 : "the cgroup of this daemon has no such "
					   "controller");
			return -EOPNOTSUPP;
		}
	return 0;
}

static struct share *find(const struct shares *shares, const char *name)
{
	struct share *at = shares->list;

	while (at && strcmp(at->name, name) != 0)
		at = at->next;
	return at;
}

static int remove_share(const struct shares *shares, struct share *share)
{
	const struct jail_share spec = {.name = share->dir};
	int r = jail_share_remove(shares->place->fd, &spec);

	if (r == 0) {
		close_fd(share->fd);
		free(share);
	}
	return r;
}

/* One that still has jails stays. */
static void tidy(struct shares *shares, bool gone_only)
{
	struct share **at = &shares->list;

	while (*at) {
		struct share *share = *at, *next = share->next;

		if ((share->gone || !gone_only) && remove_share(shares, share) == 0)
			*at = next;
		else
			at = &share->next;
	}
}

void shares_tidy(struct shares *shares)
{
	tidy(shares, true);
}

static void update(const struct share *share, const struct roster_tenant *tenant)
{
	const struct jail_share spec = spec_of(share, tenant);
	struct jail_error err;

	if (jail_share_limit(share->fd, &spec, &err) < 0)
		log_say("the limits of tenant '%s' cannot be set: %s", tenant->name,
			err.text);
}

void shares_adopt(struct shares *shares, const struct roster *roster)
{
	for (struct share *at = shares->list; at; at = at->next) {
		uint32_t i = roster_find_tenant(roster, at->name);

		at->gone = i == roster->tenants_count;
		if (!at->gone)
			update(at, &roster->tenants[i]);
	}
	shares_tidy(shares);
}

static void make_room(struct shares *shares)
{
	unsigned count = 0;

	for (const struct share *at = shares->list; at; at = at->next)
		count++;
	if (count >= SHARES_MOST)
		tidy(shares, false);
}

static int make(struct shares *shares, const struct roster_tenant *tenant,
		struct share **ret_share, struct jail_error *err)
{
	struct share *share = calloc(1, sizeof(*share));
	struct jail_share spec;
	int r;

	if (!share) {
		*err = (struct jail_error){.stage = JAIL_STAGE_CGROUP,
					   .errnum = ENOMEM,
					   .text = "no memory"};
		return -ENOMEM;
	}
	memcpy(share->name, tenant->name, sizeof(share->name));
	/* Another daemon in this cgroup may have a tenant of the same name. */
	snprintf(share->dir, sizeof(share->dir), "%s.%d", tenant->name, (int)getpid());
	spec = spec_of(share, tenant);
	make_room(shares);
	r = jail_share_open(shares->place->fd, &spec, &share->fd, err);
	if (r < 0) {
		free(share);
		return r;
	}
	share->next = shares->list;
	shares->list = share;
	*ret_share = share;
	return 0;
}

int shares_place(struct shares *shares, const struct roster_tenant *tenant,
		 struct run_place *ret_place, struct jail_error *err)
{
	struct share *share = find(shares, tenant->name);
	int r = 0;

	*ret_place = *shares->place;
	if (shares->place->fd < 0)
		return 0;
	if (!share)
		r = make(shares, tenant, &share, err);
	if (r == 0)
		ret_place->fd = share->fd;
	return r;
}

unsigned shares_sweep(const struct shares *shares)
{
	unsigned left = 0;

	for (const struct share *at = shares->list; at; at = at->next)
		left += jail_cgroup_sweep(at->fd);
	return left;
}

/* What cannot be removed now is left to the next start. */
void shares_free(struct shares *shares)
{
	while (shares->list) {
		struct share *share = shares->list;

		shares->list = share->next;
		if (remove_share(shares, share) < 0) {
			close_fd(share->fd);
			free(share);
		}
	}
}
