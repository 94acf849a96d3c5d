/* SPDX-License-Identifier: MIT */
/*
 * Three relays and a guard in one loop. A relay holds one buffer: it reads only when that
 * is empty and its reader can take more, so that a slow reader slows the program down
 * and nothing grows. What the program wrote before its end is still relayed afterwards;
 * if that is not to be had, because stdout's reader goes or takes nothing and we are told
 * to stop, the run is cancelled, however well the program did. A stderr that cannot be
 * written is nobody's loss: what was for it is read and thrown away.
 */
#include "supervisor/jailed.h"

#include <errno.h>
#include <limits.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "base/own.h"
#include "policy/calls.h"
#include "policy/filter_exec.h"
#include "policy/filter_exec_notify.h"
#include "policy/filter_tasks.h"
#include "policy/filter_tasks_notify.h"
#include "policy/syscalls.h"
#include "supervisor/awake.h"
#include "supervisor/clock.h"
#include "supervisor/confine.h"
#include "supervisor/guard.h"
#include "supervisor/runid.h"
#include "supervisor/sink.h"

#define STACK_BYTES (8 * LIMITS_MIB)

/* Address space above the memory: the program's own pages, its stack, what a libc
 * reserves. No more, because without a cgroup it is all that bounds what RLIMIT_DATA lets
 * go: memory that was written and then protected, and the kernel's page tables, at worst
 * two pages of them for one that lies alone. */
#define ADDRESS_ROOM (64 * LIMITS_MIB)

/* What a pipe that polls writable takes without blocking. */
#define RELAY_BYTES PIPE_BUF

struct relay {
	enum watch from, to;
	int from_fd, to_fd; /* borrowed; from_fd -1: ended; to_fd -1: thrown away */
	size_t at, len;
	char bytes[RELAY_BYTES];
};

struct jailed {
	struct jail *jail; /* owned */
	struct guard guard;
	struct relay in, out, err;
	bool in_is_tty;
	bool lost; /* what the program wrote did not all reach those who read us */
	bool failed;
	bool has_result; /* false: the program never ran, or nobody knows its end */
	struct jail_error error;
};

static int fail(struct jailed *j, enum jail_stage stage, int errnum, const char *what)
{
	guard_note(&j->guard, KILL_FAILURE);
	if (!j->failed) {
		j->failed = true;
		j->error = (struct jail_error){.stage = stage, .errnum = errnum};
		snprintf(j->error.text, sizeof(j->error.text), "%s: %s", what,
			 strerror(errnum));
	}
	return -errnum;
}

#define PROGRAM(of)                                \
	((struct sock_fprog){.len = ARRAY_LEN(of), \
			     .filter = (struct sock_filter *)(uintptr_t)(of)})

/* One process is all there is, and its filter holds that; or the policy says how many. */
static void choose_filters(struct jail_spec *spec)
{
	if (spec->limits.processes == 1) {
		spec->filter = PROGRAM(filter_exec);
		spec->notify_filter = PROGRAM(filter_exec_notify);
		spec->flags |= JAIL_FILTER_NO_FORK;
	} else {
		spec->filter = PROGRAM(filter_tasks);
		spec->notify_filter = PROGRAM(filter_tasks_notify);
	}
	spec->notify_fd = FILTER_HANDOVER_FD;
}

static int start(struct jailed *j, const struct jailed_job *job)
{
	const uint64_t *limit = job->limits->value;
	struct sock_filter first[CALLS_FILTER_MOST];
	struct jail_spec spec = JAIL_SPEC_INIT;
	char id[RUNID_LEN + 1];
	int r = runid_make(clock_real_ms(), id);

	if (r < 0)
		return fail(j, JAIL_STAGE_SPEC, -r, "no random bytes");
	spec.id = id;
	spec.exe_fd = job->exe_fd;
	spec.exe_name = job->argv[0];
	spec.argv = job->argv;
	spec.limits = (struct jail_limits){
		.memory_bytes = limit[LIMIT_ID_memory_bytes] + LIMITS_MEMORY_OVERHEAD,
		.address_bytes = limit[LIMIT_ID_memory_bytes] + LIMITS_MEMORY_OVERHEAD +
				 ADDRESS_ROOM,
		.stack_bytes = STACK_BYTES,
		.cpu_seconds = (uint32_t)(limit[LIMIT_ID_cpu_ms] / 1000 + 2),
		.cpu_percent = (uint32_t)limit[LIMIT_ID_cpu_percent],
		.processes = (uint32_t)limit[LIMIT_ID_processes],
	};
	spec.flags = job->place->required ? JAIL_NEED_CGROUP : 0;
	choose_filters(&spec);
	spec.first_filter = (struct sock_fprog){
		.len = (unsigned short)calls_filter(job->calls, first), .filter = first};
	spec.cgroup_fd = job->place->fd;
	r = jail_start(&spec, &j->jail, &j->error);
	j->failed = r < 0;
	return r;
}

static void arm(struct jailed *j, const struct limits *limits, int signal_fd)
{
	const uint64_t *limit = limits->value;

	guard_init(&j->guard, j->jail, signal_fd);
	awake_at_reads(STDIN_FILENO);
	j->in_is_tty = isatty(STDIN_FILENO) == 1;
	j->in = (struct relay){.from = WATCH_STDIN,
			       .to = WATCH_IN,
			       .from_fd = STDIN_FILENO,
			       .to_fd = jail_fd(j->jail, JAIL_FD_IN)};
	j->out = (struct relay){.from = WATCH_OUT,
				.to = WATCH_STDOUT,
				.from_fd = jail_fd(j->jail, JAIL_FD_OUT),
				.to_fd = STDOUT_FILENO};
	j->err = (struct relay){.from = WATCH_ERR,
				.to = WATCH_STDERR,
				.from_fd = jail_fd(j->jail, JAIL_FD_ERR),
				.to_fd = STDERR_FILENO};
	guard_set_deadline(&j->guard, limit[LIMIT_ID_wall_ms], KILL_TIMEOUT);
	guard_set_tasks(&j->guard, limit[LIMIT_ID_processes]);
	/* One thread cannot use more than the wall time. */
	if ((limit[LIMIT_ID_cpu_ms] < limit[LIMIT_ID_wall_ms] ||
	     limit[LIMIT_ID_processes] > 1) &&
	    guard_set_cpu_limit(&j->guard, limit[LIMIT_ID_cpu_ms]) < 0)
		fail(j, JAIL_STAGE_RUN, EIO, "cannot measure CPU time");
}

/* Watches one end or the other: never a source whose bytes have no place to go. */
static void watch(struct jailed *j, struct relay *relay)
{
	struct pollfd *from = &j->guard.slots[relay->from];
	struct pollfd *to = &j->guard.slots[relay->to];

	from->fd = relay->len ? -1 : relay->from_fd;
	/* stdout stays watched for its closing, whatever is to be written. */
	if (relay->to == WATCH_STDOUT)
		to->events = relay->len ? POLLOUT : 0;
	else
		to->fd = relay->len ? relay->to_fd : -1;
}

/* The end of a source: for the program that is the end of its input. */
static void end_source(struct jailed *j, struct relay *relay)
{
	relay->from_fd = -1;
	if (relay == &j->in)
		jail_close_input(j->jail);
}

/* Nobody could read it (nohup makes such a stdin), or it is a terminal that has hung up
 * or has us in the background. */
static bool is_empty_input(const struct jailed *j, int errnum)
{
	return errnum == EBADF || errnum == EISDIR || (errnum == EIO && j->in_is_tty);
}

/* What could not be read must not look like the end of it. */
static void read_failed(struct jailed *j, struct relay *relay, int errnum)
{
	end_source(j, relay);
	if (relay != &j->in)
		fail(j, JAIL_STAGE_RUN, errnum, "cannot read what the program wrote");
	else if (!is_empty_input(j, errnum))
		fail(j, JAIL_STAGE_RUN, errnum, "cannot read stdin");
}

/* True if there was something. */
static bool relay_read(struct jailed *j, struct relay *relay)
{
	ssize_t n = read(relay->from_fd, relay->bytes, sizeof(relay->bytes));

	if (n > 0) {
		relay->at = 0;
		relay->len = relay->to_fd < 0 ? 0 : (size_t)n;
	} else if (n == 0) {
		end_source(j, relay);
	} else if (errno != EAGAIN && errno != EINTR) {
		read_failed(j, relay, errno);
	}
	return n > 0;
}

/* What is for our reader will not reach him. */
static void lose(struct jailed *j)
{
	j->lost = true;
	guard_note(&j->guard, KILL_CANCELLED);
}

static void write_failed(struct jailed *j, struct relay *relay, int errnum)
{
	if (errnum == EAGAIN || errnum == EINTR)
		return;
	relay->len = 0;
	if (relay == &j->err)
		relay->to_fd = -1;
	else if (relay == &j->in && errnum == EPIPE)
		end_source(j, relay);
	else if (errnum == EPIPE)
		lose(j);
	else
		fail(j, JAIL_STAGE_RUN, errnum,
		     relay == &j->in ? "cannot write to the program"
				     : "cannot write to stdout");
}

/* True if something was taken. */
static bool relay_write(struct jailed *j, struct relay *relay)
{
	ssize_t n = write(relay->to_fd, relay->bytes + relay->at, relay->len);

	if (n < 0) {
		write_failed(j, relay, errno);
		return false;
	}
	relay->at += (size_t)n;
	relay->len -= (size_t)n;
	return n > 0;
}

static void relay_pump(struct jailed *j, struct relay *relay)
{
	if (relay->len && guard_ready(&j->guard, relay->to))
		(void)relay_write(j, relay);
	else if (!relay->len && relay->from_fd >= 0 &&
		 guard_ready(&j->guard, relay->from))
		(void)relay_read(j, relay);
	watch(j, relay);
}

static void pump(struct jailed *j)
{
	relay_pump(j, &j->in);
	relay_pump(j, &j->out);
	relay_pump(j, &j->err);
}

static void watch_all(struct jailed *j)
{
	watch(j, &j->in);
	watch(j, &j->out);
	watch(j, &j->err);
}

/* False when there is nothing more to wait for. */
static bool wait_on(struct jailed *j)
{
	int r;

	if (j->guard.ended || j->guard.reason != KILL_NONE)
		return false;
	r = guard_wait(&j->guard);
	if (r < 0)
		fail(j, JAIL_STAGE_RUN, -r, "poll");
	return r == 0 && !j->guard.ended;
}

/*
 * The listener is the last thing that the child sends before it becomes the program. It
 * is taken before we confine ourselves, so that our filter need not let messages in; what
 * the program writes meanwhile lies unread.
 */
static void take_listener(struct jailed *j)
{
	struct guard *guard = &j->guard;

	guard->slots[WATCH_OUT].fd = guard->slots[WATCH_ERR].fd = -1;
	guard->slots[WATCH_LISTENER].fd = jail_fd(j->jail, JAIL_FD_NOTIFY);
	while (!guard_ready(guard, WATCH_LISTENER) && wait_on(j))
		continue;
	if (!guard_ready(guard, WATCH_LISTENER))
		return;
	guard->slots[WATCH_LISTENER].fd = -1;
	if (jail_take_listener(j->jail, &j->error) < 0) {
		j->failed = true;
		guard_note(guard, KILL_FAILURE);
		return;
	}
	guard->slots[WATCH_VIOLATION].fd = jail_fd(j->jail, JAIL_FD_NOTIFY);
}

static void run_to_end(struct jailed *j)
{
	watch_all(j);
	while (wait_on(j))
		pump(j);
	if (!j->guard.ended && guard_stop(&j->guard, &j->error) < 0)
		j->failed = true;
}

/* One write of what is left, when its reader can take it. */
static int write_rest(struct jailed *j, struct relay *relay, struct patience *patience)
{
	int r = sink_wait(relay->to_fd, patience);

	if (r == -EINTR)
		lose(j);
	else if (r < 0)
		fail(j, JAIL_STAGE_RUN, -r, "poll");
	else if (relay_write(j, relay))
		patience_renew(patience);
	return r;
}

/* Only what lies in the pipe, which ends; but its reader may need time. Where there is
 * nothing, nobody is left to write more. */
static void relay_rest(struct jailed *j, struct relay *relay, struct patience *patience)
{
	while (!j->lost && !j->failed) {
		if (relay->len) {
			if (write_rest(j, relay, patience) < 0)
				return;
		} else if (relay->from_fd < 0 || !relay_read(j, relay)) {
			return;
		}
	}
}

/* The program has ended by itself, and nothing speaks against it. */
static bool is_complete(const struct jailed *j, const struct jail_result *result)
{
	return j->has_result && result->end == JAIL_EXITED &&
	       j->guard.reason != KILL_TIMEOUT && j->guard.reason != KILL_VIOLATION;
}

static void judge(const struct jailed *j, const struct limits *limits,
		  const struct jail_result *result, struct jailed_end *end)
{
	struct facts facts = {
		.setup_failed = j->failed,
		.killed = j->guard.reason,
		.complete = is_complete(j, result) && !j->lost,
		.outcome = OUTCOME_VALUE,
		.memory_limit_hit = result->memory_limit_hit,
		.oom_killed = result->oom_killed,
	};

	if (result->end == JAIL_SIGNALED &&
	    !(j->guard.killed && result->signal == SIGKILL))
		facts.signal = result->signal;
	facts_note_cpu(&facts, result->cpu_us, limits->value[LIMIT_ID_cpu_ms]);
	*end = (struct jailed_end){.status = status_decide(&facts),
				   .exit_code = result->exit_code,
				   .signal = facts.signal,
				   .oom_in_group = result->oom_in_group};
	if (end->status == STATUS_VIOLATION) {
		end->violation_known = j->guard.violation_known;
		end->violation = j->guard.violation;
	}
}

/* Killed during set-up there is no result, and the child did not fail at it. */
static void collect(struct jailed *j, struct jail_result *result)
{
	struct jail_error err;

	if (!j->guard.ended)
		return;
	j->has_result = jail_wait(j->jail, result, &err) == 0;
	if (!j->has_result && !(j->guard.killed && err.stage <= JAIL_STAGE_EXEC)) {
		j->failed = true;
		j->error = err;
	}
}

static void run_in(struct jailed *j, const struct limits *limits, int signal_fd,
		   struct jailed_end *end)
{
	struct jail_result result = {0};
	int r;

	arm(j, limits, signal_fd);
	take_listener(j);
	r = confine_self();
	if (r < 0)
		fail(j, JAIL_STAGE_FILTER, -r, CONFINE_FAILED);
	/* Else nothing of what it wrote is passed on: it should not have begun. */
	bool ready = !j->failed;
	run_to_end(j);
	/* The jail goes first: a reader may take its time, or never come. */
	collect(j, &result);
	/* Cancelled, a program has no more to say, unless it had ended before. */
	if (ready && (j->guard.reason != KILL_CANCELLED || is_complete(j, &result))) {
		struct patience patience = PATIENCE_INIT(signal_fd);

		relay_rest(j, &j->out, &patience);
		relay_rest(j, &j->err, &patience);
	}
	judge(j, limits, &result, end);
	if (j->guard.ended)
		jail_free(j->jail);
}

void jailed_run(const struct jailed_job *job, struct jailed_end *ret_end)
{
	struct jailed j = {0};

	if (job->signal_fd < 0) {
		j.failed = true;
		j.error = *job->unprepared;
	}
	if (job->place->failed) {
		j.failed = true;
		j.error = job->place->err;
	}
	if (!j.failed && start(&j, job) == 0)
		run_in(&j, job->limits, job->signal_fd, ret_end);
	else
		*ret_end = (struct jailed_end){.status = STATUS_INTERNAL_ERROR};
	if (ret_end->status == STATUS_INTERNAL_ERROR)
		ret_end->err = j.error;
}
