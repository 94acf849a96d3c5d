/* SPDX-License-Identifier: MIT */
/*
 * The CPU time of a jail that runs. Where one process alone may be, its clock has it. Else
 * the cgroup knows all of it, though to ask it is to have the kernel add up what each
 * processor has counted. Without a cgroup there is the clock of pid 1, which has its threads
 * too, and what /proc says of the children it has waited for; whoever still runs is then
 * nowhere: only his own RLIMIT_CPU holds him.
 *
 * As in jail.c nothing is opened while the guest runs.
 */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "base/own.h"
#include "jail/internal.h"

/* /proc/PID/stat, counted from the first field after the name: cutime and cstime. */
#define CHILDREN_USER	14
#define CHILDREN_SYSTEM 15
#define TICK_US		10000u /* USER_HZ is 100 on every machine that we know */

/* The clock of a whole process, as the kernel encodes it (CPUCLOCK_SCHED). */
static clockid_t process_clock(pid_t pid)
{
	return (clockid_t)((~(unsigned)pid << 3) | 2u);
}

void cpu_open(struct jail *jail, const struct jail_limits *limits)
{
	char path[64];

	if (jail->leaf.dir_fd >= 0 || limits->processes == 1)
		return;
	/* Where it cannot be opened pid 1 alone is measured. */
	snprintf(path, sizeof(path), "/proc/%d/stat", (int)jail->pid);
	jail->stat_fd = open(path, O_RDONLY | O_CLOEXEC);
}

/* The name, which the guest chooses, may hold anything but is the last in brackets. */
static uint64_t children_us(int stat_fd)
{
	char text[1024];
	ssize_t n = stat_fd < 0 ? -1 : pread(stat_fd, text, sizeof(text) - 1, 0);
	uint64_t ticks = 0;

	text[n > 0 ? n : 0] = '\0';
	char *at = strrchr(text, ')');
	for (int field = 1; at && field <= CHILDREN_SYSTEM; field++) {
		at = strchr(at + 1, ' ');
		if (at && field >= CHILDREN_USER)
			ticks += strtoull(at + 1, NULL, 10);
	}
	return ticks * TICK_US;
}

JAIL_API int jail_cpu_us(const struct jail *jail, uint64_t *ret_us)
{
	struct timespec used;

	if (jail->reaped)
		return -ESRCH;
	if (jail->leaf.dir_fd >= 0 && leaf_cpu_us(&jail->leaf, ret_us) == 0)
		return 0;
	if (clock_gettime(process_clock(jail->pid), &used) < 0)
		return errno == EINVAL ? -ESRCH : -errno;
	*ret_us = (uint64_t)used.tv_sec * 1000000u + (uint64_t)used.tv_nsec / 1000u +
		  children_us(jail->stat_fd);
	return 0;
}
