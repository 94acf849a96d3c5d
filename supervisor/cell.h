/* SPDX-License-Identifier: MIT */
/*
 * The jail of one run, as the run sees it: three pipes, an end, and somebody who can kill
 * it. `quod run` keeps its jail itself (cell_own()); in quodd another process does, which
 * alone may make jails.
 *
 * A cell is coming (start() has asked for it), then held, and after its end it is
 * collected with wait() and given back with free().
 */
#ifndef QUOD_CELL_H
#define QUOD_CELL_H

#include "supervisor/guard.h"
#include "supervisor/interp.h"
#include "supervisor/place.h"
#include "supervisor/request.h"

enum cell_state {
	CELL_NONE,
	CELL_COMING, /* asked for; `state` and the rest are written when it is there */
	CELL_HELD,
	CELL_FAILED, /* never was: err says why */
};

struct cell;

/* Failures are negative errnos with err filled, as libjail has them. */
struct cell_ops {
	/* Before anybody else knows the id: where there is a jail already it changes what
	 * stands from RUNID_TIME_LEN on to what that jail has there. May be NULL. */
	void (*name)(const struct cell *cell, char *id);
	/* The id is the run's. Afterwards the cell is coming or held. */
	int (*start)(struct cell *cell, const struct request *request, const char *id,
		     struct jail_error *err);
	/* Which descriptors, and who notes CPU time. */
	void (*watch)(const struct cell *cell, struct guard *guard);
	/* Before the first hostile byte is read; NULL: that is long done. */
	int (*confine)(void);
	/* Parsing begins, then the script: wall time from now on, CPU time from the first
	 * of the two. */
	int (*clock)(struct cell *cell, const struct request *request,
		     struct guard *guard, struct jail_error *err);
	int (*kill)(struct cell *cell, struct jail_error *err);
	/* After its end alone: as jail_wait(). May note why it was killed elsewhere. */
	int (*wait)(struct cell *cell, struct guard *guard,
		    struct jail_result *ret_result, struct jail_error *err);
	/* `ended`: it is known to be dead. */
	void (*free)(struct cell *cell, bool ended);
};

struct cell {
	const struct cell_ops *ops;
	enum cell_state state;
	/* The guest's 0, 1 and 2, and what polls readable when the jail has ended. */
	int in, out, err, ended;
	enum jail_enforcer memory_by, cpu_by, processes_by;
	struct jail_error error; /* with CELL_FAILED */
};

#define CELL_INIT(operations)                                                     \
	{                                                                         \
		.ops = (operations), .in = -1, .out = -1, .err = -1, .ended = -1, \
	}

/* A jail of this process, and what it is made with; all of it stays the caller's. */
struct own_cell {
	struct cell cell;
	const struct interp *interp;
	const struct run_place *place;
	int signal_fd;			     /* from guard_prepare() */
	const struct jail_error *unprepared; /* why it gave none, or NULL */
	struct jail *jail;		     /* owned */
};

void own_cell_init(struct own_cell *own, const struct interp *interp,
		   const struct run_place *place, int signal_fd,
		   const struct jail_error *unprepared);

enum cell_flag {
	CELL_AHEAD = 1 << 0,   /* its job may be long in coming */
	CELL_REMOVED = 1 << 1, /* by jail_remove(), a while after its end */
	CELL_BEGUN = 1 << 2,   /* it may be pending: jail_begin() */
};

/*
 * A jail for quod-js, as libjail makes it: jail_start() or jail_begin() with the policy's filter and
 * these limits. *ret_jail is the caller's. Errors: those of jail_start().
 */
int cell_start_jail(const struct limits *limits, unsigned flags,
		    const struct interp *interp, const struct run_place *place,
		    const char *id, struct jail **ret_jail, struct jail_error *err);

/* For parser and script together: the first works on the same hostile bytes. Errors: as
 * jail_cpu_us(), with err filled. */
int cell_limit_cpu(const struct limits *limits, struct guard *guard,
		   struct jail_error *err);

/* From clone to READY. A host under great load takes a second. */
#define CELL_SETUP_MS 10000

#endif
