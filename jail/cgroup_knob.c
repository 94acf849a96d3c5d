/* SPDX-License-Identifier: MIT */
/* The files of a cgroup: what they say and how they are told. Small, flat, and read whole. */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "base/own.h"
#include "jail/internal.h"

int64_t now_ms(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return (int64_t)now.tv_sec * 1000 + now.tv_nsec / 1000000;
}

/* Reads from the start of a knob: cgroup files give fresh content at offset 0. */
ssize_t knob_read(int fd, char *text, size_t size)
{
	ssize_t n = pread(fd, text, size - 1, 0);

	if (n < 0)
		return -errno;
	text[n] = '\0';
	return n;
}

int knob_write(int dir_fd, const char *name, const char *text)
{
	own_fd int fd = openat(dir_fd, name, O_WRONLY | O_CLOEXEC);

	if (fd < 0 || write(fd, text, strlen(text)) < 0)
		return -errno;
	return 0;
}

/* The value after "key " at a line's start in a flat keyed file; false if absent. */
static bool keyed_value(const char *text, const char *key, uint64_t *ret_value)
{
	size_t len = strlen(key);

	for (const char *line = text; line; line = strchr(line, '\n')) {
		line += *line == '\n';
		if (strncmp(line, key, len) == 0 && line[len] == ' ') {
			*ret_value = strtoull(line + len + 1, NULL, 10);
			return true;
		}
	}
	return false;
}

bool knob_keyed(int fd, const char *key, uint64_t *ret_value)
{
	char text[1024];

	return fd >= 0 && knob_read(fd, text, sizeof(text)) >= 0 &&
	       keyed_value(text, key, ret_value);
}

bool knob_number(int fd, uint64_t *ret_value)
{
	char text[32], *end = text;

	if (fd < 0 || knob_read(fd, text, sizeof(text)) < 0)
		return false;
	uint64_t value = strtoull(text, &end, 10);
	if (end == text) /* "max" */
		return false;
	*ret_value = value;
	return true;
}

/* `slack` is what the kernel may round down by. */
int knob_set(int dir_fd, const char *dir, const char *name, uint64_t value,
	     uint64_t slack, bool *ret_set, struct jail_error *err)
{
	char text[32];
	uint64_t got = 0;

	*ret_set = false;
	snprintf(text, sizeof(text), "%llu", (unsigned long long)value);
	int r = knob_write(dir_fd, name, text);
	if (r == -ENOENT)
		return 0;
	if (r < 0)
		return jail_fail(err, JAIL_STAGE_CGROUP, -r, "write %s to '%s/%s'", text,
				 dir, name);
	own_fd int fd = openat(dir_fd, name, O_RDONLY | O_CLOEXEC);
	if (!knob_number(fd, &got) || got > value || value - got > slack)
		return jail_fail(err, JAIL_STAGE_CGROUP, ERANGE,
				 "'%s/%s' does not hold the %s that was written", dir,
				 name, text);
	*ret_set = true;
	return 0;
}
