/* SPDX-License-Identifier: MIT */
/*
 * The kernel's surface: what user namespaces open up to everybody, what is open to
 * everybody anyway, and other ABIs. With the filter off, no capability and no way to a
 * user namespace of one's own refuse most of it; where the table has "ok" or nothing for
 * the bare jail, the filter is the wall, and the limit of open files where a descriptor
 * would come of it.
 */
#include "base/own.h"
#include "tests/escape/attacks.h"

/* clang-format off */
static const struct attack namespaces[] = {
	{"unshare(CLONE_NEWUSER)",	"unshare", "10000000",	"EPERM", "SIGSYS", NULL},
	{"unshare(CLONE_NEWNS)",	"unshare", "00020000",	"EPERM", "SIGSYS", NULL},
	{"unshare(CLONE_NEWCGROUP)",	"unshare", "02000000",	"EPERM", "SIGSYS", NULL},
	{"unshare(CLONE_NEWUTS)",	"unshare", "04000000",	"EPERM", "SIGSYS", NULL},
	{"unshare(CLONE_NEWIPC)",	"unshare", "08000000",	"EPERM", "SIGSYS", NULL},
	{"unshare(CLONE_NEWPID)",	"unshare", "20000000",	"EPERM", "SIGSYS", NULL},
	{"unshare(CLONE_NEWNET)",	"unshare", "40000000",	"EPERM", "SIGSYS", NULL},
	{"unshare(CLONE_NEWTIME)",	"unshare", "00000080",	"EPERM", "SIGSYS", NULL},
	{"unshare of user and net",	"unshare", "50000000",	"EPERM", "SIGSYS", NULL},
	{"clone(CLONE_NEWUSER)",	"clone", "10000000",	"EPERM", "ENOSYS", NULL},
	{"clone(CLONE_NEWNS)",		"clone", "00020000",	"EPERM", "ENOSYS", NULL},
	{"clone(CLONE_NEWCGROUP)",	"clone", "02000000",	"EPERM", "ENOSYS", NULL},
	{"clone(CLONE_NEWUTS)",		"clone", "04000000",	"EPERM", "ENOSYS", NULL},
	{"clone(CLONE_NEWIPC)",		"clone", "08000000",	"EPERM", "ENOSYS", NULL},
	{"clone(CLONE_NEWPID)",		"clone", "20000000",	"EPERM", "ENOSYS", NULL},
	{"clone(CLONE_NEWNET)",		"clone", "40000000",	"EPERM", "ENOSYS", NULL},
	{"clone3(CLONE_NEWUSER)",	"clone3", "10000000",	"EPERM", "ENOSYS", NULL},
	{"clone3(CLONE_NEWNS)",		"clone3", "00020000",	"EPERM", "ENOSYS", NULL},
	{"clone3(CLONE_NEWCGROUP)",	"clone3", "02000000",	"EPERM", "ENOSYS", NULL},
	{"clone3(CLONE_NEWUTS)",	"clone3", "04000000",	"EPERM", "ENOSYS", NULL},
	{"clone3(CLONE_NEWIPC)",	"clone3", "08000000",	"EPERM", "ENOSYS", NULL},
	{"clone3(CLONE_NEWPID)",	"clone3", "20000000",	"EPERM", "ENOSYS", NULL},
	{"clone3(CLONE_NEWNET)",	"clone3", "40000000",	"EPERM", "ENOSYS", NULL},
	{"clone3(CLONE_NEWTIME)",	"clone3", "00000080",	"EPERM", "ENOSYS", NULL},
	{"clone3 of all of them",	"clone3", "7e020000",	"EPERM", "ENOSYS", NULL},
	{"setns to a user namespace",	"setns", "10000000",	"EINVAL", "SIGSYS", "EMFILE"},
	{"setns to a mount namespace",	"setns", "00020000",	"EPERM", "SIGSYS", "EMFILE"},
	{"setns to a net namespace",	"setns", "40000000",	"EPERM", "SIGSYS", "EMFILE"},
	{"setns to a pid namespace",	"setns", "20000000",	"EPERM", "SIGSYS", "EMFILE"},
};

static const struct attack mounts[] = {
	{"fsopen(tmpfs)",		"fsopen", "tmpfs",	"EPERM", "SIGSYS", NULL},
	{"fsopen(proc)",		"fsopen", "proc",	"EPERM", "SIGSYS", NULL},
	{"fsopen(ext4), CVE-2022-0185",	"fsopen", "ext4",	"EPERM", "SIGSYS", NULL},
	{"fspick of the root",		"fspick", "/",		"EPERM", "SIGSYS", NULL},
	{"open_tree(OPEN_TREE_CLONE)",	"open-tree-clone", "/",	"EPERM", "SIGSYS", NULL},
	{"move_mount of the root",	"move-mount", "/",	"EPERM", "SIGSYS", NULL},
	{"mount_setattr: writable",	"mount-setattr", "/",	"EPERM", "SIGSYS", NULL},
	{"mount(tmpfs)",		"mount", "tmpfs",	"EPERM", "SIGSYS", NULL},
	{"mount(proc)",			"mount", "proc",	"EPERM", "SIGSYS", NULL},
	{"mount(sysfs)",		"mount", "sysfs",	"EPERM", "SIGSYS", NULL},
	{"mount(cgroup), CVE-2022-0492", "mount", "cgroup",	"EPERM", "SIGSYS", NULL},
	{"mount(cgroup2)",		"mount", "cgroup2",	"EPERM", "SIGSYS", NULL},
	{"mount(overlay)",		"mount", "overlay",	"EPERM", "SIGSYS", NULL},
	{"mount(mqueue)",		"mount", "mqueue",	"EPERM", "SIGSYS", NULL},
	{"mount(binfmt_misc)",		"mount", "binfmt_misc",	"EPERM", "SIGSYS", NULL},
	{"remount of the root",		"remount", "/",		"EPERM", "SIGSYS", NULL},
	{"umount2 of the root",		"umount", "",		"EPERM", "SIGSYS", NULL},
	{"pivot_root",			"pivot-root", "",	"EPERM", "SIGSYS", NULL},
	{"chroot",			"chroot", "",		"EPERM", "SIGSYS", NULL},
	{"open_by_handle_at",		"open-by-handle", "",	"EPERM", "SIGSYS", NULL},
};

static const struct attack kernel_objects[] = {
	{"bpf: a map",			"bpf-map", "",		NULL,	"SIGSYS", "EPERM EMFILE"},
	{"bpf: a program",		"bpf-program", "",	"EPERM", "SIGSYS", NULL},
	{"userfaultfd of the kernel",	"userfaultfd-kernel", "", NULL, "SIGSYS", "EPERM EMFILE"},
	{"userfaultfd of its own",	"userfaultfd-user", "",	NULL,	"SIGSYS", "EMFILE"},
	{"io_uring_setup",		"io-uring", "",		NULL,	"SIGSYS", "EMFILE ENOMEM EPERM"},
	{"perf_event_open: the host",	"perf-event-host", "",	"EACCES", "SIGSYS", NULL},
	{"perf_event_open: itself",	"perf-event-self", "",	NULL,	"SIGSYS", "EMFILE EACCES"},
	{"keyctl",			"keyctl", "",		"ok",	"SIGSYS", NULL},
	{"add_key",			"add-key", "",		"ok",	"SIGSYS", NULL},
	{"request_key",			"request-key", "",	"ENOKEY", "SIGSYS", NULL},
	{"fanotify_init: content",	"fanotify-all", "",	"EPERM", "SIGSYS", NULL},
	{"fanotify_init: unprivileged",	"fanotify-own", "",	NULL,	"SIGSYS", "EMFILE EPERM"},
	{"inotify_init1",		"inotify", "",		"ok",	"ENOSYS", "EMFILE"},
	{"memfd_create",		"memfd", "",		"ok",	"SIGSYS", "EMFILE"},
	{"a program in memory",		"write-in-memory", "#!", "EFBIG", "SIGSYS", "EMFILE"},
	{"pidfd_open",			"pidfd", "",		"ok",	"SIGSYS", "EMFILE"},
	{"fork",			"new-process", "",		"ok",	"ENOSYS", NULL},
	{"ptrace",			"ptrace", "",		"ok",	"SIGSYS", NULL},
	{"process_vm_readv",		"read-own-memory", "",	"ok",	"SIGSYS", NULL},
	{"kcmp",			"kcmp", "",		"ok",	"SIGSYS", NULL},
	{"personality",			"personality", "",	"ok",	"SIGSYS", NULL},
	{"set_mempolicy",		"set-mempolicy", "",	NULL,	"SIGSYS", NULL},
	{"move_pages",			"move-pages", "",	NULL,	"SIGSYS", NULL},
	{"memory that is code",		"map-code", "",		"ok",	"ENOSYS", NULL},
	{"memory that becomes code",	"make-code", "",	"ok",	"ENOSYS", NULL},
	{"a page at address 0",		"map-null", "",		"EPERM", "EPERM", NULL},
};

static const struct attack sockets[] = {
	{"netlink: a device",		"make-device", "quod0",	"EPERM", "SIGSYS", "EMFILE"},
	{"netlink: a route",		"write-route", "",	"EPERM", "SIGSYS", "EMFILE"},
	{"netlink: nf_tables, CVE-2024-1086", "make-table", "",	"EPERM EPROTONOSUPPORT", "SIGSYS", "EMFILE EPROTONOSUPPORT"},
	{"netlink: the kernel's events", "listen-to-kernel", "15", "ok", "SIGSYS", "EMFILE"},
	{"netlink: audit",		"listen-to-kernel", "9", "EPERM EPROTONOSUPPORT ECONNREFUSED", "SIGSYS", NULL},
	{"a packet socket",		"socket", "17:3:768",	"EPERM EAFNOSUPPORT", "SIGSYS", NULL},
	{"a raw socket",		"socket", "2:3:1",	"EPERM", "SIGSYS", NULL},
	{"a raw socket, IPv6",		"socket", "10:3:58",	"EPERM EAFNOSUPPORT", "SIGSYS", NULL},
	{"an alg socket",		"socket", "38:5:0",	NULL,	"SIGSYS", "EMFILE EAFNOSUPPORT"},
	{"a vsock socket",		"socket", "40:1:0",	NULL,	"SIGSYS", "EMFILE EAFNOSUPPORT ENODEV"},
	{"an xdp socket",		"socket", "44:3:0",	"EPERM EAFNOSUPPORT", "SIGSYS", NULL},
	{"a key socket",		"socket", "15:3:2",	"EPERM EAFNOSUPPORT", "SIGSYS", NULL},
	{"a bluetooth socket",		"socket", "31:3:1",	NULL,	"SIGSYS", "EMFILE EPERM EAFNOSUPPORT"},
	{"a can socket",		"socket", "29:3:1",	NULL,	"SIGSYS", "EMFILE EAFNOSUPPORT EPROTONOSUPPORT"},
	{"a tipc socket",		"socket", "30:5:0",	NULL,	"SIGSYS", "EMFILE EAFNOSUPPORT"},
};

static const struct attack privileges[] = {
	{"CAP_SYS_ADMIN back",		"raise-capability", "21", "EPERM", "SIGSYS", NULL},
	{"CAP_SETUID back",		"raise-capability", "7", "EPERM", "SIGSYS", NULL},
	{"an inheritable capability",	"raise-inheritable", "21", "EPERM", "SIGSYS", NULL},
	{"an ambient capability",	"raise-ambient", "",	"EPERM", "ENOSYS", NULL},
	{"securebits unlocked",		"unlock-securebits", "", "EPERM", "ENOSYS", NULL},
	{"no_new_privs taken back",	"allow-new-privileges", "", "EINVAL", NULL, NULL},
	{"the death signal cleared",	"cut-lifeline", "",	"ok",	"ENOSYS", NULL},
	{"uid 1",			"become", "1",		"EINVAL", "SIGSYS", NULL},
	{"uid 65534",			"become", "65534",	"EINVAL", "SIGSYS", NULL},
	{"gid 1",			"become-group", "1",	"EINVAL", "SIGSYS", NULL},
	{"a supplementary group",	"join-groups", "0",	"EPERM", "SIGSYS", NULL},
	{"the clock",			"set-clock", "",	"EPERM", "SIGSYS", NULL},
	{"the clock's speed",		"bend-clock", "",	"EPERM", "SIGSYS", NULL},
	{"the host's name",		"name-host", "",	"EPERM", "SIGSYS", NULL},
	{"the domain's name",		"name-domain", "",	"EPERM", "SIGSYS", NULL},
	{"reboot",			"restart", "",		"EPERM", "SIGSYS", NULL},
	{"init_module",			"load-module", "",	"EPERM ENOSYS", "SIGSYS", NULL},
	{"delete_module",		"unload-module", "",	"EPERM ENOSYS", "SIGSYS", NULL},
	{"kexec_load",			"load-kernel", "",	"EPERM ENOSYS", "SIGSYS", NULL},
	{"acct",			"account", "",		"EPERM ENOSYS", "SIGSYS", NULL},
	{"swapon",			"swap-on", "",		"EPERM ENOSYS", "SIGSYS", NULL},
	{"the kernel's console",	"set-console", "",	"EPERM", "SIGSYS", NULL},
	{"the kernel's messages",	"read-kernel-log", "",	NULL,	"SIGSYS", NULL},
	{"vhangup",			"hang-up", "",		"EPERM", "SIGSYS", NULL},
#ifdef __x86_64__
	{"iopl",			"all-ports", "",	"EPERM ENOSYS", "SIGSYS", NULL},
	{"ioperm",			"one-port", "",		"EPERM ENOSYS", "SIGSYS", NULL},
#endif
	{"a real-time class",		"be-real-time", "",	"EPERM", "ENOSYS", NULL},
	{"a better nice value",		"be-favoured", "",	"EACCES", "ENOSYS", NULL},
	{"a real-time disk class",	"be-first-at-disk", "",	"EPERM", "ENOSYS", NULL},
	{"locked memory",		"lock-memory", "",	"EPERM", "ENOSYS", NULL},
	{"RLIMIT_NOFILE raised",	"raise-limit", "7",	"EPERM", "ENOSYS", NULL},
	{"RLIMIT_FSIZE raised",		"raise-limit", "1",	"EPERM", "ENOSYS", NULL},
	{"RLIMIT_MSGQUEUE raised",	"raise-limit", "12",	"EPERM", "ENOSYS", NULL},
	{"RLIMIT_MEMLOCK raised",	"raise-limit", "8",	"EPERM", "ENOSYS", NULL},
	{"RLIMIT_CPU raised",		"raise-limit", "0",	"EPERM", "ENOSYS", NULL},
};

#ifdef __x86_64__
static const struct attack foreign_abis[] = {
	{"int 0x80",			"foreign-call", "",	NULL,	"SIGSYS", NULL},
	{"a number of x32",		"x32", "",		NULL,	"SIGSYS", NULL},
	{"modify_ldt",			"modify-ldt", "",	NULL,	"SIGSYS", NULL},
};
#endif
/* clang-format on */

#define TRY(rows) attacks_try("kernel surface", rows, ARRAY_LEN(rows))

void attack_kernel_surface(void)
{
	TRY(namespaces);
	TRY(mounts);
	TRY(kernel_objects);
	TRY(sockets);
	TRY(privileges);
}

void attack_foreign_abi(void)
{
#ifdef __x86_64__
	attacks_try("foreign ABI", foreign_abis, ARRAY_LEN(foreign_abis));
#else
	skip("foreign ABI", "only x86-64 has others");
#endif
}
