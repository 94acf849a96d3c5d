/* SPDX-License-Identifier: MIT */
/*
 * The kernel counts namespaces against /proc/sys/user/max_KIND_namespaces, a limit of
 * each user namespace, and takes one off the count when it has really gone. So the lowest
 * limit under which one more can be made tells how many there are.
 */
#include "tests/soak/charged.h"

#include <fcntl.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>

#include "base/own.h"

/* The first user namespace of a machine has this inode: its limits are not ours. */
#define FIRST_USER_INODE 0xEFFFFFFDu

#define CHARGED_MOST 256

static int flag_of(const char *kind)
{
	static const struct {
		const char *kind;
		int flag;
	} flags[] = {{"net", CLONE_NEWNET},	 {"mnt", CLONE_NEWNS},
		     {"pid", CLONE_NEWPID},	 {"ipc", CLONE_NEWIPC},
		     {"uts", CLONE_NEWUTS},	 {"user", CLONE_NEWUSER},
		     {"cgroup", CLONE_NEWCGROUP}};

	for (size_t i = 0; i < ARRAY_LEN(flags); i++)
		if (strcmp(flags[i].kind, kind) == 0)
			return flags[i].flag;
	return 0;
}

static bool is_first_user_namespace(void)
{
	struct stat st;

	return stat("/proc/self/ns/user", &st) < 0 || st.st_ino == FIRST_USER_INODE;
}

static bool set_limit(int fd, const char *text)
{
	return pwrite(fd, text, strlen(text), 0) == (ssize_t)strlen(text);
}

static bool can_make_one(int flag)
{
	int status = -1;
	pid_t pid = fork();

	if (pid == 0)
		_exit(unshare(flag) < 0);
	return pid > 0 && waitpid(pid, &status, 0) == pid && status == 0;
}

bool charged_read(const char *kind, uint64_t *ret)
{
	char path[64], old[32] = "", text[32];
	uint64_t count = 0;

	snprintf(path, sizeof(path), "/proc/sys/user/max_%s_namespaces", kind);
	own_fd int fd = open(path, O_RDWR | O_CLOEXEC);
	if (fd < 0 || is_first_user_namespace() ||
	    pread(fd, old, sizeof(old) - 1, 0) <= 0)
		return false;
	for (; count < CHARGED_MOST; count++) {
		snprintf(text, sizeof(text), "%llu", (unsigned long long)count + 1);
		if (!set_limit(fd, text))
			return false;
		if (can_make_one(flag_of(kind)))
			break;
	}
	*ret = count;
	return set_limit(fd, old);
}
