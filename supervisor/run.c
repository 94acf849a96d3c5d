/* SPDX-License-Identifier: MIT */
/*
 * The run's state machine.
 *
 *	start -> greet -> gate -> decide -> guest -> drain -> reap -> done
 *	            \        \        \        \-> stop -/
 *
 * Each state is one function that does one round and names the next state. A waiting state
 * leaves for `drain` when the jail is dead and for `stop` when a reason to kill is noted;
 * that is looked at in one place (next_after). Nothing before `decide` is the guest's time:
 * its clock starts when GO is written.
 *
 * jail_start() comes first and everything that does not have to precede it comes after,
 * while the child makes its namespaces.
 */
#include "supervisor/run.h"

#include <assert.h>
#include <errno.h>
#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "base/own.h"
#include "policy/filter_js.h"
#include "policy/gate.h"
#include "supervisor/clock.h"
#include "supervisor/confine.h"
#include "supervisor/run_internal.h"

/* From clone to READY. A host under great load takes a second. */
#define SETUP_MS 10000

/* The interpreter's native stack, which deep recursion in its own C code needs. */
#define STACK_BYTES (8 * LIMITS_MIB)

void run_fail(struct run *run, const struct jail_error *err)
{
	guard_note(&run->guard, KILL_FAILURE);
	if (run->failed)
		return;
	run->failed = true;
	run->err = *err;
}

void run_failf(struct run *run, enum jail_stage stage, int errnum, const char *format,
	       ...)
{
	struct jail_error err = {.stage = stage, .errnum = errnum};
	va_list args;

	va_start(args, format);
	vsnprintf(err.text, sizeof(err.text), format, args);
	va_end(args);
	run_fail(run, &err);
}

/* RLIMIT_CPU counts whole seconds and the jail's own start: only for the case that we
 * are stopped or dead. */
static uint32_t backstop_seconds(const struct limits *limits)
{
	return (uint32_t)(limits->value[LIMIT_ID_cpu_ms] / 1000 + 2);
}

static int start_jail(struct run *run, struct jail_error *err)
{
	const struct limits *limits = &run->request->limits;
	const struct run_place *place = run->means->place;
	uint64_t heap = limits->value[LIMIT_ID_memory_bytes];
	char arena[24], name[] = "quod-js";
	char *argv[] = {name, arena, NULL};
	struct jail_spec spec = JAIL_SPEC_INIT;

	/* Whole pages: the interpreter rounds down. */
	snprintf(arena, sizeof(arena), "%" PRIu64, (heap + 4095) & ~(uint64_t)4095);
	spec.id = run->record->id;
	spec.exe_fd = run->means->interp->fd;
	spec.exe_name = run->means->interp->path;
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
	spec.flags = JAIL_FILTER_NO_FORK | (place->required ? JAIL_NEED_CGROUP : 0);
	spec.cgroup_fd = place->fd;
	return jail_start(&spec, &run->jail, err);
}

/* What our caller has opened for us. */
static bool means_are_there(struct run *run)
{
	const struct run_means *means = run->means;

	if (means->signal_fd < 0)
		run_fail(run, &means->unprepared);
	else if (means->interp->fd < 0)
		run_failf(run, JAIL_STAGE_EXEC, means->interp->errnum, "%s",
			  means->interp->why);
	else if (means->place->failed)
		run_fail(run, &means->place->err);
	return !run->failed;
}

static enum run_state step_start(struct run *run)
{
	struct jail_error err;
	int r;

	run->start_ns = clock_mono_ns();
	run->record->started_ms = clock_real_ms();
	r = runid_make(run->record->started_ms, run->record->id);
	if (r < 0) {
		run_failf(run, JAIL_STAGE_SPEC, -r, "no random bytes: %s", strerror(-r));
		return RUN_reap;
	}
	if (!means_are_there(run))
		return RUN_reap;
	if (start_jail(run, &err) < 0) {
		run_fail(run, &err);
		return RUN_reap;
	}
	guard_init(&run->guard, run->jail, run->means->signal_fd);
	run_feed_job(run);
	r = confine_self();
	run->confined = r == 0;
	if (r < 0)
		run_failf(run, JAIL_STAGE_FILTER, -r, CONFINE_FAILED ": %s",
			  strerror(-r));
	guard_set_deadline(&run->guard, SETUP_MS, KILL_FAILURE);
	return run->failed ? RUN_stop : RUN_greet;
}

/* One round of waiting, and where it leads if it cannot go on here. */
static enum run_state next_after(struct run *run, enum run_state here)
{
	int r = guard_wait(&run->guard);

	if (r < 0)
		run_failf(run, JAIL_STAGE_RUN, -r, "poll: %s", strerror(-r));
	else if (!run->guard.ended)
		run_pump(run);
	if (run->guard.ended)
		return RUN_drain;
	return run->guard.reason == KILL_NONE ? here : RUN_stop;
}

/* For parser and script together: the first works on the same hostile bytes. CPU time
 * that cannot be used up before wall time is not worth looking at. */
static int limit_cpu(struct run *run)
{
	const uint64_t *limit = run->request->limits.value;
	int r = 0;

	if (limit[LIMIT_ID_cpu_ms] < limit[LIMIT_ID_wall_ms])
		r = guard_set_cpu_limit(&run->guard, limit[LIMIT_ID_cpu_ms]);
	if (r < 0)
		run_failf(run, JAIL_STAGE_RUN, -r, "cannot measure CPU time: %s",
			  strerror(-r));
	return r;
}

static enum run_state step_greet(struct run *run)
{
	const uint64_t *limit = run->request->limits.value;
	enum run_state next = next_after(run, RUN_greet);

	if (next == RUN_stop && !run->failed && run->guard.reason == KILL_FAILURE)
		run_failf(
			run, JAIL_STAGE_EXEC, ETIMEDOUT,
			"the interpreter was not ready %d ms after its jail was started",
			SETUP_MS);
	if (next != RUN_greet || run->frames.place < FRAMES_AT_GATE)
		return next;
	/* Parsing is bounded too, but it is not the script's time. */
	guard_set_deadline(&run->guard, limit[LIMIT_ID_wall_ms], KILL_TIMEOUT);
	if (limit_cpu(run) < 0)
		return RUN_stop;
	return run->frames.place == FRAMES_AT_GO ? RUN_decide : RUN_gate;
}

static enum run_state step_gate(struct run *run)
{
	enum run_state next = next_after(run, RUN_gate);

	return next == RUN_gate && run->frames.place == FRAMES_AT_GO ? RUN_decide : next;
}

/* What the gate could not read may only be looked at by the compiler: if that refuses it
 * too, there is an error to tell; if not, the two differ, and nothing of it may run. */
static bool must_examine(const struct run *run)
{
	const struct policy *policy = run->request->policy;
	const struct rule *rule = gate_unexamined(policy);

	return run->unparsed &&
	       gate_blocks(run->request->mode, rule, gate_severity(policy, rule));
}

static enum run_state step_decide(struct run *run)
{
	if (run_is_rejected(run)) {
		run->record->gate = GATE_REJECTED;
		run->record->engine = POLICY_ENGINE_AUTO;
		guard_note(&run->guard, KILL_REJECTED);
		return RUN_stop;
	}
	run->record->gate = GATE_ALLOWED;
	run->must_examine = must_examine(run);
	run->compile_only = run->must_examine || run->request->check_only;
	run->go_ns = clock_mono_ns();
	guard_set_deadline(&run->guard, run->request->limits.value[LIMIT_ID_wall_ms],
			   KILL_TIMEOUT);
	frames_go(&run->frames, run->compile_only);
	run_feed_go(run);
	return run->failed ? RUN_stop : RUN_guest;
}

static enum run_state step_guest(struct run *run)
{
	return next_after(run, RUN_guest);
}

static enum run_state step_stop(struct run *run)
{
	struct jail_error err;

	if (guard_stop(&run->guard, &err) < 0)
		run_fail(run, &err);
	return RUN_drain;
}

/* The record's time and the judgement are of one moment: time passes after the guard has
 * seen the end, and an ok after the deadline would contradict itself. */
static enum run_state step_drain(struct run *run)
{
	run->end_ns = clock_mono_ns();
	if (!run_ended_in_time(run))
		guard_note(&run->guard, run->guard.deadline_reason);
	if (run->confined)
		run_drain(run);
	return RUN_reap;
}

/* A jail that SIGKILL does not end would hold us here for ever: it is left alone. */
static enum run_state step_reap(struct run *run)
{
	struct jail_error err;

	if (run->jail && run->guard.ended) {
		run->has_result = jail_wait(run->jail, &run->result, &err) == 0;
		/* A child that we killed during set-up did not fail at it. */
		if (!run->has_result &&
		    !(run->guard.killed && err.stage <= JAIL_STAGE_EXEC))
			run_fail(run, &err);
	}
	run_conclude(run);
	if (run->guard.ended)
		jail_free(run->jail);
	return RUN_done;
}

static void check_invariants(const struct run *run, enum run_state state)
{
	assert(state != RUN_guest || run->go_ns);
	assert(!run->go_ns || run->record->gate == GATE_ALLOWED || run->compile_only);
	assert(!run->go_ns || run->frames.place >= FRAMES_AT_TRIAL);
	assert(!run->compile_only || run->frames.place != FRAMES_AT_RUN);
	assert(state != RUN_stop || run->guard.reason != KILL_NONE);
	assert(!run->failed || run->guard.reason != KILL_NONE);
	assert(state < RUN_greet || state >= RUN_reap || run->jail);
	assert(state < RUN_greet || state >= RUN_stop || run->confined);
}

static void run_states(struct run *run)
{
	static enum run_state (*const steps[])(struct run *) = {
#define X(state) [RUN_##state] = step_##state,
		RUN_STATES(X)
#undef X
	};
	enum run_state state = RUN_start;

	while (state != RUN_done) {
		state = steps[state](run);
		check_invariants(run, state);
	}
}

void run_request(const struct request *request, const struct run_means *means,
		 struct record *record)
{
	const uint64_t *limit = request->limits.value;
	struct refusal refusal;
	size_t rules_count;
	struct run run = {
		.request = request,
		.means = means,
		.record = record,
		.diagnostics = TEXT_INIT(RUN_DIAGNOSTICS_MOST),
	};

	policy_rules(request->policy, &rules_count);
	frames_init(&run.frames, (uint32_t)limit[LIMIT_ID_value_bytes],
		    (uint32_t)limit[LIMIT_ID_log_bytes], (unsigned)rules_count);
	if (request_check_source(request, &refusal))
		run_states(&run);
	else
		run_refuse(&run, &refusal);
	frames_free(&run.frames);
	text_free(&run.diagnostics);
}
