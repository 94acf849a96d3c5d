/* SPDX-License-Identifier: MIT */
/*
 * What mends a failure. A table by stage and errno for what has one usual cause, and a
 * look at the host for a refused clone, which has many.
 */
#include <errno.h>
#include <fcntl.h>
#include <linux/capability.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "base/own.h"
#include "jail/internal.h"

/* SCHED_DEADLINE, without SCHED_RESET_ON_FORK. */
#define SCHED_DEADLINE_ALONE 6

/* As in a container with ids to give and a /run that is not its own. */
#define LEASE_REMEDY                                                                \
	"the uids in use are kept there: make '" QUOD_LEASE_DIR "' a directory of " \
	"the caller's own, or start quod without CAP_SETUID: jails then have his uid"

static const struct {
	enum jail_stage stage;
	int errnum;
	const char *text;
} remedies[] = {
	{JAIL_STAGE_CGROUP, EACCES,
	 "it is not delegated to the caller: systemd-run --user --scope -p Delegate=yes "
	 "quod ..., or Delegate=yes in the unit that quod runs in"},
	{JAIL_STAGE_CGROUP, EAGAIN,
	 "cgroup.max.descendants or cgroup.max.depth of a cgroup above is reached"},
	{JAIL_STAGE_CGROUP, EBUSY,
	 "other processes are in that cgroup: start quod alone in one (systemd-run "
	 "--scope -p Delegate=yes quod ...), or move them into its subgroup "
	 "'supervisor'"},
	{JAIL_STAGE_CGROUP, EDOM,
	 "start quod in a cgroup whose cgroup.type is 'domain', and none above it is "
	 "threaded"},
	{JAIL_STAGE_CGROUP, ENODEV,
	 "cgroup v1 holds it, or the kernel has it off: boot with cgroup_no_v1=all or "
	 "systemd.unified_cgroup_hierarchy=1, and without cgroup_disable="},
	{JAIL_STAGE_CGROUP, ENXIO,
	 "it is the mount of another cgroup namespace: mount -t cgroup2 none "
	 "/sys/fs/cgroup in this one"},
	{JAIL_STAGE_CGROUP, EOPNOTSUPP,
	 "delegate it: Delegate=yes in the systemd unit or scope that quod runs in, or "
	 "cgroup.subtree_control of the cgroups above"},
	{JAIL_STAGE_CGROUP, EPERM,
	 "who owns it may stop what runs in it: rmdir it once it is empty, or have runs "
	 "made in another cgroup"},
	{JAIL_STAGE_CGROUP, EROFS,
	 "cgroups are mounted read-only, as in most containers: mount them read-write "
	 "there, with a cgroup namespace (docker run --security-opt "
	 "writable-cgroups=true, podman run --security-opt unmask=/sys/fs/cgroup)"},
	{JAIL_STAGE_IDMAP, ESRCH,
	 "mount a fresh /proc in this pid namespace: unshare --mount-proc"},
	{JAIL_STAGE_IDMAP, ENOENT, "mount /proc for the process that starts jails"},
	{JAIL_STAGE_IDMAP, EPERM,
	 "the caller may not map these ids: run without root, or as full root"},
	{JAIL_STAGE_ROOTFS, EPERM,
	 "if AppArmor restricts user namespaces: sysctl -w "
	 "kernel.apparmor_restrict_unprivileged_userns=0, or a profile that allows quod"},
	{JAIL_STAGE_ROOTFS, EACCES,
	 "if AppArmor restricts user namespaces: sysctl -w "
	 "kernel.apparmor_restrict_unprivileged_userns=0, or a profile that allows quod"},
	{JAIL_STAGE_ROOTFS, ENOSYS,
	 "the mount API needs Linux 5.14 or newer, or an outer seccomp filter blocks it"},
	{JAIL_STAGE_ROOTFS, EINVAL,
	 "pivot_root fails where '/' is the initial ramfs: switch_root first"},
	{JAIL_STAGE_RLIMITS, EAGAIN,
	 "too many processes: raise ulimit -u, or pids.max of a cgroup above"},
	{JAIL_STAGE_RLIMITS, EOPNOTSUPP,
	 "give quod a cgroup with the pids controller, or start it as another user"},
	{JAIL_STAGE_RLIMITS, EPERM, "raise the caller's hard limit: ulimit -Hs"},
	{JAIL_STAGE_LIFELINE, ENOSYS,
	 "pidfd_open needs Linux 5.14 or newer, or an outer seccomp filter blocks it"},
	{JAIL_STAGE_FDS, ENOSYS,
	 "close_range needs Linux 5.14 or newer, or an outer seccomp filter blocks it"},
	{JAIL_STAGE_FILTER, ENOSYS, "the kernel lacks CONFIG_SECCOMP_FILTER"},
	{JAIL_STAGE_FILTER, EINVAL, "the kernel lacks CONFIG_SECCOMP_FILTER"},
	{JAIL_STAGE_EXEC, ENOENT,
	 "the root is empty, so the program must be static: no ELF interpreter, no #!"},
	{JAIL_STAGE_EXEC, ENOEXEC, "not a complete static ELF program of this machine"},
	{JAIL_STAGE_EXEC, EACCES,
	 "it must be a regular file, executable for others (chmod a+x), and not on a "
	 "noexec mount"},
	{JAIL_STAGE_EXEC, ENOMEM, "it does not fit in the memory limit"},
	{JAIL_STAGE_LEASE, EAGAIN, "every uid of the range is in use: widen the range"},
	{JAIL_STAGE_LEASE, EACCES, LEASE_REMEDY},
	{JAIL_STAGE_LEASE, EPERM, LEASE_REMEDY},
	{JAIL_STAGE_LEASE, EROFS,
	 "the uids in use are kept there: mount a tmpfs at '" QUOD_LEASE_DIR
	 "' (--tmpfs, or an "
	 "emptyDir), or start quod without CAP_SETUID: jails then have his uid"},
	{JAIL_STAGE_LEASE, ENOENT, LEASE_REMEDY},
};

/* Where the kernel itself never says EPERM, a filter around us did. */
static const char *remedy_for_eperm(enum jail_stage stage)
{
	switch ((int)stage) {
	case JAIL_STAGE_LIFELINE:
	case JAIL_STAGE_FDS:
	case JAIL_STAGE_FILTER:
	case JAIL_STAGE_EXEC:
	case JAIL_STAGE_KILL:
		return "a seccomp filter around quod, as containers have one, forbids the "
		       "system call: allow it there";
	default:
		return NULL;
	}
}

const char *jail_remedy(enum jail_stage stage, int errnum)
{
	/* The same cause at every stage. */
	if (errnum == EMFILE)
		return "raise the limit on open files: ulimit -n";
	if (errnum == ENFILE)
		return "raise the host's limit: sysctl fs.file-max";
	const char *around = around_remedy(stage, errnum);
	if (around)
		return around;
	for (size_t i = 0; i < ARRAY_LEN(remedies); i++)
		if (remedies[i].stage == stage && remedies[i].errnum == errnum)
			return remedies[i].text;
	return errnum == EPERM ? remedy_for_eperm(stage) : NULL;
}

/* The number in a sysctl file, or `missing` where there is no such file. */
static long sysctl_number(const char *path, long missing)
{
	char text[32];
	own_fd int fd = open(path, O_RDONLY | O_CLOEXEC);
	ssize_t n = fd < 0 ? -1 : read(fd, text, sizeof(text) - 1);

	if (n <= 0)
		return missing;
	text[n] = '\0';
	return strtol(text, NULL, 10);
}

/* The host's switches are for those without the capability. */
static bool is_unprivileged(void)
{
	uint64_t effective = 0;

	return caps_effective(&effective) < 0 || !(effective >> CAP_SYS_ADMIN & 1);
}

static const char *explain_permission(void)
{
	if (is_unprivileged() &&
	    sysctl_number("/proc/sys/kernel/unprivileged_userns_clone", 1) == 0)
		return "unprivileged user namespaces are off: sysctl -w "
		       "kernel.unprivileged_userns_clone=1";
	if (is_unprivileged() &&
	    sysctl_number("/proc/sys/kernel/apparmor_restrict_unprivileged_userns", 0) ==
		    1)
		return "AppArmor restricts user namespaces: sysctl -w "
		       "kernel.apparmor_restrict_unprivileged_userns=0, or load the "
		       "profile that lets quod make them";
	if (around_has_filter())
		return "a seccomp filter around quod forbids it, as containers have one: "
		       "allow clone3, clone and unshare with namespace flags there "
		       "(--security-opt seccomp=FILE)";
	return "quod runs in a chroot, or a security module around it forbids it: start "
	       "it in the root of its mount namespace, or allow it user namespaces";
}

/* The kernel lets nobody inherit it, and says EAGAIN as for too many processes. */
static const char *explain_again(void)
{
	if (syscall(SYS_sched_getscheduler, 0) == SCHED_DEADLINE_ALONE)
		return "quod is scheduled by deadline, and such a task may have no child: "
		       "chrt --deadline --reset-on-fork quod ...";
	return "too many processes: raise ulimit -u or pids.max";
}

static const char *explain_space(void)
{
	static const struct {
		const char *path, *text;
	} counts[] = {
		{"/proc/sys/user/max_user_namespaces",
		 "user namespaces are off: sysctl -w user.max_user_namespaces=10000"},
		{"/proc/sys/user/max_net_namespaces",
		 "network namespaces are off: sysctl -w user.max_net_namespaces=10000"},
		{"/proc/sys/user/max_pid_namespaces",
		 "pid namespaces are off: sysctl -w user.max_pid_namespaces=10000"},
		{"/proc/sys/user/max_mnt_namespaces",
		 "mount namespaces are off: sysctl -w user.max_mnt_namespaces=10000"},
		{"/proc/sys/user/max_ipc_namespaces",
		 "ipc namespaces are off: sysctl -w user.max_ipc_namespaces=10000"},
		{"/proc/sys/user/max_uts_namespaces",
		 "uts namespaces are off: sysctl -w user.max_uts_namespaces=10000"},
		{"/proc/sys/user/max_cgroup_namespaces",
		 "cgroup namespaces are off: sysctl -w user.max_cgroup_namespaces=10000"},
	};

	for (size_t i = 0; i < ARRAY_LEN(counts); i++)
		if (sysctl_number(counts[i].path, 1) == 0)
			return counts[i].text;
	return "too many namespaces are in use or nested: raise user.max_*_namespaces";
}

const char *jail_explain_root(int errnum)
{
	const char *table = jail_remedy(JAIL_STAGE_ROOTFS, errnum);

	if (around_remedy(JAIL_STAGE_ROOTFS, errnum))
		return table;
	return errnum == EPERM || errnum == EACCES ? explain_permission() : table;
}

void jail_explain_clone(int errnum, bool into_cgroup, char *to, size_t size)
{
	const char *text = around_clone(errnum);

	switch (text ? 0 : errnum) {
	case EACCES:
		/* Asked of the nearest cgroup that has both of them below it. */
		text = into_cgroup ? "quod may not move processes from its own cgroup to "
				     "that of the run: start it below the delegated "
				     "cgroup"
				   : explain_permission();
		break;
	case EPERM:
		text = explain_permission();
		break;
	case ENOSPC:
	case EUSERS:
		text = explain_space();
		break;
	case ENOSYS:
		text = "clone3 needs Linux 5.14 or newer, or an outer seccomp filter "
		       "blocks it";
		break;
	case EINVAL:
		text = "the kernel was built without one of the namespaces";
		break;
	case ENOENT:
	case ENODEV:
		text = "the cgroup leaf of the run was removed by somebody else";
		break;
	case EAGAIN:
		text = explain_again();
		break;
	default:
		break;
	}
	snprintf(to, size, "%s", text ? text : "");
}
