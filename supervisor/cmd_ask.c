/* SPDX-License-Identifier: MIT */
/*
 * What stdout is has to be known before the process is confined, and so the output is made
 * first.
 */
#include "supervisor/cmd_ask.h"

#include <string.h>
#include <unistd.h>

#include "supervisor/cmd_run.h"

/* Of one value in a table. */
#define VALUE_MOST (1u << 20)

int ask(struct asked *asked, const char *socket, const char *method,
	const char *const *paths, size_t count, struct usage *why)
{
	asked->count = count;
	output_init(&asked->output, OUTPUT_JSON);
	return client_get(asked->clients, count, client_socket(socket), method, paths,
			  why);
}

void asked_free(struct asked *asked)
{
	if (!asked->count)
		return;
	output_free(&asked->output);
	for (size_t i = 0; i < asked->count; i++)
		client_close(&asked->clients[i]);
}

static int flush(struct asked *asked)
{
	struct patience patience = PATIENCE_INIT(-1);
	int r = sink_flush(&asked->output.sink, &patience);

	return r < 0 ? cmd_run_write_failed(r, &patience) : 0;
}

int asked_print(struct asked *asked, const struct text *text)
{
	struct text *to = &asked->output.sink.bytes;

	text_add(to, text_str(text), text->len);
	if (text_status(text))
		to->error = text_status(text);
	sink_commit(&asked->output.sink, STDOUT_FILENO);
	return flush(asked);
}

int asked_print_json(struct asked *asked, const struct text *lines)
{
	output_json(&asked->output, lines);
	return flush(asked);
}

int asked_kind(const char *word, enum output_kind *ret_kind, struct usage *usage)
{
	int r = word ? run_args_choose("-o", word, output_kind_names, OUTPUT_NDJSON,
				       usage)
		     : OUTPUT_TEXT;

	if (r < 0)
		return r;
	*ret_kind = (enum output_kind)r;
	return 0;
}

static void add_items(struct json_walk *walk, struct text *to)
{
	struct json_span item;
	const char *lead = "";

	while (json_walk_next_value(walk, &item)) {
		text_add_str(to, lead);
		if (item.at[0] == '"')
			json_add_unescaped(to, &item);
		else
			text_add(to, item.at, item.len);
		lead = " ";
	}
	if (!*lead)
		text_add_char(to, '-');
}

void asked_add_text(const struct json_span *value, struct text *to)
{
	struct json_walk walk;

	if (!value->at || (value->at[0] == 'n' && value->len == 4))
		text_add_char(to, '-');
	else if (value->at[0] == '"')
		json_add_unescaped(to, value);
	else if (json_walk_array(value->at, value->len, &walk))
		add_items(&walk, to);
	else
		text_add(to, value->at, value->len);
}

void asked_add_cell(struct table *table, const struct json_span *value)
{
	own_text struct text cell = TEXT_INIT(VALUE_MOST);

	asked_add_text(value, &cell);
	if (text_status(&cell))
		table->cells.error = text_status(&cell);
	table_add(table, text_str(&cell), cell.len);
}
