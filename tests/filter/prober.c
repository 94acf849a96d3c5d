/* SPDX-License-Identifier: MIT */
/*
 * Makes one system call inside a jail and says what came of it.
 *
 *	prober outer|inner native|i386|x32 NUMBER [ARGUMENT VALUE]
 *
 * All arguments are zero, but for one if that is asked for. `inner` puts the
 * interpreter's inner filter on first, as quod-js does, but with nobody there to handle
 * its trap. Written to standard output:
 *
 *	T	about to try: an end before this is no answer
 *	NUMBER	it came back, with this errno or 0
 *
 * Where no number follows, the call or what it was answered with was the end.
 */
#include <errno.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>
#include <linux/filter.h>
#include <linux/seccomp.h>

#include "policy/filter_inner.h"

enum { USAGE = 64, NO_FILTER, NO_OUTPUT };

struct attempt {
	long number;
	unsigned long args[6];
};

#ifdef __x86_64__
#define X32_BIT 0x40000000L

/*
 * With the stack taken away while the call lasts: it would not miss it, but for the one
 * that comes back from a signal handler. That would take what lies there for a frame, and
 * go on wherever it says; so it ends at once.
 */
static long call_native(const struct attempt *attempt)
{
	const unsigned long *args = attempt->args;
	long r = attempt->number;

	__asm__ volatile("mov %4, %%r10\n\t"
			 "mov %5, %%r8\n\t"
			 "mov %6, %%r9\n\t"
			 "mov %%rsp, %%r12\n\t"
			 "xor %%esp, %%esp\n\t"
			 "syscall\n\t"
			 "mov %%r12, %%rsp"
			 : "+a"(r)
			 : "D"(args[0]), "S"(args[1]), "d"(args[2]), "r"(args[3]),
			   "r"(args[4]), "r"(args[5])
			 : "rcx", "r8", "r9", "r10", "r11", "r12", "memory");
	return r;
}

static long call_x32(const struct attempt *attempt)
{
	struct attempt x32 = *attempt;

	x32.number |= X32_BIT;
	return call_native(&x32);
}

/* The sixth argument, which is the frame pointer, stays what it is. */
static long call_i386(const struct attempt *attempt)
{
	int r = (int)attempt->number;

	__asm__ volatile("mov %%rsp, %%r12\n\t"
			 "xor %%esp, %%esp\n\t"
			 "int $0x80\n\t"
			 "mov %%r12, %%rsp"
			 : "+a"(r)
			 : "b"(attempt->args[0]), "c"(attempt->args[1]),
			   "d"(attempt->args[2]), "S"(attempt->args[3]),
			   "D"(attempt->args[4])
			 : "r8", "r9", "r10", "r11", "r12", "memory");
	return r;
}
#else
static long call_native(const struct attempt *attempt)
{
	const unsigned long *args = attempt->args;
	long r = syscall(attempt->number, args[0], args[1], args[2], args[3], args[4],
			 args[5]);

	return r < 0 ? -errno : r;
}
#endif

static const struct {
	const char *name;
	long (*call)(const struct attempt *attempt);
} abis[] = {
	{"native", call_native},
#ifdef __x86_64__
	{"i386", call_i386},
	{"x32", call_x32},
#endif
};

static void say(const char *what)
{
	size_t len = strlen(what);

	if (write(STDOUT_FILENO, what, len) != (ssize_t)len)
		_exit(NO_OUTPUT);
}

static void say_errno(long r)
{
	char text[16];

	snprintf(text, sizeof(text), "%ld", r < 0 && r > -4096 ? -r : 0);
	say(text);
}

static void enter_inner(void)
{
	struct sock_fprog program = {
		.len = (unsigned short)(sizeof(filter_inner) / sizeof(filter_inner[0])),
		.filter = (struct sock_filter *)(uintptr_t)filter_inner,
	};

	if (syscall(SYS_seccomp, SECCOMP_SET_MODE_FILTER, 0, &program) != 0)
		_exit(NO_FILTER);
}

int main(int argc, char **argv)
{
	struct attempt attempt = {.number = 0};
	size_t abi = 0;

	if (argc != 4 && argc != 6)
		return USAGE;
	while (abi < sizeof(abis) / sizeof(abis[0]) && strcmp(argv[2], abis[abi].name))
		abi++;
	if (abi == sizeof(abis) / sizeof(abis[0]))
		return USAGE;
	attempt.number = strtol(argv[3], NULL, 10);
	if (argc == 6)
		attempt.args[strtoul(argv[4], NULL, 10) % 6] = strtoul(argv[5], NULL, 16);
	if (strcmp(argv[1], "inner") == 0)
		enter_inner();
	say("T");
	say_errno(abis[abi].call(&attempt));
	_exit(0);
}
