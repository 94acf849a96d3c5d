/* SPDX-License-Identifier: MIT */
/*
 * Bytes between us, the guest and our reader. Each round does at most one read or write
 * per descriptor, so that a flood on one of them cannot keep us from the clock.
 */
#include <errno.h>
#include <string.h>
#include <unistd.h>

#include "base/own.h"
#include "supervisor/run_internal.h"

/* More than any pipe holds: after the death of the guest nothing is added to that. */
#define DRAIN_MOST (2u << 20)

static void feed_add(struct run_feed *feed, const void *bytes, size_t len)
{
	if (len)
		feed->parts[feed->count++] = (struct iovec){(void *)bytes, len};
}

static void watch_feed(struct run *run)
{
	bool more = run->feed.now < run->feed.count;

	run->guard.slots[WATCH_IN].fd = more ? run->cell->in : -1;
}

static void feed_advance(struct run_feed *feed, size_t len)
{
	while (len) {
		struct iovec *part = &feed->parts[feed->now];
		size_t n = len < part->iov_len ? len : part->iov_len;

		part->iov_base = (char *)part->iov_base + n;
		part->iov_len -= n;
		len -= n;
		if (part->iov_len == 0)
			feed->now++;
	}
}

/* A guest that does not listen is dying or will be judged by what it says. */
static void feed_failed(struct run *run, int errnum)
{
	run->feed.now = run->feed.count;
	if (errnum != EPIPE)
		run_failf(run, JAIL_STAGE_RUN, errnum, "cannot write the job: %s",
			  strerror(errnum));
}

static void feed_some(struct run *run)
{
	struct run_feed *feed = &run->feed;
	ssize_t n;

	if (feed->now < feed->count) {
		n = writev(run->cell->in, feed->parts + feed->now,
			   (int)(feed->count - feed->now));
		if (n > 0)
			feed_advance(feed, (size_t)n);
		else if (n < 0 && errno != EAGAIN && errno != EINTR)
			feed_failed(run, errno);
	}
	watch_feed(run);
}

void run_feed_job(struct run *run)
{
	const struct request *request = run->request;
	size_t rules_len = request_encode_rules(request, run->rules);

	request_encode(request, rules_len, run->head);
	feed_add(&run->feed, run->head, sizeof(run->head));
	feed_add(&run->feed, request->source, request->source_len);
	feed_add(&run->feed, request->input, request->input_len);
	feed_add(&run->feed, request->name, strlen(request->name));
	feed_add(&run->feed, run->rules, rules_len);
	feed_add(&run->feed, request->policy->globals, request_globals_len(request));
	feed_some(run);
}

void run_feed_go(struct run *run)
{
	run->go[0] = FRAME_GO;
	put_u32le(run->go + 1, 4);
	put_u32le(run->go + FRAME_HEADER_BYTES, run->compile_only ? GO_COMPILE : 0);
	feed_add(&run->feed, run->go, sizeof(run->go));
	feed_some(run);
}

/* What stands behind END is looked at when the guest is dead. */
static bool is_listened_to(const struct run *run)
{
	return !run->drained && (!run->complete || run->guard.ended);
}

static void take_frames(struct run *run)
{
	struct frame frame;
	int r = 0;

	while (is_listened_to(run) && (r = frames_next(&run->frames, &frame)) > 0)
		run_take_frame(run, &frame);
	if (r < 0) {
		run->drained = true;
		guard_note(&run->guard, KILL_PROTOCOL);
	}
}

/* Returns what read(2) does. That it failed is our fault, not an end of the guest's. */
static ssize_t read_guest(struct run *run, int fd, void *to, size_t len)
{
	ssize_t n;

	do
		n = read(fd, to, len);
	while (n < 0 && errno == EINTR);
	if (n < 0 && errno != EAGAIN)
		run_failf(run, JAIL_STAGE_RUN, errno,
			  "cannot read what the guest says: %s", strerror(errno));
	return n;
}

static ssize_t read_frames(struct run *run)
{
	size_t len = 0;
	void *room = frames_room(&run->frames, &len);
	ssize_t n;

	if (!room) {
		run->drained = true;
		if (run->frames.fault)
			guard_note(&run->guard, KILL_PROTOCOL);
		else
			run_failf(run, JAIL_STAGE_RUN, ENOMEM, "no memory for a frame");
		return 0;
	}
	n = read_guest(run, run->cell->out, room, len);
	if (n > 0) {
		frames_added(&run->frames, (size_t)n);
		take_frames(run);
	}
	return n;
}

/* The first bytes are kept, the rest is thrown away: the guest must not block on it. */
static ssize_t read_diagnostics(struct run *run)
{
	char bytes[RUN_DIAGNOSTICS_MOST];
	ssize_t n = read_guest(run, run->cell->err, bytes, sizeof(bytes));
	size_t left = run->diagnostics.most - run->diagnostics.len;

	if (n > 0)
		text_add(&run->diagnostics, bytes, (size_t)n < left ? (size_t)n : left);
	return n;
}

/* End of file: a pipe that stays readable for ever must not be polled. */
static void pump_in(struct run *run, enum watch slot, ssize_t (*take)(struct run *))
{
	if (guard_ready(&run->guard, slot) && take(run) == 0)
		run->guard.slots[slot].fd = -1;
}

static void watch_output(struct run *run)
{
	int fd = sink_fd(&run->means->output->sink);
	struct pollfd *slots = run->guard.slots;

	slots[WATCH_STDOUT].events = fd == STDOUT_FILENO ? POLLOUT : 0;
	slots[WATCH_STDERR].fd = fd == STDERR_FILENO ? fd : -1;
}

static void pump_output(struct run *run)
{
	struct sink *sink = &run->means->output->sink;
	enum watch slot = sink_fd(sink) == STDERR_FILENO ? WATCH_STDERR : WATCH_STDOUT;
	int r = sink->error;

	if (!r && sink_fd(sink) >= 0 && guard_ready(&run->guard, slot))
		r = sink_write(sink);
	if (r == -EPIPE)
		guard_note(&run->guard, KILL_CANCELLED);
	else if (r < 0)
		run_failf(run, JAIL_STAGE_RUN, -r, "cannot write to stdout: %s",
			  strerror(-r));
	watch_output(run);
}

void run_pump(struct run *run)
{
	if (guard_ready(&run->guard, WATCH_IN))
		feed_some(run);
	pump_in(run, WATCH_ERR, read_diagnostics);
	if (!run->drained)
		pump_in(run, WATCH_OUT, read_frames);
	pump_output(run);
}

void run_drain(struct run *run)
{
	size_t total = 0;
	ssize_t n = 1;

	take_frames(run);
	while (n > 0 && total < DRAIN_MOST && !run->drained) {
		n = read_frames(run);
		total += n > 0 ? (size_t)n : 0;
	}
	if (!run->drained && frames_finish(&run->frames) < 0)
		guard_note(&run->guard, KILL_PROTOCOL);
	run->drained = true;
	for (n = 1, total = 0; n > 0 && total < DRAIN_MOST; total += (size_t)n)
		n = read_diagnostics(run);
}
