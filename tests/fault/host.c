/* SPDX-License-Identifier: MIT */
/*
 * The cgroup is a child of our own in the v2 hierarchy, and we move into it, so that quod
 * makes its group below. The lease directory is covered by a tmpfs in a mount namespace
 * of ours: locks in the host's own one are other people's.
 */
#include "tests/fault/host.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mount.h>
#include <sys/stat.h>
#include <sys/vfs.h>
#include <linux/magic.h>
#include <unistd.h>

#include "base/own.h"

#define PREFIX "quod-fault-"

static char above[4200]; /* the cgroup that we were in */
static char ours[4300];	 /* "": none */
static bool leases;
static size_t mounts;

static size_t file_bytes(const char *path)
{
	char text[4096];
	size_t total = 0;
	ssize_t n = 1;

	own_fd int fd = open(path, O_RDONLY | O_CLOEXEC);
	while (fd >= 0 && (n = read(fd, text, sizeof(text))) > 0)
		total += (size_t)n;
	return total;
}

static bool write_file(const char *dir, const char *name, const char *text)
{
	char path[4400];

	snprintf(path, sizeof(path), "%s/%s", dir, name);
	own_fd int fd = open(path, O_WRONLY | O_CLOEXEC);
	return fd >= 0 && write(fd, text, strlen(text)) > 0;
}

static bool is_v2(const char *path)
{
	struct statfs fs;

	return statfs(path, &fs) == 0 && fs.f_type == CGROUP2_SUPER_MAGIC;
}

/* The directory of the cgroup that we are in: the line "0::/PATH". */
static bool find_above(void)
{
	const char *mount =
		is_v2("/sys/fs/cgroup") ? "/sys/fs/cgroup" : "/sys/fs/cgroup/unified";
	char line[4096];
	bool found = false;

	FILE *file = fopen("/proc/self/cgroup", "re");
	while (file && !found && fgets(line, sizeof(line), file)) {
		line[strcspn(line, "\n")] = '\0';
		found = strncmp(line, "0::/", 4) == 0;
	}
	if (file)
		fclose(file);
	snprintf(above, sizeof(above), "%s%s", mount, found ? line + 3 : "");
	return found && is_v2(mount);
}

bool host_is_leaf(const char *name, size_t len)
{
	return len >= 26 && name[0] == '0' && (len == 26 || name[26] == '.');
}

/* Counts the leaves in a directory and below; removes every directory below if asked. */
static unsigned walk(const char *path, bool remove)
{
	char below[4800];
	unsigned count = 0;
	DIR *dir = opendir(path);

	for (struct dirent *entry; dir && (entry = readdir(dir));) {
		if (entry->d_type != DT_DIR || entry->d_name[0] == '.')
			continue;
		snprintf(below, sizeof(below), "%s/%s", path, entry->d_name);
		count += host_is_leaf(entry->d_name, strlen(entry->d_name)) +
			 walk(below, remove);
		if (remove)
			rmdir(below);
	}
	if (dir)
		closedir(dir);
	return count;
}

/* What tests that were killed have left there. */
static void sweep(void)
{
	char path[4600];
	DIR *dir = opendir(above);
	int pid;

	for (struct dirent *entry; dir && (entry = readdir(dir));) {
		if (sscanf(entry->d_name, PREFIX "%d", &pid) != 1 || kill(pid, 0) == 0 ||
		    errno != ESRCH)
			continue;
		snprintf(path, sizeof(path), "%s/%s", above, entry->d_name);
		walk(path, true);
		rmdir(path);
	}
	if (dir)
		closedir(dir);
}

static void enter_cgroup(void)
{
	if (!find_above())
		return;
	sweep();
	snprintf(ours, sizeof(ours), "%s/" PREFIX "%d", above, (int)getpid());
	if (mkdir(ours, 0700) == 0 && write_file(ours, "cgroup.procs", "0"))
		return;
	rmdir(ours);
	ours[0] = '\0';
}

static void enter_leases(void)
{
	/* As quod would. */
	leases = (mkdir(QUOD_LEASE_DIR, 0755) == 0 || errno == EEXIST) &&
		 unshare(CLONE_NEWNS) == 0 &&
		 mount(NULL, "/", NULL, MS_REC | MS_PRIVATE, NULL) == 0 &&
		 mount("leases", QUOD_LEASE_DIR, "tmpfs", MS_NOSUID | MS_NODEV,
		       "mode=0755") == 0;
}

void host_enter(void)
{
	enter_cgroup();
	enter_leases();
	mounts = file_bytes("/proc/self/mountinfo");
}

void host_leave(void)
{
	if (!ours[0])
		return;
	write_file(above, "cgroup.procs", "0");
	walk(ours, true);
	rmdir(ours);
}

/* Groups that earlier runs have left would do. */
bool host_forbid_cgroups(bool forbid)
{
	if (forbid && ours[0])
		walk(ours, true);
	return ours[0] &&
	       write_file(ours, "cgroup.max.descendants", forbid ? "0" : "max");
}

static bool lease_is_held(void)
{
	struct flock lock = {.l_type = F_WRLCK, .l_whence = SEEK_SET};
	own_fd int fd = open(QUOD_LEASE_DIR "/uids", O_RDWR | O_CLOEXEC);

	return fd >= 0 && fcntl(fd, F_OFD_GETLK, &lock) == 0 && lock.l_type != F_UNLCK;
}

bool host_is_clean(char *to, size_t size)
{
	unsigned leaves = ours[0] ? walk(ours, false) : 0;
	bool held = leases && lease_is_held();
	bool mounted = file_bytes("/proc/self/mountinfo") != mounts;

	snprintf(to, size, "%u leaves%s%s", leaves, held ? ", a lease" : "",
		 mounted ? ", a mount" : "");
	return leaves == 0 && !held && !mounted;
}

bool host_has_cgroup(void)
{
	return ours[0];
}

bool host_has_leases(void)
{
	return leases;
}
