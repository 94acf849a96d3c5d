/* SPDX-License-Identifier: MIT */
/*
 * Who around us has refused what a jail is made of. One errno has many causes: EPERM comes
 * from a seccomp filter, a sysctl, a security module, a chroot or missing capabilities,
 * ENOSYS from a filter or an old kernel. What mends them differs.
 *
 * A filter sees numbers and not what pointers lead to, and it comes before the kernel looks
 * at anything. So it is told from the kernel by a call whose arguments the kernel refuses
 * for what they are: where EPERM or ENOSYS is the answer, a filter gave it.
 *
 * Called only where a step of set-up has failed before a filter of our own is there: such
 * a filter may kill who asks.
 */
#include <errno.h>
#include <fcntl.h>
#include <linux/capability.h>
#include <linux/seccomp.h>
#include <linux/stat.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/utsname.h>
#include <unistd.h>

#include "base/own.h"
#include "jail/internal.h"

static const char by_filter[] =
	"a seccomp filter around quod forbids it. A container's: start it with one that "
	"allows it, --security-opt seccomp=FILE (containers.md says how FILE is made). A "
	"unit's: RestrictNamespaces=no, SystemCallFilter=@mount";
static const char by_apparmor[] =
	"the AppArmor profile around quod forbids it, as a container's default one does: "
	"start the container with --security-opt apparmor=unconfined, or with a profile "
	"that allows mount, umount and pivot_root";
static const char by_chroot[] =
	"quod runs in a chroot, where the kernel makes no user namespaces: start it outside, "
	"or enter that root with pivot_root, as containers do";
static const char by_setfcap[] =
	"uid 0 may be mapped only by who has CAP_SETFCAP: start quod as another user "
	"(--user 1000, runAsUser: 1000), or leave it that capability";

static bool is_refused(long r)
{
	return r < 0 && (errno == EPERM || errno == ENOSYS);
}

/* One that does not let us ask is one. */
bool around_has_filter(void)
{
	int mode = prctl(PR_GET_SECCOMP);

	return mode == SECCOMP_MODE_FILTER || is_refused(mode);
}

static bool kernel_has_all(void)
{
	unsigned major = 0, minor = 0;
	struct utsname host;

	return uname(&host) == 0 && sscanf(host.release, "%u.%u", &major, &minor) == 2 &&
	       (major > KERNEL_MAJOR_LEAST ||
		(major == KERNEL_MAJOR_LEAST && minor >= KERNEL_MINOR_LEAST));
}

/* What jails and the roots of daemons are made with, in a way that the kernel refuses with
 * another errno: a size of nothing, flags that there are not, no descriptor, no path. It
 * looks first whether the caller may mount at all where that is said; then EPERM may be its
 * own. */
static const struct trial {
	const char *name;
	long number;
	unsigned long arguments[5];
	bool needs_rights, for_own_root;
} trials[] = {
	{"clone3", SYS_clone3, {0, 0}, false, false},
	{"unshare", SYS_unshare, {~0ul}, false, true},
	{"fsopen", SYS_fsopen, {0, ~0u}, true, false},
	{"fsconfig", SYS_fsconfig, {~0u}, false, false},
	{"fsmount", SYS_fsmount, {~0u, ~0u}, true, false},
	{"move_mount", SYS_move_mount, {~0u, 0, ~0u, 0, ~0u}, true, false},
	{"pivot_root", SYS_pivot_root, {0, 0}, true, false},
	{"umount2", SYS_umount2, {0, ~0u}, false, false},
	{"open_tree", SYS_open_tree, {~0u, 0, ~0u}, false, false},
	{"mount", SYS_mount, {0}, false, true},
	{"mount_setattr", SYS_mount_setattr, {~0u, 0, ~0u}, false, true},
};
/* The first of them make namespaces. */
#define TRIALS_OF_CLONE 2
#define TRIALS		ARRAY_LEN(trials)

static bool is_trial_refused(const struct trial *trial)
{
	const unsigned long *with = trial->arguments;

	return is_refused(
		syscall(trial->number, with[0], with[1], with[2], with[3], with[4]));
}

/* One of those calls goes further only for who has the rights. */
static bool has_mount_rights(void)
{
	for (size_t i = 0; i < TRIALS; i++)
		if (trials[i].needs_rights && !is_trial_refused(&trials[i]))
			return true;
	return false;
}

static bool is_refused_by_filter(const struct trial *trial)
{
	return is_trial_refused(trial) && (!trial->needs_rights || has_mount_rights());
}

static bool filter_refuses(size_t first, size_t end)
{
	if (!around_has_filter())
		return false;
	for (size_t i = first; i < end; i++)
		if (is_refused_by_filter(&trials[i]))
			return true;
	return false;
}

JAIL_API int jail_filter_refusals(bool own_root, char *ret_names, size_t size)
{
	size_t at = 0;
	int count = 0;

	if (!around_has_filter())
		return -ENOENT;
	*ret_names = '\0';
	for (size_t i = 0; i < TRIALS; i++) {
		if ((trials[i].for_own_root && !own_root) ||
		    !is_refused_by_filter(&trials[i]) || at >= size)
			continue;
		at += (size_t)snprintf(ret_names + at, size - at, "%s%s",
				       count++ ? ", " : "", trials[i].name);
	}
	return count;
}

/* In a profile's words "NAME (enforce)"; other modules have no such brackets there. */
static bool is_confined_by_apparmor(void)
{
	char label[256];
	own_fd int fd = open("/proc/self/attr/current", O_RDONLY | O_CLOEXEC);
	ssize_t n = fd < 0 ? -1 : read(fd, label, sizeof(label) - 1);

	label[n < 0 ? 0 : n] = '\0';
	return strstr(label, " (enforce)") != NULL;
}

/* The root of a process is that of a mount, unless it has been moved elsewhere. */
static bool is_chroot(void)
{
	struct statx st;

	return syscall(SYS_statx, AT_FDCWD, "/", 0, 0, &st) == 0 &&
	       (st.stx_attributes_mask & STATX_ATTR_MOUNT_ROOT) &&
	       !(st.stx_attributes & STATX_ATTR_MOUNT_ROOT);
}

/* Root of a container that was left no capability. */
static bool lacks_setfcap(void)
{
	uint64_t have = 0;

	return geteuid() == 0 && caps_effective(&have) == 0 &&
	       !(have & (uint64_t)1 << CAP_SETFCAP);
}

const char *around_clone(int errnum)
{
	if (errnum == ENOSYS && around_has_filter() && kernel_has_all())
		return by_filter;
	if (errnum == EPERM && filter_refuses(0, TRIALS_OF_CLONE))
		return by_filter;
	return errnum == EPERM && is_chroot() ? by_chroot : NULL;
}

/* ENOSYS of a call that this kernel has is a filter's. */
static const char *for_missing(enum jail_stage stage)
{
	switch ((int)stage) {
	case JAIL_STAGE_ROOTFS:
	case JAIL_STAGE_LIFELINE:
	case JAIL_STAGE_FDS:
		return around_has_filter() && kernel_has_all() ? by_filter : NULL;
	default:
		return NULL;
	}
}

const char *around_remedy(enum jail_stage stage, int errnum)
{
	if (errnum == ENOSYS)
		return for_missing(stage);
	if (stage == JAIL_STAGE_IDMAP && errnum == EPERM && lacks_setfcap())
		return by_setfcap;
	if (stage != JAIL_STAGE_ROOTFS)
		return NULL;
	if (errnum == EPERM && filter_refuses(TRIALS_OF_CLONE, TRIALS))
		return by_filter;
	return errnum == EACCES && is_confined_by_apparmor() ? by_apparmor : NULL;
}
