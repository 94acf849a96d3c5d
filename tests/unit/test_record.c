/* SPDX-License-Identifier: MIT */
/* The record as JSON: every key there, the guest's bytes untouched. */
#include <criterion/criterion.h>
#include <jansson.h>
#include <signal.h>
#include <string.h>

#include "base/own.h"
#include "supervisor/record.h"

static const char *const keys[] = {
	"id",	       "status", "passed",	   "value",	 "value_is_json",
	"value_text",  "logs",	 "logs_truncated", "error",	 "gate",
	"review",      "engine", "policy",	   "tenant",	 "limits",
	"enforced_by", "usage",	 "kill",	   "started_at",
};

static struct request request_make(void)
{
	const struct policy *policy = policy_find("default");

	return (struct request){.policy = policy,
				.limits = policy->limits,
				.mode = policy->mode,
				.name = "test.js"};
}

static json_t *parse(const struct record *record, struct text *text)
{
	json_error_t error;
	json_t *root;

	record_write(record, text);
	cr_assert_eq(text_status(text), 0);
	cr_assert_null(strchr(text_str(text), '\n'), "one line");
	root = json_loads(text_str(text), JSON_REJECT_DUPLICATES | JSON_ALLOW_NUL,
			  &error);
	cr_assert_not_null(root, "%s in %s", error.text, text_str(text));
	return root;
}

static const char *string_at(json_t *root, const char *object, const char *name)
{
	return json_string_value(json_object_get(json_object_get(root, object), name));
}

Test(record, an_empty_one_has_every_key)
{
	own_text struct text text = TEXT_INIT(1u << 20);
	struct request request = request_make();
	struct record record;
	json_t *root;

	record_init(&record, &request);
	root = parse(&record, &text);
	for (size_t i = 0; i < ARRAY_LEN(keys); i++)
		cr_expect_not_null(json_object_get(root, keys[i]), "%s", keys[i]);
	cr_expect_eq(json_object_size(root), ARRAY_LEN(keys));
	cr_expect(json_is_null(json_object_get(root, "error")));
	cr_expect(json_is_null(json_object_get(root, "kill")));
	cr_expect_eq(json_object_size(json_object_get(root, "limits")), LIMIT_IDS);
	cr_expect_eq(json_object_size(json_object_get(root, "enforced_by")), 4);
	json_decref(root);
	record_free(&record);
}

Test(record, the_value_keeps_its_bytes)
{
	static const char json[] = "{\"a\":[0.1,1e20,-0,123456789012345678901]}";
	own_text struct text text = TEXT_INIT(1u << 20);
	struct request request = request_make();
	struct record record;

	record_init(&record, &request);
	record.has_value = record.value_is_json = true;
	text_add_str(&record.value_json, json);
	text_add_str(&record.value_text, "x");
	record_write(&record, &text);
	cr_expect_not_null(strstr(text_str(&text), "\"value\":{\"a\":[0.1,1e20,-0,"
						   "123456789012345678901]},"
						   "\"value_is_json\":true,"
						   "\"value_text\":\"x\""));
	record_free(&record);
}

Test(record, everything_that_is_known_is_told)
{
	own_text struct text text = TEXT_INIT(1u << 20);
	struct request request = request_make();
	const struct log_line *line;
	struct record record;
	json_t *root;

	record_init(&record, &request);
	record.status = STATUS_VIOLATION;
	record.started_ms = 1709208000123;
	record.killer = KILLER_FILTER;
	record.kill_reason = "syscall";
	record.kill_signal = SIGSYS;
	strcpy(record.kill_syscall, "socket");
	record.error.set = true;
	record.error.line = 3;
	record.error.phase = PHASE_RESULT;
	text_add_str(&record.error.name, "TypeError");
	runlog_add(&record.log, LOG_WARN, "a\0b", 3, false, 1500, &line);
	cr_assert_eq(record_add_finding(&record,
					&(struct record_finding){
						.severity = RULE_SEVERITY_DENY,
						.line = 1,
						.column = 2,
						.span = 3,
						.blocks = true,
						.rule = strdup("eval"),
						.message = strdup("no"),
					}),
		     0);
	root = parse(&record, &text);
	cr_expect_str_eq(string_at(root, "kill", "by"), "filter");
	cr_expect_str_eq(string_at(root, "kill", "signal"), "SIGSYS");
	cr_expect_str_eq(string_at(root, "kill", "syscall"), "socket");
	cr_expect_str_eq(string_at(root, "error", "name"), "TypeError");
	cr_expect_str_eq(string_at(root, "error", "phase"), "result");
	cr_expect(
		json_is_null(json_object_get(json_object_get(root, "error"), "column")));
	cr_expect_str_eq(json_string_value(json_object_get(root, "started_at")),
			 "2024-02-29T12:00:00.123Z");
	cr_expect_not_null(strstr(text_str(&text),
				  "\"level\":\"warn\",\"text\":\"a\\u0000b\","
				  "\"t_ms\":1.500"));
	cr_expect_not_null(strstr(text_str(&text),
				  "\"rule\":\"eval\",\"severity\":\"deny\","
				  "\"line\":1,\"column\":2,\"span\":3,"
				  "\"blocks\":true,\"message\":\"no\""));
	json_decref(root);
	record_free(&record);
}

Test(record, a_failure_of_ours_is_in_the_error)
{
	own_text struct text text = TEXT_INIT(1u << 20);
	struct request request = request_make();
	struct record record;
	json_t *root;

	record_init(&record, &request);
	text_add_str(&record.why, "clone: no");
	request.case_id = "first";
	root = parse(&record, &text);
	cr_expect_str_eq(string_at(root, "error", "message"), "clone: no");
	cr_expect(json_is_null(json_object_get(json_object_get(root, "error"), "phase")));
	cr_expect_str_eq(json_string_value(json_object_get(root, "case")), "first");
	json_decref(root);
	record_free(&record);
}
