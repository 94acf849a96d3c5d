/* SPDX-License-Identifier: MIT */
/*
 * Ways from one run to another: two jails at once, and one after another with the same
 * host uid. In the first something is left, in the second it is looked for, with no
 * filter in either and as uid 0 of their namespaces. Each way is also gone within one
 * jail, by two processes: what is found there and nowhere else was kept apart by the
 * jail, not by a mistake of the test.
 *
 * Where the name of a test ends in "ok" between two jails, namespaces do not close that
 * way: then the filters do, which the next line shows.
 */
#include <errno.h>
#include <linux/keyctl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include "base/own.h"
#include "tests/escape/attacks.h"
#include "tests/escape/channels.h"

/* As in struct attack, alternatives are separated by spaces. */
struct way {
	const char *what, *channel;
	const char *left;    /* what came of leaving it: "ok", or why it cannot be left */
	const char *within;  /* what another process in the same jail finds */
	const char *at_once; /* what another jail finds */
	const char *after;   /* what another jail finds when the first is gone */
	const char *filtered; /* what it meets under the filter of `quod exec` */
	unsigned flags;	      /* of the jails' specifications */
};

/* clang-format off */
static const struct way ways[] = {
	{"user keyring", "user-keyring", "ok", "ok", "ENOKEY", "ENOKEY", "SIGSYS", 0},
	{"user session keyring", "user-session-keyring", "ok", "ok", "ENOKEY", "ENOKEY", "SIGSYS", 0},
	{"process keyring", "process-keyring", "ok", "ENOKEY", "ENOKEY", "ENOKEY", "SIGSYS", 0},
	{"persistent keyring", "persistent-keyring", "ok EOPNOTSUPP", "ok EOPNOTSUPP",
		"ENOKEY EOPNOTSUPP", "ENOKEY EOPNOTSUPP", "SIGSYS", 0},
	{"session keyring of the caller", "session-keyring", "ok", "ok", "ok", "ok", "SIGSYS", 0},
	{"request_key", "request-key", "ok", "ok", "ok", "ok", "SIGSYS", 0},
	{"key that is open to all, by its number", "key-number", "ok", "ok", "ok", "ENOKEY", "SIGSYS", 0},
	{"System V memory, by key", "shm-key", "ok", "ok", "ENOENT", "ENOENT", "SIGSYS", 0},
	{"System V memory, by id", "shm-id", "ok", "ok", "EINVAL", "EINVAL", "SIGSYS", 0},
	{"System V semaphore", "sem-key", "ok", "ok", "ENOENT", "ENOENT", "SIGSYS", 0},
	{"System V messages", "msg-key", "ok", "ok", "ENOENT", "ENOENT", "SIGSYS", 0},
	{"POSIX message queue", "mq", "EMFILE", "ENOENT", "ENOENT", "ENOENT", "SIGSYS", 0},
	{"file in /dev/shm", "dev-shm", "ENOENT", "ENOENT", "ENOENT", "ENOENT", "ENOSYS", 0},
	{"file in the root", "file-in-root", "EROFS", "ENOENT", "ENOENT", "ENOENT", "ENOSYS", 0},
	{"file of a cgroup", "cgroup-file", "EROFS", "ENOENT", "ENOENT", "ENOENT", "ENOSYS", 0},
	{"lock on the root", "flock", "ok", "ok", "ENODATA", "ENODATA", "ENOSYS", 0},
	{"lock on bytes of the root", "ofd-lock", "ok", "ok", "ENODATA", "ENODATA", "ENOSYS", 0},
	{"host name", "host-name", "EPERM", "ENODATA", "ENODATA", "ENODATA", "ENOSYS", 0},
	{"memfd through /proc", "memfd", "ok", "ENOENT", "ENOENT", "ENOENT", "ENOSYS", 0},
	{"abstract socket", "abstract-socket", "ok", "ok", "ECONNREFUSED", "ECONNREFUSED", "SIGSYS", 0},
	{"named socket", "named-socket", "EROFS", "ENOENT", "ENOENT", "ENOENT", "SIGSYS", 0},
	{"loopback, down", "loopback", "EADDRNOTAVAIL ok", "ENETUNREACH", "ENETUNREACH",
		"ENETUNREACH", "SIGSYS", 0},
	{"loopback, up", "loopback", "ok", "ok", "ECONNREFUSED", "ECONNREFUSED", "SIGSYS",
		JAIL_LOOPBACK_UP},
	{"vsock", "vsock", "ok EAFNOSUPPORT", "ok EAFNOSUPPORT", "ok EAFNOSUPPORT",
		"ENODATA EAFNOSUPPORT", "SIGSYS", 0},
	{"netlink", "netlink", "ok", "ok", "ECONNREFUSED", "ECONNREFUSED", "SIGSYS", 0},
	{"size of a pipe", "pipe-size", "ok", "ok", "ENODATA", "ENODATA", "ENOSYS", 0},
	{"futex on the program's pages", "program-futex", "ok", "ok", "ok", "ENODATA", "ENOSYS", 0},
	{"inotify on the root", "inotify", "ok", "ok", "ENODATA", "ENODATA", "ENOSYS", 0},
};

/* By the number of the other process, which each can guess; within a jail all work. */
static const struct {
	const char *what, *channel, *at_once, *filtered;
} by_number[] = {
	{"kill", "kill", "ESRCH", "ENOSYS"},
	{"kill of all", "kill-all", "ESRCH", "ENOSYS"},
	{"kill of every number", "any-number", "ESRCH", "ENOSYS"},
	{"tgkill", "tgkill", "ESRCH", "ESRCH"},
	{"rt_sigqueueinfo", "sigqueue", "ESRCH", "ENOSYS"},
	{"pidfd_open", "pidfd", "ESRCH", "SIGSYS"},
	{"pidfd_getfd", "pidfd-getfd", "ESRCH", "SIGSYS"},
	{"ptrace", "ptrace", "ESRCH", "SIGSYS"},
	{"process_vm_readv", "memory", "ESRCH", "SIGSYS"},
	{"kcmp", "kcmp", "ESRCH", "SIGSYS"},
	{"prlimit64", "prlimit", "ESRCH", "ESRCH"},
	{"sched_getaffinity", "getaffinity", "ESRCH", "ENOSYS"},
	{"sched_setaffinity", "setaffinity", "ESRCH", "ENOSYS"},
	{"sched_getparam", "getparam", "ESRCH", "ENOSYS"},
	{"sched_getscheduler", "getscheduler", "ESRCH", "ENOSYS"},
	{"getpriority", "getpriority", "ESRCH", "ENOSYS"},
	{"ioprio_get", "ioprio", "ESRCH", "ENOSYS"},
	{"getpgid", "getpgid", "ESRCH", "ENOSYS"},
	{"getsid", "getsid", "ESRCH", "ENOSYS"},
	{"get_robust_list", "robust-list", "ESRCH", "ENOSYS"},
	{"CPU clock of a process", "cpu-clock", "EINVAL", "EINVAL"},
	{"perf_event_open", "perf", "ESRCH", "SIGSYS"},
	{"move_pages", "move-pages", "ESRCH", "SIGSYS"},
};

/* Things that are the whole machine's, in every namespace: the filters are the only wall. */
static const struct attack machine_wide[] = {
	{"equal pages merged by the kernel", "offer-pages", "", "ok EINVAL", "ENOSYS", NULL},
	{"the program's pages thrown out", "drop-pages", "", "ok EINVAL", "ENOSYS", NULL},
	{"which of those are in memory", "ask-page-cache", "", "ok", "ENOSYS", NULL},
	{"the host's load and memory", "read-host-load", "", "ok", "ENOSYS", NULL},
	{"the host's name and kernel", "read-host-name", "", "ok", "ENOSYS", NULL},
};
/* clang-format on */

/* Two jails at once have two uids where we may lease, one after another the same one. */
struct jail_spec channel_spec(const char *what, const char *arg)
{
	struct jail_spec spec = bare_spec(what, arg);

	spec.uid_first = 1900001000;
	spec.uid_count = 2;
	return spec;
}

static void judge(const struct way *way, const char *where, const char *wanted,
		  const struct outcome *outcome, const char *line)
{
	const char *got = attempt_outcome(outcome, line);
	bool right = is_among(wanted, got);

	if (!check(right, "channel: %s, %s: %s", way->what, where, right ? got : wanted))
		note("it was %s: %s%s", got, outcome->out, outcome->err.text);
}

static struct outcome run_way(const struct way *way, const char *role, long token,
			      long handle, void (*put_filter)(struct jail_spec *))
{
	char arg[128];

	snprintf(arg, sizeof(arg), "%s:%ld:%ld", way->channel, token, handle);
	struct jail_spec spec = channel_spec(role, arg);
	spec.flags |= way->flags;
	if (put_filter)
		put_filter(&spec);
	return run_spec(&spec);
}

static void within_one(const struct way *way, long token)
{
	struct outcome outcome = run_way(way, "within", token, 0, NULL);

	judge(way, "left in a jail", way->left, &outcome, "leave");
	judge(way, "sought in the same jail", way->within, &outcome, "find");
}

static void under_filters(const struct way *way, long token, long handle)
{
	struct outcome outcome = run_way(way, "find", token, handle, put_exec_filter);

	judge(way, "two jails at once, exec filter", way->filtered, &outcome, "find");
	if (!is_among("SIGSYS ENOSYS", way->filtered))
		return;
	outcome = run_way(way, "find", token, handle, put_js_filter);
	judge(way, "two jails at once, js filter", "SIGSYS", &outcome, "find");
}

/* Some things of the dead the kernel takes away a little later: until it is as it has to
 * be, or will not be. */
static struct outcome find_settled(const struct way *way, long token, long handle)
{
	struct outcome outcome = run_way(way, "find", token, handle, NULL);

	for (int i = 0;
	     i < 100 && !is_among(way->after, attempt_outcome(&outcome, "find")); i++) {
		nanosleep(&(struct timespec){.tv_nsec = 50000000}, NULL);
		outcome = run_way(way, "find", token, handle, NULL);
	}
	return outcome;
}

static void between_two(const struct way *way, long token, bool by_pid)
{
	char arg[128], said[512];

	snprintf(arg, sizeof(arg), "%s:%ld:0", way->channel, token);
	struct jail_spec spec = channel_spec("leave", arg);
	spec.flags |= way->flags;
	struct jail *jail = start_telling(&spec, said, sizeof(said));
	if (!jail)
		return;
	const char *at = strstr(said, "handle=");
	long handle = by_pid ? jail_pid(jail) : at ? strtol(at + 7, NULL, 10) : 0;
	/* The filters first: what is found may be used up by it. */
	under_filters(way, token, handle);
	struct outcome outcome = run_way(way, "find", token, handle, NULL);
	judge(way, "two jails at once", way->at_once, &outcome, "find");
	jail_free(jail);
	outcome = find_settled(way, token, handle);
	judge(way, "one after another", way->after, &outcome, "find");
}

static void try_ways(void)
{
	long token = 100000 + getpid() % 100000 * 100;

	for (size_t i = 0; i < ARRAY_LEN(ways); i++) {
		within_one(&ways[i], token++);
		between_two(&ways[i], token++, false);
	}
	for (size_t i = 0; i < ARRAY_LEN(by_number); i++) {
		const struct way way = {by_number[i].what,
					by_number[i].channel,
					"ok",
					"ok",
					by_number[i].at_once,
					by_number[i].at_once,
					by_number[i].filtered,
					0};
		within_one(&way, token++);
		between_two(&way, token++, true);
	}
}

int main(void)
{
	/* One that is ours alone: the jails inherit it, and others' stay clean. */
	check(syscall(SYS_keyctl, KEYCTL_JOIN_SESSION_KEYRING, NULL) >= 0 ||
		      errno == ENOSYS,
	      "channel: the caller has a session keyring");
	channel_namespaces();
	try_ways();
	attacks_try("channel", machine_wide, ARRAY_LEN(machine_wide));
	channel_same_uid();
	channel_attributes();
	channel_counts();
	return tap_end();
}
