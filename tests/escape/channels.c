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
#include <stdint.h>
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
	{"io_uring through /proc", "io-uring", "ok ENOMEM EPERM ENOSYS", "ENOENT", "ENOENT", "ENOENT",
		"ENOSYS", 0},
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
	{"fanotify on the root", "fanotify", "ok", "ok EPERM", "ENODATA EPERM", "ENODATA EPERM",
		"SIGSYS", 0},
};

/* By the number of the other process, which each can guess; within a jail most work. */
static const struct {
	const char *what, *channel, *within, *at_once, *filtered;
} by_number[] = {
	{"kill", "kill", "ok", "ESRCH", "ENOSYS"},
	{"kill of all", "kill-all", "ok", "ESRCH", "ENOSYS"},
	{"kill of every number", "any-number", "ok", "ESRCH", "ENOSYS"},
	{"tgkill", "tgkill", "ok", "ESRCH", "ESRCH"},
	{"rt_sigqueueinfo", "sigqueue", "ok", "ESRCH", "ENOSYS"},
	{"pidfd_open", "pidfd", "ok", "ESRCH", "SIGSYS"},
	{"pidfd_getfd", "pidfd-getfd", "ok", "ESRCH", "SIGSYS"},
	{"ptrace", "ptrace", "ok", "ESRCH", "SIGSYS"},
	{"process_vm_readv", "memory", "ok", "ESRCH", "SIGSYS"},
	{"kcmp", "kcmp", "ok", "ESRCH", "SIGSYS"},
	{"prlimit64", "prlimit", "ok", "ESRCH", "ESRCH"},
	{"sched_getaffinity", "getaffinity", "ok", "ESRCH", "ENOSYS"},
	{"sched_setaffinity", "setaffinity", "ok", "ESRCH", "ENOSYS"},
	{"sched_getparam", "getparam", "ok", "ESRCH", "ENOSYS"},
	{"sched_getscheduler", "getscheduler", "ok", "ESRCH", "ENOSYS"},
	{"getpriority", "getpriority", "ok", "ESRCH", "ENOSYS"},
	{"ioprio_get", "ioprio", "ok", "ESRCH", "ENOSYS"},
	{"getpgid", "getpgid", "ok", "ESRCH", "ENOSYS"},
	{"getsid", "getsid", "ok", "ESRCH", "ENOSYS"},
	{"get_robust_list", "robust-list", "ok", "ESRCH", "ENOSYS"},
	{"CPU clock of a process", "cpu-clock", "ok", "EINVAL", "EINVAL"},
	{"perf_event_open", "perf", "ok EACCES", "ESRCH EACCES", "SIGSYS"},
	{"move_pages", "move-pages", "ok", "ESRCH", "SIGSYS"},
};
/* clang-format on */

static struct way way_by_number(size_t i)
{
	return (struct way){by_number[i].what,
			    by_number[i].channel,
			    "ok",
			    by_number[i].within,
			    by_number[i].at_once,
			    by_number[i].at_once,
			    by_number[i].filtered,
			    0};
}

/* clang-format off */
/* Things that are the whole machine's, in every namespace: the filters are the only wall. */
static const struct attack machine_wide[] = {
	{"equal pages merged by the kernel", "offer-pages", "", "ok EINVAL", "ENOSYS", NULL},
	{"the program's pages thrown out", "drop-pages", "", "ok EINVAL", "ENOSYS", NULL},
	{"which of those are in memory", "ask-page-cache", "", "ok", "ENOSYS", NULL},
	{"the host's load and memory", "read-host-load", "", "ok", "ENOSYS", NULL},
	{"the host's name and kernel", "read-host-name", "", "ok", "ENOSYS", NULL},
};
/* clang-format on */

/* Pairs that are tried beside each other: a jail waits for the kernel most of its time.
 */
#define GROUP 8

/* Where we may lease uids: that of the first jail, and of the one that comes after it, is
 * one; those of all others are others. None are those of this test elsewhere. */
#define OTHER_UIDS 64u

static uint32_t first_uid(void)
{
	return 1900001000u + (uint32_t)getpid() % 100000u * (GROUP + OTHER_UIDS);
}

struct jail_spec channel_spec(const char *what, const char *arg)
{
	struct jail_spec spec = bare_spec(what, arg);

	spec.uid_first = first_uid() + GROUP;
	spec.uid_count = OTHER_UIDS;
	return spec;
}

/* Between the tokens of a pair. */
#define APART 500

/* A way, the jail in which something is left, and those in which it is sought. */
struct pair {
	struct way way;
	bool by_pid;
	uint32_t uid;
	long token, handle;
	struct started left, within, exec, js, other;
};

enum role { LEAVES, WITHIN, FINDS, FINDS_AFTER };

static struct started begin(const struct pair *pair, enum role role,
			    void (*put_filter)(struct jail_spec *))
{
	static const char *const names[] = {"leave", "within", "find", "find"};
	char arg[128];

	/* What is left and found within one jail is another thing than between two: some
	 * ways lead there from everywhere. */
	snprintf(arg, sizeof(arg), "%s:%ld:%ld", pair->way.channel,
		 pair->token + (role == WITHIN ? APART : 0), pair->handle);
	struct jail_spec spec = channel_spec(names[role], arg);
	spec.flags |= pair->way.flags;
	if (role == LEAVES || role == FINDS_AFTER) {
		spec.uid_first = pair->uid;
		spec.uid_count = 1;
	}
	if (put_filter)
		put_filter(&spec);
	return begin_spec(&spec);
}

static void judge_outcome(const struct pair *pair, const char *where, const char *wanted,
			  const struct outcome *outcome, const char *line)
{
	const char *got = attempt_outcome(outcome, line);
	bool right = is_among(wanted, got);

	if (!check(right, "channel: %s, %s: %s", pair->way.what, where,
		   right ? got : wanted))
		note("it was %s: %s%s", got, outcome->out, outcome->err.text);
}

static void judge(const struct pair *pair, const char *where, const char *wanted,
		  struct started *started)
{
	struct outcome outcome = finish_spec(started);

	judge_outcome(pair, where, wanted, &outcome, "find");
}

static bool is_filtered(const struct pair *pair)
{
	return is_among("SIGSYS ENOSYS", pair->way.filtered);
}

static void begin_first(struct pair *pair)
{
	char said[512];

	pair->left = begin(pair, LEAVES, NULL);
	pair->within = begin(pair, WITHIN, NULL);
	if (pair->left.r < 0 || !await_ready(pair->left.jail, said, sizeof(said))) {
		check(false, "channel: %s: %s", pair->way.what, pair->left.err.text);
		return;
	}
	const char *at = strstr(said, "handle=");
	pair->handle = pair->by_pid ? jail_pid(pair->left.jail)
		       : at	    ? strtol(at + 7, NULL, 10)
				    : 0;
	pair->exec = begin(pair, FINDS, put_exec_filter);
	if (is_filtered(pair))
		pair->js = begin(pair, FINDS, put_js_filter);
}

/* The filters come first: what is found may be used up by it. */
static void judge_first(struct pair *pair)
{
	struct outcome outcome = finish_spec(&pair->within);

	judge_outcome(pair, "left in a jail", pair->way.left, &outcome, "leave");
	judge_outcome(pair, "sought in the same jail", pair->way.within, &outcome,
		      "find");
	judge(pair, "two jails at once, exec filter", pair->way.filtered, &pair->exec);
	if (is_filtered(pair))
		judge(pair, "two jails at once, js filter", "SIGSYS", &pair->js);
	pair->other = begin(pair, FINDS, NULL);
}

static void judge_at_once(struct pair *pair)
{
	judge(pair, "two jails at once", pair->way.at_once, &pair->other);
	jail_free(pair->left.jail);
	pair->other = begin(pair, FINDS_AFTER, NULL);
}

/* The uid of the one before is not free until no jail that is being set up beside holds a
 * copy of its lease. And what is found while the first jail lives, and not after it, the
 * kernel may take away a little later. */
static bool may_change(const struct pair *pair, const struct outcome *outcome)
{
	return outcome->r == -EAGAIN || strcmp(pair->way.at_once, pair->way.after) != 0;
}

static void judge_after(struct pair *pair)
{
	struct outcome outcome = finish_spec(&pair->other);

	for (int looks = 0; looks < 100 && may_change(pair, &outcome) &&
			    !is_among(pair->way.after, attempt_outcome(&outcome, "find"));
	     looks++) {
		nanosleep(&(struct timespec){.tv_nsec = 50000000}, NULL);
		pair->other = begin(pair, FINDS_AFTER, NULL);
		outcome = finish_spec(&pair->other);
	}
	judge_outcome(pair, "one after another", pair->way.after, &outcome, "find");
}

static void try_group(struct pair *pairs, size_t count)
{
	static void (*const steps[])(struct pair *) = {begin_first, judge_first,
						       judge_at_once, judge_after};

	for (size_t s = 0; s < ARRAY_LEN(steps); s++)
		for (size_t i = 0; i < count; i++)
			steps[s](&pairs[i]);
}

static void try_ways(void)
{
	static struct pair pairs[ARRAY_LEN(ways) + ARRAY_LEN(by_number)];
	long token = 100000 + getpid() % 100000 * 100;

	for (size_t i = 0; i < ARRAY_LEN(pairs); i++) {
		struct pair *pair = &pairs[i];
		pair->uid = first_uid() + (uint32_t)(i % GROUP);
		pair->token = token++;
		pair->by_pid = i >= ARRAY_LEN(ways);
		pair->way = pair->by_pid ? way_by_number(i - ARRAY_LEN(ways)) : ways[i];
	}
	for (size_t i = 0; i < ARRAY_LEN(pairs); i += GROUP)
		try_group(pairs + i,
			  ARRAY_LEN(pairs) - i < GROUP ? ARRAY_LEN(pairs) - i : GROUP);
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
