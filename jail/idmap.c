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
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "base/own.h"
#include "jail/internal.h"

static bool caps_to_map(void)
{
	cap_flag_value_t uid = CAP_CLEAR, gid = CAP_CLEAR;
	cap_t have = cap_get_proc();

	if (!have)
		return false;
	cap_get_flag(have, CAP_SETUID, CAP_EFFECTIVE, &uid);
	cap_get_flag(have, CAP_SETGID, CAP_EFFECTIVE, &gid);
	cap_free(have);
	return uid == CAP_SET && gid == CAP_SET;
}

/* Every line of a map: inside, outside, length. Is [first, first+count) in one line? */
static bool map_covers(const char *path, uint32_t first, uint32_t count)
{
	char line[128];
	FILE *file = fopen(path, "re");
	bool covers = false;

	if (!file)
		return false;
	while (!covers && fgets(line, sizeof(line), file)) {
		unsigned long long inside = 0, outside = 0, length = 0;
		if (sscanf(line, "%llu %llu %llu", &inside, &outside, &length) == 3)
			covers = first >= inside &&
				 (unsigned long long)first + count <= inside + length;
	}
	fclose(file);
	return covers;
}

bool idmap_root_mode(uint32_t first, uint32_t count)
{
	return caps_to_map() && map_covers("/proc/self/uid_map", first, count) &&
	       map_covers("/proc/self/gid_map", first, count);
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

int idmap_write(const struct idmap *map, pid_t pid, struct jail_error *err)
{
	char path[32], line[64];

	/* The child is ours and not yet reaped: its pid cannot have been given away. */
	snprintf(path, sizeof(path), "/proc/%d", (int)pid);
	own_fd int proc = open(path, O_PATH | O_DIRECTORY | O_CLOEXEC);
	if (proc < 0)
		return jail_fail(err, JAIL_STAGE_IDMAP, errno, "open '%s'", path);

	/* The guest goes first when the host itself runs out of memory. */
	int r = write_text(proc, "oom_score_adj", "1000", err);
	if (r < 0)
		return r;
	if (!map->root_mode) {
		r = write_text(proc, "setgroups", "deny", err);
		if (r < 0)
			return r;
	}
	snprintf(line, sizeof(line), "%u %u 1", map->inside, map->gid_outside);
	r = write_text(proc, "gid_map", line, err);
	if (r < 0)
		return r;
	snprintf(line, sizeof(line), "%u %u 1", map->inside, map->uid_outside);
	return write_text(proc, "uid_map", line, err);
}
