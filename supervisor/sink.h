/* SPDX-License-Identifier: MIT */
/*
 * What we want to print and whoever reads us has not taken yet.
 *
 * A reader that is slow or stands still must not hold up deadlines, so nothing is written
 * before poll says that it will be taken, and then no more than a pipe takes at once.
 * (Making the descriptors non-blocking instead would change them for everybody who shares
 * them.) One queue for both streams keeps what is on a terminal in its order.
 *
 * What the queue may hold is bounded by the limits of the run whose output it is.
 */
#ifndef QUOD_SINK_H
#define QUOD_SINK_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "base/text.h"

/* Far above what the highest limits can produce: a bound, not a limit. */
#define SINK_MOST (256u << 20)

struct sink {
	struct text bytes;
	size_t written;		 /* of bytes */
	struct sink_part *parts; /* who gets which stretch of bytes; owned */
	size_t parts_len, parts_room, part_now;
	bool held; /* nothing is written here: somebody takes it, see sink_take() */
	int error; /* negative errno of stdout; sticks, what follows is dropped */
};

void sink_init(struct sink *sink);
void sink_free(struct sink *sink);
#define own_sink __attribute__((cleanup(sink_free)))

/* Whatever was added to sink->bytes since the last call is for this descriptor. */
void sink_commit(struct sink *sink, int fd);

/* The next bytes of a sink that is held, at most `most`; returns how many. Errors: the
 * one that stuck. */
ssize_t sink_take(struct sink *sink, char *to, size_t most);

/* The descriptor that takes the next bytes; -1: there are none, or they are held. */
int sink_fd(const struct sink *sink);

/*
 * Writes some, after poll said that sink_fd() takes it. Errors: what write(2) gives for
 * stdout, -ENOMEM, -E2BIG; a stderr that cannot be written is nobody's loss.
 */
int sink_write(struct sink *sink);

/*
 * How long we wait for one who reads: as long as it takes. Once stop_fd is readable, only
 * while he takes something every second. A terminal can be writable for ever and take
 * nothing, so what counts is what was taken.
 */
struct patience {
	int stop_fd;	     /* borrowed; -1: nobody can stop us, or it was done */
	uint64_t give_up_ns; /* monotonic; 0: nobody wants us to stop */
};

#define PATIENCE_INIT(fd) ((struct patience){.stop_fd = (fd)})

/* Somebody wants us to stop. */
void patience_hurry(struct patience *patience);

/* Something was taken. */
void patience_renew(struct patience *patience);

/* Waits until a write to fd is taken, or has failed. Errors: -EINTR (patience is at its
 * end), and what poll(2) gives. */
int sink_wait(int fd, struct patience *patience);

/* Writes all, waiting so for each part. Errors: those of sink_write() and sink_wait(). */
int sink_flush(struct sink *sink, struct patience *patience);

#endif
