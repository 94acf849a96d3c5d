/* SPDX-License-Identifier: MIT */
/*
 * What is judged is the file that was opened, whatever path led to it, so that nothing
 * can be put in its place between the look and the reading.
 *
 * Root of a namespace that holds one single uid is an ordinary user who calls himself
 * root (unshare -r): to him the files of the real root look like nobody's.
 */
#include "policy/trust.h"

#include <fcntl.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>
#include <unistd.h>

#include "base/file.h"
#include "base/own.h"

#define UID_MAP_MOST 65536u

/* One line, and its last number, the count, is 1; and it is not the real root, whose files
 * look like his own. Not to be read: not so. */
static bool is_alone_in_namespace(void)
{
	own_free char *map = NULL;
	unsigned inside, outside, count;
	size_t len;
	int end = 0;

	if (file_read_at(AT_FDCWD, "/proc/self/uid_map", UID_MAP_MOST, &map, &len) < 0)
		return false;
	return sscanf(map, "%u %u %u\n%n", &inside, &outside, &count, &end) == 3 &&
	       (size_t)end == len && count == 1 && outside != 0;
}

static const char *judge_owner(const struct stat *st)
{
	if (st->st_uid != 0)
		return "root does not own it, so it has no say here (chown root)";
	if (st->st_mode & (S_IWGRP | S_IWOTH))
		return "others than root can write it, so it has no say here (chmod "
		       "go-w)";
	return NULL;
}

const char *trust_judge(const struct stat *st)
{
	if (!S_ISREG(st->st_mode))
		return "it is not a regular file, and root takes no other";
	return judge_owner(st);
}

static const char *trust(int fd, const char *(*judge)(const struct stat *st))
{
	struct stat st;

	if (geteuid() != 0)
		return NULL;
	if (fstat(fd, &st) < 0)
		return "it cannot be told who owns it";
	return judge(&st) && !is_alone_in_namespace() ? judge(&st) : NULL;
}

const char *trust_file(int fd)
{
	return trust(fd, trust_judge);
}

const char *trust_directory(int fd)
{
	return trust(fd, judge_owner);
}
