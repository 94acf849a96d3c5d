/* SPDX-License-Identifier: MIT */
/*
 * The filters alone, on system calls made natively, by int 0x80 and with x32 numbers:
 * every other wall still stands, but a refusal here is told by how it looks (SIGSYS, or
 * ENOSYS where the kernel itself would have answered something else).
 */
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/syscall.h>

#include "base/own.h"
#include "policy/calls.h"
#include "policy/filter_exec.h"
#include "policy/filter_js.h"
#include "policy/keys.h"
#include "tests/escape/harness.h"

static struct outcome under(const struct sock_filter *filter, size_t len,
			    const char *what, const char *arg)
{
	struct jail_spec spec = inmate_spec(what, arg);

	spec.filter.filter = (struct sock_filter *)(uintptr_t)filter;
	spec.filter.len = (unsigned short)len;
	return run_spec(&spec);
}

static struct outcome under_exec(const char *what, const char *arg)
{
	return under(filter_exec, ARRAY_LEN(filter_exec), what, arg);
}

static bool died_of_it(const struct outcome *outcome)
{
	return outcome->r == 0 && outcome->result.end == JAIL_SIGNALED &&
	       outcome->result.signal == SIGSYS && strstr(outcome->out, "trying=");
}

static void kills(const char *name, const char *arg)
{
	struct outcome outcome = under_exec("syscall", arg);

	if (!check(died_of_it(&outcome), "exec filter: %s is killed", name))
		note("%s", outcome.out);
}

static void answers_enosys(const char *name, const char *arg)
{
	struct outcome outcome = under_exec("syscall", arg);

	if (!check(has_line(&outcome, "syscall=ENOSYS"), "exec filter: %s answers ENOSYS",
		   name))
		note("%s", outcome.out);
}

static void with_number(void (*how)(const char *, const char *), const char *name,
			long number)
{
	char text[32];

	snprintf(text, sizeof(text), "%ld", number);
	how(name, text);
}

static void test_dangerous_calls(void)
{
	static const struct {
		const char *name;
		long number;
	} calls[] = {
		{"ptrace", SYS_ptrace},
		{"socket", SYS_socket},
		{"unshare", SYS_unshare},
		{"setns", SYS_setns},
		{"mount", SYS_mount},
		{"fsopen", SYS_fsopen},
		{"bpf", SYS_bpf},
		{"userfaultfd", SYS_userfaultfd},
		{"io_uring_setup", SYS_io_uring_setup},
		{"perf_event_open", SYS_perf_event_open},
		{"keyctl", SYS_keyctl},
		{"add_key", SYS_add_key},
		{"shmget", SYS_shmget},
		{"mq_open", SYS_mq_open},
		{"memfd_create", SYS_memfd_create},
		{"process_vm_readv", SYS_process_vm_readv},
		{"open_by_handle_at", SYS_open_by_handle_at},
		{"init_module", SYS_init_module},
		{"setuid", SYS_setuid},
		{"capset", SYS_capset},
		{"seccomp", SYS_seccomp},
	};

	for (size_t i = 0; i < ARRAY_LEN(calls); i++)
		with_number(kills, calls[i].name, calls[i].number);
}

static void test_unknown_calls(void)
{
	with_number(answers_enosys, "clone", SYS_clone);
	with_number(answers_enosys, "clone3", SYS_clone3);
	with_number(answers_enosys, "execve", SYS_execve);
	with_number(answers_enosys, "openat", SYS_openat);
	with_number(answers_enosys, "a number of the future", 1000);
	/* TIOCSTI, and the same with a bit that a 64-bit comparison would miss. */
	answers_enosys("ioctl TIOCSTI", "16:5412");
	answers_enosys("ioctl TIOCSTI | 1<<32", "16:100005412");
}

static void test_no_fork(void)
{
	struct outcome outcome = under_exec("fork", "");

	check_line(&outcome, "exec filter", "fork=ENOSYS");
	check_line(&outcome, "exec filter", "clone3=ENOSYS");
}

static void test_foreign_abis(void)
{
#ifdef __x86_64__
	/* 20 is getpid for i386 and writev natively: allowed or not, the ABI is foreign.
	 */
	struct outcome outcome = under_exec("int80", "20");

	check(died_of_it(&outcome), "exec filter: int 0x80 is killed");
	/* x32 read: the number that is allowed natively, with the x32 bit. */
	kills("x32 read", "0x40000000");
	kills("x32 mmap", "0x40000009");
#else
	skip("foreign ABIs", "only x86-64 has them");
#endif
}

/* Under the interpreter's outer filter, without its inner one. */
static void test_js_filter_alone(void)
{
	static const struct {
		const char *name;
		long number;
	} calls[] = {{"socket", SYS_socket},   {"openat", SYS_openat},
		     {"clone", SYS_clone},     {"ptrace", SYS_ptrace},
		     {"getpid", SYS_getpid},   {"execve", SYS_execve},
		     {"unshare", SYS_unshare}, {"no such call", 1000}};
	char text[32];

	for (size_t i = 0; i < ARRAY_LEN(calls); i++) {
		snprintf(text, sizeof(text), "%ld", calls[i].number);
		struct outcome outcome =
			under(filter_js, ARRAY_LEN(filter_js), "syscall", text);
		if (!check(died_of_it(&outcome), "js filter: %s is killed",
			   calls[i].name))
			note("signal %d: %s", outcome.result.signal, outcome.out);
	}
}

/* What a policy takes away, by that filter alone and below the one of quod exec. */
static struct outcome without(const char *away, bool alone, const char *arg)
{
	struct policy_calls calls = {.said = false};
	struct sock_filter first[CALLS_FILTER_MOST];
	struct jail_spec spec = inmate_spec("syscall", arg);
	struct value_fault fault;

	if (!check(calls_set(&calls, away, &fault) == 0, "a policy may say %s", away))
		note("%s", fault.text);
	spec.first_filter.len = (unsigned short)calls_filter(&calls, first);
	spec.first_filter.filter = first;
	if (!alone) {
		spec.filter.filter = (struct sock_filter *)(uintptr_t)filter_exec;
		spec.filter.len = ARRAY_LEN(filter_exec);
	}
	return run_spec(&spec);
}

static void test_what_a_policy_takes_away(void)
{
	char getppid_number[16], getpid_number[16], socket_number[16];
	struct outcome outcome;

	snprintf(getppid_number, sizeof(getppid_number), "%d", SYS_getppid);
	snprintf(getpid_number, sizeof(getpid_number), "%d", SYS_getpid);
	snprintf(socket_number, sizeof(socket_number), "%d", SYS_socket);
	outcome = without("~getppid", true, getppid_number);
	check_line(&outcome, "taken away, no other filter", "syscall=ENOSYS");
	outcome = without("~getppid", true, getpid_number);
	check_line(&outcome, "another call, no other filter", "syscall=ok");
	outcome = without("~getppid", false, getppid_number);
	check_line(&outcome, "taken away from quod exec", "syscall=ENOSYS");
	outcome = without("~getpid", false, getppid_number);
	check_line(&outcome, "another call of quod exec", "syscall=ok");
	outcome = without("~getppid", false, socket_number);
	check(died_of_it(&outcome), "the filter of quod exec still kills");
}

int main(void)
{
	test_dangerous_calls();
	test_unknown_calls();
	test_no_fork();
	test_foreign_abis();
	test_js_filter_alone();
	test_what_a_policy_takes_away();
	return tap_end();
}
