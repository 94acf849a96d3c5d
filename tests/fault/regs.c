/* SPDX-License-Identifier: MIT */
/* The registers of a system call, machine by machine. */
#include "tests/fault/regs.h"

#include <elf.h>
#include <errno.h>
#include <stddef.h>
#include <sys/ptrace.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <sys/user.h>

/* A number that no clock has. */
#define NO_CLOCK 999

#if defined(__x86_64__)
#define ARG0(r)	  ((r)->rdi)
#define ARG1(r)	  ((r)->rsi)
#define RESULT(r) ((r)->rax)

static int set_call(pid_t pid, struct user_regs_struct *regs)
{
	(void)pid;
	regs->orig_rax = SYS_clock_gettime;
	return 0;
}
#elif defined(__aarch64__)
/* The first argument and the result share a register. */
#define ARG0(r)	  ((r)->regs[0])
#define ARG1(r)	  ((r)->regs[1])
#define RESULT(r) ((r)->regs[0])

static int set_call(pid_t pid, struct user_regs_struct *regs)
{
	int number = SYS_clock_gettime;
	struct iovec io = {&number, sizeof(number)};

	(void)regs;
	return ptrace(PTRACE_SETREGSET, pid, (void *)NT_ARM_SYSTEM_CALL, &io) < 0 ? -errno
										  : 0;
}
#endif

#if REGS_KNOWN
static int regs_get(pid_t pid, struct user_regs_struct *regs)
{
	struct iovec io = {regs, sizeof(*regs)};

	return ptrace(PTRACE_GETREGSET, pid, (void *)NT_PRSTATUS, &io) < 0 ? -errno : 0;
}

static int regs_set(pid_t pid, struct user_regs_struct *regs)
{
	struct iovec io = {regs, sizeof(*regs)};

	return ptrace(PTRACE_SETREGSET, pid, (void *)NT_PRSTATUS, &io) < 0 ? -errno : 0;
}

int regs_divert(pid_t pid, struct diverted *ret_diverted)
{
	struct user_regs_struct regs;
	int r = regs_get(pid, &regs);

	if (r < 0)
		return r;
	*ret_diverted = (struct diverted){{ARG0(&regs), ARG1(&regs)}};
	ARG0(&regs) = NO_CLOCK;
	ARG1(&regs) = 0;
	r = set_call(pid, &regs);
	return r < 0 ? r : regs_set(pid, &regs);
}

int regs_answer(pid_t pid, const struct diverted *diverted, int errnum)
{
	struct user_regs_struct regs;
	int r = regs_get(pid, &regs);

	if (r < 0)
		return r;
	ARG0(&regs) = diverted->args[0];
	ARG1(&regs) = diverted->args[1];
	RESULT(&regs) = (unsigned long long)-(long long)errnum;
	return regs_set(pid, &regs);
}
#else
int regs_divert(pid_t pid, struct diverted *ret_diverted)
{
	(void)pid;
	(void)ret_diverted;
	return -ENOSYS;
}

int regs_answer(pid_t pid, const struct diverted *diverted, int errnum)
{
	(void)pid;
	(void)diverted;
	(void)errnum;
	return -ENOSYS;
}
#endif
