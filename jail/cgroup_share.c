/* SPDX-License-Identifier: MIT */
/*
 * A share: a group in the group, which holds the leaves of somebody together in limits of
 * his own. Like a leaf it is locked while its supervisor lives; one whose lock is free is
 * swept, first the leaves in it, then itself.
 */
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/own.h"
#include "jail/internal.h"

#define NAME_ROOM (128 + sizeof(SHARE_SUFFIX))

/* A sweep that has just looked at an empty one holds its lock for a moment. */
#define CLAIM_ROUNDS 100

static int missing(const char *name, const char *what, struct jail_error *err)
{
	return jail_fail(err, JAIL_STAGE_CGROUP, EOPNOTSUPP,
			 "limit %s of the group '%s': its controller is not there", what,
			 name);
}

/* A limit that is none any more is lifted. */
static int set(int fd, const char *name, const char *knob, uint64_t value, uint64_t slack,
	       struct jail_error *err)
{
	bool is_set;
	int r;

	if (!value) {
		r = knob_write(fd, knob, "max");
		return r == 0 || r == -ENOENT
			       ? 0
			       : jail_fail(err, JAIL_STAGE_CGROUP, -r,
					   "write max to '%s/%s'", name, knob);
	}
	r = knob_set(fd, name, knob, value, slack, &is_set, err);
	return r == 0 && !is_set ? missing(name, knob, err) : r;
}

JAIL_API int jail_share_limit(int fd, const struct jail_share *share,
			      struct jail_error *err)
{
	uint64_t page = (uint64_t)sysconf(_SC_PAGESIZE);
	bool weighed;
	int r = set(fd, share->name, "memory.max", share->memory_bytes, page - 1, err);

	if (r == 0)
		r = set(fd, share->name, "pids.max", share->processes, 0, err);
	/* A weight is a wish: where nobody weighs, all weigh the same. */
	if (r == 0 && share->cpu_weight)
		r = knob_set(fd, share->name, "cpu.weight", share->cpu_weight, 0,
			     &weighed, err);
	return r;
}

/* -EAGAIN: a sweep was there, once more. */
static int claim(int group_fd, const char *name, int *ret_fd)
{
	own_fd int fd = -1;
	struct stat st;

	if (mkdirat(group_fd, name, 0700) < 0 && errno != EEXIST)
		return -errno;
	fd = openat(group_fd, name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
	if (fd < 0)
		return errno == ENOENT ? -EAGAIN : -errno;
	if (fstat(fd, &st) < 0 || st.st_uid != geteuid())
		return -EPERM;
	if (flock(fd, LOCK_EX | LOCK_NB) < 0 || leaf_is_gone(fd))
		return -EAGAIN;
	*ret_fd = TAKE_FD(fd);
	return 0;
}

JAIL_API int jail_share_open(int group_fd, const struct jail_share *share, int *ret_fd,
			     struct jail_error *err)
{
	char name[NAME_ROOM];
	own_fd int fd = -1;
	int r = -EAGAIN;

	if (snprintf(name, sizeof(name), "%s" SHARE_SUFFIX, share->name) >=
		    (int)sizeof(name) ||
	    strchr(name, '/'))
		return jail_fail(err, JAIL_STAGE_CGROUP, EINVAL,
				 "make a group called '%.100s'", share->name);
	for (int i = 0; i < CLAIM_ROUNDS && r == -EAGAIN; i++)
		r = claim(group_fd, name, &fd);
	if (r < 0)
		return jail_fail(err, JAIL_STAGE_CGROUP, -r, "claim the group '%s'",
				 name);
	leaf_sweep(fd);
	group_hand_down(fd);
	r = jail_share_limit(fd, share, err);
	if (r < 0) {
		unlinkat(group_fd, name, AT_REMOVEDIR);
		return r;
	}
	*ret_fd = TAKE_FD(fd);
	return 0;
}

JAIL_API int jail_share_remove(int group_fd, const struct jail_share *share)
{
	char name[NAME_ROOM];

	snprintf(name, sizeof(name), "%s" SHARE_SUFFIX, share->name);
	return unlinkat(group_fd, name, AT_REMOVEDIR) < 0 ? -errno : 0;
}

static void sweep_one(int group_fd, const char *name)
{
	own_fd int fd =
		openat(group_fd, name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);

	if (fd < 0 || flock(fd, LOCK_EX | LOCK_NB) < 0 || leaf_is_gone(fd))
		return;
	leaf_sweep(fd);
	unlinkat(group_fd, name, AT_REMOVEDIR);
}

static bool is_share(const struct dirent *entry)
{
	size_t len = strlen(entry->d_name), suffix = strlen(SHARE_SUFFIX);

	return entry->d_type == DT_DIR && len > suffix &&
	       strcmp(entry->d_name + len - suffix, SHARE_SUFFIX) == 0;
}

/* There are as many as tenants that had runs when their daemon died. */
void share_sweep(int group_fd)
{
	int fd = openat(group_fd, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	DIR *dir = fd < 0 ? NULL : fdopendir(fd);

	if (!dir) {
		close_fd(fd);
		return;
	}
	for (struct dirent *entry; (entry = readdir(dir));)
		if (is_share(entry))
			sweep_one(group_fd, entry->d_name);
	closedir(dir);
}
