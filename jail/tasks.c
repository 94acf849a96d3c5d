/* SPDX-License-Identifier: MIT */
/*
 * How many processes and threads a jail may have where no cgroup counts them.
 *
 * RLIMIT_NPROC is compared with what the kernel counts by uid and user namespace (5.14),
 * and the jail's namespace is new: nobody else's processes are in that count, whoever
 * else has the same uid. But of the host's own uid 0 the kernel asks nothing, whatever
 * that is called inside; the guest has it where root without power over ids has started
 * us, as in a container. No file tells whose uid it is in the end, so it is tried.
 */
#include <errno.h>
#include <signal.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "jail/internal.h"

/* System calls, not libc's wrappers: those run what was registered for a fork. */
static int make_process(void)
{
	long pid = syscall(SYS_clone, SIGCHLD, 0, 0, 0, 0);

	if (pid == 0)
		syscall(SYS_exit_group, 0);
	if (pid < 0)
		return -errno;
	while (syscall(SYS_wait4, pid, NULL, __WALL, NULL) < 0)
		if (errno != EINTR)
			return -errno;
	return 0;
}

static int set_soft(rlim_t value)
{
	struct rlimit both;

	if (prlimit(0, RLIMIT_NPROC, NULL, &both) < 0)
		return -errno;
	both.rlim_cur = value < both.rlim_max ? value : both.rlim_max;
	return prlimit(0, RLIMIT_NPROC, &both, NULL) < 0 ? -errno : 0;
}

/* With one process allowed a second is refused; with two it is made, or else the refusal
 * was somebody else's. */
int tasks_try_rlimit(void)
{
	int r = set_soft(1);

	if (r == 0)
		r = make_process();
	if (r != -EAGAIN)
		return r == 0 ? -EOPNOTSUPP : r;
	r = set_soft(2);
	return r == 0 ? make_process() : r;
}

int child_limit_tasks(uint32_t most, struct jail_error *err)
{
	struct rlimit both;
	int r = tasks_try_rlimit();

	if (r == -EOPNOTSUPP)
		return jail_fail(err, JAIL_STAGE_RLIMITS, -r,
				 "nothing here would hold the limit of %u processes: no "
				 "cgroup counts them, and RLIMIT_NPROC does not bind the "
				 "host's root, which the guest would be outside",
				 most);
	if (r < 0)
		return jail_fail(err, JAIL_STAGE_RLIMITS, -r, "make a second process");
	if (prlimit(0, RLIMIT_NPROC, NULL, &both) < 0)
		return jail_fail(err, JAIL_STAGE_RLIMITS, errno, "read RLIMIT_NPROC");
	if (both.rlim_max > most)
		both.rlim_max = most;
	both.rlim_cur = both.rlim_max;
	if (prlimit(0, RLIMIT_NPROC, &both, NULL) < 0)
		return jail_fail(err, JAIL_STAGE_RLIMITS, errno, "set RLIMIT_NPROC to %u",
				 most);
	return 0;
}
