/* SPDX-License-Identifier: MIT */
/*
 * One quod, started as a user would start it, disturbed once at a given moment, and seen
 * to its end. Several at a time are several processes: see crew.h.
 */
#ifndef QUOD_TESTS_LAUNCH_H
#define QUOD_TESTS_LAUNCH_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#include "base/text.h"

#define NS_PER_US 1000ull
#define NS_PER_MS 1000000ull
#define NS_PER_S  1000000000ull

enum launch_blow {
	BLOW_NONE,
	BLOW_SIGNAL,
	BLOW_CLOSE, /* its stdout loses its reader */
};

struct launch {
	char *const *argv;	 /* argv[0] is the path */
	const char *interpreter; /* QUOD_JS */
	unsigned cpu_seconds;	 /* RLIMIT_CPU; 0: as it is */
	enum launch_blow blow;
	int signal;
	bool from_first_byte; /* the delay counts from its first output, else from start
			       */
	uint64_t delay_ns;
	/* Called whenever stdout has brought something; may be NULL. */
	void (*heard)(void *context, const struct text *out, uint64_t now_ns);
	void *context;
};

struct launched {
	int status; /* as waitpid() gives it */
	bool hung;  /* was killed by us after a minute */
	bool blown; /* the blow came before its end */
	struct text out, err;
	uint64_t start_ns, first_ns, end_ns; /* monotonic; first_ns 0: no output */
};

uint64_t launch_now_ns(void);

/* Errors: what pipe2(2), fork(2) and pidfd_open(2) give; nothing is left to be freed. */
int launch_run(const struct launch *launch, struct launched *ret);
void launched_free(struct launched *launched);

/* 128 + n for a signal, as a shell tells it. */
int launched_code(const struct launched *launched);

#endif
