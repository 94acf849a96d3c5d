/* SPDX-License-Identifier: MIT */
/*
 * The parameters of a query are a table; each may be there once, and others may not. An id
 * that cannot be one, one that is nobody's and one of another tenant are all the same: not
 * there.
 */
#include "daemon/history.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "base/number.h"
#include "base/own.h"
#include "daemon/job.h"
#include "daemon/server.h"
#include "daemon/store.h"

#define JSON_TYPE "application/json"

/* The largest record, several times over. */
#define REPLY_MOST (64u << 20)

#define LIMIT_DEFAULT 50u
#define LIMIT_MOST    200u

struct list_draft {
	struct store_query query;
	struct problem problem;
	unsigned seen; /* parameters, as bits */
};

struct parameter {
	const char *name; /* as "where" has it */
	int (*take)(struct list_draft *draft, const char *value);
};

static int take_limit(struct list_draft *draft, const char *value)
{
	uint32_t number;
	enum number_error e = number_parse_u32(value, 1, LIMIT_MOST, &number);

	if (e)
		return problem_set(&draft->problem, 422, "?limit",
				   "it has to be 1 to %u and %s", LIMIT_MOST,
				   number_error_text(e));
	draft->query.limit = number;
	return 0;
}

static int take_before(struct list_draft *draft, const char *value)
{
	if (!runid_is_valid(value))
		return problem_set(&draft->problem, 422, "?before",
				   "it is no id of a run: 26 digits of Crockford's "
				   "base 32");
	draft->query.before = value;
	return 0;
}

static int take_status(struct list_draft *draft, const char *value)
{
	draft->query.status = value;
	if (!strcmp(value, "running"))
		return 0;
	for (int i = 0; i < STATUS_COUNT; i++)
		if (!strcmp(status_infos[i].name, value))
			return 0;
	return problem_set(&draft->problem, 422, "?status",
			   "'%.100s' is neither the status of a record nor 'running'",
			   value);
}

static int take_tenant(struct list_draft *draft, const char *value)
{
	draft->query.tenant = value;
	return 0;
}

static const struct parameter parameters[] = {
	{"?limit", take_limit},
	{"?before", take_before},
	{"?status", take_status},
	{"?tenant", take_tenant},
};

static const struct parameter *find_parameter(const char *name)
{
	for (size_t i = 0; i < ARRAY_LEN(parameters); i++)
		if (!strcmp(parameters[i].name + 1, name))
			return &parameters[i];
	return NULL;
}

static int take(struct list_draft *draft, const char *name, const char *value)
{
	const struct parameter *parameter = find_parameter(name);
	unsigned bit;

	if (!parameter)
		return problem_set(&draft->problem, 422, NULL,
				   "there is no parameter '%.100s': there are limit, "
				   "before, status and tenant",
				   name);
	bit = 1u << (parameter - parameters);
	if (draft->seen & bit)
		return problem_set(&draft->problem, 422, parameter->name,
				   "it is there twice");
	draft->seen |= bit;
	return parameter->take(draft, value);
}

/* A zero byte would hide the rest. */
static enum MHD_Result on_parameter(void *cls, enum MHD_ValueKind kind, const char *name,
				    size_t name_len, const char *value, size_t len)
{
	struct list_draft *draft = cls;
	int r;

	(void)kind;
	if (!value || strlen(name) != name_len || strlen(value) != len)
		r = problem_set(&draft->problem, 422, NULL,
				"the parameter '%.100s' has no value, or a zero in it",
				name);
	else
		r = take(draft, name, value);
	return r < 0 ? MHD_NO : MHD_YES;
}

/* NULL: he may see everybody's. */
static const char *whose(const struct exchange *exchange)
{
	return exchange->is_operator ? NULL : exchange->tenant;
}

static enum MHD_Result refuse_unread(struct exchange *exchange)
{
	struct problem problem = {0};

	problem_set(&problem, 500, NULL,
		    "the history cannot be read: the daemon's log says why");
	return http_refuse(exchange, &problem);
}

/* It is in memory until it is read, which its reader may not do at all. */
static bool may_hold(struct exchange *exchange, size_t len)
{
	if (!exchange->account)
		return true;
	if (!tenant_hold(exchange->account, len))
		return false;
	exchange->held += len;
	return true;
}

static enum MHD_Result refuse_too_much(struct exchange *exchange)
{
	struct problem problem = {0};

	problem_set(&problem, 429, NULL,
		    "tenant '%s' has not read as much of the history as may be in "
		    "memory at once",
		    exchange->tenant);
	problem.retry_after = 1;
	problem.reason = "bodies";
	return http_refuse(exchange, &problem);
}

static enum MHD_Result reply_list(struct exchange *exchange,
				  const struct store_query *query)
{
	own_text struct text json = TEXT_INIT(REPLY_MOST);

	if (store_list(exchange->server->store, query, &json) < 0 || text_status(&json))
		return refuse_unread(exchange);
	if (!may_hold(exchange, json.len))
		return refuse_too_much(exchange);
	return http_reply(exchange, 200, JSON_TYPE, text_str(&json), json.len);
}

enum MHD_Result history_list(struct exchange *exchange)
{
	static const char nothing[] = "{\"runs\":[],\"next\":null}\n";
	struct list_draft draft = {.query = {.limit = LIMIT_DEFAULT}};
	const char *mine = whose(exchange);

	MHD_get_connection_values_n(exchange->mhd, MHD_GET_ARGUMENT_KIND, on_parameter,
				    &draft);
	if (draft.problem.status)
		return http_refuse(exchange, &draft.problem);
	if (mine && draft.query.tenant && strcmp(mine, draft.query.tenant) != 0)
		return http_reply(exchange, 200, JSON_TYPE, nothing, sizeof(nothing) - 1);
	if (mine)
		draft.query.tenant = mine;
	return reply_list(exchange, &draft.query);
}

static enum MHD_Result refuse_absent(struct exchange *exchange)
{
	struct problem problem = {0};

	problem_set(&problem, 404, NULL, "there is no run '%.64s'", exchange->id);
	return http_refuse(exchange, &problem);
}

static enum MHD_Result reply_found(struct exchange *exchange, unsigned status,
				   enum store_found found, const struct text *json)
{
	struct MHD_Response *response = MHD_create_response_from_buffer(
		json->len, (void *)(uintptr_t)text_str(json), MHD_RESPMEM_MUST_COPY);

	if (response)
		MHD_add_response_header(response, MHD_HTTP_HEADER_CONTENT_TYPE,
					JSON_TYPE);
	if (response && found == STORE_ABRIDGED)
		MHD_add_response_header(response, "Quod-Abridged", "true");
	return http_respond(exchange, status, response);
}

static int find(struct exchange *exchange, enum store_found *ret_found, struct text *to)
{
	int r;

	*ret_found = STORE_NOTHING;
	if (!runid_is_valid(exchange->id))
		return 0;
	r = store_find(exchange->server->store, whose(exchange), exchange->id, ret_found,
		       to);
	return r < 0 ? r : text_status(to);
}

enum MHD_Result history_get(struct exchange *exchange)
{
	own_text struct text json = TEXT_INIT(REPLY_MOST);
	enum store_found found;

	if (find(exchange, &found, &json) < 0)
		return refuse_unread(exchange);
	if (found == STORE_NOTHING)
		return refuse_absent(exchange);
	if (!may_hold(exchange, json.len))
		return refuse_too_much(exchange);
	return reply_found(exchange, 200, found, &json);
}

/* Found first: cancelled it may be over at once, and the history then has its record. */
enum MHD_Result history_cancel(struct exchange *exchange)
{
	own_text struct text json = TEXT_INIT(REPLY_MOST);
	struct problem problem = {0};
	enum store_found found;

	if (find(exchange, &found, &json) < 0)
		return refuse_unread(exchange);
	if (found == STORE_NOTHING)
		return refuse_absent(exchange);
	if (found == STORE_RUNNING &&
	    job_cancel(exchange->server, whose(exchange), exchange->id))
		return reply_found(exchange, 202, found, &json);
	problem_set(&problem, 409, NULL, "the run '%s' is over", exchange->id);
	return http_refuse(exchange, &problem);
}
