/* SPDX-License-Identifier: MIT */
/*
 * stuck [-i] [-m] [-t] PROGRAM [ARG...]: runs a program on a terminal that nobody reads,
 * until it has no child left (its jail is gone); then reads everything, and exits as the
 * program did. With -t nobody ever reads, and SIGTERM is what ends it. A program whose
 * write to the terminal sleeps never gets there: after a minute it is killed, and the
 * exit status is 99.
 *
 * With -i a key is pressed every second, and the terminal's settings are such that a read
 * waits for the 255th although poll calls the first one input.
 *
 * With -m the program has the master of the terminal, which cannot be opened a second
 * time: as it is with the terminal of another user, and needs no other user.
 */
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <termios.h>
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

static _Noreturn void give_up(pid_t pid)
{
	kill(pid, SIGKILL);
	waitpid(pid, NULL, 0);
	exit(99);
}

/* Until its jail has come, and gone again. */
static void await_end_of_jail(pid_t pid, int keys)
{
	int tenths = 0;

	for (; !has_children(pid) && tenths < TENTHS_MOST; tenths++)
		poll(NULL, 0, 1);
	for (tenths = 0; has_children(pid) && tenths < TENTHS_MOST; tenths++) {
		if (keys >= 0 && tenths % 10 == 0 && write(keys, "x", 1) < 0)
			give_up(pid);
		poll(NULL, 0, 100);
	}
	if (tenths == TENTHS_MOST)
		give_up(pid);
}

static void await_end(pid_t pid, int *ret_status)
{
	for (int tenths = 0; tenths < TENTHS_MOST; tenths++) {
		if (waitpid(pid, ret_status, WNOHANG) == pid)
			return;
		poll(NULL, 0, 100);
	}
	give_up(pid);
}

static void read_all(int fd)
{
	char rest[4096];

	while (read(fd, rest, sizeof(rest)) > 0)
		continue;
}

/* Both ends of a terminal that changes no byte: nothing that waits for the end of a line
 * or is said back to the one who wrote it. */
static bool open_terminal(int *ret_master, int *ret_slave)
{
	struct termios raw;
	int master = posix_openpt(O_RDWR | O_NOCTTY | O_CLOEXEC);

	if (master < 0 || grantpt(master) < 0 || unlockpt(master) < 0)
		return false;
	int slave = open(ptsname(master), O_RDWR | O_NOCTTY | O_CLOEXEC);
	if (slave < 0 || tcgetattr(slave, &raw) < 0)
		return false;
	cfmakeraw(&raw);
	/* For -i; without input it does not matter. */
	raw.c_cc[VMIN] = raw.c_cc[VTIME] = 255;
	*ret_master = master;
	*ret_slave = slave;
	return tcsetattr(slave, TCSANOW, &raw) == 0;
}

int main(int argc, char **argv)
{
	bool swapped = false, told = false, typing = false;
	int option, ours, theirs, status = 0;

	while ((option = getopt(argc, argv, "+imt")) != -1) {
		swapped = swapped || option == 'm';
		told = told || option == 't';
		typing = typing || option == 'i';
	}
	if (optind == argc ||
	    !open_terminal(swapped ? &theirs : &ours, swapped ? &ours : &theirs))
		return 97;
	pid_t pid = fork();
	if (pid == 0)
		start(argv + optind, theirs);
	close(theirs);
	await_end_of_jail(pid, typing ? ours : -1);
	if (told)
		kill(pid, SIGTERM);
	else
		read_all(ours);
	await_end(pid, &status);
	return WIFEXITED(status) ? WEXITSTATUS(status) : 96;
}
