/* SPDX-License-Identifier: MIT */
/*
 * Ways for a message between two processes that are both there: sockets, pipes, futexes
 * on memory that both have, the kernel's notifications.
 */
#include <arpa/inet.h>
#include <errno.h>
#include <fcntl.h>
#include <linux/futex.h>
#include <linux/netlink.h>
#include <linux/vm_sockets.h>
#include <poll.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/fanotify.h>
#include <sys/inotify.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/un.h>
#include <time.h>
#include <unistd.h>

#include "tests/escape/inmate.h"

/* How often one looks for what the other may be just about to do, 2 ms apart. */
#define LOOKS 50

static void rest(void)
{
	nanosleep(&(struct timespec){.tv_nsec = 2000000}, NULL);
}

static socklen_t abstract_address(const struct mark *mark, struct sockaddr_un *address)
{
	memset(address, 0, sizeof(*address));
	address->sun_family = AF_UNIX;
	int n = snprintf(address->sun_path + 1, 64, "quod-%ld", mark->token);
	return (socklen_t)(offsetof(struct sockaddr_un, sun_path) + 1 + (size_t)n);
}

static long leave_abstract(const struct mark *mark)
{
	struct sockaddr_un address;
	socklen_t len = abstract_address(mark, &address);
	int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);

	if (fd < 0 || bind(fd, (struct sockaddr *)&address, len) < 0)
		return -1;
	return listen(fd, 1);
}

static long find_abstract(const struct mark *mark)
{
	struct sockaddr_un address;
	socklen_t len = abstract_address(mark, &address);
	int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);

	return fd < 0 ? fd : connect(fd, (struct sockaddr *)&address, len);
}

static long leave_named(const struct mark *mark)
{
	struct sockaddr_un address = {.sun_family = AF_UNIX};
	int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);

	snprintf(address.sun_path, sizeof(address.sun_path), "/quod-%ld", mark->token);
	if (fd < 0 || bind(fd, (struct sockaddr *)&address, sizeof(address)) < 0)
		return -1;
	return listen(fd, 1);
}

static long find_named(const struct mark *mark)
{
	struct sockaddr_un address = {.sun_family = AF_UNIX};
	int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);

	snprintf(address.sun_path, sizeof(address.sun_path), "/quod-%ld", mark->token);
	return fd < 0 ? fd : connect(fd, (struct sockaddr *)&address, sizeof(address));
}

static struct sockaddr_in loopback(const struct mark *mark)
{
	return (struct sockaddr_in){
		.sin_family = AF_INET,
		.sin_port = htons((uint16_t)(20000 + mark->token % 20000)),
		.sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
}

static long leave_loopback(const struct mark *mark)
{
	struct sockaddr_in address = loopback(mark);
	int fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);

	if (fd < 0 || bind(fd, (struct sockaddr *)&address, sizeof(address)) < 0)
		return -1;
	return listen(fd, 1);
}

static long find_loopback(const struct mark *mark)
{
	struct sockaddr_in address = loopback(mark);
	int fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);

	return fd < 0 ? fd : connect(fd, (struct sockaddr *)&address, sizeof(address));
}

/* Ports of the machine's own address, which is in no namespace. Taken is found; no packet
 * goes to the hypervisor. */
static long leave_vsock(const struct mark *mark)
{
	struct sockaddr_vm address = {.svm_family = AF_VSOCK,
				      .svm_cid = VMADDR_CID_ANY,
				      .svm_port = (unsigned)mark->token};
	int fd = socket(AF_VSOCK, SOCK_STREAM | SOCK_CLOEXEC, 0);

	return fd < 0 ? fd : bind(fd, (struct sockaddr *)&address, sizeof(address));
}

static long find_vsock(const struct mark *mark)
{
	if (leave_vsock(mark) == 0)
		return failed_with(ENODATA);
	return errno == EADDRINUSE ? 0 : -1;
}

/* The one netlink family in which everybody may send to everybody. */
static struct sockaddr_nl netlink_address(const struct mark *mark)
{
	return (struct sockaddr_nl){.nl_family = AF_NETLINK,
				    .nl_pid = (uint32_t)mark->token};
}

static long leave_netlink(const struct mark *mark)
{
	struct sockaddr_nl address = netlink_address(mark);
	int fd = socket(AF_NETLINK, SOCK_RAW | SOCK_CLOEXEC, NETLINK_USERSOCK);

	return fd < 0 ? fd : bind(fd, (struct sockaddr *)&address, sizeof(address));
}

static long find_netlink(const struct mark *mark)
{
	struct sockaddr_nl address = netlink_address(mark);
	int fd = socket(AF_NETLINK, SOCK_RAW | SOCK_CLOEXEC, NETLINK_USERSOCK);

	return fd < 0 ? fd
		      : sendto(fd, "x", 1, 0, (struct sockaddr *)&address,
			       sizeof(address));
}

/* Each has pipes of its own; their size would be a number that both see. */
static long leave_pipe_size(const struct mark *mark)
{
	(void)mark;
	return fcntl(0, F_SETPIPE_SZ, 8192);
}

static long find_pipe_size(const struct mark *mark)
{
	int size = fcntl(0, F_GETPIPE_SZ);

	(void)mark;
	if (size < 0)
		return -1;
	return size == 8192 ? 0 : failed_with(ENODATA);
}

/*
 * Jails that run the same file have its pages in common, read-only. A futex that is not
 * private is known by file and offset, and to wait and to wake need no right to write.
 */
static const uint32_t common[1024] __attribute__((aligned(4096)));

static long futex_on_program(const struct mark *mark, int operation, uint32_t value)
{
	return syscall(SYS_futex, &common[mark->token % 1024], operation, value, NULL,
		       NULL, 0);
}

static long wait_is_allowed(const struct mark *mark)
{
	/* Another value than it has: comes back at once, if it can be made at all. */
	if (futex_on_program(mark, FUTEX_WAIT, 7) == 0 || errno == EAGAIN)
		return 0;
	return -1;
}

static void wait_on_program(const struct mark *mark)
{
	if (futex_on_program(mark, FUTEX_WAIT, 0) == 0)
		say("woken", "1");
}

static long wake_on_program(const struct mark *mark)
{
	for (int i = 0; i < LOOKS; i++) {
		long woken = futex_on_program(mark, FUTEX_WAKE, 1);
		if (woken != 0)
			return woken;
		rest();
	}
	return failed_with(ENODATA);
}

/* Opening is an event for whoever watches the same directory. */
static long nothing_to_leave(const struct mark *mark)
{
	(void)mark;
	return 0;
}

static void open_on_and_on(const struct mark *mark)
{
	(void)mark;
	for (;;) {
		close(open("/", O_RDONLY | O_CLOEXEC));
		rest();
	}
}

/* The same by fanotify, which the unprivileged may use for what they can open. */
static long watch_root_more(const struct mark *mark)
{
	int fd = fanotify_init(FAN_CLASS_NOTIF | FAN_REPORT_FID | FAN_CLOEXEC, O_RDONLY);
	struct pollfd event = {.fd = fd, .events = POLLIN};

	(void)mark;
	if (fd < 0 || fanotify_mark(fd, FAN_MARK_ADD, FAN_OPEN | FAN_CLOSE | FAN_ONDIR,
				    AT_FDCWD, "/") < 0)
		return -1;
	return poll(&event, 1, LOOKS * 2) > 0 ? 0 : failed_with(ENODATA);
}

static long watch_root(const struct mark *mark)
{
	int fd = inotify_init1(IN_CLOEXEC);
	struct pollfd event = {.fd = fd, .events = POLLIN};

	(void)mark;
	if (fd < 0 || inotify_add_watch(fd, "/", IN_ALL_EVENTS) < 0)
		return -1;
	return poll(&event, 1, LOOKS * 2) > 0 ? 0 : failed_with(ENODATA);
}

const struct channel message_channels[] = {
	{"abstract-socket", leave_abstract, find_abstract, NULL},
	{"named-socket", leave_named, find_named, NULL},
	{"loopback", leave_loopback, find_loopback, NULL},
	{"vsock", leave_vsock, find_vsock, NULL},
	{"netlink", leave_netlink, find_netlink, NULL},
	{"pipe-size", leave_pipe_size, find_pipe_size, NULL},
	{"program-futex", wait_is_allowed, wake_on_program, wait_on_program},
	{"inotify", nothing_to_leave, watch_root, open_on_and_on},
	{"fanotify", nothing_to_leave, watch_root_more, open_on_and_on},
	{NULL, NULL, NULL, NULL},
};
