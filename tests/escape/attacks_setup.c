/* SPDX-License-Identifier: MIT */
/*
 * A jail while it is being made. From outside: set-up is stopped at a system call, by a
 * filter that asks us first, and others try to get hold of the process that will be the
 * guest. From the file system: symbolic links are swapped in and out wherever set-up
 * might look, as in CVE-2019-18837, CVE-2021-30465 and CVE-2025-31133.
 */
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <linux/audit.h>
#include <linux/capability.h>
#include <linux/filter.h>
#include <linux/fs.h>
#include <linux/seccomp.h>
#include <poll.h>
#include <sched.h>
#include <signal.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/mount.h>
#include <sys/prctl.h>
#include <sys/ptrace.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/own.h"
#include "tests/escape/attacks.h"
#include "tests/escape/outside.h"

static const struct {
	long number;
	const char *name;
	bool undumpable; /* by then */
} steps[] = {
	{SYS_setresuid, "before it has its ids", false},
	{SYS_capset, "before its capabilities go", false},
	{SYS_prlimit64, "before its limits", true},
	{SYS_execveat, "before the program", true},
};

/* The steps ask; everything else goes on. */
static int install_questions(void)
{
	struct sock_filter code[2 * ARRAY_LEN(steps) + 2] = {
		BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr))};
	struct sock_fprog program = {.len = ARRAY_LEN(code), .filter = code};
	size_t at = 1;

	for (size_t i = 0; i < ARRAY_LEN(steps); i++) {
		code[at++] = (struct sock_filter)BPF_JUMP(
			BPF_JMP | BPF_JEQ | BPF_K, (unsigned)steps[i].number, 0, 1);
		code[at++] = (struct sock_filter)BPF_STMT(BPF_RET | BPF_K,
							  SECCOMP_RET_USER_NOTIF);
	}
	code[at] = (struct sock_filter)BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW);
	if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) < 0)
		return -1;
	return (int)syscall(SYS_seccomp, SECCOMP_SET_MODE_FILTER,
			    SECCOMP_FILTER_FLAG_NEW_LISTENER, &program);
}

static bool pass_fd(int to, int fd)
{
	union {
		struct cmsghdr head;
		char room[CMSG_SPACE(sizeof(int))];
	} control = {.head = {.cmsg_len = CMSG_LEN(sizeof(int)),
			      .cmsg_level = SOL_SOCKET,
			      .cmsg_type = SCM_RIGHTS}};
	struct iovec byte = {(char[1]){0}, 1};
	struct msghdr message = {.msg_iov = &byte,
				 .msg_iovlen = 1,
				 .msg_control = &control,
				 .msg_controllen = sizeof(control)};

	memcpy(CMSG_DATA(&control.head), &fd, sizeof(fd));
	return fd >= 0 && sendmsg(to, &message, 0) == 1;
}

static int take_fd(int from)
{
	union {
		struct cmsghdr head;
		char room[CMSG_SPACE(sizeof(int))];
	} control;
	struct iovec byte = {(char[1]){0}, 1};
	struct msghdr message = {.msg_iov = &byte,
				 .msg_iovlen = 1,
				 .msg_control = &control,
				 .msg_controllen = sizeof(control)};
	int fd = -1;

	if (recvmsg(from, &message, MSG_CMSG_CLOEXEC) == 1 && CMSG_FIRSTHDR(&message))
		memcpy(&fd, CMSG_DATA(CMSG_FIRSTHDR(&message)), sizeof(fd));
	return fd;
}

/* In a process of its own: makes one jail, and every step of that asks first. */
static pid_t start_supervisor(int *ret_questions)
{
	int pair[2];

	fflush(stdout);
	if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, pair) < 0)
		return -1;
	pid_t pid = fork();
	if (pid == 0) {
		struct jail_spec spec = inmate_spec("exit", "7");
		if (!pass_fd(pair[1], install_questions()))
			_exit(1);
		struct outcome outcome = run_spec(&spec);
		_exit(outcome.r == 0 && outcome.result.exit_code == 7 ? 0 : 1);
	}
	close(pair[1]);
	*ret_questions = take_fd(pair[0]);
	close(pair[0]);
	return pid;
}

/* A secret at the same place in the supervisor and in the jail's first process. */
static char secret[16] = "a secret";

/* Each way to another process's memory or descriptors; a bit for each that works. */
static int get_hold_of(pid_t pid)
{
	char path[64], to[16];
	struct iovec local = {to, sizeof(to)}, remote = {secret, sizeof(secret)};
	int won = 0;

	snprintf(path, sizeof(path), "/proc/%d/mem", (int)pid);
	won |= (open(path, O_RDONLY | O_CLOEXEC) >= 0) << 0;
	won |= (open(path, O_RDWR | O_CLOEXEC) >= 0) << 1;
	won |= (process_vm_readv(pid, &local, 1, &remote, 1, 0) > 0) << 2;
	int pidfd = (int)syscall(SYS_pidfd_open, pid, 0);
	won |= (syscall(SYS_pidfd_getfd, pidfd, 0, 0) >= 0) << 3;
	won |= (ptrace(PTRACE_SEIZE, pid, NULL, NULL) >= 0) << 4;
	return won;
}

/* Who tries it. */
enum attacker { CALLER, OTHER_NAMESPACE, LEASED_UID, NOBODY };

static bool become_attacker(enum attacker who, pid_t guest)
{
	char map[256] = "";
	unsigned inside, uid = 65534;

	if (who == CALLER)
		return true;
	if (who == OTHER_NAMESPACE)
		return unshare(CLONE_NEWUSER) == 0;
	if (who == LEASED_UID && (!proc_text(guest, "uid_map", map, sizeof(map)) ||
				  sscanf(map, "%u %u", &inside, &uid) != 2))
		return false;
	return syscall(SYS_setgroups, 0, NULL) == 0 && setresgid(uid, uid, uid) == 0 &&
	       setresuid(uid, uid, uid) == 0;
}

/* What the attacker won; 255 if it could not even begin. */
static int attack_as(enum attacker who, pid_t guest)
{
	int status = 255 << 8;
	pid_t pid = fork();

	if (pid == 0)
		_exit(become_attacker(who, guest) ? get_hold_of(guest) : 255);
	waitpid(pid, &status, 0);
	return WEXITSTATUS(status);
}

static bool may_trace(void)
{
	struct __user_cap_header_struct head = {_LINUX_CAPABILITY_VERSION_3, 0};
	struct __user_cap_data_struct data[2] = {{0}};

	return syscall(SYS_capget, &head, data) < 0 ||
	       data[0].effective & 1u << CAP_SYS_PTRACE;
}

static void try_as(enum attacker who, const char *name, const char *step, pid_t guest)
{
	int won = attack_as(who, guest);

	check(won == 0, "front end: a jail %s is closed to %s", step, name);
	if (won)
		note("won: %d", won);
}

/*
 * Root mode: a process of the very uid that the jail has leased, and any other. Rootless:
 * a process of the caller's uid in another user namespace, which is what a guest of
 * another jail is. The caller itself may trace what it has started until that becomes
 * undumpable; with a capability for it, always.
 */
static void try_to_get_hold(size_t step, pid_t guest)
{
	const char *name = steps[step].name;

	if (in_root_mode()) {
		try_as(LEASED_UID, "a process of its leased uid", name, guest);
		try_as(NOBODY, "any other", name, guest);
		return;
	}
	try_as(OTHER_NAMESPACE, "the same uid in another namespace", name, guest);
	if (steps[step].undumpable && !may_trace())
		try_as(CALLER, "processes of its caller", name, guest);
}

/* `seen` has a bit for each step, looked at when it first comes; what the program does
 * after the last is its own. */
static unsigned answer_question(int questions, pid_t supervisor, unsigned seen)
{
	const unsigned last = 1u << (ARRAY_LEN(steps) - 1);
	struct seccomp_notif question;

	memset(&question, 0, sizeof(question));
	if (ioctl(questions, SECCOMP_IOCTL_NOTIF_RECV, &question) < 0)
		return seen;
	for (size_t i = 0; i < ARRAY_LEN(steps); i++)
		if (!(seen & (last | 1u << i)) && question.data.nr == steps[i].number &&
		    (pid_t)question.pid != supervisor) {
			try_to_get_hold(i, (pid_t)question.pid);
			seen |= 1u << i;
		}
	struct seccomp_notif_resp answer = {.id = question.id,
					    .flags = SECCOMP_USER_NOTIF_FLAG_CONTINUE};
	ioctl(questions, SECCOMP_IOCTL_NOTIF_SEND, &answer);
	return seen;
}

void attack_setup_from_outside(void)
{
	int questions = -1, status = 1;
	pid_t supervisor = start_supervisor(&questions);
	struct pollfd asked = {.fd = questions, .events = POLLIN};
	unsigned seen = 0;

	while (questions >= 0 && poll(&asked, 1, 30000) > 0 && asked.revents & POLLIN)
		seen = answer_question(questions, supervisor, seen);
	close_fd(questions);
	waitpid(supervisor, &status, 0);
	check(seen == (1u << ARRAY_LEN(steps)) - 1,
	      "front end: set-up was looked at in each of %zu stages", ARRAY_LEN(steps));
	check(status == 0, "front end: and the jail then ran");
}

/* Names that set-ups of other sandboxes have tripped over, and those of ours. */
static const char *const tempting[] = {
	"proc",	  "dev",     "sys",  "tmp",  "root", "old_root", "oldroot", "put_old",
	".pivot", "newroot", "quod", "uids", "lock", "shm",	 "inmate"};
static const char *const places[] = {"/tmp/here", "/tmp", "/mnt", "/run/quod"};

static bool make_canaries(void)
{
	own_fd int file = -1;

	if (mount("t", "/tmp", "tmpfs", 0, NULL) < 0 ||
	    mount("t", "/mnt", "tmpfs", 0, NULL) < 0 ||
	    mount("t", "/run", "tmpfs", 0, NULL) < 0 || mkdir("/tmp/here", 0777) < 0 ||
	    mkdir("/run/quod", 0755) < 0 || mkdir("/mnt/canaries", 0777) < 0 ||
	    mkdir("/mnt/canaries/directory", 0777) < 0)
		return false;
	file = open("/mnt/canaries/file", O_CREAT | O_WRONLY | O_CLOEXEC, 0666);
	return file >= 0 && write(file, "untouched", 9) == 9 && chdir("/tmp/here") == 0;
}

/* Under the name a symbolic link, and beside it what else the name may be: a file for the
 * leases, else a directory. A link to a name that is not there yet is followed by whoever
 * creates what he opens. */
static void make_pair(size_t number, const char *path, const char *spare)
{
	static const char *const canaries[] = {"/mnt/canaries/directory/new",
					       "/mnt/canaries/directory",
					       "/mnt/canaries/file"};
	bool leases = strcmp(path, "/run/quod/uids") == 0;

	(void)!symlink(canaries[leases ? 0 : number % ARRAY_LEN(canaries)], path);
	if (leases)
		close_fd(open(spare, O_CREAT | O_WRONLY | O_CLOEXEC, 0600));
	else
		mkdir(spare, 0777);
}

static void swap_links(volatile long *rounds)
{
	for (;; ++*rounds)
		for (size_t n = 0; n < ARRAY_LEN(places) * ARRAY_LEN(tempting); n++) {
			char path[64], spare[80];
			snprintf(path, sizeof(path), "%s/%s",
				 places[n / ARRAY_LEN(tempting)],
				 tempting[n % ARRAY_LEN(tempting)]);
			snprintf(spare, sizeof(spare), "%s.spare", path);
			if (*rounds == 0)
				make_pair(n, path, spare);
			syscall(SYS_renameat2, AT_FDCWD, path, AT_FDCWD, spare,
				RENAME_EXCHANGE);
		}
}

static bool canaries_untouched(const struct stat *file, const struct stat *directory)
{
	char text[16] = "";
	struct stat now;
	own_fd int fd = open("/mnt/canaries/file", O_RDONLY | O_CLOEXEC);

	if (fd < 0 || read(fd, text, sizeof(text)) != 9 ||
	    strcmp(text, "untouched") != 0 || fstat(fd, &now) < 0 ||
	    now.st_ctim.tv_nsec != file->st_ctim.tv_nsec ||
	    now.st_mode != file->st_mode || now.st_nlink != file->st_nlink)
		return false;
	return stat("/mnt/canaries/directory", &now) == 0 &&
	       now.st_ctim.tv_nsec == directory->st_ctim.tv_nsec &&
	       now.st_mode == directory->st_mode && now.st_nlink == directory->st_nlink;
}

#define JAILS_AMONG_LINKS 30

/* In root mode the file of leases may be a link for a moment: that is no jail. */
static void run_among_links(const volatile long *rounds, bool root_mode)
{
	int ran = 0, refused = 0;
	long before = *rounds;

	while (ran < JAILS_AMONG_LINKS || *rounds < before + 10) {
		struct jail_spec spec = inmate_spec("exit", "0");
		struct outcome outcome = run_spec(&spec);
		ran += outcome.r == 0;
		refused += outcome.r == -ELOOP || outcome.r == -EISDIR;
		if (outcome.r < 0 && outcome.r != -ELOOP && outcome.r != -EISDIR) {
			check(false, "setup by symlink: %s", outcome.err.text);
			return;
		}
	}
	check(refused == 0 || root_mode,
	      "setup by symlink: jails run while links are swapped");
	note("%d ran, %d refused to follow a link; %ld swaps of all names", ran, refused,
	     *rounds - before);
}

static void among_swapped_links(void)
{
	struct stat file, directory;
	volatile long *rounds = mmap(NULL, sizeof(long), PROT_READ | PROT_WRITE,
				     MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	inmate_spec("exit", "0"); /* opens the inmate while its path can be reached */
	/* To know it a lease is tried, which a link in its place would refuse. */
	bool root_mode = in_root_mode();
	bool apart = unshare(CLONE_NEWNS) == 0
			     ? mount(NULL, "/", NULL, MS_REC | MS_PRIVATE, NULL) == 0
			     : become_namespace_root(CLONE_NEWNS);

	if (!check(apart && rounds != MAP_FAILED && make_canaries() &&
			   stat("/mnt/canaries/file", &file) == 0 &&
			   stat("/mnt/canaries/directory", &directory) == 0,
		   "setup by symlink: canaries, and links to them"))
		return;
	pid_t swapper = fork();
	if (swapper == 0)
		swap_links(rounds);
	while (*rounds == 0)
		sched_yield();
	run_among_links(rounds, root_mode);
	kill(swapper, SIGKILL);
	waitpid(swapper, NULL, 0);
	check(canaries_untouched(&file, &directory),
	      "setup by symlink: canaries untouched");
}

void attack_setup_by_symlink(void)
{
	check_apart("setup by symlink", among_swapped_links);
}
