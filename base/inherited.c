/* SPDX-License-Identifier: MIT */
/*
 * Goes by /proc/self/fd: the numbers have no bound that could be tried one by one, and
 * close_range(2) would take ours along.
 */
#include "base/inherited.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdint.h>
#include <unistd.h>

#include "base/number.h"
#include "base/own.h"

static int close_if_inherited(const char *name)
{
	uint64_t fd;

	/* "." and ".." are no numbers. */
	if (number_parse_u64(name, STDERR_FILENO + 1, INT32_MAX, &fd) != NUMBER_OK)
		return 0;
	int flags = fcntl((int)fd, F_GETFD);
	if (flags < 0)
		return -errno;
	if (!(flags & FD_CLOEXEC))
		close((int)fd);
	return 0;
}

int close_inherited(void)
{
	DIR *dir = opendir("/proc/self/fd");
	const struct dirent *entry;
	int r = 0;

	if (!dir)
		return errno == ENOENT ? 0 : -errno;
	for (errno = 0; r == 0 && (entry = readdir(dir)); errno = 0)
		r = close_if_inherited(entry->d_name);
	if (r == 0)
		r = -errno;
	closedir(dir);
	return r;
}
