/* SPDX-License-Identifier: MIT */
/*
 * The table, what is refused by headers alone, and the answers that need no run.
 */
#include "daemon/routes.h"

#include <errno.h>
#include <string.h>
#include <strings.h>

#include "base/number.h"
#include "base/own.h"
#include "daemon/job.h"
#include "daemon/openapi.h"
#include "daemon/server.h"
#include "policy/policy.h"
#include "supervisor/json.h"

#define JSON_TYPE "application/json"

struct route {
	const char *method, *path;
	enum MHD_Result (*answer)(struct exchange *exchange);
	bool for_tenants; /* and for nobody else */
	bool has_body;	  /* JSON */
};

static enum MHD_Result answer_health(struct exchange *exchange)
{
	static const char alive[] = "{\"status\":\"ok\"}\n";

	return http_reply(exchange, 200, JSON_TYPE, alive, sizeof(alive) - 1);
}

static enum MHD_Result answer_ready(struct exchange *exchange)
{
	struct problem problem = {0};

	if (!exchange->server->stopping)
		return answer_health(exchange);
	problem_set(&problem, 503, NULL, "the daemon is stopping");
	return http_refuse(exchange, &problem);
}

static void add_policy(const struct policy *policy, struct text *to)
{
	text_add_str(to, "{\"name\":");
	json_add_str(to, policy->name);
	text_add_str(to, ",\"about\":");
	json_add_str(to, policy->about);
	text_addf(to, ",\"engine\":\"%s\",\"mode\":\"%s\",\"verdict\":%s,\"limits\":{",
		  policy_engine_names[policy->engine], policy_mode_names[policy->mode],
		  policy->verdict ? "true" : "false");
	for (int i = 0; i < LIMIT_IDS; i++)
		text_addf(to, "%s\"%s\":%llu", i ? "," : "", limit_infos[i].name,
			  (unsigned long long)policy->limits.value[i]);
	text_add_str(to, "}}");
}

static enum MHD_Result answer_policies(struct exchange *exchange)
{
	own_text struct text json = TEXT_INIT(65536);
	const struct policy *policy;

	text_add_str(&json, "{\"policies\":[");
	for (size_t i = 0; (policy = policy_builtin(i)); i++) {
		text_add_str(&json, i ? "," : "");
		add_policy(policy, &json);
	}
	text_add_str(&json, "]}\n");
	return http_reply(exchange, 200, JSON_TYPE, text_str(&json), json.len);
}

static enum MHD_Result answer_openapi(struct exchange *exchange)
{
	return http_reply(exchange, 200, JSON_TYPE, openapi_json, sizeof(openapi_json));
}

static enum MHD_Result answer_run(struct exchange *exchange)
{
	return job_begin(exchange, false);
}

static enum MHD_Result answer_check(struct exchange *exchange)
{
	return job_begin(exchange, true);
}

static const struct route routes[] = {
	{"GET", "/healthz", answer_health, false, false},
	{"GET", "/readyz", answer_ready, false, false},
	{"GET", "/v1/openapi.json", answer_openapi, true, false},
	{"GET", "/v1/policies", answer_policies, true, false},
	{"POST", "/v1/check", answer_check, true, true},
	{"POST", "/v1/run", answer_run, true, true},
};

/* *ret_allow: the path is there, but for that method only. */
static const struct route *find(const char *method, const char *path,
				const char **ret_allow)
{
	*ret_allow = NULL;
	for (size_t i = 0; i < ARRAY_LEN(routes); i++) {
		if (strcmp(routes[i].path, path) != 0)
			continue;
		if (!strcmp(routes[i].method, method))
			return &routes[i];
		*ret_allow = routes[i].method;
	}
	return NULL;
}

static const char *header(struct exchange *exchange, const char *name)
{
	return MHD_lookup_connection_value(exchange->mhd, MHD_HEADER_KIND, name);
}

/* Parameters after the type are of no interest. */
static bool is_json(const char *type)
{
	size_t len = strlen(JSON_TYPE);

	return type && !strncasecmp(type, JSON_TYPE, len) &&
	       (type[len] == '\0' || type[len] == ';' || type[len] == ' ');
}

static int check_body(struct exchange *exchange, struct problem *problem)
{
	const char *length = header(exchange, MHD_HTTP_HEADER_CONTENT_LENGTH);
	uint64_t bytes;

	if (!is_json(header(exchange, MHD_HTTP_HEADER_CONTENT_TYPE)))
		return problem_set(problem, 415, NULL,
				   "the content type of a job is " JSON_TYPE);
	if (length && number_parse_u64(length, 0, JOB_BODY_MOST, &bytes) == NUMBER_HIGH)
		return problem_set(problem, 413, NULL, "the body has more than %u bytes",
				   JOB_BODY_MOST);
	return 0;
}

/* Without a configuration the one who has started us is the tenant and the operator. */
static void identify(struct exchange *exchange)
{
	const struct server *server = exchange->server;

	if (exchange->connection->uid != server->tenant_uid)
		return;
	exchange->tenant = server->tenant;
	exchange->is_operator = true;
}

static int check_route(struct exchange *exchange, const char *method, const char *path,
		       struct problem *problem)
{
	const char *allow;

	exchange->route = find(method, path, &allow);
	if (!exchange->route && allow) {
		problem_set(problem, 405, NULL, "%s takes %s", path, allow);
		problem->allow = allow;
		return -EINVAL;
	}
	if (!exchange->route)
		return problem_set(problem, 404, NULL,
				   "there is nothing at %.200s: see /v1/openapi.json",
				   path);
	identify(exchange);
	if (exchange->route->for_tenants && !exchange->tenant)
		return problem_set(problem, 403, NULL,
				   "this daemon serves only the user who has started it");
	return exchange->route->has_body ? check_body(exchange, problem) : 0;
}

enum MHD_Result routes_begin(struct exchange *exchange, const char *method,
			     const char *path)
{
	struct problem problem = {0};

	if (check_route(exchange, method, path, &problem) < 0)
		return http_refuse(exchange, &problem);
	return MHD_YES;
}

enum MHD_Result routes_answer(struct exchange *exchange)
{
	struct problem problem = {0};

	if (text_status(&exchange->body) == -E2BIG)
		problem_set(&problem, 413, NULL, "the body has more than %u bytes",
			    JOB_BODY_MOST);
	else if (text_status(&exchange->body))
		problem_set(&problem, 500, NULL, "there is no memory for the body");
	return problem.status ? http_refuse(exchange, &problem)
			      : exchange->route->answer(exchange);
}
