/* SPDX-License-Identifier: MIT */
/*
 * No capability in any set, and no way back: bounding and ambient sets emptied, the
 * securebits that would give uid 0 powers at exec or let ids matter are set and locked,
 * then permitted, effective and inheritable go, then no_new_privs.
 */
#include <errno.h>
#include <linux/securebits.h>
#include <sys/prctl.h>

#include "jail/internal.h"

#define LOCKED_BITS                                                      \
	(SECBIT_NOROOT | SECBIT_NOROOT_LOCKED | SECBIT_NO_SETUID_FIXUP | \
	 SECBIT_NO_SETUID_FIXUP_LOCKED | SECBIT_KEEP_CAPS_LOCKED |       \
	 SECBIT_NO_CAP_AMBIENT_RAISE | SECBIT_NO_CAP_AMBIENT_RAISE_LOCKED)

int caps_prepare(struct caps_plan *ret_plan, struct jail_error *err)
{
	cap_t none = cap_init();

	if (!none)
		return jail_fail(err, JAIL_STAGE_CAPABILITIES, errno,
				 "make an empty capability set");
	ret_plan->none = none;
	ret_plan->count = (int)cap_max_bits();
	return 0;
}

void caps_release(struct caps_plan *plan)
{
	if (plan->none)
		cap_free(plan->none);
	plan->none = NULL;
}

int child_drop_capabilities(const struct caps_plan *plan, struct jail_error *err)
{
	/* The order matters: the bounding set and the securebits need CAP_SETPCAP. */
	for (int cap = 0; cap < plan->count; cap++)
		if (cap_drop_bound((cap_value_t)cap) < 0)
			return jail_fail(err, JAIL_STAGE_CAPABILITIES, errno,
					 "drop capability %d from the bounding set", cap);
	/* Not libcap's cap_reset_ambient(): it asks for every capability first. */
	if (prctl(PR_CAP_AMBIENT, PR_CAP_AMBIENT_CLEAR_ALL, 0, 0, 0) < 0)
		return jail_fail(err, JAIL_STAGE_CAPABILITIES, errno,
				 "clear the ambient set");
	if (prctl(PR_SET_SECUREBITS, LOCKED_BITS, 0, 0, 0) < 0)
		return jail_fail(err, JAIL_STAGE_CAPABILITIES, errno,
				 "lock the securebits");
	if (cap_set_proc(plan->none) < 0)
		return jail_fail(err, JAIL_STAGE_CAPABILITIES, errno,
				 "drop all capabilities");
	if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) < 0)
		return jail_fail(err, JAIL_STAGE_CAPABILITIES, errno, "set no_new_privs");
	return 0;
}
