/* SPDX-License-Identifier: MIT */
/*
 * Own cgroup first, because it costs nothing. Only where a cgroup is required and ours
 * will not do is systemd asked for one, by a helper program: it alone needs D-Bus, and an
 * ordinary run never pays for that.
 *
 * The helper moves us, its parent. It gets our pid and a name, and says on its stdout in
 * one line why it could not, if it could not.
 */
#include "supervisor/place.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/own.h"
#include "supervisor/clock.h"
#include "supervisor/runid.h"

/* The helper gives up by itself before this. */
#define SCOPE_WAIT_MS 20000

extern char **environ;

static const char *scope_path(void)
{
	const char *path = secure_getenv("QUOD_SCOPE");

	return path && *path ? path : PKGLIBEXECDIR "/quod-scope";
}

/* Adds to what was wrong with our own cgroup, which would have been enough. */
static int scope_fail(struct jail_error *err, const char *why)
{
	size_t len = strlen(err->text);

	snprintf(err->text + len, sizeof(err->text) - len,
		 "; and systemd gives no scope: %s", why);
	return -err->errnum;
}

/* systemd runs here, and a cgroup of our own is what is missing. */
static bool scope_would_help(const struct jail_error *err)
{
	return (err->errnum == EACCES || err->errnum == EBUSY ||
		err->errnum == EOPNOTSUPP) &&
	       access("/run/systemd/system", F_OK) == 0;
}

/* Our signals are not its: what is blocked here it would never see. */
static int scope_start(int out, char *const *argv, pid_t *ret_pid)
{
	posix_spawn_file_actions_t actions;
	posix_spawnattr_t attributes;
	sigset_t none;
	int r;

	sigemptyset(&none);
	posix_spawnattr_init(&attributes);
	posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETSIGMASK);
	posix_spawnattr_setsigmask(&attributes, &none);
	posix_spawn_file_actions_init(&actions);
	posix_spawn_file_actions_adddup2(&actions, out, STDOUT_FILENO);
	r = posix_spawn(ret_pid, argv[0], &actions, &attributes, argv, environ);
	posix_spawn_file_actions_destroy(&actions);
	posix_spawnattr_destroy(&attributes);
	return -r;
}

/* What it says until it ends, or for so long as we care to wait. */
static void scope_listen(int fd, char *said, size_t size)
{
	uint64_t end_ms = clock_mono_ns() / NS_PER_MS + SCOPE_WAIT_MS;
	size_t len = 0;

	while (len + 1 < size) {
		uint64_t now_ms = clock_mono_ns() / NS_PER_MS;
		struct pollfd slot = {.fd = fd, .events = POLLIN};

		if (now_ms >= end_ms || poll(&slot, 1, (int)(end_ms - now_ms)) == 0)
			break;
		ssize_t n = read(fd, said + len, size - 1 - len);
		if (n == 0 || (n < 0 && errno != EINTR))
			break;
		len += n > 0 ? (size_t)n : 0;
	}
	said[len] = '\0';
	said[strcspn(said, "\n")] = '\0';
}

static int scope_enter(struct jail_error *err)
{
	char pid_text[16], name[RUNID_LEN + 16], id[RUNID_LEN + 1], said[300];
	char *const argv[] = {(char *)(uintptr_t)scope_path(), pid_text, name, NULL};
	own_fd int listen = -1, tell = -1;
	int ends[2], status = 0;
	pid_t pid;
	int r = runid_make(clock_real_ms(), id);

	if (r == 0 && pipe2(ends, O_CLOEXEC) < 0)
		r = -errno;
	if (r < 0)
		return scope_fail(err, strerror(-r));
	listen = ends[0];
	tell = ends[1];
	snprintf(pid_text, sizeof(pid_text), "%d", (int)getpid());
	snprintf(name, sizeof(name), "quod-%s.scope", id);
	r = scope_start(tell, argv, &pid);
	tell = close_fd(tell);
	if (r < 0) {
		snprintf(said, sizeof(said), "cannot start '%.200s': %s", argv[0],
			 strerror(-r));
		return scope_fail(err, said);
	}
	scope_listen(listen, said, sizeof(said));
	/* If it has not ended it is stuck, and nobody else waits for it. */
	if (waitpid(pid, &status, WNOHANG) == 0)
		kill(pid, SIGKILL);
	waitpid(pid, &status, 0);
	if (WIFEXITED(status) && WEXITSTATUS(status) == 0)
		return 0;
	return scope_fail(err, said[0] ? said : "the helper gave no answer");
}

void place_open(const struct place_request *request, struct run_place *ret_place)
{
	struct run_place place = {.fd = -1, .required = request->required};
	int fd = -1;
	int r = jail_cgroup_open(request->dir, request->required, &fd, &place.err);

	if (r < 0 && request->required && !request->dir && scope_would_help(&place.err) &&
	    scope_enter(&place.err) == 0)
		r = jail_cgroup_open(NULL, true, &fd, &place.err);
	place.failed = r < 0 && (request->required || request->dir);
	place.fd = r < 0 ? -1 : fd;
	*ret_place = place;
}

void place_close(struct run_place *place)
{
	place->fd = close_fd(place->fd);
}
