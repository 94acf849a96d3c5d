/* SPDX-License-Identifier: MIT */
/*
 * A record as JSON, written key by key: the guest's value goes in as the very bytes that
 * it sent (they are checked), because printing a parsed number again would change it.
 */
#include "base/signal_name.h"
#include "supervisor/record.h"

#include <inttypes.h>
#include <signal.h>
#include <string.h>

#include "base/own.h"
#include "supervisor/json.h"
#include "supervisor/timestamp.h"

static const char *const enforcer_names[] = {
#define X(id, name) [ENFORCER_##id] = name,
	ENFORCERS(X)
#undef X
};

const char *const record_phase_names[PHASES] = {
	[PHASE_PARSE] = "parse", [PHASE_RUN] = "run", [PHASE_RESULT] = "result"};

const char *const record_killer_names[RECORD_KILLERS] = {[KILLER_SUPERVISOR] =
								 "supervisor",
							 [KILLER_KERNEL] = "kernel",
							 [KILLER_FILTER] = "filter"};

const char *const record_decision_names[GATE_DECISIONS] = {
	[GATE_ALLOWED] = "allowed", [GATE_REJECTED] = "rejected"};

/* Comma and key; the caller writes the value. */
static void key(struct text *to, const char *name)
{
	char last = to->len ? to->data[to->len - 1] : '{';

	if (last != '{' && last != '[')
		text_add_char(to, ',');
	text_add_char(to, '"');
	text_add_str(to, name);
	text_add_str(to, "\":");
}

static void key_str(struct text *to, const char *name, const char *value)
{
	key(to, name);
	json_add_str(to, value);
}

static void key_text(struct text *to, const char *name, const struct text *value)
{
	key(to, name);
	json_add_string(to, text_str(value), value->len);
}

static void key_u64(struct text *to, const char *name, uint64_t value)
{
	key(to, name);
	text_addf(to, "%" PRIu64, value);
}

static void key_u64_or_null(struct text *to, const char *name, uint64_t value)
{
	if (value)
		key_u64(to, name, value);
	else
		key_str(to, name, NULL);
}

static void key_bool(struct text *to, const char *name, bool value)
{
	key(to, name);
	text_add_str(to, value ? "true" : "false");
}

void record_write_ms(uint64_t us, struct text *to)
{
	text_addf(to, "%" PRIu64 ".%03u", us / 1000, (unsigned)(us % 1000));
}

static void key_ms(struct text *to, const char *name, uint64_t us)
{
	key(to, name);
	record_write_ms(us, to);
}

void record_write_value(const struct record *record, struct text *to)
{
	key(to, "value");
	if (record->value_is_json)
		text_add(to, text_str(&record->value_json), record->value_json.len);
	else
		text_add_str(to, "null");
	key_bool(to, "value_is_json", record->value_is_json);
	if (record->has_value)
		key_text(to, "value_text", &record->value_text);
	else
		key_str(to, "value_text", NULL);
}

void record_write_line(const struct runlog *log, const struct log_line *line,
		       struct text *to)
{
	key_str(to, "level", log_level_names[line->level]);
	key(to, "text");
	json_add_string(to, runlog_text(log, line), line->len);
	key_ms(to, "t_ms", line->t_us);
}

static void write_log(const struct record *record, struct text *to)
{
	key(to, "logs");
	text_add_char(to, '[');
	for (size_t i = 0; i < record->log.count; i++) {
		text_add_str(to, i ? ",{" : "{");
		record_write_line(&record->log, &record->log.lines[i], to);
		text_add_char(to, '}');
	}
	text_add_char(to, ']');
	key_bool(to, "logs_truncated", record->log.truncated);
}

static void key_text_or_null(struct text *to, const char *name, const struct text *value)
{
	if (value->len)
		key_text(to, name, value);
	else
		key_str(to, name, NULL);
}

/* Where the script is not to blame, the message is quod's, and nothing else is known. */
void record_write_error(const struct record *record, struct text *to)
{
	const struct record_error *error = &record->error;

	key(to, "error");
	if (!error->set && record->why.len == 0) {
		text_add_str(to, "null");
		return;
	}
	text_add_char(to, '{');
	key_text_or_null(to, "name", &error->name);
	key_text(to, "message", error->set ? &error->message : &record->why);
	key_u64_or_null(to, "line", error->line);
	key_u64_or_null(to, "column", error->column);
	key_text_or_null(to, "stack", &error->stack);
	key_str(to, "phase", error->set ? record_phase_names[error->phase] : NULL);
	text_add_char(to, '}');
}

void record_write_finding(const struct record_finding *finding, struct text *to)
{
	key_str(to, "rule", finding->rule);
	key_str(to, "severity", rule_severity_names[finding->severity]);
	key_u64_or_null(to, "line", finding->line);
	key_u64_or_null(to, "column", finding->column);
	key_u64_or_null(to, "span", finding->span);
	key_bool(to, "blocks", finding->blocks);
	key_str(to, "message", finding->message);
	key_str(to, "why", finding->why);
}

/* Why a second engine is needed: what of the source, and where. */
static void write_modern(const struct record *record, struct text *to)
{
	key(to, "modern");
	if (!record->modern) {
		text_add_str(to, "null");
		return;
	}
	text_add_char(to, '{');
	key_u64_or_null(to, "line", record->modern_line);
	key_u64_or_null(to, "column", record->modern_column);
	key_str(to, "text", text_str(&record->modern_text));
	text_add_char(to, '}');
}

static void write_gate(const struct record *record, struct text *to)
{
	key(to, "gate");
	text_add_char(to, '{');
	key_str(to, "mode", policy_mode_names[record->request->mode]);
	key_str(to, "decision", record_decision_names[record->gate]);
	key(to, "findings");
	text_add_char(to, '[');
	for (unsigned i = 0; i < record->findings_count; i++) {
		text_add_str(to, i ? ",{" : "{");
		record_write_finding(&record->findings[i], to);
		text_add_char(to, '}');
	}
	text_add_char(to, ']');
	if (record->has_complexity)
		key_u64(to, "complexity", record->complexity);
	else
		key_str(to, "complexity", NULL);
	if (record->has_complexity)
		key_u64(to, "nesting", record->nesting);
	else
		key_str(to, "nesting", NULL);
	write_modern(record, to);
	text_add_char(to, '}');
}

static void write_limits(const struct record *record, struct text *to)
{
	key(to, "limits");
	text_add_char(to, '{');
	for (int i = 0; i < LIMIT_IDS; i++)
		key_u64(to, limit_infos[i].name, record->request->limits.value[i]);
	text_add_char(to, '}');
	key(to, "enforced_by");
	text_add_char(to, '{');
	key_str(to, "wall", enforcer_names[record->wall_by]);
	key_str(to, "cpu", enforcer_names[record->cpu_by]);
	key_str(to, "memory", enforcer_names[record->memory_by]);
	key_str(to, "processes", enforcer_names[record->processes_by]);
	text_add_char(to, '}');
}

static void write_usage(const struct record *record, struct text *to)
{
	size_t json = record->value_json.len, text = record->value_text.len;

	key(to, "usage");
	text_add_char(to, '{');
	key_ms(to, "wall_ms", record->wall_us);
	key_ms(to, "cpu_ms", record->cpu_us);
	key_u64(to, "memory_peak_bytes", record->memory_peak_bytes);
	key_u64_or_null(to, "processes_peak", record->processes_peak);
	key_ms(to, "setup_ms", record->setup_us);
	key_ms(to, "queue_ms", record->queue_us);
	key_u64(to, "value_bytes", json > text ? json : text);
	key_u64(to, "log_bytes", record->log.text.len);
	text_add_char(to, '}');
}

static void write_kill(const struct record *record, struct text *to)
{
	char room[SIGNAL_NAME_ROOM];
	const char *signal = NULL;

	key(to, "kill");
	if (record->killer == KILLER_NOBODY) {
		text_add_str(to, "null");
		return;
	}
	if (record->kill_signal)
		signal = signal_name(record->kill_signal, room);
	text_add_char(to, '{');
	key_str(to, "by", record_killer_names[record->killer]);
	key_str(to, "reason", record->kill_reason);
	key_str(to, "signal", signal);
	key_str(to, "syscall", record->kill_syscall[0] ? record->kill_syscall : NULL);
	text_add_char(to, '}');
}

void record_write(const struct record *record, struct text *to)
{
	const struct request *request = record->request;
	char started[TIMESTAMP_ROOM];

	timestamp_print(record->started_ms, started);
	text_add_char(to, '{');
	key_str(to, "id", record->id);
	if (request->case_id)
		key_str(to, "case", request->case_id);
	key_str(to, "status", status_infos[record->status].name);
	key_bool(to, "passed", record->passed);
	record_write_value(record, to);
	write_log(record, to);
	record_write_error(record, to);
	write_gate(record, to);
	key_str(to, "review", NULL);
	key_str(to, "engine",
		record->engine ? policy_engine_names[record->engine] : NULL);
	key_str(to, "policy", request->policy->name);
	key_str(to, "tenant", record->tenant);
	write_limits(record, to);
	write_usage(record, to);
	write_kill(record, to);
	key_str(to, "started_at", started);
	text_add_char(to, '}');
}
