/* SPDX-License-Identifier: MIT */
/*
 * One thread, one event loop: orders in, jails, their ends.
 *
 * The server may have been taken over. Each packet is judged by order_check() alone; what
 * is no order ends the server and with it every run, because nothing that a server of ours
 * does looks like it. An order is answered in full or not at all: a server that lets its
 * answers pile up until the socket is full is ended too.
 *
 * The service manager hears from here alone that the daemon is ready, reloads, stops and
 * lives: the server has no way to it.
 *
 * Who ends whom: when the server has ended, its jails are killed and the monitor ends.
 * When the monitor dies, the kernel kills the server and the jails (parent-death signals),
 * and both also see their end of a pipe or socket closed.
 */
#include "daemon/monitor.h"

#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <systemd/sd-event.h>
#include <unistd.h>

#include "base/own.h"
#include "base/signal_name.h"
#include "daemon/config.h"
#include "daemon/confined.h"
#include "daemon/examine.h"
#include "daemon/http.h"
#include "daemon/log.h"
#include "daemon/notify.h"
#include "daemon/pulse.h"
#include "daemon/shares.h"
#include "daemon/ward.h"
#include "policy/policy.h"
#include "supervisor/clock.h"

/* Runs and warm jails, and as many again that are over: these are soon gone, but there may
 * be no end of them either. */
#define WARDS_MOST (4 * TERMS_RUNS_MOST)
/* So many that are over wait for a moment in which there is nothing else to do. */
#define OVER_MOST 16u
/* What has changed is told so much later, with all that changes meanwhile. */
#define STATE_US 1000000u
/* What the kernel did not give back is asked for again. */
#define SWEEP_US 10000000u

/* For the server to take over another roster, on a host that is busy. */
#define ADOPT_US 10000000u

struct monitor {
	const struct monitor_setup *setup;
	sd_event *event;
	struct ward_means means;
	struct shares shares;
	struct ward *wards[WARDS_MOST]; /* owned */
	unsigned wards_count;
	struct roster *now, *before; /* owned; before: until the server has adopted now */
	struct order_bounds bounds;
	struct pulse pulse;
	struct examine examine;
	uint64_t started, failed; /* jails since the start */
	char status[120];	  /* as it was told last */
	int server_fd;		  /* pidfd; owned */
	sd_event_source *on_state;
	unsigned jails_told, leaves_left, leaves_told;
	bool stopping, broken;
	bool reload_again;	  /* asked for while the server had yet to adopt */
	sd_event_source *on_late; /* it has not adopted in time */
};

static void end_server(struct monitor *m)
{
	m->broken = true;
	syscall(SYS_pidfd_send_signal, m->server_fd, SIGKILL, NULL, 0);
}

/* Of what the monitor knows by itself: a server that was taken over has no say in it. */
static void tell_status(void *whose)
{
	struct monitor *m = whose;
	char line[sizeof(m->status)];

	snprintf(
		line, sizeof(line),
		"%s%u jails, of at most %llu runs; since the start %llu made, %llu failed",
		m->stopping ? "stopping: " : "", m->wards_count,
		(unsigned long long)m->now->settings.value[SETTING_RUNS],
		(unsigned long long)m->started, (unsigned long long)m->failed);
	if (!strcmp(line, m->status))
		return;
	memcpy(m->status, line, sizeof(line));
	notify_status(line);
}

static void send_answer(struct monitor *m, const struct answer *answer, const int *fds,
			unsigned count)
{
	struct iovec part = {(void *)(uintptr_t)answer, sizeof(*answer)};
	union {
		struct cmsghdr head;
		char room[CMSG_SPACE(ANSWER_FDS * sizeof(int))];
	} control = {.room = {0}};
	struct msghdr message = {.msg_iov = &part, .msg_iovlen = 1};

	if (count) {
		message.msg_control = &control;
		message.msg_controllen = CMSG_SPACE(count * sizeof(int));
		control.head =
			(struct cmsghdr){.cmsg_level = SOL_SOCKET,
					 .cmsg_type = SCM_RIGHTS,
					 .cmsg_len = CMSG_LEN(count * sizeof(int))};
		memcpy(CMSG_DATA(&control.head), fds, count * sizeof(int));
	}
	if (sendmsg(m->setup->orders_fd, &message, MSG_DONTWAIT | MSG_NOSIGNAL) >= 0)
		return;
	/* Told to stop it may have left, with orders of its still on their way. */
	if (m->stopping && (errno == EPIPE || errno == ECONNRESET))
		return;
	log_say("the server cannot be answered: %s: it is ended", strerror(errno));
	end_server(m);
}

static void send_failure(struct monitor *m, uint64_t run, const struct jail_error *err)
{
	struct answer answer = {.version = ORDERS_VERSION,
				.kind = ANSWER_FAILED,
				.run = run,
				.error = *err};

	send_answer(m, &answer, NULL, 0);
}

/* --- its state ---------------------------------------------------------------- */

static void tell_later(struct monitor *m, uint64_t us)
{
	int enabled = SD_EVENT_OFF;

	sd_event_source_get_enabled(m->on_state, &enabled);
	if (enabled != SD_EVENT_OFF)
		return;
	sd_event_source_set_time_relative(m->on_state, us);
	sd_event_source_set_enabled(m->on_state, SD_EVENT_ONESHOT);
}

/* A run whose processes hang in the kernel leaves its cgroup, unlocked. */
static int on_state(sd_event_source *source, uint64_t usec, void *userdata)
{
	struct monitor *m = userdata;
	struct answer answer = {.version = ORDERS_VERSION, .kind = ANSWER_STATE};

	(void)source;
	(void)usec;
	m->leaves_left = shares_sweep(&m->shares);
	if (m->leaves_left != m->leaves_told)
		log_say("cgroups of ended runs that the kernel does not give back: %u",
			m->leaves_left);
	if (m->leaves_left != m->leaves_told || m->wards_count != m->jails_told) {
		answer.jails = m->jails_told = m->wards_count;
		answer.leaves_left = m->leaves_told = m->leaves_left;
		send_answer(m, &answer, NULL, 0);
	}
	if (m->leaves_left)
		tell_later(m, SWEEP_US);
	return 0;
}

/* --- jails -------------------------------------------------------------------- */

static void on_gone(struct ward *ward, void *whose)
{
	struct monitor *m = whose;

	for (unsigned i = 0; i < m->wards_count; i++) {
		if (m->wards[i] != ward)
			continue;
		m->wards[i] = m->wards[--m->wards_count];
		break;
	}
	ward_free(ward);
	shares_tidy(&m->shares);
	tell_later(m, STATE_US);
}

static struct ward *find(const struct monitor *m, uint64_t run)
{
	for (unsigned i = 0; i < m->wards_count; i++)
		if (ward_run(m->wards[i]) == run)
			return m->wards[i];
	return NULL;
}

/* The order was judged: one of the two. */
static const struct roster *roster_of(const struct monitor *m, const struct order *order)
{
	return order->generation == m->now->generation ? m->now : m->before;
}

static const struct jail_error too_many = {
	.stage = JAIL_STAGE_SPEC,
	.errnum = EAGAIN,
	.text = "so many runs at once there may not be",
};

/* The server counts by the one that it has. */
static uint64_t setting_most(const struct monitor *m, enum setting_id id)
{
	uint64_t now = m->now->settings.value[id];
	uint64_t before = m->before ? m->before->settings.value[id] : 0;

	return before > now ? before : now;
}

/* A warm jail that is told that its run begins leaves the one bound for the other. */
static bool has_room(const struct monitor *m, enum ward_state state)
{
	enum setting_id id = state == WARD_WARM ? SETTING_POOL_TOTAL : SETTING_RUNS;
	unsigned count = 0;

	for (unsigned i = 0; i < m->wards_count; i++)
		count += ward_state(m->wards[i]) == state;
	return m->wards_count < WARDS_MOST && count < setting_most(m, id);
}

/* Where that moment does not come each new jail pays for an old one: each has descriptors
 * and a cgroup, and the more of these there are the longer it takes to make one. */
static void make_way(struct monitor *m)
{
	unsigned over = 0;

	for (unsigned i = 0; i < m->wards_count; i++)
		over += ward_state(m->wards[i]) == WARD_OVER;
	for (unsigned i = 0; over > OVER_MOST && i < m->wards_count; i++)
		if (ward_remove(m->wards[i]))
			break;
}

/* A policy that asks for a cgroup has none of its runs without. */
static int place_of(struct monitor *m, const struct order *order,
		    struct run_place *ret_place, struct jail_error *err)
{
	const struct roster *roster = roster_of(m, order);
	int r = shares_place(&m->shares, &roster->tenants[order->tenant], ret_place, err);

	ret_place->required = roster->policies[order->policy]->require_cgroup;
	return r;
}

static void tell_made(struct monitor *m, struct ward *ward)
{
	struct answer answer;
	int fds[ANSWER_FDS];

	m->started++;
	ward_answer(ward, &answer, fds);
	send_answer(m, &answer, fds, ANSWER_FDS);
	ward_handed_over(ward);
	tell_later(m, STATE_US);
}

static void tell_not_made(struct monitor *m, uint64_t run, const struct jail_error *err)
{
	m->failed++;
	send_failure(m, run, err);
}

static void on_come(struct ward *ward, const struct jail_error *err, void *whose)
{
	struct monitor *m = whose;

	if (!err) {
		tell_made(m, ward);
		return;
	}
	tell_not_made(m, ward_run(ward), err);
	on_gone(ward, m);
}

static void spawn(struct monitor *m, const struct order *order)
{
	struct run_place place;
	struct jail_error err = too_many;
	struct ward *ward;

	make_way(m);
	if (!has_room(m, order->kind == ORDER_WARM ? WARD_WARM : WARD_RUN) ||
	    place_of(m, order, &place, &err) < 0 ||
	    ward_new(order, &m->means, &place, &ward, &err) < 0) {
		tell_not_made(m, order->run, &err);
		return;
	}
	m->wards[m->wards_count++] = ward;
	if (!ward_is_coming(ward))
		tell_made(m, ward);
}

/* --- rosters ------------------------------------------------------------------ */

static void set_bounds(struct monitor *m)
{
	m->bounds.now = m->now;
	m->bounds.before = m->before;
	/* Taken in its last moment it still has to be greeted. */
	m->means.warm_ms =
		(unsigned)m->now->settings.value[SETTING_POOL_EXPIRE_MS] + WARD_SETUP_MS;
}

static int send_roster(struct monitor *m)
{
	const struct answer answer = {.version = ORDERS_VERSION, .kind = ANSWER_ROSTER};
	own_fd int fd = -1;
	int r = roster_send(m->now, &fd);

	if (r == 0)
		send_answer(m, &answer, &fd, 1);
	return r;
}

static void say_fault(void *context, const struct policy_fault *fault)
{
	char text[700];

	(void)context;
	report_spell(fault, text, sizeof(text));
	log_say("%s", text);
}

/* Also the end of a reload. One before the server listens is not told. */
static void tell_ready(struct monitor *m)
{
	tell_status(m);
	if (m->bounds.alives)
		notify_ready();
}

/* As long as it has not, what an operator has taken away can still be had. */
static int on_late(sd_event_source *source, uint64_t usec, void *userdata)
{
	struct monitor *m = userdata;

	(void)source;
	(void)usec;
	log_say("the server does not take the new configuration: it is ended");
	end_server(m);
	return 0;
}

static int await_adoption(struct monitor *m)
{
	return sd_event_add_time_relative(m->event, &m->on_late, CLOCK_MONOTONIC,
					  ADOPT_US, 1000, on_late, m);
}

static void replace(struct monitor *m, struct roster *roster)
{
	int r;

	roster->generation = m->now->generation + 1;
	m->before = m->now;
	m->now = roster;
	set_bounds(m);
	r = await_adoption(m);
	if (r >= 0)
		r = send_roster(m);
	if (r == 0)
		return;
	m->on_late = sd_event_source_disable_unref(m->on_late);
	log_say("the new configuration cannot be handed over: %s: the old one counts",
		strerror(-r));
	m->now = m->before;
	m->before = NULL;
	set_bounds(m);
	roster_unref(roster);
	tell_ready(m);
}

/* Two rosters may count at a time and not three. */
static void reload(struct monitor *m)
{
	struct policy_report report = {.say = say_fault, .faults_only = true};
	struct jail_error err;
	struct roster *roster;

	m->reload_again = m->before != NULL;
	if (m->before || m->stopping)
		return;
	if (m->bounds.alives)
		notify_reloading();
	if (config_load(m->setup->config_dir, m->setup->options, &report, &roster) < 0) {
		log_say("the configuration has %u faults: the old one counts",
			report.faults);
		tell_ready(m);
		return;
	}
	if (shares_check(m->setup->place, roster, &err) == 0) {
		replace(m, roster);
		return;
	}
	log_say("%s: the old configuration counts", err.text);
	roster_unref(roster);
	tell_ready(m);
}

static void adopted(struct monitor *m)
{
	m->on_late = sd_event_source_disable_unref(m->on_late);
	roster_unref(m->before);
	m->before = NULL;
	set_bounds(m);
	shares_adopt(&m->shares, m->now);
	log_say("configuration %u counts: %u tenants, %u policies", m->now->generation,
		m->now->tenants_count, m->now->policies_count);
	tell_ready(m);
	examine_begin(&m->examine);
	if (m->reload_again)
		reload(m);
}

static int on_hangup(sd_event_source *source, const struct signalfd_siginfo *info,
		     void *userdata)
{
	(void)source;
	(void)info;
	reload(userdata);
	return 0;
}

/* --- orders ------------------------------------------------------------------- */

static bool makes_jail(const struct order *order)
{
	return order->kind == ORDER_SPAWN || order->kind == ORDER_WARM;
}

static void start_clock(struct monitor *m, struct ward *ward, const struct order *order)
{
	if (ward_state(ward) == WARD_WARM && !has_room(m, WARD_RUN))
		ward_refuse(ward, &too_many);
	else
		ward_clock(ward, order);
}

static void become_ready(struct monitor *m)
{
	tell_ready(m);
	log_to_journal(log_new_journal());
	log_event(LOG_READY, NULL, 0, "clients are served");
}

static void obey(struct monitor *m, const struct order *order)
{
	struct ward *ward;

	if (order->kind == ORDER_ADOPT) {
		adopted(m);
		return;
	}
	if (order->kind == ORDER_ALIVE) {
		if (pulse_alive(&m->pulse))
			become_ready(m);
		return;
	}
	if (makes_jail(order)) {
		m->bounds.last_run = order->run;
		spawn(m, order);
		return;
	}
	ward = find(m, order->run);
	if (!ward)
		return;
	if (order->kind == ORDER_CLOCK)
		start_clock(m, ward, order);
	else
		ward_kill(ward);
}

/* An id names a cgroup: to wait for one that another run has would hold up everybody. */
static bool has_twin(const struct monitor *m, const struct order *order)
{
	for (unsigned i = 0; i < m->wards_count; i++)
		if (!strcmp(ward_id(m->wards[i]), order->id))
			return true;
	return false;
}

/* By what there is now, where order_check() knows only what there may be. */
static enum order_fault check_now(const struct monitor *m, const struct order *order)
{
	const struct ward *ward;

	if (makes_jail(order))
		return has_twin(m, order) ? ORDER_FAULT_ID : ORDER_FAULT_NONE;
	ward = order->kind == ORDER_CLOCK ? find(m, order->run) : NULL;
	return ward && !order_lowers(order, ward_limits(ward)) ? ORDER_FAULT_LIMIT
							       : ORDER_FAULT_NONE;
}

/* No room is given for descriptors: the kernel drops what comes along and says so. */
static int on_order(sd_event_source *source, int fd, uint32_t events, void *userdata)
{
	struct monitor *m = userdata;
	enum order_fault fault;
	struct order bytes, order;
	struct iovec part = {&bytes, sizeof(bytes)};
	struct msghdr message = {.msg_iov = &part, .msg_iovlen = 1};
	ssize_t n = recvmsg(fd, &message, MSG_DONTWAIT | MSG_TRUNC | MSG_CMSG_CLOEXEC);

	(void)events;
	if (n < 0 && (errno == EAGAIN || errno == EINTR))
		return 0;
	if (n <= 0) {
		/* Told to stop it is about to end; else it has no reason to. */
		sd_event_source_set_enabled(source, SD_EVENT_OFF);
		if (!m->stopping)
			end_server(m);
		return 0;
	}
	fault = message.msg_flags & MSG_CTRUNC
			? ORDER_FAULT_BAGGAGE
			: order_check(&bytes, (size_t)n, &m->bounds, &order);
	if (fault == ORDER_FAULT_NONE)
		fault = check_now(m, &order);
	if (fault == ORDER_FAULT_NONE) {
		obey(m, &order);
		return 0;
	}
	log_event(LOG_SERVER_FAULT, NULL, 0, "the server sent a packet %s: it is ended",
		  order_fault_texts[fault]);
	sd_event_source_set_enabled(source, SD_EVENT_OFF);
	end_server(m);
	return 0;
}

/* A server that has served does not say that the next one could not. */
static int code_of_end(const struct monitor *m, const siginfo_t *info)
{
	if (info->si_code != CLD_EXITED)
		return 1;
	if (m->stopping && !m->broken)
		return info->si_status;
	return !m->bounds.alives && info->si_status == SERVER_EXIT_FOR_GOOD
		       ? QUODD_EXIT_CONFIGURATION
		       : 1;
}

static int on_server_end(sd_event_source *source, int fd, uint32_t events, void *userdata)
{
	struct monitor *m = userdata;
	siginfo_t info = {.si_pid = 0};
	char room[SIGNAL_NAME_ROOM];

	(void)source;
	(void)fd;
	(void)events;
	if (waitid(P_PID, (id_t)m->setup->server, &info, WEXITED | WNOHANG) < 0 ||
	    info.si_pid == 0)
		return 0;
	if (info.si_code != CLD_EXITED)
		log_event(LOG_SERVER_LOST, NULL, 0, "the server was killed by %s",
			  signal_name(info.si_status, room));
	else if (info.si_status != 0 || !m->stopping)
		log_event(LOG_SERVER_LOST, NULL, 0,
			  "the server has ended with exit status %d", info.si_status);
	return sd_event_exit(m->event, code_of_end(m, &info));
}

static int on_drained(sd_event_source *source, uint64_t usec, void *userdata)
{
	struct monitor *m = userdata;

	(void)source;
	(void)usec;
	log_say("%llu ms have passed since it was told to stop: the server is ended",
		(unsigned long long)m->now->settings.value[SETTING_DRAIN_MS]);
	end_server(m);
	return 0;
}

/* Told twice, it is in a hurry. */
static int on_signal(sd_event_source *source, const struct signalfd_siginfo *info,
		     void *userdata)
{
	struct monitor *m = userdata;
	const struct answer stop = {.version = ORDERS_VERSION, .kind = ANSWER_STOP};

	(void)source;
	(void)info;
	if (m->stopping) {
		end_server(m);
		return 0;
	}
	m->stopping = true;
	notify_stopping();
	tell_status(m);
	log_event(LOG_STOPPING, NULL, 0, "told to stop: %u runs are under way",
		  m->wards_count);
	send_answer(m, &stop, NULL, 0);
	return sd_event_add_time_relative(m->event, NULL, CLOCK_MONOTONIC,
					  m->now->settings.value[SETTING_DRAIN_MS] * 1000,
					  1000, on_drained, m);
}

/* --- the pulse ---------------------------------------------------------------- */

static void ping(void *whose, uint64_t number)
{
	const struct answer answer = {
		.version = ORDERS_VERSION, .kind = ANSWER_PING, .run = number};

	send_answer(whose, &answer, NULL, 0);
}

static void on_hung(void *whose)
{
	struct monitor *m = whose;

	if (m->broken)
		return;
	log_event(LOG_SERVER_HUNG, NULL, 0, "the server does not answer: it is ended");
	end_server(m);
}

static void on_examined(void *whose, int fd)
{
	const struct answer answer = {.version = ORDERS_VERSION, .kind = ANSWER_FINDINGS};

	send_answer(whose, &answer, &fd, 1);
}

static int watch_all(struct monitor *m)
{
	int r = sd_event_add_io(m->event, NULL, m->setup->orders_fd, EPOLLIN, on_order,
				m);

	if (r >= 0)
		r = sd_event_add_io(m->event, NULL, m->server_fd, EPOLLIN, on_server_end,
				    m);
	if (r >= 0)
		r = sd_event_add_signal(m->event, NULL, SIGTERM, on_signal, m);
	if (r >= 0)
		r = sd_event_add_signal(m->event, NULL, SIGINT, on_signal, m);
	if (r >= 0)
		r = sd_event_add_signal(m->event, NULL, SIGHUP, on_hangup, m);
	if (r >= 0)
		r = sd_event_add_time(m->event, &m->on_state, CLOCK_MONOTONIC, 0, 1,
				      on_state, m);
	if (r >= 0)
		r = sd_event_source_set_enabled(m->on_state, SD_EVENT_OFF);
	return r;
}

static int prepare(struct monitor *m)
{
	static const struct pulse_calls calls = {
		.ping = ping, .hung = on_hung, .beat = tell_status};
	int r = sd_event_new(&m->event);

	if (r < 0)
		return r;
	m->server_fd = (int)syscall(SYS_pidfd_open, m->setup->server, 0);
	if (m->server_fd < 0)
		return -errno;
	m->means = (struct ward_means){.event = m->event,
				       .interp = m->setup->interp,
				       .come = on_come,
				       .gone = on_gone,
				       .whose = m};
	m->shares.place = m->setup->place;
	set_bounds(m);
	r = watch_all(m);
	if (r < 0)
		return r;
	examine_init(&m->examine, m->event, on_examined, m);
	examine_begin(&m->examine);
	return pulse_init(&m->pulse, m->event, &m->bounds, &calls, m);
}

static void take_down(struct monitor *m)
{
	while (m->wards_count)
		ward_free(m->wards[--m->wards_count]);
	pulse_free(&m->pulse);
	examine_free(&m->examine);
	shares_free(&m->shares);
	sd_event_source_disable_unref(m->on_late);
	roster_unref(m->now);
	roster_unref(m->before);
	sd_event_source_disable_unref(m->on_state);
	sd_event_unref(m->event);
	close_fd(m->server_fd);
}

int monitor_run(const struct monitor_setup *setup)
{
	struct monitor m = {
		.setup = setup, .now = roster_ref(setup->roster), .server_fd = -1};
	int r = prepare(&m);

	if (r >= 0)
		r = sd_event_loop(m.event);
	if (r < 0) {
		log_say("the monitor fails: %s", strerror(-r));
		kill(setup->server, SIGKILL);
		waitpid(setup->server, NULL, 0);
	}
	take_down(&m);
	return r < 0 ? 1 : r;
}
