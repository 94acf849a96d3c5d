/* SPDX-License-Identifier: MIT */
/*
 * A directory that is not there is no error. One that cannot be looked into is, and so is
 * whatever stands in its place or a file's: a link to nothing, a file for a directory. What
 * it would have said is not known, and a policy without it would be a looser one.
 */
#include "policy/search.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/file.h"
#include "base/own.h"
#include "policy/trust.h"

#define SUFFIX	       ".policy"
#define DROP_IN_DIR    ".policy.d"
#define DROP_IN_SUFFIX ".conf"
#define PATH_ROOM      4096u

static const struct ini_place nowhere;

const char *search_path(void)
{
	const char *path = secure_getenv("QUOD_POLICY_PATH");

	return path ? path : POLICY_PATH;
}

static int fault_errno(struct policy_report *report, const char *path, int r)
{
	if (r == -EFBIG)
		return report_fault(report, r, path, nowhere,
				    "it is longer than " INI_MOST_TEXT);
	if (r == -E2BIG)
		return report_fault(report, r, path, nowhere,
				    "there are more than %u drop-ins for one policy",
				    SEARCH_DROP_INS_MOST);
	return report_fault(report, r, path, nowhere, "cannot be read: %s",
			    r == -EISDIR ? "it is a directory" : strerror(-r));
}

/* Opening it has failed: 0 if there is nothing of that name, else what is to be told. */
static int why_not(int dir_fd, const char *name, int r)
{
	struct stat st;

	if ((r != -ENOENT && r != -ENOTDIR) ||
	    fstatat(dir_fd, name, &st, AT_SYMLINK_NOFOLLOW) == 0)
		return r;
	return errno == ENOENT || errno == ENOTDIR ? 0 : -errno;
}

static int open_dir(struct search *search, const char *path, struct policy_report *report)
{
	own_fd int fd = open(path, O_PATH | O_DIRECTORY | O_CLOEXEC);

	if (fd < 0) {
		int r = why_not(AT_FDCWD, path, -errno);
		return r < 0 ? fault_errno(report, path, r) : 0;
	}
	const char *why = trust_directory(fd);
	if (why)
		return report_fault(report, -EPERM, path, nowhere, "%s", why);
	if (search->count == SEARCH_DIRS_MOST)
		return report_fault(report, -E2BIG, path, nowhere,
				    "QUOD_POLICY_PATH has more than %u directories",
				    SEARCH_DIRS_MOST);
	char *copy = strdup(path);
	if (!copy)
		return fault_errno(report, path, -ENOMEM);
	search->dirs[search->count++] =
		(struct search_dir){.fd = TAKE_FD(fd), .path = copy};
	return 0;
}

int search_open(struct search *search, struct policy_report *report)
{
	const char *at = search_path();
	char path[PATH_ROOM];
	int r = 0;

	while (r == 0 && *at) {
		size_t len = strcspn(at, ":");

		if (len >= sizeof(path))
			return fault_errno(report, "QUOD_POLICY_PATH", -ENAMETOOLONG);
		memcpy(path, at, len);
		path[len] = '\0';
		at += len + (at[len] == ':');
		if (len)
			r = open_dir(search, path, report);
	}
	return r;
}

void search_close(struct search *search)
{
	for (size_t i = 0; i < search->count; i++) {
		close_fd(search->dirs[i].fd);
		free(search->dirs[i].path);
	}
	search->count = 0;
}

bool search_is_name(const char *name)
{
	size_t n = 0;

	for (; name[n]; n++) {
		char c = name[n];
		bool word = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') ||
			    (c >= '0' && c <= '9');

		if (!word && (n == 0 || !strchr("-_.", c)))
			return false;
	}
	return n > 0 && n <= POLICY_NAME_MOST;
}

static bool is_fifo(int fd)
{
	struct stat st;

	return fstat(fd, &st) == 0 && S_ISFIFO(st.st_mode);
}

/* Whose it is comes before what it says. The path is the file's from here on. */
static int read_open(int fd, char *path_consume, struct search_files *to,
		     struct policy_report *report)
{
	struct search_file *file = &to->list[to->count];
	own_free char *path = path_consume;
	const char *why = trust_file(fd);
	int r;

	/* A FIFO without a writer would read as an empty policy. */
	if (!why && is_fifo(fd) && strncmp(path, "/dev/fd/", strlen("/dev/fd/")) != 0)
		why = "it is a FIFO, which may have nothing to say";
	if (why)
		return report_fault(report, -EPERM, path, nowhere, "%s", why);
	r = file_read_fd(fd, INI_MOST, &file->bytes, &file->len);
	if (r < 0)
		return fault_errno(report, path, r);
	file->path = TAKE_PTR(path);
	file->drop_in = false;
	to->count++;
	return 0;
}

/* 1: read; 0: there is none. */
static int read_at(const struct search_dir *dir, const char *name,
		   struct search_files *to, struct policy_report *report)
{
	/* Not blocking: a FIFO must not hold us up. */
	own_fd int fd =
		openat(dir->fd, name, O_RDONLY | O_CLOEXEC | O_NOCTTY | O_NONBLOCK);
	int r = fd < 0 ? why_not(dir->fd, name, -errno) : 0;
	own_free char *path = NULL;

	if (fd < 0 && r == 0)
		return 0;
	if (asprintf(&path, "%s%s%s", dir->path, *dir->path ? "/" : "", name) < 0) {
		path = NULL;
		return fault_errno(report, name, -ENOMEM);
	}
	if (r < 0)
		return fault_errno(report, path, r);
	r = read_open(fd, TAKE_PTR(path), to, report);
	return r < 0 ? r : 1;
}

int search_one(const char *path, struct search_files *to, struct policy_report *report)
{
	static char here[] = "";
	const struct search_dir dir = {AT_FDCWD, here};
	int r = read_at(&dir, path, to, report);

	return r == 0 ? fault_errno(report, path, -ENOENT) : r < 0 ? r : 0;
}

void search_files_free(struct search_files *files)
{
	for (size_t i = 0; i < files->count; i++) {
		free(files->list[i].path);
		free(files->list[i].bytes);
	}
	files->count = 0;
}

/* --- drop-ins --- */

struct drop_in {
	char *name; /* below the directory: NAME.policy.d/WORD.conf */
	const struct search_dir *dir;
};

struct drop_ins {
	struct drop_in list[SEARCH_DROP_INS_MOST];
	size_t count;
};

static void drop_ins_free(struct drop_ins *drop_ins)
{
	for (size_t i = 0; i < drop_ins->count; i++)
		free(drop_ins->list[i].name);
}

static bool has_suffix(const char *name, const char *suffix)
{
	size_t n = strlen(name), m = strlen(suffix);

	return n > m && !strcmp(name + n - m, suffix);
}

static void dir_close(DIR **dir)
{
	if (*dir)
		closedir(*dir);
}

/* Calls with each entry until one fails. A directory that is not there has none. */
static int each_entry(const struct search_dir *in, const char *name,
		      int (*each)(void *context, const char *entry), void *context,
		      struct policy_report *report)
{
	own_fd int fd = openat(in->fd, name, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	__attribute__((cleanup(dir_close))) DIR *dir = NULL;
	struct dirent *entry;
	int r = 0;

	if (fd < 0) {
		r = why_not(in->fd, name, -errno);
		return r < 0 ? fault_errno(report, in->path, r) : 0;
	}
	const char *why = trust_directory(fd);
	if (why)
		return report_fault(report, -EPERM, in->path, nowhere, "'%s': %s", name,
				    why);
	dir = fdopendir(fd);
	if (!dir)
		return fault_errno(report, in->path, -errno);
	(void)TAKE_FD(fd);
	while (r == 0 && (errno = 0, entry = readdir(dir)))
		if (entry->d_name[0] != '.')
			r = each(context, entry->d_name);
	if (r == 0 && errno)
		r = -errno;
	return r < 0 ? fault_errno(report, in->path, r) : 0;
}

struct collecting {
	struct drop_ins *to;
	const struct search_dir *dir;
	const char *sub;
};

static bool is_known(const struct drop_ins *in, const char *name)
{
	for (size_t i = 0; i < in->count; i++)
		if (!strcmp(in->list[i].name, name))
			return true;
	return false;
}

static int collect(void *context, const char *entry)
{
	struct collecting *c = context;
	own_free char *name = NULL;

	if (!has_suffix(entry, DROP_IN_SUFFIX))
		return 0;
	if (asprintf(&name, "%s/%s", c->sub, entry) < 0) {
		name = NULL;
		return -ENOMEM;
	}
	if (is_known(c->to, name))
		return 0;
	if (c->to->count == SEARCH_DROP_INS_MOST)
		return -E2BIG;
	c->to->list[c->to->count++] = (struct drop_in){TAKE_PTR(name), c->dir};
	return 0;
}

static int compare(const void *a, const void *b)
{
	return strcmp(((const struct drop_in *)a)->name,
		      ((const struct drop_in *)b)->name);
}

static int read_drop_ins(const struct search *search, const char *name,
			 struct search_files *to, struct policy_report *report)
{
	__attribute__((cleanup(drop_ins_free))) struct drop_ins found = {.count = 0};
	char sub[POLICY_NAME_MOST + sizeof(DROP_IN_DIR)];
	int r = 0;

	snprintf(sub, sizeof(sub), "%s" DROP_IN_DIR, name);
	for (size_t i = 0; r == 0 && i < search->count; i++) {
		struct collecting c = {&found, &search->dirs[i], sub};

		r = each_entry(&search->dirs[i], sub, collect, &c, report);
	}
	qsort(found.list, found.count, sizeof(found.list[0]), compare);
	for (size_t i = 0; r >= 0 && i < found.count; i++) {
		r = read_at(found.list[i].dir, found.list[i].name, to, report);
		if (r > 0)
			to->list[to->count - 1].drop_in = true;
	}
	return r < 0 ? r : 0;
}

int search_files(const struct search *search, const char *name, struct search_files *to,
		 struct policy_report *report)
{
	char file[POLICY_NAME_MOST + sizeof(SUFFIX)];
	int r = 0;

	snprintf(file, sizeof(file), "%s" SUFFIX, name);
	for (size_t i = 0; r == 0 && i < search->count; i++)
		r = read_at(&search->dirs[i], file, to, report);
	return r < 0 || !search->count ? r : read_drop_ins(search, name, to, report);
}

/* --- names --- */

struct naming {
	void (*each)(void *context, const char *name);
	void *context;
};

static int name_entry(void *context, const char *entry)
{
	const struct naming *naming = context;
	char name[POLICY_NAME_MOST + 1];
	size_t len = strlen(entry);

	if (!has_suffix(entry, SUFFIX) || len - strlen(SUFFIX) > POLICY_NAME_MOST)
		return 0;
	len -= strlen(SUFFIX);
	memcpy(name, entry, len);
	name[len] = '\0';
	if (search_is_name(name))
		naming->each(naming->context, name);
	return 0;
}

int search_names(const struct search *search,
		 void (*each)(void *context, const char *name), void *context,
		 struct policy_report *report)
{
	struct naming naming = {each, context};
	int r = 0;

	for (size_t i = 0; r == 0 && i < search->count; i++)
		r = each_entry(&search->dirs[i], ".", name_entry, &naming, report);
	return r;
}
