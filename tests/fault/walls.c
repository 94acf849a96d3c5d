/* SPDX-License-Identifier: MIT */
/*
 * Files of /proc/PID line by line. A leased uid becomes "ID", an id of a run "RUN",
 * inodes, devices and numbers of mounts are left out.
 */
#include "tests/fault/walls.h"

#include <ctype.h>
#include <dirent.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/own.h"
#include "tests/fault/host.h"

#define ARRAY_OF(...)             \
	(const char *const[])     \
	{                         \
		__VA_ARGS__, NULL \
	}

struct page {
	char *to;
	size_t size, at;
};

static void add(struct page *page, const char *format, ...)
	__attribute__((format(printf, 2, 3)));

static void add(struct page *page, const char *format, ...)
{
	va_list args;

	va_start(args, format);
	int n = vsnprintf(page->to + page->at, page->size - page->at, format, args);
	va_end(args);
	page->at += n > 0 ? (size_t)n : 0;
	if (page->at >= page->size)
		page->at = page->size - 1;
}

/* The whole file, or "" if it cannot be read. */
static void slurp(pid_t pid, const char *name, char *to, size_t size)
{
	char path[64];
	size_t at = 0;
	ssize_t n = 1;

	snprintf(path, sizeof(path), "/proc/%d/%s", (int)pid, name);
	own_fd int fd = open(path, O_RDONLY | O_CLOEXEC);
	while (fd >= 0 && n > 0 && at < size - 1) {
		n = read(fd, to + at, size - 1 - at);
		at += n > 0 ? (size_t)n : 0;
	}
	to[at] = '\0';
}

/* The uid outside that the one uid inside stands for. */
static unsigned long outer_id(pid_t pid)
{
	char text[256];
	unsigned long inside = 0, outside = 0;

	slurp(pid, "uid_map", text, sizeof(text));
	return sscanf(text, "%lu %lu", &inside, &outside) == 2 ? outside : 0;
}

/* A line with each number that is `id` written as ID, white space made one blank. */
static void add_line(struct page *page, const char *line, size_t len, unsigned long id)
{
	for (size_t i = 0; i < len; i++) {
		size_t digits = 0;

		while (i + digits < len && isdigit((unsigned char)line[i + digits]))
			digits++;
		if (digits && id && strtoul(line + i, NULL, 10) == id)
			add(page, "ID");
		else if (digits)
			add(page, "%.*s", (int)digits, line + i);
		else if (isspace((unsigned char)line[i]))
			add(page, "%s",
			    page->at && page->to[page->at - 1] == ' ' ? "" : " ");
		else
			add(page, "%c", line[i]);
		i += digits ? digits - 1 : 0;
	}
	add(page, "\n");
}

/* Those lines of a file that begin with one of the names; all of them if NULL. */
static void add_file(struct page *page, pid_t pid, const char *name,
		     const char *const *wanted, unsigned long id)
{
	char text[8192];

	slurp(pid, name, text, sizeof(text));
	for (char *line = text; *line;) {
		size_t len = strcspn(line, "\n");
		bool take = !wanted;

		for (size_t i = 0; wanted && wanted[i]; i++)
			take = take || strncmp(line, wanted[i], strlen(wanted[i])) == 0;
		if (take) {
			add(page, "%s: ", name);
			add_line(page, line, len, id);
		}
		line += len + (line[len] == '\n');
	}
}

static void add_link(struct page *page, pid_t pid, const char *name)
{
	char path[64], text[256] = "?";

	snprintf(path, sizeof(path), "/proc/%d/%s", (int)pid, name);
	ssize_t n = readlink(path, text, sizeof(text) - 1);
	if (n >= 0)
		text[n] = '\0';
	text[strcspn(text, "[")] = '\0';
	add(page, "%s -> %s\n", name, text);
}

static void add_namespace(struct page *page, pid_t pid, const char *name)
{
	char ours[64], theirs[64];
	struct stat a, b;

	snprintf(ours, sizeof(ours), "/proc/self/ns/%s", name);
	snprintf(theirs, sizeof(theirs), "/proc/%d/ns/%s", (int)pid, name);
	bool known = stat(ours, &a) == 0 && stat(theirs, &b) == 0;
	add(page, "namespace %s: %s\n", name,
	    !known		   ? "?"
	    : a.st_ino == b.st_ino ? "shared"
				   : "own");
}

/* A name for each entry of a directory of /proc/PID, with where it leads. */
static void add_directory(struct page *page, pid_t pid, const char *name, bool links)
{
	char path[64], entry[320];
	struct dirent **list = NULL;

	snprintf(path, sizeof(path), "/proc/%d/%s", (int)pid, name);
	int count = scandir(path, &list, NULL, alphasort);
	if (count < 0)
		add(page, "%s: ?\n", name);
	for (int i = 0; i < count; i++) {
		snprintf(entry, sizeof(entry), "%s/%s", name, list[i]->d_name);
		if (list[i]->d_name[0] != '.' && links)
			add_link(page, pid, entry);
		else if (list[i]->d_name[0] != '.')
			add(page, "%s\n", entry);
		free(list[i]);
	}
	free(list);
}

/* Where it is mounted and how: "ID PARENT MAJOR:MINOR" at the start says nothing. */
static void add_mounts(struct page *page, pid_t pid)
{
	char text[8192];

	slurp(pid, "mountinfo", text, sizeof(text));
	for (char *line = text; *line;) {
		size_t len = strcspn(line, "\n");
		int skip = 0;

		sscanf(line, "%*s %*s %*s %n", &skip);
		add(page, "mount: ");
		add_line(page, line + skip, len - (size_t)skip, 0);
		line += len + (line[len] == '\n');
	}
}

/* In the hierarchy of v2: the last part of its path is a leaf's name. */
static void add_cgroup(struct page *page, pid_t pid)
{
	char text[4096];

	slurp(pid, "cgroup", text, sizeof(text));
	const char *path = strstr(text, "0::/");
	size_t len = path ? strcspn(path, "\n") : 0;
	const char *slash = path ? memrchr(path, '/', len) : NULL;
	bool own = slash && host_is_leaf(slash + 1, len - (size_t)(slash + 1 - path));
	add(page, "cgroup: %s\n", own ? "a leaf" : "none");
}

/* After ") ": state ppid pgrp session tty ... priority(18) nice(19) ... policy(41). */
static void add_stat(struct page *page, pid_t pid)
{
	char text[1024];
	long field[52] = {0};
	int at = 3;

	slurp(pid, "stat", text, sizeof(text));
	char *word = strrchr(text, ')');
	word = word ? strtok(word + 1, " ") : NULL;
	for (; word && at < 52; at++, word = strtok(NULL, " "))
		field[at] = strtol(word, NULL, 10);
	add(page, "session: %s, tty %ld, priority %ld, nice %ld, policy %ld\n",
	    field[6] == pid ? "own" : "shared", field[7], field[18], field[19],
	    field[41]);
}

/* Whose files in /proc are depends on whether it may be dumped. */
static void add_dumpable(struct page *page, pid_t pid, unsigned long id)
{
	char path[64];
	struct stat st;

	snprintf(path, sizeof(path), "/proc/%d/status", (int)pid);
	bool own = stat(path, &st) == 0 && st.st_uid == id;
	add(page, "dumpable: %s\n", own ? "yes" : "no");
}

#define OWN_LINES                                                             \
	"CapInh:", "CapPrm:", "CapEff:", "CapBnd:", "CapAmb:", "NoNewPrivs:", \
		"Seccomp:", "Seccomp_filters:"

/* Where it is looked at it stands still; but quod may kill it meanwhile, and then half of
 * what was read is a dead process's. */
static bool stands_still(pid_t pid)
{
	char text[1024];

	slurp(pid, "stat", text, sizeof(text));
	const char *name_end = strrchr(text, ')');
	return name_end && strncmp(name_end, ") t", 3) == 0;
}

void walls_of_own(pid_t pid, char *to, size_t size)
{
	struct page page = {.to = to, .size = size};

	to[0] = '\0';
	add_file(&page, pid, "status",
		 ARRAY_OF("CapInh:", "CapPrm:", "CapEff:", "NoNewPrivs:", "Seccomp"), 0);
}

void walls_of(pid_t pid, char *to, size_t size)
{
	static const char *const namespaces[] = {"user", "pid", "net",	 "mnt",
						 "ipc",	 "uts", "cgroup"};
	struct page page = {.to = to, .size = size};
	unsigned long id = outer_id(pid);

	to[0] = '\0';
	add_file(&page, pid, "status",
		 ARRAY_OF(OWN_LINES, "Uid:", "Gid:", "Groups:", "Threads:", "SigBlk:",
			  "SigIgn:", "SigCgt:"),
		 id);
	add_file(&page, pid, "uid_map", NULL, id);
	add_file(&page, pid, "gid_map", NULL, id);
	add_file(&page, pid, "limits", NULL, 0);
	add_file(&page, pid, "oom_score_adj", NULL, 0);
	add_file(&page, pid, "environ", NULL, 0);
	add_stat(&page, pid);
	add_dumpable(&page, pid, id);
	for (size_t i = 0; i < ARRAY_LEN(namespaces); i++)
		add_namespace(&page, pid, namespaces[i]);
	add_directory(&page, pid, "fd", true);
	add_directory(&page, pid, "root", false);
	add_link(&page, pid, "root");
	add_link(&page, pid, "cwd");
	add_mounts(&page, pid);
	add_cgroup(&page, pid);
	if (!stands_still(pid))
		to[0] = '\0';
}

bool walls_have(const char *walls, const char *line)
{
	size_t len = strlen(line);

	for (const char *at = walls; (at = strstr(at, line)); at++)
		if ((at == walls || at[-1] == '\n') && at[len] == '\n')
			return true;
	return false;
}

void walls_difference(const char *wanted, const char *got, char *to, size_t size)
{
	to[0] = '\0';
	while (*wanted || *got) {
		size_t wanted_len = strcspn(wanted, "\n"), got_len = strcspn(got, "\n");

		if (wanted_len != got_len || memcmp(wanted, got, got_len) != 0) {
			snprintf(to, size, "'%.*s' instead of '%.*s'", (int)got_len, got,
				 (int)wanted_len, wanted);
			return;
		}
		wanted += wanted_len + (wanted[wanted_len] == '\n');
		got += got_len + (got[got_len] == '\n');
	}
}
