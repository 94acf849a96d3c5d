/* SPDX-License-Identifier: MIT */
/*
 * One short line for people: what happened, which limit it was, and how to get past it.
 *
 * It is quod's own word, so what a stranger or a path contributes is shown escaped, also
 * in a file: a message with a line break in it could go on as another line of quod's. The
 * only lines after the first are indented.
 */
#include <inttypes.h>
#include <string.h>

#include "supervisor/output.h"

/* How a limit is raised: by the option that lowered it, else only by the policy. */
static void add_limit(const struct record *record, enum limit_id id, const char *option,
		      struct text *to)
{
	const struct request *request = record->request;
	uint64_t now = request->limits.value[id];
	uint64_t most = request->policy->limits.value[id];
	char text[LIMIT_TEXT_MOST];

	limits_print(id, now, text);
	text_addf(to, "the limit is %s", text);
	if (option && now < most) {
		limits_print(id, most, text);
		text_addf(to, " (raise it with %s, up to the %s of policy '%s')", option,
			  text, request->policy->name);
	} else if (now < most) {
		limits_print(id, most, text);
		text_addf(to, " (from the caller's own ulimit; policy '%s' allows %s)",
			  request->policy->name, text);
	} else {
		text_addf(to, " (set by policy '%s')", request->policy->name);
	}
}

static void add_foreign(struct text *to, const char *bytes, size_t len)
{
	text_add_escaped(to, bytes, len, 0);
}

static void add_place(const struct record *record, uint32_t line, uint32_t column,
		      struct text *to)
{
	if (!line)
		return;
	text_add_str(to, " at ");
	add_foreign(to, record->request->name, strlen(record->request->name));
	text_addf(to, ":%" PRIu32, line);
	if (column)
		text_addf(to, ":%" PRIu32, column);
}

/* What is left of a stretch that begins so; all of it if it does not. */
static const char *skip_prefix(const char *at, const char *end, const struct text *prefix)
{
	size_t len = prefix->len;

	if (len > (size_t)(end - at) || (len && memcmp(at, prefix->data, len) != 0))
		return at;
	return at + len;
}

/* Engines begin a stack with name and message, which have been said already: the message
 * with all of its lines. */
static const char *skip_heading(const struct record_error *error, const char *stack,
				const char *end)
{
	const char *at = skip_prefix(stack, end, &error->name);

	if (at == stack)
		return stack;
	if (end - at > 2 && !memcmp(at, ": ", 2))
		at = skip_prefix(at + 2, end, &error->message);
	const char *line_end = memchr(at, '\n', (size_t)(end - at));
	return line_end ? line_end + 1 : end;
}

static void add_stack(const struct record_error *error, struct text *to)
{
	const char *end = text_str(&error->stack) + error->stack.len;
	const char *stack = skip_heading(error, text_str(&error->stack), end);

	while (stack < end) {
		const char *line_end = memchr(stack, '\n', (size_t)(end - stack));
		const char *next = line_end ? line_end + 1 : end;

		while (stack < next && (*stack == ' ' || *stack == '\t'))
			stack++;
		text_add_str(to, "\n    ");
		add_foreign(to, stack, (size_t)((line_end ? line_end : end) - stack));
		stack = next;
	}
}

/* In the engine's words: a limit like the others. */
static bool is_stack_limit(const struct record_error *error)
{
	return !strcmp(text_str(&error->name), "RangeError") &&
	       !strcmp(text_str(&error->message), "callstack limit");
}

/* What the engine that was asked for could not know. */
static void explain_modern(const struct record *record, struct text *to)
{
	const struct text *what = &record->modern_text;

	text_add_str(to, "; duktape speaks ECMAScript 5, and '");
	add_foreign(to, text_str(what), what->len);
	text_add_char(to, '\'');
	add_place(record, record->modern_line, record->modern_column, to);
	text_add_str(to, policy_engine_is_built(POLICY_ENGINE_QUICKJS)
				 ? " needs --engine quickjs"
				 : " needs more, which this build does not have");
}

static void explain_error(const struct record *record, struct text *to)
{
	const struct record_error *error = &record->error;

	text_add_str(to, error->phase == PHASE_PARSE ? "" : "uncaught ");
	add_foreign(to, text_str(&error->name), error->name.len);
	if (error->name.len && error->message.len)
		text_add_str(to, ": ");
	add_foreign(to, text_str(&error->message), error->message.len);
	add_place(record, error->line, error->column, to);
	if (is_stack_limit(error)) {
		text_add_str(to, "; ");
		add_limit(record, LIMIT_ID_stack_frames, NULL, to);
	}
	if (error->phase == PHASE_PARSE && record->modern &&
	    record->engine == POLICY_ENGINE_DUKTAPE)
		explain_modern(record, to);
	add_stack(error, to);
}

/* What blocks; the record and `quod check` tell the others too. */
static void explain_rejected(const struct record *record, struct text *to)
{
	const char *lead = "";

	if (record->request->check_only && record->findings_count)
		return;
	for (unsigned i = 0; i < record->findings_count; i++) {
		const struct record_finding *finding = &record->findings[i];

		if (!finding->blocks)
			continue;
		text_add_str(to, lead);
		add_foreign(to, finding->message, strlen(finding->message));
		add_place(record, finding->line, finding->column, to);
		text_addf(to, " [%s]", finding->rule);
		lead = "\n  ";
	}
}

static void explain_output(const struct record *record, struct text *to)
{
	if (!record->log.truncated) {
		text_add_str(to, "the value is too large; ");
		add_limit(record, LIMIT_ID_value_bytes, NULL, to);
	} else if (record->log.count == record->log.lines_most) {
		text_add_str(to, "too many log lines; ");
		add_limit(record, LIMIT_ID_log_lines, NULL, to);
	} else {
		text_add_str(to, "too much log text; ");
		add_limit(record, LIMIT_ID_log_bytes, NULL, to);
	}
}

static void explain_violation(const struct record *record, struct text *to)
{
	if (record->kill_syscall[0])
		text_addf(to, "the forbidden system call %s was tried",
			  record->kill_syscall);
	else
		text_add_str(to, "a forbidden system call was tried");
}

static void explain_cancelled(const struct record *record, struct text *to)
{
	(void)record;
	text_add_str(to, "stopped on request");
}

static void explain_message(const struct record *record, struct text *to)
{
	add_foreign(to, text_str(&record->why), record->why.len);
}

static void explain_timeout(const struct record *record, struct text *to)
{
	if (record->gate == GATE_OPEN)
		text_add_str(to,
			     "the source was not even parsed when the time was over; ");
	else
		text_add_str(to, "wall time is over; ");
	add_limit(record, LIMIT_ID_wall_ms, "--timeout", to);
}

static void explain_cpu(const struct record *record, struct text *to)
{
	text_add_str(to, "CPU time is used up; ");
	add_limit(record, LIMIT_ID_cpu_ms, NULL, to);
}

static void explain_memory(const struct record *record, struct text *to)
{
	text_add_str(to, "memory is used up; ");
	add_limit(record, LIMIT_ID_memory_bytes, "--memory", to);
}

static void explain_verdict(const struct record *record, struct text *to)
{
	if (record->request->judged && !record->passed)
		text_add_str(to, "the value is not true");
}

void output_explain(const struct record *record, struct text *to)
{
	static void (*const explain[STATUS_COUNT])(const struct record *,
						   struct text *) = {
		[STATUS_OK] = explain_verdict,
		[STATUS_ERROR] = explain_error,
		[STATUS_REJECTED] = explain_rejected,
		[STATUS_TIMEOUT] = explain_timeout,
		[STATUS_CPU_LIMIT] = explain_cpu,
		[STATUS_MEMORY_LIMIT] = explain_memory,
		[STATUS_OUTPUT_LIMIT] = explain_output,
		[STATUS_VIOLATION] = explain_violation,
		[STATUS_CRASHED] = explain_message,
		[STATUS_CANCELLED] = explain_cancelled,
		[STATUS_INTERNAL_ERROR] = explain_message,
	};
	own_text struct text why = TEXT_INIT(to->most);

	explain[record->status](record, &why);
	if (why.len == 0)
		return;
	if (record->status == STATUS_OK)
		text_add_str(to, "not passed: ");
	else if (record->status != STATUS_ERROR)
		text_addf(to, "%s: ", status_infos[record->status].name);
	text_add(to, why.data, why.len);
}
