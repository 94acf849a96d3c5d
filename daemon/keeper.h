/* SPDX-License-Identifier: MIT */
/*
 * The server's side of daemon/orders.h: cells whose jails the monitor has.
 */
#ifndef QUOD_KEEPER_H
#define QUOD_KEEPER_H

#include <systemd/sd-event.h>

#include "supervisor/cell.h"

struct kept_calls {
	/* Once after a start that has succeeded: the cell is no longer coming. */
	void (*changed)(void *whose);
	/* Its descriptors are about to be closed. Whoever polls them by epoll lets go of
	 * them now: the monitor has the same pipes open, so that closing ours would not
	 * end that. */
	void (*closing)(void *whose);
};

struct kept_cell {
	struct cell cell;
	struct keeper *keeper;
	uint64_t run;
	/* Whose, and by which policy: numbers in the roster of that generation. */
	struct kept_place {
		uint32_t generation, tenant, policy;
	} place;
	const struct kept_calls *calls;
	void *whose;
	struct kept_cell *next; /* among those that are coming */
};

struct keeper {
	int fd; /* our end of the socket pair; borrowed */
	sd_event *event;
	uint64_t last_run;
	struct kept_cell *coming;
	void (*stop)(void *whose); /* the monitor wants us to leave */
	/* Another roster: the descriptor is theirs to close. keeper_adopt() when it counts. */
	void (*roster)(void *whose, int fd);
	void *whose;
};

/* The event loop ends with an error when the monitor has gone or talks nonsense. Errors:
 * what sd_event_add_io() gives. */
int keeper_init(struct keeper *keeper, sd_event *event, int fd);

/* All orders after this are by this generation. Errors: what send(2) gives. */
int keeper_adopt(struct keeper *keeper, uint32_t generation);

void kept_cell_init(struct kept_cell *kept, struct keeper *keeper,
		    const struct kept_place *place, const struct kept_calls *calls,
		    void *whose);

#endif
