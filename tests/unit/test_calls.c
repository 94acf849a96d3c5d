/* SPDX-License-Identifier: MIT */
/*
 * SystemCallFilter=: what its lines come to, and what the filter that is made of them
 * answers to every number.
 */
#include <criterion/criterion.h>
#include <errno.h>
#include <linux/audit.h>
#include <string.h>
#include <sys/syscall.h>

#include "base/own.h"
#include "policy/calls.h"
#include "policy/keys.h"
#include "tests/filter/bpf.h"

#ifdef __x86_64__
#define NATIVE	AUDIT_ARCH_X86_64
#define FOREIGN AUDIT_ARCH_I386
#else
#define NATIVE	AUDIT_ARCH_AARCH64
#define FOREIGN AUDIT_ARCH_ARM
#endif

#define NUMBERS 1200
#define REFUSED (SECCOMP_RET_ERRNO | ENOSYS)

/* Lines, up to NULL. Returns what the last of them gives. */
static int set_lines(struct policy_calls *calls, const char *const *lines,
		     struct value_fault *fault)
{
	int r = 0;

	*calls = (struct policy_calls){0};
	for (; r == 0 && *lines; lines++)
		r = calls_set(calls, *lines, fault);
	return r;
}

static uint32_t answer(const struct sock_filter *code, uint32_t arch, int number)
{
	const struct seccomp_data data = {.arch = arch, .nr = number};

	return bpf_run(code, &data);
}

/* All numbers that the filter refuses, and only those it may. */
static unsigned count_refused(const struct sock_filter *code)
{
	unsigned count = 0;

	for (int i = 0; i < NUMBERS; i++) {
		uint32_t says = answer(code, NATIVE, i);

		cr_expect(says == SECCOMP_RET_ALLOW || says == REFUSED, "%d: %#x", i,
			  says);
		cr_expect_eq(answer(code, FOREIGN, i), SECCOMP_RET_ALLOW, "foreign %d",
			     i);
		count += says == REFUSED;
	}
	return count;
}

Test(calls, nothing_taken_away_is_no_filter)
{
	static const char *const lines[][3] = {
		{NULL}, {""}, {"~getpid", ""}, {"~getpid", "getpid"}, {"~ptrace"},
	};
	struct sock_filter code[CALLS_FILTER_MOST];
	struct policy_calls calls;
	struct value_fault fault;

	for (size_t i = 0; i < ARRAY_LEN(lines); i++) {
		cr_expect_eq(set_lines(&calls, lines[i], &fault), 0);
		cr_expect_eq(calls_filter(&calls, code), 0, "%zu", i);
	}
}

Test(calls, what_is_named_behind_a_tilde_goes)
{
	static const char *const lines[] = {"~getpid gettid", "~ readv", "gettid", NULL};
	struct sock_filter code[CALLS_FILTER_MOST];
	struct policy_calls calls;
	struct value_fault fault;

	cr_assert_eq(set_lines(&calls, lines, &fault), 0);
	unsigned len = calls_filter(&calls, code);
	cr_assert(bpf_check(code, len));
	cr_expect_eq(answer(code, NATIVE, SYS_getpid), REFUSED);
	cr_expect_eq(answer(code, NATIVE, SYS_readv), REFUSED);
	cr_expect_eq(answer(code, NATIVE, SYS_gettid), SECCOMP_RET_ALLOW);
	cr_expect_eq(count_refused(code), 2);
#ifdef __x86_64__
	cr_expect_eq(answer(code, NATIVE, SYS_getpid | 0x40000000), SECCOMP_RET_ALLOW,
		     "x32 is another ABI");
#endif
}

Test(calls, what_is_not_named_goes)
{
	static const char *const lines[] = {"read brk mmap", "getpid", "~brk", NULL};
	static const int stay[] = {SYS_read,	   SYS_mmap,  SYS_getpid,   SYS_execveat,
				   SYS_exit_group, SYS_write, SYS_prlimit64};
	static const int go[] = {SYS_brk, SYS_gettid, SYS_close, SYS_clone, SYS_futex};
	struct sock_filter code[CALLS_FILTER_MOST];
	struct policy_calls calls;
	struct value_fault fault;

	cr_assert_eq(set_lines(&calls, lines, &fault), 0);
	cr_assert(bpf_check(code, calls_filter(&calls, code)));
	for (size_t i = 0; i < ARRAY_LEN(stay); i++)
		cr_expect_eq(answer(code, NATIVE, stay[i]), SECCOMP_RET_ALLOW, "%d",
			     stay[i]);
	for (size_t i = 0; i < ARRAY_LEN(go); i++)
		cr_expect_eq(answer(code, NATIVE, go[i]), REFUSED, "%d", go[i]);
	cr_expect_gt(count_refused(code), 30);
}

Test(calls, faults)
{
	static const struct {
		const char *value, *says;
		size_t at;
	} cases[] = {
		{"socket",
		 "'socket' is not in the list of quod exec, which is never "
		 "widened",
		 0},
		{"read openat",
		 "'openat' is not in the list of quod exec, which is never "
		 "widened",
		 5},
		{"~getpidd", "no system call is called 'getpidd': did you mean getpid?",
		 1},
		{"~@mount", "'@mount': there are no groups here, each call is named", 1},
		{"~getpid:EPERM",
		 "'getpid:EPERM': a call that is taken away answers ENOSYS and nothing "
		 "else",
		 1},
		{"~read execveat",
		 "execveat cannot be taken away: the jail itself needs it to start the "
		 "program",
		 6},
		{"~", "a system call is missing behind the ~", 0},
		{"read ~write", "no system call is called '~write': did you mean write?",
		 5},
	};

	for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
		const struct policy_calls before = {.removed = {5}, .said = true};
		struct policy_calls calls = before;
		struct value_fault fault;

		cr_expect_eq(calls_set(&calls, cases[i].value, &fault), -EINVAL);
		cr_expect_str_eq(fault.text, cases[i].says);
		cr_expect_eq(fault.at, cases[i].value + cases[i].at);
		cr_expect_eq(memcmp(&calls, &before, sizeof(calls)), 0);
	}
}

Test(calls, what_is_written_says_the_same)
{
	static const char *const lines[][4] = {
		{NULL},
		{"~getpid"},
		{"read"},
		{"read", "~read"},
		{"~read clone", "clone"},
	};

	for (size_t i = 0; i < ARRAY_LEN(lines); i++) {
		own_text struct text text = TEXT_INIT(4096);
		struct policy_calls calls, again = {0};
		struct value_fault fault;
		const char *key = "SystemCallFilter=", *empty = "SystemCallFilter=\n";

		cr_assert_eq(set_lines(&calls, lines[i], &fault), 0);
		calls_write(&calls, &text);
		const char *second = text_str(&text) + strlen(empty);
		cr_assert_eq(strncmp(text_str(&text), empty, strlen(empty)), 0);
		if (*second) {
			text.data[text.len - 1] = '\0';
			cr_assert_eq(calls_set(&again, second + strlen(key), &fault), 0);
		}
		cr_expect_eq(memcmp(calls.removed, again.removed, sizeof(calls.removed)),
			     0);
	}
}
