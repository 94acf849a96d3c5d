/* SPDX-License-Identifier: MIT */
/*
 * The inner filter is on before one byte of the job is read, and a forbidden call is
 * named and deadly. TAP.
 *
 * No script can make a forbidden call, so a debugger makes it: the interpreter's own read
 * of the job is changed into another call on its way into the kernel. It may stand below
 * an outer filter that answers an errno, as a container's does, and be pid 1, whom the
 * kernel spares many a signal.
 */
#include <errno.h>
#include <linux/audit.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <sched.h>
#include <signal.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/ptrace.h>
#include <sys/syscall.h>
#include <sys/user.h>
#include <sys/wait.h>
#include <unistd.h>

#include "rootfs/protocol.h"

struct guest {
	pid_t pid;
	int in, out;
};

struct surroundings {
	bool as_pid_1;
	bool has_denied; /* an outer filter answers EPERM to this number, of any ABI */
	uint32_t denied;
};

static const struct surroundings nothing;
static char program[4096];
static unsigned number, failures;

__attribute__((format(printf, 2, 3))) static void say(bool good, const char *format, ...)
{
	va_list args;

	printf("%s %u - ", good ? "ok" : "not ok", ++number);
	va_start(args, format);
	vprintf(format, args);
	va_end(args);
	putchar('\n');
	fflush(stdout);
	failures += !good;
}

static void deny(uint32_t call)
{
	struct sock_filter code[] = {
		BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr)),
		BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, call, 0, 1),
		BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | EPERM),
		BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
	};
	struct sock_fprog filter = {.len = sizeof(code) / sizeof(code[0]),
				    .filter = code};

	if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) ||
	    prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &filter))
		_exit(126);
}

static void exec_guest(const int in[2], const int out[2], bool traced,
		       const struct surroundings *around)
{
	char *argv[] = {(char[]){"quod-js"}, (char[]){"1048576"}, NULL}, *envp[] = {NULL};

	dup2(in[0], STDIN_FILENO);
	dup2(out[1], STDOUT_FILENO);
	close(in[0]);
	close(in[1]);
	close(out[0]);
	close(out[1]);
	if (traced)
		ptrace(PTRACE_TRACEME, 0, NULL, NULL);
	if (around->has_denied)
		deny(around->denied);
	execve(program, argv, envp);
	_exit(127);
}

static pid_t fork_guest(const struct surroundings *around)
{
	if (!around->as_pid_1)
		return fork();
	return (pid_t)syscall(SYS_clone, CLONE_NEWUSER | CLONE_NEWPID | SIGCHLD, NULL,
			      NULL, NULL, NULL);
}

static struct guest guest_start(bool traced, const struct surroundings *around)
{
	struct guest guest;
	int in[2], out[2];

	if (pipe(in) || pipe(out) || (guest.pid = fork_guest(around)) < 0) {
		printf("Bail out! %s\n", strerror(errno));
		exit(1);
	}
	if (!guest.pid)
		exec_guest(in, out, traced, around);
	close(in[0]);
	close(out[1]);
	guest.in = in[1];
	guest.out = out[0];
	return guest;
}

static bool read_exact(int fd, unsigned char *to, size_t n)
{
	while (n) {
		ssize_t got = read(fd, to, n);

		if (got <= 0)
			return false;
		to += got;
		n -= (size_t)got;
	}
	return true;
}

static bool read_frame(int fd, enum frame_type type, unsigned char payload[8])
{
	unsigned char header[FRAME_HEADER_BYTES];

	return read_exact(fd, header, sizeof(header)) && header[0] == type &&
	       get_u32le(header + 1) == 8 && read_exact(fd, payload, 8);
}

/* A number of /proc/PID/status; -1: not there. */
static long status_number(pid_t pid, const char *key)
{
	char path[64], line[256];
	long value = -1;
	FILE *file;

	snprintf(path, sizeof(path), "/proc/%d/status", (int)pid);
	file = fopen(path, "r");
	while (file && fgets(line, sizeof(line), file))
		if (!strncmp(line, key, strlen(key)) && line[strlen(key)] == ':')
			value = strtol(line + strlen(key) + 1, NULL, 10);
	if (file)
		fclose(file);
	return value;
}

static int reap(struct guest *guest)
{
	int status = 0;

	waitpid(guest->pid, &status, 0);
	close(guest->in);
	close(guest->out);
	return status;
}

/* The job is not even written when all this is seen. */
static void test_before_job(void)
{
	struct guest guest = guest_start(false, &nothing);
	unsigned char payload[8];
	long ours = status_number(getpid(), "Seccomp_filters");
	int status;

	say(read_frame(guest.out, FRAME_READY, payload) &&
		    get_u32le(payload) == PROTOCOL_VERSION,
	    "READY comes before there is a job");
	say(status_number(guest.pid, "Seccomp") == 2, "a filter is on by then");
	say(ours < 0 || status_number(guest.pid, "Seccomp_filters") == ours + 1,
	    "it is the interpreter's own");
	say(status_number(guest.pid, "NoNewPrivs") == 1, "no new privileges");
	close(guest.in);
	guest.in = dup(STDIN_FILENO);
	status = reap(&guest);
	say(WIFEXITED(status) && !WEXITSTATUS(status),
	    "end of file instead of a job is no failure");
}

static void test_arguments(void)
{
	struct guest guest;
	int status;

	strcat(program, "-does-not-exist");
	guest = guest_start(false, &nothing);
	status = reap(&guest);
	say(WEXITSTATUS(status) == 127, "the test notices a missing interpreter");
	program[strlen(program) - strlen("-does-not-exist")] = '\0';
}

#ifdef __x86_64__
/* A forbidden call, and what stands around the interpreter when it is made. */
struct attempt {
	const char *what;
	uint32_t arch, number;
	struct surroundings around;
};

#define NATIVE	     AUDIT_ARCH_X86_64
#define I386	     AUDIT_ARCH_I386
#define X32	     0x40000000u
#define PID_1	     .as_pid_1 = true
#define DENIED(call) .has_denied = true, .denied = (call)

static const struct attempt attempts[] = {
	{"getuid", NATIVE, SYS_getuid, {0}},
	{"getuid as pid 1", NATIVE, SYS_getuid, {PID_1}},
	{"socket as pid 1", NATIVE, SYS_socket, {PID_1}},
	/* Nobody gets the handler out of the way. */
	{"rt_sigaction", NATIVE, SYS_rt_sigaction, {PID_1}},
	{"rt_sigprocmask", NATIVE, SYS_rt_sigprocmask, {PID_1}},
	{"rt_sigreturn", NATIVE, SYS_rt_sigreturn, {PID_1}},
	/* An outer filter's errno comes after the trap: for the call, and for the one
	 * that the handler dies by. */
	{"socket below an errno", NATIVE, SYS_socket, {DENIED(SYS_socket), PID_1}},
	{"getuid, getppid an errno", NATIVE, SYS_getuid, {DENIED(SYS_getppid), PID_1}},
	/* Numbers that are allowed natively. */
	{"x32 read", NATIVE, X32 | SYS_read, {PID_1}},
	{"x32 read below an errno", NATIVE, X32 | SYS_read, {DENIED(X32 | SYS_read)}},
	{"i386 exit", I386, 1, {0}},
	{"i386 exit as pid 1", I386, 1, {PID_1}},
	{"i386 fsetxattr", I386, SYS_clock_gettime, {PID_1}},
	/* No number that is needed natively, or the errno would come too soon. */
	{"i386 alarm below an errno", I386, 27, {DENIED(27), PID_1}},
};

static bool next_stop(pid_t pid, struct user_regs_struct *regs)
{
	int status;

	return !ptrace(PTRACE_SYSCALL, pid, NULL, NULL) &&
	       waitpid(pid, &status, 0) == pid && WIFSTOPPED(status) &&
	       !ptrace(PTRACE_GETREGS, pid, NULL, regs);
}

/* Stops at the entry of its first read(). The first instructions of the program, which
 * nobody comes back to, become an int 0x80: later it is undumpable and cannot be changed.
 */
static bool run_to_read(pid_t pid, struct user_regs_struct *regs,
			unsigned long *ret_int80)
{
	int status;

	if (waitpid(pid, &status, 0) != pid || !WIFSTOPPED(status) ||
	    ptrace(PTRACE_SETOPTIONS, pid, NULL,
		   PTRACE_O_TRACESYSGOOD | PTRACE_O_EXITKILL) ||
	    ptrace(PTRACE_GETREGS, pid, NULL, regs))
		return false;
	*ret_int80 = regs->rip;
	if (!next_stop(pid, regs) || ptrace(PTRACE_POKETEXT, pid, *ret_int80, 0x80cd))
		return false;
	while (regs->orig_rax != SYS_read)
		if (!next_stop(pid, regs))
			return false;
	return true;
}

/* The read, on its way in, becomes the forbidden call, or a harmless one that comes back
 * to the int 0x80. */
static bool change_read(pid_t pid, const struct attempt *attempt)
{
	struct user_regs_struct regs;
	unsigned long int80;

	if (!run_to_read(pid, &regs, &int80))
		return false;
	regs.orig_rax = attempt->arch == NATIVE ? attempt->number : SYS_clock_gettime;
	if (ptrace(PTRACE_SETREGS, pid, NULL, &regs))
		return false;
	if (attempt->arch != NATIVE) {
		if (!next_stop(pid, &regs))
			return false;
		regs.rip = int80;
		regs.rax = attempt->number;
		if (ptrace(PTRACE_SETREGS, pid, NULL, &regs))
			return false;
	}
	return !ptrace(PTRACE_DETACH, pid, NULL, NULL);
}

static void test_violation(const struct attempt *attempt)
{
	struct guest guest = guest_start(true, &attempt->around);
	unsigned char payload[8] = {0};
	int status;

	say(change_read(guest.pid, attempt), "%s: is tried", attempt->what);
	say(read_frame(guest.out, FRAME_READY, payload) &&
		    read_frame(guest.out, FRAME_VIOLATION, payload),
	    "%s: is reported", attempt->what);
	say(get_u32le(payload) == attempt->arch &&
		    get_u32le(payload + 4) == attempt->number,
	    "%s: with its ABI and number", attempt->what);
	say(!read_exact(guest.out, payload, 1), "%s: nothing follows", attempt->what);
	status = reap(&guest);
	say(WIFSIGNALED(status) && WTERMSIG(status) == SIGSYS, "%s: death by SIGSYS",
	    attempt->what);
}

static void test_violations(void)
{
	for (size_t i = 0; i < sizeof(attempts) / sizeof(attempts[0]); i++)
		test_violation(&attempts[i]);
}
#else
static void test_violations(void)
{
	printf("ok %u - a forbidden call # SKIP the test knows x86-64 only\n", ++number);
}
#endif

int main(void)
{
	const char *build = getenv("QUOD_TEST_BUILD");

	snprintf(program, sizeof(program) - 32, "%s/quod-js", build ? build : ".");
	test_arguments();
	test_before_job();
	test_violations();
	printf("1..%u\n", number);
	return failures > 0;
}
