/* SPDX-License-Identifier: MIT */
/*
 * The empty root. The child's mount namespace begins as a copy of the supervisor's,
 * owned by the child's user namespace: the kernel has therefore already made every mount
 * in it a slave, so that nothing done here reaches the host and no pass over all mounts
 * to make them private is needed.
 *
 * A fresh tmpfs is put over "/", so that no host path has to exist or be looked up (no
 * symlink to follow), then pivoted to. The old root, with all host mounts under it, is
 * detached: gone, not hidden.
 *
 * A second mount of the same tmpfs is then put over "/" as a lid, and the guest stays
 * below it. The kernel makes no user namespace for one whose root is not the topmost
 * mount of its mount namespace: thus nobody in the jail can win capabilities in a
 * namespace of his own, whatever the filter lets through. Leaving by "/.." leads into the
 * lid, where there is as little.
 */
#include <errno.h>
#include <fcntl.h>
#include <linux/mount.h>
#include <stdint.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "base/own.h"
#include "jail/internal.h"

#ifndef MNT_DETACH
#define MNT_DETACH 2
#endif

#define ROOT_ATTRIBUTES \
	(MOUNT_ATTR_RDONLY | MOUNT_ATTR_NOSUID | MOUNT_ATTR_NODEV | MOUNT_ATTR_NOEXEC)

static int fail(struct jail_error *err, const char *what)
{
	return jail_fail(err, JAIL_STAGE_ROOTFS, errno, "empty root: %s", what);
}

static int make_tmpfs(uint64_t attributes, int *ret_mount, struct jail_error *err)
{
	own_fd int fs = (int)syscall(SYS_fsopen, "tmpfs", FSOPEN_CLOEXEC);

	if (fs < 0)
		return fail(err, "fsopen tmpfs");
	/* No size: nobody but us ever writes to it. */
	if (syscall(SYS_fsconfig, fs, FSCONFIG_SET_STRING, "mode", "0555", 0) < 0 ||
	    syscall(SYS_fsconfig, fs, FSCONFIG_CMD_CREATE, NULL, NULL, 0) < 0)
		return fail(err, "fsconfig tmpfs");
	int mount_fd = (int)syscall(SYS_fsmount, fs, FSMOUNT_CLOEXEC, attributes);
	if (mount_fd < 0)
		return fail(err, "fsmount tmpfs");
	*ret_mount = mount_fd;
	return 0;
}

static int put_lid(int root, struct jail_error *err)
{
	own_fd int lid =
		(int)syscall(SYS_open_tree, root, "",
			     OPEN_TREE_CLONE | OPEN_TREE_CLOEXEC | AT_EMPTY_PATH);

	if (lid < 0)
		return fail(err, "open_tree of the tmpfs");
	if (syscall(SYS_move_mount, lid, "", AT_FDCWD, "/", MOVE_MOUNT_F_EMPTY_PATH) < 0)
		return fail(err, "move_mount of the lid to '/'");
	return 0;
}

static int enter(int root, struct jail_error *err)
{
	if (syscall(SYS_move_mount, root, "", AT_FDCWD, "/", MOVE_MOUNT_F_EMPTY_PATH) < 0)
		return fail(err, "move_mount tmpfs to '/'");
	if (fchdir(root) < 0)
		return fail(err, "fchdir to the tmpfs");
	if (syscall(SYS_pivot_root, ".", ".") < 0)
		return fail(err, "pivot_root");
	/* Old and new root are now stacked on "."; the old one is on top. */
	if (syscall(SYS_umount2, ".", MNT_DETACH) < 0)
		return fail(err, "umount2 of the old root");
	if (chdir("/") < 0)
		return fail(err, "chdir '/'");
	return 0;
}

/* From its first moment read-only: there is nothing in it. *ret_root is the caller's. */
static int begin_root(int *ret_root, struct jail_error *err)
{
	int r = make_tmpfs(ROOT_ATTRIBUTES, ret_root, err);

	return r < 0 ? r : enter(*ret_root, err);
}

int child_empty_root(struct jail_error *err)
{
	own_fd int root = -1;
	int r = begin_root(&root, err);

	return r < 0 ? r : put_lid(root, err);
}

int root_make(struct jail_error *err)
{
	own_fd int root = -1;

	return begin_root(&root, err);
}

int root_cover(struct jail_error *err)
{
	own_fd int root = open("/", O_PATH | O_DIRECTORY | O_CLOEXEC);

	return root < 0 ? fail(err, "open '/'") : put_lid(root, err);
}

int root_copy_directory(int *ret_tree, struct jail_error *err)
{
	struct mount_attr tame = {.attr_set = MOUNT_ATTR_NOSUID | MOUNT_ATTR_NODEV |
					      MOUNT_ATTR_NOEXEC};
	own_fd int tree =
		(int)syscall(SYS_open_tree, AT_FDCWD, "",
			     OPEN_TREE_CLONE | OPEN_TREE_CLOEXEC | AT_EMPTY_PATH);

	if (tree < 0)
		return fail(err, "open_tree of the directory that is kept");
	if (syscall(SYS_mount_setattr, tree, "", AT_EMPTY_PATH, &tame, sizeof(tame)) < 0)
		return fail(err, "mount_setattr of the directory that is kept");
	*ret_tree = TAKE_FD(tree);
	return 0;
}

/* Only what is attached can be attached to, so that the order is: a directory, the root,
 * the tree onto the directory, and then the root is read-only. */
int root_with_tree(int tree, const char *name, struct jail_error *err)
{
	struct mount_attr closed = {.attr_set = MOUNT_ATTR_RDONLY};
	own_fd int root = -1;
	int r = make_tmpfs(ROOT_ATTRIBUTES & ~MOUNT_ATTR_RDONLY, &root, err);

	if (r == 0 && mkdirat(root, name, 0555) < 0)
		r = fail(err, "mkdir in the tmpfs");
	if (r == 0)
		r = enter(root, err);
	if (r < 0)
		return r;
	if (syscall(SYS_move_mount, tree, "", root, name, MOVE_MOUNT_F_EMPTY_PATH) < 0)
		return fail(err, "move_mount of the directory that is kept");
	if (syscall(SYS_mount_setattr, root, "", AT_EMPTY_PATH, &closed, sizeof(closed)) <
	    0)
		return fail(err, "mount_setattr of the tmpfs");
	return put_lid(root, err);
}
