/* SPDX-License-Identifier: MIT */
/*
 * Attacks on the kernel itself: what a user namespace opens up for everybody, and what is
 * open to everybody anyway. Each call is made as it would have to be made to succeed, not
 * with arguments that are refused for themselves.
 */
#include <errno.h>
#include <fcntl.h>
#include <linux/bpf.h>
#include <linux/io_uring.h>
#include <linux/keyctl.h>
#include <linux/mount.h>
#include <linux/perf_event.h>
#include <linux/sched.h>
#include <linux/userfaultfd.h>
#include <sched.h>
#include <signal.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/fanotify.h>
#include <sys/inotify.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/ptrace.h>
#include <sys/syscall.h>
#include <sys/sysinfo.h>
#include <sys/uio.h>
#include <sys/utsname.h>
#include <unistd.h>

#include "tests/escape/inmate.h"

#define ATTEMPT(name, expression)          \
	static long name(const char *arg)  \
	{                                  \
		(void)arg;                 \
		return (long)(expression); \
	}

/* arg: CLONE_ flags, hexadecimal. */
static uint64_t flags_of(const char *arg)
{
	return strtoull(arg, NULL, 16);
}

static long unshare_it(const char *arg)
{
	return unshare((int)flags_of(arg));
}

/* No time is left to a child that should not be there. */
static long clone_it(const char *arg)
{
	long pid = syscall(SYS_clone, flags_of(arg) | SIGCHLD, NULL, NULL, NULL, 0);

	if (pid == 0)
		_exit(0);
	return pid;
}

static long clone3_it(const char *arg)
{
	struct clone_args args = {.flags = flags_of(arg), .exit_signal = SIGCHLD};
	long pid = syscall(SYS_clone3, &args, sizeof(args));

	if (pid == 0)
		_exit(0);
	return pid;
}

/* Into what we are in already: it needs the powers all the same. */
static long setns_it(const char *arg)
{
	long fd = syscall(SYS_pidfd_open, getpid(), 0);

	return fd < 0 ? fd : setns((int)fd, (int)flags_of(arg));
}

static long fsopen_it(const char *arg)
{
	return syscall(SYS_fsopen, arg, FSOPEN_CLOEXEC);
}

static long fspick_it(const char *arg)
{
	return syscall(SYS_fspick, AT_FDCWD, arg, FSPICK_CLOEXEC);
}

static long open_tree_clone(const char *arg)
{
	return syscall(SYS_open_tree, AT_FDCWD, arg, OPEN_TREE_CLONE | OPEN_TREE_CLOEXEC);
}

static long move_mount_it(const char *arg)
{
	return syscall(SYS_move_mount, AT_FDCWD, arg, AT_FDCWD, "/", 0);
}

static long mount_setattr_it(const char *arg)
{
	struct mount_attr writable = {.attr_clr = MOUNT_ATTR_RDONLY};

	return syscall(SYS_mount_setattr, AT_FDCWD, arg, 0, &writable, sizeof(writable));
}

static long mount_it(const char *type)
{
	return syscall(SYS_mount, "none", "/", type, 0, NULL);
}

static long remount_it(const char *path)
{
	return syscall(SYS_mount, NULL, path, NULL, 0x20 | 0x1000, NULL);
}

ATTEMPT(umount_it, syscall(SYS_umount2, "/", 2))
ATTEMPT(pivot_root_it, syscall(SYS_pivot_root, ".", "."))
ATTEMPT(chroot_it, chroot("/"))

static long bpf_map(const char *arg)
{
	union bpf_attr attr = {.map_type = BPF_MAP_TYPE_ARRAY,
			       .key_size = 4,
			       .value_size = 8,
			       .max_entries = 1};

	(void)arg;
	return syscall(SYS_bpf, BPF_MAP_CREATE, &attr, sizeof(attr));
}

static long bpf_program(const char *arg)
{
	const struct bpf_insn code[] = {{.code = BPF_ALU64 | BPF_MOV | BPF_K},
					{.code = BPF_JMP | BPF_EXIT}};
	union bpf_attr attr = {.prog_type = BPF_PROG_TYPE_KPROBE,
			       .insns = (uintptr_t)code,
			       .insn_cnt = COUNT(code),
			       .license = (uintptr_t) "GPL"};

	(void)arg;
	return syscall(SYS_bpf, BPF_PROG_LOAD, &attr, sizeof(attr));
}

ATTEMPT(userfaultfd_kernel, syscall(SYS_userfaultfd, O_CLOEXEC))
ATTEMPT(userfaultfd_user, syscall(SYS_userfaultfd, O_CLOEXEC | UFFD_USER_MODE_ONLY))

static long io_uring_it(const char *arg)
{
	struct io_uring_params params = {.flags = 0};

	(void)arg;
	return syscall(SYS_io_uring_setup, 4, &params);
}

static long perf_event(int user_only)
{
	struct perf_event_attr attr = {.type = PERF_TYPE_SOFTWARE,
				       .size = sizeof(attr),
				       .config = PERF_COUNT_SW_TASK_CLOCK,
				       .exclude_kernel = (unsigned)user_only & 1,
				       .exclude_hv = (unsigned)user_only & 1};

	return syscall(SYS_perf_event_open, &attr, user_only ? 0 : -1, user_only ? -1 : 0,
		       -1, 0);
}

ATTEMPT(perf_event_host, perf_event(0))
ATTEMPT(perf_event_self, perf_event(1))

ATTEMPT(keyctl_it, syscall(SYS_keyctl, KEYCTL_JOIN_SESSION_KEYRING, NULL))
ATTEMPT(add_key_it,
	syscall(SYS_add_key, "user", "quod", "x", 1, KEY_SPEC_PROCESS_KEYRING))
ATTEMPT(request_key_it, syscall(SYS_request_key, "keyring", "_uid.0", NULL, 0))

ATTEMPT(fanotify_all, fanotify_init(FAN_CLASS_CONTENT | FAN_CLOEXEC, O_RDONLY))
ATTEMPT(fanotify_own,
	fanotify_init(FAN_CLASS_NOTIF | FAN_REPORT_FID | FAN_CLOEXEC, O_RDONLY))
ATTEMPT(inotify_it, inotify_init1(IN_CLOEXEC))
ATTEMPT(memfd_it, syscall(SYS_memfd_create, "x", 1))
ATTEMPT(fork_it, clone_it("0"))
ATTEMPT(ptrace_it, ptrace(PTRACE_TRACEME, 0, NULL, NULL))
ATTEMPT(kcmp_it, syscall(SYS_kcmp, getpid(), getpid(), 0, 0, 0))
ATTEMPT(pidfd_it, syscall(SYS_pidfd_open, getpid(), 0))
ATTEMPT(personality_it, syscall(SYS_personality, 0x0040000))
ATTEMPT(set_mempolicy_it, syscall(SYS_set_mempolicy, 0, NULL, 0))
ATTEMPT(move_pages_it, syscall(SYS_move_pages, 0, 0, NULL, NULL, NULL, 0))

static long read_own_memory(const char *arg)
{
	char to[8], from[8] = "x";
	struct iovec local = {to, sizeof(to)}, remote = {from, sizeof(from)};

	(void)arg;
	return process_vm_readv(getpid(), &local, 1, &remote, 1, 0);
}

/* Code that did not come from the file: what a break-in wants to run. */
static long map_code(const char *arg)
{
	void *page = mmap(NULL, 4096, PROT_READ | PROT_WRITE | PROT_EXEC,
			  MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	(void)arg;
	return page == MAP_FAILED ? -1 : 0;
}

static long make_code(const char *arg)
{
	void *page = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS,
			  -1, 0);

	(void)arg;
	return page == MAP_FAILED ? -1 : mprotect(page, 4096, PROT_READ | PROT_EXEC);
}

static long map_null(const char *arg)
{
	void *page = mmap(NULL, 4096, PROT_READ | PROT_WRITE,
			  MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED, -1, 0);

	(void)arg;
	return page == MAP_FAILED ? -1 : 0;
}

/* Memory that several jails have in common or could come to have: the program's pages,
 * and equal pages that the kernel merges. Who times it learns of the others. */
static const char common_pages[8192] __attribute__((aligned(4096))) = "common";
static char mergeable_pages[8192] __attribute__((aligned(4096)));

static long advise(const void *pages, int advice)
{
	return madvise((void *)(uintptr_t)pages, 8192, advice);
}

static long ask_page_cache(const char *arg)
{
	unsigned char resident[2];

	(void)arg;
	return mincore((void *)(uintptr_t)common_pages, sizeof(common_pages), resident);
}

static long read_host_name(const char *arg)
{
	struct utsname names;

	(void)arg;
	return uname(&names);
}

static long read_host_load(const char *arg)
{
	struct sysinfo info;

	(void)arg;
	return sysinfo(&info);
}

ATTEMPT(offer_pages, advise(mergeable_pages, MADV_MERGEABLE))
ATTEMPT(drop_pages, advise(common_pages, MADV_PAGEOUT))

#ifdef __x86_64__
/* getpid of i386. */
static long int80(const char *arg)
{
	long r = 20;

	(void)arg;
	__asm__ volatile("int $0x80" : "+a"(r) : "b"(0), "c"(0), "d"(0) : "memory");
	return r < 0 ? failed_with((int)-r) : r;
}

ATTEMPT(modify_ldt_it, syscall(SYS_modify_ldt, 0, NULL, 0))
ATTEMPT(x32, syscall(0x40000000 | SYS_getpid))
#endif

const struct attempt surface_attempts[] = {
	{"unshare", unshare_it},
	{"clone", clone_it},
	{"clone3", clone3_it},
	{"setns", setns_it},
	{"fsopen", fsopen_it},
	{"fspick", fspick_it},
	{"open-tree-clone", open_tree_clone},
	{"move-mount", move_mount_it},
	{"mount-setattr", mount_setattr_it},
	{"mount", mount_it},
	{"remount", remount_it},
	{"umount", umount_it},
	{"pivot-root", pivot_root_it},
	{"chroot", chroot_it},
	{"bpf-map", bpf_map},
	{"bpf-program", bpf_program},
	{"userfaultfd-kernel", userfaultfd_kernel},
	{"userfaultfd-user", userfaultfd_user},
	{"io-uring", io_uring_it},
	{"perf-event-host", perf_event_host},
	{"perf-event-self", perf_event_self},
	{"keyctl", keyctl_it},
	{"add-key", add_key_it},
	{"request-key", request_key_it},
	{"fanotify-all", fanotify_all},
	{"fanotify-own", fanotify_own},
	{"inotify", inotify_it},
	{"memfd", memfd_it},
	{"new-process", fork_it},
	{"ptrace", ptrace_it},
	{"kcmp", kcmp_it},
	{"pidfd", pidfd_it},
	{"personality", personality_it},
	{"set-mempolicy", set_mempolicy_it},
	{"move-pages", move_pages_it},
	{"read-own-memory", read_own_memory},
	{"map-code", map_code},
	{"make-code", make_code},
	{"map-null", map_null},
	{"ask-page-cache", ask_page_cache},
	{"offer-pages", offer_pages},
	{"drop-pages", drop_pages},
	{"read-host-name", read_host_name},
	{"read-host-load", read_host_load},
#ifdef __x86_64__
	{"foreign-call", int80},
	{"x32", x32},
	{"modify-ldt", modify_ldt_it},
#endif
	{NULL, NULL},
};
