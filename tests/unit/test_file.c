/* SPDX-License-Identifier: MIT */
/* Reading and writing whole files: caps, odd descriptors, closed standard streams. */
#include <criterion/criterion.h>
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/file.h"
#include "base/own.h"

static int memory_file(const char *bytes, size_t len)
{
	int fd = memfd_create("test", MFD_CLOEXEC);

	cr_assert_geq(fd, 0);
	cr_assert_eq(file_write_all(fd, bytes, len), 0);
	cr_assert_eq(lseek(fd, 0, SEEK_SET), 0);
	return fd;
}

static int pipe_end(int ends[2], int flags)
{
	cr_assert_eq(pipe2(ends, O_CLOEXEC | flags), 0);
	return fcntl(ends[1], F_GETPIPE_SZ);
}

Test(file, reads_all_and_terminates)
{
	own_fd int fd = memory_file("a\0b", 3);
	own_free char *data = NULL;
	size_t len = 99;

	cr_assert_eq(file_read_fd(fd, 100, &data, &len), 0);
	cr_expect_eq(len, 3);
	cr_expect_eq(memcmp(data, "a\0b", 4), 0);
}

Test(file, cap_is_exact)
{
	static const size_t sizes[] = {0, 1, 4095, 4096, 4097, 70000};

	for (size_t i = 0; i < ARRAY_LEN(sizes); i++) {
		own_free char *content = calloc(1, sizes[i] + 1);
		own_fd int fd = memory_file(content, sizes[i]);
		own_free char *data = NULL;
		size_t len = 99;

		cr_expect_eq(file_read_fd(fd, sizes[i], &data, &len), 0);
		cr_expect_eq(len, sizes[i]);
		if (!sizes[i])
			continue;
		lseek(fd, 0, SEEK_SET);
		len = 99;
		own_free char *refused = NULL;
		cr_expect_eq(file_read_fd(fd, sizes[i] - 1, &refused, &len), -EFBIG);
		cr_expect_eq(len, 99);
		cr_expect_null(refused);
	}
}

Test(file, endless_device_is_too_big)
{
	char *data = NULL;
	size_t len;

	cr_expect_eq(file_read_at(AT_FDCWD, "/dev/zero", 10000, &data, &len), -EFBIG);
	cr_expect_null(data);
}

Test(file, what_is_no_file)
{
	char *data = NULL;
	size_t len;

	cr_expect_eq(file_read_at(AT_FDCWD, "/", 10, &data, &len), -EISDIR);
	cr_expect_eq(file_read_at(AT_FDCWD, "/no/such", 10, &data, &len), -ENOENT);
	cr_expect_eq(file_read_fd(-1, 10, &data, &len), -EBADF);
	cr_expect_eq(file_read_fd(0, SIZE_MAX, &data, &len), -EINVAL);
}

Test(file, relative_to_a_directory)
{
	char dir[] = "/tmp/quod-test-XXXXXX";
	own_fd int dir_fd = mkdtemp(dir) ? open(dir, O_DIRECTORY | O_CLOEXEC) : -1;
	own_fd int fd = openat(dir_fd, "f", O_CREAT | O_WRONLY | O_CLOEXEC, 0600);
	own_free char *data = NULL;
	size_t len;

	cr_assert_geq(fd, 0);
	cr_assert_eq(file_write_all(fd, "hello", 5), 0);
	cr_expect_eq(file_read_at(dir_fd, "f", 10, &data, &len), 0);
	cr_expect_str_eq(data, "hello");
	unlinkat(dir_fd, "f", 0);
	rmdir(dir);
}

struct transfer {
	int fd;
	size_t len;
	int result;
};

static void *write_zeros(void *arg)
{
	struct transfer *transfer = arg;
	own_free char *zeros = calloc(1, transfer->len);

	transfer->result = file_write_all(transfer->fd, zeros, transfer->len);
	close(transfer->fd);
	return NULL;
}

/* Both ends non-blocking and more bytes than the pipe holds: each side has to wait. */
Test(file, waits_for_nonblocking_ends)
{
	int ends[2];
	size_t whole = (size_t)pipe_end(ends, O_NONBLOCK) * 3 + 7;
	own_fd int from = ends[0];
	struct transfer transfer = {.fd = ends[1], .len = whole};
	own_free char *data = NULL;
	size_t len = 0;
	pthread_t writer;

	cr_assert_eq(pthread_create(&writer, NULL, write_zeros, &transfer), 0);
	cr_expect_eq(file_read_fd(from, whole, &data, &len), 0);
	pthread_join(writer, NULL);
	cr_expect_eq(transfer.result, 0);
	cr_expect_eq(len, whole);
}

Test(file, broken_pipe_is_an_error)
{
	int ends[2];

	signal(SIGPIPE, SIG_IGN);
	pipe_end(ends, 0);
	close(ends[0]);
	cr_expect_eq(file_write_all(ends[1], "x", 1), -EPIPE);
	close(ends[1]);
}

Test(file, full_device_is_an_error)
{
	own_fd int fd = open("/dev/full", O_WRONLY | O_CLOEXEC);

	cr_assert_geq(fd, 0);
	cr_expect_eq(file_write_all(fd, "x", 1), -ENOSPC);
	cr_expect_eq(file_write_all(fd, "", 0), 0);
}

/* In a child, because the test program needs its own streams. */
static int child_std_fds(void)
{
	struct stat null, is;

	close(0);
	close(2);
	if (file_open_std_fds() < 0 || stat("/dev/null", &null) < 0)
		return 1;
	for (int fd = 0; fd <= 2; fd += 2) {
		if (fstat(fd, &is) < 0 || is.st_rdev != null.st_rdev)
			return 2 + fd;
	}
	return fcntl(3, F_GETFD) >= 0;
}

Test(file, closed_std_fds_become_null)
{
	int status;
	pid_t pid = fork();

	if (pid == 0) {
		close_range(3, ~0u, 0);
		_exit(child_std_fds());
	}
	cr_assert_eq(waitpid(pid, &status, 0), pid);
	cr_expect_eq(status, 0);
}

Test(file, what_waits_for_somebody)
{
	own_fd int file = open("/proc/self/exe", O_RDONLY),
		   null = open("/dev/null", O_RDWR);
	int pipe_fds[2], sockets[2];

	cr_assert_eq(pipe(pipe_fds), 0);
	cr_assert_eq(socketpair(AF_UNIX, SOCK_STREAM, 0, sockets), 0);
	cr_expect_not(file_may_sleep(file));
	cr_expect_not(file_may_sleep(null));
	cr_expect(file_may_sleep(pipe_fds[1]));
	cr_expect(file_may_sleep(sockets[0]));
	cr_expect(file_unblock(null), "there is nothing to do");
	cr_expect_not(file_unblock(sockets[0]), "a socket cannot be opened anew");
	cr_expect(file_unblock(pipe_fds[1]));
	cr_expect(fcntl(pipe_fds[1], F_GETFL) & O_NONBLOCK);
	cr_expect_not(fcntl(pipe_fds[0], F_GETFL) & O_NONBLOCK);
}

Test(file, a_description_in_common_stays_as_it_is)
{
	int pipe_fds[2], copy;

	cr_assert_eq(pipe(pipe_fds), 0);
	copy = dup(pipe_fds[1]);
	cr_assert_geq(copy, 0);
	cr_expect(file_unblock(pipe_fds[1]));
	cr_expect_not(fcntl(copy, F_GETFL) & O_NONBLOCK);
}

Test(file, the_master_of_a_terminal_is_not_opened_anew)
{
	own_fd int master = posix_openpt(O_RDWR | O_NOCTTY);

	cr_assert_geq(master, 0);
	cr_expect(file_may_sleep(master));
	cr_expect_not(file_unblock(master));
}
