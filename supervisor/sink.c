/* SPDX-License-Identifier: MIT */
/*
 * The bytes lie in one text; parts say to which descriptor each stretch goes. When all is
 * written both start over, so that they grow only while a reader is behind.
 */
#include "supervisor/sink.h"

#include <errno.h>
#include <limits.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "supervisor/clock.h"

/* One who reads at all takes something in that time, also on a busy machine. A signal
 * that comes just as a run ends must not cost him the rest of its record. */
#define READER_MS 1000

struct sink_part {
	int fd;
	size_t end; /* offset in bytes after the stretch */
};

void sink_init(struct sink *sink)
{
	*sink = (struct sink){.bytes = TEXT_INIT(SINK_MOST)};
}

void sink_free(struct sink *sink)
{
	text_free(&sink->bytes);
	free(sink->parts);
	sink->parts = NULL;
	sink->parts_len = sink->parts_room = sink->part_now = 0;
}

static struct sink_part *part_add(struct sink *sink)
{
	size_t room = sink->parts_room ? 2 * sink->parts_room : 16;
	struct sink_part *parts;

	if (sink->parts_len < sink->parts_room)
		return &sink->parts[sink->parts_len++];
	parts = realloc(sink->parts, room * sizeof(*parts));
	if (!parts)
		return NULL;
	sink->parts = parts;
	sink->parts_room = room;
	return &sink->parts[sink->parts_len++];
}

static size_t committed(const struct sink *sink)
{
	return sink->parts_len ? sink->parts[sink->parts_len - 1].end : 0;
}

void sink_commit(struct sink *sink, int fd)
{
	struct sink_part *part;

	if (!sink->error)
		sink->error = text_status(&sink->bytes);
	if (sink->error || sink->bytes.len == committed(sink))
		return;
	part = sink->parts_len ? &sink->parts[sink->parts_len - 1] : NULL;
	if (!part || part->fd != fd)
		part = part_add(sink);
	if (!part) {
		sink->error = -ENOMEM;
		return;
	}
	*part = (struct sink_part){.fd = fd, .end = sink->bytes.len};
}

int sink_fd(const struct sink *sink)
{
	if (sink->error || sink->held || sink->part_now == sink->parts_len)
		return -1;
	return sink->parts[sink->part_now].fd;
}

static void advance(struct sink *sink, size_t len)
{
	sink->written += len;
	if (sink->written < sink->parts[sink->part_now].end)
		return;
	sink->part_now++;
	if (sink->part_now < sink->parts_len)
		return;
	text_clear(&sink->bytes);
	sink->written = sink->parts_len = sink->part_now = 0;
}

ssize_t sink_take(struct sink *sink, char *to, size_t most)
{
	size_t len;

	if (sink->error)
		return sink->error;
	if (sink->part_now == sink->parts_len)
		return 0;
	len = sink->parts[sink->part_now].end - sink->written;
	if (len > most)
		len = most;
	memcpy(to, sink->bytes.data + sink->written, len);
	advance(sink, len);
	return (ssize_t)len;
}

/* Returns how much is out of the way, 0 if nothing could be written now. */
static ssize_t write_some(struct sink *sink)
{
	struct sink_part *part;
	size_t len;
	ssize_t n;

	if (sink_fd(sink) < 0)
		return sink->error;
	part = &sink->parts[sink->part_now];
	len = part->end - sink->written;
	/* A pipe that polls writable takes this many bytes without blocking. */
	if (len > PIPE_BUF)
		len = PIPE_BUF;
	n = write(part->fd, sink->bytes.data + sink->written, len);
	if (n < 0 && (errno == EAGAIN || errno == EINTR))
		return 0;
	if (n < 0 && part->fd == STDOUT_FILENO)
		return sink->error = -errno;
	if (n < 0)
		n = (ssize_t)len;
	advance(sink, (size_t)n);
	return n;
}

int sink_write(struct sink *sink)
{
	ssize_t n = write_some(sink);

	return n < 0 ? (int)n : 0;
}

void patience_hurry(struct patience *patience)
{
	patience->give_up_ns = clock_mono_ns() + READER_MS * NS_PER_MS;
	patience->stop_fd = -1;
}

void patience_renew(struct patience *patience)
{
	if (patience->give_up_ns)
		patience_hurry(patience);
}

static bool is_over(const struct patience *patience)
{
	return patience->give_up_ns && clock_mono_ns() >= patience->give_up_ns;
}

int sink_wait(int fd, struct patience *patience)
{
	for (;;) {
		struct pollfd slots[] = {{.fd = fd, .events = POLLOUT},
					 {.fd = patience->stop_fd, .events = POLLIN}};
		int timeout =
			patience->give_up_ns ? clock_ms_until(patience->give_up_ns) : -1;
		int r = poll(slots, 2, timeout);

		if (r < 0 && errno != EINTR)
			return -errno;
		if (r > 0 && slots[1].revents)
			patience_hurry(patience);
		if (is_over(patience))
			return -EINTR;
		if (r > 0 && slots[0].revents)
			return 0;
	}
}

int sink_flush(struct sink *sink, struct patience *patience)
{
	while (sink_fd(sink) >= 0) {
		int r = sink_wait(sink_fd(sink), patience);
		ssize_t n = r < 0 ? r : write_some(sink);

		if (n < 0)
			return (int)n;
		if (n > 0)
			patience_renew(patience);
	}
	return sink->error;
}
