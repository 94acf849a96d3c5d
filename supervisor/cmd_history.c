/* SPDX-License-Identifier: MIT */
/*
 * `quod history`: what quodd has run, newest first, or one of its records.
 */
#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "base/own.h"
#include "supervisor/cmd_ask.h"
#include "supervisor/cmd_run.h"
#include "supervisor/commands.h"
#include "supervisor/runid.h"
#include "supervisor/status.h"

#define LIMIT_MOST 200u
/* With every byte of a tenant's name as three. */
#define PATH_MOST 1024u

struct history_args {
	const char *socket, *output, *limit, *before, *status, *tenant;
	const char *id; /* NULL: all of them */
};

#define OPTIONS_INTO struct history_args
static const struct option options[] = {history_OPTIONS(OPTION_ROW)};

/* --- the question ------------------------------------------------------------- */

static int check_id(const char *what, const char *id, struct usage *usage)
{
	if (!id || runid_is_valid(id))
		return 0;
	return usage_fail(usage, -EINVAL,
			  "%s'%.100s' is no id of a run: 26 digits and capital letters",
			  what, id);
}

static int check_status(const char *status, struct usage *usage)
{
	const char *names[STATUS_COUNT + 1];
	int r;

	for (int i = 0; i < STATUS_COUNT; i++)
		names[i] = status_infos[i].name;
	names[STATUS_COUNT] = "running";
	r = status ? run_args_choose("--status", status, names, ARRAY_LEN(names), usage)
		   : 0;
	return r < 0 ? r : 0;
}

static int check_limit(const char *limit, struct usage *usage)
{
	uint32_t number;
	enum number_error e =
		limit ? number_parse_u32(limit, 1, LIMIT_MOST, &number) : NUMBER_OK;

	return e ? usage_fail(usage, -EINVAL, "--limit '%.100s' %s: 1 to %u", limit,
			      number_error_text(e), LIMIT_MOST)
		 : 0;
}

static int check(const struct history_args *args, struct usage *usage)
{
	int r = check_id("", args->id, usage);

	if (r == 0 && args->id &&
	    (args->limit || args->before || args->status || args->tenant))
		r = usage_fail(usage, -EINVAL, "one run by its id needs no choice");
	if (r == 0)
		r = check_id("--before ", args->before, usage);
	if (r == 0)
		r = check_limit(args->limit, usage);
	if (r == 0)
		r = check_status(args->status, usage);
	if (r == 0 && args->tenant && strlen(args->tenant) > PATH_MOST / 4)
		r = usage_fail(usage, -EINVAL, "--tenant has more than %u bytes",
			       PATH_MOST / 4);
	return r;
}

/* As a URL has it: all but the plainest characters as %XX. */
static void add_parameter(struct text *to, const char *name, const char *value)
{
	if (!value)
		return;
	text_addf(to, "%s%s=", strchr(text_str(to), '?') ? "&" : "?", name);
	for (; *value; value++) {
		unsigned char c = (unsigned char)*value;

		if ((c >= '0' && c <= '9') || ((c | 32) >= 'a' && (c | 32) <= 'z') ||
		    c == '_' || c == '-' || c == '.')
			text_add_char(to, *value);
		else
			text_addf(to, "%%%02X", c);
	}
}

static void add_path(const struct history_args *args, struct text *to)
{
	text_add_str(to, "/v1/runs");
	if (args->id)
		text_addf(to, "/%s", args->id);
	add_parameter(to, "limit", args->limit);
	add_parameter(to, "before", args->before);
	add_parameter(to, "status", args->status);
	add_parameter(to, "tenant", args->tenant);
}

/* --- many --------------------------------------------------------------------- */

enum {
	RUN_ID,
	RUN_STARTED,
	RUN_STATUS,
	RUN_POLICY,
	RUN_ENGINE,
	RUN_TENANT,
	RUN_USAGE,
	RUNS
};
static const char *const run_names[RUNS] = {"id",     "started_at", "status", "policy",
					    "engine", "tenant",	    "usage"};
static const char *const headings[RUNS] = {"ID",     "STARTED", "STATUS", "POLICY",
					   "ENGINE", "TENANT",	"WALL_MS"};

static void add_run(const struct json_span *run, struct table *table)
{
	static const char *const wall[] = {"wall_ms"};
	struct json_span values[RUNS], usage;

	if (!json_pick(run, run_names, values, RUNS))
		return;
	for (int i = 0; i < RUN_USAGE; i++)
		asked_add_cell(table, &values[i]);
	if (!values[RUN_USAGE].at || !json_pick(&values[RUN_USAGE], wall, &usage, 1))
		usage = (struct json_span){0};
	asked_add_cell(table, &usage);
}

/* Where the next page begins, if there is one. */
static void add_next(const struct json_span *next, struct text *to)
{
	own_text struct text id = TEXT_INIT(RUNID_LEN);

	if (next->at && next->at[0] == '"' && json_add_unescaped(&id, next) &&
	    runid_is_valid(text_str(&id)))
		text_addf(to, "older ones: quod history --before %s\n", text_str(&id));
}

static bool add_runs(const struct json_span *object, struct text *to)
{
	static const char *const names[] = {"runs", "next"};
	own_table struct table table = TABLE_INIT(RUNS, 1u << RUN_USAGE);
	struct json_span values[2], item;
	struct json_walk walk;

	if (!json_pick(object, names, values, 2) || !values[0].at ||
	    !json_walk_array(values[0].at, values[0].len, &walk))
		return false;
	for (int i = 0; i < RUNS; i++)
		table_addf(&table, "%s", headings[i]);
	while (json_walk_next_value(&walk, &item))
		add_run(&item, &table);
	table_write(&table, to);
	add_next(&values[1], to);
	return true;
}

/* --- one ---------------------------------------------------------------------- */

static void add_row(struct table *table, const char *prefix, const struct json_span *name,
		    const struct json_span *value)
{
	own_text struct text label = TEXT_INIT(1024);

	text_add_str(&label, prefix);
	json_add_unescaped(&label, name);
	table_add(table, text_str(&label), label.len);
	asked_add_cell(table, value);
}

/* An object within it has a row for each of its members. */
static void add_members(struct table *table, const char *prefix, struct json_walk *walk)
{
	struct json_span name, value;
	struct json_walk inner;

	while (json_walk_next(walk, &name, &value)) {
		own_text struct text label = TEXT_INIT(1024);

		json_add_unescaped(&label, &name);
		text_add_char(&label, '.');
		if (!*prefix && json_walk_object(value.at, value.len, &inner))
			add_members(table, text_str(&label), &inner);
		else
			add_row(table, prefix, &name, &value);
	}
}

static bool add_one(const struct json_span *object, struct text *to)
{
	own_table struct table table = TABLE_INIT(2, 0);
	struct json_walk walk;

	if (!json_walk_object(object->at, object->len, &walk))
		return false;
	add_members(&table, "", &walk);
	table_write(&table, to);
	return true;
}

/* --- the command -------------------------------------------------------------- */

static int tell(struct asked *asked, const struct history_args *args,
		enum output_kind kind, struct usage *why)
{
	const struct client *client = &asked->clients[0];
	own_text struct text to = TEXT_INIT(SINK_MOST);
	struct json_span object;

	bool is_no = args->id && client->reply.status == 404;

	if (client->reply.status != 200) {
		int code = client_refused(client, why);

		return command_failed(is_no ? EXIT_ANSWER_NO : code, why);
	}
	if (!client_body(client, &object) ||
	    !(args->id ? add_one(&object, &to) : add_runs(&object, &to)))
		return command_failed(client_not_known(client, why), why);
	return kind == OUTPUT_JSON ? asked_print_json(asked, &client->body)
				   : asked_print(asked, &to);
}

static int cmd_history(int argc, char **argv)
{
	own_text struct text path = TEXT_INIT(PATH_MOST);
	own_asked struct asked asked = {.count = 0};
	struct history_args args = {0};
	enum output_kind kind = OUTPUT_TEXT;
	struct usage usage;
	const char *paths[1];
	int rest = 0;
	int r = options_parse(options, ARRAY_LEN(options), false, argc, argv, &args,
			      &rest, &usage);

	if (r == 0 && rest > 1)
		r = usage_fail(&usage, -EINVAL,
			       "one run at a time: '%.100s' and '%.100s'", argv[0],
			       argv[1]);
	args.id = r == 0 && rest ? argv[0] : NULL;
	if (r == 0)
		r = asked_kind(args.output, &kind, &usage);
	if (r == 0)
		r = check(&args, &usage);
	if (r < 0)
		return command_misused(&command_history, r, &usage);
	add_path(&args, &path);
	paths[0] = text_str(&path);
	r = ask(&asked, args.socket, "GET", paths, 1, &usage);
	return r ? command_failed(r, &usage) : tell(&asked, &args, kind, &usage);
}

const struct command command_history = {
	.name = "history",
	.options = options,
	.options_count = ARRAY_LEN(options),
	.run = cmd_history,
};
