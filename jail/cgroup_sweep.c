/* SPDX-License-Identifier: MIT */
/*
 * What supervisors that were killed have left: at every start the leaves of the group are
 * looked at. A leaf is locked while its supervisor lives; whose lock is free is killed and
 * removed, under that lock.
 */
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/own.h"
#include "jail/internal.h"

/* A start looks at so many leaves at most: it must stay cheap with many jails alive. */
#define SWEEP_MOST 64

/* And waits so long at most for what is dying in them. */
#define SWEEP_WAIT_MS 100

/* Of a leaf that has outlasted a sweep. Its owner needs no permission to write in it. */
#define MODE_STUCK 0500

/* What hung in the kernel then may hang for days: one start waits for it, not all. */
static void sweep_wait(int dir_fd, int64_t end_ms)
{
	own_fd int events = openat(dir_fd, "cgroup.events", O_RDONLY | O_CLOEXEC);
	struct stat st;

	if (events < 0 || fstat(dir_fd, &st) < 0 || (st.st_mode & 0777) == MODE_STUCK)
		return;
	if (leaf_events_wait_empty(events, end_ms) < 0)
		fchmod(dir_fd, MODE_STUCK);
}

/* Nobody holds its lock: its supervisor is dead, and whoever is in it is about to be. */
static void sweep_kill(int dir_fd, int64_t end_ms)
{
	knob_write(dir_fd, "cpu.max", "max");
	knob_write(dir_fd, "pids.max", "0");
	knob_write(dir_fd, "cgroup.kill", "1");
	sweep_wait(dir_fd, end_ms);
}

/* True: it is dead and cannot be removed. */
static bool sweep_one(int base_fd, const char *name, int64_t end_ms)
{
	own_fd int dir =
		openat(base_fd, name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);

	if (dir < 0 || flock(dir, LOCK_EX | LOCK_NB) < 0 || leaf_is_gone(dir))
		return false;
	if (unlinkat(base_fd, name, AT_REMOVEDIR) == 0)
		return false;
	if (errno != EBUSY)
		return true;
	sweep_kill(dir, end_ms);
	/* What hangs in the kernel keeps its leaf: a later sweep has it. */
	return unlinkat(base_fd, name, AT_REMOVEDIR) < 0 && errno != ENOENT;
}

/* What else lies in the group is not ours: an operator may have called a cgroup `quod`
 * too, with a service in it or the group of other runs. */
static bool is_leaf(const struct dirent *entry)
{
	size_t len = strlen(entry->d_name), suffix = strlen(LEAF_SUFFIX);

	return entry->d_type == DT_DIR && len > suffix &&
	       strcmp(entry->d_name + len - suffix, LEAF_SUFFIX) == 0;
}

static unsigned count_leaves(DIR *dir)
{
	unsigned count = 0;

	for (struct dirent *entry; (entry = readdir(dir));)
		count += is_leaf(entry);
	rewinddir(dir);
	return count;
}

/* Of more leaves than one start should look at, each start takes others: where many runs
 * live, the dead one may be the last in the directory for as long as they do. */
unsigned leaf_sweep(int base_fd)
{
	unsigned left = 0;
	int fd = openat(base_fd, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	DIR *dir = fd < 0 ? NULL : fdopendir(fd);
	int64_t begin_ms = now_ms();

	if (!dir) {
		close_fd(fd);
		return 0;
	}
	unsigned count = count_leaves(dir), at = 0;
	unsigned first = count > SWEEP_MOST ? (uint64_t)begin_ms % count : 0;
	for (struct dirent *entry; count && (entry = readdir(dir));)
		if (is_leaf(entry) && (at++ + count - first) % count < SWEEP_MOST)
			left += sweep_one(base_fd, entry->d_name,
					  begin_ms + SWEEP_WAIT_MS);
	closedir(dir);
	return left;
}

/* Knobs of a controller that is not here are not looked for. */
