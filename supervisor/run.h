/* SPDX-License-Identifier: MIT */
/*
 * One run from request to record: this is the only place where one begins and ends.
 */
#ifndef QUOD_RUN_H
#define QUOD_RUN_H

#include "supervisor/interp.h"
#include "supervisor/output.h"
#include "supervisor/place.h"
#include "supervisor/record.h"
#include "supervisor/request.h"

/* What a run needs from its process; all of it stays the caller's. */
struct run_means {
	struct interp *interp;
	const struct run_place *place;
	int signal_fd; /* from guard_prepare(), or the negative errno that it gave: */
	struct jail_error unprepared; /* then */
	struct output *output;
};

/*
 * Runs it and fills the record (made with record_init(), the caller's) whatever happens:
 * a failure of ours is a record too. The process is confined on the way: it can only
 * print and exit afterwards, so this is called once in its life.
 */
void run_request(const struct request *request, const struct run_means *means,
		 struct record *record);

#endif
