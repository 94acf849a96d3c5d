/* SPDX-License-Identifier: MIT */
/*
 * The tenants' cgroups, in the monitor: each tenant's jails lie in one of his own, with the
 * limits of his terms.
 */
#ifndef QUOD_SHARES_H
#define QUOD_SHARES_H

#include "daemon/roster.h"
#include "supervisor/place.h"

struct share;

struct shares {
	const struct run_place *place; /* where all of them lie */
	struct share *list;
};

/* Are the limits that it names held here? Else err says of whom which is not. Errors:
 * EOPNOTSUPP. */
int shares_check(const struct run_place *place, const struct roster *roster,
		 struct jail_error *err);

/* The limits of those that there are become those of the roster; whom it does not name has
 * none any more, once his jails have ended. */
void shares_adopt(struct shares *shares, const struct roster *roster);

/* Where a jail of this tenant is made: in his share, which is made with his first one.
 * Errors: those of jail_share_open(). */
int shares_place(struct shares *shares, const struct roster_tenant *tenant,
		 struct run_place *ret_place, struct jail_error *err);

/* A jail has ended: where it was the last of a tenant that is gone, its share goes too. */
void shares_tidy(struct shares *shares);
/* Removes what ended jails have left in them; returns how much of it is still there. */
unsigned shares_sweep(const struct shares *shares);

void shares_free(struct shares *shares);

#endif
