/* SPDX-License-Identifier: MIT */
/*
 * What the files of the inmate share. A try says its own lines, "name=value"; an attempt
 * is one attack and has one outcome, which main() says for it: "NAME=ok" or the name of
 * the errno.
 */
#ifndef QUOD_TESTS_INMATE_H
#define QUOD_TESTS_INMATE_H

#include <stddef.h>

#define COUNT(array) (sizeof(array) / sizeof((array)[0]))

/* One line "name=value"; a line that cannot be written ends the inmate. */
void say(const char *name, const char *value);
void say_number(const char *name, long value);
/* "ok", or the name of errno as it stands, or its number where it has none here. */
void say_result(const char *name, long r);

/* Sets errno and returns -1. */
long failed_with(int errnum);

/* For a child: ends when its parent does. Where the pid namespace fails, nobody else
 * would end it. */
void end_with(int parent);

struct try_fn {
	const char *name;
	void (*run)(const char *arg);
};

struct attempt {
	const char *name;
	long (*run)(const char *arg); /* below 0: refused, errno says how */
};

/*
 * A way from one process to another. leave() puts something there and returns a handle to
 * it, or has no more to do than live on; find() looks for it in another process, by the
 * token that both were told and the handle. wait() is what the leaver does from then on.
 */
struct mark {
	long token, handle;
};

struct channel {
	const char *name;
	long (*leave)(const struct mark *mark);
	long (*find)(const struct mark *mark); /* below 0: not found */
	void (*wait)(const struct mark *mark); /* NULL: sleeps */
};

/* Ended by a row without a name. */
extern const struct channel object_channels[];	/* keys, IPC, files, locks */
extern const struct channel message_channels[]; /* sockets, pipes, futexes, events */
extern const struct channel process_channels[]; /* the other process by its number */
extern const struct try_fn channel_tries[];
extern const struct try_fn count_tries[];
extern const struct try_fn flood_tries[];
extern const struct attempt host_attempts[];
extern const struct attempt network_attempts[];
extern const struct attempt pipe_attempts[];
extern const struct attempt privilege_attempts[];
extern const struct attempt surface_attempts[];

#endif
