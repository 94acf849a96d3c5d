/* SPDX-License-Identifier: MIT */
/*
 * A program that may have threads needs futexes that are not private (pthread_join has
 * one), and those are known by file and offset: two jails that run one file could wake
 * each other through its pages. So each of them gets a file of its own.
 */
#include "supervisor/program.h"

#include <errno.h>
#include <fcntl.h>
#include <sys/mman.h>
#include <sys/sendfile.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/own.h"

/* Linux 6.3; kernels before it refuse the flag and need none. */
#ifndef MFD_EXEC
#define MFD_EXEC 0x0010u
#endif

#define SEALS (F_SEAL_SEAL | F_SEAL_SHRINK | F_SEAL_GROW | F_SEAL_WRITE)

static int make_memory_file(void)
{
	int fd = memfd_create("program", MFD_CLOEXEC | MFD_ALLOW_SEALING | MFD_EXEC);

	if (fd < 0 && errno == EINVAL)
		fd = memfd_create("program", MFD_CLOEXEC | MFD_ALLOW_SEALING);
	return fd < 0 ? -errno : fd;
}

static int copy_bytes(int from, int to)
{
	uint64_t copied = 0;
	ssize_t n;

	do {
		n = sendfile(to, from, NULL, LIMITS_MIB);
		if (n < 0 && errno != EINTR)
			return -errno;
		if (n > 0)
			copied += (uint64_t)n;
		if (copied > PROGRAM_COPY_MOST)
			return -EFBIG;
	} while (n != 0);
	return 0;
}

/* What execve would ask of the file itself. A pipe must not keep us. */
static int open_to_read(const char *path)
{
	struct stat st;
	own_fd int fd = open(path, O_RDONLY | O_NONBLOCK | O_CLOEXEC);

	if (fd < 0 || fstat(fd, &st) < 0)
		return -errno;
	if (!S_ISREG(st.st_mode) || faccessat(AT_FDCWD, path, X_OK, AT_EACCESS) < 0)
		return -EACCES;
	return TAKE_FD(fd);
}

static int copy_program(const char *path)
{
	own_fd int from = open_to_read(path), to = -1;

	if (from < 0)
		return from;
	to = make_memory_file();
	if (to < 0)
		return to;
	int r = copy_bytes(from, to);
	if (r == 0 && fcntl(to, F_ADD_SEALS, SEALS) < 0)
		r = -errno;
	return r < 0 ? r : TAKE_FD(to);
}

int program_open(const char *path, bool copy, int *ret_fd)
{
	int fd = copy ? copy_program(path) : open(path, O_PATH | O_CLOEXEC);

	if (fd < 0)
		return copy ? fd : -errno;
	*ret_fd = fd;
	return 0;
}
