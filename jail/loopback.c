/* SPDX-License-Identifier: MIT */
/* Brings lo up in the child, with a netlink request written at build time. */
#include <errno.h>
#include <linux/netlink.h>
#include <string.h>
#include <sys/socket.h>

#include "base/own.h"
#include "jail/internal.h"
#include "jail/loopback_request.h"

/* The answer is an nlmsgerr with error 0 (done) or a negative errno. */
static int read_answer(int fd, struct jail_error *err)
{
	char answer[512];
	struct nlmsghdr head;
	struct nlmsgerr body;
	ssize_t n = recv(fd, answer, sizeof(answer), 0);

	if (n < 0)
		return jail_fail(err, JAIL_STAGE_LOOPBACK, errno, "netlink: no answer");
	if ((size_t)n < sizeof(head) + sizeof(body))
		return jail_fail(err, JAIL_STAGE_LOOPBACK, EBADMSG,
				 "netlink: short answer");
	memcpy(&head, answer, sizeof(head));
	memcpy(&body, answer + NLMSG_HDRLEN, sizeof(body));
	if (head.nlmsg_type != NLMSG_ERROR)
		return jail_fail(err, JAIL_STAGE_LOOPBACK, EBADMSG,
				 "netlink: odd answer");
	if (body.error)
		return jail_fail(err, JAIL_STAGE_LOOPBACK, -body.error, "set lo up");
	return 0;
}

int child_loopback_up(struct jail_error *err)
{
	own_fd int fd = socket(AF_NETLINK, SOCK_RAW | SOCK_CLOEXEC, NETLINK_ROUTE);

	if (fd < 0)
		return jail_fail(err, JAIL_STAGE_LOOPBACK, errno, "netlink socket");
	if (send(fd, loopback_request, sizeof(loopback_request), 0) < 0)
		return jail_fail(err, JAIL_STAGE_LOOPBACK, errno, "netlink send");
	return read_answer(fd, err);
}
