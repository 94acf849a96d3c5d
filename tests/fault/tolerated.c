/* SPDX-License-Identifier: MIT */
/*
 * The rule: a call of set-up that fails is an internal_error which names its stage, and
 * nothing has run. Later on the truth may also be that it did not matter, that the record
 * could not be written, or that the program in the jail died of it.
 *
 * The table: calls of set-up for which that is not so, each with its reason. The first
 * row that fits counts. Whatever it says, the walls have to stand: nothing here excuses
 * one.
 */
#include "tests/fault/tolerated.h"

#include <errno.h>
#include <fcntl.h>
#include <stdint.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/resource.h>

#include "base/own.h"

#define MAY(id) (1u << END_##id)

/* Nobody's capability, signal or lease depends on the cgroup. */
#define WITH_OR_WITHOUT_LEAF (MAY(AS_EVER) | MAY(NO_LEAF) | MAY(REFUSED))

static const unsigned rules[PARTS] = {
	[PART_START] = MAY(REFUSED),
	[PART_SETUP] = MAY(REFUSED),
	[PART_BEGIN] = MAY(REFUSED),
	[PART_WATCH] = MAY(AS_EVER) | MAY(REFUSED) | MAY(MUTE),
	[PART_GUEST] = MAY(AS_EVER) | MAY(REFUSED) | MAY(CRASHED),
};

static const struct {
	enum part part;
	const char *call;
	int arg; /* which argument counts, -1: none */
	uint64_t value;
	int errnum; /* 0: any */
	unsigned endings;
	const char *why;
} rows[] = {
	/* Cannot fail, and callers are right not to look. */
	{PARTS, "arch_prctl", -1, 0, 0, 0, "libc: a program without it does not exist"},
	{PARTS, "set_tid_address", -1, 0, 0, 0, "has no error"},
	{PARTS, "clock_gettime", -1, 0, 0, 0, "there are these clocks"},
	{PARTS, "getpid", -1, 0, 0, 0, "has no error"},
	{PARTS, "geteuid", -1, 0, 0, 0, "has no error"},
	{PARTS, "getegid", -1, 0, 0, 0, "has no error"},
	{PARTS, "umask", -1, 0, 0, 0, "has no error"},
	{PARTS, "sched_yield", -1, 0, 0, 0, "has no error"},
	{PARTS, "exit_group", -1, 0, 0, 0, "does not return"},
	{PARTS, "rt_sigreturn", -1, 0, 0, 0, "does not return"},
	{PARTS, "close", -1, 0, 0, MAY(AS_EVER),
	 "Linux takes the descriptor back whatever close answers"},

	/* quod, before its filter is on. */
	{PART_START, "open", -1, 0, 0, WITH_OR_WITHOUT_LEAF | MAY(MUTE) | MAY(UNUSABLE),
	 "no record before stdin, stdout and stderr are there; a program or a directory of "
	 "policies that cannot be opened is named; a pipe that cannot be made non-blocking is "
	 "written to in pieces; a run without a cgroup says who holds its limits"},
	{PART_START, "openat", -1, 0, 0, WITH_OR_WITHOUT_LEAF | MAY(MUTE) | MAY(UNUSABLE),
	 "as open; what a sweep cannot open the next one removes"},
	{PART_START, "fstat", -1, 0, 0, WITH_OR_WITHOUT_LEAF,
	 "a group that cannot be looked at is not used"},
	{PART_START, "fstatfs", -1, 0, 0, WITH_OR_WITHOUT_LEAF,
	 "a group that cannot be looked at is not used"},
	{PART_START, "read", -1, 0, 0, WITH_OR_WITHOUT_LEAF,
	 "who does not find his own cgroup goes without"},
	{PART_START, "write", -1, 0, 0, WITH_OR_WITHOUT_LEAF,
	 "a controller that is refused leaves its limit to others, who are named"},
	{PART_START, "mkdirat", -1, 0, EEXIST, WITH_OR_WITHOUT_LEAF, "made once more"},
	{PART_START, "mkdirat", -1, 0, 0, WITH_OR_WITHOUT_LEAF,
	 "where no group can be made a run goes without"},
	{PART_START, "mkdir", -1, 0, EEXIST, MAY(AS_EVER), "it is there"},
	{PART_START, "flock", -1, 0, EAGAIN, MAY(AS_EVER), "tried again"},
	{PART_START, "faccessat", -1, 0, 0, MAY(AS_EVER) | MAY(REFUSED),
	 "a leaf that is gone is made once more"},
	{PART_START, "stat", -1, 0, 0, WITH_OR_WITHOUT_LEAF,
	 "a namespace that cannot be looked at is taken for another one"},
	{PART_START, "lstat", -1, 0, 0, MAY(UNUSABLE),
	 "a policy that may be there is not left out"},
	{PART_START, "access", -1, 0, 0, WITH_OR_WITHOUT_LEAF,
	 "a manager of cgroups that cannot be seen is none"},
	{PART_START, "unlinkat", -1, 0, 0, MAY(AS_EVER), "the next sweep removes it"},
	{PART_START, "getdents64", -1, 0, 0, MAY(AS_EVER) | MAY(REFUSED),
	 "the next sweep goes on; what the caller left open has to be found"},
	{PART_START, "lseek", -1, 0, 0, MAY(AS_EVER), "the next sweep goes on"},
	{PART_START, "fcntl", 1, F_SETFD, 0, MAY(AS_EVER),
	 "libc repeats what O_CLOEXEC has done"},
	{PART_START, "fcntl", 1, F_GETFL, 0, MAY(AS_EVER), "the next sweep goes on"},
	{PART_START, "fcntl", 1, F_OFD_SETLK, EAGAIN, MAY(AS_EVER),
	 "another holds this uid: the next one is leased"},
	{PART_START, "ioctl", -1, 0, 0, MAY(AS_EVER), "then it is no terminal"},
	{PART_START, "dup2", -1, 0, 0, MAY(AS_EVER),
	 "a pipe that cannot be made non-blocking is written to in pieces"},
	{PART_START, "rt_sigaction", -1, 0, 0, MAY(AS_EVER),
	 "fails only for what is no signal"},
	{PART_START, "rt_sigprocmask", -1, 0, 0, MAY(AS_EVER), "has no error"},
	{PART_START, "prlimit64", -1, 0, 0, MAY(AS_EVER),
	 "only asks what the caller's limit is; the kernel will hold it anyway"},
	{PART_START, "brk", -1, 0, 0, MAY(AS_EVER), "malloc takes mmap instead"},
	{PART_START, "mmap", -1, 0, 0, MAY(AS_EVER) | MAY(REFUSED) | MAY(MUTE),
	 "a sweep without memory is left to the next; without any there is no record"},
	{PART_START, "munmap", -1, 0, 0, MAY(AS_EVER), "memory is kept for longer"},
	{PART_START, "sched_getaffinity", -1, 0, 0, MAY(AS_EVER),
	 "a processor for each of its processes is assumed"},
	{PART_START, "memfd_create", -1, 0, EINVAL, MAY(AS_EVER),
	 "tried again without a flag that older kernels do not know"},
	{PART_START, "memfd_create", -1, 0, 0, MAY(UNUSABLE),
	 "a program that cannot be copied is told as one that cannot be opened"},
	{PART_START, "sendfile", -1, 0, EINTR, MAY(AS_EVER), "goes on"},
	{PART_START, "sendfile", -1, 0, 0, MAY(UNUSABLE), "as memfd_create"},
	{PART_START, "fcntl", 1, F_ADD_SEALS, 0, MAY(UNUSABLE), "as memfd_create"},
	{PART_START, "writev", -1, 0, EAGAIN, MAY(AS_EVER), "written when it polls"},
	{PART_START, "writev", -1, 0, EINTR, MAY(AS_EVER), "written when it polls"},

	/* Pid 1 of the jail, before its exec. */
	{PART_SETUP, "sched_getscheduler", -1, 0, 0, MAY(AS_EVER),
	 "what is not known is reset"},
	{PART_SETUP, "getpriority", -1, 0, 0, MAY(AS_EVER), "what is not known is reset"},
	{PART_SETUP, "prlimit64", 1, RLIMIT_NPROC, 0, MAY(REFUSED),
	 "it is set to what was asked, below the caller's"},
	{PART_SETUP, "prlimit64", 2, 0, 0, MAY(AS_EVER),
	 "only asks: setting a limit above the caller's would be refused"},
	{PART_SETUP, "wait4", -1, 0, EINTR, MAY(AS_EVER), "waited for again"},
	{PART_SETUP, "clone", -1, 0, EAGAIN, MAY(AS_EVER) | MAY(REFUSED),
	 "what the first is to answer; the second has to be made"},
	{PART_SETUP, "read", -1, 0, EINTR, MAY(AS_EVER), "go is waited for again"},

	{PART_SETUP, "prctl", 0, PR_CAPBSET_DROP, EINVAL, MAY(AS_EVER) | MAY(REFUSED),
	 "what is answered for the first capability that there is not"},
	{PART_SETUP, "prctl", 0, PR_CAPBSET_READ, EINVAL, MAY(AS_EVER),
	 "what is answered for the first capability that there is not"},
	{PART_SETUP, "execveat", -1, 0, 0, MAY(REFUSED) | MAY(UNUSABLE),
	 "exec: a program that cannot be started is the caller's mistake"},

	/* quod-js, before it reads its job. */
	{PART_BEGIN, "prlimit64", -1, 0, 0, MAY(AS_EVER),
	 "only asks how large the stack is; the least is assumed"},
	{PART_BEGIN, "rt_sigprocmask", -1, 0, 0, MAY(AS_EVER), "has no error"},
	{PART_BEGIN, "mmap", -1, 0, 0, MAY(AS_EVER) | MAY(REFUSED),
	 "the arena has to be there; that its first pages are warm is only faster"},
	{PART_BEGIN, "brk", -1, 0, 0, MAY(AS_EVER) | MAY(REFUSED), "libc's own"},
};

unsigned tolerated_endings(const struct call *call, int errnum)
{
	const char *name = tracer_call_name(call->number);

	for (size_t i = 0; i < ARRAY_LEN(rows); i++)
		if ((rows[i].part == PARTS || rows[i].part == call->part) &&
		    strcmp(rows[i].call, name) == 0 &&
		    (rows[i].arg < 0 || call->args[rows[i].arg] == rows[i].value) &&
		    (!rows[i].errnum || rows[i].errnum == errnum))
			return rows[i].endings;
	return rules[call->part];
}

bool tolerated_may_fail(const struct call *call)
{
	return tolerated_endings(call, 0) != 0;
}
