/* SPDX-License-Identifier: MIT */
/*
 * One thread, one event loop: orders in, jails, their ends.
 *
 * The server may have been taken over. Each packet is judged by order_check() alone; what
 * is no order ends the server and with it every run, because nothing that a server of ours
 * does looks like it. An order is answered in full or not at all: a server that lets its
 * answers pile up until the socket is full is ended too.
 *
 * Who ends whom: when the server has ended, its jails are killed and the monitor ends.
 * When the monitor dies, the kernel kills the server and the jails (parent-death signals),
 * and both also see their end of a pipe or socket closed.
 */
#include "daemon/monitor.h"

#include <errno.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <systemd/sd-event.h>
#include <unistd.h>

#include "base/own.h"
#include "base/signal_name.h"
#include "daemon/log.h"
#include "daemon/ward.h"
#include "policy/policy.h"
#include "supervisor/clock.h"

/* Told to leave, the server may finish what it has; the longest run is an hour, and
 * whoever stops a daemon does not wait so long. */
#define DRAIN_MS 30000

#define POLICIES_MOST 64

struct monitor {
	const struct monitor_setup *setup;
	sd_event *event;
	struct ward_means means;
	struct ward **wards; /* owned; as many slots as runs_most */
	unsigned wards_count;
	struct limits policies[POLICIES_MOST];
	struct order_bounds bounds;
	int server_fd; /* pidfd; owned */
	bool stopping, broken;
};

static void end_server(struct monitor *m)
{
	m->broken = true;
	syscall(SYS_pidfd_send_signal, m->server_fd, SIGKILL, NULL, 0);
}

static void send_answer(struct monitor *m, const struct answer *answer, const int *fds)
{
	struct iovec part = {(void *)(uintptr_t)answer, sizeof(*answer)};
	union {
		struct cmsghdr head;
		char room[CMSG_SPACE(ANSWER_FDS * sizeof(int))];
	} control = {.room = {0}};
	struct msghdr message = {.msg_iov = &part, .msg_iovlen = 1};

	if (fds) {
		message.msg_control = &control;
		message.msg_controllen = sizeof(control);
		control.head =
			(struct cmsghdr){.cmsg_level = SOL_SOCKET,
					 .cmsg_type = SCM_RIGHTS,
					 .cmsg_len = CMSG_LEN(ANSWER_FDS * sizeof(int))};
		memcpy(CMSG_DATA(&control.head), fds, ANSWER_FDS * sizeof(int));
	}
	if (sendmsg(m->setup->orders_fd, &message, MSG_DONTWAIT | MSG_NOSIGNAL) >= 0)
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

	send_answer(m, &answer, NULL);
}

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
}

static struct ward *find(struct monitor *m, uint64_t run)
{
	for (unsigned i = 0; i < m->wards_count; i++)
		if (ward_run(m->wards[i]) == run)
			return m->wards[i];
	return NULL;
}

static void spawn(struct monitor *m, const struct order *order)
{
	struct jail_error err = {.stage = JAIL_STAGE_SPEC,
				 .errnum = EAGAIN,
				 .text = "so many runs at once there may not be"};
	struct answer answer;
	struct ward *ward;
	int fds[ANSWER_FDS];

	if (m->wards_count == m->setup->runs_most ||
	    ward_new(order, &m->means, &ward, &err) < 0) {
		send_failure(m, order->run, &err);
		return;
	}
	m->wards[m->wards_count++] = ward;
	ward_answer(ward, &answer, fds);
	send_answer(m, &answer, fds);
	ward_handed_over(ward);
}

static void obey(struct monitor *m, const struct order *order)
{
	struct ward *ward;

	if (order->kind == ORDER_SPAWN) {
		m->bounds.last_run = order->run;
		spawn(m, order);
		return;
	}
	ward = find(m, order->run);
	if (!ward)
		return;
	if (order->kind == ORDER_CLOCK)
		ward_clock(ward);
	else
		ward_kill(ward);
}

/* An id names a cgroup: to wait for one that another run has would hold up everybody. */
static bool has_twin(const struct monitor *m, const struct order *order)
{
	for (unsigned i = 0; order->kind == ORDER_SPAWN && i < m->wards_count; i++)
		if (!strcmp(ward_id(m->wards[i]), order->id))
			return true;
	return false;
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
	if (fault == ORDER_FAULT_NONE && has_twin(m, &order))
		fault = ORDER_FAULT_ID;
	if (fault == ORDER_FAULT_NONE) {
		obey(m, &order);
		return 0;
	}
	log_say("the server sent a packet %s: it is ended", order_fault_texts[fault]);
	sd_event_source_set_enabled(source, SD_EVENT_OFF);
	end_server(m);
	return 0;
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
		log_say("the server was killed by %s", signal_name(info.si_status, room));
	else if (info.si_status != 0 || !m->stopping)
		log_say("the server has ended with exit status %d", info.si_status);
	return sd_event_exit(m->event,
			     m->stopping && !m->broken && info.si_code == CLD_EXITED
				     ? info.si_status
				     : 1);
}

static int on_drained(sd_event_source *source, uint64_t usec, void *userdata)
{
	(void)source;
	(void)usec;
	log_say("%d ms have passed since it was told to stop: the server is ended",
		DRAIN_MS);
	end_server(userdata);
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
	send_answer(m, &stop, NULL);
	return sd_event_add_time_relative(m->event, NULL, CLOCK_MONOTONIC,
					  DRAIN_MS * 1000ull, 1000, on_drained, m);
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
	return r;
}

static void know_policies(struct monitor *m)
{
	const struct policy *policy;
	uint32_t count = 0;

	while (count < POLICIES_MOST && (policy = policy_builtin(count)))
		m->policies[count++] = policy->limits;
	m->bounds = (struct order_bounds){
		.policies = m->policies, .policies_count = count, .tenants_count = 1};
}

static int prepare(struct monitor *m)
{
	int r = sd_event_new(&m->event);

	if (r < 0)
		return r;
	m->wards = calloc(m->setup->runs_most, sizeof(struct ward *));
	if (!m->wards)
		return -ENOMEM;
	m->server_fd = (int)syscall(SYS_pidfd_open, m->setup->server, 0);
	if (m->server_fd < 0)
		return -errno;
	m->means = (struct ward_means){.event = m->event,
				       .interp = m->setup->interp,
				       .place = m->setup->place,
				       .gone = on_gone,
				       .whose = m};
	know_policies(m);
	return watch_all(m);
}

static void take_down(struct monitor *m)
{
	while (m->wards_count)
		ward_free(m->wards[--m->wards_count]);
	free(m->wards);
	sd_event_unref(m->event);
	close_fd(m->server_fd);
}

int monitor_run(const struct monitor_setup *setup)
{
	struct monitor m = {.setup = setup, .server_fd = -1};
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
