/* SPDX-License-Identifier: MIT */
/*
 * A guard without its pipes: only the end, the deadline and CPU time are looked at here.
 *
 * The monitor's limits do not depend on the server's good will: set-up has its time, or
 * a warm jail its age, wall time can begin twice at most, and so no jail lives longer than
 * the sum. The server watches the same deadlines and sees to them first.
 */
#include "daemon/ward.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <unistd.h>

#include "base/own.h"
#include "daemon/log.h"
#include "supervisor/clock.h"

/* For the parser, and for the script. */
#define CLOCKS_MOST 2

/* From the end of a jail that was told to its removal; and so often, for so long, where
 * that is not done at once. */
#define REMOVE_AFTER_US 1000u
#define REMOVE_AGAIN_US 20000u
#define REMOVE_MS	2000u

/* Of a zygote for its answer. It takes milliseconds. */
#define COMING_US 5000000u

struct ward {
	const struct ward_means *means;
	uint64_t run;
	char id[ORDER_ID_ROOM];
	struct limits limits;
	struct jail *jail; /* owned */
	struct guard guard;
	enum ward_state state;
	uint64_t remove_ns; /* over: until then its removal is tried; monotonic */
	bool busy;	    /* then: something still lives in it */
	unsigned clocks;
	int tell_read, tell_write; /* owned; where the ending goes */
	sd_event_source *on_end, *on_time;
	sd_event_source *on_come; /* it is coming: an answer is awaited */
	struct run_place place;	  /* then; its descriptor is a copy, owned */
	bool killed;		  /* then: asked for */
};

static int fail(struct jail_error *err, enum jail_stage stage, int r, const char *what)
{
	*err = (struct jail_error){.stage = stage, .errnum = -r};
	snprintf(err->text, sizeof(err->text), "%s: %s", what, strerror(-r));
	return r;
}

static void arm(struct ward *ward)
{
	uint64_t moment = guard_moment(&ward->guard);

	sd_event_source_set_time(ward->on_time, moment / NS_PER_US + 1);
	sd_event_source_set_enabled(ward->on_time,
				    moment ? SD_EVENT_ONESHOT : SD_EVENT_OFF);
}

/* A reader that has gone, or a server that is dead, does not matter here. */
static void tell(struct ward *ward, const struct ending *ending)
{
	ssize_t n = write(ward->tell_write, ending, sizeof(*ending));

	(void)n;
	ward->tell_write = close_fd(ward->tell_write);
}

static void fill_ending(const struct ward *ward, bool failed, struct ending *ending)
{
	ending->version = ORDERS_VERSION;
	ending->failed = failed;
	ending->killed = ward->guard.killed ? ward->guard.reason : KILL_NONE;
}

static void remove_later(struct ward *ward, uint64_t us)
{
	sd_event_source_set_time_relative(ward->on_time, us);
	sd_event_source_set_enabled(ward->on_time, SD_EVENT_ONESHOT);
}

/* Who was put into its cgroup by somebody else may take his time to die. */
static void remove_jail(struct ward *ward)
{
	struct jail_error err;
	int r = jail_remove(ward->jail, 0, &err);

	ward->busy = r == -EBUSY && clock_mono_ns() < ward->remove_ns;
	if (ward->busy) {
		sd_event_source_set_priority(ward->on_time, SD_EVENT_PRIORITY_NORMAL);
		remove_later(ward, REMOVE_AGAIN_US);
		return;
	}
	if (r < 0)
		log_say("of a jail something is left: %s", err.text);
	ward->means->gone(ward, ward->means->whose);
}

/* The reply waits for what is told, and for nothing that comes after it. */
static void finish(struct ward *ward)
{
	struct jail_result result = {0};
	struct ending ending = {0};
	int r = jail_collect(ward->jail, &result, &ending.error);

	if (r == 0)
		ending_encode(&result, &ending);
	fill_ending(ward, r < 0, &ending);
	tell(ward, &ending);
	ward->state = WARD_OVER;
	ward->remove_ns = clock_mono_ns() + REMOVE_MS * NS_PER_MS;
	ward->on_end = sd_event_source_disable_unref(ward->on_end);
	sd_event_source_set_priority(ward->on_time, SD_EVENT_PRIORITY_IDLE);
	remove_later(ward, REMOVE_AFTER_US);
}

static void tell_failed(struct ward *ward, const struct jail_error *err)
{
	struct ending ending = {.error = *err};

	fill_ending(ward, true, &ending);
	tell(ward, &ending);
}

/* SIGKILL was sent and nothing died: the server need not wait any longer; we do. */
static void tell_stuck(struct ward *ward)
{
	struct jail_error err;

	guard_not_dead(ETIMEDOUT, &err);
	tell_failed(ward, &err);
	sd_event_source_set_enabled(ward->on_time, SD_EVENT_OFF);
}

static void kill_noted(struct ward *ward)
{
	struct jail_error err;

	/* What cannot be killed is told as what does not die. */
	(void)jail_kill(ward->jail, &err);
	guard_killed(&ward->guard);
}

static void look(struct ward *ward)
{
	struct guard *guard = &ward->guard;
	int r = guard_look(guard);

	guard_clear(guard);
	if (guard->ended) {
		finish(ward);
		return;
	}
	if (r < 0) {
		tell_stuck(ward);
		return;
	}
	if (guard->reason != KILL_NONE && !guard->killed)
		kill_noted(ward);
	arm(ward);
}

static int on_end(sd_event_source *source, int fd, uint32_t events, void *userdata)
{
	struct ward *ward = userdata;

	(void)source;
	(void)fd;
	ward->guard.slots[WATCH_ENDED].revents = (short)events;
	look(ward);
	return 0;
}

/* Ends and deadlines go before orders: a flood of these must not hold up those. */
static int watch(struct ward *ward)
{
	int fd = jail_fd(ward->jail, JAIL_FD_PIDFD);
	int r = sd_event_add_io(ward->means->event, &ward->on_end, fd, EPOLLIN, on_end,
				ward);

	if (r >= 0)
		r = sd_event_source_set_priority(ward->on_end,
						 SD_EVENT_PRIORITY_IMPORTANT);
	if (r < 0)
		return r;
	guard_init_apart(&ward->guard, fd, -1, -1);
	ward->guard.jail = ward->jail;
	guard_set_deadline(&ward->guard,
			   ward->state == WARD_WARM ? ward->means->warm_ms
						    : WARD_SETUP_MS,
			   KILL_FAILURE);
	arm(ward);
	return 0;
}

static int start_jail(struct ward *ward, const struct run_place *place, unsigned flags,
		      struct jail_error *err)
{
	return cell_start_jail(&ward->limits,
			       flags | CELL_REMOVED |
				       (ward->state == WARD_WARM ? CELL_AHEAD : 0),
			       ward->means->interp, place, ward->id, &ward->jail, err);
}

static int watch_or_fail(struct ward *ward, struct jail_error *err)
{
	int r = watch(ward);

	return r < 0 ? fail(err, JAIL_STAGE_RUN, r, "cannot watch the jail") : 0;
}

/* A zygote that dies costs no run: the jail is then made without. */
static int take(struct ward *ward, struct jail_error *err)
{
	int r = jail_finish(ward->jail, err);

	if (r < 0) {
		jail_free(TAKE_PTR(ward->jail));
		ward->place.template = NULL;
		r = start_jail(ward, &ward->place, 0, err);
	}
	ward->place.fd = close_fd(ward->place.fd);
	return r < 0 ? r : watch_or_fail(ward, err);
}

static void come(struct ward *ward)
{
	struct jail_error err;
	int r;

	ward->on_come = sd_event_source_disable_unref(ward->on_come);
	r = take(ward, &err);
	ward->means->come(ward, r < 0 ? &err : NULL, ward->means->whose);
}

static int on_come(sd_event_source *source, int fd, uint32_t events, void *userdata)
{
	(void)source;
	(void)fd;
	(void)events;
	come(userdata);
	return 0;
}

static int on_time(sd_event_source *source, uint64_t usec, void *userdata)
{
	struct ward *ward = userdata;

	(void)source;
	(void)usec;
	if (ward_is_coming(ward))
		come(ward); /* its zygote hangs: nobody waits for it */
	else if (ward->state == WARD_OVER)
		remove_jail(ward);
	else
		look(ward);
	return 0;
}

static int await(struct ward *ward, const struct run_place *place, struct jail_error *err)
{
	int r;

	ward->place = *place;
	ward->place.fd = -1;
	if (place->fd >= 0) {
		ward->place.fd = fcntl(place->fd, F_DUPFD_CLOEXEC, 0);
		if (ward->place.fd < 0)
			return fail(err, JAIL_STAGE_CGROUP, -errno, "keep the cgroup");
	}
	r = sd_event_add_io(ward->means->event, &ward->on_come,
			    jail_pending_fd(ward->jail), EPOLLIN, on_come, ward);
	return r < 0 ? fail(err, JAIL_STAGE_RUN, r, "cannot await the jail") : 0;
}

/* Until it is watched: the bound on its coming. */
static int add_time(struct ward *ward, struct jail_error *err)
{
	int r = sd_event_add_time_relative(ward->means->event, &ward->on_time,
					   CLOCK_MONOTONIC, COMING_US, 1, on_time, ward);

	if (r >= 0)
		r = sd_event_source_set_priority(ward->on_time,
						 SD_EVENT_PRIORITY_IMPORTANT);
	return r < 0 ? fail(err, JAIL_STAGE_RUN, r, "cannot watch the jail") : 0;
}

static int start(struct ward *ward, const struct order *order,
		 const struct run_place *place, struct jail_error *err)
{
	int ends[2], r;

	memcpy(ward->limits.value, order->limit, sizeof(ward->limits.value));
	if (pipe2(ends, O_CLOEXEC | O_NONBLOCK) < 0)
		return fail(err, JAIL_STAGE_PIPES, -errno, "pipe");
	ward->tell_read = ends[0];
	ward->tell_write = ends[1];
	r = add_time(ward, err);
	if (r == 0)
		r = start_jail(ward, place, CELL_BEGUN, err);
	if (r < 0)
		return r;
	return jail_pending_fd(ward->jail) >= 0 ? await(ward, place, err)
						: watch_or_fail(ward, err);
}

int ward_new(const struct order *order, const struct ward_means *means,
	     const struct run_place *place, struct ward **ret_ward,
	     struct jail_error *err)
{
	struct ward *ward = calloc(1, sizeof(*ward));
	int r;

	if (!ward)
		return fail(err, JAIL_STAGE_SPEC, -ENOMEM, "make a jail");
	ward->means = means;
	ward->run = order->run;
	ward->state = order->kind == ORDER_WARM ? WARD_WARM : WARD_RUN;
	memcpy(ward->id, order->id, sizeof(ward->id));
	ward->tell_read = ward->tell_write = ward->place.fd = -1;
	r = start(ward, order, place, err);
	if (r < 0)
		ward_free(ward);
	else
		*ret_ward = ward;
	return r;
}

void ward_free(struct ward *ward)
{
	if (!ward)
		return;
	sd_event_source_disable_unref(ward->on_end);
	sd_event_source_disable_unref(ward->on_time);
	sd_event_source_disable_unref(ward->on_come);
	jail_free(ward->jail);
	close_fd(ward->place.fd);
	close_fd(ward->tell_read);
	close_fd(ward->tell_write);
	free(ward);
}

void ward_answer(const struct ward *ward, struct answer *ret_answer, int fds[ANSWER_FDS])
{
	*ret_answer = (struct answer){
		.version = ORDERS_VERSION,
		.kind = ANSWER_HELD,
		.run = ward->run,
		.memory_by = jail_memory_enforcer(ward->jail),
		.cpu_by = jail_cpu_enforcer(ward->jail),
		.processes_by = jail_processes_enforcer(ward->jail),
	};
	fds[ANSWER_FD_IN] = jail_fd(ward->jail, JAIL_FD_IN);
	fds[ANSWER_FD_OUT] = jail_fd(ward->jail, JAIL_FD_OUT);
	fds[ANSWER_FD_ERR] = jail_fd(ward->jail, JAIL_FD_ERR);
	fds[ANSWER_FD_ENDED] = ward->tell_read;
}

void ward_handed_over(struct ward *ward)
{
	jail_close_pipes(ward->jail);
	ward->tell_read = close_fd(ward->tell_read);
	if (ward->killed)
		ward_kill(ward);
}

bool ward_is_coming(const struct ward *ward)
{
	return ward->on_come;
}

uint64_t ward_run(const struct ward *ward)
{
	return ward->run;
}

const char *ward_id(const struct ward *ward)
{
	return ward->id;
}

enum ward_state ward_state(const struct ward *ward)
{
	return ward->state;
}

const struct limits *ward_limits(const struct ward *ward)
{
	return &ward->limits;
}

/* Where CPU time cannot be read the jail is dying: its end will be seen. */
void ward_clock(struct ward *ward, const struct order *order)
{
	struct jail_error err;

	if (ward_is_coming(ward) || ward->state == WARD_OVER || ward->guard.killed ||
	    ward->clocks == CLOCKS_MOST)
		return;
	ward->clocks++;
	ward->state = WARD_RUN;
	ward->limits.value[LIMIT_ID_wall_ms] = order->limit[LIMIT_ID_wall_ms];
	ward->limits.value[LIMIT_ID_cpu_ms] = order->limit[LIMIT_ID_cpu_ms];
	guard_set_deadline(&ward->guard,
			   ward->limits.value[LIMIT_ID_wall_ms] + CLOCK_GRACE_MS,
			   KILL_TIMEOUT);
	(void)cell_limit_cpu(&ward->limits, &ward->guard, &err);
	arm(ward);
}

void ward_kill(struct ward *ward)
{
	ward->killed = true;
	if (ward_is_coming(ward) || ward->state == WARD_OVER)
		return;
	guard_note(&ward->guard, KILL_CANCELLED);
	look(ward);
}

bool ward_remove(struct ward *ward)
{
	if (ward->state != WARD_OVER || ward->busy)
		return false;
	remove_jail(ward);
	return true;
}

void ward_refuse(struct ward *ward, const struct jail_error *err)
{
	if (ward_is_coming(ward))
		return;
	tell_failed(ward, err);
	guard_note(&ward->guard, KILL_FAILURE);
	look(ward);
}
