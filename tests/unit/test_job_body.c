/* SPDX-License-Identifier: MIT */
/* From a body to a request, and what a client is told of a body that is none. */
#include <criterion/criterion.h>
#include <string.h>

#include "base/own.h"
#include "daemon/job_body.h"

static const struct policy *policies[4];

static struct problem parse(struct job_body *body, const char *json)
{
	static struct roster roster = {.policies = policies, .policies_count = 4};
	/* Another has the last one too. */
	const struct job_choice choice = {.roster = &roster, .policies = 7};
	static const struct policy other = {.name = "others"};
	struct problem problem = {0};

	for (unsigned i = 0; i < 3; i++)
		policies[i] = policy_builtin(i);
	policies[3] = &other;
	*body = (struct job_body)JOB_BODY_INIT;
	if (job_body_parse(body, &choice, json, strlen(json), &problem) == 0)
		cr_expect_eq(problem.status, 0);
	else
		cr_expect_neq(problem.status, 0);
	return problem;
}

Test(job_body, each_case_is_a_request_of_its_own)
{
	struct job_body body;
	struct problem problem =
		parse(&body, "{\"cases\":[ {\"id\":\"a\\u00e9\",\"input\": [1e400] },"
			     "{\"input\":null,\"id\":\"\"}],\"source\":\"1\"}");

	cr_assert_eq(problem.status, 0, "%s", problem.detail);
	cr_assert_eq(body.cases_count, 2);
	job_body_take_case(&body, 0);
	cr_expect_str_eq(body.request.case_id, "a\xc3\xa9");
	cr_expect_eq(body.request.input_len, 7);
	cr_expect_eq(memcmp(body.request.input, "[1e400]", 7), 0);
	job_body_take_case(&body, 1);
	cr_expect_str_eq(body.request.case_id, "");
	cr_expect_eq(memcmp(body.request.input, "null", 4), 0);
	job_body_free(&body);
}

Test(job_body, all_that_a_job_may_say)
{
	struct job_body body;
	struct problem problem = parse(
		&body,
		" {\"seed\":18446744073709551615,\"limits\":{\"wall_ms\":1000,"
		"\"log_bytes\":0},\"source\":\"a\\u0000\\u00e9\\n\",\"policy\":\"open\","
		"\"now_ms\":12,\"engine\":\"duktape\",\"mode\":\"strict\",\"verdict\":true,"
		"\"filename\":\"x.js\",\"input\": [1e400, {\"a\":\"}\"}] }");

	cr_assert_eq(problem.status, 0, "%s", problem.detail);
	cr_expect_str_eq(body.request.policy->name, "open");
	cr_expect_eq(body.policy, 2);
	cr_expect_eq(body.request.source_len, 5);
	cr_expect_eq(memcmp(body.request.source, "a\0\xc3\xa9\n", 5), 0);
	cr_expect_eq(body.request.limits.value[LIMIT_ID_wall_ms], 1000);
	cr_expect_eq(body.request.limits.value[LIMIT_ID_cpu_ms], 1000, "never above");
	cr_expect_eq(body.request.limits.value[LIMIT_ID_log_bytes], 0);
	cr_expect_eq(body.request.seed, UINT64_MAX);
	cr_expect_eq(body.request.now_ms, 12);
	cr_expect(body.request.seeded && body.request.frozen && body.request.judged);
	cr_expect_eq(body.request.engine, POLICY_ENGINE_DUKTAPE);
	cr_expect_eq(body.request.mode, POLICY_MODE_STRICT);
	cr_expect_str_eq(body.request.name, "x.js");
	cr_expect_eq(strncmp(body.request.input, "[1e400, {\"a\":\"}\"}]",
			     body.request.input_len),
		     0, "the very bytes");
	job_body_free(&body);
}

Test(job_body, a_source_is_enough)
{
	struct job_body body;
	struct problem problem = parse(&body, "{\"source\":\"\"}");

	cr_assert_eq(problem.status, 0, "%s", problem.detail);
	cr_expect_str_eq(body.request.policy->name, "default");
	cr_expect_eq(body.request.source_len, 0);
	cr_expect_str_eq(body.request.source, "");
	cr_expect_not(body.request.has_input || body.request.seeded);
	job_body_free(&body);
}

static const struct {
	const char *json;
	unsigned status;
	const char *where, *detail; /* a part of it */
} wrong[] = {
	{"", 400, "", "not JSON at offset 0"},
	{"{\"source\":\"1\"", 400, "", "not JSON at offset 13"},
	{"{\"source\":\"\xff\"}", 400, "", "not UTF-8 at offset 11"},
	{"{\"source\":\"\\ud800\"}", 400, "", "not JSON"},
	{"[]", 422, "", "a JSON object"},
	{"{}", 422, "/source", "missing"},
	{"{\"source\":1}", 422, "/source", "a number and has to be a string"},
	{"{\"source\":\"\",\"source\":\"\"}", 422, "", "\"source\" is there twice"},
	{"{\"source\":\"\",\"sauce\":\"\"}", 422, "", "no member \"sauce\""},
	{"{\"source\":\"\",\"policy\":\"none\"}", 422, "/policy",
	 "default, verify, open"},
	{"{\"source\":\"\",\"cases\":{}}", 422, "/cases", "an array"},
	{"{\"source\":\"\",\"cases\":[]}", 422, "/cases", "none"},
	{"{\"source\":\"\",\"cases\":[1]}", 422, "/cases/0", "id"},
	{"{\"source\":\"\",\"cases\":[{\"id\":\"a\",\"input\":1},{\"id\":\"b\"}]}", 422,
	 "/cases/1", "id"},
	{"{\"source\":\"\",\"cases\":[{\"id\":\"a\\u0000b\",\"input\":1}]}", 422,
	 "/cases/0", "id"},
	{"{\"source\":\"\",\"cases\":[{\"id\":1,\"input\":1}]}", 422, "/cases/0", "id"},
	{"{\"source\":\"\",\"cases\":[{\"id\":\"\",\"input\":1,\"x\":1}]}", 422,
	 "/cases/0", "id"},
	{"{\"source\":\"\",\"input\":1,\"cases\":[{\"id\":\"\",\"input\":1}]}", 422,
	 "/cases", "not both"},
	{"{\"source\":\"\",\"policy\":\"others\"}", 422, "/policy",
	 "default, verify, open"},
	{"{\"source\":\"\",\"policy\":null}", 422, "/policy", "null"},
	{"{\"source\":\"\",\"policy\":\"open\\u0000\"}", 422, "/policy", "bytes"},
	{"{\"source\":\"\",\"engine\":\"v8\"}", 422, "/engine", "auto, duktape, quickjs"},
	{"{\"source\":\"\",\"mode\":\"off\"}", 422, "/mode", "only be stricter"},
	{"{\"source\":\"\",\"verdict\":1}", 422, "/verdict", "a boolean"},
	{"{\"source\":\"\",\"filename\":\"\"}", 422, "/filename", "1 to 255 bytes"},
	{"{\"source\":\"\",\"limits\":[]}", 422, "/limits", "an array"},
	{"{\"source\":\"\",\"limits\":{\"wall\":1}}", 422, "/limits", "\"wall\""},
	{"{\"source\":\"\",\"limits\":{\"wall_ms\":5001}}", 422, "/limits/wall_ms",
	 "from 1 ms to 5 s"},
	{"{\"source\":\"\",\"limits\":{\"wall_ms\":0}}", 422, "/limits/wall_ms", "1 ms"},
	{"{\"source\":\"\",\"limits\":{\"wall_ms\":1.5}}", 422, "/limits/wall_ms",
	 "whole number"},
	{"{\"source\":\"\",\"limits\":{\"wall_ms\":-1}}", 422, "/limits/wall_ms",
	 "whole number"},
	{"{\"source\":\"\",\"limits\":{\"wall_ms\":\"1\"}}", 422, "/limits/wall_ms",
	 "a string"},
	{"{\"source\":\"\",\"seed\":18446744073709551616}", 422, "/seed", "most allowed"},
	{"{\"source\":\"\",\"now_ms\":1e3}", 422, "/now_ms", "whole number"},
	{"{\"source\":\"\",\"now_ms\":-1}", 422, "/now_ms", "1970"},
	{"{\"source\":\"\",\"now_ms\":8640000000000000}", 422, "/now_ms", "2262"},
};

Test(job_body, what_is_wrong_is_told_with_its_place)
{
	for (size_t i = 0; i < ARRAY_LEN(wrong); i++) {
		struct job_body body;
		struct problem problem = parse(&body, wrong[i].json);

		cr_expect_eq(problem.status, wrong[i].status, "%s: %u", wrong[i].json,
			     problem.status);
		cr_expect_str_eq(problem.where, wrong[i].where, "%s", wrong[i].json);
		cr_expect_not_null(strstr(problem.detail, wrong[i].detail), "%s: %s",
				   wrong[i].json, problem.detail);
		job_body_free(&body);
	}
}
