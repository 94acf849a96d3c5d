/* SPDX-License-Identifier: MIT */
/*
 * The record field by field, held against the script, the ending that it claims, and the
 * events that came before it.
 */
#include <stdio.h>

#include "base/own.h"
#include "tests/race/oracle_internal.h"

#define LOG_BYTES_MOST 65536
#define POLICY_WALL_MS 5000

bool oracle_check_keys(struct judging *j)
{
	static const struct {
		const char *object, *keys;
	} wanted[] = {
		{"",
		 "id status passed value value_is_json value_text logs logs_truncated "
		 "error gate review engine policy tenant limits enforced_by usage "
		 "kill started_at"},
		{"gate", "mode decision findings complexity"},
		{"limits", "wall_ms cpu_ms cpu_percent memory_bytes source_bytes "
			   "stack_frames value_bytes log_bytes log_lines processes"},
		{"enforced_by", "wall cpu memory processes"},
		{"usage",
		 "wall_ms cpu_ms memory_peak_bytes setup_ms queue_ms value_bytes "
		 "log_bytes"},
	};

	for (size_t i = 0; i < ARRAY_LEN(wanted); i++) {
		const char *name = wanted[i].object;
		const json_t *in = *name ? json_object_get(j->record, name) : j->record;
		char keys[512], *save = NULL;

		snprintf(keys, sizeof(keys), "%s", wanted[i].keys);
		for (char *key = strtok_r(keys, " ", &save); key;
		     key = strtok_r(NULL, " ", &save))
			if (!json_object_get(in, key))
				return oracle_fault(j, "no key '%s' in '%s'", key, name);
	}
	return strlen(str(j->record, "id")) == RUN_ID_LEN ||
	       oracle_fault(j, "no id of a run");
}

/* Parsing has the same deadline, and a busy machine may take all of it; a blow falls where
 * the search for the moment has put it, which may be while the gate is at work. */
static bool check_gate(struct judging *j)
{
	const json_t *gate = json_object_get(j->record, "gate");
	bool allowed = strcmp(str(gate, "decision"), "allowed") == 0;
	bool early = !j->guest_won || (flags_of(j) & ACT_START) ||
		     j->round->pairing->deadline_ms;
	bool acted = j->guest_won && !(flags_of(j) & ACT_ENDLESS);

	if (!allowed && (acted || !early || !is_null(gate, "decision")))
		return oracle_fault(j, "gate: '%s'", str(gate, "decision"));
	if (!allowed && (!is_null(j->record, "value_text") ||
			 json_array_size(json_object_get(j->record, "logs"))))
		return oracle_fault(j, "something ran before the gate");
	return !allowed || strcmp(str(j->record, "engine"), "duktape") == 0 ||
	       oracle_fault(j, "engine: '%s'", str(j->record, "engine"));
}

bool oracle_check_line(struct judging *j, const json_t *line, size_t index, bool cut)
{
	char text[LINE_ROOM];
	int len = round_line(j->round, (unsigned)index, text);
	const json_t *got = json_object_get(line, "text");
	size_t got_len = json_string_length(got);

	if (strcmp(str(line, "level"), "log") != 0)
		return oracle_fault(j, "line %zu: level '%s'", index, str(line, "level"));
	if (got_len > (size_t)len || (got_len < (size_t)len && !cut) ||
	    memcmp(json_string_value(got) ? json_string_value(got) : "", text, got_len))
		return oracle_fault(j, "line %zu is '%s'", index, str(line, "text"));
	return true;
}

static bool is_full(const struct judging *j, size_t lines)
{
	const json_t *usage = json_object_get(j->record, "usage");

	return lines == LOG_LINES_MOST || number(usage, "log_bytes") == LOG_BYTES_MOST;
}

/* All of it where the act won; else the first part, whole lines. */
static bool check_log_length(struct judging *j, size_t count)
{
	unsigned flags = flags_of(j);
	bool floods = flags & (ACT_FLOODS | ACT_OVER);
	bool truncated = json_is_true(json_object_get(j->record, "logs_truncated"));
	bool over = strcmp(str(j->record, "status"), "output_limit") == 0;

	if (truncated && !(floods && is_full(j, count)))
		return oracle_fault(j, "%zu lines are said to be too many", count);
	if (over && !truncated)
		return oracle_fault(j, "no line too many, but output_limit");
	if (flags & ACT_FLOODS)
		return true;
	if (count > j->round->lines ||
	    (j->guest_won && !truncated && !(flags & ACT_ENDLESS) &&
	     count != j->round->lines))
		return oracle_fault(j, "%zu of %u lines", count, j->round->lines);
	return true;
}

static bool check_logs(struct judging *j)
{
	const json_t *logs = json_object_get(j->record, "logs");
	const json_t *usage = json_object_get(j->record, "usage");
	bool truncated = json_is_true(json_object_get(j->record, "logs_truncated"));
	size_t count = json_array_size(logs), bytes = 0;
	double last_ms = 0;

	for (size_t i = 0; i < count; i++) {
		const json_t *line = json_array_get(logs, i);

		if (!oracle_check_line(j, line, i, truncated && i + 1 == count))
			return false;
		bytes += json_string_length(json_object_get(line, "text"));
		if (number(line, "t_ms") < last_ms)
			return oracle_fault(j, "line %zu came before the one before it",
					    i);
		last_ms = number(line, "t_ms");
	}
	if ((double)bytes != number(usage, "log_bytes"))
		return oracle_fault(j, "log_bytes is not %zu", bytes);
	return check_log_length(j, count);
}

static json_t *make_value(const struct round *round)
{
	char text[VALUE_LONG_MOST + 1];

	if (round->pairing->act->flags & ACT_SAID)
		return json_integer((json_int_t)round->number);
	switch (round->value) {
	case VALUE_TRUE:
		return json_true();
	case VALUE_FALSE:
		return json_false();
	case VALUE_OBJECT:
		return json_pack("{s:I,s:[i,s,n]}", "round", (json_int_t)round->number,
				 "list", 1, "two");
	case VALUE_LONG:
	case VALUE_KINDS:
		break;
	}
	memset(text, 'v', round->value_len);
	return json_stringn(text, round->value_len);
}

/* Whole or not at all; a pass only where all went well. */
static bool check_value(struct judging *j)
{
	const json_t *value = json_object_get(j->record, "value");
	bool there = !is_null(j->record, "value_text");
	bool passed = json_is_true(json_object_get(j->record, "passed"));
	json_t *wanted = make_value(j->round);
	bool whole = json_equal(value, wanted);
	bool may_pass = json_is_true(wanted);
	bool ok = strcmp(str(j->record, "status"), "ok") == 0;

	json_decref(wanted);
	if (there != (bool)json_is_true(json_object_get(j->record, "value_is_json")))
		return oracle_fault(j,
				    "value_text and value_is_json contradict each other");
	if (there && (!whole || !(flags_of(j) & ACT_VALUE)))
		return oracle_fault(j, "a value that the script does not have");
	if (!there && !json_is_null(value))
		return oracle_fault(j, "a value without its text");
	if (ok && !there)
		return oracle_fault(j, "ok without a value");
	if (passed != (ok && there && may_pass))
		return oracle_fault(j, "passed is %d", passed);
	return there ==
		       (number(json_object_get(j->record, "usage"), "value_bytes") > 0) ||
	       oracle_fault(j, "value_bytes contradicts the value");
}

static bool is_throw(const json_t *error)
{
	return strcmp(str(error, "name"), "Error") == 0 &&
	       strcmp(str(error, "message"), "thrown") == 0 &&
	       strcmp(str(error, "phase"), "run") == 0 && number(error, "line") >= 1;
}

static bool check_error(struct judging *j)
{
	const json_t *error = json_object_get(j->record, "error");
	const char *status = str(j->record, "status");
	bool there = !json_is_null(error);

	if (strcmp(status, "crashed") == 0)
		return there || oracle_fault(j, "a crash without a word");
	if (strcmp(status, "error") == 0 && !there)
		return oracle_fault(j, "status error without an error");
	if (there && !((flags_of(j) & ACT_THROWS) && is_throw(error)))
		return oracle_fault(j, "an error that the script did not throw: %s",
				    str(error, "message"));
	return true;
}

/* Whatever ended by itself was seen to end before the deadline. */
static bool check_times(struct judging *j)
{
	const json_t *usage = json_object_get(j->record, "usage");
	const json_t *limits = json_object_get(j->record, "limits");
	const char *status = str(j->record, "status");
	double wall = number(usage, "wall_ms"), limit = number(limits, "wall_ms");
	bool by_us =
		strcmp(str(json_object_get(j->record, "kill"), "by"), "supervisor") == 0;
	uint32_t asked = j->round->pairing->deadline_ms;
	bool ran = !is_null(json_object_get(j->record, "gate"), "decision");

	if (limit != (asked ? asked : POLICY_WALL_MS))
		return oracle_fault(j, "limits.wall_ms is %.0f", limit);
	if (strcmp(status, "timeout") == 0 && ran && wall < limit)
		return oracle_fault(j, "timeout after %.3f ms", wall);
	if (!by_us && wall > limit)
		return oracle_fault(j, "'%s' after %.3f ms", status, wall);
	if (strcmp(status, "cpu_limit") == 0 &&
	    number(usage, "cpu_ms") < number(limits, "cpu_ms"))
		return oracle_fault(j, "cpu_limit after %.3f ms",
				    number(usage, "cpu_ms"));
	return !ran || number(usage, "setup_ms") > 0 ||
	       oracle_fault(j, "no time for set-up");
}

/* What was told as it happened is what the record says. */
static bool check_events(struct judging *j)
{
	size_t logs = 0, values = 0, errors = 0;
	const json_t *lines = json_object_get(j->record, "logs");

	for (unsigned i = 0; i < j->events_count; i++) {
		const json_t *event = j->events[i];
		const char *kind = str(event, "event");
		const json_t *line = json_array_get(lines, logs);

		values += strcmp(kind, "value") == 0;
		errors += strcmp(kind, "error") == 0;
		if (strcmp(kind, "log") != 0)
			continue;
		logs++;
		if (!json_equal(json_object_get(event, "text"),
				json_object_get(line, "text")) ||
		    !json_equal(json_object_get(event, "t_ms"),
				json_object_get(line, "t_ms")))
			return oracle_fault(j, "event %u is not the record's line", i);
	}
	if (!j->round->ndjson)
		return j->events_count == 0 ||
		       oracle_fault(j, "events in a plain record");
	return (logs == json_array_size(lines) &&
		values == !is_null(j->record, "value_text") &&
		errors == (is_throw(json_object_get(j->record, "error")))) ||
	       oracle_fault(j, "%zu, %zu, %zu events of log, value, error", logs, values,
			    errors);
}

bool oracle_check_fields(struct judging *j)
{
	return check_gate(j) && check_logs(j) && check_value(j) && check_error(j) &&
	       check_times(j) && check_events(j);
}
