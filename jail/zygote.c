/* SPDX-License-Identifier: MIT */
/*
 * The zygote: a process that does nothing but clone, for a supervisor that makes jail after
 * jail. What a jail costs is for a good part what it begins with, a copy of whoever clones
 * it, and the zygote has little to copy:
 *
 *	memory	 of the owner's libraries only ours, libc and the loader; and nobody writes
 *		 to what the copy shares, but for the zygote's few words
 *	mounts	 if it may, a mount namespace in which there is an empty root and nothing
 *		 else: no host to let go of, for which the kernel waits until no processor
 *		 looks at it any more, and no file system to make and to take down
 *	signals	 all of them as the kernel lays them out
 *
 * It clones with CLONE_PARENT: who waits for the jail, and with whom the jail dies, is the
 * owner. It hears nobody but him, has no descriptor of his but those that come with an
 * order, keeps none of them, and ends with him.
 */
#include <errno.h>
#include <fcntl.h>
#include <link.h>
#include <linux/sched.h>
#include <poll.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/auxv.h>
#include <sys/mman.h>
#include <sys/mount.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "base/own.h"
#include "jail/internal.h"

/* Our own module's. A program that is not dynamic has none. */
extern ElfW(Dyn) _DYNAMIC[] __attribute__((weak, visibility("hidden")));

/* All three are the socket: what each is used for. */
#define ORDERS	STDIN_FILENO
#define ANSWERS STDOUT_FILENO
#define START	STDERR_FILENO

#define MAPS_BYTES (256u * 1024u)

int *order_fd(struct order *order, unsigned which)
{
	struct child_plan *plan = &order->plan;
	int *const fds[ORDER_FDS] = {
		&plan->exe_fd,	     &plan->supervisor_fd, &plan->go_read,
		&plan->status_write, &plan->std_fd[0],	   &plan->std_fd[1],
		&plan->std_fd[2],    &order->group,
	};

	return fds[which];
}

/* Three descriptors, all of them the socket: a jail's own go below what comes later. */
static void keep_socket(int socket)
{
	for (int fd = 0; fd < 3; fd++)
		if (dup2(socket, fd) < 0)
			_exit(1);
	if (syscall(SYS_close_range, 3, ~0u, 0) < 0)
		_exit(1);
}

/* The guest goes first when the host itself runs out of memory. */
static int go_first(struct jail_error *err)
{
	own_fd int fd = open("/proc/self/oom_score_adj", O_WRONLY | O_CLOEXEC);

	return fd >= 0 && write(fd, "1000", 4) == 4
		       ? 0
		       : jail_fail(err, JAIL_STAGE_IDMAP, errno, "write oom_score_adj");
}

static void die_with(pid_t owner)
{
	if (prctl(PR_SET_PDEATHSIG, SIGKILL, 0, 0, 0) < 0 || getppid() != owner)
		_exit(1);
}

/* May what we call be somewhere else than in libc, or be looked for everywhere? */
static bool calls_others(void)
{
	bool now = false;

	for (const ElfW(Dyn) *entry = _DYNAMIC; entry && entry->d_tag != DT_NULL; entry++)
		now = now || entry->d_tag == DT_BIND_NOW ||
		      (entry->d_tag == DT_FLAGS && entry->d_un.d_val & DF_BIND_NOW) ||
		      (entry->d_tag == DT_FLAGS_1 && entry->d_un.d_val & DF_1_NOW);
	return QUOD_SANITIZED || !now || getenv("LD_PRELOAD") || getenv("LD_AUDIT") ||
	       access("/etc/ld.so.preload", F_OK) == 0;
}

/* The mappings of one file, which lie side by side. */
struct module {
	uintptr_t first, end;
	const char *file; /* device and inode, up to `file_len`; in the text */
	size_t file_len;
	bool code, kept;
};

/* What we call may be another's who has it under the same name. */
static bool is_needed(uintptr_t first, uintptr_t end)
{
#define AT(name) (uintptr_t)(name)
	const uintptr_t needed[] = {
		AT(zygote_main), AT(getauxval(AT_BASE)),
		AT(syscall),	 AT(close),
		AT(dup2),	 AT(open),
		AT(read),	 AT(write),
		AT(poll),	 AT(prctl),
		AT(prlimit),	 AT(getrlimit),
		AT(setsid),	 AT(setpgid),
		AT(chdir),	 AT(fchdir),
		AT(fcntl),	 AT(unshare),
		AT(mount),	 AT(sigprocmask),
		AT(sigemptyset), AT(getpriority),
		AT(setpriority), AT(recvmsg),
		AT(send),	 AT(sendmsg),
		AT(vsnprintf),	 AT(snprintf),
		AT(strerror),	 AT(memcpy),
		AT(memcmp),	 AT(munmap),
		AT(strtoul),	 AT(strchr),
		AT(strcspn),	 AT(memset),
		AT(strlen),	 AT(_exit),
	};
#undef AT

	for (size_t i = 0; i < ARRAY_LEN(needed); i++)
		if (needed[i] >= first && needed[i] < end)
			return true;
	return false;
}

static void drop_if_other(const struct module *module)
{
	if (module->code && !module->kept)
		munmap((void *)module->first, module->end - module->first);
}

/* One line of maps: "FIRST-END PERMISSIONS OFFSET DEVICE INODE  PATH". False: it is of no
 * file. */
static bool read_line(const char *line, struct module *ret)
{
	char *at;

	ret->first = strtoul(line, &at, 16);
	ret->end = strtoul(at + 1, &at, 16);
	ret->code = at[3] == 'x';
	ret->kept = is_needed(ret->first, ret->end);
	ret->file = strchr(at + 6, ' ') + 1;
	const char *inode = strchr(ret->file, ' ') + 1;
	ret->file_len = (size_t)(inode - ret->file) + strcspn(inode, " \n");
	return *inode != '0';
}

static bool is_same_file(const struct module *a, const struct module *b)
{
	return a->file_len == b->file_len && !memcmp(a->file, b->file, a->file_len);
}

static void drop_in(const char *maps)
{
	struct module module = {.file = "", .code = false}, next;

	for (const char *end; (end = strchr(maps, '\n')); maps = end + 1) {
		bool any = read_line(maps, &next);
		if (any && is_same_file(&module, &next)) {
			module.end = next.end;
			module.code = module.code || next.code;
			module.kept = module.kept || next.kept;
			continue;
		}
		drop_if_other(&module);
		module = next;
		module.code = module.code && any;
	}
	drop_if_other(&module);
}

/* What does not fit stays. */
static void drop_libraries(void)
{
	own_fd int fd = open("/proc/self/maps", O_RDONLY | O_CLOEXEC);
	char *maps = mmap(NULL, MAPS_BYTES, PROT_READ | PROT_WRITE,
			  MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	size_t len = 0;
	ssize_t n;

	if (fd < 0 || maps == MAP_FAILED)
		return;
	while (len < MAPS_BYTES - 1 &&
	       (n = read(fd, maps + len, MAPS_BYTES - 1 - len)) > 0)
		len += (size_t)n;
	drop_in(maps);
	munmap(maps, MAPS_BYTES);
}

/* Without a user namespace of its own this one's mounts still share their events with the
 * host: private before anything is put over "/". 1: we may not, or live in a chroot. */
static int make_root(struct jail_error *err)
{
	if (unshare(CLONE_NEWNS) < 0 ||
	    mount(NULL, "/", NULL, MS_REC | MS_PRIVATE, NULL) < 0)
		return 1;
	return root_make(err);
}

struct received {
	struct order order;
	char rest[ORDER_ROOM];
};

/* The owner wrote it: what is wrong with it is a fault of ours. */
static void take_apart(struct received *received, char *argv[ORDER_ARGS + 1])
{
	struct child_plan *plan = &received->order.plan;
	char *at = received->rest;

	plan->first_filter.filter = (struct sock_filter *)at;
	at += plan->first_filter.len * sizeof(struct sock_filter);
	plan->filter.filter = (struct sock_filter *)at;
	at += plan->filter.len * sizeof(struct sock_filter);
	plan->exe_name = at;
	for (unsigned i = 0; i < received->order.args; i++)
		argv[i] = at += strlen(at) + 1;
	argv[received->order.args] = NULL;
	plan->argv = argv;
	plan->go_write = -1;
	plan->of_zygote = true;
}

static void receive(struct received *received)
{
	struct iovec bytes = {received, sizeof(*received)};
	union order_fds fds;
	struct msghdr message = {.msg_iov = &bytes,
				 .msg_iovlen = 1,
				 .msg_control = &fds,
				 .msg_controllen = sizeof(fds)};
	ssize_t n;

	do
		n = recvmsg(ORDERS, &message, MSG_CMSG_CLOEXEC);
	while (n < 0 && errno == EINTR);
	struct cmsghdr *head = CMSG_FIRSTHDR(&message);
	if (n < (ssize_t)sizeof(received->order) || !head ||
	    head->cmsg_len != CMSG_LEN(sizeof(int) * ORDER_FDS))
		_exit(n == 0 ? 0 : 1);
	for (unsigned i = 0; i < ORDER_FDS; i++)
		memcpy(order_fd(&received->order, i), CMSG_DATA(head) + i * sizeof(int),
		       sizeof(int));
}

/* The child's number is in `born` before there is anything of the child: whatever becomes
 * of us, the owner knows whom to wait for. */
static int clone_one(struct order *order, pid_t *born)
{
	const struct clone_args args = {
		.flags = CLONE_PARENT | CLONE_PARENT_SETTID,
		.parent_tid = (uint64_t)(uintptr_t)born,
	};
	int pid = clone_jail(args, order->has_group ? order->group : -1);

	if (pid == 0)
		child_main(&order->plan);
	return pid;
}

static void tell(int on, const void *words, size_t len)
{
	if (send(on, words, len, MSG_NOSIGNAL) != (ssize_t)len)
		_exit(1);
}

_Noreturn void zygote_main(const struct zygote *zygote)
{
	static struct received received;
	char *argv[ORDER_ARGS + 1];
	struct jail_error err = {.errnum = 0};
	pid_t *born = zygote->born;
	bool rooted;
	int r;

	die_with(zygote->owner);
	*born = 0; /* what could not be written to would not be told */
	keep_socket(zygote->socket);
	setsid(); /* what is typed at the owner's terminal is for him */
	prctl(PR_SET_NAME, "jail-zygote", 0, 0, 0);
	if (!calls_others())
		drop_libraries();
	r = child_reset_dispositions(&err);
	if (r == 0)
		r = go_first(&err);
	if (r == 0)
		r = make_root(&err);
	rooted = r == 0;
	tell(START, &err, sizeof(err));
	if (r < 0)
		_exit(1);
	for (;;) {
		receive(&received);
		take_apart(&received, argv);
		received.order.plan.rooted = rooted;
		int pid = clone_one(&received.order, born);
		syscall(SYS_close_range, 3, ~0u, 0);
		tell(ANSWERS, &pid, sizeof(pid));
	}
}
