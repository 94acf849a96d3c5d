/* SPDX-License-Identifier: MIT */
/*
 * stuck PROGRAM [ARG...]: runs a program on a terminal that nobody reads, until it has no
 * child left (its jail is gone); then reads everything, and exits as the program did. A
 * program whose write to the terminal sleeps never gets there: after a minute it is
 * killed, and the exit status is 99.
 */
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

#define TENTHS_MOST 600

static void start(char **argv, int terminal)
{
	dup2(terminal, STDIN_FILENO);
	dup2(terminal, STDOUT_FILENO);
	dup2(terminal, STDERR_FILENO);
	execv(argv[0], argv);
	_exit(98);
}

static int has_children(pid_t pid)
{
	char path[64], text[64];

	snprintf(path, sizeof(path), "/proc/%d/task/%d/children", (int)pid, (int)pid);
	int fd = open(path, O_RDONLY | O_CLOEXEC);
	ssize_t n = fd < 0 ? -1 : read(fd, text, sizeof(text));
	if (fd >= 0)
		close(fd);
	return n > 0;
}

/* Until its jail has come, and gone again. */
static void await_end_of_jail(pid_t pid)
{
	int tenths = 0;

	for (; !has_children(pid) && tenths < TENTHS_MOST; tenths++)
		poll(NULL, 0, 1);
	for (tenths = 0; has_children(pid) && tenths < TENTHS_MOST; tenths++)
		poll(NULL, 0, 100);
	if (tenths < TENTHS_MOST)
		return;
	kill(pid, SIGKILL);
	waitpid(pid, NULL, 0);
	exit(99);
}

int main(int argc, char **argv)
{
	int master = posix_openpt(O_RDWR | O_NOCTTY | O_CLOEXEC);
	char rest[4096];
	int status = 0;

	if (argc < 2 || master < 0 || grantpt(master) < 0 || unlockpt(master) < 0)
		return 97;
	int terminal = open(ptsname(master), O_RDWR | O_NOCTTY | O_CLOEXEC);
	pid_t pid = fork();
	if (pid == 0)
		start(argv + 1, terminal);
	close(terminal);
	await_end_of_jail(pid);
	while (read(master, rest, sizeof(rest)) > 0)
		continue;
	if (waitpid(pid, &status, 0) < 0 || !WIFEXITED(status))
		return 96;
	return WEXITSTATUS(status);
}
