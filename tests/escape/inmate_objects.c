/* SPDX-License-Identifier: MIT */
/*
 * Things that one process can leave for another: keys, System V and POSIX objects, files,
 * locks, names. The token is in the name, so that nothing is found by accident.
 */
#include <errno.h>
#include <fcntl.h>
#include <linux/io_uring.h>
#include <linux/keyctl.h>
#include <mqueue.h>
#include <stdio.h>
#include <string.h>
#include <sys/file.h>
#include <sys/ipc.h>
#include <sys/mman.h>
#include <sys/msg.h>
#include <sys/sem.h>
#include <sys/shm.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/utsname.h>
#include <unistd.h>

#include "tests/escape/inmate.h"

static const char *name_of(const struct mark *mark, const char *before)
{
	static char name[64];

	snprintf(name, sizeof(name), "%squod-%ld", before, mark->token);
	return name;
}

static long add_key_to(const struct mark *mark, int keyring)
{
	return syscall(SYS_add_key, "user", name_of(mark, ""), "x", 1, keyring);
}

static long search_key(const struct mark *mark, int keyring)
{
	return syscall(SYS_keyctl, KEYCTL_SEARCH, keyring, "user", name_of(mark, ""), 0);
}

#define KEYRING(which, keyring)                               \
	static long leave_in_##which(const struct mark *mark) \
	{                                                     \
		return add_key_to(mark, keyring);             \
	}                                                     \
	static long find_in_##which(const struct mark *mark)  \
	{                                                     \
		return search_key(mark, keyring);             \
	}

KEYRING(session, KEY_SPEC_SESSION_KEYRING)
KEYRING(user, KEY_SPEC_USER_KEYRING)
KEYRING(user_session, KEY_SPEC_USER_SESSION_KEYRING)
KEYRING(process, KEY_SPEC_PROCESS_KEYRING)

/* Kept for days after its last user is gone; linked here to where only we look. */
static long persistent(void)
{
	return syscall(SYS_keyctl, KEYCTL_GET_PERSISTENT, -1, KEY_SPEC_PROCESS_KEYRING);
}

static long leave_in_persistent(const struct mark *mark)
{
	long keyring = persistent();

	return keyring < 0 ? keyring : add_key_to(mark, (int)keyring);
}

static long find_in_persistent(const struct mark *mark)
{
	long keyring = persistent();

	return keyring < 0 ? keyring : search_key(mark, (int)keyring);
}

static long find_by_request(const struct mark *mark)
{
	return syscall(SYS_request_key, "user", name_of(mark, ""), NULL, 0);
}

/* A key that everybody may read: numbers of keys are the whole machine's. */
static long leave_open_key(const struct mark *mark)
{
	long key = add_key_to(mark, KEY_SPEC_PROCESS_KEYRING);

	if (key >= 0 && syscall(SYS_keyctl, KEYCTL_SETPERM, key, 0x3f3f3f3f) < 0)
		return -1;
	return key;
}

static long read_open_key(const struct mark *mark)
{
	char byte;

	return syscall(SYS_keyctl, KEYCTL_READ, mark->handle, &byte, 1);
}

static long leave_shm(const struct mark *mark)
{
	return shmget((key_t)mark->token, 4096, IPC_CREAT | IPC_EXCL | 0666);
}

static long find_shm(const struct mark *mark)
{
	return shmget((key_t)mark->token, 0, 0);
}

static long attach_shm(const struct mark *mark)
{
	return shmat((int)mark->handle, NULL, SHM_RDONLY) == (void *)-1 ? -1 : 0;
}

static long leave_sem(const struct mark *mark)
{
	return semget((key_t)mark->token, 1, IPC_CREAT | IPC_EXCL | 0666);
}

static long find_sem(const struct mark *mark)
{
	return semget((key_t)mark->token, 0, 0);
}

static long leave_msg(const struct mark *mark)
{
	return msgget((key_t)mark->token, IPC_CREAT | IPC_EXCL | 0666);
}

static long find_msg(const struct mark *mark)
{
	return msgget((key_t)mark->token, 0);
}

static long leave_mq(const struct mark *mark)
{
	return mq_open(name_of(mark, "/"), O_CREAT | O_EXCL | O_RDWR, 0666, NULL);
}

static long find_mq(const struct mark *mark)
{
	return mq_open(name_of(mark, "/"), O_RDONLY);
}

static long leave_file(const char *path)
{
	return open(path, O_CREAT | O_EXCL | O_RDWR | O_CLOEXEC, 0666);
}

static long find_file(const char *path)
{
	return open(path, O_RDONLY | O_CLOEXEC);
}

static long leave_dev_shm(const struct mark *mark)
{
	return leave_file(name_of(mark, "/dev/shm/"));
}

static long find_dev_shm(const struct mark *mark)
{
	return find_file(name_of(mark, "/dev/shm/"));
}

static long leave_in_root(const struct mark *mark)
{
	return leave_file(name_of(mark, "/"));
}

static long find_in_root(const struct mark *mark)
{
	return find_file(name_of(mark, "/"));
}

static long find_in_cgroup(const struct mark *mark)
{
	(void)mark;
	return find_file("/sys/fs/cgroup/cgroup.procs");
}

/* The one inode with a name: our root. */
static long lock_root(const struct mark *mark)
{
	int fd = open("/", O_RDONLY | O_CLOEXEC);

	(void)mark;
	return fd < 0 ? fd : flock(fd, LOCK_EX | LOCK_NB);
}

/* Found if it cannot be had. */
static long is_root_locked(const struct mark *mark)
{
	if (lock_root(mark) == 0)
		return failed_with(ENODATA);
	return errno == EWOULDBLOCK ? 0 : -1;
}

static long lock_root_range(const struct mark *mark)
{
	struct flock lock = {
		.l_type = F_RDLCK, .l_whence = SEEK_SET, .l_len = mark->token};
	int fd = open("/", O_RDONLY | O_CLOEXEC);

	return fd < 0 ? fd : fcntl(fd, F_OFD_SETLK, &lock);
}

static long is_root_range_locked(const struct mark *mark)
{
	struct flock lock = {
		.l_type = F_WRLCK, .l_whence = SEEK_SET, .l_len = mark->token};
	int fd = open("/", O_RDONLY | O_CLOEXEC);

	if (fd < 0 || fcntl(fd, F_OFD_GETLK, &lock) < 0)
		return -1;
	return lock.l_type == F_UNLCK ? failed_with(ENODATA) : 0;
}

static long leave_host_name(const struct mark *mark)
{
	const char *name = name_of(mark, "");

	return sethostname(name, strlen(name));
}

static long find_host_name(const struct mark *mark)
{
	struct utsname names;

	if (uname(&names) < 0)
		return -1;
	return strcmp(names.nodename, name_of(mark, "")) ? failed_with(ENODATA) : 0;
}

/* Descriptors in a ring outlive what closes them; the ring itself is a descriptor. */
static long leave_io_uring(const struct mark *mark)
{
	struct io_uring_params params = {.flags = 0};

	(void)mark;
	return syscall(SYS_io_uring_setup, 4, &params);
}

/* A file in memory has no name but through the /proc of a process that holds it. */
static long leave_memfd(const struct mark *mark)
{
	return syscall(SYS_memfd_create, name_of(mark, ""), 0);
}

static long find_by_proc(const struct mark *mark)
{
	char path[64];

	for (int fd = 3; fd < 16; fd++) {
		snprintf(path, sizeof(path), "/proc/%ld/fd/%d", mark->handle, fd);
		if (find_file(path) >= 0)
			return fd;
	}
	return -1;
}

const struct channel object_channels[] = {
	{"session-keyring", leave_in_session, find_in_session, NULL},
	{"user-keyring", leave_in_user, find_in_user, NULL},
	{"user-session-keyring", leave_in_user_session, find_in_user_session, NULL},
	{"process-keyring", leave_in_process, find_in_process, NULL},
	{"persistent-keyring", leave_in_persistent, find_in_persistent, NULL},
	{"request-key", leave_in_session, find_by_request, NULL},
	{"key-number", leave_open_key, read_open_key, NULL},
	{"shm-key", leave_shm, find_shm, NULL},
	{"shm-id", leave_shm, attach_shm, NULL},
	{"sem-key", leave_sem, find_sem, NULL},
	{"msg-key", leave_msg, find_msg, NULL},
	{"mq", leave_mq, find_mq, NULL},
	{"dev-shm", leave_dev_shm, find_dev_shm, NULL},
	{"file-in-root", leave_in_root, find_in_root, NULL},
	{"cgroup-file", leave_in_root, find_in_cgroup, NULL},
	{"flock", lock_root, is_root_locked, NULL},
	{"ofd-lock", lock_root_range, is_root_range_locked, NULL},
	{"host-name", leave_host_name, find_host_name, NULL},
	{"memfd", leave_memfd, find_by_proc, NULL},
	{"io-uring", leave_io_uring, find_by_proc, NULL},
	{NULL, NULL, NULL, NULL},
};
