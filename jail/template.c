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
#include <linux/sched.h>
#include <sched.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
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
static _Noreturn void make(int tell)
{
	struct made made = {.r = 0};

	made.r = made.fd = open_namespace(&made.err);
	if (made.r >= 0)
		made.r = root_make(&made.err);
	_exit(write(tell, &made, sizeof(made)) == (ssize_t)sizeof(made) ? 0 : 1);
}

/* 0 in the child. */
static int clone_sharing(uint64_t flags, struct jail_error *err)
{
	struct clone_args args = {.flags = flags, .exit_signal = SIGCHLD};
	long pid = syscall(SYS_clone3, &args, sizeof(args));

	return pid < 0 ? fail(err, errno, "clone3") : (int)pid;
}

/* Its exit status; for one that was killed an errno. */
static int status_of(int pid)
{
	siginfo_t info = {.si_pid = 0};
	int r;

	do
		r = waitid(P_PID, (id_t)pid, &info, WEXITED);
	while (r < 0 && errno == EINTR);
	return r == 0 && info.si_code == CLD_EXITED ? info.si_status : ECHILD;
}

static int make_empty(int *ret_fd, struct jail_error *err)
{
	own_fd int told = -1, tell = -1;
	struct made made = {.r = -ECHILD};
	int ends[2], pid;

	if (pipe2(ends, O_CLOEXEC | O_NONBLOCK) < 0)
		return fail(err, errno, "pipe");
	told = ends[0];
	tell = ends[1];
	pid = clone_sharing(CLONE_NEWUSER | CLONE_NEWNS | CLONE_FILES, err);
	if (pid == 0)
		make(tell);
	if (pid < 0)
		return pid;
	(void)status_of(pid);
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
static int try_way(const struct jail_template *template)
{
	struct stat before, after;

	if (stat("/", &before) < 0 || setns(template->empty, CLONE_NEWNS) < 0 ||
	    setns(template->home, CLONE_NEWNS) < 0 || fchdir(template->dir) < 0 ||
	    stat("/", &after) < 0)
		return errno;
	return is_same(&before, &after) ? 0 : EXDEV;
}

static int check_way(const struct jail_template *template, struct jail_error *err)
{
	int pid = clone_sharing(0, err), errnum;

	if (pid == 0)
		_exit(try_way(template));
	if (pid < 0)
		return pid;
	errnum = status_of(pid);
	if (errnum == EXDEV)
		return fail(err, EXDEV, "our root is not that of our mounts");
	return errnum ? fail(err, errnum, "enter and leave its mount namespace") : 0;
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
