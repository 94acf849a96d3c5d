/* SPDX-License-Identifier: MIT */
/*
 * The body of a job, from a client who means no good: it is refused with a problem that can
 * be written as JSON, or it is a request within its policy.
 */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "daemon/job_body.h"
#include "supervisor/json.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t len);

static void must(int holds)
{
	if (!holds)
		abort();
}

static void judge_problem(const struct problem *problem)
{
	own_text struct text json = TEXT_INIT(8192);
	bool valid;

	must(problem->status == 400 || problem->status == 422);
	problem_write(problem, &json);
	must(text_status(&json) == 0);
	must(text_utf8_span(json.data, json.len) == json.len);
	/* Its line feed is no part of it. */
	json_check(json.data, json.len - 1, JSON_COMPACT_ONLY, &valid);
	must(valid);
}

static void judge_request(const struct job_body *body, const char *json, size_t len)
{
	const struct request *request = &body->request;
	bool valid;

	must(policy_builtin(body->policy) == request->policy);
	for (int i = 0; i < LIMIT_IDS; i++)
		must(request->limits.value[i] >= limit_infos[i].least &&
		     request->limits.value[i] <= request->policy->limits.value[i]);
	must(request->mode <= request->policy->mode);
	must(request->source && strlen(request->name) > 0);
	must(text_utf8_span(request->source, request->source_len) == request->source_len);
	if (!request->has_input)
		return;
	must(request->input >= json && request->input + request->input_len <= json + len);
	json_check(request->input, request->input_len, 0, &valid);
	must(valid);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t len)
{
	const struct policy *policies[3] = {policy_builtin(0), policy_builtin(1),
					    policy_builtin(2)};
	struct roster roster = {.policies = policies, .policies_count = 3};
	const struct job_choice choice = {.roster = &roster, .policies = 7};
	struct job_body body = JOB_BODY_INIT;
	const char *json = (const char *)data;
	struct problem problem = {0};

	if (job_body_parse(&body, &choice, json, len, &problem) < 0)
		judge_problem(&problem);
	else
		judge_request(&body, json, len);
	job_body_free(&body);
	return 0;
}
