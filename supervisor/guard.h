/* SPDX-License-Identifier: MIT */
/*
 * Watches one running jail: its end, its deadline, its CPU time, its forbidden calls
 * where there is a listener for them, our own signals and whether anybody still reads our
 * output. Both `quod run` and `quod exec` stand on it.
 *
 * A guard only notes why the jail has to go (guard_note(), the first reason counts); whoever
 * kills looks at the reason first. So it is always written down before the kill.
 */
#ifndef QUOD_GUARD_H
#define QUOD_GUARD_H

#include <poll.h>
#include <signal.h>
#include <stdbool.h>
#include <stdint.h>

#include "jail/jail.h"
#include "supervisor/status.h"

/* A slot whose fd is -1 is not watched. */
enum watch {
	WATCH_ENDED,	 /* pid 1 of the jail is dead */
	WATCH_SIGNAL,	 /* somebody wants us to stop */
	WATCH_STDOUT,	 /* ours */
	WATCH_STDERR,	 /* ours */
	WATCH_STDIN,	 /* ours */
	WATCH_IN,	 /* the guest's fd 0 takes bytes */
	WATCH_OUT,	 /* the guest's fd 1 has bytes */
	WATCH_ERR,	 /* the guest's fd 2 has bytes */
	WATCH_LISTENER,	 /* jail_take_listener() is due */
	WATCH_VIOLATION, /* the listener has heard of a call */
	WATCH_COUNT
};

struct guard {
	struct jail *jail; /* borrowed; NULL: another process has it */
	struct pollfd slots[WATCH_COUNT];
	uint64_t deadline_ns; /* monotonic; 0: none */
	enum kill_reason deadline_reason;
	uint64_t cpu_limit_us; /* 0: none */
	uint64_t cpu_base_us;  /* used before the limit was armed */
	uint64_t cpu_check_ns; /* the earliest moment at which it could be used up */
	unsigned parallel;     /* so many threads can run at once; 0: one */
	enum kill_reason reason;
	struct jail_violation violation; /* if known; its reason is KILL_VIOLATION */
	bool violation_known;
	bool ended;
	bool killed;	   /* by us, so SIGKILL says nothing about the guest */
	uint64_t death_ns; /* killed: when it has to be dead */
	int error;	   /* negative errno of poll(2); sticks */
};

/* The signals that end a run: SIGINT, SIGTERM, SIGHUP, SIGQUIT, without those that our
 * caller wants ignored. */
void guard_signals(sigset_t *ret_set);

/*
 * Before a jail is started, and with all files read: closes what our caller left open, by
 * the list of what is ours, blocks those signals from here on, ignores SIGPIPE and those that
 * stop who uses a terminal from the background, and makes sure that no write to stdout or
 * stderr sleeps for long once awake_start() is called. *ret_fd (the caller's) becomes
 * readable when one of the signals arrives, and stays so. Errors: EMFILE, ENFILE, ENOMEM,
 * and those of jail_close_inherited().
 */
int guard_prepare(const int *ours, size_t count, int *ret_fd, struct jail_error *err);

/* Watches the jail's own descriptors, the signals, and stdout for its closing. */
void guard_init(struct guard *guard, struct jail *jail, int signal_fd);

/* The same of a jail that another process has: `ended` polls readable at its end. CPU time
 * is watched there. */
void guard_init_apart(struct guard *guard, int ended, int out, int err);

/* The deadline is `ms` from now; when it passes, `reason` is noted. */
void guard_set_deadline(struct guard *guard, uint64_t ms, enum kill_reason reason);

/* So many processes and threads the jail may have: how fast it can use up CPU time.
 * Before confine_self(), and before the limit is set. */
void guard_set_tasks(struct guard *guard, uint64_t tasks);

/* From now on the jail may use `ms` of CPU time. Errors: as jail_cpu_us(). */
int guard_set_cpu_limit(struct guard *guard, uint64_t ms);

void guard_note(struct guard *guard, enum kill_reason reason);

/* True if the slot is ready for what it asked for, or has failed. */
static inline bool guard_ready(const struct guard *guard, enum watch slot)
{
	return guard->slots[slot].fd >= 0 && guard->slots[slot].revents != 0;
}

/*
 * Waiting in two parts, for those who wait for other things too: wait until a slot is
 * ready or guard_moment() has come, write down what poll says in `revents`, guard_look(),
 * read and write what is ready, guard_clear().
 */

/* When to look at the latest, by the monotonic clock; 0: never. */
uint64_t guard_moment(const struct guard *guard);

/* How many slots, from the first, are to be polled now: of a jail that was killed only
 * the end is waited for. */
static inline unsigned guard_slots(const struct guard *guard)
{
	return guard->killed ? WATCH_ENDED + 1 : WATCH_COUNT;
}

/* Waits. What poll(2) gives for a failure comes out of guard_look(). */
void guard_poll(struct guard *guard);

/* Sets `ended` and notes reasons. Errors: -ETIMEDOUT (killed long ago, and still not
 * dead), what ppoll(2) gives but EINTR. */
int guard_look(struct guard *guard);

void guard_clear(struct guard *guard);

/* Both parts: guard_poll() and guard_look(). */
int guard_wait(struct guard *guard);

/* The jail was killed for the noted reason: from now on only its end counts. */
void guard_killed(struct guard *guard);

/* Fills err for what guard_look() gave after that. Returns -errnum. */
int guard_not_dead(int errnum, struct jail_error *err);

/*
 * Kills the jail for the noted reason and waits until it is dead. Errors: those of
 * guard_look() and of jail_kill(), with err filled.
 */
int guard_stop(struct guard *guard, struct jail_error *err);

#endif
