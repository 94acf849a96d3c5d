/* SPDX-License-Identifier: MIT */
/*
 * The group `quod`, in which the leaves of runs lie, with the controllers that hold their
 * limits:
 *
 *	PLACE/			our own cgroup, or one that was named
 *	PLACE/quod/		the group: ours alone, no process in it
 *	PLACE/quod/ID.run	the leaf of a run (cgroup.c)
 *	PLACE/quod/NAME.share	a group in it, with limits of its own (cgroup_share.c)
 *	PLACE/supervisor/	we, if we had to make room
 *
 * The kernel hands controllers down only from a cgroup that has no process of its own
 * (but the root). So where PLACE is our own and we are in the way, we move into
 * PLACE/supervisor first; if others are in it too we go back, and the answer is EBUSY:
 * what is not ours is not moved. Where controllers are missing jails still get a leaf, to
 * be killed by; who needs the limits says so and is told the one cause.
 */
#include <errno.h>
#include <fcntl.h>
#include <linux/magic.h>
#include <sched.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/vfs.h>
#include <sys/xattr.h>
#include <unistd.h>

#include "base/own.h"
#include "jail/internal.h"

#define GROUP "quod"

/* Another start is between two system calls, or kept from the processor there. */
#define ASIDE_WAIT_MS 100
#define ENTER_ROUNDS  100

/* Bit n is row n. */
static const char *const controllers[] = {"memory", "pids", "cpu"};

static bool has_word(const char *text, const char *word)
{
	size_t len = strlen(word);

	for (const char *at = strstr(text, word); at; at = strstr(at + 1, word))
		if ((at == text || at[-1] == ' ') &&
		    (at[len] == ' ' || at[len] == '\n' || at[len] == '\0'))
			return true;
	return false;
}

/* Those of ours that a file lists; none where it cannot be read. */
static unsigned listed(int dir_fd, const char *file)
{
	char text[512];
	unsigned found = 0;
	own_fd int fd = openat(dir_fd, file, O_RDONLY | O_CLOEXEC);
	ssize_t n = fd < 0 ? -1 : read(fd, text, sizeof(text) - 1);

	text[n > 0 ? n : 0] = '\0';
	for (size_t i = 0; i < ARRAY_LEN(controllers); i++)
		if (has_word(text, controllers[i]))
			found |= 1u << i;
	return found;
}

/* One by one: a controller that is refused does not cost the others. But for processes in
 * the way: pids and cpu would be handed down all the same, and make a threaded domain of
 * the cgroup, in which no leaf takes a process any more. */
static int hand_down(int dir_fd, unsigned wanted)
{
	own_fd int fd = openat(dir_fd, "cgroup.subtree_control", O_WRONLY | O_CLOEXEC);
	int r = fd < 0 ? -errno : 0;

	for (size_t i = 0; fd >= 0 && r != -EBUSY && i < ARRAY_LEN(controllers); i++) {
		char word[16] = "+";

		strcat(word, controllers[i]);
		if ((wanted & (1u << i)) && write(fd, word, strlen(word)) < 0)
			r = -errno;
	}
	return r;
}

/* Does a process bar the way of controllers? Never in the root of the hierarchy, which
 * has no type. */
static bool is_in_use(int dir_fd)
{
	char byte;
	own_fd int fd = openat(dir_fd, "cgroup.procs", O_RDONLY | O_CLOEXEC);

	return faccessat(dir_fd, "cgroup.type", F_OK, 0) == 0 && fd >= 0 &&
	       read(fd, &byte, 1) != 0;
}

static int enter(int dir_fd, const char *procs)
{
	own_fd int fd = openat(dir_fd, procs, O_WRONLY | O_CLOEXEC);

	return fd < 0 || write(fd, "0", 1) < 0 ? -errno : 0;
}

/* Who goes back removes it, if nobody is in it yet: then once more. */
static int enter_supervisor(int dir_fd)
{
	int r = -ENODEV;

	for (int i = 0; i < ENTER_ROUNDS && (r == -ENODEV || r == -ENOENT); i++) {
		if (mkdirat(dir_fd, CGROUP_SUPERVISOR, 0755) < 0 && errno != EEXIST)
			return -errno;
		r = enter(dir_fd, CGROUP_SUPERVISOR "/cgroup.procs");
	}
	return r;
}

static bool stays_in_use(int dir_fd, int wait_ms)
{
	const int64_t end_ms = now_ms() + wait_ms;

	while (is_in_use(dir_fd)) {
		if (now_ms() >= end_ms)
			return true;
		sched_yield();
	}
	return false;
}

/* Out of the way of controllers; back again if we were not alone there. Other starts that
 * do the same are in the way for a moment only. Where the kernel does not let us back one
 * of them has handed controllers down: then all is well. */
static int step_aside(int dir_fd, int wait_ms)
{
	int r = enter_supervisor(dir_fd);

	if (r == 0 && stays_in_use(dir_fd, wait_ms) && enter(dir_fd, "cgroup.procs") == 0)
		r = -EBUSY;
	/* Goes only if it is empty. */
	if (r < 0)
		unlinkat(dir_fd, CGROUP_SUPERVISOR, AT_REMOVEDIR);
	return r;
}

/* Returns what hindered it; what came of it is in the group's own files. Only who needs
 * controllers waits for others to step aside. */
static int bring_controllers(const struct place *place, int group, bool required)
{
	unsigned here = listed(place->dir_fd, "cgroup.controllers");
	unsigned on = here ? listed(group, "cgroup.subtree_control") : 0;
	int r = 0;

	if (!(here & ~on))
		return 0;
	if (is_in_use(place->dir_fd))
		r = place->ours ? step_aside(place->dir_fd, required ? ASIDE_WAIT_MS : 0)
				: -EBUSY;
	if (r == 0)
		r = hand_down(place->dir_fd, here);
	int down = hand_down(group, listed(group, "cgroup.controllers"));
	return r < 0 ? r : down;
}

/* The root of the hierarchy, which alone has no type, lists all that v2 can have. In a
 * container we see the cgroup that it was given, and who gave it may have more. */
static bool is_nowhere(unsigned bit)
{
	struct place top;
	bool nowhere = place_top(&top) == 0 &&
		       !(listed(top.dir_fd, "cgroup.controllers") & bit) &&
		       faccessat(top.dir_fd, "cgroup.type", F_OK, 0) < 0;

	close_fd(top.dir_fd);
	return nowhere;
}

/* Why the controller is missing: one that nobody can delegate is told from one that
 * nobody has delegated. */
static int explain_missing(const struct place *place, unsigned which, int hindered,
			   struct jail_error *err)
{
	unsigned bit = 1u << which;
	const char *name = controllers[which];

	if (listed(place->dir_fd, "cgroup.controllers") & bit)
		return jail_fail(err, JAIL_STAGE_CGROUP, hindered ? -hindered : EIO,
				 "hand the %s controller down from the cgroup '/%s'",
				 name, place->path);
	if (!is_nowhere(bit))
		return jail_fail(err, JAIL_STAGE_CGROUP, EOPNOTSUPP,
				 "the cgroup '/%s' has no %s controller", place->path,
				 name);
	return jail_fail(err, JAIL_STAGE_CGROUP, ENODEV,
			 "cgroup v2 has no %s controller on this host", name);
}

static int check_controllers(const struct place *place, int group, unsigned required,
			     int hindered, struct jail_error *err)
{
	unsigned on = required ? listed(group, "cgroup.subtree_control") : 0;

	for (unsigned i = 0; i < ARRAY_LEN(controllers); i++)
		if (required & ~on & (1u << i))
			return explain_missing(place, i, hindered, err);
	return 0;
}

/*
 * The group must be ours: whoever owns it may kill, freeze and limit what runs in it.
 * Another user may have made one when it ran quod in this cgroup, and root could write
 * there too.
 */
static int open_group(const struct place *place, struct jail_error *err)
{
	struct statfs fs;
	struct stat st;
	own_fd int group = openat(place->dir_fd, GROUP,
				  O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);

	if (group < 0 || fstat(group, &st) < 0 || fstatfs(group, &fs) < 0)
		return jail_fail(err, JAIL_STAGE_CGROUP, errno, "open the group '/%s/%s'",
				 place->path, GROUP);
	if (fs.f_type != CGROUP2_SUPER_MAGIC)
		return jail_fail(err, JAIL_STAGE_CGROUP, ENOTDIR,
				 "'/%s/%s' is not in a cgroup hierarchy", place->path,
				 GROUP);
	if (st.st_uid != geteuid())
		return jail_fail(err, JAIL_STAGE_CGROUP, EPERM,
				 "the group '/%s/%s' belongs to uid %u", place->path,
				 GROUP, (unsigned)st.st_uid);
	return TAKE_FD(group);
}

/* Who may make directories in a cgroup may still not move processes there: then clone
 * would fail, later and for no visible reason. */
static int check_delegated(const struct place *place, struct jail_error *err)
{
	own_fd int procs = openat(place->dir_fd, "cgroup.procs", O_WRONLY | O_CLOEXEC);

	if (procs < 0)
		return jail_fail(err, JAIL_STAGE_CGROUP, errno,
				 "put processes into the cgroup '/%s'", place->path);
	return 0;
}

/* Below a threaded cgroup, or one whose threads are spread over such, no leaf takes a
 * process. The root of the hierarchy has no type. */
static int check_type(const struct place *place, struct jail_error *err)
{
	static const char plain[] = "domain\n";
	char type[32] = "";
	own_fd int fd = openat(place->dir_fd, "cgroup.type", O_RDONLY | O_CLOEXEC);

	if (fd < 0)
		return 0;
	ssize_t n = read(fd, type, sizeof(type) - 1);
	if (n < 0 || strcmp(type, plain) == 0)
		return 0;
	type[strcspn(type, "\n")] = '\0';
	return jail_fail(err, JAIL_STAGE_CGROUP, EDOM,
			 "work in the cgroup '/%s', whose type is '%s'", place->path,
			 type);
}

static bool is_unit(const char *name, size_t len)
{
	static const char *const kinds[] = {".service", ".scope", ".slice"};

	for (size_t i = 0; i < ARRAY_LEN(kinds); i++) {
		size_t n = strlen(kinds[i]);
		if (len > n && strncmp(name + len - n, kinds[i], n) == 0)
			return true;
	}
	return false;
}

/* The way up from a place to the innermost unit of systemd that it is in, as "../..", or
 * NULL where it is in none. */
static const char *way_to_unit(const char *path, char *way, size_t size)
{
	size_t len = strlen(path), at = (size_t)snprintf(way, size, ".");

	while (len) {
		size_t start = len;
		while (start && path[start - 1] != '/')
			start--;
		if (is_unit(path + start, len - start))
			return way;
		if (at + sizeof("/..") > size)
			return NULL;
		at += (size_t)snprintf(way + at, size - at, "/..");
		len = start ? start - 1 : 0;
	}
	return NULL;
}

/*
 * In a unit that it has not delegated systemd alone decides: when it reads its units
 * again it removes a group that is empty just then, and may take controllers back. The
 * system's manager marks those that it has delegated; those of users leave no mark. A
 * directory that an operator names is his word.
 */
static int check_unit(const struct place *place, struct jail_error *err)
{
	static const char *const marks[] = {"user.delegate", "trusted.delegate"};
	char way[128], value[2];

	if (!place->ours || geteuid() != 0 || access("/run/systemd/system", F_OK) < 0 ||
	    !way_to_unit(place->path, way, sizeof(way)))
		return 0;
	own_fd int unit = openat(place->dir_fd, way, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	for (size_t i = 0; unit >= 0 && i < ARRAY_LEN(marks); i++)
		if (fgetxattr(unit, marks[i], value, sizeof(value)) == 1 &&
		    value[0] == '1')
			return 0;
	return jail_fail(err, JAIL_STAGE_CGROUP, EOPNOTSUPP,
			 "work in the cgroup '/%s', whose unit systemd has not delegated",
			 place->path);
}

static int open_in(const struct place *place, unsigned required, int *ret_fd,
		   struct jail_error *err)
{
	int r = check_delegated(place, err);

	if (r == 0)
		r = check_type(place, err);
	if (r == 0)
		r = check_unit(place, err);
	if (r < 0)
		return r;
	if (mkdirat(place->dir_fd, GROUP, 0700) < 0 && errno != EEXIST)
		return jail_fail(err, JAIL_STAGE_CGROUP, errno,
				 "make a group in the cgroup '/%s'", place->path);
	own_fd int group = open_group(place, err);
	if (group < 0)
		return group;
	int hindered = bring_controllers(place, group, required);
	r = check_controllers(place, group, required, hindered, err);
	if (r < 0)
		return r;
	leaf_sweep(group);
	share_sweep(group);
	*ret_fd = TAKE_FD(group);
	return 0;
}

static int group_open(const char *dir, unsigned required, int *ret_fd,
		      struct jail_error *err)
{
	struct place place;
	int r = dir ? place_given(dir, &place, err) : place_own(&place, err);

	if (r < 0)
		return r;
	r = open_in(&place, required, ret_fd, err);
	close_fd(place.dir_fd);
	return r;
}

void group_hand_down(int group_fd)
{
	(void)hand_down(group_fd, listed(group_fd, "cgroup.controllers"));
}

int group_try_controller(unsigned which, const char **ret_name, struct jail_error *err)
{
	own_fd int group = -1;

	*ret_name = controllers[which];
	return group_open(NULL, 1u << which, &group, err);
}

int group_try_swap(bool *ret_limited, struct jail_error *err)
{
	own_fd int group = -1;
	int r = group_open(NULL, 0, &group, err);

	if (r == 0)
		*ret_limited = (listed(group, "cgroup.subtree_control") & 1u) &&
			       faccessat(group, "memory.swap.max", F_OK, 0) == 0;
	return r;
}

JAIL_API unsigned jail_cgroup_sweep(int cgroup_fd)
{
	return leaf_sweep(cgroup_fd);
}

JAIL_API int jail_cgroup_open(const char *dir, bool required, int *ret_fd,
			      struct jail_error *err)
{
	return group_open(dir, required ? (1u << ARRAY_LEN(controllers)) - 1 : 0, ret_fd,
			  err);
}
