/* SPDX-License-Identifier: MIT */
/*
 * The run's state machine.
 *
 *	start -> await -> greet -> gate -> decide -> guest ----------> drain -> reap -> done
 *	                     \        \       \        \-> stop -> dying -/
 *
 * Each state is one function that does one round and names the next state; one that names
 * itself waits, and comes again when something has happened. A waiting state leaves for
 * `drain` when the jail is dead and for `stop` when a reason to kill is noted; that is
 * looked at in one place (next_after). Nothing before `decide` is the guest's time: its
 * clock starts when GO is written.
 *
 * The jail is asked for first and everything that does not have to precede it comes after,
 * while the child makes its namespaces.
 */
#include "supervisor/run.h"

#include <assert.h>
#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "policy/gate.h"
#include "supervisor/clock.h"
#include "supervisor/confine.h"
#include "supervisor/run_internal.h"

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
	if (run->cell->ops->name)
		run->cell->ops->name(run->cell, run->record->id);
	if (run->cell->ops->start(run->cell, run->request, run->record->id, &err) < 0) {
		run_fail(run, &err);
		return RUN_reap;
	}
	return RUN_await;
}

static void confine(struct run *run)
{
	int r = run->cell->ops->confine ? run->cell->ops->confine() : 0;

	run->confined = r == 0;
	if (r < 0)
		run_failf(run, JAIL_STAGE_FILTER, -r, CONFINE_FAILED ": %s",
			  strerror(-r));
}

/* While the interpreter reads its job, so that nobody waits for it; what it was told to
 * run does not run before GO. */
static void note_run(struct run *run)
{
	struct jail_error err;

	if (run->means->note && run->means->note(run->means->whose, &err) < 0)
		run_fail(run, &err);
}

/* A reason that was noted while the jail was coming stays noted. */
static enum run_state step_await(struct run *run)
{
	enum kill_reason noted = run->guard.reason;

	if (run->cell->state == CELL_COMING)
		return RUN_await;
	if (run->cell->state != CELL_HELD) {
		run_fail(run, &run->cell->error);
		return RUN_reap;
	}
	run->held = true;
	run->cell->ops->watch(run->cell, &run->guard);
	guard_note(&run->guard, noted);
	run_feed_job(run);
	note_run(run);
	confine(run);
	guard_set_deadline(&run->guard, CELL_SETUP_MS, KILL_FAILURE);
	return run->guard.reason == KILL_NONE ? RUN_greet : RUN_stop;
}

/* One round, and where it leads if it cannot go on here. */
static enum run_state next_after(struct run *run, enum run_state here)
{
	int r = guard_look(&run->guard);

	if (r < 0)
		run_failf(run, JAIL_STAGE_RUN, -r, "poll: %s", strerror(-r));
	else if (!run->guard.ended)
		run_pump(run);
	guard_clear(&run->guard);
	if (run->guard.ended)
		return RUN_drain;
	return run->guard.reason == KILL_NONE ? here : RUN_stop;
}

/* Of the parser, and then anew of the script. */
static int start_clock(struct run *run)
{
	struct jail_error err;
	int r;

	guard_set_deadline(&run->guard, run->request->limits.value[LIMIT_ID_wall_ms],
			   KILL_TIMEOUT);
	r = run->cell->ops->clock(run->cell, run->request, &run->guard, &err);
	if (r < 0)
		run_fail(run, &err);
	return r;
}

static enum run_state step_greet(struct run *run)
{
	enum run_state next = next_after(run, RUN_greet);

	if (next == RUN_stop && !run->failed && run->guard.reason == KILL_FAILURE)
		run_failf(
			run, JAIL_STAGE_EXEC, ETIMEDOUT,
			"the interpreter was not ready %d ms after its jail was started",
			CELL_SETUP_MS);
	if (next != RUN_greet || run->frames.place < FRAMES_AT_GATE)
		return next;
	/* Parsing is bounded too, but it is not the script's time. */
	if (start_clock(run) < 0)
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
	if (start_clock(run) < 0)
		return RUN_stop;
	run->go_ns = clock_mono_ns();
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
	int r = run->cell->ops->kill(run->cell, &err);

	guard_killed(&run->guard);
	if (r == 0)
		return RUN_dying;
	run_fail(run, &err);
	return RUN_drain;
}

static enum run_state step_dying(struct run *run)
{
	struct jail_error err;
	int r = guard_look(&run->guard);

	guard_clear(&run->guard);
	if (r < 0) {
		guard_not_dead(-r, &err);
		run_fail(run, &err);
		return RUN_drain;
	}
	return run->guard.ended ? RUN_drain : RUN_dying;
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

static enum run_state step_reap(struct run *run)
{
	struct jail_error err;

	if (run->held && run->guard.ended) {
		run->has_result = run->cell->ops->wait(run->cell, &run->guard,
						       &run->result, &err) == 0;
		/* A child that we killed during set-up did not fail at it. */
		if (!run->has_result &&
		    !(run->guard.killed && err.stage <= JAIL_STAGE_EXEC))
			run_fail(run, &err);
	}
	run_conclude(run);
	if (run->held)
		run->cell->ops->free(run->cell, run->guard.ended);
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
	assert(state < RUN_greet || state >= RUN_reap || run->held);
	assert(state < RUN_greet || state >= RUN_stop || run->confined);
}

void run_advance(struct run *run)
{
	static enum run_state (*const steps[])(struct run *) = {
#define X(state) [RUN_##state] = step_##state,
		RUN_STATES(X)
#undef X
	};
	enum run_state before;

	do {
		before = run->state;
		if (before == RUN_done)
			break;
		run->state = steps[before](run);
		check_invariants(run, run->state);
	} while (run->state != before);
}

bool run_is_over(const struct run *run)
{
	return run->state == RUN_done;
}

struct guard *run_guard(struct run *run)
{
	return &run->guard;
}

void run_cancel(struct run *run)
{
	guard_note(&run->guard, KILL_CANCELLED);
}

/* Where the source is refused before any process exists the run is over at once. */
static void begin(struct run *run, const struct request *request,
		  const struct run_means *means, struct record *record)
{
	const uint64_t *limit = request->limits.value;
	struct refusal refusal;
	size_t rules_count;

	*run = (struct run){
		.request = request,
		.means = means,
		.record = record,
		.cell = means->cell,
		.diagnostics = TEXT_INIT(RUN_DIAGNOSTICS_MOST),
	};
	/* Until there is a jail nothing is watched. */
	guard_init_apart(&run->guard, -1, -1, -1);
	policy_rules(request->policy, &rules_count);
	frames_init(&run->frames, (uint32_t)limit[LIMIT_ID_value_bytes],
		    (uint32_t)limit[LIMIT_ID_log_bytes], (unsigned)rules_count);
	if (request_check_source(request, &refusal))
		return;
	run_refuse(record, &refusal);
	run->state = RUN_done;
}

static void end(struct run *run)
{
	frames_free(&run->frames);
	text_free(&run->diagnostics);
}

struct run *run_new(const struct request *request, const struct run_means *means,
		    struct record *record)
{
	struct run *run = malloc(sizeof(*run));

	if (run)
		begin(run, request, means, record);
	return run;
}

void run_free(struct run *run)
{
	if (!run)
		return;
	end(run);
	free(run);
}

void run_request(const struct request *request, const struct run_means *means,
		 struct record *record)
{
	struct run run;

	begin(&run, request, means, record);
	run_advance(&run);
	while (!run_is_over(&run)) {
		guard_poll(&run.guard);
		run_advance(&run);
	}
	end(&run);
}
