/* SPDX-License-Identifier: MIT */
/*
 * The supervisor's side of set-up. The child's steps are in child.c; both sides meet at
 * the go pipe:
 *
 *	S1 check the spec
 *	S2 lease a uid (root mode)
 *	S3 make the cgroup leaf, so that the child is born in it
 *	S4 pipes, and the plan that the child will follow
 *	S5 clone3 with every namespace	->	C1 .. C4	(or a zygote does it, see zygote.c)
 *	S6 map the ids, say go		->	C5 .. C9
 *	S7 open what is needed to watch and kill, while the child goes on
 *
 * Nothing waits for the child: its failure is read by jail_wait().
 */
#include <errno.h>
#include <fcntl.h>
#include <linux/sched.h>
#include <poll.h>
#include <sched.h>
#include <signal.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "base/own.h"
#include "jail/internal.h"

/* Linux 6.11. */
#ifndef PIDFD_GET_MNT_NAMESPACE
#define PIDFD_GET_MNT_NAMESPACE _IO(0xFF, 3)
#endif

/* A bound on the death of a child that was killed. */
#define DYING_WAIT_MS 1000

enum { IN, OUT, ERR, GO, STATUS, NOTIFY, PIPES };
enum { READ, WRITE }; /* of a socket pair: ours, the child's */

struct pipes {
	int fd[PIPES][2];
};

static void pipes_close(struct pipes *pipes)
{
	for (int i = 0; i < PIPES; i++)
		for (int end = READ; end <= WRITE; end++)
			pipes->fd[i][end] = close_fd(pipes->fd[i][end]);
}

/* The child puts descriptors of its own below this, before it looks at the plan's. */
static int first_free(const struct jail_spec *spec)
{
	return spec->notify_filter.len ? spec->notify_fd + 1 : 3;
}

static int move_up(int *fd, int least)
{
	if (*fd >= least)
		return 0;
	int moved = fcntl(*fd, F_DUPFD_CLOEXEC, least);
	if (moved < 0)
		return -errno;
	close(*fd);
	*fd = moved;
	return 0;
}

static int pipe_make(int which, int least, int fd[2])
{
	int r = which == NOTIFY ? socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, fd)
				: pipe2(fd, O_CLOEXEC);

	r = r < 0 ? -errno : 0;
	if (r == 0)
		r = move_up(&fd[READ], least);
	if (r == 0)
		r = move_up(&fd[WRITE], least);
	return r;
}

static int pipes_make(const struct jail_spec *spec, struct pipes *pipes,
		      struct jail_error *err)
{
	int count = spec->notify_filter.len ? PIPES : NOTIFY;

	for (int i = 0; i < count; i++) {
		int r = pipe_make(i, first_free(spec), pipes->fd[i]);
		if (r < 0)
			return jail_fail(err, JAIL_STAGE_PIPES, -r, "make a %s",
					 i == NOTIFY ? "socket pair" : "pipe");
	}
	/* Ours alone: the guest's ends block. */
	if (fcntl(pipes->fd[IN][WRITE], F_SETFL, O_NONBLOCK) < 0 ||
	    fcntl(pipes->fd[OUT][READ], F_SETFL, O_NONBLOCK) < 0 ||
	    fcntl(pipes->fd[ERR][READ], F_SETFL, O_NONBLOCK) < 0 ||
	    fcntl(pipes->fd[STATUS][READ], F_SETFL, O_NONBLOCK) < 0)
		return jail_fail(err, JAIL_STAGE_PIPES, errno,
				 "make a pipe non-blocking");
	return 0;
}

/* S2. Root mode gives the jail ids of its own; otherwise it has the caller's. */
static int choose_ids(const struct jail_spec *spec, struct jail *jail, struct idmap *map,
		      struct jail_error *err)
{
	uint32_t first = spec->uid_count ? spec->uid_first : QUOD_UID_FIRST;
	uint32_t count = spec->uid_count ? spec->uid_count : QUOD_UID_COUNT;

	map->inside = spec->uid_inside;
	int r = spec->template ? template_root_mode(spec->template, first, count,
						    &map->root_mode, err)
			       : idmap_root_mode(first, count, &map->root_mode, err);
	if (r < 0)
		return r;
	if (!map->root_mode) {
		map->uid_outside = geteuid();
		map->gid_outside = getegid();
		return 0;
	}
	r = lease_take(first, count, &jail->lease, err);
	map->uid_outside = map->gid_outside = jail->lease.uid;
	return r;
}

/* What no cgroup limits, though it was asked for; NULL: nothing. */
static const char *unheld(const struct jail_limits *limits, const struct leaf *leaf)
{
	if (limits->memory_bytes && !leaf->memory)
		return "memory";
	if (limits->processes && !leaf->pids)
		return "processes";
	return limits->cpu_percent && !leaf->cpu ? "the share of the CPU" : NULL;
}

/* S3. */
static int make_leaf(const struct jail_spec *spec, struct jail *jail,
		     struct jail_error *err)
{
	if (spec->cgroup_fd >= 0) {
		int r = leaf_make(spec->cgroup_fd, spec->id, &spec->limits, &jail->leaf,
				  err);
		if (r < 0)
			return r;
	}
	const char *missing = unheld(&spec->limits, &jail->leaf);
	if ((spec->flags & JAIL_NEED_CGROUP) && missing)
		return jail_fail(err, JAIL_STAGE_CGROUP, EOPNOTSUPP,
				 "a cgroup is required, but none here limits %s",
				 missing);
	jail->by_memory = jail->leaf.memory	      ? JAIL_BY_CGROUP
			  : spec->limits.memory_bytes ? JAIL_BY_RLIMIT
						      : JAIL_BY_NOTHING;
	jail->by_cpu = jail->leaf.cpu ? JAIL_BY_CGROUP : JAIL_BY_NOTHING;
	jail->by_processes = jail->leaf.pids			 ? JAIL_BY_CGROUP
			     : spec->flags & JAIL_FILTER_NO_FORK ? JAIL_BY_FILTER
			     : spec->limits.processes		 ? JAIL_BY_RLIMIT
								 : JAIL_BY_NOTHING;
	return 0;
}

int clone_jail(struct clone_args args, int group)
{
	args.flags |= CLONE_NEWUSER | CLONE_NEWPID | CLONE_NEWNET | CLONE_NEWNS |
		      CLONE_NEWIPC | CLONE_NEWUTS | CLONE_NEWCGROUP | CLONE_CLEAR_SIGHAND;
	if (group >= 0) {
		args.flags |= CLONE_INTO_CGROUP;
		args.cgroup = (uint64_t)group;
	}
	long pid = syscall(SYS_clone3, &args, sizeof(args));

	return pid < 0 ? -errno : (int)pid;
}

static int fail_clone(const struct jail *jail, int errnum, struct jail_error *err)
{
	char why[256];

	jail_explain_clone(errnum, jail->leaf.dir_fd >= 0, why, sizeof(why));
	return jail_fail(err, JAIL_STAGE_CLONE, errnum,
			 "make the namespaces of a jail%s%s", *why ? ": " : "", why);
}

static void plan_fds(struct child_plan *plan, const struct pipes *pipes)
{
	plan->std_fd[0] = pipes->fd[IN][READ];
	plan->std_fd[1] = pipes->fd[OUT][WRITE];
	plan->std_fd[2] = pipes->fd[ERR][WRITE];
	plan->go_read = pipes->fd[GO][READ];
	plan->go_write = pipes->fd[GO][WRITE];
	plan->status_write = pipes->fd[STATUS][WRITE];
	plan->notify_socket = pipes->fd[NOTIFY][WRITE];
}

/* The exe must survive the child's dup2: borrowed fds may lie where that puts others. */
static int plan_exe(const struct jail_spec *spec, struct child_plan *plan, int *ret_own,
		    struct jail_error *err)
{
	plan->exe_fd = spec->exe_fd;
	if (spec->exe_fd >= first_free(spec))
		return 0;
	*ret_own = fcntl(spec->exe_fd, F_DUPFD_CLOEXEC, first_free(spec));
	if (*ret_own < 0)
		return jail_fail(err, JAIL_STAGE_PIPES, errno,
				 "keep the program's descriptor");
	plan->exe_fd = *ret_own;
	return 0;
}

int lifeline_open(int least, int *ret_fd, struct jail_error *err)
{
	own_fd int fd = (int)syscall(SYS_pidfd_open, getpid(), 0);

	if (fd < 0 || move_up(&fd, least) < 0)
		return jail_fail(err, JAIL_STAGE_LIFELINE, errno,
				 "pidfd of the supervisor");
	/* Nothing is started that could not be killed. */
	if (syscall(SYS_pidfd_send_signal, fd, 0, NULL, 0) < 0)
		return jail_fail(err, JAIL_STAGE_LIFELINE, errno,
				 "signal through a pidfd");
	*ret_fd = TAKE_FD(fd);
	return 0;
}

/* A template, which no jail with a notify_filter has, keeps one for all its jails. */
static int plan_lifeline(const struct jail_spec *spec, struct child_plan *plan,
			 int *ret_own, struct jail_error *err)
{
	int r;

	plan->supervisor_fd = spec->template ? template_lifeline(spec->template) : -1;
	if (plan->supervisor_fd >= 0)
		return 0;
	r = lifeline_open(first_free(spec), ret_own, err);
	plan->supervisor_fd = *ret_own;
	return r;
}

static void take_our_ends(struct jail *jail, struct pipes *pipes)
{
	jail->fd[JAIL_FD_IN] = TAKE_FD(pipes->fd[IN][WRITE]);
	jail->fd[JAIL_FD_OUT] = TAKE_FD(pipes->fd[OUT][READ]);
	jail->fd[JAIL_FD_ERR] = TAKE_FD(pipes->fd[ERR][READ]);
	jail->fd[JAIL_FD_NOTIFY] = TAKE_FD(pipes->fd[NOTIFY][READ]);
	jail->go_write = TAKE_FD(pipes->fd[GO][WRITE]);
	jail->go_read = TAKE_FD(pipes->fd[GO][READ]);
	jail->status_read = TAKE_FD(pipes->fd[STATUS][READ]);
}

/* Every signal is blocked, so that no handler of the caller's runs in the child before its
 * dispositions are reset. */
static int clone_ourselves(struct jail *jail, const struct child_plan *plan,
			   struct jail_error *err)
{
	const struct clone_args args = {
		.flags = CLONE_PIDFD,
		.pidfd = (uint64_t)(uintptr_t)&jail->fd[JAIL_FD_PIDFD],
		.exit_signal = SIGCHLD,
	};
	sigset_t all, before;

	sigfillset(&all);
	sigprocmask(SIG_SETMASK, &all, &before);
	int pid = clone_jail(args, jail->leaf.dir_fd); /* S5 */
	if (pid == 0)
		child_main(plan);
	sigprocmask(SIG_SETMASK, &before, NULL);
	if (pid < 0)
		return fail_clone(jail, -pid, err);
	jail->pid = (pid_t)pid;
	return 0;
}

/* S6 and S7. */
static int let_go(struct jail *jail, bool of_zygote, struct jail_error *err)
{
	int r = idmap_write(&jail->map, jail->pid, !of_zygote, err);

	if (r < 0)
		return r;
	if (write(jail->go_write, "g", 1) < 0 && errno != EPIPE)
		return jail_fail(err, JAIL_STAGE_GO, errno, "let the child go on");
	jail->go_read = close_fd(jail->go_read);
	cpu_open(jail, &jail->limits);
	r = leaf_open_knobs(&jail->leaf, err);
	if (r == 0 && jail->hold_mounts)
		jail->mounts_fd =
			ioctl(jail->fd[JAIL_FD_PIDFD], PIDFD_GET_MNT_NAMESPACE, 0);
	return r;
}

/* Before it can be seen dead, a child that dies belongs to root in /proc: EACCES. */
static bool has_died(const struct jail *jail, int r)
{
	struct pollfd slot = {.fd = jail->fd[JAIL_FD_PIDFD], .events = POLLIN};

	return poll(&slot, 1, r == -EACCES ? DYING_WAIT_MS : 0) > 0;
}

/* A child that failed by itself, or was killed, makes our own next step fail too: that
 * goes first. */
static int failed_after_clone(struct jail *jail, int r, struct jail_error *err)
{
	struct jail_error report;
	bool dead = has_died(jail, r);

	jail_end(jail);
	int said = jail_last_report(jail, &report);
	if (said == 0 && dead)
		return jail_killed_early(err);
	if (said <= 0 || report.stage == JAIL_STAGE_RUN)
		return r;
	if (err)
		*err = report;
	return -report.errnum;
}

static int prepare_and_launch(const struct jail_spec *spec, struct jail *jail,
			      struct pipes *pipes, struct child_plan *plan,
			      struct jail_error *err)
{
	char *const name_only[] = {(char *)(uintptr_t)spec->exe_name, NULL};
	own_fd int own_exe = -1, own_lifeline = -1;
	int r = choose_ids(spec, jail, &jail->map, err); /* S2 */

	if (r == 0)
		r = make_leaf(spec, jail, err); /* S3 */
	if (r == 0)
		r = pipes_make(spec, pipes, err); /* S4 */
	if (r == 0)
		r = plan_exe(spec, plan, &own_exe, err);
	if (r < 0)
		return r;
	r = plan_lifeline(spec, plan, &own_lifeline, err);
	if (r < 0)
		return r;
	plan_fds(plan, pipes);
	plan->exe_name = spec->exe_name;
	plan->argv = spec->argv ? spec->argv : name_only;
	plan->limits = spec->limits;
	plan->rlimit_data = jail->by_memory == JAIL_BY_RLIMIT;
	plan->rlimit_tasks = jail->by_processes == JAIL_BY_RLIMIT;
	plan->first_filter = spec->first_filter;
	plan->filter = spec->filter;
	plan->notify_filter = spec->notify_filter;
	plan->notify_fd = spec->notify_fd;
	plan->loopback = spec->flags & JAIL_LOOPBACK_UP;
	plan->map = jail->map;
	jail->limits = spec->limits;
	jail->hold_mounts = spec->flags & JAIL_HOLD_MOUNTS;
	jail->zygote = spec->template
			       ? template_ask(spec->template, plan, jail->leaf.dir_fd)
			       : NULL; /* S5 */
	if (!jail->zygote)
		r = clone_ourselves(jail, plan, err);
	if (r == 0)
		take_our_ends(jail, pipes);
	return r;
}

static struct jail *new_jail(void)
{
	struct jail *jail = calloc(1, sizeof(*jail));

	if (!jail)
		return NULL;
	memset(jail->fd, -1, sizeof(jail->fd));
	jail->go_write = jail->go_read = jail->status_read = -1;
	jail->lease.fd = jail->stat_fd = jail->mounts_fd = -1;
	leaf_init(&jail->leaf);
	return jail;
}

JAIL_API int jail_begin(const struct jail_spec *spec, struct jail **ret_jail,
			struct jail_error *err)
{
	struct pipes pipes;
	struct child_plan plan = {.exe_fd = -1};
	int r = spec_check(spec, err); /* S1 */

	memset(&pipes, -1, sizeof(pipes));
	if (r < 0)
		return r;
	struct jail *jail = new_jail();
	if (!jail)
		return jail_fail(err, JAIL_STAGE_SPEC, ENOMEM, "make a jail");
	r = prepare_and_launch(spec, jail, &pipes, &plan, err);
	pipes_close(&pipes);
	if (r == 0 && !jail->zygote)
		r = let_go(jail, false, err);
	if (r < 0 && jail->pid > 0)
		r = failed_after_clone(jail, r, err);
	if (r < 0)
		jail_free(jail);
	else
		*ret_jail = jail;
	return r;
}

JAIL_API int jail_pending_fd(const struct jail *jail)
{
	return jail->zygote ? jail->zygote->socket : -1;
}

JAIL_API int jail_finish(struct jail *jail, struct jail_error *err)
{
	int r;

	if (!jail->zygote)
		return jail_fail(err, JAIL_STAGE_SPEC, EINVAL, "the jail is not pending");
	r = template_answer(TAKE_PTR(jail->zygote), &jail->fd[JAIL_FD_PIDFD]);
	if (r < 0)
		return fail_clone(jail, -r, err);
	jail->pid = (pid_t)r;
	r = let_go(jail, true, err);
	return r < 0 ? failed_after_clone(jail, r, err) : 0;
}

/* What goes wrong with a zygote costs no jail. */
static int start_without(const struct jail_spec *spec, struct jail **ret_jail,
			 struct jail_error *err)
{
	struct jail_spec plain = *spec;

	plain.template = NULL;
	return jail_begin(&plain, ret_jail, err);
}

JAIL_API int jail_start(const struct jail_spec *spec, struct jail **ret_jail,
			struct jail_error *err)
{
	struct jail_error without;
	struct jail *jail;
	int r = jail_begin(spec, &jail, err);

	if (r < 0)
		return r;
	if (jail->zygote) {
		template_await(jail->zygote);
		if (jail_finish(jail, &without) < 0) {
			jail_free(jail);
			return start_without(spec, ret_jail, err);
		}
	}
	*ret_jail = jail;
	return 0;
}
