/* SPDX-License-Identifier: MIT */
/*
 * What cannot work is refused in one sentence that names its stage: a specification that
 * makes no sense, programs that cannot start, and a kernel (or a container's filter) that
 * answers ENOSYS to what a jail is made of. Never a half-made jail.
 */
#include <errno.h>
#include <fcntl.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mount.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <sched.h>
#include <unistd.h>

#include "base/own.h"
#include "tests/escape/harness.h"

static void refused(const struct jail_spec *spec, const char *what, int errnum, int stage)
{
	struct outcome outcome = run_spec(spec);

	check(outcome.r == -errnum && outcome.err.errnum == errnum &&
		      outcome.err.stage == stage,
	      "%s: %s: %s", what, jail_stage_name(outcome.err.stage), outcome.err.text);
	if (outcome.r >= 0)
		note("it ran: exit %d signal %d", outcome.result.exit_code,
		     outcome.result.signal);
}

/* A filter with a listener may turn out not to be possible. */
static void test_notify_specifications(void)
{
	static struct sock_filter code[] = {BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW)};
	const struct sock_fprog all = {.len = 1, .filter = code};
	const struct sock_fprog empty = {.len = 1};
	struct jail_spec spec = inmate_spec("exit", "0");

	spec.first_filter = empty;
	refused(&spec, "a first_filter without bytes", EINVAL, JAIL_STAGE_SPEC);
	spec.first_filter.len = 0;
	spec.notify_filter = all;
	spec.notify_fd = 3;
	refused(&spec, "no filter to fall back to", EINVAL, JAIL_STAGE_SPEC);
	spec.filter = all;
	spec.notify_filter = empty;
	refused(&spec, "a notify_filter without bytes", EINVAL, JAIL_STAGE_SPEC);
	spec.notify_filter = all;
	spec.notify_fd = 2;
	refused(&spec, "a handover on the guest's stderr", EINVAL, JAIL_STAGE_SPEC);
	spec.notify_fd = 64;
	refused(&spec, "a handover too far up", EINVAL, JAIL_STAGE_SPEC);
}

static void test_specifications(void)
{
	static const char *const ids[] = {"", "a/b", "..", "a b", "a.b", "\xc3\xa4"};
	struct jail_spec spec = inmate_spec("exit", "0");

	for (size_t i = 0; i < ARRAY_LEN(ids); i++) {
		spec.id = ids[i];
		refused(&spec, "odd id", EINVAL, JAIL_STAGE_SPEC);
	}
	spec = inmate_spec("exit", "0");
	spec.exe_fd = -1;
	refused(&spec, "no program", EINVAL, JAIL_STAGE_SPEC);
	spec = inmate_spec("exit", "0");
	spec.limits.memory_bytes = 1000;
	refused(&spec, "memory too small to start", EINVAL, JAIL_STAGE_SPEC);
	spec = inmate_spec("exit", "0");
	spec.limits.stack_bytes = 1;
	refused(&spec, "stack too small to start", EINVAL, JAIL_STAGE_SPEC);
	spec = inmate_spec("exit", "0");
	spec.uid_count = 10;
	spec.uid_first = 0;
	refused(&spec, "host uid 0 in the range", EINVAL, JAIL_STAGE_SPEC);
	spec.uid_first = UINT32_MAX - 5;
	refused(&spec, "host uids that wrap", EINVAL, JAIL_STAGE_SPEC);
	spec = inmate_spec("exit", "0");
	spec.uid_inside = UINT32_MAX;
	refused(&spec, "uid -1 inside", EINVAL, JAIL_STAGE_SPEC);
	test_notify_specifications();
	spec = inmate_spec("exit", "0");
	void (*old)(int) = signal(SIGCHLD, SIG_IGN);
	refused(&spec, "SIGCHLD ignored", EINVAL, JAIL_STAGE_SPEC);
	signal(SIGCHLD, old);
	spec.flags |= JAIL_NEED_CGROUP;
	refused(&spec, "cgroup required and not given", EOPNOTSUPP, JAIL_STAGE_CGROUP);
}

/* A file in a fresh directory under $TMPDIR with this content and mode. */
static int make_file(const char *content, size_t size, mode_t mode)
{
	char path[4096];
	const char *tmp = getenv("TMPDIR");

	snprintf(path, sizeof(path), "%s/quod-refusals-XXXXXX", tmp ? tmp : "/tmp");
	int fd = mkstemp(path);
	if (fd < 0 || write(fd, content, size) != (ssize_t)size || fchmod(fd, mode) < 0)
		return close_fd(fd);
	close(fd);
	fd = open(path, O_PATH | O_CLOEXEC);
	unlink(path);
	return fd;
}

static void program_refused(const char *what, int fd, int errnum)
{
	struct jail_spec spec = inmate_spec("exit", "0");

	spec.exe_fd = fd;
	refused(&spec, what, errnum, JAIL_STAGE_EXEC);
	close_fd(fd);
}

static void test_programs(void)
{
	char head[20000];
	own_fd int inmate = open(inmate_path(), O_RDONLY | O_CLOEXEC);
	ssize_t n = inmate < 0 ? -1 : read(inmate, head, sizeof(head));

	check(n == (ssize_t)sizeof(head), "the inmate can be read");
	program_refused("empty file", make_file("", 0, 0755), ENOEXEC);
	program_refused("script", make_file("#!/bin/sh\n", 10, 0755), ENOENT);
	program_refused("text", make_file("hello", 5, 0755), ENOEXEC);
	program_refused("ELF header alone", make_file(head, 64, 0755), ENOEXEC);
	program_refused("directory", open("/", O_PATH | O_CLOEXEC), EACCES);
	program_refused("not executable", make_file(head, (size_t)n, 0644), EACCES);
	if (in_root_mode())
		program_refused("executable for its owner only",
				make_file(head, (size_t)n, 0700), EACCES);
	program_refused("dynamic program", open("/bin/true", O_PATH | O_CLOEXEC), ENOENT);
}

static bool write_file(const char *path, const char *text)
{
	own_fd int fd = open(path, O_WRONLY | O_CLOEXEC);

	return fd >= 0 && write(fd, text, strlen(text)) == (ssize_t)strlen(text);
}

/* A mount namespace to mount in: as root, or as root of a user namespace of our own. */
static bool become_mounter(void)
{
	char uid_map[64], gid_map[64];

	if (unshare(CLONE_NEWNS) == 0)
		return mount(NULL, "/", NULL, MS_REC | MS_PRIVATE, NULL) == 0;
	snprintf(uid_map, sizeof(uid_map), "0 %u 1", (unsigned)geteuid());
	snprintf(gid_map, sizeof(gid_map), "0 %u 1", (unsigned)getegid());
	return unshare(CLONE_NEWUSER | CLONE_NEWNS) == 0 &&
	       write_file("/proc/self/setgroups", "deny") &&
	       write_file("/proc/self/gid_map", gid_map) &&
	       write_file("/proc/self/uid_map", uid_map);
}

/* Copies the inmate to a fresh noexec tmpfs and tries to run it from there. */
static bool refused_on_noexec(void)
{
	char block[65536];

	if (!become_mounter() || mount("t", "/mnt", "tmpfs", MS_NOEXEC, NULL) < 0)
		return false;
	own_fd int from = open(inmate_path(), O_RDONLY | O_CLOEXEC);
	own_fd int to = open("/mnt/inmate", O_CREAT | O_WRONLY | O_CLOEXEC, 0755);
	for (ssize_t n; (n = read(from, block, sizeof(block))) > 0;)
		if (write(to, block, (size_t)n) != n)
			return false;
	to = close_fd(to);
	own_fd int exe = open("/mnt/inmate", O_PATH | O_CLOEXEC);
	struct jail_spec spec = inmate_spec("exit", "0");
	spec.exe_fd = exe;
	struct outcome outcome = run_spec(&spec);
	return outcome.r == -EACCES && strstr(outcome.err.text, "noexec");
}

static void test_noexec_mount(void)
{
	int status = 1;

	fflush(stdout);
	pid_t pid = fork();
	if (pid == 0)
		_exit(refused_on_noexec() ? 0 : 1);
	waitpid(pid, &status, 0);
	check(status == 0, "program on a noexec mount: the remedy says so");
}

static void denied(const char *name, long number, int errnum, int stage)
{
	struct jail_spec spec = inmate_spec("exit", "0"); /* opens what it needs */
	int status = 1;

	fflush(stdout);
	pid_t pid = fork();
	if (pid == 0) {
		if (!deny_call(number, 0, 0, errnum))
			_exit(2);
		struct outcome outcome = run_spec(&spec);
		bool right = outcome.r == -errnum && outcome.err.stage == stage;
		/* Nothing may be left of it: no child to wait for. */
		right = right && waitpid(-1, NULL, WNOHANG) < 0 && errno == ECHILD;
		if (!right)
			note("%d at %s: %s", outcome.r,
			     jail_stage_name(outcome.err.stage), outcome.err.text);
		fflush(stdout);
		_exit(right ? 0 : 1);
	}
	waitpid(pid, &status, 0);
	check(status == 0, "%s answers errno %d: stage %s, clean refusal", name, errnum,
	      jail_stage_name(stage));
}

static void test_denied_calls(void)
{
	static const struct {
		const char *name;
		long number;
		int stage;
	} calls[] = {
		{"clone3", SYS_clone3, JAIL_STAGE_CLONE},
		{"pipe2", SYS_pipe2, JAIL_STAGE_PIPES},
		{"pidfd_open", SYS_pidfd_open, JAIL_STAGE_LIFELINE},
		{"close_range", SYS_close_range, JAIL_STAGE_FDS},
		{"fsopen", SYS_fsopen, JAIL_STAGE_ROOTFS},
		{"fsconfig", SYS_fsconfig, JAIL_STAGE_ROOTFS},
		{"fsmount", SYS_fsmount, JAIL_STAGE_ROOTFS},
		{"move_mount", SYS_move_mount, JAIL_STAGE_ROOTFS},
		{"pivot_root", SYS_pivot_root, JAIL_STAGE_ROOTFS},
		{"umount2", SYS_umount2, JAIL_STAGE_ROOTFS},
		{"open_tree", SYS_open_tree, JAIL_STAGE_ROOTFS},
		{"setresuid", SYS_setresuid, JAIL_STAGE_CREDENTIALS},
		{"setresgid", SYS_setresgid, JAIL_STAGE_CREDENTIALS},
		{"capset", SYS_capset, JAIL_STAGE_CAPABILITIES},
		{"execveat", SYS_execveat, JAIL_STAGE_EXEC},
	};

	for (size_t i = 0; i < ARRAY_LEN(calls); i++) {
		denied(calls[i].name, calls[i].number, ENOSYS, calls[i].stage);
		denied(calls[i].name, calls[i].number, EPERM, calls[i].stage);
	}
	/* A child that fails at once and one who still writes to it: no SIGPIPE. */
	for (int i = 0; i < 30; i++)
		denied("close_range", SYS_close_range, ENOSYS, JAIL_STAGE_FDS);
	/* Whether we are root cannot be found out: never guessed. */
	denied("capget", SYS_capget, EPERM, JAIL_STAGE_IDMAP);
	if (in_root_mode())
		denied("openat", SYS_openat, ENOMEM, JAIL_STAGE_IDMAP);
	/* The last step before the filter. */
	denied("prlimit64", SYS_prlimit64, EPERM, JAIL_STAGE_RLIMITS);
}

static void test_filter_that_the_kernel_refuses(void)
{
	static struct sock_filter nonsense[] = {{0xffff, 0, 0, 0}};
	struct jail_spec spec = inmate_spec("exit", "0");

	spec.filter = (struct sock_fprog){.len = 1, .filter = nonsense};
	refused(&spec, "a filter that is no program", EINVAL, JAIL_STAGE_FILTER);
}

int main(void)
{
	test_specifications();
	test_programs();
	test_noexec_mount();
	test_filter_that_the_kernel_refuses();
	test_denied_calls();
	return tap_end();
}
