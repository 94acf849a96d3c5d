/* SPDX-License-Identifier: MIT */
/*
 * Order: capabilities first, because dropping them is a call that the filter refuses.
 * A filter without no_new_privs needs CAP_SYS_ADMIN, so that comes between. The timer
 * against sleep is set before all that, and after set-up, which it would interrupt.
 */
#include "supervisor/confine.h"

#include <errno.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "base/own.h"
#include "jail/jail.h"
#include "policy/filter_supervisor.h"
#include "supervisor/awake.h"

int confine_self(void)
{
	static const struct sock_fprog filter = {
		.len = ARRAY_LEN(filter_supervisor),
		.filter = (struct sock_filter *)filter_supervisor,
	};
	int r = awake_start();

	if (r == 0)
		r = jail_drop_own_capabilities(NULL);
	if (r < 0)
		return r;
	if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) < 0)
		return -errno;
	/* No code of a stranger runs in this process: no price for speculation. */
	if (syscall(SYS_seccomp, SECCOMP_SET_MODE_FILTER, SECCOMP_FILTER_FLAG_SPEC_ALLOW,
		    &filter) < 0)
		return -errno;
	return 0;
}
