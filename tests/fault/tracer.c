/* SPDX-License-Identifier: MIT */
/* Starts what is followed: as a tracee, with nothing of ours but two pipes. */
#include "tests/fault/tracer.h"

#include <fcntl.h>
#include <linux/audit.h>
#include <linux/close_range.h>
#include <signal.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/ptrace.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/own.h"
#include "supervisor/syscall_name.h"
#include "tests/fault/follow.h"
#include "tests/fault/regs.h"

/* What the kernel calls this machine. */
#if defined(__aarch64__)
#define SYSCALL_ARCH AUDIT_ARCH_AARCH64
#else
#define SYSCALL_ARCH AUDIT_ARCH_X86_64
#endif

const char *const part_names[PARTS] = {[PART_START] = "start",
				       [PART_WATCH] = "watch",
				       [PART_SETUP] = "set-up",
				       [PART_BEGIN] = "begin",
				       [PART_GUEST] = "guest"};

/* What a caller may have ignored, and libc would not let him: no program may inherit it.
 */
static void ignore_odd_signals(void)
{
	const unsigned long ignore[4] = {1}; /* SIG_IGN, as the kernel lays it out */

	for (int sig = 32; sig < 36; sig++)
		syscall(SYS_rt_sigaction, sig, ignore, NULL, sizeof(ignore[0]));
}

static _Noreturn void become(char *const *argv, int out, int err)
{
	own_fd int in = open("/dev/null", O_RDONLY | O_CLOEXEC);

	dup2(in, 0);
	dup2(out, 1);
	dup2(err, 2);
	close_range(3, ~0u, CLOSE_RANGE_CLOEXEC);
	ignore_odd_signals();
	ptrace(PTRACE_TRACEME, 0, NULL, NULL);
	raise(SIGSTOP);
	execv(argv[0], argv);
	_exit(98);
}

/* What lies in the pipe. Its writers are dead, or hold it for ever. */
static void read_rest(int fd, char *to, size_t size)
{
	size_t at = 0;
	ssize_t n = 1;

	fcntl(fd, F_SETFL, O_NONBLOCK);
	while (n > 0 && at < size - 1) {
		n = read(fd, to + at, size - 1 - at);
		at += n > 0 ? (size_t)n : 0;
	}
	to[at] = '\0';
}

/* The first stop is its own, before it becomes quod. */
static pid_t start(char *const *argv, int out, int err)
{
	int status;
	pid_t pid = fork();

	if (pid == 0)
		become(argv, out, err);
	if (pid < 0 || waitpid(pid, &status, __WALL) != pid || !WIFSTOPPED(status))
		return -1;
	return pid;
}

void tracer_run(char *const *argv, uint64_t runs_by, const struct fault *fault,
		struct trial *ret_trial)
{
	int out[2] = {-1, -1}, err[2] = {-1, -1};

	memset(ret_trial, 0, sizeof(*ret_trial));
	prctl(PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0);
	if (pipe2(out, O_CLOEXEC) == 0 && pipe2(err, O_CLOEXEC) == 0) {
		pid_t quod = start(argv, out[1], err[1]);
		if (quod > 0)
			follow(quod, runs_by, fault, ret_trial);
		read_rest(out[0], ret_trial->out, sizeof(ret_trial->out));
		read_rest(err[0], ret_trial->err, sizeof(ret_trial->err));
	}
	for (int end = 0; end < 2; end++) {
		close_fd(out[end]);
		close_fd(err[end]);
	}
}

bool tracer_works(const char **ret_why)
{
	static struct trial trial;
	char *argv[] = {(char *)(uintptr_t) "/bin/true", NULL};
	const struct fault first = {
		.kind = FAULT_HOLD, .part = PARTS, .number = ANY_CALL, .at = 1};

	*ret_why = "no injector for this machine";
	if (!REGS_KNOWN)
		return false;
	*ret_why = "quod is not static: the calls of its loader are not its own";
	if (!QUOD_IS_STATIC)
		return false;
	*ret_why = "ptrace does not work here";
	tracer_run(argv, ANY_CALL, &first, &trial);
	return trial.exited && trial.code == 0 && trial.reached;
}

const char *tracer_call_name(uint64_t number)
{
	static char name[64];

	syscall_name(SYSCALL_ARCH, (uint32_t)number, name, sizeof(name));
	return name;
}
