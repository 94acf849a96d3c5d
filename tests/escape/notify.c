/* SPDX-License-Identifier: MIT */
/*
 * The filter that tells, through libjail: the kernel names the call and its ABI, whoever
 * made it never comes back from it, and what was needed to hand the listener over is no
 * way out for the guest.
 */
#include <errno.h>
#include <fcntl.h>
#include <linux/audit.h>
#include <linux/seccomp.h>
#include <poll.h>
#include <signal.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/own.h"
#include "policy/filter_exec.h"
#include "policy/filter_exec_notify.h"
#include "policy/syscalls.h"
#include "tests/escape/harness.h"

#define PATIENCE_MS 30000

#ifdef __x86_64__
#define NATIVE AUDIT_ARCH_X86_64
#else
#define NATIVE AUDIT_ARCH_AARCH64
#endif

static struct jail_spec notify_spec(const char *what, const char *arg)
{
	struct jail_spec spec = inmate_spec(what, arg);

	spec.filter.filter = (struct sock_filter *)(uintptr_t)filter_exec;
	spec.filter.len = ARRAY_LEN(filter_exec);
	spec.notify_filter.filter = (struct sock_filter *)(uintptr_t)filter_exec_notify;
	spec.notify_filter.len = ARRAY_LEN(filter_exec_notify);
	spec.notify_fd = FILTER_HANDOVER_FD;
	return spec;
}

static short wait_for(int fd, short events)
{
	struct pollfd slot = {.fd = fd, .events = events};

	return poll(&slot, 1, PATIENCE_MS) == 1 ? slot.revents : 0;
}

static void drain(struct jail *jail, char *to, size_t size)
{
	size_t at = 0;

	for (ssize_t n = 1; n > 0 && at<size - 1; at += n> 0 ? (size_t)n : 0) {
		wait_for(jail_fd(jail, JAIL_FD_OUT), POLLIN);
		n = read(jail_fd(jail, JAIL_FD_OUT), to + at, size - 1 - at);
	}
	to[at] = '\0';
}

/* Starts it and takes the listener. NULL on failure, which is reported. */
static struct jail *start_heard(const struct jail_spec *spec, const char *what)
{
	struct jail_error err;
	struct jail *jail = NULL;

	if (jail_start(spec, &jail, &err) < 0) {
		check(false, "%s: starts: %s", what, err.text);
		return NULL;
	}
	jail_close_input(jail);
	if (wait_for(jail_fd(jail, JAIL_FD_NOTIFY), POLLIN) &&
	    jail_take_listener(jail, &err) == 0)
		return jail;
	check(false, "%s: a listener comes", what);
	jail_free(jail);
	return NULL;
}

/* How it ended; what it wrote is added to `outcome`. */
static void finish(struct jail *jail, struct outcome *outcome)
{
	drain(jail, outcome->out, sizeof(outcome->out));
	outcome->r = jail_wait(jail, &outcome->result, &outcome->err);
	jail_free(jail);
}

static struct outcome run_heard(const struct jail_spec *spec, const char *what)
{
	static struct outcome outcome;
	struct jail *jail = start_heard(spec, what);

	memset(&outcome, 0, sizeof(outcome));
	if (jail)
		finish(jail, &outcome);
	return outcome;
}

static void names(const char *what, const char *arg, uint32_t arch, uint32_t number)
{
	static struct outcome outcome;
	struct jail_spec spec = notify_spec(what, arg);
	struct jail_violation violation = {0};
	struct jail *jail = start_heard(&spec, what);
	char said[64];

	if (!jail)
		return;
	bool heard = wait_for(jail_fd(jail, JAIL_FD_NOTIFY), POLLIN) & POLLIN &&
		     jail_read_violation(jail, &violation) == 0;
	if (!check(heard && violation.arch == arch && violation.number == number,
		   "%s %s: named by the kernel", what, arg))
		note("arch 0x%x, number %u", violation.arch, violation.number);
	/* Writable: there is one that was read and not answered. */
	check(wait_for(jail_fd(jail, JAIL_FD_NOTIFY), POLLOUT) & POLLOUT,
	      "%s %s: its caller is held", what, arg);
	check(jail_kill(jail, NULL) == 0, "%s %s: can be killed in its call", what, arg);
	finish(jail, &outcome);
	check(outcome.r == 0 && outcome.result.end == JAIL_SIGNALED &&
		      outcome.result.signal == SIGKILL,
	      "%s %s: dead", what, arg);
	snprintf(said, sizeof(said), "trying=%s\n", arg);
	check(strcmp(outcome.out, said) == 0, "%s %s: never came back from its call",
	      what, arg);
}

static void test_names(void)
{
	static const struct {
		const char *what;
		long number;
	} calls[] = {{"syscall", SYS_socket},	      {"syscall", SYS_ptrace},
		     {"syscall", SYS_io_uring_setup}, {"syscall", SYS_sendmsg},
		     {"syscall", SYS_recvmsg},	      {"deaf", SYS_setns}};
	char text[32];

	for (size_t i = 0; i < ARRAY_LEN(calls); i++) {
		snprintf(text, sizeof(text), "%ld", calls[i].number);
		names(calls[i].what, text, NATIVE, (uint32_t)calls[i].number);
	}
#ifdef __x86_64__
	/* Both numbers are allowed natively. */
	names("int80", "20", AUDIT_ARCH_I386, 20);
	names("syscall", "0x40000000", AUDIT_ARCH_X86_64, 0x40000000);
#else
	skip("foreign ABIs", "only x86-64 has them");
#endif
}

/* As when the supervisor is gone, but the guest is not yet. */
static void test_without_listener(void)
{
	static struct outcome outcome;
	struct jail_spec spec;
	char text[32];

	snprintf(text, sizeof(text), "%d", SYS_socket);
	spec = notify_spec("syscall", text);
	struct jail *jail = start_heard(&spec, "nobody listens");
	if (!jail)
		return;
	wait_for(jail_fd(jail, JAIL_FD_NOTIFY), POLLIN);
	own_fd int nothing = open("/dev/null", O_RDONLY | O_CLOEXEC);
	dup3(nothing, jail_fd(jail, JAIL_FD_NOTIFY), O_CLOEXEC);
	finish(jail, &outcome);
	check_line(&outcome, "nobody listens any more", "syscall=ENOSYS");
}

/* Killed by somebody else between our poll and our read: no wait, and no name. */
static void test_caller_gone(void)
{
	static struct outcome outcome;
	struct jail_violation violation = {.number = 12345};
	struct jail_spec spec;
	char text[32];

	snprintf(text, sizeof(text), "%d", SYS_socket);
	spec = notify_spec("syscall", text);
	struct jail *jail = start_heard(&spec, "caller gone");
	if (!jail)
		return;
	wait_for(jail_fd(jail, JAIL_FD_NOTIFY), POLLIN);
	jail_kill(jail, NULL);
	wait_for(jail_fd(jail, JAIL_FD_PIDFD), POLLIN);
	check(jail_read_violation(jail, &violation) == -ENOENT &&
		      violation.number == 12345,
	      "the caller is gone: ENOENT");
	/* Linux before 6.11 counts a task until it is reaped. */
	own_fd int listener = dup(jail_fd(jail, JAIL_FD_NOTIFY));
	finish(jail, &outcome);
	check(wait_for(listener, POLLIN) == POLLHUP,
	      "the last task is gone: the listener hangs up");
}

/* What the child needed under the filter is of no use to the guest. */
static void test_what_is_left(void)
{
	struct jail_spec spec = notify_spec("sendmsg", "3");
	struct outcome outcome = run_heard(&spec, "sendmsg 3");

	check_line(&outcome, "the handover's descriptor", "sendmsg=EBADF");
	spec = notify_spec("more_files", "");
	spec.limits.open_files = 0;
	outcome = run_heard(&spec, "more files");
	check_line(&outcome, "the limit on files", "more_files=EPERM");
	check_line(&outcome, "the limit on files", "nofile=0");
	names("sendmsg", "4", NATIVE, SYS_sendmsg);
	names("sendmsg", "0x100000003", NATIVE, SYS_sendmsg);
}

/* A filter that lets all through but one call, to look around under a listener. */
static void test_descriptors(void)
{
	static const struct sock_filter code[] = {
		BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr)),
		BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_acct, 0, 1),
		BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_USER_NOTIF),
		BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
	};
	static const int numbers[] = {3, 4, 9, 63};

	for (size_t i = 0; i < ARRAY_LEN(numbers); i++) {
		struct jail_spec spec = notify_spec("fds", "");
		spec.notify_filter.filter = (struct sock_filter *)(uintptr_t)code;
		spec.notify_filter.len = ARRAY_LEN(code);
		spec.notify_fd = numbers[i];
		struct outcome outcome = run_heard(&spec, "descriptors");
		if (!check(strstr(outcome.out, "fd=0\nfd=1\nfd=2\ntty0=0\n"),
			   "handed over on %d: the guest has none but 0, 1, 2",
			   numbers[i]))
			note("%s", outcome.out);
	}
}

/* Set-up fails before there is a filter: told by the end of the socket. */
static bool no_listener_comes(void)
{
	const struct rlimit low = {.rlim_cur = 16u << 20, .rlim_max = 16u << 20};
	struct jail_spec spec = notify_spec("exit", "0");
	struct jail_result result;
	struct jail_error err;
	struct jail *jail = NULL;

	spec.limits.stack_bytes = 32u << 20;
	if (setrlimit(RLIMIT_STACK, &low) < 0 || jail_start(&spec, &jail, &err) < 0)
		return false;
	bool none = wait_for(jail_fd(jail, JAIL_FD_NOTIFY), POLLIN) &&
		    jail_take_listener(jail, &err) == 0 &&
		    jail_fd(jail, JAIL_FD_NOTIFY) == -1;
	int r = jail_wait(jail, &result, &err);
	jail_free(jail);
	return none && r == -EPERM && err.stage == JAIL_STAGE_RLIMITS;
}

static void test_no_listener_comes(void)
{
	int status = 1;

	fflush(stdout);
	pid_t pid = fork();
	if (pid == 0)
		_exit(no_listener_comes() ? 0 : 1);
	waitpid(pid, &status, 0);
	check(status == 0, "set-up failed: no listener, and why");
}

/* The kernel drops a descriptor for which there is no room. */
static void test_no_room(void)
{
	struct jail_spec spec = notify_spec("pause", "");
	struct jail_error err;
	struct jail *jail = NULL;
	struct rlimit before, now;

	if (jail_start(&spec, &jail, &err) < 0) {
		check(false, "no room: starts: %s", err.text);
		return;
	}
	wait_for(jail_fd(jail, JAIL_FD_NOTIFY), POLLIN);
	getrlimit(RLIMIT_NOFILE, &before);
	now = (struct rlimit){.rlim_cur = 0, .rlim_max = before.rlim_max};
	setrlimit(RLIMIT_NOFILE, &now);
	int r = jail_take_listener(jail, &err);
	setrlimit(RLIMIT_NOFILE, &before);
	check(r == -EMFILE && err.stage == JAIL_STAGE_FILTER, "no room for it: %s",
	      err.text);
	jail_free(jail);
}

int main(void)
{
	test_names();
	test_without_listener();
	test_caller_gone();
	test_what_is_left();
	test_descriptors();
	test_no_listener_comes();
	test_no_room();
	return tap_end();
}
