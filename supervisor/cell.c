/* SPDX-License-Identifier: MIT */
/*
 * A cell that is a jail of this process, by libjail.
 */
#include "supervisor/cell.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "base/own.h"
#include "policy/filter_js.h"
#include "supervisor/confine.h"

/* The interpreter's native stack, which deep recursion in its own C code needs. */
#define STACK_BYTES (8 * LIMITS_MIB)

/* RLIMIT_CPU counts whole seconds and the jail's own start: only for the case that we
 * are stopped or dead. */
static uint32_t backstop_seconds(const struct limits *limits)
{
	return (uint32_t)(limits->value[LIMIT_ID_cpu_ms] / 1000 + 2);
}

int cell_start_jail(const struct limits *limits, unsigned flags,
		    const struct interp *interp, const struct run_place *place,
		    const char *id, struct jail **ret_jail, struct jail_error *err)
{
	uint64_t heap = limits->value[LIMIT_ID_memory_bytes];
	char arena[24], name[] = "quod-js", word[] = WORD_AHEAD;
	char *argv[] = {name, arena, flags & CELL_AHEAD ? word : NULL, NULL};
	struct jail_spec spec = JAIL_SPEC_INIT;

	/* Whole pages: the interpreter rounds down. */
	snprintf(arena, sizeof(arena), "%" PRIu64, (heap + 4095) & ~(uint64_t)4095);
	spec.id = id;
	spec.exe_fd = interp->fd;
	spec.exe_name = interp->path;
	spec.argv = argv;
	spec.filter = (struct sock_fprog){.len = ARRAY_LEN(filter_js),
					  .filter = (struct sock_filter *)filter_js};
	spec.limits = (struct jail_limits){
		.memory_bytes = heap + LIMITS_MEMORY_OVERHEAD,
		.stack_bytes = STACK_BYTES,
		.cpu_seconds = backstop_seconds(limits),
		.cpu_percent = (uint32_t)limits->value[LIMIT_ID_cpu_percent],
		.processes = (uint32_t)limits->value[LIMIT_ID_processes],
	};
	spec.flags = JAIL_FILTER_NO_FORK | (place->required ? JAIL_NEED_CGROUP : 0) |
		     (flags & CELL_REMOVED ? JAIL_HOLD_MOUNTS : 0);
	spec.cgroup_fd = place->fd;
	spec.template = place->template;
	return flags & CELL_BEGUN ? jail_begin(&spec, ret_jail, err)
				  : jail_start(&spec, ret_jail, err);
}

/* CPU time that cannot be used up before wall time is not worth looking at. */
int cell_limit_cpu(const struct limits *limits, struct guard *guard,
		   struct jail_error *err)
{
	const uint64_t *limit = limits->value;
	int r;

	if (guard->cpu_limit_us || limit[LIMIT_ID_cpu_ms] >= limit[LIMIT_ID_wall_ms])
		return 0;
	r = guard_set_cpu_limit(guard, limit[LIMIT_ID_cpu_ms]);
	if (r == 0)
		return 0;
	*err = (struct jail_error){.stage = JAIL_STAGE_RUN, .errnum = -r};
	snprintf(err->text, sizeof(err->text), "cannot measure CPU time: %s",
		 strerror(-r));
	return r;
}

static struct own_cell *own_of(struct cell *cell)
{
	return (struct own_cell *)cell; /* its first member */
}

/* What our caller has opened for us. */
static int means_are_there(const struct own_cell *own, struct jail_error *err)
{
	*err = (struct jail_error){0};
	if (own->unprepared) {
		*err = *own->unprepared;
	} else if (own->interp->fd < 0) {
		err->stage = JAIL_STAGE_EXEC;
		err->errnum = own->interp->errnum;
		snprintf(err->text, sizeof(err->text), "%.500s", own->interp->why);
	} else if (own->place->failed) {
		*err = own->place->err;
	}
	return -err->errnum;
}

static int own_start(struct cell *cell, const struct request *request, const char *id,
		     struct jail_error *err)
{
	struct own_cell *own = own_of(cell);
	int r = means_are_there(own, err);

	if (r == 0)
		r = cell_start_jail(&request->limits, 0, own->interp, own->place, id,
				    &own->jail, err);
	if (r < 0)
		return r;
	cell->in = jail_fd(own->jail, JAIL_FD_IN);
	cell->out = jail_fd(own->jail, JAIL_FD_OUT);
	cell->err = jail_fd(own->jail, JAIL_FD_ERR);
	cell->ended = jail_fd(own->jail, JAIL_FD_PIDFD);
	cell->memory_by = jail_memory_enforcer(own->jail);
	cell->cpu_by = jail_cpu_enforcer(own->jail);
	cell->processes_by = jail_processes_enforcer(own->jail);
	cell->state = CELL_HELD;
	return 0;
}

static void own_watch(const struct cell *cell, struct guard *guard)
{
	const struct own_cell *own = (const struct own_cell *)cell;

	guard_init(guard, own->jail, own->signal_fd);
}

static int own_clock(struct cell *cell, const struct request *request,
		     struct guard *guard, struct jail_error *err)
{
	(void)cell;
	return cell_limit_cpu(&request->limits, guard, err);
}

static int own_kill(struct cell *cell, struct jail_error *err)
{
	return jail_kill(own_of(cell)->jail, err);
}

static int own_wait(struct cell *cell, struct guard *guard,
		    struct jail_result *ret_result, struct jail_error *err)
{
	(void)guard;
	return jail_wait(own_of(cell)->jail, ret_result, err);
}

/* A jail that SIGKILL does not end would hold us here for ever: it is left alone. */
static void own_free_cell(struct cell *cell, bool ended)
{
	if (ended)
		jail_free(own_of(cell)->jail);
	own_of(cell)->jail = NULL;
}

void own_cell_init(struct own_cell *own, const struct interp *interp,
		   const struct run_place *place, int signal_fd,
		   const struct jail_error *unprepared)
{
	static const struct cell_ops ops = {
		.start = own_start,
		.watch = own_watch,
		.confine = confine_self,
		.clock = own_clock,
		.kill = own_kill,
		.wait = own_wait,
		.free = own_free_cell,
	};

	*own = (struct own_cell){.cell = CELL_INIT(&ops),
				 .interp = interp,
				 .place = place,
				 .signal_fd = signal_fd,
				 .unprepared = unprepared};
}
