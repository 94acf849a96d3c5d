/* SPDX-License-Identifier: MIT */
/*
 * Everything is read from /proc and the cgroup file systems; a number that others make
 * larger for a moment is read several times, and the least counts.
 */
#include "tests/soak/counts.h"

#include <ctype.h>
#include <dirent.h>
#include <fcntl.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>

#include "base/own.h"
#include "tests/soak/charged.h"

#define LOOKS_BEFORE  20
#define LOOKS_AFTER   150
#define LOOKS_NOISY   20 /* what others make may stay */
#define LOOK_EVERY_MS 100

#define RUN_ID_LEN 26
#define SEEN_MOST  65536

static const char *files_dir;

/* --- lines and directories --------------------------------------------------- */

/* Calls take(line, context) for each line of a file. False: it cannot be read. */
static bool each_line(const char *path, void (*take)(const char *line, void *context),
		      void *context)
{
	own_free char *line = NULL;
	size_t room = 0;
	FILE *file = fopen(path, "re");

	if (!file)
		return false;
	while (getline(&line, &room, file) > 0)
		take(line, context);
	fclose(file);
	return true;
}

static bool any_name(const char *name)
{
	return name[0] != '.';
}

static bool is_number(const char *name)
{
	return isdigit((unsigned char)name[0]);
}

static bool count_entries(const char *path, bool (*is_one)(const char *), uint64_t *ret)
{
	DIR *dir = opendir(path);

	if (!dir)
		return false;
	*ret = 0;
	for (struct dirent *entry; (entry = readdir(dir));)
		*ret += is_one(entry->d_name);
	closedir(dir);
	return true;
}

static bool read_entries(const char *path, uint64_t *ret)
{
	return count_entries(path, any_name, ret);
}

static bool read_processes(const char *path, uint64_t *ret)
{
	return count_entries(path, is_number, ret);
}

static bool read_files(const char *key, uint64_t *ret)
{
	(void)key;
	return count_entries(files_dir, any_name, ret);
}

static void count_line(const char *line, void *context)
{
	(void)line;
	++*(uint64_t *)context;
}

static bool read_lines(const char *path, uint64_t *ret)
{
	*ret = 0;
	return each_line(path, count_line, ret);
}

/* --- "key number ..." lines -------------------------------------------------- */

struct keyed {
	const char *key;
	bool found;
	uint64_t value;
};

static void take_keyed(const char *line, void *context)
{
	struct keyed *keyed = context;
	size_t len = strlen(keyed->key);

	if (strncmp(line, keyed->key, len) != 0 || !strchr(": \t", line[len]))
		return;
	keyed->found = true;
	keyed->value += strtoull(line + len + strspn(line + len, ": \t"), NULL, 10);
}

static bool read_keyed(const char *path, const char *key, uint64_t *ret)
{
	struct keyed keyed = {.key = key};

	if (!each_line(path, take_keyed, &keyed) || !keyed.found)
		return false;
	*ret = keyed.value;
	return true;
}

static bool read_meminfo(const char *key, uint64_t *ret)
{
	return read_keyed("/proc/meminfo", key, ret);
}

static bool read_slab(const char *key, uint64_t *ret)
{
	return read_keyed("/proc/slabinfo", key, ret);
}

/* The third field of every line of /proc/cgroups: all hierarchies. */
static void take_hierarchy(const char *line, void *context)
{
	unsigned long long number = 0;

	if (sscanf(line, "%*s %*u %llu", &number) == 1)
		*(uint64_t *)context += number;
}

static bool read_all_cgroups(const char *path, uint64_t *ret)
{
	*ret = 0;
	return each_line(path, take_hierarchy, ret);
}

/* --- cgroup v2 --------------------------------------------------------------- */

static const char *cgroup_mount(void)
{
	static const char *const mounts[] = {"/sys/fs/cgroup", "/sys/fs/cgroup/unified"};
	char path[64];

	for (size_t i = 0; i < ARRAY_LEN(mounts); i++) {
		snprintf(path, sizeof(path), "%s/cgroup.procs", mounts[i]);
		if (access(path, F_OK) == 0)
			return mounts[i];
	}
	return NULL;
}

static bool read_cgroup_stat(const char *key, uint64_t *ret)
{
	const char *mount = cgroup_mount();
	char path[64];

	snprintf(path, sizeof(path), "%s/cgroup.stat", mount ? mount : "");
	return mount && read_keyed(path, key, ret);
}

/* A leaf of quod's is named by a run's id and locked as long as its quod lives. */
static bool is_orphaned_leaf(int dir, const char *name)
{
	if (strlen(name) != RUN_ID_LEN || name[0] != '0')
		return false;
	own_fd int leaf = openat(dir, name, O_RDONLY | O_DIRECTORY | O_CLOEXEC);

	return leaf >= 0 && flock(leaf, LOCK_EX | LOCK_NB) == 0 &&
	       faccessat(leaf, "cgroup.procs", F_OK, 0) == 0;
}

static void count_leaves(int dir_fd, uint64_t *count)
{
	DIR *dir = fdopendir(dir_fd);

	if (!dir)
		return;
	for (struct dirent *entry; (entry = readdir(dir));) {
		if (entry->d_type != DT_DIR || entry->d_name[0] == '.')
			continue;
		*count += is_orphaned_leaf(dirfd(dir), entry->d_name);
		int below = openat(dirfd(dir), entry->d_name,
				   O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
		if (below >= 0)
			count_leaves(below, count);
	}
	closedir(dir);
}

static bool read_leaves(const char *key, uint64_t *ret)
{
	const char *mount = cgroup_mount();
	int fd = mount ? open(mount, O_RDONLY | O_DIRECTORY | O_CLOEXEC) : -1;

	(void)key;
	*ret = 0;
	if (fd >= 0)
		count_leaves(fd, ret);
	return fd >= 0;
}

/* --- leases and namespaces --------------------------------------------------- */

struct locks {
	char file[64]; /* "major:minor:inode" as /proc/locks has it */
	uint64_t count;
};

static void take_lock(const char *line, void *context)
{
	struct locks *locks = context;
	const char *at = strstr(line, locks->file);

	locks->count += at && at[strlen(locks->file)] == ' ';
}

static bool read_leases(const char *path, uint64_t *ret)
{
	struct locks locks = {.count = 0};
	struct stat st;

	*ret = 0;
	if (stat(path, &st) < 0)
		return true; /* nobody has ever leased one */
	snprintf(locks.file, sizeof(locks.file), "%02x:%02x:%llu", major(st.st_dev),
		 minor(st.st_dev), (unsigned long long)st.st_ino);
	if (!each_line("/proc/locks", take_lock, &locks))
		return false;
	*ret = locks.count;
	return true;
}

/* Different ones among all processes that we may look at. */
static bool read_namespaces(const char *kind, uint64_t *ret)
{
	static ino_t seen[SEEN_MOST];
	size_t count = 0, i;
	DIR *dir = opendir("/proc");

	if (!dir)
		return false;
	for (struct dirent *entry; (entry = readdir(dir)) && count < SEEN_MOST;) {
		char path[300];
		struct stat st;

		snprintf(path, sizeof(path), "/proc/%s/ns/%s", entry->d_name, kind);
		if (!is_number(entry->d_name) || stat(path, &st) < 0)
			continue;
		for (i = 0; i < count && seen[i] != st.st_ino; i++)
			continue;
		if (i == count)
			seen[count++] = st.st_ino;
	}
	closedir(dir);
	*ret = count;
	return true;
}

/* --- the table --------------------------------------------------------------- */

struct count *counts_table(unsigned *ret_count, const char *dir)
{
	static struct count counts[] = {
		{"our descriptors", true, read_entries, "/proc/self/fd", 0, 0, 0},
		{"files", true, read_files, NULL, 0, 0, 0},
		{"mounts", true, read_lines, "/proc/self/mountinfo", 0, 0, 0},
		{"cgroup leaves without a quod", true, read_leaves, NULL, 0, 0, 0},
		{"uid leases", true, read_leases, QUOD_LEASE_DIR "/uids", 0, 0, 0},
		{"net namespaces below us", true, charged_read, "net", 0, 0, 0},
		{"mount namespaces below us", true, charged_read, "mnt", 0, 0, 0},
		{"pid namespaces below us", true, charged_read, "pid", 0, 0, 0},
		{"ipc namespaces below us", true, charged_read, "ipc", 0, 0, 0},
		{"user namespaces below us", true, charged_read, "user", 0, 0, 0},
		{"cgroups v2", false, read_cgroup_stat, "nr_descendants", 0, 0, 0},
		{"dying cgroups", false, read_cgroup_stat, "nr_dying_descendants", 0, 0,
		 0},
		{"cgroups of all hierarchies", false, read_all_cgroups, "/proc/cgroups",
		 0, 0, 0},
		{"processes", false, read_processes, "/proc", 0, 0, 0},
		{"net namespaces", false, read_namespaces, "net", 0, 0, 0},
		{"mount namespaces", false, read_namespaces, "mnt", 0, 0, 0},
		{"pid namespaces", false, read_namespaces, "pid", 0, 0, 0},
		{"slab net_namespace", false, read_slab, "net_namespace", 0, 0, 0},
		{"slab user_namespace", false, read_slab, "user_namespace", 0, 0, 0},
		{"slab pid_namespace", false, read_slab, "pid_namespace", 0, 0, 0},
		{"slab mnt_cache", false, read_slab, "mnt_cache", 0, 0, 0},
		{"slab kernfs_node_cache", false, read_slab, "kernfs_node_cache", 0, 0,
		 0},
		{"slab task_struct", false, read_slab, "task_struct", 0, 0, 0},
		{"slab, not given back (kB)", false, read_meminfo, "SUnreclaim", 0, 0, 0},
		{"kernel stacks (kB)", false, read_meminfo, "KernelStack", 0, 0, 0},
		{"per-CPU memory (kB)", false, read_meminfo, "Percpu", 0, 0, 0},
	};

	files_dir = dir;
	*ret_count = ARRAY_LEN(counts);
	return counts;
}

/* --- before and after -------------------------------------------------------- */

static void read_least(struct count *count, uint64_t *least, bool first)
{
	uint64_t value = 0;
	bool there = count->read(count->key, &value);

	if (first)
		count->there = there;
	if (count->there && there && (first || value < *least))
		*least = value;
}

void counts_before(struct count *counts, unsigned count)
{
	for (int look = 0; look < LOOKS_BEFORE; look++) {
		for (unsigned i = 0; i < count; i++)
			read_least(&counts[i], &counts[i].before, look == 0);
		poll(NULL, 0, LOOK_EVERY_MS);
	}
}

bool count_has_grown(const struct count *count)
{
	return count->there && count->after > count->before;
}

static bool any_has_grown(const struct count *counts, unsigned count, bool exact_only)
{
	for (unsigned i = 0; i < count; i++)
		if (count_has_grown(&counts[i]) && (counts[i].exact || !exact_only))
			return true;
	return false;
}

void counts_after(struct count *counts, unsigned count, void (*start)(void *context),
		  void *context)
{
	for (unsigned i = 0; i < count; i++)
		counts[i].after = UINT64_MAX;
	for (int look = 0;
	     look < LOOKS_AFTER && any_has_grown(counts, count, look >= LOOKS_NOISY);
	     look++) {
		if (look % LOOKS_NOISY == 0)
			start(context);
		for (unsigned i = 0; i < count; i++)
			read_least(&counts[i], &counts[i].after, false);
		poll(NULL, 0, LOOK_EVERY_MS);
	}
}
