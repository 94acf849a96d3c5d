/* SPDX-License-Identifier: MIT */
/*
 * A host uid for one jail alone, in root mode. Two jails with one uid could signal and
 * trace each other if another wall fell, and would share per-uid limits.
 *
 * The range is a file, one byte a uid; a lease is an open-file-description lock on its
 * byte. The kernel drops it when the last copy of the descriptor closes, so a supervisor
 * that is killed leaves no stale lease; its jails die with it before that matters,
 * because they hold no copy (it is close-on-exec).
 */
#include <errno.h>
#include <fcntl.h>
#include <stdatomic.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/own.h"
#include "jail/internal.h"

#define LEASE_DIR  QUOD_LEASE_DIR
#define LEASE_FILE "uids"
#define LEASE_PATH LEASE_DIR "/" LEASE_FILE

static int open_file(void)
{
	return open(LEASE_PATH, O_RDWR | O_CREAT | O_NOFOLLOW | O_CLOEXEC, 0600);
}

/* Others go through the directory to the socket of quodd, whatever our umask is. */
static int make_dir(void)
{
	if (mkdir(LEASE_DIR, 0755) < 0)
		return errno == EEXIST ? 0 : -1;
	(void)chmod(LEASE_DIR, 0755);
	return 0;
}

static int lease_open(int *ret_fd, struct jail_error *err)
{
	int fd = open_file();

	if (fd < 0 && errno == ENOENT) {
		if (make_dir() < 0)
			return jail_fail(err, JAIL_STAGE_LEASE, errno, "mkdir '%s'",
					 LEASE_DIR);
		fd = open_file();
	}
	if (fd < 0)
		return jail_fail(err, JAIL_STAGE_LEASE, errno, "open '%s'", LEASE_PATH);
	*ret_fd = fd;
	return 0;
}

/* 0 leased, -EAGAIN taken by another, or another negative errno. */
static int lease_try(int fd, uint32_t uid)
{
	/* The byte's offset is the uid itself: ranges of different programs may overlap
	 * and still agree on what is taken. */
	struct flock lock = {.l_type = F_WRLCK,
			     .l_whence = SEEK_SET,
			     .l_start = (off_t)uid,
			     .l_len = 1};

	if (fcntl(fd, F_OFD_SETLK, &lock) == 0)
		return 0;
	return errno == EACCES ? -EAGAIN : -errno;
}

/*
 * A place of our own, so that many supervisors at once do not all try the same; and within
 * one the next at each time, so that who holds many jails does not try the uids of all of
 * them first, and one that was just given back rests.
 */
static uint32_t first_try(uint32_t count)
{
	static atomic_uint turn;

	return ((uint32_t)getpid() + atomic_fetch_add(&turn, 1)) % count;
}

int lease_take(uint32_t first, uint32_t count, struct lease *ret_lease,
	       struct jail_error *err)
{
	own_fd int fd = -1;
	int r = lease_open(&fd, err);

	if (r < 0)
		return r;
	uint32_t start = first_try(count);
	for (uint32_t i = 0; i < count; i++) {
		uint32_t uid = first + (start + i) % count;
		r = lease_try(fd, uid);
		if (r == 0) {
			ret_lease->uid = uid;
			ret_lease->fd = TAKE_FD(fd);
			return 0;
		}
		if (r != -EAGAIN)
			return jail_fail(err, JAIL_STAGE_LEASE, -r, "lock uid %u in '%s'",
					 uid, LEASE_PATH);
	}
	return jail_fail(err, JAIL_STAGE_LEASE, EAGAIN, "no free uid in %u+%u", first,
			 count);
}

void lease_give_back(struct lease *lease)
{
	lease->fd = close_fd(lease->fd);
}
