/* SPDX-License-Identifier: MIT */
/*
 * One ppoll() for everything, with the nearest of deadline and CPU check as its timeout.
 *
 * CPU time has no event to wait for: it is asked for at the earliest moment at which the
 * limit could have been reached, which is seldom and never late. A jail has one thread,
 * its filters refusing every way to a second, or as many as guard_set_tasks() was told.
 */
#include "supervisor/guard.h"

#include <errno.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/signalfd.h>
#include <unistd.h>

#include "base/own.h"
#include "supervisor/awake.h"
#include "supervisor/clock.h"

/* From SIGKILL to death. */
#define KILL_WAIT_MS 10000

/* Not more often than this: what is left of a CPU limit may round to nothing. */
#define CPU_CHECK_LEAST_US 500u

static bool is_ignored(int sig)
{
	struct sigaction now;

	return sigaction(sig, NULL, &now) == 0 && now.sa_handler == SIG_IGN;
}

void guard_signals(sigset_t *ret_set)
{
	static const int enders[] = {SIGINT, SIGTERM, SIGHUP, SIGQUIT};

	/* A blocked signal is queued even if it was ignored: nohup, and a shell that
	 * starts us in the background, mean it to stay ignored. */
	sigemptyset(ret_set);
	for (size_t i = 0; i < ARRAY_LEN(enders); i++)
		if (!is_ignored(enders[i]))
			sigaddset(ret_set, enders[i]);
}

static int no_signals(int errnum, struct jail_error *err)
{
	*err = (struct jail_error){.stage = JAIL_STAGE_SPEC, .errnum = errnum};
	snprintf(err->text, sizeof(err->text), "no descriptor for signals: %s",
		 strerror(errnum));
	return -errnum;
}

int guard_prepare(const int *ours, size_t count, int *ret_fd, struct jail_error *err)
{
	sigset_t set;
	int fd, r;

	r = jail_close_inherited(ours, count, err);
	if (r < 0)
		return r;
	guard_signals(&set);
	fd = signalfd(-1, &set, SFD_CLOEXEC | SFD_NONBLOCK);
	if (fd < 0)
		return no_signals(errno, err);
	sigprocmask(SIG_BLOCK, &set, NULL);
	signal(SIGPIPE, SIG_IGN);
	signal(SIGXFSZ, SIG_IGN); /* a full file is an error of write(2), not our death */
	/* In the background of a terminal: stopped there, we would hold no limit. */
	signal(SIGTTOU, SIG_IGN);
	signal(SIGTTIN, SIG_IGN);
	awake_at_writes(STDOUT_FILENO);
	awake_at_writes(STDERR_FILENO);
	*ret_fd = fd;
	return 0;
}

void guard_init_apart(struct guard *guard, int ended, int out, int err)
{
	*guard = (struct guard){0};
	for (int i = 0; i < WATCH_COUNT; i++)
		guard->slots[i] = (struct pollfd){.fd = -1, .events = POLLIN};
	guard->slots[WATCH_ENDED].fd = ended;
	guard->slots[WATCH_OUT].fd = out;
	guard->slots[WATCH_ERR].fd = err;
	guard->slots[WATCH_IN].events = POLLOUT;
	guard->slots[WATCH_STDERR].events = POLLOUT;
}

void guard_init(struct guard *guard, struct jail *jail, int signal_fd)
{
	guard_init_apart(guard, jail_fd(jail, JAIL_FD_PIDFD), jail_fd(jail, JAIL_FD_OUT),
			 jail_fd(jail, JAIL_FD_ERR));
	guard->jail = jail;
	guard->slots[WATCH_SIGNAL].fd = signal_fd;
	/* No event asked for: only that the last reader has gone. */
	guard->slots[WATCH_STDOUT] = (struct pollfd){.fd = STDOUT_FILENO};
}

void guard_set_deadline(struct guard *guard, uint64_t ms, enum kill_reason reason)
{
	guard->deadline_ns = clock_mono_ns() + ms * NS_PER_MS;
	guard->deadline_reason = reason;
}

/* A jail inherits our processors and cannot change that. */
void guard_set_tasks(struct guard *guard, uint64_t tasks)
{
	cpu_set_t ours;

	guard->parallel = (unsigned)tasks;
	if (tasks > 1 && sched_getaffinity(0, sizeof(ours), &ours) == 0 &&
	    (uint64_t)CPU_COUNT(&ours) < tasks)
		guard->parallel = (unsigned)CPU_COUNT(&ours);
}

/* So many threads cannot burn `left` sooner than in that time. */
static void plan_cpu_check(struct guard *guard, uint64_t left_us)
{
	uint64_t wait_us = guard->parallel > 1 ? left_us / guard->parallel : left_us;

	if (wait_us < CPU_CHECK_LEAST_US)
		wait_us = CPU_CHECK_LEAST_US;
	guard->cpu_check_ns = clock_mono_ns() + wait_us * NS_PER_US;
}

int guard_set_cpu_limit(struct guard *guard, uint64_t ms)
{
	int r = jail_cpu_us(guard->jail, &guard->cpu_base_us);

	if (r < 0)
		return r;
	guard->cpu_limit_us = ms * 1000;
	plan_cpu_check(guard, guard->cpu_limit_us);
	return 0;
}

void guard_note(struct guard *guard, enum kill_reason reason)
{
	if (guard->reason == KILL_NONE)
		guard->reason = reason;
}

/* A jail whose CPU time cannot be read any more is dying: its end will be seen. */
static void check_cpu(struct guard *guard)
{
	uint64_t used;

	guard->cpu_check_ns = 0;
	if (jail_cpu_us(guard->jail, &used) < 0)
		return;
	used -= guard->cpu_base_us;
	if (used >= guard->cpu_limit_us)
		guard_note(guard, KILL_CPU);
	else
		plan_cpu_check(guard, guard->cpu_limit_us - used);
}

/* It is left unread: whoever waits for a reader afterwards is to know of it too. */
static void check_signal(struct guard *guard)
{
	struct pollfd *slot = &guard->slots[WATCH_SIGNAL];

	if (slot->fd >= 0 && slot->revents) {
		slot->fd = -1;
		guard_note(guard, KILL_CANCELLED);
	}
}

static void check_reader(struct guard *guard)
{
	struct pollfd *slot = &guard->slots[WATCH_STDOUT];

	if (slot->revents & (POLLERR | POLLHUP | POLLNVAL)) {
		slot->fd = -1;
		guard_note(guard, KILL_CANCELLED);
	}
}

static void check_deadline(struct guard *guard)
{
	if (guard->deadline_ns && clock_mono_ns() >= guard->deadline_ns)
		guard_note(guard, guard->deadline_reason);
}

static void check_time(struct guard *guard)
{
	check_deadline(guard);
	if (guard->cpu_check_ns && clock_mono_ns() >= guard->cpu_check_ns)
		check_cpu(guard);
}

/* Whoever made the call stays in it. That there was one is enough: where its caller is
 * gone before it could be read it has no name, but it was made. */
static void check_violation(struct guard *guard)
{
	struct pollfd *slot = &guard->slots[WATCH_VIOLATION];

	if (slot->revents & POLLIN) {
		if (guard->reason == KILL_NONE)
			guard->violation_known =
				jail_read_violation(guard->jail, &guard->violation) == 0;
		guard_note(guard, KILL_VIOLATION);
	} else if (slot->revents) {
		slot->fd = -1; /* nobody is left under that filter */
	}
}

uint64_t guard_moment(const struct guard *guard)
{
	uint64_t deadline = guard->deadline_ns, check = guard->cpu_check_ns;

	if (guard->killed)
		return guard->death_ns;
	if (!check || (deadline && deadline < check))
		return deadline;
	return check;
}

void guard_clear(struct guard *guard)
{
	for (int i = 0; i < WATCH_COUNT; i++)
		guard->slots[i].revents = 0;
}

static int poll_until(struct guard *guard, uint64_t moment_ns)
{
	unsigned count = guard_slots(guard);
	uint64_t now, left;
	struct timespec timeout;

	if (!moment_ns)
		return ppoll(guard->slots, count, NULL, NULL);
	now = clock_mono_ns();
	left = moment_ns > now ? moment_ns - now : 0;
	timeout = (struct timespec){.tv_sec = (time_t)(left / NS_PER_SEC),
				    .tv_nsec = (long)(left % NS_PER_SEC)};
	return ppoll(guard->slots, count, &timeout, NULL);
}

void guard_poll(struct guard *guard)
{
	if (poll_until(guard, guard_moment(guard)) >= 0)
		return;
	if (errno != EINTR)
		guard->error = -errno;
	guard_clear(guard);
}

/* A killed process frees its memory before it is dead; a stuck one must not hold us. */
static int look_for_death(struct guard *guard)
{
	guard->ended = guard_ready(guard, WATCH_ENDED);
	if (!guard->ended && clock_mono_ns() >= guard->death_ns)
		return -ETIMEDOUT;
	return 0;
}

int guard_look(struct guard *guard)
{
	if (guard->error)
		return guard->error;
	if (guard->killed)
		return look_for_death(guard);
	/* We may have been stopped, or late: an end that is seen after the deadline is
	 * not known to have come before it, and what nobody knows is no success. */
	if (guard_ready(guard, WATCH_ENDED)) {
		guard->ended = true;
		check_deadline(guard);
		return 0;
	}
	check_signal(guard);
	check_reader(guard);
	check_time(guard);
	check_violation(guard);
	return 0;
}

int guard_wait(struct guard *guard)
{
	guard_poll(guard);
	return guard_look(guard);
}

void guard_killed(struct guard *guard)
{
	guard->killed = true;
	guard->death_ns = clock_mono_ns() + KILL_WAIT_MS * NS_PER_MS;
	/* What could not be waited for before is tried once more. */
	guard->error = 0;
	guard_clear(guard);
}

int guard_not_dead(int errnum, struct jail_error *err)
{
	*err = (struct jail_error){.stage = JAIL_STAGE_KILL, .errnum = errnum};
	if (errnum == ETIMEDOUT)
		snprintf(err->text, sizeof(err->text),
			 "the jail was killed %d ms ago and still is not dead: a process "
			 "of it hangs in the kernel",
			 KILL_WAIT_MS);
	else
		snprintf(
			err->text, sizeof(err->text),
			"the jail was killed, but its end cannot be waited for: poll: %s",
			strerror(errnum));
	return -errnum;
}

int guard_stop(struct guard *guard, struct jail_error *err)
{
	int r = jail_kill(guard->jail, err);

	guard_killed(guard);
	if (r < 0)
		return r;
	while (!guard->ended) {
		r = guard_wait(guard);
		if (r < 0)
			return guard_not_dead(-r, err);
	}
	return 0;
}
