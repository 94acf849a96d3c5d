/* SPDX-License-Identifier: MIT */
/*
 * A forbidden call traps. The handler says its number and ABI in a VIOLATION frame, then
 * makes a forbidden call itself: SIGSYS is blocked while its handler runs, so the kernel
 * does not deliver it but kills, with default action, even pid 1 of a namespace. No
 * handler ever returns: rt_sigreturn is not on the list.
 */
#include <signal.h>
#include <stddef.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>
#include <linux/filter.h>
#include <linux/seccomp.h>

#include "rootfs/end.h"
#include "rootfs/filter.h"
#include "rootfs/run.h"

#ifdef QUOD_JS_UNFILTERED
/* Only tests build this: sanitizers need system calls of their own. */
void filter_enter(void)
{
}
#else
#include "policy/filter_inner.h"

static void on_sigsys(int signal_number, siginfo_t *info, void *context)
{
	unsigned char payload[8];

	(void)signal_number;
	(void)context;
	put_u32le(payload, info->si_arch);
	put_u32le(payload + 4, (uint32_t)info->si_syscall);
	out_small_frame(&run.out, FRAME_VIOLATION, payload, sizeof(payload));
	syscall(SYS_getppid);
	end_now(END_ENGINE); /* not reached while a filter is on */
}

static void handler_install(void)
{
	struct sigaction action;

	memset(&action, 0, sizeof(action));
	action.sa_sigaction = on_sigsys;
	action.sa_flags = SA_SIGINFO;
	if (sigaction(SIGSYS, &action, NULL))
		end_now(END_NO_FILTER);
}

/*
 * SPEC_ALLOW: whether this process pays for speculation mitigations was decided by
 * whoever put on the outer filter; a mitigation that is on stays on.
 */
void filter_enter(void)
{
	struct sock_fprog program = {
		.len = (unsigned short)(sizeof(filter_inner) / sizeof(filter_inner[0])),
		.filter = (struct sock_filter *)(uintptr_t)filter_inner,
	};

	handler_install();
	if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) ||
	    syscall(SYS_seccomp, SECCOMP_SET_MODE_FILTER, SECCOMP_FILTER_FLAG_SPEC_ALLOW,
		    &program))
		end_now(END_NO_FILTER);
}
#endif
