/* SPDX-License-Identifier: MIT */
/*
 * `quod status`: is the daemon ready, and what do its tenants do? One screen.
 */
#include <errno.h>
#include <inttypes.h>
#include <string.h>

#include "base/own.h"
#include "supervisor/cmd_ask.h"
#include "supervisor/commands.h"
#include "supervisor/json_value.h"
#include "supervisor/status.h"

struct status_args {
	const char *socket, *output;
};

#define OPTIONS_INTO struct status_args
static const struct option options[] = {status_OPTIONS(OPTION_ROW)};

enum { ASKED_TENANTS, ASKED_READY, ASKED_COUNT };

/* What is looked for in the answer, and in each tenant. */
enum { TOP_TENANTS, TOP_WARM, TOP_RUNS, TOPS };
static const char *const tops[TOPS] = {"tenants", "warm", "runs_most"};

enum {
	OF_NAME,
	OF_RUNNING,
	OF_RUNS,
	OF_QUEUED,
	OF_QUEUE,
	OF_RATE,
	OF_STARTED,
	OF_REFUSED,
	OF_POLICIES,
	OFS
};
static const char *const ofs[OFS] = {"name",	"running",    "runs_most",
				     "queued",	"queue_most", "rate_per_second",
				     "started", "refused",    "policies"};
static const char *const headings[OFS] = {"TENANT", "RUNNING", "OF",	  "QUEUED",  "OF",
					  "RATE/S", "STARTED", "REFUSED", "POLICIES"};
#define NUMBERS (((1u << OF_POLICIES) - 1) & ~(1u << OF_NAME))

struct sums {
	uint64_t running, queued;
};

static void add_number(const struct json_span *value, uint64_t *sum)
{
	uint64_t number;

	if (json_get_u64(value, UINT32_MAX, &number))
		*sum += number;
}

static void add_tenants(const struct json_span *list, struct table *table,
			struct sums *sums)
{
	struct json_span item, values[OFS];
	struct json_walk walk;

	for (int i = 0; i < OFS; i++)
		table_addf(table, "%s", headings[i]);
	if (!list->at || !json_walk_array(list->at, list->len, &walk))
		return;
	while (json_walk_next_value(&walk, &item)) {
		if (!json_pick(&item, ofs, values, OFS))
			continue;
		for (int i = 0; i < OFS; i++)
			asked_add_cell(table, &values[i]);
		add_number(&values[OF_RUNNING], &sums->running);
		add_number(&values[OF_QUEUED], &sums->queued);
	}
}

/* "WHAT: WHY", and what mends it in a line of its own. */
static void add_lack(const struct json_span *item, const char *const *names,
		     struct text *to)
{
	struct json_span values[3];
	own_text struct text words = TEXT_INIT(1u << 16);

	if (!json_pick(item, names, values, ARRAY_LEN(values)) ||
	    !json_get_text(&values[0], &words))
		return;
	text_add_str(&words, ": ");
	(void)json_get_text(&values[1], &words);
	text_add_str(to, "  ");
	text_add_escaped(to, text_str(&words), words.len, 0);
	text_add_char(to, '\n');
	text_clear(&words);
	if (!values[2].at || json_is_null(&values[2]) ||
	    !json_get_text(&values[2], &words))
		return;
	text_add_str(to, "    -> ");
	text_add_escaped(to, text_str(&words), words.len, 0);
	text_add_char(to, '\n');
}

/* Of the daemon's answer, as much as is understood. */
static void add_lacks(const struct client *client, struct text *to)
{
	static const char *const lists[] = {"missing", "findings"};
	static const char *const names[][3] = {{"what", "why", "mend"},
					       {"name", "found", "remedy"}};
	struct json_span object, list[ARRAY_LEN(lists)], item;
	struct json_walk walk;

	if (!client_body(client, &object) ||
	    !json_pick(&object, lists, list, ARRAY_LEN(lists)))
		return;
	for (size_t i = 0; i < ARRAY_LEN(lists); i++) {
		if (!list[i].at || !json_walk_array(list[i].at, list[i].len, &walk))
			continue;
		while (json_walk_next_value(&walk, &item))
			add_lack(&item, names[i], to);
	}
}

static void add_readiness(const struct client *client, struct text *to)
{
	own_text struct text why = TEXT_INIT(400), where = TEXT_INIT(120);

	text_add_str(to, "quodd at ");
	text_add_escaped(to, client->socket, strlen(client->socket), 0);
	if (client->reply.status == 200) {
		text_add_str(to, ": ready\n");
		return;
	}
	text_add_str(to, ": not ready");
	if (client_problem(client, &why, &where)) {
		text_add_str(to, ": ");
		text_add_escaped(to, text_str(&why), why.len, 0);
	}
	text_add_char(to, '\n');
	add_lacks(client, to);
}

static int print_text(struct asked *asked, const struct json_span *top)
{
	own_text struct text to = TEXT_INIT(16u << 20);
	own_table struct table table = TABLE_INIT(OFS, NUMBERS);
	struct sums sums = {0};

	add_tenants(&top[TOP_TENANTS], &table, &sums);
	add_readiness(&asked->clients[ASKED_READY], &to);
	text_addf(&to, "%" PRIu64 " running of at most ", sums.running);
	asked_add_text(&top[TOP_RUNS], &to);
	text_addf(&to, ", %" PRIu64 " queued, ", sums.queued);
	asked_add_text(&top[TOP_WARM], &to);
	text_add_str(&to, " jails warm\n\n");
	table_write(&table, &to);
	return asked_print(asked, &to);
}

/* Without what may stand around it. */
static struct json_span trim_object(const struct json_span *object)
{
	const char *brace = memchr(object->at, '{', object->len);
	size_t len = (size_t)(object->at + object->len - brace);

	while (brace[len - 1] != '}')
		len--;
	return (struct json_span){brace, len};
}

/* The daemon's own object, with two more members: the second is what it says of its
 * readiness, as far as that is an object. */
static int print_json(struct asked *asked, const struct json_span *object)
{
	own_text struct text to = TEXT_INIT(SINK_MOST);
	const struct client *ready = &asked->clients[ASKED_READY];
	struct json_span tenants = trim_object(object), readiness;

	if (client_body(ready, &readiness))
		readiness = trim_object(&readiness);
	else
		readiness = (struct json_span){"null", 4};
	text_addf(&to, "{\"ready\":%s,\"readiness\":",
		  ready->reply.status == 200 ? "true" : "false");
	text_add(&to, readiness.at, readiness.len);
	text_add_char(&to, ',');
	text_add(&to, tenants.at + 1, tenants.len - 1);
	text_add_char(&to, '\n');
	return asked_print_json(asked, &to);
}

static int tell(struct asked *asked, enum output_kind kind, struct usage *why)
{
	const struct client *client = &asked->clients[ASKED_TENANTS];
	bool is_ready = asked->clients[ASKED_READY].reply.status == 200;
	struct json_span object, top[TOPS];
	int r;

	if (client->reply.status != 200)
		return command_failed(client_refused(client, why), why);
	if (!client_body(client, &object) || !json_pick(&object, tops, top, TOPS) ||
	    !top[TOP_TENANTS].at)
		return command_failed(client_not_known(client, why), why);
	r = kind == OUTPUT_JSON ? print_json(asked, &object) : print_text(asked, top);
	return r ? r : is_ready ? 0 : EXIT_ANSWER_NO;
}

static int cmd_status(int argc, char **argv)
{
	static const char *const paths[ASKED_COUNT] = {"/v1/tenants", "/readyz"};
	own_asked struct asked asked = {.count = 0};
	struct status_args args = {0};
	enum output_kind kind = OUTPUT_TEXT;
	struct usage usage;
	int r = options_parse_only(options, ARRAY_LEN(options), argc, argv, &args,
				   &usage);

	if (r == 0)
		r = asked_kind(args.output, &kind, &usage);
	if (r < 0)
		return command_misused(&command_status, r, &usage);
	r = ask(&asked, args.socket, "GET", paths, ASKED_COUNT, &usage);
	return r ? command_failed(r, &usage) : tell(&asked, kind, &usage);
}

const struct command command_status = {
	.name = "status",
	.options = options,
	.options_count = ARRAY_LEN(options),
	.run = cmd_status,
};
