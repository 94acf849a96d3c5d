/* SPDX-License-Identifier: MIT */
/*
 * The cgroup v2 leaf of one jail: made before clone (CLONE_INTO_CGROUP puts the child in
 * it from its first instruction), removed after the last process is gone.
 *
 * Every knob is written and read back; what does not stick is an error, what does not
 * exist (a hybrid host, a controller not delegated) makes the limit somebody else's, and
 * the caller says whose. All descriptors for watching and killing are opened before the
 * guest may run.
 */
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "base/own.h"
#include "jail/internal.h"

/* A sweep holds a new leaf for the time of a few system calls; but it may be kept from
 * the processor between them, or be stopped. */
#define CLAIM_WAIT_MS 2000

static const struct {
	const char *name;
	int flags;
} knobs[KNOB_COUNT] = {
	[KNOB_KILL] = {"cgroup.kill", O_WRONLY},
	[KNOB_EVENTS] = {"cgroup.events", O_RDONLY},
	[KNOB_MEMORY_EVENTS] = {"memory.events.local", O_RDONLY},
	[KNOB_GROUP_EVENTS] = {"../memory.events.local", O_RDONLY},
	[KNOB_PLACE_EVENTS] = {"../../memory.events.local", O_RDONLY},
	[KNOB_ABOVE_EVENTS] = {"../../../memory.events.local", O_RDONLY},
	[KNOB_MEMORY_PEAK] = {"memory.peak", O_RDONLY},
	[KNOB_PIDS_PEAK] = {"pids.peak", O_RDONLY},
	[KNOB_CPU_STAT] = {"cpu.stat", O_RDONLY},
	[KNOB_CPU_MAX] = {"cpu.max", O_WRONLY},
	[KNOB_PIDS_MAX] = {"pids.max", O_WRONLY},
};

static int leaf_knob(struct leaf *leaf, const char *name, uint64_t value, uint64_t slack,
		     bool *ret_set, struct jail_error *err)
{
	return knob_set(leaf->dir_fd, leaf->name, name, value, slack, ret_set, err);
}

static int set_memory(struct leaf *leaf, uint64_t bytes, struct jail_error *err)
{
	bool swap = false, group = false;
	uint64_t page = (uint64_t)sysconf(_SC_PAGESIZE);
	int r = leaf_knob(leaf, "memory.max", bytes, page - 1, &leaf->memory, err);

	if (r < 0 || !leaf->memory)
		return r;
	/* Absent where the kernel has no swap accounting: then there is none to limit. */
	r = leaf_knob(leaf, "memory.swap.max", 0, 0, &swap, err);
	if (r < 0)
		return r;
	return leaf_knob(leaf, "memory.oom.group", 1, 0, &group, err);
}

static int set_cpu(struct leaf *leaf, uint32_t percent, struct jail_error *err)
{
	const uint64_t period_us = 100000;
	char text[64], back[64] = "";

	snprintf(text, sizeof(text), "%llu %llu",
		 (unsigned long long)(period_us * percent / 100),
		 (unsigned long long)period_us);
	int r = knob_write(leaf->dir_fd, "cpu.max", text);
	if (r == -ENOENT)
		return 0;
	if (r < 0)
		return jail_fail(err, JAIL_STAGE_CGROUP, -r, "write '%s' to '%s/cpu.max'",
				 text, leaf->name);
	own_fd int fd = openat(leaf->dir_fd, "cpu.max", O_RDONLY | O_CLOEXEC);
	if (fd < 0 || knob_read(fd, back, sizeof(back)) < 0 ||
	    strncmp(back, text, strlen(text)) != 0)
		return jail_fail(err, JAIL_STAGE_CGROUP, ERANGE,
				 "'%s/cpu.max' does not hold '%s'", leaf->name, text);
	leaf->cpu = true;
	return 0;
}

static int set_limits(struct leaf *leaf, const struct jail_limits *limits,
		      struct jail_error *err)
{
	int r = 0;

	leaf->alone = limits->processes == 1;
	if (limits->memory_bytes)
		r = set_memory(leaf, limits->memory_bytes, err);
	if (r == 0 && limits->cpu_percent)
		r = set_cpu(leaf, limits->cpu_percent, err);
	if (r == 0 && limits->processes)
		r = leaf_knob(leaf, "pids.max", limits->processes, 0, &leaf->pids, err);
	return r;
}

/* Somebody else's sweep came between our mkdir and our lock: the directory is gone. */
bool leaf_is_gone(int dir_fd)
{
	return faccessat(dir_fd, "cgroup.procs", F_OK, 0) < 0;
}

/*
 * Makes the leaf and locks it: the lock says that its supervisor lives, and goes when
 * that dies, however it dies. A sweep holds the lock of what it removes, so after ours is
 * taken the leaf is either still there or has to be made once more.
 */
static int leaf_claim(struct leaf *leaf, struct jail_error *err)
{
	const int64_t end_ms = now_ms() + CLAIM_WAIT_MS;
	bool made = false;
	int errnum;

	do {
		/* 0700: who can open it can lock it, and keep us out. */
		if (mkdirat(leaf->base_fd, leaf->name, 0700) == 0) {
			made = true;
		} else if (errno != EEXIST) {
			errnum = errno;
			break;
		}
		leaf->dir_fd = openat(leaf->base_fd, leaf->name,
				      O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
		if (leaf->dir_fd >= 0 && flock(leaf->dir_fd, LOCK_EX | LOCK_NB) == 0 &&
		    !leaf_is_gone(leaf->dir_fd))
			return 0;
		errnum = errno == EWOULDBLOCK ? ETIMEDOUT : errno;
		leaf->dir_fd = close_fd(leaf->dir_fd);
		if (errnum != ENOENT && errnum != ETIMEDOUT)
			break;
		sched_yield(); /* the sweep that has it is about to be done */
	} while (now_ms() < end_ms);
	/* Where the name was taken all the time it is another jail's leaf. */
	if (made)
		unlinkat(leaf->base_fd, leaf->name, AT_REMOVEDIR);
	return jail_fail(err, JAIL_STAGE_CGROUP, errnum, "claim the leaf '%s'",
			 leaf->name);
}

void leaf_init(struct leaf *leaf)
{
	*leaf = (struct leaf){.base_fd = -1, .dir_fd = -1};
	memset(leaf->knob_fd, -1, sizeof(leaf->knob_fd));
}

int leaf_make(int base_fd, const char *id, const struct jail_limits *limits,
	      struct leaf *leaf, struct jail_error *err)
{
	snprintf(leaf->name, sizeof(leaf->name), "%s" LEAF_SUFFIX, id);
	leaf->base_fd = fcntl(base_fd, F_DUPFD_CLOEXEC, 3);
	if (leaf->base_fd < 0)
		return jail_fail(err, JAIL_STAGE_CGROUP, errno,
				 "keep the cgroup directory");
	int r = leaf_claim(leaf, err);
	if (r < 0)
		return r;
	r = set_limits(leaf, limits, err);
	if (r < 0) {
		unlinkat(leaf->base_fd, leaf->name, AT_REMOVEDIR);
		leaf_close(leaf);
	}
	return r;
}

static bool is_populated(int events_fd)
{
	uint64_t populated = 0;

	return knob_keyed(events_fd, "populated", &populated) && populated;
}

/* By cgroup.events, which polls when it changes. -EBUSY: not empty at the end. */
int leaf_events_wait_empty(int events_fd, int64_t end_ms)
{
	while (is_populated(events_fd)) {
		struct pollfd pfd = {.fd = events_fd, .events = POLLPRI};
		int64_t left = end_ms - now_ms();

		if (left <= 0)
			return -EBUSY;
		if (poll(&pfd, 1, (int)left) < 0 && errno != EINTR)
			return -errno;
	}
	return 0;
}

static bool knob_expected(const struct leaf *leaf, enum knob knob)
{
	switch (knob) {
	case KNOB_MEMORY_EVENTS:
	case KNOB_GROUP_EVENTS:
	case KNOB_PLACE_EVENTS:
	case KNOB_ABOVE_EVENTS:
	case KNOB_MEMORY_PEAK:
		return leaf->memory;
	case KNOB_PIDS_PEAK:
	case KNOB_PIDS_MAX:
		return leaf->pids;
	case KNOB_CPU_MAX:
		return leaf->cpu;
	case KNOB_CPU_STAT:
		return !leaf->alone;
	case KNOB_KILL:
	case KNOB_EVENTS:
	case KNOB_COUNT:
		break;
	}
	return true;
}

static int knob_open(struct leaf *leaf, enum knob knob)
{
	int fd = openat(leaf->dir_fd, knobs[knob].name, knobs[knob].flags | O_CLOEXEC);

	/* Older kernels have no .local: a leaf has no children, so the count is the same.
	 */
	if (fd < 0 && errno == ENOENT && knob == KNOB_MEMORY_EVENTS)
		fd = openat(leaf->dir_fd, "memory.events", O_RDONLY | O_CLOEXEC);
	return fd;
}

/* Newer than the oldest kernel that we run on, or not at the top of the hierarchy: what
 * is read there is a bonus. */
static bool knob_may_lack(enum knob knob)
{
	return knob == KNOB_MEMORY_PEAK || knob == KNOB_PIDS_PEAK ||
	       knob == KNOB_GROUP_EVENTS || knob == KNOB_PLACE_EVENTS ||
	       knob == KNOB_ABOVE_EVENTS;
}

/* How often the cgroups above, of which there are three where a tenant has one, have run out of memory of their own. */
static int read_oom_above(const struct leaf *leaf, enum jail_stage stage,
			  uint64_t *ret_count, struct jail_error *err)
{
	static const enum knob above[] = {KNOB_GROUP_EVENTS, KNOB_PLACE_EVENTS,
					  KNOB_ABOVE_EVENTS};

	*ret_count = 0;
	for (size_t i = 0; i < ARRAY_LEN(above); i++) {
		uint64_t count = 0;

		if (leaf->knob_fd[above[i]] < 0)
			continue;
		if (!knob_keyed(leaf->knob_fd[above[i]], "oom", &count))
			return jail_fail(err, stage, EIO, "read '%s' of '%s'",
					 knobs[above[i]].name, leaf->name);
		*ret_count += count;
	}
	return 0;
}

int leaf_open_knobs(struct leaf *leaf, struct jail_error *err)
{
	for (int i = 0; leaf->dir_fd >= 0 && i < KNOB_COUNT; i++) {
		if (!knob_expected(leaf, (enum knob)i))
			continue;
		leaf->knob_fd[i] = knob_open(leaf, (enum knob)i);
		if (leaf->knob_fd[i] < 0 &&
		    !(errno == ENOENT && knob_may_lack((enum knob)i)))
			return jail_fail(err, JAIL_STAGE_CGROUP, errno, "open '%s/%s'",
					 leaf->name, knobs[i].name);
	}
	return read_oom_above(leaf, JAIL_STAGE_CGROUP, &leaf->oom_above, err);
}

static int knob_put(const struct leaf *leaf, enum knob knob, const char *text)
{
	if (leaf->knob_fd[knob] < 0)
		return -ENOENT;
	return pwrite(leaf->knob_fd[knob], text, strlen(text), 0) < 0 ? -errno : 0;
}

int leaf_kill(struct leaf *leaf)
{
	if (leaf->dir_fd < 0)
		return 0;
	/* A throttled task dies only when it is scheduled again: lift the throttle first.
	 * Then no new process may race the kill. Both are helps, not conditions. */
	knob_put(leaf, KNOB_CPU_MAX, "max");
	knob_put(leaf, KNOB_PIDS_MAX, "0");
	return knob_put(leaf, KNOB_KILL, "1");
}

int leaf_wait_empty(struct leaf *leaf, int timeout_ms)
{
	int fd = leaf->knob_fd[KNOB_EVENTS];

	/* Pid 1 is dead, so all of the jail is dying: whoever is still alive here was
	 * put here by somebody else. */
	if (is_populated(fd))
		leaf_kill(leaf);
	return leaf_events_wait_empty(fd, now_ms() + timeout_ms);
}

int leaf_cpu_us(const struct leaf *leaf, uint64_t *ret_us)
{
	return knob_keyed(leaf->knob_fd[KNOB_CPU_STAT], "usage_usec", ret_us) ? 0 : -EIO;
}

int leaf_collect(const struct leaf *leaf, struct jail_result *result,
		 struct jail_error *err)
{
	uint64_t value = 0, kills = 0, above;
	int events = leaf->knob_fd[KNOB_MEMORY_EVENTS];

	result->cgroup_used = true;
	/* Whose memory ran out is nothing to guess: a run that was killed for it would be
	 * told as a crash, or as somebody else's fault. */
	if (events >= 0 && (!knob_keyed(events, "oom", &value) ||
			    !knob_keyed(events, "oom_kill", &kills)))
		return jail_fail(err, JAIL_STAGE_COLLECT, EIO, "read '%s/%s'", leaf->name,
				 knobs[KNOB_MEMORY_EVENTS].name);
	result->memory_limit_hit = value > 0;
	result->oom_killed = kills > 0;
	int r = read_oom_above(leaf, JAIL_STAGE_COLLECT, &above, err);
	if (r < 0)
		return r;
	result->oom_in_group = above > leaf->oom_above;
	if (leaf_cpu_us(leaf, &value) == 0)
		result->cpu_us = value;
	if (knob_number(leaf->knob_fd[KNOB_MEMORY_PEAK], &value))
		result->memory_peak_bytes = value;
	if (knob_number(leaf->knob_fd[KNOB_PIDS_PEAK], &value))
		result->pids_peak = (uint32_t)value;
	return 0;
}

int leaf_remove(struct leaf *leaf, struct jail_error *err)
{
	if (leaf->dir_fd < 0)
		return 0;
	if (unlinkat(leaf->base_fd, leaf->name, AT_REMOVEDIR) < 0 && errno != ENOENT)
		return jail_fail(err, JAIL_STAGE_REMOVE, errno,
				 "remove the cgroup leaf '%s'", leaf->name);
	leaf_close(leaf);
	return 0;
}

void leaf_close(struct leaf *leaf)
{
	for (int i = 0; i < KNOB_COUNT; i++)
		leaf->knob_fd[i] = close_fd(leaf->knob_fd[i]);
	leaf->dir_fd = close_fd(leaf->dir_fd);
	leaf->base_fd = close_fd(leaf->base_fd);
}
