/* SPDX-License-Identifier: MIT */
/*
 * Where leaves can be made: a group "quod" below the caller's own cgroup in the v2
 * hierarchy. Nothing of the host is moved or changed; where the group cannot be made the
 * caller is told why, and jails do without.
 */
#include <errno.h>
#include <fcntl.h>
#include <linux/magic.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/vfs.h>
#include <unistd.h>

#include "base/own.h"
#include "jail/internal.h"

#define GROUP "quod"

/* The v2 mount: alone, or beside v1 on a hybrid host. */
static int open_mount(struct jail_error *err)
{
	static const char *const places[] = {"/sys/fs/cgroup", "/sys/fs/cgroup/unified"};

	for (size_t i = 0; i < ARRAY_LEN(places); i++) {
		struct statfs fs;
		own_fd int fd = open(places[i], O_PATH | O_DIRECTORY | O_CLOEXEC);
		if (fd >= 0 && fstatfs(fd, &fs) == 0 && fs.f_type == CGROUP2_SUPER_MAGIC)
			return TAKE_FD(fd);
	}
	return jail_fail(err, JAIL_STAGE_CGROUP, ENOENT,
			 "no cgroup v2 at /sys/fs/cgroup");
}

/* Our own path in the v2 hierarchy, without its leading slash: the line "0::/PATH". */
static int own_path(char *path, size_t size, struct jail_error *err)
{
	char text[4096];
	own_fd int fd = open("/proc/self/cgroup", O_RDONLY | O_CLOEXEC);
	ssize_t n = fd < 0 ? -1 : read(fd, text, sizeof(text) - 1);

	if (n < 0)
		return jail_fail(err, JAIL_STAGE_CGROUP, errno,
				 "read '/proc/self/cgroup'");
	text[n] = '\0';
	for (char *line = text; *line;) {
		char *end = strchrnul(line, '\n');
		char next = *end;
		*end = '\0';
		/* "0::/../x": above the root of our cgroup namespace, out of sight. */
		if (strncmp(line, "0::/", 4) == 0 && strncmp(line, "0::/..", 6) != 0) {
			if ((size_t)snprintf(path, size, "%s", line + 4) >= size)
				break;
			return 0;
		}
		line = next ? end + 1 : end;
	}
	return jail_fail(err, JAIL_STAGE_CGROUP, ENOENT, "we are in no cgroup v2");
}

/* Asks for the controllers one by one: those that are not there do not cost the others.
 * Refusals are no errors: what is missing shows when the leaf's knobs are written. */
static void enable_controllers(int dir_fd)
{
	static const char *const wanted[] = {"+memory", "+pids", "+cpu"};
	own_fd int fd = openat(dir_fd, "cgroup.subtree_control", O_WRONLY | O_CLOEXEC);

	for (size_t i = 0; fd >= 0 && i < ARRAY_LEN(wanted); i++)
		if (write(fd, wanted[i], strlen(wanted[i])) < 0)
			continue;
}

/*
 * The group must be ours: whoever owns it may kill, freeze and limit what runs in it.
 * Another user may have made one when it ran quod in this cgroup, and root could write
 * there too.
 */
static int open_group(int own, const char *path, struct jail_error *err)
{
	struct statfs fs;
	struct stat st;
	own_fd int group =
		openat(own, GROUP, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);

	if (group < 0 || fstat(group, &st) < 0 || fstatfs(group, &fs) < 0)
		return jail_fail(err, JAIL_STAGE_CGROUP, errno, "open the group '/%s/%s'",
				 path, GROUP);
	if (fs.f_type != CGROUP2_SUPER_MAGIC)
		return jail_fail(err, JAIL_STAGE_CGROUP, ENOTDIR,
				 "'/%s/%s' is not in a cgroup hierarchy", path, GROUP);
	if (st.st_uid != geteuid())
		return jail_fail(err, JAIL_STAGE_CGROUP, EPERM,
				 "the group '/%s/%s' belongs to uid %u", path, GROUP,
				 (unsigned)st.st_uid);
	return TAKE_FD(group);
}

JAIL_API int jail_cgroup_open(int *ret_fd, struct jail_error *err)
{
	char path[1024];
	own_fd int mount = open_mount(err);

	if (mount < 0)
		return mount;
	int r = own_path(path, sizeof(path), err);
	if (r < 0)
		return r;
	own_fd int own = openat(mount, path[0] ? path : ".",
				O_PATH | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
	if (own < 0)
		return jail_fail(err, JAIL_STAGE_CGROUP, errno,
				 "open our own cgroup '/%s'", path);
	bool fresh = mkdirat(own, GROUP, 0700) == 0;
	if (!fresh && errno != EEXIST)
		return jail_fail(err, JAIL_STAGE_CGROUP, errno,
				 "make a group in our own cgroup '/%s'", path);
	own_fd int group = open_group(own, path, err);
	if (group < 0)
		return group;
	/* Once: they stay on as long as the group is there. */
	if (fresh) {
		enable_controllers(own);
		enable_controllers(group);
	}
	leaf_sweep(group);
	*ret_fd = TAKE_FD(group);
	return 0;
}
