/* SPDX-License-Identifier: MIT */
/*
 * A daemon that was killed leaves its socket behind. Whether it lives is asked by a
 * connect, which is refused at once where nobody listens. Two daemons that start at the
 * same moment on the same path are kept apart by the lock on their state.
 */
#include "daemon/listen.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/file.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

#include "base/own.h"

#define BACKLOG 128

static int name_of(const char *path, struct sockaddr_un *name, struct usage *usage)
{
	*name = (struct sockaddr_un){.sun_family = AF_UNIX};
	if (strlen(path) >= sizeof(name->sun_path))
		return usage_fail(usage, -ENAMETOOLONG,
				  "the path of the socket has more than %zu bytes: '%s'",
				  sizeof(name->sun_path) - 1, path);
	memcpy(name->sun_path, path, strlen(path) + 1);
	return 0;
}

static int make_way(const char *path, const struct sockaddr_un *name, struct usage *usage)
{
	own_fd int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
	struct stat st;

	if (lstat(path, &st) < 0)
		return 0;
	if (!S_ISSOCK(st.st_mode))
		return usage_fail(usage, -EEXIST, "'%s' is there and is no socket", path);
	if (fd < 0)
		return usage_fail(usage, -errno, "socket: %s", strerror(errno));
	if (connect(fd, (const struct sockaddr *)name, sizeof(*name)) == 0 ||
	    errno != ECONNREFUSED)
		return usage_fail(usage, -EADDRINUSE, "another program listens on '%s'",
				  path);
	if (unlink(path) < 0)
		return usage_fail(usage, -errno, "cannot remove the old socket '%s': %s",
				  path, strerror(errno));
	return 0;
}

static int bind_as(int fd, const struct sockaddr_un *name, bool open)
{
	mode_t mask = umask(open ? 0111 : 0177);
	int r = bind(fd, (const struct sockaddr *)name, sizeof(*name)) < 0 ? -errno : 0;

	umask(mask);
	return r;
}

int listen_unix(const char *path, bool open, int *ret_fd, struct usage *usage)
{
	own_fd int fd = -1;
	struct sockaddr_un name;
	int r = name_of(path, &name, usage);

	if (r == 0)
		r = make_way(path, &name, usage);
	if (r < 0)
		return r;
	fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
	r = fd < 0 ? -errno : bind_as(fd, &name, open);
	if (r == 0 && listen(fd, BACKLOG) < 0)
		r = -errno;
	if (r < 0)
		return usage_fail(usage, r, "cannot listen on '%s': %s", path,
				  strerror(-r));
	*ret_fd = TAKE_FD(fd);
	return 0;
}

int state_lock(const char *dir, int *ret_fd, struct usage *usage)
{
	own_fd int at = open(dir, O_PATH | O_DIRECTORY | O_CLOEXEC), fd = -1;

	if (at >= 0)
		fd = openat(at, "lock", O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0600);
	if (fd < 0)
		return usage_fail(usage, -errno,
				  "cannot use the state directory '%s': %s", dir,
				  strerror(errno));
	if (flock(fd, LOCK_EX | LOCK_NB) < 0)
		return usage_fail(usage, errno == EWOULDBLOCK ? -EBUSY : -errno,
				  "another daemon has the state directory '%s'", dir);
	*ret_fd = TAKE_FD(fd);
	return 0;
}
