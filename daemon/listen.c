/* SPDX-License-Identifier: MIT */
/*
 * A daemon that was killed leaves its socket behind. Whether it lives is asked by a
 * connect, which is refused at once where nobody listens. Two daemons that start at the
 * same moment on the same path are kept apart by the lock on their state.
 *
 * What systemd passes is its own: it is never shut down or unlinked here, so that clients
 * that come while no daemon runs wait in the kernel's queue for the next one.
 */
#include "daemon/listen.h"

#include <errno.h>
#include <fcntl.h>
#include <netinet/in.h>
#include <stdio.h>
#include <string.h>
#include <sys/file.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <systemd/sd-daemon.h>
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

/* --- passed by systemd -------------------------------------------------------- */

bool listener_is_tcp(int fd)
{
	int domain = AF_UNIX;
	socklen_t len = sizeof(domain);

	return getsockopt(fd, SOL_SOCKET, SO_DOMAIN, &domain, &len) == 0 &&
	       domain != AF_UNIX;
}

static bool is_loopback(int fd)
{
	union {
		struct sockaddr any;
		struct sockaddr_in in;
		struct sockaddr_in6 in6;
		struct sockaddr_storage room;
	} name = {.any = {.sa_family = AF_UNSPEC}};
	socklen_t len = sizeof(name);

	if (getsockname(fd, &name.any, &len) < 0)
		return false;
	if (name.any.sa_family == AF_INET)
		return ntohl(name.in.sin_addr.s_addr) >> 24 == IN_LOOPBACKNET;
	return name.any.sa_family == AF_INET6 &&
	       (IN6_IS_ADDR_LOOPBACK(&name.in6.sin6_addr) ||
		(IN6_IS_ADDR_V4MAPPED(&name.in6.sin6_addr) &&
		 name.in6.sin6_addr.s6_addr[12] == IN_LOOPBACKNET));
}

static int check_passed(int fd, const char *name, bool anywhere, struct usage *usage)
{
	if (sd_is_socket_unix(fd, SOCK_STREAM, 1, NULL, 0) > 0)
		return 0;
	if (sd_is_socket_inet(fd, AF_UNSPEC, SOCK_STREAM, 1, 0) <= 0)
		return usage_fail(usage, -EINVAL,
				  "the socket '%.100s' that systemd has passed is none "
				  "that listens for streams, unix or TCP",
				  name);
	if (!anywhere && !is_loopback(fd))
		return usage_fail(usage, -EPERM,
				  "the TCP socket '%.100s' is not on the loopback: what "
				  "goes over it, tokens too, is not encrypted; put a "
				  "proxy with TLS before it, or say --tcp-anywhere",
				  name);
	return 0;
}

/* Its flags are the socket unit's, and a client that has gone again before it is accepted
 * would have a blocking accept() sleep. */
static int make_nonblocking(int fd, struct usage *usage)
{
	int flags = fcntl(fd, F_GETFL);

	if (flags < 0 || fcntl(fd, F_SETFL, flags | O_NONBLOCK) < 0)
		return usage_fail(usage, -errno, "cannot use a passed socket: %s",
				  strerror(errno));
	return 0;
}

static int take_passed(struct listeners *listeners, unsigned count, char **names,
		       bool anywhere, struct usage *usage)
{
	int r = 0;

	if (count > LISTENERS_MOST)
		return usage_fail(usage, -E2BIG,
				  "systemd has passed %u sockets, and %u may be", count,
				  LISTENERS_MOST);
	for (unsigned i = 0; i < count; i++)
		listeners->fds[i] = SD_LISTEN_FDS_START + (int)i;
	listeners->count = count;
	for (unsigned i = 0; r == 0 && i < count; i++) {
		r = check_passed(listeners->fds[i], names[i], anywhere, usage);
		if (r == 0)
			r = make_nonblocking(listeners->fds[i], usage);
	}
	return r;
}

int listeners_inherit(bool anywhere, struct listeners *listeners, struct usage *usage)
{
	char **names = NULL;
	int count = sd_listen_fds_with_names(1, &names), r;

	if (count < 0)
		return usage_fail(usage, count, "cannot take systemd's sockets: %s",
				  strerror(-count));
	r = take_passed(listeners, (unsigned)count, names, anywhere, usage);
	for (int i = 0; i < count; i++)
		free(names[i]);
	free(names);
	return r;
}

void listeners_close(struct listeners *listeners)
{
	while (listeners->count)
		close_fd(listeners->fds[--listeners->count]);
}
