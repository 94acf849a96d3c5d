/* SPDX-License-Identifier: MIT */
#include "tests/escape/programs.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/own.h"
#include "tests/escape/harness.h"

/* Against a hang; nothing here takes long. */
#define MINUTE_MS 60000

const char *built(const char *name)
{
	static char paths[8][4096];
	static unsigned turn;
	const char *build = getenv("QUOD_TEST_BUILD");
	char *path = paths[turn++ % ARRAY_LEN(paths)];

	snprintf(path, sizeof(paths[0]), "%s/%s", build ? build : ".", name);
	return path;
}

_Noreturn static void become(const char *const *argv)
{
	setenv("QUOD_JS", built("quod-js"), 1);
	execv(argv[0], (char *const *)(uintptr_t)argv);
	_exit(126);
}

static bool gather(struct pollfd *from, char *to, size_t size, size_t *at)
{
	char rest[4096];
	bool room = *at < size - 1;
	ssize_t n = room ? read(from->fd, to + *at, size - 1 - *at)
			 : read(from->fd, rest, sizeof(rest));

	if (n <= 0) {
		from->fd = -1;
		return false;
	}
	*at += room ? (size_t)n : 0;
	to[*at] = '\0';
	return true;
}

static int code_of(pid_t pid, bool in_time)
{
	int status;

	if (!in_time)
		kill(pid, SIGKILL);
	if (waitpid(pid, &status, 0) < 0 || !in_time)
		return -1;
	return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}

const struct said *program_run(const char *const *argv)
{
	static struct said said;
	int out[2], err[2];
	size_t out_at = 0, err_at = 0;

	memset(&said, 0, sizeof(said));
	said.code = -1;
	if (pipe2(out, O_CLOEXEC) < 0 || pipe2(err, O_CLOEXEC) < 0)
		return &said;
	fflush(stdout);
	pid_t pid = fork();
	if (pid == 0) {
		int in = open("/dev/null", O_RDONLY | O_CLOEXEC);
		if (dup2(in, 0) < 0 || dup2(out[1], 1) < 0 || dup2(err[1], 2) < 0)
			_exit(126);
		become(argv);
	}
	close(out[1]);
	close(err[1]);
	struct pollfd from[2] = {{.fd = out[0], .events = POLLIN},
				 {.fd = err[0], .events = POLLIN}};
	bool in_time = true;
	while (in_time && (from[0].fd >= 0 || from[1].fd >= 0)) {
		in_time = poll(from, 2, MINUTE_MS) > 0;
		if (from[0].fd >= 0 && from[0].revents)
			gather(&from[0], said.out, sizeof(said.out), &out_at);
		if (from[1].fd >= 0 && from[1].revents)
			gather(&from[1], said.err, sizeof(said.err), &err_at);
	}
	said.code = code_of(pid, in_time);
	close(out[0]);
	close(err[0]);
	return &said;
}

/* The master's end, and the name of the other. */
static int open_terminal(const char **ret_name)
{
	int master = posix_openpt(O_RDWR | O_NOCTTY | O_CLOEXEC);

	if (master < 0 || grantpt(master) < 0 || unlockpt(master) < 0)
		return close_fd(master);
	*ret_name = ptsname(master);
	return *ret_name ? master : close_fd(master);
}

static bool stand_on_terminal(const char *name)
{
	int slave = setsid() < 0 ? -1 : open(name, O_RDWR);

	return slave >= 0 && ioctl(slave, TIOCSCTTY, 0) == 0 && dup2(slave, 0) == 0 &&
	       dup2(slave, 1) == 1 && dup2(slave, 2) == 2;
}

/* Until `until` has come. */
static bool await(int fd, const char *until)
{
	char text[8192] = "";
	size_t at = 0;
	struct pollfd from = {.fd = fd, .events = POLLIN};

	while (!strstr(text, until))
		if (poll(&from, 1, MINUTE_MS) <= 0 ||
		    !gather(&from, text, sizeof(text), &at)) {
			note("it said: %s", text);
			return false;
		}
	return true;
}

static long first_child(pid_t pid)
{
	char path[64];
	long child = -1;

	snprintf(path, sizeof(path), "/proc/%d/task/%d/children", (int)pid, (int)pid);
	FILE *file = fopen(path, "re");
	if (file && fscanf(file, "%ld", &child) != 1)
		child = -1;
	if (file)
		fclose(file);
	return child;
}

bool program_start(const char *const *argv, const char *until, bool with_terminal,
		   struct running *ret_running)
{
	struct running running = {.out = -1};
	const char *name = NULL;
	int pipes[2] = {-1, -1};

	if (with_terminal)
		pipes[0] = open_terminal(&name);
	else if (pipe2(pipes, O_CLOEXEC) < 0)
		return check(false, "a pipe");
	fflush(stdout);
	running.pid = fork();
	if (running.pid == 0) {
		if (with_terminal ? !stand_on_terminal(name) : dup2(pipes[1], 1) < 0)
			_exit(126);
		become(argv);
	}
	close_fd(pipes[1]);
	running.out = pipes[0];
	if (!await(running.out, until)) {
		program_stop(&running);
		return check(false, "%s runs", argv[0]);
	}
	running.guest = first_child(running.pid);
	*ret_running = running;
	return true;
}

void program_stop(struct running *running)
{
	kill(running->pid, SIGKILL);
	waitpid(running->pid, NULL, 0);
	running->out = close_fd(running->out);
}
