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
#include <string.h>
#include <unistd.h>

#include "base/file.h"
#include "base/own.h"

#define UID_MAP_MOST 65536u

/* One line, and its last number, the count, is 1. Not to be read: not so. */
static bool is_alone_in_namespace(void)
{
	own_free char *map = NULL;
	size_t len;
	const char *end, *count;

	if (file_read_at(AT_FDCWD, "/proc/self/uid_map", UID_MAP_MOST, &map, &len) < 0)
		return false;
	end = strchr(map, '\n');
	if (!end || end[1])
		return false;
	for (count = end; count > map && count[-1] != ' ';)
		count--;
	return end - count == 1 && *count == '1';
}

const char *trust_judge(const struct stat *st)
{
	if (!S_ISREG(st->st_mode))
		return "it is not a regular file, and root takes no other";
	if (st->st_uid != 0)
		return "root does not own it, so it has no say here (chown root)";
	if (st->st_mode & (S_IWGRP | S_IWOTH))
		return "others than root can write it, so it has no say here (chmod "
		       "go-w)";
	return NULL;
}

const char *trust_file(int fd)
{
	struct stat st;

	if (geteuid() != 0)
		return NULL;
	if (fstat(fd, &st) < 0)
		return "it cannot be told who owns it";
	return trust_judge(&st) && !is_alone_in_namespace() ? trust_judge(&st) : NULL;
}
