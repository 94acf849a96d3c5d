/* SPDX-License-Identifier: MIT */
/*
 * A service manager for one daemon, for what systemd does with it:
 *
 *	manager DIR [SOCKET...] -- PROGRAM ARGS...
 *
 * passes sockets (unix:PATH, tcp4:ADDRESS, tcp6:ADDRESS, bound:PATH, which does not listen,
 * udp4:ADDRESS), and starts the program again with the same ones whenever it has ended,
 * until it is told to stop by SIGTERM. In DIR it keeps: `pid`, the program's, or nothing
 * while there is none; `ports`, of each TCP socket; `told`, what came over $NOTIFY_SOCKET,
 * one message a line with | between its parts; `ends`, each exit code. With SIGUSR1 the
 * program is told to stop, and then it is started again; with DIR/once it is not.
 * $MANAGER_WATCHDOG_US becomes $WATCHDOG_USEC.
 */
#include <arpa/inet.h>
#include <errno.h>
#include <fcntl.h>
#include <netinet/in.h>
#include <poll.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/signalfd.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <unistd.h>

#define SOCKETS_MOST 16
#define FIRST_FD     3

static const char *dir;
static int sockets[SOCKETS_MOST], sockets_count, notify_fd, signals_fd;
static pid_t program = -1;
static bool stopping;

static _Noreturn void fail(const char *what)
{
	fprintf(stderr, "manager: %s: %s\n", what, strerror(errno));
	exit(99);
}

static FILE *file_in(const char *name, const char *mode)
{
	char path[4200];
	FILE *file;

	snprintf(path, sizeof(path), "%s/%s", dir, name);
	file = fopen(path, mode);
	if (!file)
		fail(path);
	return file;
}

static struct sockaddr_un unix_name(const char *path)
{
	struct sockaddr_un name = {.sun_family = AF_UNIX};

	snprintf(name.sun_path, sizeof(name.sun_path), "%s", path);
	return name;
}

static int bind_unix(const char *path, int type)
{
	const struct sockaddr_un name = unix_name(path);
	int fd = socket(AF_UNIX, type | SOCK_CLOEXEC, 0);

	unlink(path);
	if (fd < 0 || bind(fd, (const struct sockaddr *)&name, sizeof(name)) < 0)
		fail(path);
	return fd;
}

static int bind_inet(int family, const char *address, int type)
{
	union {
		struct sockaddr any;
		struct sockaddr_in in;
		struct sockaddr_in6 in6;
	} name = {.any = {.sa_family = (sa_family_t)family}};
	socklen_t len = family == AF_INET ? sizeof(name.in) : sizeof(name.in6);
	int fd = socket(family, type | SOCK_CLOEXEC, 0);
	FILE *ports = file_in("ports", "a");

	inet_pton(family, address,
		  family == AF_INET ? (void *)&name.in.sin_addr
				    : (void *)&name.in6.sin6_addr);
	if (fd < 0 || bind(fd, &name.any, len) < 0 ||
	    getsockname(fd, &name.any, &len) < 0)
		fail(address);
	fprintf(ports, "%u\n", ntohs(name.in.sin_port));
	fclose(ports);
	return fd;
}

/* The port is at the same place in both kinds of name. */
static int make_socket(const char *what)
{
	const char *of = strchr(what, ':');
	int fd;

	if (!of || sockets_count == SOCKETS_MOST)
		exit(98);
	of++;
	if (!strncmp(what, "bound:", 6))
		return bind_unix(of, SOCK_STREAM);
	if (!strncmp(what, "udp4:", 5))
		return bind_inet(AF_INET, of, SOCK_DGRAM);
	fd = !strncmp(what, "unix:", 5)	  ? bind_unix(of, SOCK_STREAM)
	     : !strncmp(what, "tcp4:", 5) ? bind_inet(AF_INET, of, SOCK_STREAM)
					  : bind_inet(AF_INET6, of, SOCK_STREAM);
	if (listen(fd, 4096) < 0)
		fail(what);
	return fd;
}

/* The program's own pid is what the variables are for. */
static void set_variables(void)
{
	const char *watchdog = getenv("MANAGER_WATCHDOG_US");
	char pid[32], count[32], path[4200];

	snprintf(pid, sizeof(pid), "%d", getpid());
	snprintf(count, sizeof(count), "%d", sockets_count);
	snprintf(path, sizeof(path), "%s/notify", dir);
	setenv("NOTIFY_SOCKET", path, 1);
	if (sockets_count) {
		setenv("LISTEN_PID", pid, 1);
		setenv("LISTEN_FDS", count, 1);
	}
	if (watchdog) {
		setenv("WATCHDOG_PID", pid, 1);
		setenv("WATCHDOG_USEC", watchdog, 1);
	}
}

static _Noreturn void become(char **argv)
{
	int high[SOCKETS_MOST];
	sigset_t none;

	for (int i = 0; i < sockets_count; i++)
		high[i] = fcntl(sockets[i], F_DUPFD_CLOEXEC, FIRST_FD + SOCKETS_MOST);
	for (int i = 0; i < sockets_count; i++)
		dup2(high[i], FIRST_FD + i);
	set_variables();
	sigemptyset(&none);
	sigprocmask(SIG_SETMASK, &none, NULL);
	prctl(PR_SET_PDEATHSIG, SIGKILL, 0, 0, 0);
	execv(argv[0], argv);
	_exit(97);
}

static void write_pid(void)
{
	FILE *file = file_in("pid", "w");

	if (program > 0)
		fprintf(file, "%d\n", program);
	fclose(file);
}

static void start(char **argv)
{
	program = fork();
	if (program == 0)
		become(argv);
	write_pid();
}

static void hear(void)
{
	char message[4096];
	ssize_t n;

	while ((n = recv(notify_fd, message, sizeof(message) - 1, MSG_DONTWAIT)) > 0) {
		FILE *told = file_in("told", "a");

		for (ssize_t i = 0; i < n; i++)
			if (message[i] == '\n')
				message[i] = '|';
		fprintf(told, "%.*s\n", (int)n, message);
		fclose(told);
	}
}

static bool is_once(void)
{
	char path[4200];

	snprintf(path, sizeof(path), "%s/once", dir);
	return access(path, F_OK) == 0;
}

static void reap(char **argv)
{
	int status;
	FILE *ends;

	if (waitpid(program, &status, WNOHANG) != program)
		return;
	program = -1;
	write_pid();
	hear();
	ends = file_in("ends", "a");
	fprintf(ends, "%d\n",
		WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status));
	fclose(ends);
	stopping = stopping || is_once();
	if (!stopping)
		start(argv);
}

static void on_signal(char **argv)
{
	struct signalfd_siginfo info;

	if (read(signals_fd, &info, sizeof(info)) != (ssize_t)sizeof(info))
		return;
	if (info.ssi_signo == SIGCHLD) {
		reap(argv);
		return;
	}
	stopping = stopping || info.ssi_signo == SIGTERM;
	if (program > 0)
		kill(program, SIGTERM);
}

static void watch_signals(void)
{
	sigset_t ours;

	sigemptyset(&ours);
	sigaddset(&ours, SIGCHLD);
	sigaddset(&ours, SIGTERM);
	sigaddset(&ours, SIGUSR1);
	sigprocmask(SIG_BLOCK, &ours, NULL);
	signals_fd = signalfd(-1, &ours, SFD_CLOEXEC);
}

int main(int argc, char **argv)
{
	char path[4200];
	int at = 2;

	if (argc < 4)
		return 98;
	dir = argv[1];
	prctl(PR_SET_PDEATHSIG, SIGKILL, 0, 0, 0);
	watch_signals();
	snprintf(path, sizeof(path), "%s/notify", dir);
	notify_fd = bind_unix(path, SOCK_DGRAM);
	fclose(file_in("told", "w"));
	fclose(file_in("ends", "w"));
	fclose(file_in("ports", "w"));
	for (; at < argc && strcmp(argv[at], "--") != 0; at++)
		sockets[sockets_count++] = make_socket(argv[at]);
	start(argv + at + 1);
	while (program > 0) {
		struct pollfd slots[] = {{.fd = notify_fd, .events = POLLIN},
					 {.fd = signals_fd, .events = POLLIN}};

		poll(slots, 2, -1);
		hear();
		if (slots[1].revents)
			on_signal(argv + at + 1);
	}
	return 0;
}
