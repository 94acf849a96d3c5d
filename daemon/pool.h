/* SPDX-License-Identifier: MIT */
/*
 * Warm jails in the server: interpreters that were started ahead and wait for a job on
 * their pipe. Each has one run or none, and serves only the tenant and the policy that it
 * was made for, with that policy's own limits.
 */
#ifndef QUOD_POOL_H
#define QUOD_POOL_H

#include <systemd/sd-event.h>

#include "daemon/keeper.h"
#include "daemon/roster.h"

/* What a warm jail has of the server's descriptors, as a run has. */
#define POOL_FDS 4u

struct shelf;
struct warm;

struct pool {
	struct keeper *keeper;
	sd_event *event;
	/* Of a tenant and policy; at most of them, 0: no pool; of all together. */
	uint64_t least, most, total;
	uint64_t expire_ns;   /* so old one becomes at most */
	const unsigned *runs; /* under way; borrowed */
	struct shelf *shelves;
	struct warm *coming; /* the one that was asked for last, until it is there */
	unsigned count;	     /* of all, this one included */
	uint64_t pause_ms, retry_ns;
	sd_event_source *on_fill, *on_tick;
	uint64_t hits, misses; /* since the start */
};

/* Without a roster there is no pool yet. Errors: what sd-event gives. */
int pool_init(struct pool *pool, sd_event *event, struct keeper *keeper,
	      const unsigned *runs);
void pool_free(struct pool *pool);

/* All of them go, because numbers have another meaning from here on; the settings are those
 * of this roster, and fewer where only so many files may be open in each process, or so
 * many are to spare in this one. */
void pool_adopt(struct pool *pool, const struct roster *roster, uint64_t files_most,
		uint64_t files_spare);

/* Puts a warm jail into the cell of a run that is about to start; false: there is none
 * that fits, and the run has to make its own. */
bool pool_take(struct pool *pool, const struct kept_place *place,
	       const struct request *request, struct kept_cell *to);

/* A run has ended: there is time to make the next one. */
void pool_tend(struct pool *pool);

/* All of them go. */
void pool_flush(struct pool *pool);

#endif
