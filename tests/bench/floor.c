/* SPDX-License-Identifier: MIT */
/*
 * floor [-c CGROUP] [-l MS CLIENTS | -w SOCKET] QUOD-JS ARENA <JOB: the least program
 * that does the kernel's part of `quod run`, and nothing else. It makes the same
 * namespaces, maps one id in the same way, puts the guest into the same empty root with no
 * capability, the same rlimits and the same filter, execs the same interpreter, feeds it
 * the job that stands on its own stdin, reads frames to the end and prints the value. No
 * lease, no cgroup, no checks of what comes back, no record: what `quod run` costs above
 * this is its own.
 *
 * With -l so many of it do that at once, again and again for so many milliseconds; how
 * many runs that were is printed. That is the floor of quodd under load.
 *
 * With -w it keeps jails in which the interpreter waits, and for each packet of the one
 * client on SOCKET gives the job to one of them, whatever was asked for, waits for its
 * death and says that the value is 2. That is the floor of a request to quodd.
 *
 * A measuring instrument: it explains nothing when it fails, it says the step and stops.
 */
#include <errno.h>
#include <fcntl.h>
#include <linux/capability.h>
#include <linux/close_range.h>
#include <linux/mount.h>
#include <linux/sched.h>
#include <linux/seccomp.h>
#include <linux/securebits.h>
#include <poll.h>
#include <sched.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "base/own.h"
#include "policy/filter_js.h"
#include "rootfs/protocol.h"

#define NAMESPACES                                                                  \
	(CLONE_NEWUSER | CLONE_NEWPID | CLONE_NEWNET | CLONE_NEWNS | CLONE_NEWIPC | \
	 CLONE_NEWUTS | CLONE_NEWCGROUP)
#define ROOT_ATTRIBUTES \
	(MOUNT_ATTR_RDONLY | MOUNT_ATTR_NOSUID | MOUNT_ATTR_NODEV | MOUNT_ATTR_NOEXEC)
#define ID_INSIDE    1000u
#define ID_OF_ROOT   2000000000u /* the host id that root gives away */
#define MEMORY_BYTES (64u << 20)
#define STACK_BYTES  (8u << 20)
#define CPU_SECONDS  6u
#define BUFFER_BYTES 65536u
#define DETACH	     2
#define WARM	     16

static _Noreturn void die(const char *step)
{
	perror(step);
	_exit(125);
}

static void must(long r, const char *step)
{
	if (r < 0)
		die(step);
}

struct floor {
	int exe, in[2], out[2], go[2];
	char **argv;
	int group, leaf; /* directories; -1 without -c */
	int pid;
	char leaf_name[32];
};

static void empty_root(void)
{
	int fs = (int)syscall(SYS_fsopen, "tmpfs", FSOPEN_CLOEXEC);

	must(fs, "fsopen");
	must(syscall(SYS_fsconfig, fs, FSCONFIG_SET_STRING, "mode", "0555", 0),
	     "fsconfig");
	must(syscall(SYS_fsconfig, fs, FSCONFIG_CMD_CREATE, NULL, NULL, 0), "fsconfig");
	int root = (int)syscall(SYS_fsmount, fs, FSMOUNT_CLOEXEC, ROOT_ATTRIBUTES);
	must(root, "fsmount");
	must(syscall(SYS_move_mount, root, "", AT_FDCWD, "/", MOVE_MOUNT_F_EMPTY_PATH),
	     "move_mount");
	must(fchdir(root), "fchdir");
	must(syscall(SYS_pivot_root, ".", "."), "pivot_root");
	must(syscall(SYS_umount2, ".", DETACH), "umount2");
	must(chdir("/"), "chdir");
}

static void drop_capabilities(void)
{
	struct __user_cap_header_struct head = {_LINUX_CAPABILITY_VERSION_3, 0};
	struct __user_cap_data_struct none[2] = {{0}};

	for (int cap = 0; prctl(PR_CAPBSET_DROP, cap, 0, 0, 0) == 0; cap++)
		;
	must(prctl(PR_CAP_AMBIENT, PR_CAP_AMBIENT_CLEAR_ALL, 0, 0, 0), "ambient");
	must(prctl(PR_SET_SECUREBITS,
		   SECBIT_NOROOT | SECBIT_NOROOT_LOCKED | SECBIT_NO_SETUID_FIXUP |
			   SECBIT_NO_SETUID_FIXUP_LOCKED,
		   0, 0, 0),
	     "securebits");
	must(syscall(SYS_capset, &head, none), "capset");
	must(prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0), "no_new_privs");
}

static void set_rlimits(void)
{
	static const struct {
		int resource;
		rlim_t value;
	} limits[] = {
		{RLIMIT_CORE, 1},	   {RLIMIT_FSIZE, 0},
		{RLIMIT_MEMLOCK, 0},	   {RLIMIT_MSGQUEUE, 0},
		{RLIMIT_NICE, 0},	   {RLIMIT_RTPRIO, 0},
		{RLIMIT_NOFILE, 0},	   {RLIMIT_STACK, STACK_BYTES},
		{RLIMIT_CPU, CPU_SECONDS}, {RLIMIT_DATA, MEMORY_BYTES},
	};

	for (size_t i = 0; i < ARRAY_LEN(limits); i++) {
		struct rlimit both = {limits[i].value, limits[i].value};
		must(prlimit(0, limits[i].resource, &both, NULL), "rlimit");
	}
}

static _Noreturn void child(const struct floor *floor)
{
	struct sock_fprog filter = {
		.len = ARRAY_LEN(filter_js),
		.filter = (struct sock_filter *)(uintptr_t)filter_js,
	};
	char *const environment[] = {NULL};
	char byte;

	close(floor->go[1]);
	must(dup2(floor->in[0], 0), "dup2");
	must(dup2(floor->out[1], 1), "dup2");
	must(syscall(SYS_close_range, 3, ~0u, CLOSE_RANGE_CLOEXEC), "close_range");
	empty_root();
	if (read(floor->go[0], &byte, 1) != 1)
		die("go");
	must(syscall(SYS_setresgid, ID_INSIDE, ID_INSIDE, ID_INSIDE), "setresgid");
	must(syscall(SYS_setresuid, ID_INSIDE, ID_INSIDE, ID_INSIDE), "setresuid");
	drop_capabilities();
	must(prctl(PR_SET_DUMPABLE, 0, 0, 0, 0), "dumpable");
	must(prctl(PR_SET_PDEATHSIG, SIGKILL, 0, 0, 0), "pdeathsig");
	set_rlimits();
	must(syscall(SYS_seccomp, SECCOMP_SET_MODE_FILTER, 0, &filter), "seccomp");
	syscall(SYS_execveat, floor->exe, "", floor->argv, environment, AT_EMPTY_PATH);
	die("execveat");
}

static void write_map(int pid, const char *name, const char *text)
{
	char path[64];

	snprintf(path, sizeof(path), "/proc/%d/%s", pid, name);
	own_fd int fd = open(path, O_WRONLY | O_CLOEXEC);
	must(fd, path);
	must(write(fd, text, strlen(text)), path);
}

static void map_ids(int pid)
{
	unsigned outside = geteuid() == 0 ? ID_OF_ROOT : geteuid();
	unsigned group = geteuid() == 0 ? ID_OF_ROOT : getegid();
	char map[64];

	write_map(pid, "setgroups", "deny");
	snprintf(map, sizeof(map), "%u %u 1", ID_INSIDE, group);
	write_map(pid, "gid_map", map);
	snprintf(map, sizeof(map), "%u %u 1", ID_INSIDE, outside);
	write_map(pid, "uid_map", map);
}

/* The job is small enough to lie in the pipe before the guest exists. */
static size_t read_job(char job[BUFFER_BYTES])
{
	size_t len = 0;
	ssize_t n;

	while (len < BUFFER_BYTES &&
	       (n = read(STDIN_FILENO, job + len, BUFFER_BYTES - len)) > 0)
		len += (size_t)n;
	return len;
}

static void print_value(const unsigned char *frame, size_t len)
{
	size_t json = get_u32le(frame + FRAME_HEADER_BYTES + 1);

	dprintf(STDOUT_FILENO, "%.*s\n", (int)(len - 5 - json),
		(const char *)frame + FRAME_HEADER_BYTES + 5 + json);
}

/* Frames up to END; the text of VALUE goes out as it comes. */
static void drain(int from, bool quiet)
{
	static unsigned char buffer[BUFFER_BYTES];
	size_t have = 0, at = 0;
	ssize_t n;

	while ((n = read(from, buffer + have, sizeof(buffer) - have)) > 0) {
		have += (size_t)n;
		while (have - at >= FRAME_HEADER_BYTES) {
			const unsigned char *frame = buffer + at;
			size_t len = get_u32le(frame + 1);
			if (have - at < FRAME_HEADER_BYTES + len)
				break;
			if (frame[0] == FRAME_VALUE && !quiet)
				print_value(frame, len);
			at += FRAME_HEADER_BYTES + len;
			if (frame[0] == FRAME_END)
				return;
		}
	}
}

static void leaf_make(struct floor *floor)
{
	static unsigned serial;

	snprintf(floor->leaf_name, sizeof(floor->leaf_name), "floor%d.%u", (int)getpid(),
		 serial++);
	must(mkdirat(floor->group, floor->leaf_name, 0755), "mkdir of the leaf");
	floor->leaf =
		openat(floor->group, floor->leaf_name, O_PATH | O_DIRECTORY | O_CLOEXEC);
	must(floor->leaf, "open the leaf");
}

/* Busy for a moment after the last process was reaped. */
static void leaf_remove(const struct floor *floor)
{
	while (unlinkat(floor->group, floor->leaf_name, AT_REMOVEDIR) < 0)
		if (errno != EBUSY)
			die("rmdir of the leaf");
}

static int clone_child(const struct floor *floor)
{
	int pidfd = -1;
	struct clone_args args = {
		.flags = NAMESPACES | CLONE_PIDFD | CLONE_CLEAR_SIGHAND,
		.pidfd = (uint64_t)(uintptr_t)&pidfd,
		.exit_signal = SIGCHLD,
	};

	if (floor->leaf >= 0) {
		args.flags |= CLONE_INTO_CGROUP;
		args.cgroup = (uint64_t)floor->leaf;
	}
	int pid = (int)syscall(SYS_clone3, &args, sizeof(args));
	must(pid, "clone3");
	if (pid == 0)
		child(floor);
	return pid;
}

static void start(struct floor *floor)
{
	if (floor->group >= 0)
		leaf_make(floor);
	must(pipe2(floor->in, O_CLOEXEC), "pipe");
	must(pipe2(floor->out, O_CLOEXEC), "pipe");
	must(pipe2(floor->go, O_CLOEXEC), "pipe");

	floor->pid = clone_child(floor);
	map_ids(floor->pid);
	must(write(floor->go[1], "g", 1), "go");
	close(floor->in[0]);
	close(floor->out[1]);
	close(floor->go[0]);
	close(floor->go[1]);
}

/* Its exit code. */
static int give(const struct floor *floor, const char *job, size_t job_len, bool quiet)
{
	int status;

	must(write(floor->in[1], job, job_len), "feed");
	close(floor->in[1]);
	drain(floor->out[0], quiet);
	must(waitpid(floor->pid, &status, 0), "waitpid");
	return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}

static void clean(const struct floor *floor)
{
	close(floor->out[0]);
	if (floor->leaf >= 0) {
		close(floor->leaf);
		leaf_remove(floor);
	}
}

/* One run; its exit code. */
static int run_once(struct floor *floor, const char *job, size_t job_len, bool quiet)
{
	int code;

	start(floor);
	code = give(floor, job, job_len, quiet);
	clean(floor);
	return code;
}

static int64_t now_ms(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (int64_t)t.tv_sec * 1000 + t.tv_nsec / 1000000;
}

/* The count goes into a pipe, whole. */
static _Noreturn void work(struct floor *floor, const char *job, size_t job_len,
			   int64_t end_ms, int tell)
{
	unsigned count = 0;

	for (; now_ms() < end_ms; count++)
		if (run_once(floor, job, job_len, true) != 0)
			die("a run");
	must(write(tell, &count, sizeof(count)), "tell");
	_exit(0);
}

static int run_many(struct floor *floor, const char *job, size_t job_len, int ms,
		    int clients)
{
	unsigned long total = 0;
	int64_t end_ms = now_ms() + ms;
	unsigned count;
	int ends[2];

	must(pipe2(ends, O_CLOEXEC), "pipe");
	for (int i = 0; i < clients; i++) {
		int pid = fork();
		must(pid, "fork");
		if (pid == 0)
			work(floor, job, job_len, end_ms, ends[1]);
	}
	close(ends[1]);
	while (read(ends[0], &count, sizeof(count)) == sizeof(count))
		total += count;
	while (wait(NULL) > 0)
		continue;
	printf("%lu\n", total);
	return 0;
}

/* The one client, once he is there. */
static int await_client(const char *path)
{
	struct sockaddr_un name = {.sun_family = AF_UNIX};
	int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);

	must(fd, "socket");
	snprintf(name.sun_path, sizeof(name.sun_path), "%s", path);
	must(bind(fd, (const struct sockaddr *)&name, sizeof(name)), path);
	must(listen(fd, 1), "listen");
	int client = accept4(fd, NULL, NULL, SOCK_CLOEXEC);
	must(client, "accept");
	close(fd);
	return client;
}

static void serve_client(struct floor warm[WARM], int client, const char *job,
			 size_t job_len)
{
	static const char reply[] = "HTTP/1.1 200 OK\r\nContent-Length: 25\r\n\r\n"
				    "{\"status\":\"ok\",\"value\":2,";
	static char request[BUFFER_BYTES];

	for (unsigned at = 0; recv(client, request, sizeof(request), 0) > 0;
	     at = (at + 1) % WARM) {
		if (give(&warm[at], job, job_len, true) != 0)
			die("a run");
		must(send(client, reply, sizeof(reply) - 1, MSG_NOSIGNAL), "reply");
		clean(&warm[at]);
		start(&warm[at]);
	}
}

/* Those that wait at the end read end of file. */
static int serve(const struct floor *means, const char *path, const char *job,
		 size_t job_len)
{
	struct floor warm[WARM];

	for (unsigned i = 0; i < WARM; i++) {
		warm[i] = *means;
		start(&warm[i]);
	}
	serve_client(warm, await_client(path), job, job_len);
	for (unsigned i = 0; i < WARM; i++) {
		close(warm[i].in[1]);
		must(waitpid(warm[i].pid, NULL, 0), "waitpid");
		clean(&warm[i]);
	}
	return 0;
}

int main(int argc, char **argv)
{
	struct floor floor = {.group = -1, .leaf = -1};
	static char job[BUFFER_BYTES], ahead[] = WORD_AHEAD;
	const char *path = NULL;
	int ms = 0, clients = 0;

	if (argc > 2 && strcmp(argv[1], "-c") == 0) {
		floor.group = open(argv[2], O_PATH | O_DIRECTORY | O_CLOEXEC);
		must(floor.group, argv[2]);
		argv += 2;
		argc -= 2;
	}
	if (argc > 3 && strcmp(argv[1], "-l") == 0) {
		ms = atoi(argv[2]);
		clients = atoi(argv[3]);
		argv += 3;
		argc -= 3;
	}
	if (argc > 2 && strcmp(argv[1], "-w") == 0) {
		path = argv[2];
		argv += 2;
		argc -= 2;
	}
	if (argc != 3)
		return 2;
	char *args[] = {argv[1], argv[2], path ? ahead : NULL, NULL};
	floor.argv = args;
	floor.exe = open(argv[1], O_PATH | O_CLOEXEC);
	must(floor.exe, argv[1]);
	size_t job_len = read_job(job);
	if (path)
		return serve(&floor, path, job, job_len);
	return clients ? run_many(&floor, job, job_len, ms, clients)
		       : run_once(&floor, job, job_len, false);
}
