/* SPDX-License-Identifier: MIT */
/* What can only be found out, or made, by a process that is not the caller. */
#include <errno.h>
#include <linux/sched.h>
#include <sched.h>
#include <signal.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "jail/internal.h"

int apart_run(uint64_t flags, int (*inside)(void *context), void *context)
{
	struct clone_args args = {.flags = flags, .exit_signal = SIGCHLD};
	long pid = syscall(SYS_clone3, &args, sizeof(args));
	int status = 0;

	if (pid < 0)
		return -errno;
	if (pid == 0) {
		int r = inside ? inside(context) : 0;
		_exit(r < 0 ? -r & 0xff : 0);
	}
	while (waitpid((pid_t)pid, &status, __WALL) < 0)
		if (errno != EINTR)
			return -errno;
	return WIFEXITED(status) ? WEXITSTATUS(status) : ECHILD;
}
