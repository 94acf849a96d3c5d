/* SPDX-License-Identifier: MIT */
/* A record that was written is read as what it was; anything else is no record. */
#include <criterion/criterion.h>
#include <errno.h>
#include <jansson.h>
#include <signal.h>
#include <string.h>

#include "base/own.h"
#include "supervisor/output.h"
#include "supervisor/record_read.h"

static const struct request *a_request(void)
{
	static struct request request;

	request = (struct request){.policy = policy_find("default"),
				   .limits = policy_find("default")->limits,
				   .mode = POLICY_MODE_STRICT,
				   .check_only = true,
				   .source = "a\nb",
				   .source_len = 3,
				   .name = "test.js"};
	request.limits.value[LIMIT_ID_wall_ms] = 17;
	return &request;
}

static void fill(struct record *record)
{
	record_init(record, a_request());
	memcpy(record->id, "01ARZ3NDEKTSV4RRFFQ69G5FAV", RUNID_LEN + 1);
	record->status = STATUS_REJECTED;
	record->gate = GATE_REJECTED;
	record->has_value = true;
	text_add(&record->value_text, "a\0b", 3);
	record->has_complexity = true;
	record->complexity = 7;
	record->nesting = 2;
	record->modern = true;
	record->modern_line = 2;
	text_add_str(&record->modern_text, "async \xe2\x82\xac");
	record->engine = POLICY_ENGINE_DUKTAPE;
	record->error = (struct record_error){.set = true,
					      .line = 3,
					      .phase = PHASE_PARSE,
					      .name = record->error.name,
					      .message = record->error.message,
					      .stack = record->error.stack};
	text_add_str(&record->error.name, "TypeError");
	text_add_str(&record->error.message, "x \x1b[31m");
	text_add_str(&record->error.stack, "at a\nat b");
	record->log.truncated = true;
	record_add_finding(record,
			   &(struct record_finding){.severity = RULE_SEVERITY_DENY,
						    .line = 2,
						    .column = 1,
						    .span = 1,
						    .blocks = true,
						    .rule = strdup("eval"),
						    .message = strdup("no"),
						    .why = strdup("because")});
	record_add_finding(record,
			   &(struct record_finding){.severity = RULE_SEVERITY_INFO,
						    .rule = strdup("x"),
						    .message = strdup("")});
}

static int read_text(const char *json, struct record *record, struct limits *limits)
{
	const struct json_span span = {json, strlen(json)};
	bool valid;

	json_check(json, span.len, 0, &valid);
	cr_assert(valid, "%s", json);
	record_init(record, a_request());
	return record_read(&span, record, limits);
}

/* What people are told of both, in every status. */
static void tell(const struct record *record, struct text *to)
{
	struct record told = *record;

	for (int i = 0; i < STATUS_COUNT; i++) {
		told.status = (enum status)i;
		output_explain(&told, to);
	}
	output_findings(record, to);
}

static void written(struct record *record, struct text *json)
{
	record_write(record, json);
	cr_assert_eq(text_status(json), 0);
}

static void expect_same(struct record *record)
{
	own_text struct text json = TEXT_INIT(65536), a = TEXT_INIT(65536),
			     b = TEXT_INIT(65536);
	struct record again;
	struct limits limits;

	written(record, &json);
	cr_assert_eq(read_text(text_str(&json), &again, &limits), 0);
	cr_expect(again.status == record->status && again.passed == record->passed &&
		  again.has_value == record->has_value && again.gate == record->gate &&
		  again.engine == record->engine &&
		  again.crash_signal == record->crash_signal);
	cr_expect(again.value_text.len == record->value_text.len &&
		  !memcmp(text_str(&again.value_text), text_str(&record->value_text),
			  again.value_text.len));
	cr_expect_str_eq(again.id, record->id);
	cr_expect_eq(limits.value[LIMIT_ID_wall_ms], 17);
	tell(record, &a);
	tell(&again, &b);
	cr_expect_str_eq(text_str(&a), text_str(&b));
	record_free(&again);
}

Test(record_read, gives_what_was_written)
{
	struct record record;

	fill(&record);
	expect_same(&record);
	record.status = STATUS_OK;
	record.passed = true;
	record.gate = GATE_ALLOWED;
	record.engine = POLICY_ENGINE_QUICKJS;
	record.has_complexity = record.modern = record.log.truncated = false;
	text_clear(&record.modern_text);
	expect_same(&record);
	record.status = STATUS_CRASHED;
	record.error.set = false;
	record.error.line = 0;
	text_clear(&record.error.name);
	text_clear(&record.error.message);
	text_clear(&record.error.stack);
	text_add_str(&record.why, "the interpreter was killed by SIGSEGV");
	record.killer = KILLER_KERNEL;
	record.kill_reason = "signal";
	record.kill_signal = record.crash_signal = SIGSEGV;
	expect_same(&record);
	record.kill_signal = record.crash_signal = SIGRTMIN + 3;
	expect_same(&record);
	record.status = STATUS_VIOLATION;
	record.killer = KILLER_FILTER;
	record.kill_signal = record.crash_signal = SIGSYS;
	strcpy(record.kill_syscall, "socket");
	expect_same(&record);
	record_free(&record);
}

Test(record_read, our_own_kill_is_no_signal_of_the_guest)
{
	own_text struct text json = TEXT_INIT(65536);
	struct record record, again;
	struct limits limits;

	fill(&record);
	record.status = STATUS_CRASHED;
	record.killer = KILLER_SUPERVISOR;
	record.kill_reason = "protocol";
	record.kill_signal = SIGKILL;
	written(&record, &json);
	cr_assert_eq(read_text(text_str(&json), &again, &limits), 0);
	cr_expect_eq(again.crash_signal, 0);
	record_free(&record);
	record_free(&again);
}

static json_t *a_record(void)
{
	own_text struct text json = TEXT_INIT(65536);
	struct record record;
	json_t *root;

	fill(&record);
	record.killer = KILLER_KERNEL;
	record.kill_reason = "signal";
	record.kill_signal = SIGSEGV;
	written(&record, &json);
	record_free(&record);
	root = json_loads(text_str(&json), JSON_ALLOW_NUL, NULL);
	cr_assert_not_null(root);
	return root;
}

static int read_tree(json_t *root)
{
	own_free char *json = json_dumps(root, JSON_ENCODE_ANY);
	struct record record;
	struct limits limits;
	int r = read_text(json, &record, &limits);

	record_free(&record);
	return r;
}

/* Of the record, or of an object in it, which is the first of an array. */
static json_t *object_in(json_t *root, const char *path)
{
	if (!*path)
		return root;
	if (!strcmp(path, "finding"))
		return json_array_get(
			json_object_get(json_object_get(root, "gate"), "findings"), 0);
	if (!strcmp(path, "modern"))
		return json_object_get(json_object_get(root, "gate"), "modern");
	return json_object_get(root, path);
}

static void expect_needed(const char *path, const char *key)
{
	json_t *wrong[] = {json_integer(-1), json_real(1.5), json_string("\n"),
			   json_array(), json_true()};
	unsigned taken = 0;
	json_t *root = a_record();
	json_t *object = object_in(root, path);

	cr_assert_eq(read_tree(root), 0);
	json_t *good = json_incref(json_object_get(object, key));
	cr_assert_not_null(good, "%s %s", path, key);
	json_object_del(object, key);
	cr_expect_eq(read_tree(root), -EPROTO, "%s without %s", path, key);
	/* Each is of one type, and so takes one of them at most. */
	for (size_t i = 0; i < ARRAY_LEN(wrong); i++) {
		json_object_set_new(object, key, wrong[i]);
		taken += read_tree(root) == 0;
	}
	cr_expect_leq(taken, 1, "%s %s", path, key);
	json_object_set_new(object, key, good);
	cr_expect_eq(read_tree(root), 0);
	json_decref(root);
}

Test(record_read, needs_every_member_and_its_type)
{
	static const struct {
		const char *path, *keys[12];
	} table[] = {
		{"",
		 {"id", "status", "passed", "value_is_json", "value_text",
		  "logs_truncated", "error", "gate", "engine", "kill", "limits"}},
		{"error", {"name", "message", "line", "column", "stack", "phase"}},
		{"gate", {"decision", "findings", "complexity", "nesting", "modern"}},
		{"finding",
		 {"rule", "severity", "line", "column", "span", "blocks", "message",
		  "why"}},
		{"modern", {"line", "column", "text"}},
		{"kill", {"by", "signal", "syscall"}},
		{"limits", {"wall_ms", "processes"}},
	};

	for (size_t i = 0; i < ARRAY_LEN(table); i++)
		for (size_t k = 0; table[i].keys[k]; k++)
			expect_needed(table[i].path, table[i].keys[k]);
}

Test(record_read, passes_over_what_later_versions_add)
{
	json_t *root = a_record();

	json_object_set_new(root, "later", json_pack("{s:[i]}", "x", 1));
	cr_expect_eq(read_tree(root), 0);
	json_object_set_new(root, "status", json_string("later"));
	cr_expect_eq(read_tree(root), -EPROTO);
	json_decref(root);
}

Test(record_read, is_bounded)
{
	json_t *root = a_record();
	json_t *findings = json_object_get(json_object_get(root, "gate"), "findings");

	for (unsigned i = 0; i < 1000; i++)
		json_array_append(findings, json_array_get(findings, 0));
	cr_expect_eq(read_tree(root), -EPROTO, "more findings than there can be");
	json_decref(root);
	root = a_record();
	own_free char *large = calloc(1, 1u << 17);
	memset(large, 'x', (1u << 17) - 1);
	json_object_set_new(root, "value_text", json_string(large));
	cr_expect_eq(read_tree(root), -EPROTO, "a value above its limit");
	json_decref(root);
}

Test(record_read, refuses_what_is_no_object)
{
	static const char *const bad[] = {"1",	"[]",	 "null",
					  "{}", "\"x\"", "{\"id\":1,\"id\":2}"};
	struct record record;
	struct limits limits;

	for (size_t i = 0; i < ARRAY_LEN(bad); i++) {
		cr_expect_eq(read_text(bad[i], &record, &limits), -EPROTO);
		record_free(&record);
	}
}
