/* SPDX-License-Identifier: MIT */
/*
 * One run from request to record: this is the only place where one begins and ends.
 */
#ifndef QUOD_RUN_H
#define QUOD_RUN_H

#include "supervisor/cell.h"
#include "supervisor/output.h"
#include "supervisor/record.h"

/* What a run needs from its process; all of it stays the caller's. */
struct run_means {
	struct cell *cell;	     /* of this run alone; its jail is the run's */
	const struct interp *interp; /* to say what is wrong with it */
	struct output *output;
	/* NULL, or told of the run once a jail has its job, and before that may run: without
	 * its 0 it never does. A run that gets no jail is not told. */
	int (*note)(void *whose, struct jail_error *err);
	void *whose;
};

/*
 * A run in steps, for a process that has others: run_advance() until run_is_over(), and in
 * between a wait for the slots of run_guard() and its moment (see guard.h), for a cell
 * that is coming, or for nothing but to be cancelled. Nothing here sleeps.
 *
 * NULL: no memory. Whatever happens the record (made with record_init()) is filled when
 * the run is over: a failure of ours is a record too.
 */
struct run *run_new(const struct request *request, const struct run_means *means,
		    struct record *record);
/* A run that is not over is left as it is: its cell stays the caller's to end. */
void run_free(struct run *run);

void run_advance(struct run *run);
bool run_is_over(const struct run *run);
struct guard *run_guard(struct run *run);
/* Whoever wanted it has gone. */
void run_cancel(struct run *run);

/* The record of a run whose source does not get as far as a jail. */
void run_refuse(struct record *record, const struct refusal *refusal);

/*
 * All of it in this process, which is confined on the way: it can only print and exit
 * afterwards, so this is called once in its life.
 */
void run_request(const struct request *request, const struct run_means *means,
		 struct record *record);

#endif
