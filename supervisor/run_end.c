/* SPDX-License-Identifier: MIT */
/*
 * The end of a run: facts are gathered, the status is decided, and what explains it is
 * written into the record.
 */
#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>

#include "base/signal_name.h"
#include "supervisor/clock.h"
#include "supervisor/run_internal.h"
#include "supervisor/syscall_name.h"

/* Also when its first words were not a greeting: no job had been read, so whatever is in
 * that file is not what we took for our interpreter. */
static bool died_before_ready(const struct run *run)
{
	return run->has_result && !run->ready_ns &&
	       (!run->guard.killed || run->guard.reason == KILL_PROTOCOL);
}

/* The exec worked, the program did not get as far as its greeting. */
static void explain_stillborn(struct run *run)
{
	char how[64], room[SIGNAL_NAME_ROOM];

	if (run->guard.killed) {
		run_failf(
			run, JAIL_STAGE_EXEC, EPROTO,
			"the interpreter '%s' does not greet as a quod-js does: install "
			"the one that belongs to this quod",
			run->means->interp->path);
		return;
	}
	if (run->result.end == JAIL_SIGNALED)
		snprintf(how, sizeof(how), "%s", signal_name(run->result.signal, room));
	else
		snprintf(how, sizeof(how), "exit status %d", run->result.exit_code);
	run_failf(run, JAIL_STAGE_EXEC, ENOEXEC,
		  "the interpreter '%s' ended with %s before it was ready",
		  run->means->interp->path, how);
}

static struct facts gather_facts(const struct run *run)
{
	const struct jail_result *result = &run->result;
	const struct guard *guard = &run->guard;
	bool clean =
		run->has_result && result->end == JAIL_EXITED && result->exit_code == 0;
	struct facts facts = {
		.setup_failed = run->failed,
		.outcome = run->outcome,
		.killed = guard->reason,
	};

	facts.complete =
		clean && run->complete && !run->frames.fault && run_ended_in_time(run);
	if (!run->has_result)
		return facts;
	facts.memory_limit_hit = result->memory_limit_hit;
	facts.oom_killed = result->oom_killed;
	/* Our own SIGKILL says nothing about the guest. */
	if (result->end == JAIL_SIGNALED && !(guard->killed && result->signal == SIGKILL))
		facts.signal = result->signal;
	facts_note_cpu(&facts, result->cpu_us,
		       run->request->limits.value[LIMIT_ID_cpu_ms]);
	return facts;
}

static uint64_t us_between(uint64_t from_ns, uint64_t to_ns)
{
	return from_ns && to_ns > from_ns ? (to_ns - from_ns) / NS_PER_US : 0;
}

static void note_usage(struct run *run)
{
	struct record *record = run->record;

	record->setup_us = us_between(run->start_ns, run->ready_ns);
	record->wall_us = us_between(run->go_ns, run->end_ns);
	record->cpu_us = run->has_result ? run->result.cpu_us : 0;
	record->memory_peak_bytes = run->has_result ? run->result.memory_peak_bytes : 0;
	record->processes_peak = run->has_result ? run->result.pids_peak : 0;
}

static enum enforcer enforcer_of(enum jail_enforcer by, enum enforcer otherwise)
{
	switch (by) {
	case JAIL_BY_CGROUP:
		return ENFORCER_CGROUP;
	case JAIL_BY_RLIMIT:
		return ENFORCER_RLIMIT;
	case JAIL_BY_FILTER:
		return ENFORCER_FILTER;
	case JAIL_BY_NOTHING:
		break;
	}
	return otherwise;
}

static void note_enforcers(struct run *run)
{
	struct record *record = run->record;

	if (!run->held)
		return;
	record->memory_by = enforcer_of(run->cell->memory_by, ENFORCER_ENGINE);
	record->cpu_by = enforcer_of(run->cell->cpu_by, ENFORCER_SUPERVISOR);
	record->processes_by = enforcer_of(run->cell->processes_by, ENFORCER_FILTER);
}

/* The guest was gone before it could be killed; what decided is the reason all the same.
 */
static bool is_our_reason(const struct run *run)
{
	enum kill_reason reason = run->guard.reason;

	return reason != KILL_NONE && reason != KILL_FAILURE && reason != KILL_PROTOCOL &&
	       run->record->status == kill_infos[reason].status;
}

/* A run that was complete was ended by nobody, also where a kill was on its way. */
static void note_kill(struct run *run, const struct facts *facts)
{
	struct record *record = run->record;

	if (facts->complete)
		return;
	if (run->guard.killed || is_our_reason(run)) {
		record->killer = KILLER_SUPERVISOR;
		record->kill_reason = kill_infos[run->guard.reason].name;
		record->kill_signal = run->guard.killed ? SIGKILL : 0;
	} else if (facts->oom_killed) {
		record->killer = KILLER_KERNEL;
		record->kill_reason = "oom";
		record->kill_signal = SIGKILL;
	} else if (facts->signal == SIGSYS) {
		record->killer = KILLER_FILTER;
		record->kill_reason = "syscall";
		record->kill_signal = SIGSYS;
	} else if (facts->signal) {
		record->killer = KILLER_KERNEL;
		record->kill_reason =
			facts->killed == KILL_CPU ? kill_infos[KILL_CPU].name : "signal";
		record->kill_signal = facts->signal;
	}
	if (record->status == STATUS_VIOLATION && run->violated)
		syscall_name(run->violation_arch, run->violation_number,
			     record->kill_syscall, sizeof(record->kill_syscall));
}

static void add_diagnostics(struct run *run, struct text *to)
{
	const struct text *said = &run->diagnostics;
	size_t len = said->len;

	while (len && said->data[len - 1] == '\n')
		len--;
	if (len) {
		text_add_str(to, "; it said: ");
		text_add(to, said->data, len);
	}
}

static void explain_crash(struct run *run, const struct facts *facts, struct text *to)
{
	char room[SIGNAL_NAME_ROOM];

	if (run->frames.fault)
		text_addf(to, "the interpreter broke the protocol with %s",
			  frames_fault_texts[run->frames.fault]);
	else if (facts->signal)
		text_addf(to, "the interpreter was killed by %s",
			  signal_name(facts->signal, room));
	else
		text_addf(to,
			  "the interpreter ended with exit status %d before its result "
			  "was complete",
			  run->result.exit_code);
	add_diagnostics(run, to);
}

static void explain_failure(struct run *run, struct text *to)
{
	char why[256] = "";

	if (!run->failed) {
		text_add_str(to, explain_foreign_oom(run->result.oom_in_group));
		return;
	}
	if (run->err.stage == JAIL_STAGE_EXEC && run->err.errnum != EPROTO)
		interp_diagnose(run->means->interp, why, sizeof(why));
	text_addf(to, "%s: %s", jail_stage_name(run->err.stage),
		  why[0] ? why : run->err.text);
	add_diagnostics(run, to);
}

static void explain(struct run *run, const struct facts *facts)
{
	if (run->record->status == STATUS_INTERNAL_ERROR)
		explain_failure(run, &run->record->why);
	else if (run->record->status == STATUS_CRASHED)
		explain_crash(run, facts, &run->record->why);
}

void run_conclude(struct run *run)
{
	struct record *record = run->record;
	struct facts facts;

	if (died_before_ready(run))
		explain_stillborn(run);
	facts = gather_facts(run);
	record->status = status_decide(&facts);
	record->crash_signal = facts.signal;
	record->passed = record->passed && record->status == STATUS_OK;
	note_usage(run);
	note_enforcers(run);
	note_kill(run, &facts);
	explain(run, &facts);
}

void run_refuse(struct record *record, const struct refusal *refusal)
{
	int r;

	record->started_ms = clock_real_ms();
	record->status = STATUS_REJECTED;
	record->gate = GATE_REJECTED;
	r = runid_make(record->started_ms, record->id);
	if (r == 0)
		r = record_add_finding(record,
				       &(struct record_finding){
					       .severity = RULE_SEVERITY_DENY,
					       .line = refusal->line,
					       .column = refusal->column,
					       .blocks = true,
					       .rule = strdup(refusal->rule),
					       .message = strdup(refusal->message),
				       });
	if (r == 0)
		return;
	/* Rejected for a reason that cannot be told is not what happened. */
	record->status = STATUS_INTERNAL_ERROR;
	text_addf(&record->why, "%s: cannot say why the source is rejected: %s",
		  jail_stage_name(JAIL_STAGE_SPEC), strerror(-r));
}
