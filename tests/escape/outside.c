/* SPDX-License-Identifier: MIT */
#include "tests/escape/outside.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/own.h"
#include "tests/escape/harness.h"

static char text[65536];

bool proc_text(long pid, const char *name, char *to, size_t size)
{
	char path[128];
	size_t at = 0;
	ssize_t n;

	snprintf(path, sizeof(path), "/proc/%ld/%s", pid, name);
	own_fd int fd = open(path, O_RDONLY | O_CLOEXEC);
	if (fd < 0)
		return false;
	while ((n = read(fd, to + at, size - 1 - at)) > 0)
		at += (size_t)n;
	to[at] = '\0';
	return n == 0;
}

const char *proc_status(long pid, const char *key)
{
	static char value[256];
	char start[64];

	value[0] = '\0';
	if (!proc_text(pid, "status", text, sizeof(text)))
		return value;
	snprintf(start, sizeof(start), "\n%s:\t", key);
	const char *at = strstr(text, start);
	if (at)
		snprintf(value, sizeof(value), "%.*s",
			 (int)strcspn(at + strlen(start), "\n"), at + strlen(start));
	return value;
}

/* A link of /proc that leads to a pipe, open in this way. */
static bool is_pipe(long pid, int fd, int access)
{
	char name[64], path[128], to[64] = "";

	snprintf(path, sizeof(path), "/proc/%ld/fd/%d", pid, fd);
	if (readlink(path, to, sizeof(to) - 1) < 0 || strncmp(to, "pipe:", 5) != 0)
		return false;
	snprintf(name, sizeof(name), "fdinfo/%d", fd);
	if (!proc_text(pid, name, text, sizeof(text)))
		return false;
	const char *flags = strstr(text, "flags:\t");
	return flags && (strtol(flags + 7, NULL, 8) & O_ACCMODE) == access;
}

static long count_entries(long pid, const char *name)
{
	char path[128];
	long count = 0;

	snprintf(path, sizeof(path), "/proc/%ld/%s", pid, name);
	DIR *dir = opendir(path);
	if (!dir)
		return -1;
	for (struct dirent *e; (e = readdir(dir));)
		count += strcmp(e->d_name, ".") != 0 && strcmp(e->d_name, "..") != 0;
	closedir(dir);
	return count;
}

void outside_descriptors(const char *what, long pid)
{
	long count = count_entries(pid, "fd");

	/* What is not dumpable is shut to all but root. */
	if (count < 0 && errno == EACCES) {
		check(geteuid() != 0, "%s: not even its caller sees its descriptors",
		      what);
		return;
	}
	check(count == 3, "%s: three descriptors (%ld)", what, count);
	check(is_pipe(pid, 0, O_RDONLY), "%s: 0 is a pipe, to be read", what);
	check(is_pipe(pid, 1, O_WRONLY), "%s: 1 is a pipe, to be written", what);
	check(is_pipe(pid, 2, O_WRONLY), "%s: 2 is a pipe, to be written", what);
}

void outside_terminal(const char *what, long pid)
{
	int session = -1, terminal = -1;
	bool read = proc_text(pid, "stat", text, sizeof(text));
	const char *end = read ? strrchr(text, ')') : NULL;

	/* state, ppid, pgrp, session, tty_nr */
	if (end && sscanf(end + 1, " %*c %*d %*d %d %d", &session, &terminal) != 2)
		terminal = -1;
	check(terminal == 0, "%s: no controlling terminal (%d)", what, terminal);
}

static bool each_mount_is_bare(void)
{
	char *save = NULL;
	int mounts = 0;

	for (char *line = strtok_r(text, "\n", &save); line;
	     line = strtok_r(NULL, "\n", &save), mounts++) {
		char point[64] = "", options[256] = "";
		if (sscanf(line, "%*d %*d %*s %*s %63s %255s", point, options) != 2 ||
		    strcmp(point, "/") != 0 ||
		    strncmp(options, "ro,nosuid,nodev,noexec", 22) != 0) {
			note("%s", line);
			return false;
		}
	}
	return mounts > 0;
}

void outside_mounts(const char *what, long pid)
{
	bool read = proc_text(pid, "mountinfo", text, sizeof(text));

	check(read && each_mount_is_bare(),
	      "%s: no mount but the root: ro, nosuid, nodev, noexec", what);
	check(count_entries(pid, "root") == 0, "%s: its root is empty", what);
	check(count_entries(pid, "cwd") == 0, "%s: and so is where it stands", what);
}

/* "from-to rwxs offset device inode path" */
static bool each_mapping_is_private(void)
{
	char *save = NULL;
	int mappings = 0;

	for (char *line = strtok_r(text, "\n", &save); line;
	     line = strtok_r(NULL, "\n", &save), mappings++) {
		char rights[8] = "";
		if (sscanf(line, "%*s %7s", rights) != 1 || rights[3] != 'p' ||
		    (rights[1] == 'w' && rights[2] == 'x')) {
			note("%s", line);
			return false;
		}
	}
	return mappings > 0;
}

void outside_memory(const char *what, long pid)
{
	bool read = proc_text(pid, "maps", text, sizeof(text));

	check(read && each_mapping_is_private(),
	      "%s: no mapping is shared, none is both writable and code", what);
}

void outside_capabilities(const char *what, long pid)
{
	static const char *const sets[] = {"CapInh", "CapPrm", "CapEff", "CapBnd",
					   "CapAmb"};

	for (size_t i = 0; i < ARRAY_LEN(sets); i++) {
		const char *value = proc_status(pid, sets[i]);
		check(strcmp(value, "0000000000000000") == 0, "%s: %s is empty (%s)",
		      what, sets[i], value);
	}
}

/*
 * What belongs to a process that may not be dumped is shown as root's. Where the guest's
 * uid is that of root as well (a namespace that root has made) nobody can tell.
 */
void outside_undumpable(const char *what, long pid)
{
	char path[64];
	struct stat maps;
	unsigned uid = (unsigned)strtoul(proc_status(pid, "Uid"), NULL, 10);

	snprintf(path, sizeof(path), "/proc/%ld/maps", pid);
	bool seen = stat(path, &maps) == 0;
	check(seen && (maps.st_uid != uid || uid == 0), "%s: not dumpable", what);
	if (seen && maps.st_uid == uid)
		note("uid %u is root's: it cannot be told here", uid);
}
