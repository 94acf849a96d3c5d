/* SPDX-License-Identifier: MIT */
/*
 * The cgroup below which quod may work: our own, or one that an operator names.
 *
 * Our own is read from /proc/self/cgroup. If it is called `supervisor` the place is its
 * parent: that is where a process goes that has made room for controllers (see
 * cgroup_group.c), be it quod, a service manager or a script.
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

/* Of the first cgroup namespace: part of the kernel's interface (linux/nsfs.h). */
#define FIRST_NAMESPACE 0xEFFFFFFBu

static bool is_cgroup2(int fd)
{
	struct statfs fs;

	return fstatfs(fd, &fs) == 0 && fs.f_type == CGROUP2_SUPER_MAGIC;
}

/* The v2 mount: alone, or beside v1 on a hybrid host. */
static int open_mount(struct jail_error *err)
{
	static const char *const places[] = {"/sys/fs/cgroup", "/sys/fs/cgroup/unified"};

	for (size_t i = 0; i < ARRAY_LEN(places); i++) {
		own_fd int fd = open(places[i], O_PATH | O_DIRECTORY | O_CLOEXEC);
		if (fd >= 0 && is_cgroup2(fd))
			return TAKE_FD(fd);
	}
	return jail_fail(err, JAIL_STAGE_CGROUP, ENOENT,
			 "no cgroup v2 at /sys/fs/cgroup");
}

/* "/../x": above the root of our cgroup namespace, out of sight. */
static bool is_above_root(const char *path)
{
	return strncmp(path, "/..", 3) == 0 && (path[3] == '/' || path[3] == '\0');
}

/* Our own path in the v2 hierarchy, without its leading slash: the line "0::/PATH". Of a
 * long file, as with the paths of v1 before it, only the beginning is here: a line that
 * does not end is cut off, and names another cgroup. */
static int own_path(char *path, size_t size, struct jail_error *err)
{
	char text[4096];
	own_fd int fd = open("/proc/self/cgroup", O_RDONLY | O_CLOEXEC);
	ssize_t n = fd < 0 ? -1 : read(fd, text, sizeof(text) - 1);

	if (n < 0)
		return jail_fail(err, JAIL_STAGE_CGROUP, errno,
				 "read '/proc/self/cgroup'");
	bool cut = n == sizeof(text) - 1;
	text[n] = '\0';
	for (char *line = text, *end; (end = strchr(line, '\n')); line = end + 1) {
		*end = '\0';
		if (strncmp(line, "0::/", 4) == 0 && !is_above_root(line + 3)) {
			if ((size_t)snprintf(path, size, "%s", line + 4) < size)
				return 0;
			cut = true;
		}
	}
	if (cut)
		return jail_fail(err, JAIL_STAGE_CGROUP, ENAMETOOLONG,
				 "find our own cgroup in '/proc/self/cgroup'");
	return jail_fail(err, JAIL_STAGE_CGROUP, ENOENT, "we are in no cgroup v2");
}

/* Where all is seen there is no other mount; and the list may be a long one there. */
static bool sees_all(void)
{
	struct stat st;

	return stat("/proc/self/ns/cgroup", &st) == 0 && st.st_ino == FIRST_NAMESPACE;
}

/* The mount may be that of another cgroup namespace, as in a container that has the
 * host's: then the same path leads to somebody else's cgroup, into which the kernel lets
 * none of our jails. In its own, the file lists us; in a threaded one it lists nobody,
 * which is found out later. */
static bool lists_us(int dir_fd)
{
	const pid_t us = getpid();
	char text[4096];
	pid_t pid = 0;
	ssize_t n = -1;
	own_fd int fd = openat(dir_fd, "cgroup.procs", O_RDONLY | O_CLOEXEC);

	while (fd >= 0 && (n = read(fd, text, sizeof(text))) > 0)
		for (ssize_t i = 0; i < n; i++) {
			if (text[i] == '\n' && pid == us)
				return true;
			pid = text[i] == '\n' ? 0 : 10 * pid + (text[i] - '0');
		}
	return n < 0 && errno == EOPNOTSUPP;
}

static int open_below(int mount, const char *path)
{
	return openat(mount, *path ? path : ".",
		      O_PATH | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
}

static int check_mount(int mount, const char *path, struct jail_error *err)
{
	own_fd int own = open_below(mount, path);

	if (own < 0)
		return jail_fail(err, JAIL_STAGE_CGROUP, errno,
				 "open our own cgroup '/%s'", path);
	if (!sees_all() && !lists_us(own))
		return jail_fail(
			err, JAIL_STAGE_CGROUP, ENXIO,
			"the cgroup '/%s' of that mount is not the one we are in", path);
	return 0;
}

static void strip_supervisor(char *path)
{
	char *slash = strrchr(path, '/');
	char *name = slash ? slash + 1 : path;

	if (strcmp(name, CGROUP_SUPERVISOR) == 0)
		*(slash ? slash : path) = '\0';
}

int place_top(struct place *ret_place)
{
	int mount = open_mount(NULL);

	*ret_place = (struct place){.dir_fd = mount < 0 ? -1 : mount};
	return mount < 0 ? mount : 0;
}

int place_own(struct place *ret_place, struct jail_error *err)
{
	struct place place = {.dir_fd = -1, .ours = true};
	own_fd int mount = open_mount(err);

	if (mount < 0)
		return mount;
	int r = own_path(place.path, sizeof(place.path), err);
	if (r == 0)
		r = check_mount(mount, place.path, err);
	if (r < 0)
		return r;
	strip_supervisor(place.path);
	place.dir_fd = open_below(mount, place.path);
	if (place.dir_fd < 0)
		return jail_fail(err, JAIL_STAGE_CGROUP, errno,
				 "open our own cgroup '/%s'", place.path);
	*ret_place = place;
	return 0;
}

/* The operator's path: symlinks are followed, and it is shown as it was given. */
int place_given(const char *path, struct place *ret_place, struct jail_error *err)
{
	struct place place = {.dir_fd = -1};
	const char *shown = path + strspn(path, "/");
	own_fd int dir = open(path, O_PATH | O_DIRECTORY | O_CLOEXEC);

	if (dir < 0)
		return jail_fail(err, JAIL_STAGE_CGROUP, errno,
				 "open the cgroup '%.200s'", path);
	if (!is_cgroup2(dir))
		return jail_fail(err, JAIL_STAGE_CGROUP, ENOTDIR,
				 "'%.200s' is no directory of a cgroup v2 mount", path);
	snprintf(place.path, sizeof(place.path), "%s", shown);
	place.dir_fd = TAKE_FD(dir);
	*ret_place = place;
	return 0;
}
