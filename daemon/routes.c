/* SPDX-License-Identifier: MIT */
/*
 * The table, what is refused by headers alone, and the answers that need no run.
 */
#include "daemon/routes.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <strings.h>

#include "base/number.h"
#include "base/own.h"
#include "daemon/admission.h"
#include "daemon/history.h"
#include "daemon/job.h"
#include "daemon/openapi.h"
#include "daemon/server.h"
#include "policy/policy.h"
#include "supervisor/json.h"

#define JSON_TYPE    "application/json"
#define METRICS_TYPE "text/plain; version=0.0.4; charset=utf-8"

/* All series there may be, with names at their longest. */
#define METRICS_MOST (8u << 20)

struct route {
	const char *method, *path; /* that may end with {id} */
	enum MHD_Result (*answer)(struct exchange *exchange);
	enum { FOR_ALL, FOR_KNOWN, FOR_TENANTS } for_whom; /* KNOWN: or an operator */
	bool has_body;					   /* JSON */
};

static const char *header(struct exchange *exchange, const char *name)
{
	return MHD_lookup_connection_value(exchange->mhd, MHD_HEADER_KIND, name);
}

static enum MHD_Result answer_health(struct exchange *exchange)
{
	static const char alive[] = "{\"status\":\"ok\"}\n";

	return http_reply(exchange, 200, JSON_TYPE, alive, sizeof(alive) - 1);
}

/* What others may use is not told by the way. */
static uint64_t shown_policies(const struct exchange *exchange)
{
	if (exchange->is_operator)
		return UINT64_MAX;
	return exchange->account ? exchange->account->policies : 0;
}

static enum MHD_Result answer_ready(struct exchange *exchange)
{
	const struct ready *ready = &exchange->server->ready;
	own_text struct text json = TEXT_INIT(262144);

	ready_write(ready, shown_policies(exchange), exchange->is_operator, &json);
	return http_reply(exchange, ready_is(ready) ? 200 : 503, JSON_TYPE,
			  text_str(&json), json.len);
}

static enum MHD_Result answer_metrics(struct exchange *exchange)
{
	own_text struct text metrics = TEXT_INIT(METRICS_MOST);
	struct problem problem = {0};

	if (!exchange->is_operator) {
		problem_set(&problem, 403, NULL, "metrics are for operators");
		return http_refuse(exchange, &problem);
	}
	metrics_write(exchange->server, &metrics);
	if (text_status(&metrics) == 0)
		return http_reply(exchange, 200, METRICS_TYPE, text_str(&metrics),
				  metrics.len);
	problem_set(&problem, 500, NULL, "the metrics cannot be written: %s",
		    strerror(-text_status(&metrics)));
	return http_refuse(exchange, &problem);
}

/* Where files of the host are is for an operator. */
static const char *about(const struct exchange *exchange, const struct policy *policy)
{
	const char *base = policy->owner ? strrchr(policy->about, '/') : NULL;

	return base && !exchange->is_operator ? base + 1 : policy->about;
}

static void add_policy(const struct exchange *exchange, const struct policy *policy,
		       bool is_default, struct text *to)
{
	text_add_str(to, "{\"name\":");
	json_add_str(to, policy->name);
	text_add_str(to, ",\"about\":");
	json_add_str(to, about(exchange, policy));
	text_addf(to, ",\"default\":%s", is_default ? "true" : "false");
	text_addf(to, ",\"engine\":\"%s\",\"mode\":\"%s\",\"verdict\":%s,\"limits\":{",
		  policy_engine_names[policy->engine], policy_mode_names[policy->mode],
		  policy->verdict ? "true" : "false");
	for (int i = 0; i < LIMIT_IDS; i++)
		text_addf(to, "%s\"%s\":%llu", i ? "," : "", limit_infos[i].name,
			  (unsigned long long)policy->limits.value[i]);
	text_add_str(to, "}}");
}

static bool may_use(const struct exchange *exchange, uint32_t policy)
{
	return exchange->is_operator || exchange->account->policies >> policy & 1;
}

static enum MHD_Result answer_policies(struct exchange *exchange)
{
	const struct roster *roster = exchange->server->tenants.roster;
	own_text struct text json = TEXT_INIT(262144);
	const char *before = "";

	text_add_str(&json, "{\"policies\":[");
	for (uint32_t i = 0; i < roster->policies_count; i++) {
		if (!may_use(exchange, i))
			continue;
		text_add_str(&json, before);
		add_policy(exchange, roster->policies[i],
			   exchange->account && exchange->account->policy == i, &json);
		before = ",";
	}
	text_add_str(&json, "]}\n");
	return http_reply(exchange, 200, JSON_TYPE, text_str(&json), json.len);
}

static void add_rate(const struct tenant *tenant, struct text *to)
{
	uint64_t burst = tenant->terms.value[TERM_RATE_BURST];

	if (burst)
		text_addf(to, "%.3f",
			  1000.0 * (double)burst /
				  (double)tenant->terms.value[TERM_RATE_MS]);
	else
		text_add_str(to, "null");
}

static void add_tenant(const struct roster *roster, const struct tenant *tenant,
		       struct text *to)
{
	const char *before = "";

	text_add_str(to, "{\"name\":");
	json_add_str(to, tenant->name);
	text_add_str(to, ",\"policies\":[");
	for (uint32_t i = 0; i < roster->policies_count; i++) {
		if (!(tenant->policies >> i & 1))
			continue;
		text_add_str(to, before);
		json_add_str(to, roster->policies[i]->name);
		before = ",";
	}
	text_addf(to,
		  "],\"running\":%u,\"queued\":%u,\"runs_most\":%llu,"
		  "\"queue_most\":%llu,\"rate_per_second\":",
		  tenant->running, tenant->queued,
		  (unsigned long long)tenant->terms.value[TERM_RUNS],
		  (unsigned long long)tenant->terms.value[TERM_QUEUE]);
	add_rate(tenant, to);
	text_addf(to, ",\"started\":%llu,\"refused\":%llu}",
		  (unsigned long long)tenant->started,
		  (unsigned long long)tenant->refused);
}

static enum MHD_Result answer_tenants(struct exchange *exchange)
{
	const struct tenants *tenants = &exchange->server->tenants;
	own_text struct text json = TEXT_INIT(ROSTER_TENANTS_MOST * 8192ull);
	const char *before = "";

	text_add_str(&json, "{\"tenants\":[");
	for (const struct tenant *at = tenants->list; at; at = at->next) {
		if (at->gone || !(exchange->is_operator || at == exchange->account))
			continue;
		text_add_str(&json, before);
		add_tenant(tenants->roster, at, &json);
		before = ",";
	}
	text_addf(&json, "],\"warm\":%u,\"runs_most\":%llu}\n",
		  exchange->server->pool.count,
		  (unsigned long long)tenants->roster->settings.value[SETTING_RUNS]);
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
	{"GET", "/healthz", answer_health, FOR_ALL, false},
	{"GET", "/metrics", answer_metrics, FOR_ALL, false},
	{"GET", "/readyz", answer_ready, FOR_ALL, false},
	{"GET", "/v1/openapi.json", answer_openapi, FOR_KNOWN, false},
	{"GET", "/v1/policies", answer_policies, FOR_KNOWN, false},
	{"GET", "/v1/tenants", answer_tenants, FOR_KNOWN, false},
	{"POST", "/v1/check", answer_check, FOR_TENANTS, true},
	{"POST", "/v1/run", answer_run, FOR_TENANTS, true},
	{"GET", "/v1/runs", history_list, FOR_KNOWN, false},
	{"GET", "/v1/runs/{id}", history_get, FOR_KNOWN, false},
	{"DELETE", "/v1/runs/{id}", history_cancel, FOR_KNOWN, false},
};

/* Where {id} stands there is one word, which is *ret_id. */
static bool is_path_of(const struct route *route, const char *path, const char **ret_id)
{
	size_t fixed = strcspn(route->path, "{");

	if (!route->path[fixed])
		return !strcmp(route->path, path);
	if (strncmp(route->path, path, fixed) != 0 || !path[fixed] ||
	    strchr(path + fixed, '/'))
		return false;
	*ret_id = path + fixed;
	return true;
}

/* Into `allow` go the methods of a path that is there, but not for this one. */
static const struct route *find(const char *method, const char *path, const char **ret_id,
				char allow[32])
{
	size_t len = 0;

	for (size_t i = 0; i < ARRAY_LEN(routes); i++) {
		if (!is_path_of(&routes[i], path, ret_id))
			continue;
		if (!strcmp(routes[i].method, method))
			return &routes[i];
		len += (size_t)snprintf(allow + len, 32 - len, "%s%s", len ? ", " : "",
					routes[i].method);
	}
	return NULL;
}

/* Parameters after the type are of no interest. */
static bool is_json(const char *type)
{
	size_t len = strlen(JSON_TYPE);

	return type && !strncasecmp(type, JSON_TYPE, len) &&
	       (type[len] == '\0' || type[len] == ';' || type[len] == ' ');
}

struct framing {
	unsigned lengths, encodings;
};

static enum MHD_Result count_one(void *cls, enum MHD_ValueKind kind, const char *key,
				 const char *value)
{
	struct framing *framing = cls;

	(void)kind;
	(void)value;
	framing->lengths += !strcasecmp(key, MHD_HTTP_HEADER_CONTENT_LENGTH);
	framing->encodings += !strcasecmp(key, MHD_HTTP_HEADER_TRANSFER_ENCODING);
	return MHD_YES;
}

static struct framing count_framing(struct exchange *exchange)
{
	struct framing framing = {0};

	MHD_get_connection_values(exchange->mhd, MHD_HEADER_KIND, count_one, &framing);
	return framing;
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

struct shown {
	const char *value;
	unsigned count;
};

static enum MHD_Result on_header(void *cls, enum MHD_ValueKind kind, const char *name,
				 const char *value)
{
	struct shown *shown = cls;

	(void)kind;
	if (strcasecmp(name, MHD_HTTP_HEADER_AUTHORIZATION) != 0)
		return MHD_YES;
	shown->value = value;
	shown->count++;
	return MHD_YES;
}

/* What comes after "Bearer "; "", which is nobody's, where something else or more than one
 * is shown: whoever shows anything is never taken for the user that he comes as. NULL:
 * nothing is shown. */
static const char *token_of(struct exchange *exchange)
{
	static const char scheme[] = "Bearer ";
	struct shown shown = {.count = 0};

	MHD_get_connection_values(exchange->mhd, MHD_HEADER_KIND, on_header, &shown);
	if (!shown.count)
		return NULL;
	return shown.count == 1 && shown.value &&
			       !strncasecmp(shown.value, scheme, strlen(scheme))
		       ? shown.value + strlen(scheme)
		       : "";
}

/* Who shows a token is whom it names, or nobody. The one who has started us sees
 * everything; to run something he has to be a tenant as well. */
static void identify(struct exchange *exchange)
{
	const struct server *server = exchange->server;
	const struct peer *peer = &exchange->connection->peer;
	const char *token = token_of(exchange);

	exchange->account = tenant_ref(token ? tenants_find_token(&server->tenants, token)
					     : tenants_find_peer(&server->tenants, peer));
	exchange->is_operator = !token && peer->uid == server->owner;
	if (!exchange->account)
		return;
	exchange->tenant = exchange->account->name;
	if (token)
		admission_claim(exchange->connection, &exchange->server->http,
				exchange->account);
	exchange->is_operator =
		exchange->is_operator || exchange->account->terms.value[TERM_OPERATOR];
}

static int refuse_stranger(struct exchange *exchange, struct problem *problem)
{
	if (token_of(exchange))
		return problem_set(problem, 401, NULL, "no tenant has this token");
	if (exchange->connection->peer.kind == PEER_TCP)
		return problem_set(problem, 401, NULL,
				   "over TCP a tenant shows who he is: "
				   "Authorization: Bearer TOKEN");
	if (exchange->connection->peer.uid == PEER_UNKNOWN)
		return problem_set(problem, 403, NULL,
				   "you are no tenant of this daemon: see quodd.conf(5)");
	return problem_set(problem, 403, NULL,
			   "user %u is no tenant of this daemon: see quodd.conf(5)",
			   exchange->connection->peer.uid);
}

/* Two lengths of one body: a proxy before us may have believed the other one (request
 * smuggling). */
static int check_framing(struct exchange *exchange, struct problem *problem)
{
	const struct framing framing = count_framing(exchange);

	if (framing.lengths > 1 || (framing.lengths && framing.encodings) ||
	    framing.encodings > 1)
		return problem_set(problem, 400, NULL,
				   "the length of the body is said more than once");
	return 0;
}

static int check_route(struct exchange *exchange, const char *method, const char *path,
		       struct problem *problem)
{
	char allow[32] = "";
	int r = check_framing(exchange, problem);

	if (r < 0)
		return r;
	exchange->route = find(method, path, &exchange->id, allow);
	if (!exchange->route && allow[0]) {
		problem_set(problem, 405, NULL, "%.200s takes %s", path, allow);
		memcpy(problem->allow, allow, sizeof(allow));
		return -EINVAL;
	}
	if (!exchange->route)
		return problem_set(problem, 404, NULL,
				   "there is nothing at %.200s: see /v1/openapi.json",
				   path);
	identify(exchange);
	if (exchange->route->for_whom == FOR_TENANTS && !exchange->account)
		return refuse_stranger(exchange, problem);
	if (exchange->route->for_whom == FOR_KNOWN && !exchange->account &&
	    !exchange->is_operator)
		return refuse_stranger(exchange, problem);
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
	const struct tenant *account = exchange->account;
	struct problem problem = {0};

	/* Its numbers are those of a roster that does not count any more. */
	if (account && account->gone && exchange->route->for_whom != FOR_ALL) {
		problem_set(&problem, 403, NULL, "there is no tenant '%s' any more",
			    account->name);
	} else if (exchange->too_much) {
		problem_set(&problem, 429, NULL,
			    "tenant '%s' has sent more than may be in memory at once",
			    exchange->tenant);
		problem.retry_after = 1;
		problem.reason = "bodies";
	} else if (text_status(&exchange->body) == -E2BIG)
		problem_set(&problem, 413, NULL, "the body has more than %u bytes",
			    JOB_BODY_MOST);
	else if (text_status(&exchange->body))
		problem_set(&problem, 500, NULL, "there is no memory for the body");
	return problem.status ? http_refuse(exchange, &problem)
			      : exchange->route->answer(exchange);
}
