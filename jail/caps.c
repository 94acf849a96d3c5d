/* SPDX-License-Identifier: MIT */
/*
 * No capability in any set, and no way back: bounding and ambient sets emptied, the
 * securebits that would give uid 0 powers at exec or let ids matter are set and locked,
 * then permitted, effective and inheritable go, then no_new_privs.
 *
 * By system calls, without libcap: a handful of calls in the child of a clone is no place
 * for a library that allocates. libcap judges the result in the tests.
 */
#include <errno.h>
#include <linux/capability.h>
#include <linux/securebits.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "jail/internal.h"

#define LOCKED_BITS                                                      \
	(SECBIT_NOROOT | SECBIT_NOROOT_LOCKED | SECBIT_NO_SETUID_FIXUP | \
	 SECBIT_NO_SETUID_FIXUP_LOCKED | SECBIT_KEEP_CAPS_LOCKED |       \
	 SECBIT_NO_CAP_AMBIENT_RAISE | SECBIT_NO_CAP_AMBIENT_RAISE_LOCKED)

/* Three sets of 64 bits in two halves, as version 3 of the interface wants them. */
struct sets {
	struct __user_cap_data_struct half[2];
};

static struct __user_cap_header_struct this_process(void)
{
	return (struct __user_cap_header_struct){.version = _LINUX_CAPABILITY_VERSION_3};
}

int caps_effective(uint64_t *ret_mask)
{
	struct __user_cap_header_struct head = this_process();
	struct sets sets;

	if (syscall(SYS_capget, &head, sets.half) < 0)
		return -errno;
	*ret_mask = sets.half[0].effective | (uint64_t)sets.half[1].effective << 32;
	return 0;
}

JAIL_API int jail_drop_own_capabilities(struct jail_error *err)
{
	struct __user_cap_header_struct head = this_process();
	const struct sets none = {{{0}}};

	if (syscall(SYS_capset, &head, none.half) < 0)
		return jail_fail(err, JAIL_STAGE_CAPABILITIES, errno,
				 "drop all capabilities");
	return 0;
}

/* Which capabilities there are the kernel alone knows: it refuses the first unknown one.
 */
static int drop_bounding_set(struct jail_error *err)
{
	unsigned long cap = 0;

	while (prctl(PR_CAPBSET_DROP, cap, 0, 0, 0) == 0)
		cap++;
	/* What cannot be read either is not there; else it is still in the set. */
	if (errno == EINVAL && prctl(PR_CAPBSET_READ, cap, 0, 0, 0) >= 0)
		errno = EPERM;
	if (errno != EINVAL)
		return jail_fail(err, JAIL_STAGE_CAPABILITIES, errno,
				 "drop capability %lu from the bounding set", cap);
	return 0;
}

int child_drop_capabilities(struct jail_error *err)
{
	/* The order matters: the bounding set and the securebits need CAP_SETPCAP. */
	int r = drop_bounding_set(err);

	if (r < 0)
		return r;
	if (prctl(PR_CAP_AMBIENT, PR_CAP_AMBIENT_CLEAR_ALL, 0, 0, 0) < 0)
		return jail_fail(err, JAIL_STAGE_CAPABILITIES, errno,
				 "clear the ambient set");
	if (prctl(PR_SET_SECUREBITS, LOCKED_BITS, 0, 0, 0) < 0)
		return jail_fail(err, JAIL_STAGE_CAPABILITIES, errno,
				 "lock the securebits");
	r = jail_drop_own_capabilities(err);
	if (r < 0)
		return r;
	if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) < 0)
		return jail_fail(err, JAIL_STAGE_CAPABILITIES, errno, "set no_new_privs");
	return 0;
}
