/* SPDX-License-Identifier: MIT */
/*
 * Attacks on what belongs to the host: the program that runs here, files, descriptors
 * that were left open, the terminal, and anything that somebody might read later.
 */
#include <errno.h>
#include <fcntl.h>
#include <linux/tiocl.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/un.h>
#include <sys/xattr.h>
#include <unistd.h>

#include "tests/escape/inmate.h"

/* More than the harness has open in its most careless caller. */
#define DESCRIPTORS_MOST ((1 << 16) + 16)

static long open_to_read(const char *path)
{
	return open(path, O_RDONLY | O_CLOEXEC);
}

static long open_to_write(const char *path)
{
	return open(path, O_WRONLY | O_CLOEXEC);
}

static long create(const char *path)
{
	return open(path, O_CREAT | O_RDWR | O_CLOEXEC, 0666);
}

static long open_nameless(const char *path)
{
	return open(path, O_TMPFILE | O_RDWR | O_CLOEXEC, 0600);
}

/* A page of our own program: a private copy may be changed, the file never. */
static const char page_of_ours[8192] __attribute__((aligned(4096))) = "nobody's";

static long change_own_program(const char *arg)
{
	char *page = (char *)(size_t)page_of_ours;

	(void)arg;
	if (mprotect(page, sizeof(page_of_ours), PROT_READ | PROT_WRITE) < 0)
		return -1;
	memset(page, 'x', sizeof(page_of_ours));
	return msync(page, sizeof(page_of_ours), MS_SYNC);
}

static long replace_own_program(const char *arg)
{
	(void)arg;
	return prctl(PR_SET_MM, PR_SET_MM_EXE_FILE, 0, 0, 0);
}

static long open_by_handle(const char *arg)
{
	union {
		struct file_handle handle;
		char room[sizeof(struct file_handle) + 8];
	} root = {.handle = {.handle_bytes = 8, .handle_type = 1}};

	(void)arg;
	return open_by_handle_at(AT_FDCWD, &root.handle, O_RDONLY);
}

/* Any descriptor that was not agreed on. */
static long find_descriptor(const char *arg)
{
	(void)arg;
	for (int fd = 3; fd < DESCRIPTORS_MOST; fd++)
		if (fcntl(fd, F_GETFD) >= 0)
			return fd;
	return failed_with(EBADF);
}

static long find_directory(const char *arg)
{
	for (int fd = 0; fd < 4096; fd++)
		if (fchdir(fd) == 0 || openat(fd, arg, O_RDONLY | O_CLOEXEC) >= 0)
			return fd;
	return -1;
}

/* Out by where we stand: CVE-2024-21626 left the caller's directory there. */
static long leave_by_cwd(const char *arg)
{
	char path[4096];
	int fd = open(arg, O_RDONLY | O_CLOEXEC);

	if (fd >= 0)
		return fd;
	int errnum = errno;
	if (getcwd(path, sizeof(path)) && strcmp(path, "/") != 0)
		return 0;
	return failed_with(errnum);
}

/* Each of our descriptors in turn; one that takes it is enough. */
static long on_each(unsigned long request, void *argument)
{
	long r = -1;

	for (int fd = 0; fd < 3 && r < 0; fd++)
		r = syscall(SYS_ioctl, fd, request, argument);
	return r;
}

static long type_at_terminal(const char *arg)
{
	char letter = *arg;

	return on_each(TIOCSTI, &letter);
}

/* The kernel looks at 32 bits of the request; a filter that compares 64 is passed by. */
static long type_at_terminal_high(const char *arg)
{
	char letter = *arg;

	return on_each(TIOCSTI | 1ul << 32, &letter);
}

static long paste_at_terminal(const char *arg)
{
	char paste = TIOCL_PASTESEL;

	(void)arg;
	return on_each(TIOCLINUX, &paste);
}

static long take_terminal(const char *arg)
{
	(void)arg;
	return on_each(TIOCSCTTY, NULL);
}

static long ask_terminal(const char *arg)
{
	struct winsize size;

	(void)arg;
	return on_each(TIOCGWINSZ, &size);
}

static long make_directory(const char *path)
{
	return mkdir(path, 0777);
}

static long make_fifo(const char *path)
{
	return mknod(path, S_IFIFO | 0666, 0);
}

static long make_device(const char *path)
{
	return mknod(path, S_IFCHR | 0666, 0x103);
}

static long make_symlink(const char *path)
{
	return symlink("/etc/passwd", path);
}

static long make_link(const char *path)
{
	return link("/", path);
}

static long rename_something(const char *path)
{
	return rename("/something", path);
}

static long unlink_it(const char *path)
{
	return unlink(path);
}

static long truncate_it(const char *path)
{
	return truncate(path, 0);
}

static long change_mode(const char *path)
{
	return chmod(path, 0777);
}

static long change_owner(const char *path)
{
	return chown(path, 0, 0);
}

static long change_times(const char *path)
{
	return utimensat(AT_FDCWD, path, NULL, 0);
}

static long change_attribute(const char *path)
{
	return setxattr(path, "user.message", "x", 1, 0);
}

static long change_label(const char *path)
{
	return setxattr(path, "security.message", "x", 1, 0);
}

static long bind_path(const char *path)
{
	struct sockaddr_un address = {.sun_family = AF_UNIX};
	int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);

	strcpy(address.sun_path, path);
	return fd < 0 ? fd : bind(fd, (struct sockaddr *)&address, sizeof(address));
}

/* A program made in memory: it could be run with the rights of any other. */
static long write_in_memory(const char *arg)
{
	int fd = (int)syscall(SYS_memfd_create, "program", 1);

	return fd < 0 ? fd : write(fd, arg, strlen(arg));
}

static long raise_core_limit(const char *arg)
{
	const struct rlimit all = {RLIM_INFINITY, RLIM_INFINITY};

	(void)arg;
	return setrlimit(RLIMIT_CORE, &all);
}

const struct attempt host_attempts[] = {
	{"open-to-read", open_to_read},
	{"open-to-write", open_to_write},
	{"create", create},
	{"open-nameless", open_nameless},
	{"change-own-program", change_own_program},
	{"replace-own-program", replace_own_program},
	{"open-by-handle", open_by_handle},
	{"find-descriptor", find_descriptor},
	{"find-directory", find_directory},
	{"leave-by-cwd", leave_by_cwd},
	{"type-at-terminal", type_at_terminal},
	{"type-at-terminal-high", type_at_terminal_high},
	{"paste-at-terminal", paste_at_terminal},
	{"take-terminal", take_terminal},
	{"ask-terminal", ask_terminal},
	{"mkdir", make_directory},
	{"mkfifo", make_fifo},
	{"mknod", make_device},
	{"symlink", make_symlink},
	{"link", make_link},
	{"rename", rename_something},
	{"unlink", unlink_it},
	{"truncate", truncate_it},
	{"chmod", change_mode},
	{"chown", change_owner},
	{"utimes", change_times},
	{"setxattr-user", change_attribute},
	{"setxattr-security", change_label},
	{"bind-path", bind_path},
	{"write-in-memory", write_in_memory},
	{"raise-core-limit", raise_core_limit},
	{NULL, NULL},
};
