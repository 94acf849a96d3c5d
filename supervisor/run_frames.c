/* SPDX-License-Identifier: MIT */
/*
 * What the guest says, taken into the record and told on. The frames are well-formed and
 * in order; whether they are true nobody knows.
 */
#include <errno.h>
#include <string.h>

#include "base/own.h"
#include "policy/gate.h"
#include "supervisor/clock.h"
#include "supervisor/run_internal.h"

static void no_memory(struct run *run)
{
	run_failf(run, JAIL_STAGE_RUN, ENOMEM, "no memory for what the script says");
}

static void take_ready(struct run *run, const struct frame *f)
{
	run->ready_ns = clock_mono_ns();
	if (f->ready.version == PROTOCOL_VERSION)
		return;
	run->drained = true;
	run_failf(run, JAIL_STAGE_EXEC, EPROTO,
		  "the interpreter '%s' speaks protocol %u, this quod speaks %u: install "
		  "both from the same release",
		  run->means->interp->path, f->ready.version, PROTOCOL_VERSION);
}

/* Well-formed, and still a lie: this job could not have brought it about. */
static void refuse(struct run *run)
{
	frames_refuse(&run->frames);
	run->drained = true;
	guard_note(&run->guard, KILL_PROTOCOL);
}

/* A record keeps it as a string: a NUL must not hide what comes behind it. */
static void add_detail(struct text *to, struct frame_text detail)
{
	const char *at = detail.at, *end = at + detail.len, *nul;

	text_add_str(to, ": ");
	while ((nul = memchr(at, '\0', (size_t)(end - at)))) {
		text_add(to, at, (size_t)(nul - at));
		text_add_str(to, "\\x00");
		at = nul + 1;
	}
	text_add(to, at, (size_t)(end - at));
}

/* Only the place and the detail are the guest's words. */
void run_add_finding(struct run *run, const struct rule *rule, const struct frame *f)
{
	const struct request *request = run->request;
	struct record *record = run->record;
	struct record_finding finding = {
		.severity = gate_severity(request->policy, rule),
		.rule = strdup(rule->name),
		.why = rule->why ? strdup(rule->why) : NULL,
	};
	own_text struct text message = TEXT_INIT(RUN_MESSAGE_MOST);

	text_add_str(&message, rule->message);
	if (f) {
		finding.line = f->finding.line;
		finding.column = f->finding.column;
		finding.span = f->finding.span;
		if (f->finding.detail.len)
			add_detail(&message, f->finding.detail);
	}
	finding.message = strdup(text_str(&message));
	finding.blocks = gate_blocks(request->mode, rule, finding.severity);
	bool untold = text_status(&message) || (rule->why && !finding.why);

	if (record_add_finding(record, &finding) < 0 || untold)
		no_memory(run);
	else
		output_finding(run->means->output,
			       &record->findings[record->findings_count - 1]);
}

bool run_is_rejected(const struct run *run)
{
	for (unsigned i = 0; i < run->record->findings_count; i++)
		if (run->record->findings[i].blocks)
			return true;
	return false;
}

static void take_finding(struct run *run, const struct frame *f)
{
	size_t count;
	const struct rule *rules = policy_rules(run->request->policy, &count);

	/* The job did not say what to look for. */
	if (!rules[f->finding.rule].matches_count)
		refuse(run);
	else
		run_add_finding(run, &rules[f->finding.rule], f);
}

/* Which engine runs is told by the guest where the job leaves it to choose. A job for an
 * engine that the interpreter does not have ends in a finding that blocks; then none
 * runs, and what it calls itself is of no account. */
static bool is_engine_of_job(const struct run *run, enum job_engine engine)
{
	enum policy_engine asked = run->request->engine;

	return asked == POLICY_ENGINE_AUTO || (int)asked == (int)engine ||
	       run_is_rejected(run);
}

static void take_gate(struct run *run, const struct frame *f)
{
	if (!is_engine_of_job(run, f->gate.engine)) {
		refuse(run);
		return;
	}
	run->record->has_complexity = true;
	run->record->nesting = f->gate.nesting;
	run->record->modern = f->gate.modern;
	run->record->modern_line = f->gate.line;
	run->record->modern_column = f->gate.column;
	text_add(&run->record->modern_text, f->gate.reason.at, f->gate.reason.len);
	run->unparsed = f->gate.unparsed;
	run->record->complexity = f->gate.complexity;
	run->record->engine = (enum policy_engine)f->gate.engine;
}

/* Past the limit nothing more is listened to: whether the script also came to its end is
 * then a matter of luck, and must not decide. */
static void take_log(struct run *run, const struct frame *f)
{
	uint64_t t_us = (clock_mono_ns() - run->go_ns) / NS_PER_US;
	struct runlog *log = &run->record->log;
	const struct log_line *line;

	if (runlog_add(log, f->log.level, f->log.text.at, f->log.text.len, f->log.cut,
		       t_us, &line) < 0) {
		no_memory(run);
		return;
	}
	if (line)
		output_line(run->means->output, log, line);
	if (log->truncated) {
		run->drained = true;
		guard_note(&run->guard, KILL_OUTPUT);
	}
}

static void take_value(struct run *run, const struct frame *f)
{
	struct record *record = run->record;

	run->outcome = OUTCOME_VALUE;
	record->has_value = true;
	record->value_is_json = f->value.is_json;
	record->passed = f->value.is_true;
	text_add(&record->value_json, f->value.json.at, f->value.json.len);
	text_add(&record->value_text, f->value.text.at, f->value.text.len);
	if (text_status(&record->value_json) || text_status(&record->value_text))
		no_memory(run);
	else
		output_value(run->means->output, record);
}

static void take_error(struct run *run, const struct frame *f)
{
	struct record_error *error = &run->record->error;

	run->outcome = OUTCOME_ERROR;
	if (error->set) /* the first is the cause, the second its echo */
		return;
	error->set = true;
	error->phase = f->error.phase;
	error->line = f->error.line;
	error->column = f->error.column;
	text_add(&error->name, f->error.name.at, f->error.name.len);
	text_add(&error->message, f->error.message.at, f->error.message.len);
	text_add(&error->stack, f->error.stack.at, f->error.stack.len);
	if (text_status(&error->name) || text_status(&error->message) ||
	    text_status(&error->stack))
		no_memory(run);
	else
		output_error(run->means->output, run->record);
}

static void take_limit(struct run *run, const struct frame *f)
{
	run->outcome = f->limit.kind == LIMIT_VALUE ? OUTCOME_LARGE : OUTCOME_MEMORY;
}

/* A guest that has said all is about to die: its pipes, closed then, would wake us twice
 * before that is done. What stands in them is read all the same. */
static void stop_listening(struct run *run)
{
	run->guard.slots[WATCH_OUT].fd = -1;
	run->guard.slots[WATCH_ERR].fd = -1;
}

/* After a trial that said nothing the engine would run the source. */
static void take_end(struct run *run)
{
	run->complete = true;
	stop_listening(run);
	if (!run->compile_only || run->outcome != OUTCOME_NONE)
		return;
	run->outcome = run->must_examine ? OUTCOME_UNEXAMINED : OUTCOME_COMPILED;
	if (!run->must_examine)
		return;
	run->record->gate = GATE_REJECTED;
	run->record->engine = POLICY_ENGINE_AUTO;
	run_add_finding(run, gate_unexamined(run->request->policy), NULL);
}

static void take_violation(struct run *run, const struct frame *f)
{
	run->violated = true;
	run->violation_arch = f->violation.arch;
	run->violation_number = f->violation.number;
}

void run_take_frame(struct run *run, const struct frame *frame)
{
	switch (frame->type) {
	case FRAME_READY:
		take_ready(run, frame);
		break;
	case FRAME_FINDING:
		take_finding(run, frame);
		break;
	case FRAME_GATE:
		take_gate(run, frame);
		break;
	case FRAME_LOG:
		take_log(run, frame);
		break;
	case FRAME_VALUE:
		take_value(run, frame);
		break;
	case FRAME_ERROR:
		take_error(run, frame);
		break;
	case FRAME_LIMIT:
		take_limit(run, frame);
		break;
	case FRAME_VIOLATION:
		take_violation(run, frame);
		break;
	case FRAME_END:
		take_end(run);
		break;
	case FRAME_JOB:
	case FRAME_GO:
		break;
	}
}
