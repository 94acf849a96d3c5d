/* SPDX-License-Identifier: MIT */
/*
 * The reverse of record_write.c, object by object. Members that are not known are passed
 * over, those that are have to be there and of their type: a record of which half was
 * understood could be told as the opposite of what it says.
 */
#include "supervisor/record_read.h"

#include <errno.h>
#include <signal.h>
#include <string.h>

#include "base/own.h"
#include "base/signal_name.h"
#include "supervisor/json_value.h"

/* Finds them all. False: one is missing. */
static bool find_all(const struct json_span *object, const char *const *names,
		     struct json_span *values, size_t count)
{
	if (!json_pick(object, names, values, count))
		return false;
	for (size_t i = 0; i < count; i++)
		if (!values[i].at)
			return false;
	return true;
}

static bool get_text_or_null(const struct json_span *value, struct text *to)
{
	return json_is_null(value) || json_get_text(value, to);
}

static bool get_u32_or_null(const struct json_span *value, uint32_t *ret)
{
	uint64_t number = 0;

	if (!json_is_null(value) && !json_get_u64(value, UINT32_MAX, &number))
		return false;
	*ret = (uint32_t)number;
	return true;
}

/* NULL for null. False: it is neither that nor a string without NUL. */
static bool get_string(const struct json_span *value, char **ret)
{
	own_text struct text text = TEXT_INIT(65536);

	*ret = NULL;
	if (json_is_null(value))
		return true;
	if (!json_get_text(value, &text) || strlen(text_str(&text)) != text.len)
		return false;
	*ret = strdup(text_str(&text));
	return *ret != NULL;
}

static bool read_status(const struct json_span *value, struct record *record)
{
	const char *names[STATUS_COUNT];
	unsigned status;

	for (int i = 0; i < STATUS_COUNT; i++)
		names[i] = status_infos[i].name;
	if (!json_get_choice(value, names, STATUS_COUNT, &status))
		return false;
	record->status = (enum status)status;
	return true;
}

/* Where the script is not to blame, the message is quod's. */
static bool read_error(const struct json_span *value, struct record *record)
{
	static const char *const names[] = {"name",   "message", "line",
					    "column", "stack",	 "phase"};
	struct record_error *error = &record->error;
	struct json_span v[ARRAY_LEN(names)];
	unsigned phase;

	if (json_is_null(value))
		return true;
	if (!find_all(value, names, v, ARRAY_LEN(names)))
		return false;
	if (json_is_null(&v[5]))
		return json_get_text(&v[1], &record->why);
	if (!json_get_choice(&v[5], record_phase_names, PHASES, &phase))
		return false;
	error->set = true;
	error->phase = (enum error_phase)phase;
	return get_text_or_null(&v[0], &error->name) &&
	       json_get_text(&v[1], &error->message) &&
	       get_u32_or_null(&v[2], &error->line) &&
	       get_u32_or_null(&v[3], &error->column) &&
	       get_text_or_null(&v[4], &error->stack);
}

static bool read_finding(const struct json_span *value, struct record *record)
{
	static const char *const names[] = {"rule", "severity", "line",	   "column",
					    "span", "blocks",	"message", "why"};
	struct record_finding finding = {0};
	struct json_span v[ARRAY_LEN(names)];
	unsigned severity = 0;
	bool fine = find_all(value, names, v, ARRAY_LEN(names)) &&
		    json_get_choice(&v[1], rule_severity_names, RULE_SEVERITIES_COUNT,
				    &severity) &&
		    get_u32_or_null(&v[2], &finding.line) &&
		    get_u32_or_null(&v[3], &finding.column) &&
		    get_u32_or_null(&v[4], &finding.span) &&
		    json_get_bool(&v[5], &finding.blocks) &&
		    get_string(&v[0], &finding.rule) &&
		    get_string(&v[6], &finding.message) &&
		    get_string(&v[7], &finding.why);

	finding.severity = (enum rule_severity)severity;
	return record_add_finding(record, &finding) == 0 && fine;
}

static bool read_findings(const struct json_span *value, struct record *record)
{
	struct json_walk walk;
	struct json_span item;

	if (!json_walk_array(value->at, value->len, &walk))
		return false;
	while (json_walk_next_value(&walk, &item))
		if (record->findings_count == FINDINGS_MOST + 1 ||
		    !read_finding(&item, record))
			return false;
	return true;
}

static bool read_modern(const struct json_span *value, struct record *record)
{
	static const char *const names[] = {"line", "column", "text"};
	struct json_span v[ARRAY_LEN(names)];

	record->modern = !json_is_null(value);
	return !record->modern || (find_all(value, names, v, ARRAY_LEN(names)) &&
				   get_u32_or_null(&v[0], &record->modern_line) &&
				   get_u32_or_null(&v[1], &record->modern_column) &&
				   json_get_text(&v[2], &record->modern_text));
}

static bool read_gate(const struct json_span *value, struct record *record)
{
	static const char *const names[] = {"decision", "findings", "complexity",
					    "nesting", "modern"};
	struct json_span v[ARRAY_LEN(names)];
	unsigned decision = GATE_OPEN;

	if (!find_all(value, names, v, ARRAY_LEN(names)) ||
	    (!json_is_null(&v[0]) &&
	     !json_get_choice(&v[0], record_decision_names, GATE_DECISIONS, &decision)))
		return false;
	record->gate = (enum gate_decision)decision;
	record->has_complexity = !json_is_null(&v[2]);
	return read_findings(&v[1], record) &&
	       get_u32_or_null(&v[2], &record->complexity) &&
	       get_u32_or_null(&v[3], &record->nesting) && read_modern(&v[4], record);
}

static bool read_engine(const struct json_span *value, struct record *record)
{
	unsigned engine = POLICY_ENGINE_AUTO;

	if (!json_is_null(value) &&
	    !json_get_choice(value, policy_engine_names, POLICY_ENGINES_COUNT, &engine))
		return false;
	record->engine = (enum policy_engine)engine;
	return true;
}

bool record_read_limits(const struct json_span *value, struct limits *ret_limits)
{
	struct json_span v[LIMIT_IDS];
	const char *names[LIMIT_IDS];

	for (int i = 0; i < LIMIT_IDS; i++)
		names[i] = limit_infos[i].name;
	if (!value->at || !find_all(value, names, v, LIMIT_IDS))
		return false;
	for (int i = 0; i < LIMIT_IDS; i++)
		if (!json_get_u64(&v[i], limit_infos[i].most, &ret_limits->value[i]))
			return false;
	return true;
}

static int signal_number(const char *name)
{
	char room[SIGNAL_NAME_ROOM];

	for (int i = 1; i <= SIGRTMAX; i++)
		if (!strcmp(signal_name(i, room), name))
			return i;
	return 0;
}

/* What of it says how the interpreter died: our own kill says nothing about it. */
static bool read_kill(const struct json_span *value, struct record *record)
{
	static const char *const names[] = {"by", "signal", "syscall"};
	own_text struct text signal = TEXT_INIT(SIGNAL_NAME_ROOM),
			     call = TEXT_INIT(RECORD_SYSCALL_ROOM - 1);
	struct json_span v[ARRAY_LEN(names)];
	unsigned by;

	if (json_is_null(value))
		return true;
	if (!find_all(value, names, v, ARRAY_LEN(names)) ||
	    !json_get_choice(&v[0], record_killer_names, RECORD_KILLERS, &by) ||
	    !get_text_or_null(&v[1], &signal) || !get_text_or_null(&v[2], &call))
		return false;
	record->killer = (enum record_killer)by;
	if (by != KILLER_SUPERVISOR)
		record->crash_signal = signal_number(text_str(&signal));
	memcpy(record->kill_syscall, text_str(&call), call.len + 1);
	return true;
}

static bool read_id(const struct json_span *value, struct record *record)
{
	own_text struct text id = TEXT_INIT(RUNID_LEN);

	if (!json_get_text(value, &id) || id.len != RUNID_LEN)
		return false;
	memcpy(record->id, text_str(&id), RUNID_LEN + 1);
	return true;
}

static bool read_passed(const struct json_span *value, struct record *record)
{
	return json_get_bool(value, &record->passed);
}

static bool read_is_json(const struct json_span *value, struct record *record)
{
	return json_get_bool(value, &record->value_is_json);
}

static bool read_value_text(const struct json_span *value, struct record *record)
{
	record->has_value = !json_is_null(value);
	return get_text_or_null(value, &record->value_text);
}

static bool read_truncated(const struct json_span *value, struct record *record)
{
	return json_get_bool(value, &record->log.truncated);
}

/* Names and readers of the members, in the same order. */
static const char *const member_names[] = {
	"id",	 "status", "passed", "value_is_json", "value_text", "logs_truncated",
	"error", "gate",   "engine", "kill",	      "limits"};
static bool (*const member_readers[])(const struct json_span *, struct record *) = {
	read_id,	read_status, read_passed, read_is_json, read_value_text,
	read_truncated, read_error,  read_gate,	  read_engine,	read_kill};

int record_read(const struct json_span *json, struct record *record,
		struct limits *ret_limits)
{
	enum { READERS = ARRAY_LEN(member_readers), MEMBERS = ARRAY_LEN(member_names) };
	_Static_assert(MEMBERS == READERS + 1, "the limits are read by themselves");
	struct json_span values[MEMBERS];

	if (!find_all(json, member_names, values, MEMBERS))
		return -EPROTO;
	for (size_t i = 0; i < READERS; i++)
		if (!member_readers[i](&values[i], record))
			return -EPROTO;
	return record_read_limits(&values[READERS], ret_limits) ? 0 : -EPROTO;
}
