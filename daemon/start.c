/* SPDX-License-Identifier: MIT */
/*
 * The server is a program of its own: it shares neither memory nor its layout with the
 * monitor, and what only it needs (HTTP, SQL) is not mapped there. All it gets are the
 * descriptors of server.h and some numbers.
 */
#include "daemon/start.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "base/own.h"
#include "daemon/server.h"

/* Those that the server gets, from SERVER_ORDERS_FD on; all above where they will be, so
 * that no dup2() steps on another. */
struct handed {
	int fds[SERVER_LISTEN_FD - SERVER_ORDERS_FD + LISTENERS_MOST]; /* -1: none */
	unsigned count;
	int program;
};

#define LIFTED_FROM (SERVER_LISTEN_FD + (int)LISTENERS_MOST)

static int lift(int fd, int *ret_fd)
{
	*ret_fd = fcntl(fd, F_DUPFD_CLOEXEC, LIFTED_FROM);
	return *ret_fd < 0 ? -errno : 0;
}

static int hand_over(struct handed *handed, int fd)
{
	int *place = &handed->fds[handed->count++];

	*place = -1;
	return fd < 0 ? 0 : lift(fd, place);
}

/* The directory of our own file with a '/' behind it: its length, 0 where it is unknown. */
static size_t find_own(char *path, size_t size)
{
	ssize_t n = readlink("/proc/self/exe", path, size - 1);

	while (n > 0 && path[n - 1] != '/')
		n--;
	return n > 0 ? (size_t)n : 0;
}

static int open_program(const char *program)
{
	char path[4096 + sizeof(SERVER_NAME)];
	size_t len = find_own(path, 4096);
	int fd = -1;

	if (program)
		return open(program, O_RDONLY | O_CLOEXEC);
	if (len) {
		memcpy(path + len, SERVER_NAME, sizeof(SERVER_NAME));
		fd = open(path, O_RDONLY | O_CLOEXEC);
	}
	return fd < 0 ? open(PKGLIBEXECDIR "/" SERVER_NAME, O_RDONLY | O_CLOEXEC) : fd;
}

static int prepare_handed(const struct start *start, int orders, struct handed *handed)
{
	own_fd int program = open_program(start->program), roster = -1;
	int r = program < 0 ? -errno : lift(program, &handed->program);

	if (r == 0)
		r = roster_send(start->roster, &roster);
	if (r == 0)
		r = hand_over(handed, orders);
	if (r == 0)
		r = hand_over(handed, roster);
	if (r == 0)
		r = hand_over(handed, start->history_fd);
	if (r == 0)
		r = hand_over(handed, start->journal_fd);
	for (unsigned i = 0; r == 0 && i < start->listeners->count; i++)
		r = hand_over(handed, start->listeners->fds[i]);
	return r;
}

static void close_handed(struct handed *handed)
{
	while (handed->count)
		close_fd(handed->fds[--handed->count]);
	close_fd(handed->program);
}

static void exec_server(const struct start *start, const struct handed *handed)
{
	char name[] = SERVER_NAME, words[SERVER_ARGS][16];
	char *argv[SERVER_ARGS + 1] = {name}, *envp[] = {NULL};
	const unsigned args[SERVER_ARGS] = {
		[SERVER_ARG_UID] = start->uid,
		[SERVER_ARG_GID] = start->gid,
		[SERVER_ARG_HISTORY] = start->history_fd >= 0,
		[SERVER_ARG_LISTENERS] = start->listeners->count,
		[SERVER_ARG_JOURNAL] = start->journal_fd >= 0,
	};
	sigset_t none;

	for (int i = 1; i < SERVER_ARGS; i++) {
		snprintf(words[i], sizeof(words[i]), "%u", args[i]);
		argv[i] = words[i];
	}
	sigemptyset(&none);
	sigprocmask(SIG_SETMASK, &none, NULL);
	for (unsigned i = 0; i < handed->count; i++)
		if (handed->fds[i] >= 0 &&
		    dup2(handed->fds[i], SERVER_ORDERS_FD + (int)i) < 0)
			_exit(126);
	fexecve(handed->program, argv, envp);
	_exit(127);
}

static int fork_server(const struct start *start, int orders, pid_t *ret_pid)
{
	struct handed handed = {.program = -1};
	int r = prepare_handed(start, orders, &handed);

	if (r == 0) {
		*ret_pid = fork();
		if (*ret_pid == 0)
			exec_server(start, &handed);
		r = *ret_pid < 0 ? -errno : 0;
	}
	close_handed(&handed);
	return r;
}

int start_server(const struct start *start, struct started *ret_started,
		 struct usage *usage)
{
	int pair[2];
	int r = socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, pair) < 0 ? -errno
										: 0;

	if (r == 0) {
		r = fork_server(start, pair[1], &ret_started->pid);
		close_fd(pair[1]);
		if (r < 0)
			close_fd(pair[0]);
	}
	if (r < 0)
		return usage_fail(usage, r, "cannot start the server: %s", strerror(-r));
	ret_started->orders_fd = pair[0];
	return 0;
}
