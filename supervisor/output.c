/* SPDX-License-Identifier: MIT */
/*
 * The three kinds of output. Explanations for people are in output_explain.c.
 */
#include "supervisor/output.h"

#include <string.h>
#include <unistd.h>

const char *const output_kind_names[OUTPUT_KINDS_COUNT] = {
#define X(id, name) [OUTPUT_##id] = name,
	OUTPUT_KINDS(X)
#undef X
};

void output_init(struct output *output, enum output_kind kind)
{
	*output = (struct output){.kind = kind};
	sink_init(&output->sink);
	/* Now, because it is a system call that quod's own filter refuses later. */
	if (kind != OUTPUT_TEXT)
		return;
	output->stdout_is_tty = isatty(STDOUT_FILENO) == 1;
	output->stderr_is_tty = isatty(STDERR_FILENO) == 1;
}

void output_free(struct output *output)
{
	sink_free(&output->sink);
}

/* What a stranger wrote, as fits where it goes. */
static void add_foreign(struct output *output, int fd, const char *bytes, size_t len)
{
	bool tty = fd == STDOUT_FILENO ? output->stdout_is_tty : output->stderr_is_tty;

	if (tty)
		text_add_escaped(&output->sink.bytes, bytes, len, TEXT_KEEP_LINES);
	else
		text_add(&output->sink.bytes, bytes, len);
}

static void text_line(struct output *output, const struct runlog *log,
		      const struct log_line *line)
{
	bool aside = line->level == LOG_WARN || line->level == LOG_ERROR;
	int fd = aside ? STDERR_FILENO : STDOUT_FILENO;

	if (aside)
		text_add_str(&output->sink.bytes,
			     line->level == LOG_WARN ? "WARN: " : "ERR: ");
	add_foreign(output, fd, runlog_text(log, line), line->len);
	text_add_char(&output->sink.bytes, '\n');
	sink_commit(&output->sink, fd);
}

static struct text *event_begin(struct output *output, const char *name)
{
	struct text *to = &output->sink.bytes;

	text_addf(to, "{\"event\":\"%s\"", name);
	return to;
}

static void event_end(struct output *output)
{
	text_add_str(&output->sink.bytes, "}\n");
	sink_commit(&output->sink, STDOUT_FILENO);
}

void output_line(struct output *output, const struct runlog *log,
		 const struct log_line *line)
{
	if (output->kind == OUTPUT_TEXT) {
		text_line(output, log, line);
	} else if (output->kind == OUTPUT_NDJSON) {
		record_write_line(log, line, event_begin(output, "log"));
		event_end(output);
	}
}

void output_finding(struct output *output, const struct record_finding *finding)
{
	if (output->kind != OUTPUT_NDJSON)
		return;
	record_write_finding(finding, event_begin(output, "finding"));
	event_end(output);
}

void output_value(struct output *output, const struct record *record)
{
	if (output->kind != OUTPUT_NDJSON)
		return;
	record_write_value(record, event_begin(output, "value"));
	event_end(output);
}

void output_error(struct output *output, const struct record *record)
{
	if (output->kind != OUTPUT_NDJSON)
		return;
	record_write_error(record, event_begin(output, "error"));
	event_end(output);
}

/* A program that ends in no expression has nothing to show. */
static bool is_undefined(const struct record *record)
{
	return !record->value_is_json &&
	       !strcmp(text_str(&record->value_text), "undefined");
}

static void text_record(struct output *output, const struct record *record)
{
	struct text *to = &output->sink.bytes;
	own_text struct text why = TEXT_INIT(1u << 20);

	if (record->has_value && !is_undefined(record)) {
		add_foreign(output, STDOUT_FILENO, text_str(&record->value_text),
			    record->value_text.len);
		text_add_char(to, '\n');
		sink_commit(&output->sink, STDOUT_FILENO);
	}
	output_explain(record, &why);
	if (why.len == 0)
		return;
	text_add_str(to, "quod: ");
	add_foreign(output, STDERR_FILENO, text_str(&why), why.len);
	text_add_char(to, '\n');
	sink_commit(&output->sink, STDERR_FILENO);
}

void output_record(struct output *output, const struct record *record)
{
	if (output->kind == OUTPUT_TEXT) {
		text_record(output, record);
		return;
	}
	record_write(record, &output->sink.bytes);
	text_add_char(&output->sink.bytes, '\n');
	sink_commit(&output->sink, STDOUT_FILENO);
}
