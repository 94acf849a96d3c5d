/* SPDX-License-Identifier: MIT */
/*
 * The tables, and their compilation by libseccomp. The standard filters are compiled at
 * build time (gen_filters.c): a run loads bytes.
 *
 * Actions. Where two filters disagree the kernel takes the stricter, in the order KILL,
 * TRAP, ERRNO, NOTIFY, ALLOW. INNER and JS trap: quod-js then names the call before it
 * dies by it. JS must not kill outright, or it would silence INNER's trap. EXEC answers
 * ENOSYS to what it does not know, so that a new libc falls back, and kills for what is
 * named dangerous. SUP and SERVER kill: a call outside the list is not ours.
 *
 * A program under `quod exec` has no handler that could name the call, so EXEC_NOTIFY
 * lets the kernel name it: the caller is held in the call until quod, told of it, has
 * killed it. The call is never made: quod's own filter keeps it from answering, and with
 * quod gone the kernel answers ENOSYS. Below a container's filter that answers an errno,
 * that answer comes first. It is one filter and not a second one beside EXEC, with the
 * same tree, so that an allowed call costs what it costs under EXEC.
 *
 * TASKS and TASKS_NOTIFY are that pair once more, for policies that allow more than one
 * process: with the calls that make processes and threads, wait for them and signal them.
 */
#include <errno.h>
#include <fcntl.h>
#include <netinet/in.h>
#include <seccomp.h>
#include <stddef.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <linux/futex.h>
#include <linux/sched.h>
#include <linux/seccomp.h>

#include "base/own.h"
#include "policy/syscalls.h"

#define PROT_EXEC_BIT	   4u
#define AT_REMOVEDIR_FLAG  0x200u
#define AT_EMPTY_PATH_FLAG 0x1000u
#define API_WITH_NOTIFY	   5u

/* All that fork, vfork, posix_spawn and pthread_create ask of clone, in glibc and in
 * musl; the low seven bits are the signal. Whatever is not here is refused, flags to come
 * included: namespaces, CLONE_PTRACE, CLONE_PARENT, CLONE_PIDFD, and the eighth bit,
 * which elsewhere is CLONE_NEWTIME. */
#define CLONE_ALLOWED                                                                  \
	((uint64_t)(CLONE_VM | CLONE_FS | CLONE_FILES | CLONE_SIGHAND | CLONE_THREAD | \
		    CLONE_SYSVSEM | CLONE_SETTLS | CLONE_PARENT_SETTID |               \
		    CLONE_CHILD_CLEARTID | CLONE_CHILD_SETTID | CLONE_DETACHED |       \
		    CLONE_VFORK) |                                                     \
	 0x7fu)

/* Private memory, and how it is laid out. Not what a limit does not count: MAP_SHARED and
 * MAP_GROWSDOWN pass by RLIMIT_DATA, MAP_HUGETLB by memory.max, into the one pool of the
 * host. Flags to come are refused too. Nothing else can be mapped: there is no file. */
#define MAP_MAY                                                                   \
	((uint64_t)(MAP_FIXED | MAP_FIXED_NOREPLACE | MAP_NORESERVE | MAP_STACK | \
		    MAP_POPULATE))

/* clang-format off */
#define ALWAYS(name, in)		  { name, in, 0, {{ 0, 0, 0 }} }
#define WHEN(name, in, arg, mask, value)  { name, in, 1, {{ arg, mask, value }} }
#define MAPS(in, kind)	{ "mmap", in, 2, {{ 2, PROT_EXEC_BIT, 0 }, \
					  { 3, ~MAP_MAY, kind | MAP_ANONYMOUS }} }
#define FUTEX(in, op, may)		  WHEN("futex", in, 1, \
					       ~(uint64_t)(FUTEX_CLOCK_REALTIME | (may)), op)
#define EQUALS				  UINT64_MAX

const struct syscall_rule syscall_rules[] = {
	/* What a guest needs to compute and to answer. */
	ALWAYS("read",			IN_INNER | IN_JS | IN_EXEC | IN_OURS),
	ALWAYS("write",			IN_INNER | IN_JS | IN_EXEC | IN_OURS),
	ALWAYS("exit_group",		IN_INNER | IN_JS | IN_EXEC | IN_OURS),
	ALWAYS("clock_gettime",		IN_INNER | IN_JS | IN_EXEC | IN_OURS),
	ALWAYS("clock_nanosleep",	IN_INNER | IN_JS | IN_EXEC),
	/* glibc's, where the kernel's clock cannot be read from user space. */
	ALWAYS("gettimeofday",		IN_EXEC),

	/* What a static libc does before main(). No writable memory becomes code. */
	WHEN("execveat",		IN_JS | IN_EXEC, 4, EQUALS, AT_EMPTY_PATH_FLAG),
	ALWAYS("brk",			IN_JS | IN_EXEC | IN_OURS),
	MAPS(				IN_JS | IN_EXEC | IN_OURS, MAP_PRIVATE),
	/* What processes have in common. */
	MAPS(				IN_TASKS, MAP_SHARED),
	WHEN("mprotect",		IN_JS | IN_EXEC | IN_OURS, 2, PROT_EXEC_BIT, 0),
	ALWAYS("munmap",		IN_JS | IN_EXEC | IN_OURS),
	ALWAYS("arch_prctl",		IN_JS | IN_EXEC),
	ALWAYS("set_tid_address",	IN_JS | IN_EXEC),
	ALWAYS("set_robust_list",	IN_JS | IN_EXEC),
	ALWAYS("rseq",			IN_JS | IN_EXEC),
	WHEN("prlimit64",		IN_JS | IN_EXEC, 2, EQUALS, 0),
	ALWAYS("readlink",		IN_JS | IN_EXEC),
	ALWAYS("readlinkat",		IN_JS | IN_EXEC),
	ALWAYS("getrandom",		IN_JS | IN_EXEC | IN_SERVER),
	ALWAYS("rt_sigaction",		IN_JS | IN_EXEC),
	ALWAYS("rt_sigprocmask",	IN_JS | IN_EXEC),

	/* quod-js makes itself undumpable and puts INNER on. */
	WHEN("prctl",			IN_JS, 0, EQUALS, PR_SET_DUMPABLE),
	WHEN("prctl",			IN_JS, 0, EQUALS, PR_SET_NO_NEW_PRIVS),
	WHEN("seccomp",			IN_JS, 0, EQUALS, SECCOMP_SET_MODE_FILTER),

	/* Ordinary programs under `quod exec`, and the supervisor's malloc. */
	ALWAYS("mremap",		IN_EXEC | IN_OURS),
	WHEN("madvise",			IN_EXEC | IN_OURS, 2, EQUALS, MADV_DONTNEED),
	WHEN("madvise",			IN_EXEC | IN_OURS, 2, EQUALS, MADV_FREE),
	ALWAYS("readv",			IN_EXEC),
	ALWAYS("writev",		IN_EXEC | IN_OURS),
	ALWAYS("close",			IN_EXEC | IN_OURS),
	/* Neither fstat nor newfstatat: the inode of a pipe and the device of the root are
	 * counters of the host. stdio lives without. */
	ALWAYS("lseek",			IN_EXEC),
	ALWAYS("exit",			IN_EXEC),
	/* Private ones alone: others are known by file and offset, and jails that run the
	 * same program have its pages in common. */
	FUTEX(IN_ALONE, FUTEX_WAIT_PRIVATE, 0),
	FUTEX(IN_ALONE, FUTEX_WAIT_BITSET_PRIVATE, 0),
	FUTEX(IN_ALONE, FUTEX_WAKE_PRIVATE, 0),
	/* A timer wakes the supervisor where a write could sleep. */
	ALWAYS("rt_sigreturn",		IN_EXEC | IN_OURS),
	ALWAYS("sigaltstack",		IN_EXEC),
	ALWAYS("nanosleep",		IN_EXEC),
	ALWAYS("clock_getres",		IN_EXEC),
	ALWAYS("sched_yield",		IN_EXEC),
	ALWAYS("getpid",		IN_EXEC | IN_SERVER),
	ALWAYS("gettid",		IN_EXEC | IN_SERVER),
	ALWAYS("getppid",		IN_EXEC),
	ALWAYS("getuid",		IN_EXEC),
	ALWAYS("geteuid",		IN_EXEC),
	ALWAYS("getgid",		IN_EXEC),
	ALWAYS("getegid",		IN_EXEC),
	ALWAYS("tgkill",		IN_EXEC),

	/* Processes and threads. The arguments of clone3 lie in memory, where no filter
	 * sees them: it answers ENOSYS and libc takes clone. Signals go to whom the pid
	 * namespace has, which is the jail. */
	WHEN("clone",			IN_TASKS, 0, ~CLONE_ALLOWED, 0),
	ALWAYS("fork",			IN_TASKS),
	ALWAYS("vfork",			IN_TASKS),
	ALWAYS("wait4",			IN_TASKS),
	ALWAYS("waitid",		IN_TASKS),
	ALWAYS("kill",			IN_TASKS),
	ALWAYS("tkill",			IN_TASKS),
	/* The kernel's own wake at the end of a thread is not private, so neither is the
	 * wait of pthread_join. What jails could have in common by it is not there: the
	 * program is a copy of the jail's own. musl's condition variables move waiters. */
	FUTEX(IN_TASKS, FUTEX_WAIT, FUTEX_PRIVATE_FLAG),
	FUTEX(IN_TASKS, FUTEX_WAIT_BITSET, FUTEX_PRIVATE_FLAG),
	FUTEX(IN_TASKS, FUTEX_WAKE, FUTEX_PRIVATE_FLAG),
	FUTEX(IN_TASKS, FUTEX_REQUEUE, FUTEX_PRIVATE_FLAG),

	/* Between a filter that tells and execveat: the listener goes to quod, then no file may be
	 * opened any more. The program gains nothing: that descriptor is closed when it
	 * begins, without a socket, a dup or a file it can make nothing that takes a
	 * message, and its limit on files is final, being 0. */
	WHEN("sendmsg",			IN_NOTIFY, 0, EQUALS, FILTER_HANDOVER_FD),
	WHEN("prlimit64",		IN_NOTIFY, 1, EQUALS, RLIMIT_NOFILE),

	/* Watching, killing and taking down a jail. */
	ALWAYS("poll",			IN_SUP),
	ALWAYS("ppoll",			IN_SUP),
	ALWAYS("waitid",		IN_SUP),
	ALWAYS("pidfd_send_signal",	IN_SUP),
	ALWAYS("pread64",		IN_OURS),
	ALWAYS("pwrite64",		IN_OURS),
	/* To hear of a forbidden call. Not to answer: who takes quod over cannot let it
	 * through either. */
	WHEN("ioctl",			IN_SUP, 1, EQUALS, SECCOMP_IOCTL_NOTIF_RECV),
	ALWAYS("restart_syscall",	IN_EXEC | IN_OURS),
	/* Why an interpreter did not start is looked at afterwards, through its descriptor;
	 * and how much room the history has. */
	ALWAYS("fstatfs",		IN_OURS),
	/* quodd's server: what waits, and connections that are made by others. It opens,
	 * starts and connects to nothing. */
	ALWAYS("epoll_wait",		IN_SERVER),
	ALWAYS("epoll_pwait",		IN_SERVER),
	ALWAYS("epoll_pwait2",		IN_SERVER),
	ALWAYS("epoll_ctl",		IN_SERVER),
	ALWAYS("timerfd_settime",	IN_SERVER),
	ALWAYS("accept4",		IN_SERVER),
	ALWAYS("recvfrom",		IN_SERVER),
	ALWAYS("recvmsg",		IN_SERVER),
	ALWAYS("sendto",		IN_SERVER),
	ALWAYS("sendmsg",		IN_SERVER),
	ALWAYS("shutdown",		IN_SERVER),
	WHEN("setsockopt",		IN_SERVER, 1, EQUALS, IPPROTO_TCP),
	WHEN("getsockopt",		IN_SERVER, 1, EQUALS, SOL_SOCKET),
	WHEN("fcntl",			IN_SERVER, 1, EQUALS, F_GETFL),
	WHEN("fcntl",			IN_SERVER, 1, EQUALS, F_SETFL),
	/* Its history: two files that SQLite has open. glibc measures a descriptor by the
	 * second of the two calls, in whose root there is nothing else to name. */
	ALWAYS("fdatasync",		IN_SERVER),
	ALWAYS("ftruncate",		IN_SERVER),
	ALWAYS("fstat",			IN_SERVER),
	WHEN("newfstatat",		IN_SERVER, 3, EQUALS, AT_EMPTY_PATH_FLAG),
	/* The empty cgroup leaf: directories only, and only empty ones can go. */
	WHEN("unlinkat",		IN_SUP, 2, EQUALS, AT_REMOVEDIR_FLAG),
};

const char *const syscall_dangerous[] = {
	"ptrace", "process_vm_readv", "process_vm_writev", "process_madvise", "kcmp",
	"pidfd_open", "pidfd_getfd", "pidfd_send_signal",
	"socket", "socketpair", "connect", "bind", "listen", "accept", "accept4",
	"sendto", "sendmsg", "recvfrom", "recvmsg",
	"unshare", "setns", "mount", "umount2", "pivot_root", "chroot", "open_tree",
	"move_mount", "fsopen", "fsconfig", "fsmount", "fspick", "mount_setattr",
	"name_to_handle_at", "open_by_handle_at",
	"bpf", "perf_event_open", "userfaultfd", "seccomp",
	"io_uring_setup", "io_uring_enter", "io_uring_register", "io_setup", "io_submit",
	"keyctl", "add_key", "request_key",
	"shmget", "shmat", "shmctl", "semget", "semop", "semctl", "msgget", "msgsnd", "msgrcv",
	"msgctl", "mq_open", "mq_unlink", "memfd_create", "memfd_secret",
	"kexec_load", "kexec_file_load", "init_module", "finit_module", "delete_module",
	"reboot", "swapon", "swapoff", "acct", "quotactl", "syslog", "sethostname",
	"setdomainname", "settimeofday", "clock_settime", "clock_adjtime", "adjtimex",
	"iopl", "ioperm", "modify_ldt", "personality", "vhangup", "fanotify_init",
	"lookup_dcookie", "move_pages", "migrate_pages", "mbind", "set_mempolicy",
	"setuid", "setgid", "setreuid", "setregid", "setresuid", "setresgid", "setgroups",
	"setfsuid", "setfsgid", "capset",
};
/* clang-format on */

const unsigned syscall_rules_count = ARRAY_LEN(syscall_rules);
const unsigned syscall_dangerous_count = ARRAY_LEN(syscall_dangerous);

#define ENOSYS_ACTION SCMP_ACT_ERRNO(ENOSYS)

/* clang-format off */
const struct filter_info filter_infos[FILTER_KINDS] = {
				/* name, other, foreign, dangerous */
	[FILTER_INNER] =	{ "inner", SCMP_ACT_TRAP, SCMP_ACT_TRAP, SCMP_ACT_TRAP },
	[FILTER_JS] =		{ "js", SCMP_ACT_TRAP, SCMP_ACT_TRAP, SCMP_ACT_TRAP },
	[FILTER_EXEC] =		{ "exec", ENOSYS_ACTION, SCMP_ACT_KILL_PROCESS,
				  SCMP_ACT_KILL_PROCESS },
	[FILTER_EXEC_NOTIFY] =	{ "exec_notify", ENOSYS_ACTION, SCMP_ACT_NOTIFY,
				  SCMP_ACT_NOTIFY },
	[FILTER_TASKS] =	{ "tasks", ENOSYS_ACTION, SCMP_ACT_KILL_PROCESS,
				  SCMP_ACT_KILL_PROCESS },
	[FILTER_TASKS_NOTIFY] =	{ "tasks_notify", ENOSYS_ACTION, SCMP_ACT_NOTIFY,
				  SCMP_ACT_NOTIFY },
	[FILTER_SUPERVISOR] =	{ "supervisor", SCMP_ACT_KILL_PROCESS,
				  SCMP_ACT_KILL_PROCESS, SCMP_ACT_KILL_PROCESS },
	[FILTER_SERVER] =	{ "server", SCMP_ACT_KILL_PROCESS, SCMP_ACT_KILL_PROCESS,
				  SCMP_ACT_KILL_PROCESS },
};
/* clang-format on */

/* -EDOM from libseccomp: the call does not exist on this architecture (readlink on
 * aarch64). That is no error: then nobody can make it either. */
static int tolerate_absent(int r)
{
	return r == -EDOM || r == -EFAULT ? 0 : r;
}

static struct scmp_arg_cmp compare(const struct syscall_condition *when)
{
	if (when->mask == EQUALS)
		return SCMP_CMP64(when->arg, SCMP_CMP_EQ, when->value);
	return SCMP_CMP64(when->arg, SCMP_CMP_MASKED_EQ, when->mask, when->value);
}

static int add_allowed(scmp_filter_ctx ctx, const struct syscall_rule *rule)
{
	int number = seccomp_syscall_resolve_name(rule->name);
	struct scmp_arg_cmp compares[SYSCALL_CONDITIONS_MOST];

	if (number == __NR_SCMP_ERROR)
		return 0; /* a libseccomp older than the call */
	for (unsigned i = 0; i < rule->conditions; i++)
		compares[i] = compare(&rule->when[i]);
	return tolerate_absent(seccomp_rule_add_array(ctx, SCMP_ACT_ALLOW, number,
						      rule->conditions, compares));
}

static const struct syscall_rule *rule_of(enum filter_kind kind, const char *name)
{
	for (unsigned i = 0; i < syscall_rules_count; i++)
		if (syscall_rules[i].in & (1u << kind) &&
		    strcmp(syscall_rules[i].name, name) == 0)
			return &syscall_rules[i];
	return NULL;
}

/* libseccomp lets an unconditional rule replace one with a condition, so where that is
 * not met has to be said. It can say so of a whole argument. */
static int add_dangerous(scmp_filter_ctx ctx, enum filter_kind kind, const char *name)
{
	int number = seccomp_syscall_resolve_name(name);
	const struct syscall_rule *but = rule_of(kind, name);

	if (number == __NR_SCMP_ERROR)
		return 0;
	if (!but)
		return tolerate_absent(
			seccomp_rule_add(ctx, filter_infos[kind].dangerous, number, 0));
	if (but->conditions != 1 || but->when[0].mask != EQUALS)
		return -EINVAL;
	return tolerate_absent(seccomp_rule_add(
		ctx, filter_infos[kind].dangerous, number, 1,
		SCMP_CMP64(but->when[0].arg, SCMP_CMP_NE, but->when[0].value)));
}

static int set_architecture(scmp_filter_ctx ctx, uint32_t arch)
{
	if (arch == 0 || arch == seccomp_arch_native())
		return 0;
	int r = seccomp_arch_remove(ctx, seccomp_arch_native());
	return r < 0 ? r : seccomp_arch_add(ctx, arch);
}

static int fill(scmp_filter_ctx ctx, enum filter_kind kind, uint32_t arch)
{
	int r = set_architecture(ctx, arch);

	if (r == 0)
		r = seccomp_attr_set(ctx, SCMP_FLTATR_ACT_BADARCH,
				     filter_infos[kind].foreign);
	/* A tree where the list is long: the kernel walks it once for every number when
	 * the filter is loaded. */
	if (r == 0 && kind != FILTER_INNER)
		r = seccomp_attr_set(ctx, SCMP_FLTATR_CTL_OPTIMIZE, 2);
	for (unsigned i = 0; r == 0 && i < syscall_rules_count; i++)
		if (syscall_rules[i].in & (1u << kind))
			r = add_allowed(ctx, &syscall_rules[i]);
	if (filter_infos[kind].dangerous != filter_infos[kind].other)
		for (unsigned i = 0; r == 0 && i < syscall_dangerous_count; i++)
			r = add_dangerous(ctx, kind, syscall_dangerous[i]);
	return r;
}

int filter_export(enum filter_kind kind, uint32_t arch, int fd)
{
	scmp_filter_ctx ctx;

	/* Otherwise libseccomp would ask the kernel that builds what it can do. */
	if (seccomp_api_set(API_WITH_NOTIFY) < 0)
		return -EOPNOTSUPP;
	ctx = seccomp_init(filter_infos[kind].other);
	if (!ctx)
		return -ENOMEM;
	int r = fill(ctx, kind, arch);
	if (r == 0)
		r = seccomp_export_bpf(ctx, fd);
	seccomp_release(ctx);
	return r;
}
