/* SPDX-License-Identifier: MIT */
/*
 * How a run is told to whoever started it: as text for people, as one record, or as a
 * stream of events that ends with the record. Everything goes through the sink: nothing
 * here blocks.
 *
 * On a terminal what the guest says is shown escaped; into pipes and files it goes raw.
 * The two streams are looked at separately. What quod itself says of a run is a line of
 * its own on stderr that begins with "quod: ", and no guest can make another.
 */
#ifndef QUOD_OUTPUT_H
#define QUOD_OUTPUT_H

#include <stdbool.h>

#include "supervisor/record.h"
#include "supervisor/sink.h"

/* X(id, name) */
#define OUTPUT_KINDS(X) \
	X(TEXT, "text") \
	X(JSON, "json") \
	X(NDJSON, "ndjson")

enum output_kind {
#define X(id, name) OUTPUT_##id,
	OUTPUT_KINDS(X)
#undef X
		OUTPUT_KINDS_COUNT
};

extern const char *const output_kind_names[OUTPUT_KINDS_COUNT];

struct output {
	enum output_kind kind;
	struct sink sink;
	bool stdout_is_tty, stderr_is_tty;
};

void output_init(struct output *output, enum output_kind kind);
/* Nothing is written: it is taken out of the sink with sink_take(). */
void output_init_held(struct output *output, enum output_kind kind);
void output_free(struct output *output);

/* While it happens. */
void output_line(struct output *output, const struct runlog *log,
		 const struct log_line *line);
void output_finding(struct output *output, const struct record_finding *finding);
void output_value(struct output *output, const struct record *record);
void output_error(struct output *output, const struct record *record);

/* At the end: the value and why it is not ok, or the record. */
void output_record(struct output *output, const struct record *record);

/* Lines of JSON, each with its line feed, as they are. */
void output_json(struct output *output, const struct text *lines);

/* Findings and decision for people, as a compiler tells them; safe for a terminal. */
void output_findings(const struct record *record, struct text *to);

/* Why the status is what it is, for people: "timeout: ...", no prefix, no line feed.
 * Guest's text is in it as it came. */
void output_explain(const struct record *record, struct text *to);

#endif
