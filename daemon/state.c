/* SPDX-License-Identifier: MIT */
/*
 * The server's user may have been at work before, or somebody in his name: within his own
 * directory he could have put anything, but nothing there is looked at. The directory
 * itself is taken by its name in DIR once, without following a link, and from then on by
 * its descriptor. What belongs to a third is not given away.
 */
#include "daemon/state.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/own.h"

#define HISTORY "history"

static int fail(struct usage *usage, int errnum, const char *dir)
{
	return usage_fail(usage, -errnum,
			  "cannot use '%s/" HISTORY "' for the history: %s", dir,
			  strerror(errnum));
}

/* In a user namespace without such an id the server stays who we are. */
static int give(int fd, const struct stat *st, uid_t uid, gid_t gid)
{
	if (st->st_uid != uid && fchown(fd, uid, gid) < 0 && errno != EINVAL)
		return -errno;
	return fchmod(fd, 0700) < 0 ? -errno : 0;
}

int state_open_history(const char *dir, uid_t uid, gid_t gid, int *ret_fd,
		       struct usage *usage)
{
	own_fd int at = open(dir, O_PATH | O_DIRECTORY | O_CLOEXEC), fd = -1;
	uid_t owner = uid ? uid : geteuid();
	struct stat st;
	int r;

	if (at < 0 || (mkdirat(at, HISTORY, 0700) < 0 && errno != EEXIST))
		return fail(usage, errno, dir);
	fd = openat(at, HISTORY, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
	if (fd < 0 || fstat(fd, &st) < 0)
		return fail(usage, errno, dir);
	if (st.st_uid != owner && st.st_uid != geteuid())
		return usage_fail(usage, -EPERM,
				  "'%s/" HISTORY
				  "' belongs to user %u and not to user %u, who is to "
				  "keep the history: chown -R %u '%s/" HISTORY "'",
				  dir, st.st_uid, owner, owner, dir);
	r = give(fd, &st, owner, gid);
	if (r < 0)
		return fail(usage, -r, dir);
	*ret_fd = TAKE_FD(fd);
	return 0;
}
