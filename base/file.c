/* SPDX-License-Identifier: MIT */
/*
 * Reading grows a buffer until the end or one byte past the cap: that byte is what tells
 * a file of exactly the most allowed length from a longer one, without trusting st_size,
 * which lies for pipes, devices and kernel files.
 */
#include "base/file.h"

#include <errno.h>
#include <sys/ioctl.h>
#include <sys/stat.h>
#include <stdio.h>
#include <fcntl.h>
#include <poll.h>
#include <stdint.h>
#include <stdlib.h>
#include <unistd.h>

#include "base/own.h"

#define READ_FIRST_ROOM 4096u

/* True if the call is to be made again: interrupted, or waited until it can go on. */
static int is_again(int fd, short events)
{
	struct pollfd wait = {.fd = fd, .events = events};

	if (errno == EINTR)
		return 1;
	if (errno != EAGAIN)
		return 0;
	while (poll(&wait, 1, -1) < 0) {
		if (errno != EINTR)
			return 0;
	}
	return 1;
}

static ssize_t read_some(int fd, char *to, size_t len)
{
	ssize_t n;

	do
		n = read(fd, to, len);
	while (n < 0 && is_again(fd, POLLIN));
	return n < 0 ? -errno : n;
}

/* Doubles the buffer, but not beyond what `most`, its tell-tale byte and the NUL need. */
static int buffer_grow(char **data, size_t *room, size_t most)
{
	size_t whole = most + 2;
	size_t wanted = *room ? *room * 2 : READ_FIRST_ROOM;
	char *grown;

	if (wanted > whole || wanted < *room)
		wanted = whole;
	grown = realloc(*data, wanted);
	if (!grown)
		return -ENOMEM;
	*data = grown;
	*room = wanted;
	return 0;
}

int file_read_fd(int fd, size_t most, char **ret_data, size_t *ret_len)
{
	own_free char *data = NULL;
	size_t room = 0, len = 0;

	if (most > SIZE_MAX - 2)
		return -EINVAL;
	for (;;) {
		ssize_t n;

		if (len + 1 >= room) {
			int error = buffer_grow(&data, &room, most);

			if (error)
				return error;
		}
		n = read_some(fd, data + len, room - len - 1);
		if (n < 0)
			return (int)n;
		if (n == 0)
			break;
		len += (size_t)n;
		if (len > most)
			return -EFBIG;
	}
	data[len] = '\0';
	*ret_data = TAKE_PTR(data);
	*ret_len = len;
	return 0;
}

int file_read_at(int dir_fd, const char *path, size_t most, char **ret_data,
		 size_t *ret_len)
{
	own_fd int fd = openat(dir_fd, path, O_RDONLY | O_CLOEXEC | O_NOCTTY);

	if (fd < 0)
		return -errno;
	return file_read_fd(fd, most, ret_data, ret_len);
}

int file_write_all(int fd, const void *bytes, size_t len)
{
	const char *p = bytes;

	while (len > 0) {
		ssize_t n = write(fd, p, len);

		if (n < 0) {
			if (!is_again(fd, POLLOUT))
				return -errno;
			continue;
		}
		p += n;
		len -= (size_t)n;
	}
	return 0;
}

int file_open_std_fds(void)
{
	/* open() gives the lowest free number: once it gives 3, the first three are
	 * taken. */
	for (;;) {
		int fd = open("/dev/null", O_RDWR | O_NOCTTY);

		if (fd < 0)
			return -errno;
		if (fd > STDERR_FILENO) {
			close(fd);
			return 0;
		}
	}
}

/* A description of our own of the same pipe or terminal. */
static bool open_anew(int fd, const struct stat *st)
{
	char path[32];
	struct stat anew_st;

	snprintf(path, sizeof(path), "/proc/self/fd/%d", fd);
	own_fd int anew = open(path, O_WRONLY | O_NONBLOCK | O_NOCTTY | O_CLOEXEC);
	return anew >= 0 && fstat(anew, &anew_st) == 0 && anew_st.st_dev == st->st_dev &&
	       anew_st.st_ino == st->st_ino && dup2(anew, fd) == fd;
}

bool file_may_sleep(int fd)
{
	struct stat st;

	if (fstat(fd, &st) < 0 || S_ISREG(st.st_mode) || S_ISDIR(st.st_mode))
		return false;
	return !S_ISCHR(st.st_mode) || isatty(fd);
}

bool file_unblock(int fd)
{
	struct stat st;
	int number;

	if (!file_may_sleep(fd))
		return true;
	if (fstat(fd, &st) < 0 || !(S_ISFIFO(st.st_mode) || S_ISCHR(st.st_mode)))
		return false;
	/* To open a pty's master anew makes another pty. */
	if (S_ISCHR(st.st_mode) && ioctl(fd, TIOCGPTN, &number) == 0)
		return false;
	return open_anew(fd, &st);
}
