/* SPDX-License-Identifier: MIT */
/*
 * The network, and what is reached like one: listeners of the host on every address that
 * it has, the metadata service of a cloud, abstract and named sockets. The listeners are
 * real, so that a refusal is not that of a host where nobody listens.
 */
#include <arpa/inet.h>
#include <ifaddrs.h>
#include <poll.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include "base/own.h"
#include "tests/escape/attacks.h"

enum { TCP, UDP, ABSTRACT, ABSTRACT_DGRAM, NAMED, LISTENERS };

static struct {
	int fd[LISTENERS];
	unsigned short port;
	char abstract[64], named[108];
} host;

/* On all addresses of the host, both with the port that the kernel gives to the first. */
static void listen_internet(void)
{
	struct sockaddr_in any = {.sin_family = AF_INET};
	socklen_t len = sizeof(any);

	host.fd[TCP] = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
	host.fd[UDP] = socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0);
	bool listens = bind(host.fd[TCP], (struct sockaddr *)&any, sizeof(any)) == 0 &&
		       listen(host.fd[TCP], 16) == 0 &&
		       getsockname(host.fd[TCP], (struct sockaddr *)&any, &len) == 0 &&
		       bind(host.fd[UDP], (struct sockaddr *)&any, sizeof(any)) == 0;
	host.port = ntohs(any.sin_port);
	check(listens, "network: the host listens by TCP and UDP");
}

static int listen_unix(const char *name, size_t skip, int type)
{
	struct sockaddr_un address = {.sun_family = AF_UNIX};
	int fd = socket(AF_UNIX, type | SOCK_CLOEXEC, 0);

	strcpy(address.sun_path + skip, name);
	socklen_t len =
		(socklen_t)(offsetof(struct sockaddr_un, sun_path) + skip + strlen(name));
	if (bind(fd, (struct sockaddr *)&address, len) < 0 ||
	    (type == SOCK_STREAM && listen(fd, 16) < 0))
		return close_fd(fd);
	return fd;
}

static void listen_local(void)
{
	const char *tmp = getenv("TMPDIR");
	char dgram[80];

	snprintf(host.abstract, sizeof(host.abstract), "quod-attacks-%d", (int)getpid());
	snprintf(dgram, sizeof(dgram), "%s-dgram", host.abstract);
	snprintf(host.named, sizeof(host.named), "%.60s/quod-attacks-%d",
		 tmp ? tmp : "/tmp", (int)getpid());
	host.fd[ABSTRACT] = listen_unix(host.abstract, 1, SOCK_STREAM);
	host.fd[ABSTRACT_DGRAM] = listen_unix(dgram, 1, SOCK_DGRAM);
	host.fd[NAMED] = listen_unix(host.named, 0, SOCK_STREAM);
	check(host.fd[ABSTRACT] >= 0 && host.fd[ABSTRACT_DGRAM] >= 0 &&
		      host.fd[NAMED] >= 0,
	      "network: and on abstract and named sockets");
}

static void try_one(const char *what, const char *name, const char *arg,
		    const char *refusal)
{
	const struct attack attack = {what, name, arg, refusal, "SIGSYS", "EMFILE"};

	attacks_try("network", &attack, 1);
}

static void try_address(const char *address)
{
	char to[128], what[192];

	snprintf(to, sizeof(to), "%s:%hu", address, host.port);
	snprintf(what, sizeof(what), "TCP to %s", address);
	try_one(what, "connect4", to, "ENETUNREACH");
	snprintf(what, sizeof(what), "UDP to %s", address);
	try_one(what, "send4", to, "ENETUNREACH");
}

/* Whatever addresses this host has; how many is its own affair. */
static void try_own_addresses(void)
{
	struct ifaddrs *all = NULL;
	char text[INET_ADDRSTRLEN];

	if (getifaddrs(&all) < 0)
		return;
	for (struct ifaddrs *i = all; i; i = i->ifa_next) {
		if (!i->ifa_addr || i->ifa_addr->sa_family != AF_INET)
			continue;
		const void *address =
			&((struct sockaddr_in *)(void *)i->ifa_addr)->sin_addr;
		if (strncmp(inet_ntop(AF_INET, address, text, sizeof(text)), "127.", 4))
			try_address(text);
	}
	freeifaddrs(all);
}

/* The names of the tests say no more than this, so that hosts can be compared. */
static void try_internet(void)
{
	try_address("127.0.0.1");
	try_address("127.8.8.8");
	try_address("169.254.169.254");
	try_address("255.255.255.255");
	try_own_addresses();
	try_one("IPv6 loopback", "connect6", "::1",
		"EADDRNOTAVAIL ENETUNREACH EAFNOSUPPORT");
	try_one("IPv6, every node of the link", "connect6", "ff02::1",
		"ENETUNREACH EADDRNOTAVAIL EAFNOSUPPORT EACCES EINVAL");
	try_one("the metadata address of IPv6", "connect6", "fd00:ec2::254",
		"ENETUNREACH EADDRNOTAVAIL EAFNOSUPPORT");
}

static void try_local(void)
{
	char dgram[80];

	snprintf(dgram, sizeof(dgram), "%s-dgram", host.abstract);
	try_one("an abstract socket of the host", "connect-abstract", host.abstract,
		"ECONNREFUSED");
	try_one("an abstract datagram socket", "connect-abstract-dgram", dgram,
		"ECONNREFUSED");
	try_one("a named socket of the host", "connect-path", host.named, "ENOENT");
	try_one("the journal", "connect-path", "/run/systemd/journal/stdout", "ENOENT");
	try_one("the container engine", "connect-path", "/var/run/docker.sock", "ENOENT");
	try_one("a network device", "find-device", "", "ENODEV");
	try_one("lo brought up", "bring-up", "lo", "EPERM");
}

static bool nobody_came(void)
{
	struct pollfd listeners[LISTENERS];

	for (int i = 0; i < LISTENERS; i++)
		listeners[i] = (struct pollfd){.fd = host.fd[i], .events = POLLIN};
	return poll(listeners, LISTENERS, 0) == 0;
}

/* Also with a loopback of its own nothing of the host answers on it. */
static void try_with_loopback(void)
{
	char to[64];

	snprintf(to, sizeof(to), "127.0.0.1:%hu", host.port);
	struct jail_spec spec = bare_spec("connect4", to);
	spec.flags |= JAIL_LOOPBACK_UP;
	struct outcome outcome = run_spec(&spec);
	const char *got = attempt_outcome(&outcome, "connect4");
	check(!strcmp(got, "ECONNREFUSED"),
	      "network: with a loopback of its own, filter off: %s", got);
}

/* Every family that there is and one more; the filter looks at the number of the call. */
static void try_families(void)
{
	static char args[AF_MAX + 2][32];
	static struct attack attacks[AF_MAX + 2];

	for (int family = 0; family < AF_MAX + 2; family++) {
		snprintf(args[family], sizeof(args[0]), "%d:%d:0", family,
			 family == AF_PACKET ? SOCK_RAW : SOCK_DGRAM);
		attacks[family] = (struct attack){"socket() of a family",
						  "socket",
						  args[family],
						  NULL,
						  "SIGSYS",
						  NULL};
	}
	attacks_try("network", attacks, ARRAY_LEN(attacks));
}

void attack_network(void)
{
	listen_internet();
	listen_local();
	try_internet();
	try_local();
	try_with_loopback();
	try_families();
	check(nobody_came(), "network: not one connection, not one datagram has come");
	unlink(host.named);
	for (int i = 0; i < LISTENERS; i++)
		close_fd(host.fd[i]);
}
