/* SPDX-License-Identifier: MIT */
/*
 * The inner filter is on before one byte of the job is read, and a forbidden call is
 * named and deadly. TAP.
 *
 * No script can make a forbidden call, so a debugger makes it: the interpreter's own read
 * of the job is changed into another call on its way into the kernel.
 */
#include <errno.h>
#include <signal.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
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

static char program[4096];
static unsigned number, failures;

static void say(bool good, const char *what)
{
	printf("%s %u - %s\n", good ? "ok" : "not ok", ++number, what);
	fflush(stdout);
	failures += !good;
}

static void exec_guest(const int in[2], const int out[2], bool traced)
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
	execve(program, argv, envp);
	_exit(127);
}

static struct guest guest_start(bool traced)
{
	struct guest guest;
	int in[2], out[2];

	if (pipe(in) || pipe(out) || (guest.pid = fork()) < 0) {
		printf("Bail out! %s\n", strerror(errno));
		exit(1);
	}
	if (!guest.pid)
		exec_guest(in, out, traced);
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
	struct guest guest = guest_start(false);
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
	guest = guest_start(false);
	status = reap(&guest);
	say(WEXITSTATUS(status) == 127, "the test notices a missing interpreter");
	program[strlen(program) - strlen("-does-not-exist")] = '\0';
}

#ifdef __x86_64__
#define FORBIDDEN SYS_getuid

/* Runs to the entry of the first read() and makes another call of it. */
static bool change_read(pid_t pid)
{
	struct user_regs_struct regs;
	int status;

	if (waitpid(pid, &status, 0) != pid || !WIFSTOPPED(status))
		return false;
	ptrace(PTRACE_SETOPTIONS, pid, NULL, PTRACE_O_TRACESYSGOOD | PTRACE_O_EXITKILL);
	for (;;) {
		if (ptrace(PTRACE_SYSCALL, pid, NULL, NULL) ||
		    waitpid(pid, &status, 0) != pid || !WIFSTOPPED(status) ||
		    ptrace(PTRACE_GETREGS, pid, NULL, &regs))
			return false;
		if (regs.orig_rax == SYS_read)
			break;
	}
	regs.orig_rax = FORBIDDEN;
	return !ptrace(PTRACE_SETREGS, pid, NULL, &regs) &&
	       !ptrace(PTRACE_DETACH, pid, NULL, NULL);
}

static void test_violation(void)
{
	struct guest guest = guest_start(true);
	unsigned char payload[8] = {0};
	int status;

	say(change_read(guest.pid), "a forbidden call is made");
	say(read_frame(guest.out, FRAME_READY, payload) &&
		    read_frame(guest.out, FRAME_VIOLATION, payload),
	    "it is reported");
	say(get_u32le(payload) == 0xC000003Eu && get_u32le(payload + 4) == FORBIDDEN,
	    "with its ABI and number");
	say(!read_exact(guest.out, payload, 1), "nothing follows");
	status = reap(&guest);
	say(WIFSIGNALED(status) && WTERMSIG(status) == SIGSYS, "death by SIGSYS");
}
#else
static void test_violation(void)
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
	test_violation();
	printf("1..%u\n", number);
	return failures > 0;
}
