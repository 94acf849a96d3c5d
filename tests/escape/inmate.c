/* SPDX-License-Identifier: MIT */
/*
 * A static program that tries things inside a jail and says what came of each: one line
 * "name=value" a try. It is told by its argument what to try; see the table at the end.
 */
#include <arpa/inet.h>
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <linux/capability.h>
#include <net/if.h>
#include <sched.h>
#include <signal.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/ipc.h>
#include <sys/mman.h>
#include <sys/mount.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/shm.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <sys/syscall.h>
#include <sys/un.h>
#include <unistd.h>

#include "tests/escape/inmate.h"

static void try_root(const char *arg)
{
	struct statvfs fs = {.f_flag = 0};
	DIR *dir = opendir("/");
	long entries = 0;

	(void)arg;
	for (struct dirent *e; dir && (e = readdir(dir));)
		entries += strcmp(e->d_name, ".") != 0 && strcmp(e->d_name, "..") != 0;
	say_number("entries", dir ? entries : -1);
	say_result("statvfs", statvfs("/", &fs));
	say_number("readonly", (fs.f_flag & ST_RDONLY) != 0);
	say_number("nosuid", (fs.f_flag & ST_NOSUID) != 0);
	say_result("create", open("/x", O_CREAT | O_RDWR | O_CLOEXEC, 0600));
	say_result("mkdir", mkdir("/d", 0700));
	say_result("proc", open("/proc/self/exe", O_RDONLY | O_CLOEXEC));
	say_result("dev", open("/dev/null", O_RDONLY | O_CLOEXEC));
	say_result("up", open("../../../../etc/passwd", O_RDONLY | O_CLOEXEC));
	say_result("tty", open("/dev/tty", O_RDWR | O_CLOEXEC));
}

static void try_ids(const char *arg)
{
	gid_t groups[64];

	(void)arg;
	say_number("uid", getuid());
	say_number("gid", getgid());
	say_number("groups", getgroups(64, groups));
	say_number("pid", getpid());
	say_number("sid", getsid(0));
	say_number("dumpable", prctl(PR_GET_DUMPABLE, 0, 0, 0, 0));
	say_result("setuid", setuid(0) < 0 ? -1 : (long)-(getuid() != 0));
	say_result("setgroups", syscall(SYS_setgroups, 0, NULL));
}

static void try_caps(const char *arg)
{
	struct __user_cap_header_struct head = {_LINUX_CAPABILITY_VERSION_3, 0};
	struct __user_cap_data_struct data[2] = {{0}};
	long bounding = 0, ambient = 0;

	(void)arg;
	syscall(SYS_capget, &head, data);
	say_number("sets", data[0].effective | data[0].permitted | data[0].inheritable |
				   data[1].effective | data[1].permitted |
				   data[1].inheritable);
	for (int cap = 0; cap < 64; cap++) {
		bounding += prctl(PR_CAPBSET_READ, cap, 0, 0, 0) == 1;
		ambient += prctl(PR_CAP_AMBIENT, PR_CAP_AMBIENT_IS_SET, cap, 0, 0) == 1;
	}
	say_number("bounding", bounding);
	say_number("ambient", ambient);
	say_number("no_new_privs", prctl(PR_GET_NO_NEW_PRIVS, 0, 0, 0, 0));
	say_result("securebits", prctl(PR_SET_SECUREBITS, 0, 0, 0, 0));
	say_result("sethostname", sethostname("x", 1));
	say_result("mount", mount("t", "/", "tmpfs", 0, NULL));
	say_result("umount", umount2("/", MNT_DETACH));
	say_result("chroot", chroot("/"));
	say_result("unshare_net", unshare(CLONE_NEWNET));
	say_result("mknod", mknod("/n", S_IFCHR | 0600, 0x103));
}

static void try_fds(const char *arg)
{
	(void)arg;
	for (int fd = 0; fd < 256; fd++)
		if (fcntl(fd, F_GETFD) >= 0)
			say_number("fd", fd);
	say_number("tty0", isatty(0));
	for (int sig = 1; sig < 32; sig++) {
		struct sigaction action;
		if (sigaction(sig, NULL, &action) == 0 && action.sa_handler != SIG_DFL)
			say_number("not_default", sig);
	}
	sigset_t mask;
	sigprocmask(SIG_SETMASK, NULL, &mask);
	for (int sig = 1; sig < 32; sig++)
		if (sigismember(&mask, sig))
			say_number("blocked", sig);
}

static void say_limit(const char *name, int resource)
{
	struct rlimit limit;

	if (getrlimit(resource, &limit) == 0)
		say_number(name, (long)limit.rlim_max);
}

static void try_rlimits(const char *arg)
{
	(void)arg;
	say_limit("nofile", RLIMIT_NOFILE);
	say_limit("fsize", RLIMIT_FSIZE);
	say_limit("memlock", RLIMIT_MEMLOCK);
	say_limit("msgqueue", RLIMIT_MSGQUEUE);
	say_limit("core", RLIMIT_CORE);
	say_limit("cpu", RLIMIT_CPU);
	say_limit("stack", RLIMIT_STACK);
	say_limit("data", RLIMIT_DATA);
}

static void try_memory(const char *arg)
{
	long mib = strtol(arg, NULL, 10), got = 0;

	for (; got < mib; got++) {
		char *p = mmap(NULL, 1 << 20, PROT_READ | PROT_WRITE,
			       MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
		if (p == MAP_FAILED) {
			say_result("stopped", -1);
			break;
		}
		memset(p, 1, 1 << 20);
	}
	say_number("mib", got);
}

static void say_interface(int fd, const char *name)
{
	struct ifreq request = {.ifr_flags = 0};

	strcpy(request.ifr_name, name);
	if (ioctl(fd, SIOCGIFFLAGS, &request) == 0)
		say_number("lo_up", (request.ifr_flags & IFF_UP) != 0);
}

/* arg: name of an abstract socket that the host listens on. */
static void try_network(const char *arg)
{
	struct sockaddr_in loopback = {.sin_family = AF_INET,
				       .sin_port = htons(9),
				       .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
	struct sockaddr_in metadata = {.sin_family = AF_INET,
				       .sin_port = htons(80),
				       .sin_addr.s_addr = htonl(0xa9fea9fe)};
	struct sockaddr_un abstract = {.sun_family = AF_UNIX};
	int fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
	int local = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);

	say_result("socket", fd);
	struct if_nameindex *all = if_nameindex();
	long count = 0;
	for (struct if_nameindex *i = all; i && i->if_index; i++)
		count++;
	say_number("interfaces", count);
	say_interface(fd, "lo");
	say_result("loopback",
		   connect(fd, (struct sockaddr *)&loopback, sizeof(loopback)));
	say_result("metadata",
		   connect(fd, (struct sockaddr *)&metadata, sizeof(metadata)));
	strcpy(abstract.sun_path + 1, arg);
	say_result("abstract",
		   connect(local, (struct sockaddr *)&abstract,
			   (socklen_t)(offsetof(struct sockaddr_un, sun_path) + 1 +
				       strlen(arg))));
}

static void try_ipc(const char *arg)
{
	say_result("shm", shmget((key_t)strtol(arg, NULL, 10), 1, 0));
}

static void try_environment(const char *arg)
{
	extern char **environ;

	say("arg", arg);
	say_number("environment", environ && environ[0] != NULL);
	char cwd[64] = "";
	say("cwd", getcwd(cwd, sizeof(cwd)) ? cwd : "?");
}

/* A tree of processes, each in a session of its own and deaf to signals, all holding
 * our standard output open. */
static void try_tree(const char *arg)
{
	long count = strtol(arg, NULL, 10);

	for (long i = 0; i < count; i++)
		if (fork() == 0) {
			setsid();
			for (int sig = 1; sig < 32; sig++)
				signal(sig, SIG_IGN);
			for (;;)
				pause();
		}
	say("ready", "1");
	for (;;)
		pause();
}

static void try_fork(const char *arg)
{
	(void)arg;
	say_result("fork", fork());
	say_result("clone3", syscall(SYS_clone3, NULL, 0));
}

static void try_spin(const char *arg)
{
	(void)arg;
	say("ready", "1");
	for (;;)
		continue;
}

static void try_pause(const char *arg)
{
	(void)arg;
	say("ready", "1");
	for (;;)
		pause();
}

static void try_abort(const char *arg)
{
	(void)arg;
	abort();
}

static void try_exit(const char *arg)
{
	_exit((int)strtol(arg, NULL, 10));
}

/* Floods standard output until it is killed. */
static void try_flood(const char *arg)
{
	static const char block[65536];

	(void)arg;
	for (;;)
		if (write(1, block, sizeof(block)) < 0)
			_exit(1);
}

/* arg: NUMBER or NUMBER:ARG2 (hexadecimal): one native system call. */
static void try_syscall(const char *arg)
{
	char *end;
	long number = strtol(arg, &end, 0);
	unsigned long second = *end == ':' ? strtoul(end + 1, NULL, 16) : 0;

	say("trying", arg);
	say_result("syscall", syscall(number, 0, second, 0, 0, 0, 0));
}

/* arg: as above; by a program that wants to hear nothing of it. */
static void try_deaf(const char *arg)
{
	sigset_t all;

	sigfillset(&all);
	signal(SIGSYS, SIG_IGN);
	sigprocmask(SIG_BLOCK, &all, NULL);
	try_syscall(arg);
}

/* arg: a descriptor. */
static void try_sendmsg(const char *arg)
{
	struct msghdr message = {.msg_iovlen = 0};

	say("trying", arg);
	say_result("sendmsg", syscall(SYS_sendmsg, strtol(arg, NULL, 0), &message, 0));
}

static void try_more_files(const char *arg)
{
	struct rlimit limit = {.rlim_cur = 1024, .rlim_max = 1024};

	(void)arg;
	say_result("more_files", prlimit(0, RLIMIT_NOFILE, &limit, NULL));
	say_limit("nofile", RLIMIT_NOFILE);
}

#ifdef __x86_64__
static void try_int80(const char *arg)
{
	long r = strtol(arg, NULL, 0);

	say("trying", arg);
	__asm__ volatile("int $0x80" : "+a"(r) : "b"(0), "c"(0), "d"(0) : "memory");
	say_number("int80", r);
}
#endif

static const struct try_fn tries[] = {
	{"root", try_root},
	{"ids", try_ids},
	{"caps", try_caps},
	{"fds", try_fds},
	{"rlimits", try_rlimits},
	{"memory", try_memory},
	{"network", try_network},
	{"ipc", try_ipc},
	{"environment", try_environment},
	{"tree", try_tree},
	{"fork", try_fork},
	{"spin", try_spin},
	{"pause", try_pause},
	{"abort", try_abort},
	{"exit", try_exit},
	{"flood", try_flood},
	{"syscall", try_syscall},
	{"deaf", try_deaf},
	{"sendmsg", try_sendmsg},
	{"more_files", try_more_files},
#ifdef __x86_64__
	{"int80", try_int80},
#endif
	{NULL, NULL},
};

static bool run_try(const struct try_fn *row, const char *name, const char *arg)
{
	while (row->name && strcmp(row->name, name) != 0)
		row++;
	if (row->name)
		row->run(arg);
	return row->name;
}

/* What it is about to do is said first: the filter may leave no time afterwards. */
static bool run_attempt(const struct attempt *attempt, const char *name, const char *arg)
{
	while (attempt->name && strcmp(attempt->name, name) != 0)
		attempt++;
	if (!attempt->name)
		return false;
	say("trying", name);
	long r = attempt->run(arg);
	say_result(name, r);
	return true;
}

int main(int argc, char **argv)
{
	const char *name = argc >= 2 ? argv[1] : "", *arg = argc >= 3 ? argv[2] : "";
	bool known = run_try(tries, name, arg) || run_try(channel_tries, name, arg) ||
		     run_try(count_tries, name, arg) || run_try(flood_tries, name, arg) ||
		     run_attempt(host_attempts, name, arg) ||
		     run_attempt(network_attempts, name, arg) ||
		     run_attempt(pipe_attempts, name, arg) ||
		     run_attempt(privilege_attempts, name, arg) ||
		     run_attempt(surface_attempts, name, arg);

	return known ? 0 : 98;
}
