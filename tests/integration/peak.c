/* SPDX-License-Identifier: MIT */
/*
 * peak FILE PROGRAM ARG...: runs the program and writes its peak resident set, in kB, to
 * the file. getrusage() would count the program's own children, the jails, as well; so
 * the program is traced, and looked at where it stops for the last time, still whole.
 */
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ptrace.h>
#include <sys/wait.h>
#include <unistd.h>

static long peak_kb(pid_t pid)
{
	char path[64], line[256];
	long kb = -1;

	snprintf(path, sizeof(path), "/proc/%d/status", (int)pid);
	FILE *file = fopen(path, "re");
	while (file && fgets(line, sizeof(line), file))
		if (sscanf(line, "VmHWM: %ld kB", &kb) == 1)
			break;
	if (file)
		fclose(file);
	return kb;
}

static void note(const char *path, long kb)
{
	FILE *file = fopen(path, "we");

	if (!file)
		return;
	fprintf(file, "%ld\n", kb);
	fclose(file);
}

/* Signals go on to the program; the stops of tracing itself do not. */
static int trace(pid_t pid, const char *path)
{
	int status;

	while (waitpid(pid, &status, 0) == pid) {
		if (WIFEXITED(status))
			return WEXITSTATUS(status);
		if (WIFSIGNALED(status))
			return 128 + WTERMSIG(status);
		if (status >> 8 == (SIGTRAP | PTRACE_EVENT_EXIT << 8))
			note(path, peak_kb(pid));
		int sig = WSTOPSIG(status) == SIGTRAP ? 0 : WSTOPSIG(status);
		ptrace(PTRACE_CONT, pid, 0, sig);
	}
	return 99;
}

int main(int argc, char **argv)
{
	int status;

	if (argc < 3)
		return 99;
	pid_t pid = fork();
	if (pid == 0) {
		ptrace(PTRACE_TRACEME, 0, 0, 0);
		raise(SIGSTOP);
		execvp(argv[2], argv + 2);
		_exit(98);
	}
	if (pid < 0 || waitpid(pid, &status, 0) != pid || !WIFSTOPPED(status) ||
	    ptrace(PTRACE_SETOPTIONS, pid, 0, PTRACE_O_TRACEEXIT | PTRACE_O_EXITKILL) < 0)
		return 97;
	ptrace(PTRACE_CONT, pid, 0, 0);
	return trace(pid, argv[1]);
}
