/* SPDX-License-Identifier: MIT */
/*
 * The server of another: each scene sends what it wants and then looks at what it gets.
 */
#include "tests/daemon/taken.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/own.h"
#include "daemon/orders.h"
#include "daemon/server.h"
#include "policy/policy.h"
#include "rootfs/protocol.h"
#include "supervisor/request.h"

#define ORDERS	SERVER_ORDERS_FD
#define WALL_MS 200
/* So many jails one after the other, and so many that are ordered ahead. */
#define BUSY_RUNS  100u
#define BUSY_AHEAD 8u

static struct order spawn_order(uint64_t run)
{
	const struct policy *policy = policy_builtin(0);
	struct order order = {.version = ORDERS_VERSION,
			      .kind = ORDER_SPAWN,
			      .run = run,
			      .generation = 1,
			      .id = "01ARZ3NDEKTSV4RRFFQ69G5FA0"};

	memcpy(order.limit, policy->limits.value, sizeof(order.limit));
	order.limit[LIMIT_ID_wall_ms] = WALL_MS;
	order.limit[LIMIT_ID_cpu_ms] = WALL_MS;
	for (unsigned i = RUNID_LEN - 1; run; i--, run /= 10)
		order.id[i] = (char)('0' + run % 10);
	return order;
}

static void put(const void *bytes, size_t len)
{
	if (send(ORDERS, bytes, len, MSG_NOSIGNAL) < 0)
		fprintf(stderr, "# send: %s\n", strerror(errno));
}

static void put_order(const struct order *order)
{
	put(order, sizeof(*order));
}

static struct order warm_order(uint64_t run)
{
	struct order order = spawn_order(run);

	order.kind = ORDER_WARM;
	memcpy(order.limit, policy_builtin(0)->limits.value, sizeof(order.limit));
	return order;
}

static void put_kill(uint64_t run)
{
	const struct order order = {
		.version = ORDERS_VERSION, .kind = ORDER_KILL, .run = run};

	put_order(&order);
}

static void put_clock(uint64_t run, uint64_t wall_ms, uint64_t cpu_ms)
{
	const struct order order = {
		.version = ORDERS_VERSION,
		.kind = ORDER_CLOCK,
		.run = run,
		.limit = {[LIMIT_ID_wall_ms] = wall_ms, [LIMIT_ID_cpu_ms] = cpu_ms},
	};

	put_order(&order);
}

/* Waits for something from the monitor and what comes with it. */
static int get_any(struct answer *answer, int *fds, unsigned *ret_count)
{
	struct iovec part = {answer, sizeof(*answer)};
	union {
		struct cmsghdr head;
		char room[CMSG_SPACE(ANSWER_FDS * sizeof(int))];
	} control;
	struct msghdr message = {.msg_iov = &part,
				 .msg_iovlen = 1,
				 .msg_control = &control,
				 .msg_controllen = sizeof(control)};
	ssize_t n = recvmsg(ORDERS, &message, 0);
	struct cmsghdr *head = n > 0 ? CMSG_FIRSTHDR(&message) : NULL;

	*ret_count = 0;
	if (head) {
		*ret_count = (unsigned)((head->cmsg_len - CMSG_LEN(0)) / sizeof(int));
		memcpy(fds, CMSG_DATA(head), *ret_count * sizeof(int));
	}
	return n == (ssize_t)sizeof(*answer) ? 0 : -EPROTO;
}

/* The same, of what is about a run. */
static int get(struct answer *answer, int *fds, unsigned *ret_count)
{
	int r;

	do
		r = get_any(answer, fds, ret_count);
	while (r == 0 &&
	       (answer->kind == ANSWER_STATE || answer->kind == ANSWER_FINDINGS));
	return r;
}

static int wrong(const char *what)
{
	fprintf(stderr, "# %s\n", what);
	return 1;
}

/* Spawned as number 1; *fds are those of the answer. */
static int get_held(int fds[ANSWER_FDS])
{
	struct answer answer = {0};
	unsigned count;

	if (get(&answer, fds, &count) < 0 || !answer_is_valid(&answer, count) ||
	    answer.kind != ANSWER_HELD)
		return wrong("no jail");
	return 0;
}

static void put_alive(uint64_t ping)
{
	const struct order order = {
		.version = ORDERS_VERSION, .kind = ORDER_ALIVE, .run = ping};

	put_order(&order);
}

/* Until the descriptor has something: who does not answer does not live so long. */
static bool await_answering(int fd)
{
	static bool greeted;
	struct pollfd slots[] = {{.fd = fd, .events = POLLIN},
				 {.fd = ORDERS, .events = POLLIN}};
	struct answer answer = {0};
	int fds[ANSWER_FDS];
	unsigned count;

	if (!greeted)
		put_alive(0);
	greeted = true;
	while (poll(slots, 2, 60000) > 0 && !slots[0].revents) {
		if (get_any(&answer, fds, &count) < 0)
			return false;
		if (answer.kind == ANSWER_PING)
			put_alive(answer.run);
	}
	return slots[0].revents;
}

/* One ending, then its end of file. */
static int get_whole_ending(int fd, struct ending *ret_ending)
{
	struct pollfd slot = {.fd = fd, .events = POLLIN};
	struct jail_result result;
	char more;

	if (!await_answering(fd) ||
	    read(fd, ret_ending, sizeof(*ret_ending)) != (ssize_t)sizeof(*ret_ending) ||
	    !ending_decode(ret_ending, &result))
		return wrong("no ending");
	if (poll(&slot, 1, 60000) != 1 || read(fd, &more, 1) != 0)
		return wrong("something after the ending");
	return 0;
}

/* For what reason it was killed. */
static int get_ending(int fd, enum kill_reason *ret_reason)
{
	struct ending ending = {0};
	int r = get_whole_ending(fd, &ending);

	*ret_reason = (enum kill_reason)ending.killed;
	return r;
}

static bool is_pipe(int fd, int access)
{
	struct stat st;

	return fstat(fd, &st) == 0 && S_ISFIFO(st.st_mode) &&
	       (fcntl(fd, F_GETFL) & O_ACCMODE) == access;
}

/* What a server has of a run: what the guest says, and the order to kill it. */
static int play_honest(void)
{
	const struct order order = spawn_order(1);
	unsigned char ready[FRAME_HEADER_BYTES + 4];
	enum kill_reason reason;
	int fds[ANSWER_FDS];
	struct pollfd slot;

	put_order(&order);
	if (get_held(fds))
		return 1;
	if (!is_pipe(fds[ANSWER_FD_IN], O_WRONLY) ||
	    !is_pipe(fds[ANSWER_FD_OUT], O_RDONLY) ||
	    !is_pipe(fds[ANSWER_FD_ERR], O_RDONLY) ||
	    !is_pipe(fds[ANSWER_FD_ENDED], O_RDONLY))
		return wrong("a descriptor is no pipe, or of the wrong end");
	slot = (struct pollfd){.fd = fds[ANSWER_FD_OUT], .events = POLLIN};
	poll(&slot, 1, 60000);
	if (read(slot.fd, ready, sizeof(ready)) != (ssize_t)sizeof(ready) ||
	    ready[0] != FRAME_READY)
		return wrong("it is no quod-js");
	put_kill(1);
	if (get_ending(fds[ANSWER_FD_ENDED], &reason))
		return 1;
	return reason == KILL_CANCELLED ? 0 : wrong("it was not our kill");
}

/* All of it before the first jail is there; what comes first is anybody's. */
static int play_hasty(void)
{
	int fds[BUSY_AHEAD][ANSWER_FDS];
	enum kill_reason reason;
	struct order order;

	for (unsigned i = 0; i < BUSY_AHEAD; i++) {
		order = spawn_order(i + 1);
		put_order(&order);
		put_clock(i + 1, WALL_MS, WALL_MS);
		put_kill(i + 1);
	}
	for (unsigned i = 0; i < BUSY_AHEAD; i++)
		if (get_held(fds[i]))
			return 1;
	for (unsigned i = 0; i < BUSY_AHEAD; i++)
		if (get_ending(fds[i][ANSWER_FD_ENDED], &reason) ||
		    reason != KILL_CANCELLED)
			return wrong("it was not our kill");
	return 0;
}

static int play_lazy(unsigned clocks)
{
	const struct order order = spawn_order(1);
	enum kill_reason reason;
	int fds[ANSWER_FDS];
	struct pollfd slot;

	put_order(&order);
	if (get_held(fds))
		return 1;
	put_clock(1, WALL_MS, WALL_MS);
	slot = (struct pollfd){.fd = fds[ANSWER_FD_ENDED], .events = POLLIN};
	for (unsigned sent = 0; clocks && poll(&slot, 1, WALL_MS / 10) == 0; sent++) {
		if (sent == clocks)
			return wrong("the deadline moves with each clock");
		put_clock(1, WALL_MS, WALL_MS);
	}
	if (get_ending(fds[ANSWER_FD_ENDED], &reason))
		return 1;
	return reason == KILL_TIMEOUT ? 0 : wrong("it did not end by its deadline");
}

/* A warm jail that nobody kills but the monitor, for the wanted reason. */
static int play_warm(enum kill_reason wanted)
{
	const struct order order = warm_order(1);
	enum kill_reason reason;
	int fds[ANSWER_FDS];

	put_order(&order);
	if (get_held(fds))
		return 1;
	if (wanted == KILL_TIMEOUT)
		put_clock(1, WALL_MS, WALL_MS);
	else if (wanted == KILL_CANCELLED)
		put_kill(1);
	if (get_ending(fds[ANSWER_FD_ENDED], &reason))
		return 1;
	return reason == wanted ? 0 : wrong("it did not end for that reason");
}

static int write_part(int fd, const void *bytes, size_t len)
{
	return write(fd, bytes, len) == (ssize_t)len ? 0 : wrong("the pipe is full");
}

/* JOB and GO at once: the guest takes them one after the other. */
static int feed(int fd, const char *source)
{
	static const unsigned char go[FRAME_HEADER_BYTES + 4] = {FRAME_GO, 4};
	const struct policy *policy = policy_builtin(0);
	unsigned char head[REQUEST_HEAD_BYTES], rules[JOB_RULES_MOST];
	struct request request;
	size_t rules_len;

	request_begin(&request, policy, &policy->limits);
	request.source = source;
	request.source_len = strlen(source);
	request.name = "";
	rules_len = request_encode_rules(&request, rules);
	request_encode(&request, rules_len, head);
	return write_part(fd, head, sizeof(head)) |
	       write_part(fd, source, strlen(source)) | write_part(fd, rules, rules_len) |
	       write_part(fd, policy->globals ? policy->globals : "",
			  request_globals_len(&request)) |
	       write_part(fd, go, sizeof(go));
}

static int play_warm_cpu(void)
{
	const struct order order = warm_order(1);
	struct ending ending = {0};
	int fds[ANSWER_FDS];

	put_order(&order);
	if (get_held(fds) || feed(fds[ANSWER_FD_IN], "for (var n = 1; n > 0;);") != 0)
		return 1;
	put_clock(1, order.limit[LIMIT_ID_wall_ms], WALL_MS);
	if (get_whole_ending(fds[ANSWER_FD_ENDED], &ending))
		return 1;
	if (ending.killed != KILL_CPU)
		return wrong("it was not its CPU time that ended it");
	return ending.cpu_us >= WALL_MS * 1000 ? 0 : wrong("it had less than that");
}

/* So many are held, one more is refused, and when one is gone there is room again. */
static int play_hoard(void)
{
	int fds[SCENE_WARM_MOST + 1][ANSWER_FDS];
	struct answer answer = {0};
	enum kill_reason reason;
	struct order order;
	unsigned count;

	for (unsigned i = 0; i < SCENE_WARM_MOST; i++) {
		order = warm_order(i + 1);
		put_order(&order);
		if (get_held(fds[i]))
			return 1;
	}
	order = warm_order(SCENE_WARM_MOST + 1);
	put_order(&order);
	if (get(&answer, fds[SCENE_WARM_MOST], &count) < 0 ||
	    answer.kind != ANSWER_FAILED || answer.error.errnum != EAGAIN)
		return wrong("more warm jails than may be");
	order = spawn_order(SCENE_WARM_MOST + 2);
	put_order(&order);
	if (get_held(fds[SCENE_WARM_MOST]))
		return 1;
	put_kill(1);
	if (get_ending(fds[0][ANSWER_FD_ENDED], &reason))
		return 1;
	order = warm_order(SCENE_WARM_MOST + 3);
	put_order(&order);
	return get_held(fds[0]);
}

/* Of more warm jails than runs may be all get a clock: one has to go. */
static int play_crowd(unsigned runs_most)
{
	struct ending ending = {0};
	int fds[SCENE_WARM_MOST][ANSWER_FDS];

	if (runs_most >= SCENE_WARM_MOST)
		return wrong("the scene needs more warm jails than runs");
	for (unsigned i = 0; i <= runs_most; i++) {
		const struct order order = warm_order(i + 1);

		put_order(&order);
		if (get_held(fds[i]))
			return 1;
	}
	for (unsigned i = 0; i <= runs_most; i++)
		put_clock(i + 1, 5000, 5000);
	if (get_whole_ending(fds[runs_most][ANSWER_FD_ENDED], &ending))
		return 1;
	return ending.failed && ending.error.errnum == EAGAIN
		       ? 0
		       : wrong("more runs than may be");
}

static void put_short_life(uint64_t run)
{
	const struct order order = spawn_order(run);

	put_order(&order);
	put_kill(run);
}

static int get_short_life(void)
{
	struct answer answer = {0};
	int fds[ANSWER_FDS];
	unsigned count;

	while (get_any(&answer, fds, &count) == 0 && answer.kind != ANSWER_HELD) {
		if (answer.kind == ANSWER_PING)
			put_alive(answer.run);
		if (answer.kind == ANSWER_FAILED)
			return wrong(answer.error.text);
	}
	for (unsigned i = 0; i < count; i++)
		close(fds[i]);
	return count == ANSWER_FDS ? 0 : wrong("no jail");
}

/* Many more jails than the monitor may have files open for, one after the other; there is
 * always an order that waits. */
static int play_busy(void)
{
	int r = 0;

	put_alive(0);
	for (uint64_t run = 1; run <= BUSY_AHEAD; run++)
		put_short_life(run);
	for (uint64_t run = 1; r == 0 && run <= BUSY_RUNS; run++) {
		put_short_life(run + BUSY_AHEAD);
		r = get_short_life();
	}
	return r;
}

static void put_gifts(unsigned count)
{
	struct order order = spawn_order(1);
	struct iovec part = {&order, sizeof(order)};
	union {
		struct cmsghdr head;
		char room[CMSG_SPACE(100 * sizeof(int))];
	} control = {.room = {0}};
	struct msghdr message = {.msg_iov = &part,
				 .msg_iovlen = 1,
				 .msg_control = &control,
				 .msg_controllen = CMSG_SPACE(count * sizeof(int))};
	int *fds = (int *)(void *)CMSG_DATA(&control.head);

	control.head = (struct cmsghdr){.cmsg_level = SOL_SOCKET,
					.cmsg_type = SCM_RIGHTS,
					.cmsg_len = CMSG_LEN(count * sizeof(int))};
	for (unsigned i = 0; i < count; i++)
		fds[i] = STDERR_FILENO;
	if (sendmsg(ORDERS, &message, MSG_NOSIGNAL) < 0)
		wrong("sendmsg");
}

static void put_changed(enum scene scene)
{
	struct order order = spawn_order(1);

	if (scene == SCENE_VERSION)
		order.version++;
	else if (scene == SCENE_KIND)
		order.kind = 77;
	else if (scene == SCENE_POLICY)
		order.policy = 3;
	else if (scene == SCENE_TENANT)
		order.tenant = 1;
	else if (scene == SCENE_GENERATION)
		order.generation = 2;
	else if (scene == SCENE_ADOPT)
		order = (struct order){
			.version = ORDERS_VERSION, .kind = ORDER_ADOPT, .generation = 1};
	else if (scene == SCENE_LIMIT)
		order.limit[LIMIT_ID_memory_bytes]++;
	else if (scene == SCENE_PATH)
		memcpy(order.id, "../../../../../../../../tm", RUNID_LEN);
	put_order(&order);
}

static void put_flood(void)
{
	for (uint64_t run = 1; run <= 1000; run++) {
		const struct order order = spawn_order(run);

		if (send(ORDERS, &order, sizeof(order), MSG_NOSIGNAL) < 0)
			return;
	}
}

static void put_twice(void)
{
	put_alive(0);
	put_alive(0);
}

/* The old one would count for ever. Our parent is the monitor, whose pings we answer. */
static _Noreturn void refuse_roster(void)
{
	struct order alive = {.version = ORDERS_VERSION, .kind = ORDER_ALIVE};
	struct answer answer = {0};
	int fds[ANSWER_FDS];
	unsigned count;

	put_order(&alive);
	kill(getppid(), SIGHUP);
	while (get(&answer, fds, &count) == 0) {
		alive.run = answer.run;
		if (answer.kind == ANSWER_PING)
			put_order(&alive);
	}
	_exit(wrong("the monitor lets us keep the old configuration"));
}

/* What has to be the end of us. */
static void provoke(enum scene scene)
{
	struct order order = spawn_order(1);
	unsigned char noise[2 * sizeof(order)];

	memset(noise, 0xa5, sizeof(noise));
	if (scene == SCENE_NOISE)
		put(noise, sizeof(order));
	else if (scene == SCENE_SHORT)
		put(&order, sizeof(order) - 1);
	else if (scene == SCENE_LONG)
		put(noise, sizeof(noise));
	else if (scene == SCENE_GIFT || scene == SCENE_GIFTS)
		put_gifts(scene == SCENE_GIFT ? 1 : 100);
	else if (scene == SCENE_FUTURE)
		put_kill(1);
	else if (scene == SCENE_FLOOD)
		put_flood();
	else if (scene == SCENE_MUTE)
		put_alive(0);
	else if (scene == SCENE_LIVELY)
		put_twice();
	else if (scene == SCENE_STUBBORN)
		refuse_roster();
	else if (scene == SCENE_DEAF)
		close(ORDERS);
	else
		put_changed(scene);
}

/* A run that runs is in the way of the second order, and goes with us. */
static void provoke_later(enum scene scene)
{
	struct order order = scene == SCENE_WARM_TWIN ? warm_order(1) : spawn_order(1);
	int fds[ANSWER_FDS];

	put_order(&order);
	if (get_held(fds))
		_exit(1);
	if (scene == SCENE_EXCESS)
		order = (struct order){.version = ORDERS_VERSION,
				       .kind = ORDER_KILL,
				       .run = 1,
				       .policy = 1};
	else if (scene == SCENE_TWIN || scene == SCENE_WARM_TWIN)
		order.run = 2;
	if (scene == SCENE_RAISE)
		put_clock(1, WALL_MS / 2, WALL_MS / 2);
	if (scene == SCENE_RAISE || scene == SCENE_HIGHER)
		put_clock(1, WALL_MS + (scene == SCENE_HIGHER), WALL_MS);
	else
		put_order(&order);
}

/* We are to be killed while we wait; an answer with descriptors would be a prize. */
static int await_end(bool deaf)
{
	struct answer answer = {0};
	int fds[ANSWER_FDS];
	unsigned count;

	while (!deaf && get(&answer, fds, &count) == 0)
		if (count)
			return wrong("the monitor gave us descriptors");
	for (;;)
		pause();
}

/* What it is told at its start. */
static uint64_t told_runs(void)
{
	struct roster *roster;
	uint64_t runs;

	if (roster_receive(SERVER_ROSTER_FD, &roster) < 0)
		return 0;
	runs = roster->settings.value[SETTING_RUNS];
	roster_unref(roster);
	return runs;
}

int taken_server(void)
{
	enum scene scene = (enum scene)(told_runs() - SCENE_RUNS);
	struct order order = spawn_order(1);

	switch ((int)scene) {
	case SCENE_HONEST:
		return play_honest();
	case SCENE_HASTY:
		return play_hasty();
	case SCENE_LAZY:
		return play_lazy(0);
	case SCENE_CLOCKS:
		return play_lazy(500);
	case SCENE_WARM:
		return play_warm(KILL_TIMEOUT);
	case SCENE_WARM_KILL:
		return play_warm(KILL_CANCELLED);
	case SCENE_STALE:
		return play_warm(KILL_FAILURE);
	case SCENE_WARM_CPU:
		return play_warm_cpu();
	case SCENE_HOARD:
		return play_hoard();
	case SCENE_CROWD:
		return play_crowd(SCENE_RUNS + SCENE_CROWD);
	case SCENE_BUSY:
		return play_busy();
	case SCENE_LEAVES:
		put_order(&order);
		return 0;
	case SCENE_EMPTY:
		put("", 0);
		break;
	case SCENE_AGAIN:
	case SCENE_EXCESS:
	case SCENE_TWIN:
	case SCENE_WARM_TWIN:
	case SCENE_HIGHER:
	case SCENE_RAISE:
		provoke_later(scene);
		break;
	default:
		provoke(scene);
		break;
	}
	return await_end(scene == SCENE_FLOOD || scene == SCENE_DEAF);
}
