/* SPDX-License-Identifier: MIT */
/*
 * A client without manners, for what curl does not do:
 *
 *	talk PATH	sends its stdin at once, then prints what comes, until the end of that
 *	talk PATH N	opens N connections and sends nothing; prints "open" or what each is
 *			told first, when all of them are made; holds them until its stdin ends
 *	talk PATH keep	sends its stdin as it comes, prints what comes, until the end of both
 *	talk PATH slow	sends its stdin, then a byte a tenth of a second, until it is closed
 */
#include <poll.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include "base/file.h"
#include "base/own.h"

#define CONNECTIONS_MOST 1024

static int reach(const char *path)
{
	struct sockaddr_un name = {.sun_family = AF_UNIX};
	int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);

	snprintf(name.sun_path, sizeof(name.sun_path), "%s", path);
	if (fd < 0 || connect(fd, (const struct sockaddr *)&name, sizeof(name)) < 0) {
		perror("talk: connect");
		exit(1);
	}
	return fd;
}

static void print_all(int fd)
{
	char bytes[4096];
	ssize_t n;

	while ((n = read(fd, bytes, sizeof(bytes))) > 0)
		fwrite(bytes, 1, (size_t)n, stdout);
}

static void send_input(int fd)
{
	own_free char *request = NULL;
	size_t len;

	if (file_read_fd(STDIN_FILENO, 1u << 24, &request, &len) < 0)
		exit(1);
	if (send(fd, request, len, MSG_NOSIGNAL) < 0)
		perror("talk: send");
}

/* What is refused is told at once, so that the last connection's answer is there soon
 * after it was made. */
static void hold(const char *path, int count)
{
	int fds[CONNECTIONS_MOST];
	char line[128], input;

	for (int i = 0; i < count; i++)
		fds[i] = reach(path);
	for (int i = 0; i < count; i++) {
		struct pollfd slot = {.fd = fds[i], .events = POLLIN};
		ssize_t n = poll(&slot, 1, i ? 0 : 1000) > 0
				    ? read(fds[i], line, sizeof(line) - 1)
				    : -1;

		if (n >= 0)
			line[strcspn(line, "\r\n")] = '\0';
		printf("%s\n", n < 0 ? "open" : n == 0 ? "closed" : line);
	}
	fflush(stdout);
	while (read(STDIN_FILENO, &input, 1) > 0)
		continue;
}

static void drip(int fd)
{
	for (;;) {
		struct pollfd slot = {.fd = fd, .events = POLLIN};

		if (poll(&slot, 1, 100) > 0)
			return;
		if (send(fd, "x", 1, MSG_NOSIGNAL) < 0)
			return;
	}
}

static void keep(int fd)
{
	struct pollfd slots[] = {{.fd = STDIN_FILENO, .events = POLLIN},
				 {.fd = fd, .events = POLLIN}};
	char bytes[4096];
	ssize_t n;

	while (slots[1].fd >= 0 && poll(slots, ARRAY_LEN(slots), -1) > 0) {
		if (slots[0].revents) {
			n = read(STDIN_FILENO, bytes, sizeof(bytes));
			if (n > 0)
				send(fd, bytes, (size_t)n, MSG_NOSIGNAL);
			else
				shutdown(fd, SHUT_WR);
			slots[0].fd = n > 0 ? STDIN_FILENO : -1;
		}
		if (slots[1].revents) {
			n = read(fd, bytes, sizeof(bytes));
			fwrite(bytes, 1, n > 0 ? (size_t)n : 0, stdout);
			fflush(stdout);
			slots[1].fd = n > 0 ? fd : -1;
		}
	}
}

int main(int argc, char **argv)
{
	bool slow = argc == 3 && strcmp(argv[2], "slow") == 0;
	bool keeps = argc == 3 && strcmp(argv[2], "keep") == 0;

	if (argc == 3 && !slow && !keeps) {
		int count = atoi(argv[2]);

		hold(argv[1], count < CONNECTIONS_MOST ? count : CONNECTIONS_MOST);
		return 0;
	}
	if (argc < 2)
		return 2;
	own_fd int fd = reach(argv[1]);
	if (keeps) {
		keep(fd);
		return 0;
	}
	send_input(fd);
	if (slow)
		drip(fd);
	print_all(fd);
	return 0;
}
