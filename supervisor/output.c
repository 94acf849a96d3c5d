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
	output->stdout_is_tty = isatty(STDOUT_FILENO) == 1;
	output->stderr_is_tty = isatty(STDERR_FILENO) == 1;
}

void output_init_held(struct output *output, enum output_kind kind)
{
	*output = (struct output){.kind = kind};
	sink_init(&output->sink);
	output->sink.held = true;
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

/* stderr is where quod itself speaks: there each line of what the guest says has its
 * prefix, or the second could be taken for quod's. */
static void text_aside(struct output *output, const char *prefix, const char *bytes,
		       size_t len)
{
	struct text *to = &output->sink.bytes;

	for (;;) {
		const char *end = memchr(bytes, '\n', len);
		size_t n = end ? (size_t)(end - bytes) : len;

		text_add_str(to, prefix);
		add_foreign(output, STDERR_FILENO, bytes, n);
		text_add_char(to, '\n');
		if (!end)
			break;
		bytes += n + 1;
		len -= n + 1;
	}
	sink_commit(&output->sink, STDERR_FILENO);
}

static void text_line(struct output *output, const struct runlog *log,
		      const struct log_line *line)
{
	const char *bytes = runlog_text(log, line);

	if (line->level == LOG_WARN || line->level == LOG_ERROR) {
		text_aside(output, line->level == LOG_WARN ? "WARN: " : "ERR: ", bytes,
			   line->len);
		return;
	}
	add_foreign(output, STDOUT_FILENO, bytes, line->len);
	text_add_char(&output->sink.bytes, '\n');
	sink_commit(&output->sink, STDOUT_FILENO);
}

/* JSON too is shown escaped on a terminal: what needs it can only stand in strings. */
void output_json(struct output *output, const struct text *lines)
{
	struct text *to = &output->sink.bytes;

	if (output->stdout_is_tty)
		text_add_escaped(to, text_str(lines), lines->len,
				 TEXT_AS_JSON | TEXT_KEEP_LINES);
	else
		text_add(to, text_str(lines), lines->len);
	if (text_status(lines))
		to->error = text_status(lines);
	sink_commit(&output->sink, STDOUT_FILENO);
}

static void event_begin(struct text *event, const char *name)
{
	text_addf(event, "{\"event\":\"%s\"", name);
}

static void event_end(struct output *output, struct text *event)
{
	text_add_str(event, "}\n");
	output_json(output, event);
}

void output_line(struct output *output, const struct runlog *log,
		 const struct log_line *line)
{
	own_text struct text event = TEXT_INIT(SINK_MOST);

	if (output->kind == OUTPUT_TEXT) {
		text_line(output, log, line);
	} else if (output->kind == OUTPUT_NDJSON) {
		event_begin(&event, "log");
		record_write_line(log, line, &event);
		event_end(output, &event);
	}
}

void output_finding(struct output *output, const struct record_finding *finding)
{
	own_text struct text event = TEXT_INIT(SINK_MOST);

	if (output->kind != OUTPUT_NDJSON)
		return;
	event_begin(&event, "finding");
	record_write_finding(finding, &event);
	event_end(output, &event);
}

void output_value(struct output *output, const struct record *record)
{
	own_text struct text event = TEXT_INIT(SINK_MOST);

	if (output->kind != OUTPUT_NDJSON)
		return;
	event_begin(&event, "value");
	record_write_value(record, &event);
	event_end(output, &event);
}

void output_error(struct output *output, const struct record *record)
{
	own_text struct text event = TEXT_INIT(SINK_MOST);

	if (output->kind != OUTPUT_NDJSON)
		return;
	event_begin(&event, "error");
	record_write_error(record, &event);
	event_end(output, &event);
}

/* A program that ends in no expression has nothing to show. */
static bool is_undefined(const struct record *record)
{
	return !record->value_is_json &&
	       !strcmp(text_str(&record->value_text), "undefined");
}

/* Findings are what was asked for; the rest is told as of any run. */
static void text_check(struct output *output, const struct record *record)
{
	own_text struct text findings = TEXT_INIT(SINK_MOST);

	output_findings(record, &findings);
	text_add(&output->sink.bytes, text_str(&findings), findings.len);
	if (text_status(&findings))
		output->sink.bytes.error = text_status(&findings);
	sink_commit(&output->sink, STDOUT_FILENO);
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
	if (record->request->check_only)
		text_check(output, record);
	output_explain(record, &why);
	if (why.len == 0)
		return;
	text_add_str(to, "quod: ");
	if (record->request->case_id) {
		text_add_str(to, "case ");
		text_add_escaped(to, record->request->case_id,
				 strlen(record->request->case_id), 0);
		text_add_str(to, ": ");
	}
	text_add(to, text_str(&why), why.len);
	text_add_char(to, '\n');
	sink_commit(&output->sink, STDERR_FILENO);
}

void output_record(struct output *output, const struct record *record)
{
	own_text struct text json = TEXT_INIT(SINK_MOST);

	if (output->kind == OUTPUT_TEXT) {
		text_record(output, record);
		return;
	}
	record_write(record, &json);
	text_add_char(&json, '\n');
	output_json(output, &json);
}
