/* SPDX-License-Identifier: MIT */
/*
 * Which ids the guest has. One id only, in every mode.
 *
 * Rootless: the caller's own uid and gid; setgroups is denied first, as the kernel wants
 * of one who holds no privilege outside.
 *
 * Root mode: a leased uid and gid. setgroups stays allowed in the new namespace until the
 * child has dropped root's supplementary groups with it; afterwards no one in the jail
 * holds the capability that it takes.
 */
#include <errno.h>
#include <fcntl.h>
#include <linux/capability.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "base/own.h"
#include "jail/internal.h"

#define CAPS_TO_MAP ((uint64_t)1 << CAP_SETUID | (uint64_t)1 << CAP_SETGID)

/* 1 both effective, 0 not, or a negative errno: what cannot be found out is no "no". */
static int caps_to_map(void)
{
	uint64_t have = 0;
	int r = caps_effective(&have);

	return r < 0 ? r : (have & CAPS_TO_MAP) == CAPS_TO_MAP;
}

/* Lines of a map: inside, outside, length. Is [first, first+count) within one line? */
static int text_covers(const char *text, uint32_t first, uint32_t count)
{
	unsigned long long inside, outside, length;
	int used = 0;

	while (sscanf(text, "%llu %llu %llu%n", &inside, &outside, &length, &used) == 3) {
		if (first >= inside &&
		    (unsigned long long)first + count <= inside + length)
			return 1;
		text += used;
	}
	return 0;
}

/* A map has at most 340 lines, and a read gives no more than a page of it. */
static int read_map(const char *path, char *text, size_t size)
{
	own_fd int fd = open(path, O_RDONLY | O_CLOEXEC);
	size_t at = 0;
	ssize_t n = fd < 0 ? -1 : 1;

	while (n > 0 && at < size - 1) {
		n = read(fd, text + at, size - 1 - at);
		at += n > 0 ? (size_t)n : 0;
	}
	if (n < 0)
		return -errno;
	text[at] = '\0';
	return n == 0 ? 0 : -EOVERFLOW;
}

static int map_covers(const char *path, uint32_t first, uint32_t count)
{
	char text[340 * 36];
	int r = read_map(path, text, sizeof(text));

	return r < 0 ? r : text_covers(text, first, count);
}

int idmap_root_mode(uint32_t first, uint32_t count, bool *ret_root,
		    struct jail_error *err)
{
	int r = caps_to_map();

	if (r < 0)
		return jail_fail(err, JAIL_STAGE_IDMAP, -r, "look at our capabilities");
	if (r > 0)
		r = map_covers("/proc/self/uid_map", first, count);
	if (r > 0)
		r = map_covers("/proc/self/gid_map", first, count);
	if (r < 0)
		return jail_fail(err, JAIL_STAGE_IDMAP, -r,
				 "read our own id maps in '/proc/self'");
	*ret_root = r > 0;
	return 0;
}

static int write_text(int proc, const char *name, const char *text,
		      struct jail_error *err)
{
	own_fd int fd = openat(proc, name, O_WRONLY | O_CLOEXEC);

	if (fd < 0)
		return jail_fail(err, JAIL_STAGE_IDMAP, errno, "open %s of the jail",
				 name);
	/* One write: the kernel takes a map whole or not at all. */
	if (write(fd, text, strlen(text)) < 0)
		return jail_fail(err, JAIL_STAGE_IDMAP, errno,
				 "write '%s' to %s of the jail", text, name);
	return 0;
}

/* A /proc of another pid namespace has strangers under our numbers. */
static int check_proc(struct jail_error *err)
{
	char self[16] = "";
	ssize_t n = readlink("/proc/self", self, sizeof(self) - 1);

	if (n < 0)
		return jail_fail(err, JAIL_STAGE_IDMAP, errno, "read '/proc/self'");
	if (strtol(self, NULL, 10) != getpid())
		return jail_fail(err, JAIL_STAGE_IDMAP, ESRCH,
				 "'/proc' belongs to another pid namespace");
	return 0;
}

static int open_process(pid_t pid, int *ret_proc, struct jail_error *err)
{
	char path[32];
	int proc, r = check_proc(err);

	if (r < 0)
		return r;
	/* The child is ours and not yet reaped: its pid cannot have been given away. */
	snprintf(path, sizeof(path), "/proc/%d", (int)pid);
	proc = open(path, O_PATH | O_DIRECTORY | O_CLOEXEC);
	if (proc < 0)
		return jail_fail(err, JAIL_STAGE_IDMAP, errno, "open '%s'", path);
	*ret_proc = proc;
	return 0;
}

static int write_ids(const struct idmap *map, int proc, struct jail_error *err)
{
	char line[64];
	int r = map->root_mode ? 0 : write_text(proc, "setgroups", "deny", err);

	if (r < 0)
		return r;
	snprintf(line, sizeof(line), "%u %u 1", map->inside, map->gid_outside);
	r = write_text(proc, "gid_map", line, err);
	if (r < 0)
		return r;
	snprintf(line, sizeof(line), "%u %u 1", map->inside, map->uid_outside);
	return write_text(proc, "uid_map", line, err);
}

int idmap_write(const struct idmap *map, pid_t pid, bool goes_first,
		struct jail_error *err)
{
	own_fd int proc = -1;
	int r = open_process(pid, &proc, err);

	if (r == 0)
		r = write_ids(map, proc, err);
	return r < 0 || !goes_first ? r : write_text(proc, "oom_score_adj", "1000", err);
}

int idmap_write_own(const struct idmap *map, struct jail_error *err)
{
	own_fd int proc = -1;
	int r = open_process(getpid(), &proc, err);

	return r < 0 ? r : write_ids(map, proc, err);
}
