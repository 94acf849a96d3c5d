/* SPDX-License-Identifier: MIT */
/*
 * background PROGRAM [ARG...]: runs a program in the background of a terminal that stops
 * who writes to it from there (stty tostop), and at which a line has been typed already
 * for others to read. Exits as the program did, or with 99 if it was stopped.
 */
#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/wait.h>
#include <termios.h>
#include <unistd.h>

static _Noreturn void start(char **argv, int terminal)
{
	setpgid(0, 0);
	dup2(terminal, STDIN_FILENO);
	dup2(terminal, STDOUT_FILENO);
	dup2(terminal, STDERR_FILENO);
	execv(argv[0], argv);
	_exit(98);
}

/* As a shell does with a job: returns its exit status. */
static int lead(char **argv, int terminal)
{
	int status = 0;
	pid_t pid = fork();

	if (pid == 0)
		start(argv, terminal);
	if (pid < 0 || waitpid(pid, &status, WUNTRACED) < 0)
		return 97;
	if (WIFSTOPPED(status)) {
		kill(pid, SIGKILL);
		return 99;
	}
	return WIFEXITED(status) ? WEXITSTATUS(status) : 96;
}

/* The session is a process of its own, so that the terminal's end hangs up nobody else.
 */
static int in_session(char **argv, const char *name)
{
	struct termios settings;

	if (setsid() < 0)
		return 97;
	int terminal = open(name, O_RDWR | O_CLOEXEC);
	if (terminal < 0 || ioctl(terminal, TIOCSCTTY, 0) < 0 ||
	    tcgetattr(terminal, &settings) < 0)
		return 97;
	settings.c_lflag |= TOSTOP;
	if (tcsetattr(terminal, TCSANOW, &settings) < 0)
		return 97;
	return lead(argv, terminal);
}

int main(int argc, char **argv)
{
	static const char typed[] = "typed for another\n";
	int master = posix_openpt(O_RDWR | O_NOCTTY | O_CLOEXEC);
	int status = 0;

	if (argc < 2 || master < 0 || grantpt(master) < 0 || unlockpt(master) < 0)
		return 97;
	const char *name = ptsname(master);
	if (!name || write(master, typed, strlen(typed)) < 0)
		return 97;
	pid_t pid = fork();
	if (pid == 0)
		_exit(in_session(argv + 1, name));
	if (pid < 0 || waitpid(pid, &status, 0) < 0 || !WIFEXITED(status))
		return 96;
	return WEXITSTATUS(status);
}
