/* SPDX-License-Identifier: MIT */
/*
 * inspect ARGV...: what one process costs by itself, its children not counted. Its peak
 * resident memory is read when it is about to exit; its user-mode instructions are
 * counted by stepping through them one by one in a second run, which needs no counter of
 * the hardware and gives the same number every time the program does the same.
 */
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/ptrace.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/file.h"
#include "base/own.h"

#define STATUS_MOST 65536u

/* Stopped at its exec; its output goes nowhere. */
static pid_t start_traced(char **argv)
{
	int status;
	pid_t pid = fork();

	if (pid == 0) {
		int null = open("/dev/null", O_RDWR | O_CLOEXEC);
		dup2(null, STDOUT_FILENO);
		ptrace(PTRACE_TRACEME, 0, NULL, NULL);
		execvp(argv[0], argv);
		_exit(127);
	}
	if (pid < 0 || waitpid(pid, &status, 0) != pid || !WIFSTOPPED(status))
		return -1;
	return pid;
}

/* "VmHWM:  1234 kB" */
static long peak_kib(pid_t pid)
{
	own_free char *status = NULL;
	char path[64];
	size_t len;
	long kib = -1;

	snprintf(path, sizeof(path), "/proc/%d/status", (int)pid);
	if (file_read_at(AT_FDCWD, path, STATUS_MOST, &status, &len) < 0)
		return -1;
	char *line = strstr(status, "VmHWM:");
	if (!line || sscanf(line, "VmHWM: %ld", &kib) != 1)
		return -1;
	return kib;
}

static int signal_to_pass(int status)
{
	int sig = WSTOPSIG(status);

	return sig == SIGTRAP ? 0 : sig;
}

static long measure_peak(char **argv)
{
	pid_t pid = start_traced(argv);
	long kib = -1;
	int status, sig = 0;

	if (pid < 0 || ptrace(PTRACE_SETOPTIONS, pid, NULL, PTRACE_O_TRACEEXIT) < 0)
		return -1;
	for (;;) {
		if (ptrace(PTRACE_CONT, pid, NULL, sig) < 0 ||
		    waitpid(pid, &status, 0) < 0)
			return -1;
		if (!WIFSTOPPED(status))
			return kib;
		sig = signal_to_pass(status);
		if (status >> 8 == (SIGTRAP | PTRACE_EVENT_EXIT << 8))
			kib = peak_kib(pid);
	}
}

static long count_instructions(char **argv)
{
	pid_t pid = start_traced(argv);
	long count = 0;
	int status, sig = 0;

	if (pid < 0)
		return -1;
	for (;;) {
		if (ptrace(PTRACE_SINGLESTEP, pid, NULL, sig) < 0 ||
		    waitpid(pid, &status, 0) < 0)
			return -1;
		if (!WIFSTOPPED(status))
			return count;
		sig = signal_to_pass(status);
		count++;
	}
}

int main(int argc, char **argv)
{
	if (argc < 2) {
		fprintf(stderr, "usage: inspect PROGRAM [ARG...]\n");
		return 2;
	}
	long kib = measure_peak(argv + 1);
	long instructions = count_instructions(argv + 1);
	printf("%ld %ld\n", kib, instructions);
	return kib < 0 || instructions < 0;
}
