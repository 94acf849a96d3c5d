/* SPDX-License-Identifier: MIT */
/*
 * The members of a job are a table. They are found first and taken in the table's order,
 * because all else is measured against the policy.
 */
#include "daemon/job_body.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/own.h"
#include "supervisor/json.h"

/* Of a word that is a name or a number: longer ones are none. */
#define WORD_MOST 255u

struct job_draft {
	struct job_body *body;
	const struct job_choice *choice;
	struct problem *problem;
};

struct field {
	const char *name;
	/* The value is valid JSON of any type. 0, or problem_set(). */
	int (*take)(struct job_draft *draft, const struct json_span *value);
};

static const char *type_of(const struct json_span *value)
{
	switch (value->at[0]) {
	case '"':
		return "a string";
	case '{':
		return "an object";
	case '[':
		return "an array";
	case 't':
	case 'f':
		return "a boolean";
	case 'n':
		return "null";
	default:
		return "a number";
	}
}

static int wrong_type(struct job_draft *draft, const char *where, const char *wanted,
		      const struct json_span *value)
{
	return problem_set(draft->problem, 422, where, "it is %s and has to be %s",
			   type_of(value), wanted);
}

static int take_word(struct job_draft *draft, const char *where,
		     const struct json_span *value, char word[WORD_MOST + 1])
{
	own_text struct text text = TEXT_INIT(WORD_MOST);

	if (value->at[0] != '"')
		return wrong_type(draft, where, "a string", value);
	json_add_unescaped(&text, value);
	if (text_status(&text) || text.len == 0 ||
	    memchr(text_str(&text), 0, text.len) != NULL)
		return problem_set(draft->problem, 422, where,
				   "it has to have 1 to %u bytes, and none of them 0",
				   WORD_MOST);
	memcpy(word, text.data, text.len + 1);
	return 0;
}

/* The digits as they stand there: a number is never made into another one. */
static int take_digits(struct job_draft *draft, const char *where,
		       const struct json_span *value, char digits[32])
{
	if (!strchr("-0123456789", value->at[0]))
		return wrong_type(draft, where, "a number", value);
	if (value->len >= 32)
		return problem_set(draft->problem, 422, where, "it %s",
				   number_error_text(NUMBER_HIGH));
	memcpy(digits, value->at, value->len);
	digits[value->len] = '\0';
	return 0;
}

static int take_number(struct job_draft *draft, const char *where,
		       const struct json_span *value, uint64_t *ret)
{
	char digits[32];
	enum number_error e;
	int r = take_digits(draft, where, value, digits);

	if (r < 0)
		return r;
	e = number_parse_u64(digits, 0, UINT64_MAX, ret);
	return e ? problem_set(draft->problem, 422, where, "it %s", number_error_text(e))
		 : 0;
}

static int take_choice(struct job_draft *draft, const char *where,
		       const struct json_span *value, const char *const *names,
		       size_t count)
{
	own_text struct text known = TEXT_INIT(256);
	char word[WORD_MOST + 1];
	int r = take_word(draft, where, value, word);

	for (size_t i = 0; r == 0 && i < count; i++) {
		if (!strcmp(names[i], word))
			return (int)i;
		text_addf(&known, "%s%s", i ? ", " : "", names[i]);
	}
	return r < 0 ? r
		     : problem_set(draft->problem, 422, where,
				   "'%.100s' is not one of: %s", word, text_str(&known));
}

/* One that is there for others is not there. */
static int find_policy(struct job_draft *draft, const struct json_span *value)
{
	const struct job_choice *choice = draft->choice;
	const struct roster *roster = choice->roster;
	own_text struct text known = TEXT_INIT(256);
	char word[WORD_MOST + 1];
	int r = take_word(draft, "/policy", value, word);

	if (r < 0)
		return r;
	for (uint32_t i = 0; i < roster->policies_count; i++) {
		if (!(choice->policies >> i & 1))
			continue;
		if (!strcmp(roster->policies[i]->name, word))
			return (int)i;
		text_addf(&known, "%s%s", known.len ? ", " : "",
			  roster->policies[i]->name);
	}
	return problem_set(draft->problem, 422, "/policy", "'%.100s' is not one of: %s",
			   word, text_str(&known));
}

static int take_policy(struct job_draft *draft, const struct json_span *value)
{
	const struct job_choice *choice = draft->choice;
	int i = value ? find_policy(draft, value) : (int)choice->policy;
	const struct policy *policy;

	if (i < 0)
		return i;
	policy = choice->roster->policies[i];
	draft->body->policy = (uint32_t)i;
	request_begin(&draft->body->request, policy, &policy->limits);
	draft->body->request.name = draft->body->name;
	return 0;
}

static int take_source(struct job_draft *draft, const struct json_span *value)
{
	struct job_body *body = draft->body;

	if (value->at[0] != '"')
		return wrong_type(draft, "/source", "a string", value);
	json_add_unescaped(&body->source, value);
	if (text_status(&body->source))
		return problem_set(draft->problem, 500, "/source",
				   "there is no memory for it");
	body->request.source = text_str(&body->source);
	body->request.source_len = body->source.len;
	return 0;
}

static int take_filename(struct job_draft *draft, const struct json_span *value)
{
	char word[WORD_MOST + 1];
	int r = take_word(draft, "/filename", value, word);

	if (r < 0)
		return r;
	if (strlen(word) > JOB_NAME_MOST)
		return problem_set(draft->problem, 422, "/filename",
				   "it has more than %u bytes", JOB_NAME_MOST);
	snprintf(draft->body->name, sizeof(draft->body->name), "%s", word);
	return 0;
}

static int take_engine(struct job_draft *draft, const struct json_span *value)
{
	struct request *request = &draft->body->request;
	int r = take_choice(draft, "/engine", value, policy_engine_names,
			    POLICY_ENGINES_COUNT);

	if (r < 0 || request_set_engine(request, (enum policy_engine)r) == 0)
		return r < 0 ? r : 0;
	return problem_set(draft->problem, 422, "/engine", "policy '%s' allows only %s",
			   request->policy->name,
			   policy_engine_names[request->policy->engine]);
}

static int take_mode(struct job_draft *draft, const struct json_span *value)
{
	struct request *request = &draft->body->request;
	int r = take_choice(draft, "/mode", value, policy_mode_names, POLICY_MODES_COUNT);

	if (r < 0 || request_set_mode(request, (enum policy_mode)r) == 0)
		return r < 0 ? r : 0;
	return problem_set(draft->problem, 422, "/mode",
			   "it may only be stricter than the '%s' of policy '%s'",
			   policy_mode_names[request->policy->mode],
			   request->policy->name);
}

static int take_verdict(struct job_draft *draft, const struct json_span *value)
{
	if (value->at[0] != 't' && value->at[0] != 'f')
		return wrong_type(draft, "/verdict", "a boolean", value);
	if (value->at[0] == 't')
		draft->body->request.judged = true;
	return 0;
}

static int take_input(struct job_draft *draft, const struct json_span *value)
{
	struct request *request = &draft->body->request;

	if (value->len > JOB_INPUT_MOST)
		return problem_set(draft->problem, 422, "/input",
				   "it is longer than 1 MiB");
	request->has_input = true;
	request->input = value->at;
	request->input_len = value->len;
	return 0;
}

static int case_fault(struct job_draft *draft, size_t number, const char *what)
{
	char where[48];

	snprintf(where, sizeof(where), "/cases/%zu", number);
	return problem_set(draft->problem, 422, where, "%s", what);
}

static int take_case(struct job_draft *draft, const struct json_span *value)
{
	static const char *const names[] = {"id", "input"};
	struct job_body *body = draft->body;
	struct job_case *one = &body->cases[body->cases_count];
	own_text struct text id = TEXT_INIT(WORD_MOST);
	struct json_span values[ARRAY_LEN(names)];

	if (!json_members(value->at, value->len, names, values, ARRAY_LEN(names)) ||
	    !json_add_unescaped(&id, &values[0]) || text_status(&id) ||
	    strlen(text_str(&id)) != id.len)
		return case_fault(
			draft, body->cases_count,
			"it has to be {\"id\": string, \"input\": JSON}, the id "
			"of at most 255 bytes");
	if (values[1].len > JOB_INPUT_MOST)
		return case_fault(draft, body->cases_count,
				  "its input is longer than 1 MiB");
	one->input = values[1];
	one->id = text_take(&id);
	if (!one->id)
		return problem_set(draft->problem, 500, "/cases",
				   "there is no memory for them");
	body->cases_count++;
	return 0;
}

static int take_cases(struct job_draft *draft, const struct json_span *value)
{
	struct job_body *body = draft->body;
	struct json_span one;
	struct json_walk walk;
	int r = 0;

	if (!json_walk_array(value->at, value->len, &walk))
		return wrong_type(draft, "/cases", "an array", value);
	if (body->request.has_input)
		return problem_set(draft->problem, 422, "/cases",
				   "a job has one input or cases, not both");
	body->cases = calloc(JOB_CASES_MOST, sizeof(*body->cases));
	if (!body->cases)
		return problem_set(draft->problem, 500, "/cases",
				   "there is no memory for them");
	while (r == 0 && json_walk_next_value(&walk, &one))
		r = body->cases_count == JOB_CASES_MOST
			    ? problem_set(draft->problem, 422, "/cases",
					  "there are more than %u", JOB_CASES_MOST)
			    : take_case(draft, &one);
	if (r == 0 && body->cases_count == 0)
		return problem_set(draft->problem, 422, "/cases", "there is none");
	return r;
}

void job_body_take_case(struct job_body *body, size_t number)
{
	const struct job_case *one = &body->cases[number];

	body->request.case_id = one->id;
	body->request.has_input = true;
	body->request.input = one->input.at;
	body->request.input_len = one->input.len;
}

void job_body_free(struct job_body *body)
{
	for (size_t i = 0; i < body->cases_count; i++)
		free(body->cases[i].id);
	free(body->cases);
	text_free(&body->source);
}

static int lower(struct job_draft *draft, enum limit_id id, const char *where,
		 const struct json_span *value)
{
	struct request *request = &draft->body->request;
	char least[LIMIT_TEXT_MOST], most[LIMIT_TEXT_MOST];
	uint64_t number;
	int r = take_number(draft, where, value, &number);

	if (r < 0 || limits_lower(&request->limits, id, number) == 0)
		return r;
	limits_print(id, limit_infos[id].least, least);
	limits_print(id, request->limits.value[id], most);
	return problem_set(draft->problem, 422, where,
			   "%s: policy '%s' allows from %s to %s", limit_infos[id].what,
			   request->policy->name, least, most);
}

static int take_limit(struct job_draft *draft, const struct json_span *name,
		      const struct json_span *value)
{
	char where[80];

	for (int i = 0; i < LIMIT_IDS; i++) {
		size_t len = strlen(limit_infos[i].name);

		if (name->len != len + 2 ||
		    memcmp(name->at + 1, limit_infos[i].name, len) != 0)
			continue;
		snprintf(where, sizeof(where), "/limits/%s", limit_infos[i].name);
		return lower(draft, (enum limit_id)i, where, value);
	}
	return problem_set(draft->problem, 422, "/limits",
			   "there is no limit called %.*s",
			   name->len > 80 ? 80 : (int)name->len, name->at);
}

static int take_limits(struct job_draft *draft, const struct json_span *value)
{
	struct json_span name, number;
	struct json_walk walk;
	int r = 0;

	if (!json_walk_object(value->at, value->len, &walk))
		return wrong_type(draft, "/limits", "an object", value);
	while (r == 0 && json_walk_next(&walk, &name, &number))
		r = take_limit(draft, &name, &number);
	return r;
}

static int take_seed(struct job_draft *draft, const struct json_span *value)
{
	draft->body->request.seeded = true;
	return take_number(draft, "/seed", value, &draft->body->request.seed);
}

static int take_now(struct job_draft *draft, const struct json_span *value)
{
	char digits[32];
	int r = take_digits(draft, "/now_ms", value, digits);

	if (r < 0)
		return r;
	if (request_set_now(&draft->body->request, digits) < 0)
		return problem_set(draft->problem, 422, "/now_ms",
				   "it is no whole number of milliseconds from 1970 "
				   "to 2262");
	return 0;
}

enum { FIELD_POLICY, FIELD_SOURCE };

static const struct field fields[] = {
	[FIELD_POLICY] = {"policy", take_policy},
	[FIELD_SOURCE] = {"source", take_source},
	{"filename", take_filename},
	{"engine", take_engine},
	{"mode", take_mode},
	{"verdict", take_verdict},
	{"input", take_input},
	{"cases", take_cases},
	{"limits", take_limits},
	{"seed", take_seed},
	{"now_ms", take_now},
};

static int find_field(const struct json_span *name)
{
	for (size_t i = 0; i < ARRAY_LEN(fields); i++)
		if (name->len == strlen(fields[i].name) + 2 &&
		    memcmp(name->at + 1, fields[i].name, name->len - 2) == 0)
			return (int)i;
	return -1;
}

static int find_members(struct json_walk *walk, struct json_span *values,
			struct problem *problem)
{
	struct json_span name, value;

	while (json_walk_next(walk, &name, &value)) {
		int shown = name.len > 80 ? 80 : (int)name.len;
		int i = find_field(&name);

		if (i < 0)
			return problem_set(problem, 422, NULL, "a job has no member %.*s",
					   shown, name.at);
		if (values[i].at)
			return problem_set(problem, 422, NULL,
					   "the member %.*s is there twice", shown,
					   name.at);
		values[i] = value;
	}
	return 0;
}

static int take_members(struct job_draft *draft, const struct json_span *values)
{
	int r;

	if (!values[FIELD_SOURCE].at)
		return problem_set(draft->problem, 422, "/source", "it is missing");
	r = take_policy(draft, values[FIELD_POLICY].at ? &values[FIELD_POLICY] : NULL);
	for (size_t i = FIELD_SOURCE; r == 0 && i < ARRAY_LEN(fields); i++)
		if (values[i].at)
			r = fields[i].take(draft, &values[i]);
	return r;
}

int job_body_parse(struct job_body *body, const struct job_choice *choice,
		   const char *json, size_t len, struct problem *problem)
{
	struct json_span values[ARRAY_LEN(fields)] = {0};
	struct job_draft draft = {.body = body, .choice = choice, .problem = problem};
	struct json_walk walk;
	bool valid = false;
	size_t good = text_utf8_span(json, len);
	int r;

	if (good < len)
		return problem_set(problem, 400, NULL,
				   "the body is not UTF-8 at offset %zu", good);
	good = json_check(json, len, 0, &valid);
	if (!valid)
		return problem_set(problem, 400, NULL,
				   "the body is not JSON at offset %zu", good);
	if (!json_walk_object(json, len, &walk))
		return problem_set(problem, 422, NULL, "a job is a JSON object");
	snprintf(body->name, sizeof(body->name), "source.js");
	r = find_members(&walk, values, problem);
	return r < 0 ? r : take_members(&draft, values);
}
