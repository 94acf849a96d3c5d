/* SPDX-License-Identifier: MIT */
/*
 * A jail that runs, from outside: its descriptors, killing it, and the one place where it
 * ends. Nothing here opens a file: a supervisor that has given up open(2)
 * can still do all of it.
 */
#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/own.h"
#include "jail/internal.h"

/* Linux 6.9; kernels before it refuse the flag. A guest is born as the leader of a group,
 * and no filter of ours lets its children leave it. */
#ifndef PIDFD_SIGNAL_PROCESS_GROUP
#define PIDFD_SIGNAL_PROCESS_GROUP (1u << 2)
#endif

/* Bound on the wait for `populated 0`, once pid 1 is dead and has been reaped. */
#define EMPTY_WAIT_MS 2000

JAIL_API int jail_fd(const struct jail *jail, enum jail_fd which)
{
	return jail->fd[which];
}

JAIL_API void jail_close_input(struct jail *jail)
{
	jail->fd[JAIL_FD_IN] = close_fd(jail->fd[JAIL_FD_IN]);
}

JAIL_API void jail_close_pipes(struct jail *jail)
{
	for (int i = JAIL_FD_IN; i <= JAIL_FD_ERR; i++)
		jail->fd[i] = close_fd(jail->fd[i]);
}

JAIL_API enum jail_enforcer jail_memory_enforcer(const struct jail *jail)
{
	return jail->by_memory;
}

JAIL_API enum jail_enforcer jail_cpu_enforcer(const struct jail *jail)
{
	return jail->by_cpu;
}

JAIL_API enum jail_enforcer jail_processes_enforcer(const struct jail *jail)
{
	return jail->by_processes;
}

JAIL_API int jail_kill(struct jail *jail, struct jail_error *err)
{
	if (jail->reaped || jail->fd[JAIL_FD_PIDFD] < 0)
		return 0;
	/* Any of them is enough: pid 1 takes its whole namespace along. But that waits
	 * until pid 1 is scheduled, and among a thousand forking tasks that is seconds.
	 */
	bool killed = jail->leaf.dir_fd >= 0 && leaf_kill(&jail->leaf) == 0;
	if (!killed)
		(void)syscall(SYS_pidfd_send_signal, jail->fd[JAIL_FD_PIDFD], SIGKILL,
			      NULL, PIDFD_SIGNAL_PROCESS_GROUP);
	long r =
		syscall(SYS_pidfd_send_signal, jail->fd[JAIL_FD_PIDFD], SIGKILL, NULL, 0);
	if (r < 0 && errno != ESRCH && !killed)
		return jail_fail(err, JAIL_STAGE_KILL, errno, "kill the jail");
	return 0;
}

/* waitid as the kernel has it, with the rusage that libc's wrapper leaves out. */
static int reap(struct jail *jail, struct jail_result *result, struct jail_error *err)
{
	siginfo_t info = {.si_pid = 0};
	struct rusage usage;
	long r;

	do
		r = syscall(SYS_waitid, P_PIDFD, jail->fd[JAIL_FD_PIDFD], &info, WEXITED,
			    &usage);
	while (r < 0 && errno == EINTR);
	if (r < 0)
		return jail_fail(err, JAIL_STAGE_COLLECT, errno, "wait for the jail");
	jail->reaped = true;
	result->end = info.si_code == CLD_EXITED ? JAIL_EXITED : JAIL_SIGNALED;
	if (result->end == JAIL_EXITED)
		result->exit_code = info.si_status;
	else
		result->signal = info.si_status;
	result->cpu_us =
		(uint64_t)(usage.ru_utime.tv_sec + usage.ru_stime.tv_sec) * 1000000u +
		(uint64_t)(usage.ru_utime.tv_usec + usage.ru_stime.tv_usec);
	result->memory_peak_bytes = (uint64_t)usage.ru_maxrss * 1024u;
	return 0;
}

/* The last report counts: "it runs" may be followed by why it did not after all. The
 * child is dead, so that all of it is there, whoever else still holds the pipe. */
int jail_last_report(const struct jail *jail, struct jail_error *ret_report)
{
	struct jail_error next;
	int any = 0;
	ssize_t n;

	for (;;) {
		n = read(jail->status_read, &next, sizeof(next));
		if (n < 0 && errno == EINTR)
			continue;
		if (n != (ssize_t)sizeof(next))
			break;
		next.text[sizeof(next.text) - 1] = '\0';
		*ret_report = next;
		any = 1;
	}
	return n < 0 && errno != EAGAIN ? -errno : any;
}

int jail_killed_early(struct jail_error *err)
{
	return jail_fail(err, JAIL_STAGE_GO, ECHILD,
			 "the jail was killed before its set-up was done");
}

/* What the child said of its set-up, as an error of ours. Without a report it died
 * before it could make one, and not by its own doing. */
static int judge_report(const struct jail *jail, struct jail_error *err)
{
	struct jail_error report;
	int r = jail_last_report(jail, &report);

	if (r < 0)
		return jail_fail(err, JAIL_STAGE_COLLECT, -r,
				 "read what the jail said of its set-up");
	if (r == 0)
		return jail_killed_early(err);
	if (report.stage == JAIL_STAGE_RUN)
		return 0;
	if (err)
		*err = report;
	return -report.errnum;
}

/* Everything that outlives the process: taken away in one place, whatever went wrong. */
static int take_down(struct jail *jail, int wait_ms, struct jail_error *err)
{
	int r = leaf_wait_empty(&jail->leaf, wait_ms);

	jail->mounts_fd = close_fd(jail->mounts_fd);
	if (r < 0)
		r = jail_fail(err, JAIL_STAGE_COLLECT, -r,
			      "the cgroup leaf '%s' does not become empty: its "
			      "processes were killed and hang in the kernel; it is left "
			      "there for a later start to remove",
			      jail->leaf.name);
	else
		r = leaf_remove(&jail->leaf, err);
	/* A uid whose processes may still live must not be leased again while we live. */
	if (r == 0)
		lease_give_back(&jail->lease);
	return r;
}

JAIL_API int jail_collect(struct jail *jail, struct jail_result *ret_result,
			  struct jail_error *err)
{
	struct jail_result result = {.end = JAIL_EXITED};
	int r = reap(jail, &result, err);

	if (r == 0)
		r = judge_report(jail, err);
	if (r == 0 && jail->leaf.dir_fd >= 0)
		r = leaf_collect(&jail->leaf, &result, err);
	if (r == 0)
		*ret_result = result;
	return r;
}

JAIL_API int jail_remove(struct jail *jail, int wait_ms, struct jail_error *err)
{
	if (!jail->reaped)
		return jail_fail(err, JAIL_STAGE_REMOVE, EINVAL,
				 "the jail has not been collected");
	return take_down(jail, wait_ms, err);
}

JAIL_API int jail_wait(struct jail *jail, struct jail_result *ret_result,
		       struct jail_error *err)
{
	struct jail_result result;
	int r = jail_collect(jail, &result, err);

	if (!jail->reaped)
		return r;
	/* Whatever went wrong first is what is told. */
	int down = take_down(jail, EMPTY_WAIT_MS, r < 0 ? NULL : err);
	if (r < 0 || down < 0)
		return r < 0 ? r : down;
	*ret_result = result;
	return 0;
}

void jail_end(struct jail *jail)
{
	struct jail_result ignored;

	if (jail->zygote)
		jail->pid =
			template_answer(TAKE_PTR(jail->zygote), &jail->fd[JAIL_FD_PIDFD]);
	if (jail->pid <= 0 || jail->reaped)
		return;
	jail_kill(jail, NULL);
	if (reap(jail, &ignored, NULL) == 0)
		take_down(jail, EMPTY_WAIT_MS, NULL);
}

JAIL_API void jail_free(struct jail *jail)
{
	if (!jail)
		return;
	jail_end(jail);
	/* Never cloned: the leaf is empty and nobody else's. */
	bool gone = jail->leaf.dir_fd < 0 || leaf_remove(&jail->leaf, NULL) == 0;
	leaf_close(&jail->leaf);
	/* Where something may still run under that uid, the lock is left to our own end.
	 */
	if (gone)
		lease_give_back(&jail->lease);
	for (int i = 0; i < JAIL_FD_COUNT; i++)
		close_fd(jail->fd[i]);
	close_fd(jail->go_write);
	close_fd(jail->go_read);
	close_fd(jail->status_read);
	close_fd(jail->stat_fd);
	close_fd(jail->mounts_fd);
	free(jail);
}
