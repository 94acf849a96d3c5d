/* SPDX-License-Identifier: MIT */
/*
 * Several processes that work side by side, each with one quod at a time, and what they
 * share.
 */
#ifndef QUOD_TESTS_CREW_H
#define QUOD_TESTS_CREW_H

#include <pthread.h>
#include <stdbool.h>
#include <stddef.h>

/* Zeroed memory that all processes forked later share; never given back. NULL: none. */
void *crew_memory(size_t size);
void crew_lock_init(pthread_mutex_t *lock);

/*
 * Runs work(context) in so many processes at once and waits for them. They adopt whatever
 * loses its parent below them (see crew_orphans). Returns how many ended badly.
 */
unsigned crew_run(unsigned workers, void (*work)(void *context), void *context);

/*
 * In a worker between two launches: waits until no child is left, and returns how many
 * there were: processes that quod had not waited for. `*ret_left` becomes true where one
 * still runs after some seconds.
 */
unsigned crew_orphans(bool *ret_left);

#define RUN_ID_LEN 26

/* Ids of runs, in shared memory; whoever adds one holds the lock. */
struct crew_ids {
	size_t count, room;
	char (*list)[RUN_ID_LEN + 1];
};

/* Errors: -ENOMEM. */
int crew_ids_init(struct crew_ids *ids, size_t room);
void crew_ids_add(struct crew_ids *ids, const char *id);
/* Sorts. How many came more than once. */
size_t crew_ids_doubles(struct crew_ids *ids);

#endif
