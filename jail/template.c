/* SPDX-License-Identifier: MIT */
/*
 * A mount namespace in which there is an empty root and nothing else, for a supervisor
 * that makes jail after jail. The mounts of a jail begin as a copy of those of whoever
 * clones it. From the template there is one to copy, and it is what the jail needs: no
 * tmpfs to make, no host to let go of, for which the kernel waits until no processor looks
 * at it any more; and none to take down again at the jail's end.
 *
 * It is made as a jail's root is made, by a child in namespaces of its own, which has its
 * table of descriptors in common with us and so leaves us what it opened. Who enters it has
 * to come back, and each of the two may be refused: a second child tries both before.
 */
#include <errno.h>
#include <fcntl.h>
#include <sched.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/own.h"
#include "jail/internal.h"

#define LEAVE_TRIES 100

struct jail_template {
	int empty; /* the template */
	int home;  /* the mount namespace that its owner lives in */
	int dir;   /* his working directory */
};

/* What the child leaves: memory is not in common. */
struct made {
	int r, fd;
	struct jail_error err;
};

static int fail(struct jail_error *err, int errnum, const char *what)
{
	return jail_fail(err, JAIL_STAGE_ROOTFS, errnum, "a template of empty roots: %s",
			 what);
}

static int open_namespace(struct jail_error *err)
{
	int fd = open("/proc/self/ns/mnt", O_RDONLY | O_CLOEXEC);

	return fd < 0 ? fail(err, errno, "open /proc/self/ns/mnt") : fd;
}

/* Opened before there is no /proc any more. */
static int make(void *context)
{
	const int *tell = context;
	struct made made = {.r = 0};

	made.r = made.fd = open_namespace(&made.err);
	if (made.r >= 0)
		made.r = root_make(&made.err);
	return write(*tell, &made, sizeof(made)) == (ssize_t)sizeof(made) ? 0 : -EPIPE;
}

static int make_empty(int *ret_fd, struct jail_error *err)
{
	own_fd int told = -1, tell = -1;
	struct made made = {.r = -ECHILD};
	int ends[2], r;

	if (pipe2(ends, O_CLOEXEC | O_NONBLOCK) < 0)
		return fail(err, errno, "pipe");
	told = ends[0];
	tell = ends[1];
	r = apart_run(CLONE_NEWUSER | CLONE_NEWNS | CLONE_FILES, make, &tell);
	if (r < 0)
		return fail(err, -r, "clone3");
	if (read(told, &made, sizeof(made)) != (ssize_t)sizeof(made))
		return fail(err, ECHILD, "its maker was killed");
	if (made.r < 0) {
		close_fd(made.fd);
		*err = made.err;
		return made.r;
	}
	*ret_fd = made.fd;
	return 0;
}

static bool is_same(const struct stat *a, const struct stat *b)
{
	return a->st_dev == b->st_dev && a->st_ino == b->st_ino;
}

/* There and back. Who lives in a chroot would come back outside of it. */
static int try_way(void *context)
{
	const struct jail_template *template = context;
	struct stat before, after;

	if (stat("/", &before) < 0 || setns(template->empty, CLONE_NEWNS) < 0 ||
	    setns(template->home, CLONE_NEWNS) < 0 || fchdir(template->dir) < 0 ||
	    stat("/", &after) < 0)
		return -errno;
	return is_same(&before, &after) ? 0 : -EXDEV;
}

static int check_way(struct jail_template *template, struct jail_error *err)
{
	int r = apart_run(0, try_way, template);

	if (r < 0)
		return fail(err, -r, "clone3");
	if (r == EXDEV)
		return fail(err, EXDEV, "our root is not that of our mounts");
	return r ? fail(err, r, "enter and leave its mount namespace") : 0;
}

JAIL_API int jail_template_make(struct jail_template **ret_template,
				struct jail_error *err)
{
	struct jail_template *template = malloc(sizeof(*template));
	int r;

	if (!template)
		return fail(err, ENOMEM, "no memory");
	*template = (struct jail_template){.empty = -1, .home = -1, .dir = -1};
	r = template->home = open_namespace(err);
	if (r >= 0) {
		r = template->dir = open(".", O_PATH | O_DIRECTORY | O_CLOEXEC);
		if (r < 0)
			r = fail(err, errno, "open the working directory");
	}
	if (r >= 0)
		r = make_empty(&template->empty, err);
	if (r >= 0)
		r = check_way(template, err);
	if (r < 0)
		jail_template_free(template);
	else
		*ret_template = template;
	return r < 0 ? r : 0;
}

JAIL_API void jail_template_free(struct jail_template *template)
{
	if (!template)
		return;
	close_fd(template->empty);
	close_fd(template->home);
	close_fd(template->dir);
	free(template);
}

bool template_enter(const struct jail_template *template)
{
	return setns(template->empty, CLONE_NEWNS) == 0;
}

/* Who is still there sees no host, and nothing tells him so. */
static _Noreturn void lost(void)
{
	static const char words[] =
		"libjail: a template cannot be left: this process is ended\n";
	ssize_t n = write(STDERR_FILENO, words, sizeof(words) - 1);

	(void)n;
	abort();
}

/* It was tried, but takes a little memory each time. The directory may be closed to us by
 * now, if it is another's; then we stand in "/". */
void template_leave(const struct jail_template *template)
{
	int tries = 0, r;

	while (setns(template->home, CLONE_NEWNS) < 0)
		if (errno != ENOMEM || ++tries == LEAVE_TRIES)
			lost();
	r = fchdir(template->dir);
	(void)r;
}
