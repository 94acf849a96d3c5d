/* SPDX-License-Identifier: MIT */
/*
 * The child's side of set-up, from clone to execveat. It runs in a copy of the
 * supervisor, alone in its namespaces, and only makes system calls on what the plan
 * holds. The steps carry the numbers of spawn.c; the order is:
 *
 *	C1 descriptors	the guest's three, everything else close-on-exec
 *	C2 root		empty, or of a zygote the lid over it; needs the namespace's
 *			powers, not the ids: runs while the supervisor still writes the maps
 *	C3 loopback	only if asked
 *	C4 go		block until the ids are mapped; end of file: the supervisor is gone
 *	C5 credentials	groups, gid, uid; this clears a parent-death signal, so that is set
 *			after it
 *	C6 capabilities
 *	C7 lifeline	not dumpable, then die with the supervisor, then look whether it
 *			died before that was set
 *	C8 rlimits	after the look, because poll(2) is refused with no file allowed
 *	C9 filters	the last walls, then execveat
 *
 * The parent-death signal fires when the *thread* that cloned ends; getppid() is 0 in a
 * new pid namespace and proves nothing. A pidfd of the supervisor, opened by itself,
 * does: it polls readable once that process is dead, whoever else holds our pipes.
 */
#include <errno.h>
#include <fcntl.h>
#include <linux/close_range.h>
#include <linux/seccomp.h>
#include <poll.h>
#include <sched.h>
#include <signal.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "base/own.h"
#include "jail/internal.h"

/* Exit status of a child whose set-up failed. Nobody decides by it: the report does. */
#define SETUP_FAILED 127

static int set_descriptors(const struct child_plan *plan, struct jail_error *err)
{
	/* Our copy of the write end, if we have one, would keep the go pipe from ever
	 * ending. */
	close_fd(plan->go_write);
	for (int fd = 0; fd < 3; fd++)
		if (dup2(plan->std_fd[fd], fd) < 0)
			return jail_fail(err, JAIL_STAGE_FDS, errno, "make descriptor %d",
					 fd);
	if (plan->notify_socket >= 0 && dup2(plan->notify_socket, plan->notify_fd) < 0)
		return jail_fail(err, JAIL_STAGE_FDS, errno, "make descriptor %d",
				 plan->notify_fd);
	if (syscall(SYS_close_range, 3, ~0u, CLOSE_RANGE_CLOEXEC) < 0)
		return jail_fail(err, JAIL_STAGE_FDS, errno, "close_range");
	return 0;
}

/* All zero, as the kernel lays it out: default action, no flags, nothing blocked. libc's
 * wrapper refuses the signals that it keeps for itself. */
static int reset_disposition(int sig)
{
	static const unsigned long fresh[4];

	return (int)syscall(SYS_rt_sigaction, sig, fresh, NULL, sizeof(fresh[0]));
}

int child_reset_dispositions(struct jail_error *err)
{
	for (int sig = 1; sig < NSIG; sig++)
		if (sig != SIGKILL && sig != SIGSTOP && reset_disposition(sig) < 0)
			return jail_fail(err, JAIL_STAGE_FDS, errno, "reset signal %d",
					 sig);
	return 0;
}

/* Dispositions and mask survive exec: the guest gets none of the caller's. */
static int reset_signals(const struct child_plan *plan, struct jail_error *err)
{
	sigset_t none;
	int r = plan->of_zygote ? 0 : child_reset_dispositions(err);

	if (r < 0)
		return r;
	sigemptyset(&none);
	if (sigprocmask(SIG_SETMASK, &none, NULL) < 0)
		return jail_fail(err, JAIL_STAGE_FDS, errno, "reset signals");
	/* No controlling terminal, no signals typed at it. A session costs a group of the
	 * scheduler's: the zygote has one for all its children. */
	if (plan->of_zygote ? setpgid(0, 0) < 0 : setsid() < 0)
		return jail_fail(err, JAIL_STAGE_FDS, errno, "leave the session");
	return 0;
}

static int wait_for_go(const struct child_plan *plan, struct jail_error *err)
{
	char byte;
	ssize_t n;

	do
		n = read(plan->go_read, &byte, 1);
	while (n < 0 && errno == EINTR);
	if (n == 1)
		return 0;
	return jail_fail(err, JAIL_STAGE_GO, n < 0 ? errno : EPIPE,
			 "the supervisor is gone");
}

/* System calls, not libc's wrappers: those would signal every thread they believe in. */
static int set_credentials(const struct idmap *map, struct jail_error *err)
{
	long id = map->inside;

	if (map->root_mode && syscall(SYS_setgroups, 0, NULL) < 0)
		return jail_fail(err, JAIL_STAGE_CREDENTIALS, errno, "drop all groups");
	if (syscall(SYS_setresgid, id, id, id) < 0)
		return jail_fail(err, JAIL_STAGE_CREDENTIALS, errno, "become gid %ld",
				 id);
	if (syscall(SYS_setresuid, id, id, id) < 0)
		return jail_fail(err, JAIL_STAGE_CREDENTIALS, errno, "become uid %ld",
				 id);
	return 0;
}

static int set_lifeline(const struct child_plan *plan, struct jail_error *err)
{
	struct pollfd supervisor = {.fd = plan->supervisor_fd, .events = POLLIN};

	if (prctl(PR_SET_DUMPABLE, 0, 0, 0, 0) < 0)
		return jail_fail(err, JAIL_STAGE_LIFELINE, errno, "become undumpable");
	if (prctl(PR_SET_PDEATHSIG, SIGKILL, 0, 0, 0) < 0)
		return jail_fail(err, JAIL_STAGE_LIFELINE, errno,
				 "bind to the supervisor");
	int n = poll(&supervisor, 1, 0);
	if (n < 0)
		return jail_fail(err, JAIL_STAGE_LIFELINE, errno,
				 "look at the supervisor");
	if (n > 0)
		return jail_fail(err, JAIL_STAGE_LIFELINE, EPIPE,
				 "the supervisor is gone");
	return 0;
}

/* Never above the caller's own hard limit: without CAP_SYS_RESOURCE outside, nobody may
 * raise that, and lower is what we want anyway. */
static int limit(int resource, rlim_t value, const char *name, struct jail_error *err)
{
	struct rlimit both;

	if (prlimit(0, resource, NULL, &both) == 0 && value > both.rlim_max)
		value = both.rlim_max;
	both.rlim_cur = both.rlim_max = value;
	if (prlimit(0, resource, &both, NULL) < 0)
		return jail_fail(err, JAIL_STAGE_RLIMITS, errno, "set %s to %llu", name,
				 (unsigned long long)value);
	return 0;
}

/* The one limit that must not be lower: deep recursion would overflow what we counted on.
 */
static int limit_stack(rlim_t bytes, struct jail_error *err)
{
	struct rlimit have;

	if (getrlimit(RLIMIT_STACK, &have) == 0 && bytes > have.rlim_max)
		return jail_fail(err, JAIL_STAGE_RLIMITS, EPERM,
				 "a stack of %llu bytes: the caller's hard limit is %llu",
				 (unsigned long long)bytes,
				 (unsigned long long)have.rlim_max);
	return limit(RLIMIT_STACK, bytes, "RLIMIT_STACK", err);
}

static int set_rlimits(const struct child_plan *plan, struct jail_error *err)
{
	static const struct {
		int resource;
		rlim_t value;
		const char *name;
	} fixed[] = {
		/* 1, not 0: a piped core_pattern runs with 0, but not with 1. */
		{RLIMIT_CORE, 1, "RLIMIT_CORE"},
		{RLIMIT_FSIZE, 0, "RLIMIT_FSIZE"},
		{RLIMIT_MEMLOCK, 0, "RLIMIT_MEMLOCK"},
		{RLIMIT_MSGQUEUE, 0, "RLIMIT_MSGQUEUE"},
		{RLIMIT_NICE, 0, "RLIMIT_NICE"},
		{RLIMIT_RTPRIO, 0, "RLIMIT_RTPRIO"},
	};
	int r = 0;

	for (size_t i = 0; r == 0 && i < ARRAY_LEN(fixed); i++)
		r = limit(fixed[i].resource, fixed[i].value, fixed[i].name, err);
	if (r == 0 && plan->limits.stack_bytes)
		r = limit_stack(plan->limits.stack_bytes, err);
	if (r == 0 && plan->limits.cpu_seconds)
		r = limit(RLIMIT_CPU, plan->limits.cpu_seconds, "RLIMIT_CPU", err);
	/* RLIMIT_DATA counts private memory for as long as it can be written. */
	if (r == 0 && plan->rlimit_data)
		r = limit(RLIMIT_DATA, plan->limits.memory_bytes, "RLIMIT_DATA", err);
	if (r == 0 && plan->rlimit_data && plan->limits.address_bytes)
		r = limit(RLIMIT_AS, plan->limits.address_bytes, "RLIMIT_AS", err);
	if (r == 0 && plan->rlimit_tasks)
		r = child_limit_tasks(plan->limits.processes, err);
	return r;
}

static int set_filter(const struct sock_fprog *filter, struct jail_error *err)
{
	if (filter->len == 0)
		return 0;
	if (syscall(SYS_seccomp, SECCOMP_SET_MODE_FILTER, 0, filter) < 0)
		return jail_fail(err, JAIL_STAGE_FILTER, errno,
				 "load the seccomp filter");
	return 0;
}

/* With no file allowed the kernel makes no listener, nor would it let one travel; so that
 * limit comes between the filters. Never none: a filter that tells, or the other one. */
static int set_last_wall(const struct child_plan *plan, struct jail_error *err)
{
	bool on = false;
	int r = set_filter(&plan->first_filter, err);

	if (r == 0)
		r = child_notify(plan, &on, err);
	if (r == 0)
		r = limit(RLIMIT_NOFILE, plan->limits.open_files, "RLIMIT_NOFILE", err);
	if (r == 0 && !on)
		r = set_filter(&plan->filter, err);
	return r;
}

/* Smaller than PIPE_BUF: whole or not at all. */
static bool report(const struct child_plan *plan, const struct jail_error *err)
{
	return write(plan->status_write, err, sizeof(*err)) == (ssize_t)sizeof(*err);
}

/* A real-time guest on our processor would keep us from the clock that is to end it, and
 * a favoured one would take from others: from here it is a task like any other. */
static int reset_scheduling(struct jail_error *err)
{
	const struct sched_param plain = {.sched_priority = 0};
	/* System calls: musl refuses these two on principle. */
	long policy = syscall(SYS_sched_getscheduler, 0);

	if (policy != SCHED_OTHER && policy != SCHED_BATCH && policy != SCHED_IDLE &&
	    syscall(SYS_sched_setscheduler, 0, SCHED_OTHER, &plain) < 0)
		return jail_fail(err, JAIL_STAGE_RLIMITS, errno,
				 "leave the real-time scheduling class");
	if (getpriority(PRIO_PROCESS, 0) < 0 && setpriority(PRIO_PROCESS, 0, 0) < 0)
		return jail_fail(err, JAIL_STAGE_RLIMITS, errno, "reset the nice value");
	return 0;
}

static int set_up(const struct child_plan *plan, struct jail_error *err)
{
	int r = set_descriptors(plan, err); /* C1 */

	if (r == 0)
		r = reset_signals(plan, err);
	if (r == 0)
		r = reset_scheduling(err);
	if (r == 0)
		r = plan->rooted ? root_cover(err) : child_empty_root(err); /* C2 */
	if (r == 0 && plan->loopback)
		r = child_loopback_up(err); /* C3 */
	if (r == 0)
		r = wait_for_go(plan, err); /* C4 */
	if (r == 0)
		r = set_credentials(&plan->map, err); /* C5 */
	if (r == 0)
		r = child_drop_capabilities(err); /* C6 */
	if (r == 0)
		r = set_lifeline(plan, err); /* C7 */
	if (r == 0)
		r = set_rlimits(plan, err); /* C8 */
	return r;
}

_Noreturn void child_main(const struct child_plan *plan)
{
	struct jail_error err = {.stage = JAIL_STAGE_NONE};
	char *const environment[] = {NULL};

	if (set_up(plan, &err) == 0) {
		/* Told before the filter, which may not let us: what follows is the
		 * guest, unless a second report says that it never began. Untold it
		 * would be taken for a child that was killed, so then it does not begin.
		 */
		err.stage = JAIL_STAGE_RUN;
		if (!report(plan, &err))
			_exit(SETUP_FAILED);
		if (set_last_wall(plan, &err) == 0) { /* C9 */
			syscall(SYS_execveat, plan->exe_fd, "", plan->argv, environment,
				AT_EMPTY_PATH);
			jail_fail(&err, JAIL_STAGE_EXEC, errno, "execute '%s'",
				  plan->exe_name);
		}
	}
	/* Nobody listens: nothing to be done. */
	(void)report(plan, &err);
	_exit(SETUP_FAILED);
}
