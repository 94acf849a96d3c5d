/* SPDX-License-Identifier: MIT */
/*
 * A daemon that answers what it is told to, whatever it is asked:
 *
 *	pretend SOCKET ANSWER...	the nth connection gets the nth answer, or the last
 *
 * An answer is FILE; FILE+FILE: the second again and again, as long as somebody takes it;
 * slow:FILE: byte by byte; hold:FILE: and then it waits until the client has gone.
 * "listening" on stdout says that it may be connected to; then comes the first line of each
 * request. It ends with its stdin.
 */
#include <poll.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>
#include <fcntl.h>

#include "base/file.h"
#include "base/own.h"

#define FILE_MOST    (64u << 20)
#define REQUEST_MOST (1u << 20)

static void die(const char *what)
{
	perror(what);
	exit(1);
}

static int listen_at(const char *path)
{
	struct sockaddr_un name = {.sun_family = AF_UNIX};
	int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);

	snprintf(name.sun_path, sizeof(name.sun_path), "%s", path);
	if (fd < 0 || bind(fd, (const struct sockaddr *)&name, sizeof(name)) < 0 ||
	    listen(fd, 8) < 0)
		die("pretend: socket");
	return fd;
}

/* A request is there when its head is, and as many bytes as that says. */
static bool is_whole(const char *request, size_t len)
{
	const char *end = strstr(request, "\r\n\r\n");
	const char *says = strstr(request, "Content-Length: ");
	size_t body = says && end && says < end ? strtoul(says + 16, NULL, 10) : 0;

	return end && len >= (size_t)(end - request) + 4 + body;
}

static void read_request(int fd)
{
	static char request[REQUEST_MOST + 1];
	size_t len = 0;
	ssize_t n = 1;

	request[0] = '\0';
	while (!is_whole(request, len) && len < REQUEST_MOST && n > 0) {
		n = read(fd, request + len, REQUEST_MOST - len);
		len += n > 0 ? (size_t)n : 0;
		request[len] = '\0';
	}
	printf("%.*s\n", (int)strcspn(request, "\r\n"), request);
	fflush(stdout);
}

/* False: nobody takes it any more. */
static bool say_file(int fd, const char *path, size_t piece)
{
	own_free char *bytes = NULL;
	size_t len;

	if (file_read_at(AT_FDCWD, path, FILE_MOST, &bytes, &len) < 0)
		die(path);
	for (size_t at = 0; at < len; at += piece)
		if (file_write_all(fd, bytes + at, len - at < piece ? len - at : piece) <
		    0)
			return false;
	return true;
}

static void wait_until_gone(int fd)
{
	char byte;

	while (read(fd, &byte, 1) > 0)
		continue;
}

static void answer(int fd, const char *what)
{
	bool slow = !strncmp(what, "slow:", 5), hold = !strncmp(what, "hold:", 5);
	own_free char *path = strdup(slow || hold ? what + 5 : what);
	char *again = strchr(path, '+');

	if (again)
		*again++ = '\0';
	read_request(fd);
	if (!say_file(fd, path, slow ? 1 : FILE_MOST))
		return;
	while (again && say_file(fd, again, FILE_MOST))
		continue;
	if (hold)
		wait_until_gone(fd);
}

int main(int argc, char **argv)
{
	int listen_fd, next = 2;

	if (argc < 3)
		return 2;
	signal(SIGPIPE, SIG_IGN);
	listen_fd = listen_at(argv[1]);
	puts("listening");
	fflush(stdout);
	for (;;) {
		struct pollfd slots[] = {{listen_fd, POLLIN, 0}, {0, POLLIN, 0}};

		if (poll(slots, 2, -1) < 0 || slots[1].revents)
			return 0;
		own_fd int fd = accept(listen_fd, NULL, NULL);
		if (fd >= 0)
			answer(fd, argv[next]);
		next += next + 1 < argc;
	}
}
