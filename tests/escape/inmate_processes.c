/* SPDX-License-Identifier: MIT */
/*
 * The other process, by its number. Each call takes a pid and would do something to the
 * process or tell something of it.
 */
#include <errno.h>
#include <linux/kcmp.h>
#include <linux/perf_event.h>
#include <sched.h>
#include <signal.h>
#include <stdint.h>
#include <string.h>
#include <sys/ptrace.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <time.h>
#include <unistd.h>

#include "tests/escape/inmate.h"

/* Higher than any pid that a host gives early; all of them are tried. */
#define PIDS_MOST 70000

static long live(const struct mark *mark)
{
	(void)mark;
	return getpid();
}

#define BY_NUMBER(name, expression)               \
	static long name(const struct mark *mark) \
	{                                         \
		pid_t pid = (pid_t)mark->handle;  \
		return (long)(expression);        \
	}

static struct rlimit room_limit;
static struct sched_param room_param;
static cpu_set_t room_cpus;

BY_NUMBER(by_kill, kill(pid, 0))
BY_NUMBER(by_tgkill, syscall(SYS_tgkill, pid, pid, 0))
BY_NUMBER(by_pidfd, syscall(SYS_pidfd_open, pid, 0))
BY_NUMBER(by_ptrace, ptrace(PTRACE_SEIZE, pid, NULL, NULL))
BY_NUMBER(by_kcmp, syscall(SYS_kcmp, getpid(), pid, KCMP_VM, 0, 0))
BY_NUMBER(by_prlimit, syscall(SYS_prlimit64, pid, RLIMIT_CPU, NULL, &room_limit))
BY_NUMBER(by_getaffinity, sched_getaffinity(pid, sizeof(room_cpus), &room_cpus))
BY_NUMBER(by_getparam, syscall(SYS_sched_getparam, pid, &room_param))
BY_NUMBER(by_getscheduler, syscall(SYS_sched_getscheduler, pid))
BY_NUMBER(by_getpriority, syscall(SYS_getpriority, PRIO_PROCESS, pid))
BY_NUMBER(by_ioprio, syscall(SYS_ioprio_get, 1, pid))
BY_NUMBER(by_getpgid, getpgid(pid))
BY_NUMBER(by_getsid, getsid(pid))
BY_NUMBER(by_move_pages, syscall(SYS_move_pages, pid, 0, NULL, NULL, NULL, 0))

static long by_setaffinity(const struct mark *mark)
{
	CPU_ZERO(&room_cpus);
	CPU_SET(0, &room_cpus);
	return sched_setaffinity((pid_t)mark->handle, sizeof(room_cpus), &room_cpus);
}

static long by_queue(const struct mark *mark)
{
	siginfo_t info;

	memset(&info, 0, sizeof(info));
	info.si_code = SI_QUEUE;
	return syscall(SYS_rt_sigqueueinfo, (pid_t)mark->handle, SIGURG, &info);
}

static long by_memory(const struct mark *mark)
{
	char to[8];
	struct iovec local = {to, sizeof(to)},
		     remote = {(void *)(uintptr_t) "sibling", sizeof(to)};

	return process_vm_readv((pid_t)mark->handle, &local, 1, &remote, 1, 0);
}

static long by_robust_list(const struct mark *mark)
{
	void *head;
	size_t len;

	return syscall(SYS_get_robust_list, (pid_t)mark->handle, &head, &len);
}

static long by_cpu_clock(const struct mark *mark)
{
	struct timespec used;
	clockid_t clock = (clockid_t)((~(unsigned)mark->handle << 3) | 2u);

	return clock_gettime(clock, &used);
}

static long by_perf(const struct mark *mark)
{
	struct perf_event_attr attr = {.type = PERF_TYPE_SOFTWARE,
				       .size = sizeof(attr),
				       .config = PERF_COUNT_SW_TASK_CLOCK,
				       .exclude_kernel = 1,
				       .exclude_hv = 1};

	return syscall(SYS_perf_event_open, &attr, (pid_t)mark->handle, -1, -1, 0);
}

static long by_pidfd_getfd(const struct mark *mark)
{
	long fd = syscall(SYS_pidfd_open, (pid_t)mark->handle, 0);

	return fd < 0 ? fd : syscall(SYS_pidfd_getfd, fd, 1, 0);
}

/* Not us and not a thread of ours: anybody at all. */
static long by_any_number(const struct mark *mark)
{
	(void)mark;
	for (pid_t pid = 2; pid < PIDS_MOST; pid++)
		if (pid != getpid() && kill(pid, 0) == 0)
			return pid;
	return -1;
}

/* Everybody that we may signal, except ourselves. */
static long by_all(const struct mark *mark)
{
	(void)mark;
	return kill(-1, 0);
}

/* All processes of our uid, which may be that of other jails: what they have after it is
 * looked at from outside. */
static long by_uid(const struct mark *mark)
{
	(void)mark;
	if (setpriority(PRIO_USER, 0, 7) < 0)
		return -1;
	return syscall(SYS_ioprio_set, 3, 0, 3 << 13);
}

const struct channel process_channels[] = {
	{"kill", live, by_kill, NULL},
	{"kill-all", live, by_all, NULL},
	{"any-number", live, by_any_number, NULL},
	{"tgkill", live, by_tgkill, NULL},
	{"sigqueue", live, by_queue, NULL},
	{"pidfd", live, by_pidfd, NULL},
	{"pidfd-getfd", live, by_pidfd_getfd, NULL},
	{"ptrace", live, by_ptrace, NULL},
	{"memory", live, by_memory, NULL},
	{"kcmp", live, by_kcmp, NULL},
	{"prlimit", live, by_prlimit, NULL},
	{"getaffinity", live, by_getaffinity, NULL},
	{"setaffinity", live, by_setaffinity, NULL},
	{"getparam", live, by_getparam, NULL},
	{"getscheduler", live, by_getscheduler, NULL},
	{"getpriority", live, by_getpriority, NULL},
	{"ioprio", live, by_ioprio, NULL},
	{"getpgid", live, by_getpgid, NULL},
	{"getsid", live, by_getsid, NULL},
	{"robust-list", live, by_robust_list, NULL},
	{"cpu-clock", live, by_cpu_clock, NULL},
	{"perf", live, by_perf, NULL},
	{"move-pages", live, by_move_pages, NULL},
	{"same-uid", live, by_uid, NULL},
	{NULL, NULL, NULL, NULL},
};
