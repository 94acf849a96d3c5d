/* SPDX-License-Identifier: MIT */
/*
 * Attacks on whatever listens: the host's loopback and addresses, the metadata service of
 * a cloud, sockets of the kernel itself. A connection, or a datagram that left, is "ok".
 */
#include <arpa/inet.h>
#include <errno.h>
#include <linux/if_link.h>
#include <linux/netfilter/nf_tables.h>
#include <linux/netfilter/nfnetlink.h>
#include <linux/netlink.h>
#include <linux/rtnetlink.h>
#include <net/if.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include "tests/escape/inmate.h"

/* arg: FAMILY:TYPE:PROTOCOL, numbers. */
static long make_socket(const char *arg)
{
	int family = 0, type = 0, protocol = 0;

	if (sscanf(arg, "%d:%d:%d", &family, &type, &protocol) != 3)
		_exit(97);
	return socket(family, type, protocol);
}

static struct sockaddr_in address4(const char *arg)
{
	struct sockaddr_in address = {.sin_family = AF_INET};
	char host[64] = "";
	unsigned short port = 0;

	if (sscanf(arg, "%63[^:]:%hu", host, &port) != 2 ||
	    inet_pton(AF_INET, host, &address.sin_addr) != 1)
		_exit(97);
	address.sin_port = htons(port);
	return address;
}

static long connect4(const char *arg)
{
	struct sockaddr_in address = address4(arg);
	int fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);

	return fd < 0 ? fd : connect(fd, (struct sockaddr *)&address, sizeof(address));
}

static long send4(const char *arg)
{
	struct sockaddr_in address = address4(arg);
	int fd = socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0), on = 1;

	if (fd < 0)
		return fd;
	setsockopt(fd, SOL_SOCKET, SO_BROADCAST, &on, sizeof(on));
	return sendto(fd, "x", 1, 0, (struct sockaddr *)&address, sizeof(address));
}

/* arg: an address; the port is 9. */
static long connect6(const char *arg)
{
	struct sockaddr_in6 address = {.sin6_family = AF_INET6, .sin6_port = htons(9)};
	int fd = socket(AF_INET6, SOCK_STREAM | SOCK_CLOEXEC, 0);

	if (inet_pton(AF_INET6, arg, &address.sin6_addr) != 1)
		_exit(97);
	return fd < 0 ? fd : connect(fd, (struct sockaddr *)&address, sizeof(address));
}

static socklen_t address_un(const char *name, size_t skip, struct sockaddr_un *address)
{
	memset(address, 0, sizeof(*address));
	address->sun_family = AF_UNIX;
	strcpy(address->sun_path + skip, name);
	return (socklen_t)(offsetof(struct sockaddr_un, sun_path) + skip + strlen(name));
}

static long connect_un(const char *name, size_t skip, int type)
{
	struct sockaddr_un address;
	socklen_t len = address_un(name, skip, &address);
	int fd = socket(AF_UNIX, type | SOCK_CLOEXEC, 0);

	return fd < 0 ? fd : connect(fd, (struct sockaddr *)&address, len);
}

static long connect_abstract(const char *name)
{
	return connect_un(name, 1, SOCK_STREAM);
}

static long connect_abstract_dgram(const char *name)
{
	return connect_un(name, 1, SOCK_DGRAM);
}

static long connect_path(const char *path)
{
	return connect_un(path, 0, SOCK_STREAM);
}

static long bring_up(const char *name)
{
	struct ifreq request = {.ifr_flags = IFF_UP};
	int fd = socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0);

	strcpy(request.ifr_name, name);
	return fd < 0 ? fd : ioctl(fd, SIOCSIFFLAGS, &request);
}

/* Sends one request and returns what its acknowledgement says. */
static long ask_kernel(int protocol, struct nlmsghdr *request)
{
	struct {
		struct nlmsghdr head;
		struct nlmsgerr error;
		char rest[4096];
	} reply;
	int fd = socket(AF_NETLINK, SOCK_RAW | SOCK_CLOEXEC, protocol);

	request->nlmsg_flags = NLM_F_REQUEST | NLM_F_ACK | NLM_F_CREATE | NLM_F_EXCL;
	if (fd < 0 || send(fd, request, request->nlmsg_len, 0) < 0 ||
	    recv(fd, &reply, sizeof(reply), 0) < (ssize_t)sizeof(reply.head))
		return -1;
	if (reply.head.nlmsg_type != NLMSG_ERROR || reply.error.error == 0)
		return 0;
	return failed_with(-reply.error.error);
}

/* A new network device of a kind that always exists. */
static long make_device(const char *arg)
{
	struct {
		struct nlmsghdr head;
		struct ifinfomsg info;
		struct rtattr name;
		char name_text[8];
	} request = {
		.head = {.nlmsg_len = sizeof(request), .nlmsg_type = RTM_NEWLINK},
		.name = {.rta_len = sizeof(request.name) + 8, .rta_type = IFLA_IFNAME}};

	strncpy(request.name_text, arg, sizeof(request.name_text) - 1);
	return ask_kernel(NETLINK_ROUTE, &request.head);
}

/* nf_tables, by which user namespaces led into the kernel: CVE-2022-1015, CVE-2024-1086.
 */
static long make_table(const char *arg)
{
	struct {
		struct nlmsghdr head;
		struct nfgenmsg info;
	} request = {.head = {.nlmsg_len = sizeof(request),
			      .nlmsg_type = NFNL_MSG_BATCH_BEGIN},
		     .info = {.res_id = htons(NFNL_SUBSYS_NFTABLES)}};

	(void)arg;
	return ask_kernel(NETLINK_NETFILTER, &request.head);
}

static long write_route(const char *arg)
{
	struct {
		struct nlmsghdr head;
		struct rtmsg route;
	} request = {.head = {.nlmsg_len = sizeof(request), .nlmsg_type = RTM_NEWROUTE},
		     .route = {.rtm_family = AF_INET,
			       .rtm_table = RT_TABLE_MAIN,
			       .rtm_protocol = RTPROT_STATIC,
			       .rtm_type = RTN_BLACKHOLE}};

	(void)arg;
	return ask_kernel(NETLINK_ROUTE, &request.head);
}

/* Any device but lo. */
static long find_device(const char *arg)
{
	struct if_nameindex *all = if_nameindex();

	(void)arg;
	if (!all)
		return -1;
	for (struct if_nameindex *i = all; i->if_index; i++)
		if (strcmp(i->if_name, "lo") != 0)
			return (long)i->if_index;
	return failed_with(ENODEV);
}

/* The kernel's own announcements: devices, audit. */
static long listen_to_kernel(const char *arg)
{
	struct sockaddr_nl address = {.nl_family = AF_NETLINK, .nl_groups = 1};
	int fd = socket(AF_NETLINK, SOCK_RAW | SOCK_CLOEXEC, atoi(arg));

	return fd < 0 ? fd : bind(fd, (struct sockaddr *)&address, sizeof(address));
}

const struct attempt network_attempts[] = {
	{"socket", make_socket},
	{"connect4", connect4},
	{"send4", send4},
	{"connect6", connect6},
	{"connect-abstract", connect_abstract},
	{"connect-abstract-dgram", connect_abstract_dgram},
	{"connect-path", connect_path},
	{"bring-up", bring_up},
	{"make-device", make_device},
	{"make-table", make_table},
	{"write-route", write_route},
	{"find-device", find_device},
	{"listen-to-kernel", listen_to_kernel},
	{NULL, NULL},
};
