/* SPDX-License-Identifier: MIT */
/*
 * An order is sent and not waited for: the cell is coming until the answer is there. The
 * ending of a run comes on a pipe of its own, so that nothing has to be sorted and a
 * monitor that dies is an end of file to each of its runs.
 */
#include "daemon/keeper.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/socket.h>
#include <unistd.h>

#include "base/own.h"
#include "daemon/log.h"
#include "daemon/orders.h"
#include "supervisor/clock.h"

static int fail(struct jail_error *err, enum jail_stage stage, int errnum,
		const char *what)
{
	*err = (struct jail_error){.stage = stage, .errnum = errnum};
	snprintf(err->text, sizeof(err->text), "%s: %s", what, strerror(errnum));
	return -errnum;
}

static struct kept_cell *kept_of(struct cell *cell)
{
	return (struct kept_cell *)cell; /* its first member */
}

static int send_order(struct keeper *keeper, const struct order *order,
		      struct jail_error *err)
{
	if (send(keeper->fd, order, sizeof(*order), MSG_DONTWAIT | MSG_NOSIGNAL) >= 0)
		return 0;
	return fail(err, JAIL_STAGE_SPEC, errno, "the monitor takes no order");
}

int keeper_say_alive(struct keeper *keeper, uint64_t ping)
{
	const struct order order = {
		.version = ORDERS_VERSION, .kind = ORDER_ALIVE, .run = ping};
	struct jail_error err;

	return send_order(keeper, &order, &err);
}

/* Asks for a jail. */
static int ask(struct kept_cell *kept, enum order_kind kind, const char *id,
	       const struct limits *limits, struct jail_error *err)
{
	struct keeper *keeper = kept->keeper;
	struct order order = {.version = ORDERS_VERSION,
			      .kind = kind,
			      .run = keeper->last_run + 1,
			      .generation = kept->place.generation,
			      .policy = kept->place.policy,
			      .tenant = kept->place.tenant};
	int r;

	memcpy(order.id, id, RUNID_LEN);
	memcpy(order.limit, limits->value, sizeof(order.limit));
	r = send_order(keeper, &order, err);
	if (r < 0)
		return r;
	kept->run = keeper->last_run = order.run;
	kept->cell.state = CELL_COMING;
	kept->next = keeper->coming;
	keeper->coming = kept;
	return 0;
}

/* A cgroup cannot be renamed. The run keeps its own time in its id and gets the rest from
 * its jail, so that who has the one finds the other. */
static void kept_name(const struct cell *cell, char *id)
{
	const struct kept_cell *kept = (const struct kept_cell *)cell;

	if (kept->warm)
		memcpy(id + RUNID_TIME_LEN, kept->jail_id + RUNID_TIME_LEN,
		       RUNID_LEN - RUNID_TIME_LEN);
}

static int kept_start(struct cell *cell, const struct request *request, const char *id,
		      struct jail_error *err)
{
	struct kept_cell *kept = kept_of(cell);

	if (!kept->warm)
		return ask(kept, ORDER_SPAWN, id, &request->limits, err);
	cell->state = CELL_HELD;
	return 0;
}

static void kept_watch(const struct cell *cell, struct guard *guard)
{
	guard_init_apart(guard, cell->ended, cell->out, cell->err);
}

/* An order is a process that has to be woken, and most parsers take no time. */
static bool is_told(const struct kept_cell *kept, uint64_t now)
{
	return kept->clock_ns && now - kept->clock_ns < CLOCK_GRACE_MS / 2 * NS_PER_MS;
}

static int kept_clock(struct cell *cell, const struct request *request,
		      struct guard *guard, struct jail_error *err)
{
	struct kept_cell *kept = kept_of(cell);
	const uint64_t *limit = request->limits.value, now = clock_mono_ns();
	const struct order order = {
		.version = ORDERS_VERSION,
		.kind = ORDER_CLOCK,
		.run = kept->run,
		.limit = {[LIMIT_ID_wall_ms] = limit[LIMIT_ID_wall_ms],
			  [LIMIT_ID_cpu_ms] = limit[LIMIT_ID_cpu_ms]},
	};

	(void)guard;
	if (is_told(kept, now))
		return 0;
	kept->clock_ns = now;
	return send_order(kept->keeper, &order, err);
}

static int kept_kill(struct cell *cell, struct jail_error *err)
{
	const struct order order = {
		.version = ORDERS_VERSION, .kind = ORDER_KILL, .run = kept_of(cell)->run};

	return send_order(kept_of(cell)->keeper, &order, err);
}

/* Killed there for a reason of its own, it was killed for us too. */
static void note_killed(const struct ending *ending, struct guard *guard)
{
	if (ending->killed == KILL_NONE)
		return;
	guard_note(guard, (enum kill_reason)ending->killed);
	guard->killed = true;
}

static int kept_wait(struct cell *cell, struct guard *guard,
		     struct jail_result *ret_result, struct jail_error *err)
{
	struct ending ending;
	struct jail_result result;
	ssize_t n = read(cell->ended, &ending, sizeof(ending));

	if (n != (ssize_t)sizeof(ending))
		return fail(err, JAIL_STAGE_COLLECT, n < 0 ? errno : EPIPE,
			    "the monitor does not tell how the run has ended");
	if (!ending_decode(&ending, &result))
		return fail(err, JAIL_STAGE_COLLECT, EPROTO,
			    "the monitor tells something else than how the run ended");
	note_killed(&ending, guard);
	if (!ending.failed && ending.killed == KILL_FAILURE)
		return fail(err, JAIL_STAGE_RUN, ETIMEDOUT,
			    "the server did not see to its run");
	if (!ending.failed) {
		*ret_result = result;
		return 0;
	}
	*err = ending.error;
	return ending.error.errnum > 0 ? -ending.error.errnum : -EIO;
}

static void close_left(struct keeper *keeper)
{
	while (keeper->left_count)
		close_fd(keeper->left[--keeper->left_count]);
}

static int on_idle(sd_event_source *source, void *userdata)
{
	(void)source;
	close_left(userdata);
	return 0;
}

/* A reply does not wait for pipes to be given back. */
static int close_later(struct keeper *keeper, int fd)
{
	if (fd < 0)
		return -1;
	if (keeper->left_count == KEEPER_LEFT_MOST)
		close_left(keeper);
	keeper->left[keeper->left_count++] = fd;
	sd_event_source_set_enabled(keeper->on_idle, SD_EVENT_ONESHOT);
	return -1;
}

static void kept_free(struct cell *cell, bool ended)
{
	struct kept_cell *kept = kept_of(cell);

	(void)ended;
	kept->calls->closing(kept->whose);
	cell->in = close_later(kept->keeper, cell->in);
	cell->out = close_later(kept->keeper, cell->out);
	cell->err = close_later(kept->keeper, cell->err);
	cell->ended = close_later(kept->keeper, cell->ended);
}

void kept_cell_init(struct kept_cell *kept, struct keeper *keeper,
		    const struct kept_place *place, const struct kept_calls *calls,
		    void *whose)
{
	static const struct cell_ops ops = {
		.name = kept_name,
		.start = kept_start,
		.watch = kept_watch,
		.clock = kept_clock,
		.kill = kept_kill,
		.wait = kept_wait,
		.free = kept_free,
	};

	*kept = (struct kept_cell){.cell = CELL_INIT(&ops),
				   .keeper = keeper,
				   .place = *place,
				   .calls = calls,
				   .whose = whose};
}

int kept_cell_warm(struct kept_cell *kept, const struct limits *limits,
		   struct jail_error *err)
{
	int r = runid_make(clock_real_ms(), kept->jail_id);

	if (r < 0)
		return fail(err, JAIL_STAGE_SPEC, -r, "no random bytes");
	kept->warm = true;
	return ask(kept, ORDER_WARM, kept->jail_id, limits, err);
}

void kept_cell_move(struct kept_cell *kept, struct kept_cell *to)
{
	struct cell *cell = &kept->cell;

	to->warm = true;
	memcpy(to->jail_id, kept->jail_id, sizeof(to->jail_id));
	to->run = kept->run;
	to->cell.in = TAKE_FD(cell->in);
	to->cell.out = TAKE_FD(cell->out);
	to->cell.err = TAKE_FD(cell->err);
	to->cell.ended = TAKE_FD(cell->ended);
	to->cell.memory_by = cell->memory_by;
	to->cell.cpu_by = cell->cpu_by;
	to->cell.processes_by = cell->processes_by;
}

/* Where the order cannot be sent the jail ends with its input, or by its age. */
void kept_cell_drop(struct kept_cell *kept)
{
	struct jail_error err;

	if (kept->cell.state == CELL_HELD)
		(void)kept_kill(&kept->cell, &err);
	kept_free(&kept->cell, false);
}

static struct kept_cell *take_coming(struct keeper *keeper, uint64_t run)
{
	struct kept_cell **at = &keeper->coming, *kept;

	while (*at && (*at)->run != run)
		at = &(*at)->next;
	kept = *at;
	if (kept)
		*at = kept->next;
	return kept;
}

static void take_held(struct cell *cell, const struct answer *answer, const int *fds)
{
	cell->in = fds[ANSWER_FD_IN];
	cell->out = fds[ANSWER_FD_OUT];
	cell->err = fds[ANSWER_FD_ERR];
	cell->ended = fds[ANSWER_FD_ENDED];
	cell->memory_by = (enum jail_enforcer)answer->memory_by;
	cell->cpu_by = (enum jail_enforcer)answer->cpu_by;
	cell->processes_by = (enum jail_enforcer)answer->processes_by;
	cell->state = CELL_HELD;
}

static int take_answer(struct keeper *keeper, const struct answer *answer, const int *fds)
{
	struct kept_cell *kept;

	if (answer->kind == ANSWER_STOP) {
		keeper->stop(keeper->whose);
		return 0;
	}
	if (answer->kind == ANSWER_ROSTER) {
		keeper->roster(keeper->whose, fds[0]);
		return 0;
	}
	if (answer->kind == ANSWER_FINDINGS) {
		keeper->findings(keeper->whose, fds[0]);
		return 0;
	}
	if (answer->kind == ANSWER_PING)
		return keeper_say_alive(keeper, answer->run);
	if (answer->kind == ANSWER_STATE) {
		keeper->state(keeper->whose, answer->jails, answer->leaves_left);
		return 0;
	}
	kept = take_coming(keeper, answer->run);
	if (!kept)
		return -EPROTO;
	if (answer->kind == ANSWER_HELD) {
		take_held(&kept->cell, answer, fds);
	} else {
		kept->cell.error = answer->error;
		kept->cell.state = CELL_FAILED;
	}
	kept->calls->changed(kept->whose);
	return 0;
}

/* How many descriptors came along. */
static unsigned unpack(struct msghdr *message, int fds[ANSWER_FDS])
{
	struct cmsghdr *head = CMSG_FIRSTHDR(message);
	size_t len;

	if (!head || head->cmsg_level != SOL_SOCKET || head->cmsg_type != SCM_RIGHTS)
		return 0;
	len = head->cmsg_len - CMSG_LEN(0);
	memcpy(fds, CMSG_DATA(head), len);
	return (unsigned)(len / sizeof(int));
}

/* -EAGAIN: nothing there. */
static int receive(struct keeper *keeper)
{
	int fds[ANSWER_FDS];
	struct answer answer;
	struct iovec part = {&answer, sizeof(answer)};
	union {
		struct cmsghdr head;
		char room[CMSG_SPACE(sizeof(fds))];
	} control;
	struct msghdr message = {.msg_iov = &part,
				 .msg_iovlen = 1,
				 .msg_control = &control,
				 .msg_controllen = sizeof(control)};
	ssize_t n = recvmsg(keeper->fd, &message, MSG_DONTWAIT | MSG_CMSG_CLOEXEC);

	if (n < 0)
		return errno == EINTR ? -EAGAIN : -errno;
	if (n == 0)
		return -EPIPE;
	if (n != (ssize_t)sizeof(answer) ||
	    message.msg_flags & (MSG_TRUNC | MSG_CTRUNC) ||
	    !answer_is_valid(&answer, unpack(&message, fds)))
		return -EPROTO;
	return take_answer(keeper, &answer, fds);
}

static int on_answer(sd_event_source *source, int fd, uint32_t events, void *userdata)
{
	struct keeper *keeper = userdata;
	int r = receive(keeper);

	(void)source;
	(void)fd;
	(void)events;
	if (r >= 0 || r == -EAGAIN)
		return 0;
	if (r != -EPIPE && r != -ECONNRESET)
		log_say("the monitor cannot be understood: %s", strerror(-r));
	return sd_event_exit(keeper->event, r);
}

int keeper_adopt(struct keeper *keeper, uint32_t generation)
{
	const struct order order = {
		.version = ORDERS_VERSION, .kind = ORDER_ADOPT, .generation = generation};
	struct jail_error err;

	return send_order(keeper, &order, &err);
}

int keeper_init(struct keeper *keeper, sd_event *event, int fd)
{
	int r;

	*keeper = (struct keeper){.fd = fd, .event = event};
	r = sd_event_add_defer(event, &keeper->on_idle, on_idle, keeper);
	if (r >= 0)
		r = sd_event_source_set_enabled(keeper->on_idle, SD_EVENT_OFF);
	if (r >= 0)
		r = sd_event_source_set_priority(keeper->on_idle, SD_EVENT_PRIORITY_IDLE);
	return r < 0 ? r : sd_event_add_io(event, NULL, fd, EPOLLIN, on_answer, keeper);
}

void keeper_free(struct keeper *keeper)
{
	close_left(keeper);
	sd_event_source_disable_unref(keeper->on_idle);
}
