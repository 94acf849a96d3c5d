/* SPDX-License-Identifier: MIT */
/*
 * Ways that need no object: what works on all processes of a uid, what could stick to a
 * uid when its process is gone, and what the kernel counts by user. Of the last, one jail
 * takes and the other tells by what is left: no namespace keeps that apart, since the
 * limits of a user hold for all namespaces that he made. So each count is measured, what
 * it is between jails is said in the test's name, and then the wall that closes it.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include "base/own.h"
#include "tests/escape/attacks.h"
#include "tests/escape/channels.h"

void channel_same_uid(void)
{
	struct jail_spec spec = channel_spec("pause", "");
	struct jail *jail = start_ready(&spec);

	if (!jail)
		return;
	int pid = (int)jail_pid(jail);
	struct jail_spec other = channel_spec("find", "same-uid:1:0");
	struct outcome outcome = run_spec(&other);
	check(has_line(&outcome, "find=ok"),
	      "channel: nice value and disk class of all of a uid are set");
	check(getpriority(PRIO_PROCESS, (id_t)pid) == 0,
	      "channel: another jail's nice value is what it was");
	check(syscall(SYS_ioprio_get, 1, pid) >> 13 != 3,
	      "channel: another jail's disk class is what it was");
	jail_free(jail);
}

/* What /proc says of it: "uts:[4026531838]"; other in two processes, another namespace.
 */
static bool is_apart(const char *kind, long one, long other)
{
	char path[64], first[64] = "", second[64] = "";

	snprintf(path, sizeof(path), "/proc/%ld/ns/%s", one, kind);
	bool read = readlink(path, first, sizeof(first) - 1) > 0;
	snprintf(path, sizeof(path), "/proc/%ld/ns/%s", other, kind);
	read = read && readlink(path, second, sizeof(second) - 1) > 0;
	return read && strcmp(first, second) != 0;
}

void channel_namespaces(void)
{
	static const char *const kinds[] = {"user", "pid", "net",   "mnt",
					    "ipc",  "uts", "cgroup"};
	struct jail_spec spec = channel_spec("pause", "");
	struct jail *one = start_ready(&spec);
	spec = channel_spec("pause", "");
	struct jail *two = start_ready(&spec);

	for (size_t i = 0; one && two && i < ARRAY_LEN(kinds); i++) {
		check(is_apart(kinds[i], jail_pid(one), jail_pid(two)),
		      "channel: two jails have two %s namespaces", kinds[i]);
		check(is_apart(kinds[i], jail_pid(one), getpid()),
		      "channel: and neither is the caller's %s namespace", kinds[i]);
	}
	jail_free(one);
	jail_free(two);
}

void channel_attributes(void)
{
	struct jail_spec spec = channel_spec("attributes", "");
	struct outcome before = run_spec(&spec);
	spec = channel_spec("spoil-attributes", "");
	struct outcome spoilt = run_spec(&spec);
	spec = channel_spec("attributes", "");
	struct outcome after = run_spec(&spec);

	check(before.r == 0 && strstr(before.out, "keepcaps="),
	      "channel: a process's own attributes");
	check(strcmp(before.out, spoilt.out) != 0, "channel: changed by the first guest");
	if (!check(!strcmp(before.out, after.out),
		   "channel: the next guest has none of the changes"))
		note("%s\n%s", before.out, after.out);
}

/* OWN: the other jail has as much as ever. SHARED: it has less. */
enum kept { OWN, SHARED };

static const struct count {
	const char *what, *name;
	long most; /* more than the limit, so that it is met */
	enum kept rootless, root_mode;
	bool root_is_free;    /* root's own uid has no limit worth the name */
	const char *no_files; /* what it meets with no file allowed; "" where none is
				 needed */
	const char *filtered;
} counts[] = {
	{"inotify instances", "inotify", 400, SHARED, SHARED, false, "EMFILE", "ENOSYS"},
	{"fanotify groups", "fanotify", 400, SHARED, SHARED, false, "EMFILE", "SIGSYS"},
	{"keys", "key", 400, SHARED, OWN, true, "", "SIGSYS"},
	{"pending signals", "signal", 1500, SHARED, SHARED, false, "", "ENOSYS"},
	{"pages of pipes", "pipe", 400, SHARED, OWN, false, "EMFILE", "ENOSYS"},
	{"processes", "process", 600, SHARED, OWN, true, "", "ENOSYS"},
};

/* Small enough to be met, for the counts that have an rlimit; before any namespace. */
static void lower_limits(void)
{
	const struct rlimit signals = {1000, 1000}, processes = {500, 500};

	setrlimit(RLIMIT_SIGPENDING, &signals);
	setrlimit(RLIMIT_NPROC, &processes);
}

static struct jail_spec count_spec(const struct count *count, const char *what, long most)
{
	static char arg[64];

	snprintf(arg, sizeof(arg), "%s:%ld", count->name, most);
	struct jail_spec spec = channel_spec(what, arg);
	spec.limits.open_files = 1024;
	spec.limits.memory_bytes = 0;
	return spec;
}

/* The kernel gives some things back late: so often one looks, and this far apart. */
#define LOOKS 100

static void rest(void)
{
	nanosleep(&(struct timespec){.tv_nsec = 50000000}, NULL);
}

/* How many a jail gets. -1 if it did not say. */
static long count_left(const struct count *count)
{
	struct jail_spec spec = count_spec(count, "take", count->most);
	struct outcome outcome = run_spec(&spec);
	const char *at = strstr(outcome.out, "taken=");

	return at ? strtol(at + 6, NULL, 10) : -1;
}

/* Until a jail gets as many as before. */
static long count_settled(const struct count *count, long before)
{
	long left = count_left(count);

	for (int i = 0; i < LOOKS && left < before; i++) {
		rest();
		left = count_left(count);
	}
	return left;
}

static void under_walls(const struct count *count)
{
	struct jail_spec spec = count_spec(count, "take", 2);
	struct outcome outcome;
	const char *got;

	if (*count->no_files) {
		spec.limits.open_files = 0;
		spec.limits.processes = 0;
		outcome = run_spec(&spec);
		got = attempt_outcome(&outcome, "stopped");
		check(is_among(count->no_files, got),
		      "channel: number of %s, no file allowed: %s", count->what, got);
	}
	spec = count_spec(count, "take", 1);
	put_exec_filter(&spec);
	outcome = run_spec(&spec);
	got = attempt_outcome(&outcome, "stopped");
	check(is_among(count->filtered, got), "channel: number of %s, exec filter: %s",
	      count->what, got);
}

/* A jail that has taken so many and keeps them. NULL if it did not get them now. */
static struct jail *keep(const struct count *count, long wanted)
{
	char said[512];
	struct jail_spec spec = count_spec(count, "take-and-keep", wanted);
	struct started started = begin_spec(&spec);

	if (started.r < 0 || !await_ready(started.jail, said, sizeof(said)))
		return started.jail;
	const char *at = strstr(said, "taken=");
	if (!at || strtol(at + 6, NULL, 10) < wanted)
		jail_free(TAKE_PTR(started.jail));
	return started.jail;
}

/* Half of what there is, in another jail: how much is left then? */
static long count_beside(const struct count *count, long half)
{
	struct jail *jail = keep(count, half);

	/* What others have had before may not be free yet. */
	for (int i = 0; i < LOOKS && !jail; i++) {
		rest();
		jail = keep(count, half);
	}
	long left = jail ? count_left(count) : -1;
	jail_free(jail);
	return left;
}

static void between_two(const struct count *count, long alone)
{
	enum kept wanted = in_root_mode() ? count->root_mode : count->rootless;
	/* Others of our uid may come and go meanwhile. */
	long half = alone / 2, near = alone - half / 2;
	long beside = count_beside(count, half);
	bool shared = beside < near;

	if (!check(beside >= 0 && shared == (wanted == SHARED),
		   "channel: number of %s, two jails at once, filter off: %s",
		   count->what, shared ? "shared" : "each its own"))
		note("%ld alone, %ld beside one that has %ld", alone, beside, half);
	long after = count_settled(count, near);
	if (!check(after >= near,
		   "channel: number of %s, one after another: none is missing",
		   count->what))
		note("%ld, then %ld", alone, after);
}

static void try_count(const struct count *count)
{
	long first = count_left(count), alone = count_settled(count, first);

	/* A namespace that root made without leasing: its guests count as root. */
	if (alone == count->most && count->root_is_free && geteuid() == 0 &&
	    !in_root_mode())
		check(true,
		      "channel: number of %s, filter off: without a limit, as root's",
		      count->what);
	else if (check(alone > 0 && alone < count->most,
		       "channel: number of %s has a limit", count->what))
		between_two(count, alone);
	under_walls(count);
}

static void try_counts(void)
{
	lower_limits();
	for (size_t i = 0; i < ARRAY_LEN(counts); i++)
		try_count(&counts[i]);
}

void channel_counts(void)
{
	check_apart("channel", try_counts);
}
