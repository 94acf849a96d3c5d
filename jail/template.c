/* SPDX-License-Identifier: MIT */
/*
 * The owner's side of a template: a zygote (zygote.c) is asked for a jail's first process,
 * which is then the owner's child like any other. Each has one order at a time. What goes
 * wrong with a zygote costs no jail: that one is cloned without, and after a rest there is
 * another zygote.
 */
#include <errno.h>
#include <linux/sched.h>
#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/own.h"
#include "jail/internal.h"

/* Of a clone3(2). It takes milliseconds. */
#define ANSWER_WAIT_MS 2000

/* After a zygote that had to go, and after one that did not start, for which we waited:
 * none is started for so long. */
#define REST_MS	     1000
#define LONG_REST_MS 10000

/* At once. They sleep in clone3(2) too, so that more than there are processors are of use;
 * but for the first, each is started when it is needed. */
#define ZYGOTES 8

/* exe_name, the arguments, the order itself and two filters. */
#define PIECES_MOST 16

struct jail_template {
	pid_t owner;  /* a fork of his has no part in it */
	int owner_fd; /* a pidfd of his; owned */
	struct zygote_at zygotes[ZYGOTES];
	pid_t *born; /* one for each, in memory that the zygotes have too */
	/* Of the owner, for the range of ids that he asked for last; count 0: not yet. */
	uint32_t first, count;
	uid_t euid;
	bool root_mode;
	int64_t rest_end_ms; /* by now_ms() */
};

static int fail(struct jail_error *err, int errnum, const char *what)
{
	return jail_fail(err, JAIL_STAGE_CLONE, errnum, "a template of jails: %s", what);
}

/* A child of ours that we have not waited for: its number is nobody else's. */
static void kill_and_reap(pid_t pid)
{
	kill(pid, SIGKILL);
	while (waitpid(pid, NULL, __WALL) < 0 && errno == EINTR)
		continue;
}

/* With what it has cloned and not told of. */
static void stop(struct zygote_at *zygote)
{
	if (zygote->pid == 0)
		return;
	kill_and_reap(zygote->pid);
	zygote->pid = 0;
	zygote->socket = close_fd(zygote->socket);
	if (zygote->busy && *zygote->born)
		kill_and_reap(*zygote->born);
	zygote->busy = false;
	zygote->template->rest_end_ms = now_ms() + REST_MS;
}

static int clone_zygote(const struct zygote *zygote)
{
	struct clone_args args = {.flags = CLONE_CLEAR_SIGHAND, .exit_signal = SIGCHLD};
	sigset_t all, before;
	long pid;

	sigfillset(&all);
	sigprocmask(SIG_SETMASK, &all, &before);
	pid = syscall(SYS_clone3, &args, sizeof(args));
	if (pid == 0)
		zygote_main(zygote);
	sigprocmask(SIG_SETMASK, &before, NULL);
	return pid < 0 ? -errno : (int)pid;
}

void template_await(const struct zygote_at *zygote)
{
	struct pollfd slot = {.fd = zygote->socket, .events = POLLIN};
	int64_t end_ms = now_ms() + ANSWER_WAIT_MS, left;

	while ((left = end_ms - now_ms()) > 0)
		if (poll(&slot, 1, (int)left) >= 0 || errno != EINTR)
			break;
}

/* All of it, without waiting, or -ECHILD. */
static int hear(const struct zygote_at *zygote, void *words, size_t len)
{
	ssize_t n = recv(zygote->socket, words, len, MSG_DONTWAIT);

	return n == (ssize_t)len ? 0 : -ECHILD;
}

/* The first that it sends is how its start went. */
static int hear_start(const struct zygote_at *zygote, struct jail_error *err)
{
	struct jail_error told;

	template_await(zygote);
	if (hear(zygote, &told, sizeof(told)) < 0)
		return fail(err, ECHILD, "its process ended at the start");
	if (told.errnum && err)
		*err = told;
	return -told.errnum;
}

static int start(struct zygote_at *zygote, struct jail_error *err)
{
	own_fd int ours = -1, its = -1;
	int ends[2], r;

	if (socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, ends) < 0)
		return fail(err, errno, "socketpair");
	ours = ends[0];
	its = ends[1];
	r = clone_zygote(
		&(struct zygote){.socket = its, .owner = getpid(), .born = zygote->born});
	if (r < 0)
		return fail(err, -r, "clone3");
	zygote->pid = r;
	zygote->socket = TAKE_FD(ours);
	its = close_fd(its);
	r = hear_start(zygote, err);
	if (r < 0)
		stop(zygote);
	return r;
}

JAIL_API int jail_template_make(struct jail_template **ret_template,
				struct jail_error *err)
{
	struct jail_template *template = calloc(1, sizeof(*template));
	int r;

	if (!template)
		return fail(err, ENOMEM, "no memory");
	template->owner = getpid();
	template->owner_fd = -1;
	template->born = mmap(NULL, ZYGOTES * sizeof(*template->born),
			      PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	if (template->born == MAP_FAILED) {
		r = fail(err, errno, "mmap");
		free(template);
		return r;
	}
	/* What is swapped out might not be written to by one that is being killed. */
	(void)mlock(template->born, ZYGOTES * sizeof(*template->born));
	for (unsigned i = 0; i < ZYGOTES; i++)
		template->zygotes[i] = (struct zygote_at){
			.template = template, .socket = -1, .born = &template->born[i]};
	r = lifeline_open(3, &template->owner_fd, err);
	if (r == 0)
		r = start(&template->zygotes[0], err);
	if (r < 0)
		jail_template_free(template);
	else
		*ret_template = template;
	return r;
}

JAIL_API void jail_template_free(struct jail_template *template)
{
	if (!template)
		return;
	for (unsigned i = 0; template->owner == getpid() && i < ZYGOTES; i++)
		stop(&template->zygotes[i]);
	munmap(template->born, ZYGOTES * sizeof(*template->born));
	close_fd(template->owner_fd);
	free(template);
}

int template_lifeline(const struct jail_template *template)
{
	int fd = template->owner_fd;
	bool ours = template->owner == getpid() &&
		    syscall(SYS_pidfd_send_signal, fd, 0, NULL, 0) == 0;

	return ours ? fd : -1;
}

int template_root_mode(struct jail_template *template, uint32_t first, uint32_t count,
		       bool *ret_root, struct jail_error *err)
{
	uid_t euid = geteuid();

	if (template->first != first || template->count != count ||
	    template->euid != euid) {
		int r = idmap_root_mode(first, count, &template->root_mode, err);
		if (r < 0)
			return r;
		template->first = first;
		template->count = count;
		template->euid = euid;
	}
	*ret_root = template->root_mode;
	return 0;
}

static struct iovec piece(const void *from, size_t len)
{
	return (struct iovec){.iov_base = (void *)(uintptr_t)from, .iov_len = len};
}

static struct iovec filter_piece(const struct sock_fprog *filter)
{
	return piece(filter->filter, filter->len * sizeof(filter->filter[0]));
}

/* In the order in which the zygote takes them apart. Returns how many pieces there are;
 * more than fit: -E2BIG. */
static int cut(struct order *order, struct iovec pieces[PIECES_MOST])
{
	const struct child_plan *plan = &order->plan;
	size_t len;
	int n = 0;

	pieces[n++] = piece(order, sizeof(*order));
	pieces[n++] = filter_piece(&plan->first_filter);
	pieces[n++] = filter_piece(&plan->filter);
	pieces[n++] = piece(plan->exe_name, strlen(plan->exe_name) + 1);
	for (order->args = 0; plan->argv[order->args]; order->args++) {
		if (n == PIECES_MOST)
			return -E2BIG;
		len = strlen(plan->argv[order->args]) + 1;
		pieces[n++] = piece(plan->argv[order->args], len);
	}
	len = 0;
	for (int i = 0; i < n; i++)
		len += pieces[i].iov_len;
	return len > sizeof(*order) + ORDER_ROOM || order->args > ORDER_ARGS ? -E2BIG : n;
}

static int send_order(int socket, struct order *order)
{
	struct iovec pieces[PIECES_MOST];
	union order_fds fds;
	int pieces_len = cut(order, pieces);
	struct msghdr message = {.msg_iov = pieces,
				 .msg_iovlen = (size_t)pieces_len,
				 .msg_control = &fds,
				 .msg_controllen = CMSG_SPACE(sizeof(int) * ORDER_FDS)};
	struct cmsghdr *head = &fds.head;

	if (pieces_len < 0)
		return pieces_len;
	memset(&fds, 0, sizeof(fds));
	*head = (struct cmsghdr){.cmsg_level = SOL_SOCKET,
				 .cmsg_type = SCM_RIGHTS,
				 .cmsg_len = CMSG_LEN(sizeof(int) * ORDER_FDS)};
	for (unsigned i = 0; i < ORDER_FDS; i++)
		memcpy(CMSG_DATA(head) + i * sizeof(int), order_fd(order, i),
		       sizeof(int));
	return sendmsg(socket, &message, MSG_NOSIGNAL) < 0 ? -errno : 0;
}

/* One that lives and has nothing to do, or else, with `none`, a place for one. */
static struct zygote_at *find_idle(struct jail_template *template, bool none)
{
	for (unsigned i = 0; i < ZYGOTES; i++)
		if (!template->zygotes[i].busy && (template->zygotes[i].pid == 0) == none)
			return &template->zygotes[i];
	return NULL;
}

/* NULL: there can be none now. A host on which they do not live is not made to bear one
 * for each jail. */
static struct zygote_at *take_idle(struct jail_template *template)
{
	struct zygote_at *zygote;

	if (template->owner != getpid())
		return NULL;
	zygote = find_idle(template, false);
	if (zygote || now_ms() < template->rest_end_ms)
		return zygote;
	zygote = find_idle(template, true);
	if (!zygote || start(zygote, NULL) == 0)
		return zygote;
	template->rest_end_ms = now_ms() + LONG_REST_MS;
	return NULL;
}

struct zygote_at *template_ask(struct jail_template *template,
			       const struct child_plan *plan, int group)
{
	/* Without a group its place is taken by what there is in any case. */
	struct order order = {.plan = *plan,
			      .has_group = group >= 0,
			      .group = group >= 0 ? group : plan->exe_fd};
	struct zygote_at *zygote = take_idle(template);
	int r;

	if (!zygote)
		return NULL;
	*zygote->born = 0;
	r = send_order(zygote->socket, &order);
	zygote->busy = r == 0;
	if (r == -EPIPE || r == -ECONNRESET)
		stop(zygote);
	return r < 0 ? NULL : zygote;
}

int template_answer(struct zygote_at *zygote, int *ret_pidfd)
{
	int pid, errnum;

	if (hear(zygote, &pid, sizeof(pid)) < 0) {
		stop(zygote);
		return -ECHILD;
	}
	zygote->busy = false;
	if (pid < 0)
		return pid;
	/* Not waited for yet: the number is still its own. */
	*ret_pidfd = (int)syscall(SYS_pidfd_open, pid, 0);
	if (*ret_pidfd >= 0)
		return pid;
	errnum = errno;
	kill_and_reap(pid);
	return -errnum;
}
