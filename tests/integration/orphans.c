/* SPDX-License-Identifier: MIT */
/*
 * orphans FILE PROGRAM ARG...: runs the program and writes to the file what it left
 * behind: "orphans N left M". Whatever loses its parent below it becomes a child of ours:
 * orphans are those that ended, but whose parent had not waited for them; left are those
 * that still run some seconds later, which nobody will ever end.
 */
#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#define PATIENCE_SECONDS 5

static void on_alarm(int sig)
{
	(void)sig;
}

/* Without SA_RESTART: the alarm ends a wait. */
static void arm_alarm(void)
{
	struct sigaction action = {.sa_handler = on_alarm};

	sigaction(SIGALRM, &action, NULL);
	alarm(PATIENCE_SECONDS);
}

static int exit_code_of(int status)
{
	return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}

/* Waits for the program and then for all others; false if some are left. */
static int wait_for_all(pid_t program, int *ret_code, unsigned *ret_orphans)
{
	int status;

	for (;;) {
		pid_t pid = waitpid(-1, &status, 0);
		if (pid < 0 && errno == ECHILD)
			return 1;
		if (pid < 0)
			return 0;
		if (pid != program) {
			++*ret_orphans;
			continue;
		}
		*ret_code = exit_code_of(status);
		arm_alarm();
	}
}

int main(int argc, char **argv)
{
	unsigned orphans = 0;
	int code = 99;

	if (argc < 3 || prctl(PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0) < 0)
		return 99;
	pid_t program = fork();
	if (program == 0) {
		execvp(argv[2], argv + 2);
		_exit(98);
	}
	int all = wait_for_all(program, &code, &orphans);
	FILE *file = fopen(argv[1], "we");
	if (!file)
		return 97;
	fprintf(file, "orphans %u left %d\n", orphans, !all);
	fclose(file);
	return code;
}
