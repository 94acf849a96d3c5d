/* SPDX-License-Identifier: MIT */
/*
 * The server's side of daemon/orders.h: cells whose jails the monitor has.
 */
#ifndef QUOD_KEEPER_H
#define QUOD_KEEPER_H

#include <systemd/sd-event.h>

#include "supervisor/cell.h"
#include "supervisor/runid.h"

struct kept_calls {
	/* Once after a start that has succeeded: the cell is no longer coming. */
	void (*changed)(void *whose);
	/* Its descriptors are about to be closed. Whoever polls them by epoll lets go of
	 * them now: whoever else has the same pipe open keeps it in the set after we have
	 * closed ours. */
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
	bool warm; /* it has a jail that waits for a run: starting takes that */
	char jail_id[RUNID_LEN + 1]; /* then: what names its cgroup */
	uint64_t clock_ns;	     /* when a clock was told; 0: none was */
	const struct kept_calls *calls;
	void *whose;
	struct kept_cell *next; /* among those that are coming */
};

/* Descriptors of runs that are over, of two runs at the most. */
#define KEEPER_LEFT_MOST 8u

struct keeper {
	int fd; /* our end of the socket pair; borrowed */
	sd_event *event;
	int left[KEEPER_LEFT_MOST]; /* owned; closed when there is nothing else to do */
	unsigned left_count;
	sd_event_source *on_idle;
	uint64_t last_run;
	struct kept_cell *coming;
	void (*stop)(void *whose); /* the monitor wants us to leave */
	/* Another roster: the descriptor is theirs to close. keeper_adopt() when it counts. */
	void (*roster)(void *whose, int fd);
	/* What the host's checks have found: the descriptor is theirs to close. */
	void (*findings)(void *whose, int fd);
	/* How many jails there are, and cgroups of ended ones. */
	void (*state)(void *whose, unsigned jails, unsigned leaves_left);
	void *whose;
};

/* The event loop ends with an error when the monitor has gone or talks nonsense. Errors:
 * what sd-event gives. */
int keeper_init(struct keeper *keeper, sd_event *event, int fd);
void keeper_free(struct keeper *keeper);

/* All orders after this are by this generation. Errors: what send(2) gives. */
int keeper_adopt(struct keeper *keeper, uint32_t generation);

/* Ping 0 is the start: from now on clients are served. Errors: what send(2) gives. */
int keeper_say_alive(struct keeper *keeper, uint64_t ping);

void kept_cell_init(struct kept_cell *kept, struct keeper *keeper,
		    const struct kept_place *place, const struct kept_calls *calls,
		    void *whose);

/* Asks for a jail without a run, with these limits: the cell is coming, and warm. Errors:
 * what send(2) and getrandom(2) give, with err filled. */
int kept_cell_warm(struct kept_cell *kept, const struct limits *limits,
		   struct jail_error *err);
/* One that is held and has no run: its jail goes over to `to`, which has none yet. */
void kept_cell_move(struct kept_cell *kept, struct kept_cell *to);
/* Such a one, or one that failed, is killed and let go. */
void kept_cell_drop(struct kept_cell *kept);

#endif
