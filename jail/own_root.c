/* SPDX-License-Identifier: MIT */
/*
 * The same empty root for a process that goes on: a server that has all it needs open and
 * is about to read what strangers send.
 *
 * Without a user namespace of its own a mount namespace still shares its mounts' events
 * with the host, so that all of them are made private before anything is put over "/".
 *
 * A directory that is kept is taken along as a mount of its own. A mount can be copied only
 * within the mount namespace that it is in, and a descriptor from before stays in the old
 * one; but the working directory moves with its process into the new one. So that is where
 * the directory is on the way: no path is looked up twice.
 */
#include <errno.h>
#include <sched.h>
#include <stdio.h>
#include <string.h>
#include <sys/mount.h>
#include <unistd.h>

#include "base/own.h"
#include "jail/internal.h"

#define OWN_NAMESPACES (CLONE_NEWNS | CLONE_NEWNET | CLONE_NEWIPC | CLONE_NEWUTS)

static int fail(struct jail_error *err, const char *what)
{
	return jail_fail(err, JAIL_STAGE_ROOTFS, errno, "an empty root of our own: %s",
			 what);
}

static int fail_unshare(struct jail_error *err, const char *what)
{
	int errnum = errno;
	char why[256];

	jail_explain_clone(errnum, false, why, sizeof(why));
	return jail_fail(err, JAIL_STAGE_CLONE, errnum,
			 "an empty root of our own: %s%s%s", what, *why ? ": " : "", why);
}

static int make_namespaces(bool *ret_user, struct jail_error *err)
{
	*ret_user = false;
	if (unshare(OWN_NAMESPACES) == 0)
		return 0;
	if (errno != EPERM)
		return fail_unshare(err, "unshare");
	if (unshare(CLONE_NEWUSER | OWN_NAMESPACES) < 0)
		return fail_unshare(err, "unshare with a user namespace");
	*ret_user = true;
	return 0;
}

JAIL_API int jail_empty_own_root(int dir, const char *name, struct jail_error *err)
{
	struct idmap map = {.inside = JAIL_UID_INSIDE,
			    .uid_outside = geteuid(),
			    .gid_outside = getegid()};
	own_fd int tree = -1;
	bool user;
	int r;

	if (dir >= 0 && fchdir(dir) < 0)
		return fail(err, "fchdir to the directory that is kept");
	r = make_namespaces(&user, err);
	if (r == 0 && user)
		r = idmap_write_own(&map, err);
	if (r < 0)
		return r;
	if (mount(NULL, "/", NULL, MS_REC | MS_PRIVATE, NULL) < 0)
		return fail(err, "make all mounts private");
	if (dir < 0)
		return child_empty_root(err);
	r = root_copy_directory(&tree, err);
	return r < 0 ? r : root_with_tree(tree, name, err);
}
