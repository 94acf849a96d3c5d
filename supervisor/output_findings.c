/* SPDX-License-Identifier: MIT */
/*
 * Findings as a compiler tells them:
 *
 *	a.js:3:5: deny: eval is used [eval]
 *	    3 | this["ev" + "al"]("x")
 *	      | ^~~~~~~~~~~~~~~~~
 *	      = code that is made while it runs cannot be examined before
 *
 * The source is a stranger's and is shown escaped, wherever it goes; so the caret is set
 * by what is shown, not by bytes. Of a long line only the part around the place is shown.
 */
#include <inttypes.h>
#include <string.h>

#include "base/own.h"
#include "supervisor/output.h"

/* Characters of a line that are shown, and of those before the place. */
#define SHOWN_MOST   100
#define SHOWN_BEFORE 40

struct line {
	const char *at;
	size_t len;
};

static bool ends_line(const char *at)
{
	return *at == '\n' || *at == '\r';
}

/* As the interpreter counts them: a lone carriage return ends a line too. */
static bool find_line(const struct request *request, uint32_t number, struct line *ret)
{
	const char *at = request->source, *end = at + request->source_len;

	if (request->source_len >= 3 && !memcmp(at, "\xEF\xBB\xBF", 3))
		at += 3; /* a byte order mark is in no column */
	const char *start = at;
	for (uint32_t now = 1; at <= end; at++) {
		if (at < end && !ends_line(at))
			continue;
		if (now++ == number) {
			*ret = (struct line){start, (size_t)(at - start)};
			return true;
		}
		if (at + 1 < end && at[0] == '\r' && at[1] == '\n')
			at++;
		start = at + 1;
	}
	return false;
}

/* The byte after so many characters. */
static size_t skip_chars(const char *at, size_t len, size_t chars)
{
	size_t i = 0;

	while (i < len && chars--)
		do
			i++;
		while (i < len && ((unsigned char)at[i] & 0xC0) == 0x80);
	return i;
}

static size_t count_chars(const char *at, size_t len)
{
	size_t count = 0;

	for (size_t i = 0; i < len; i++)
		count += ((unsigned char)at[i] & 0xC0) != 0x80;
	return count;
}

static void add_times(struct text *to, char c, size_t times)
{
	while (times--)
		text_add_char(to, c);
}

/* Shown, and how wide that is: one column a character. */
static size_t add_shown(struct text *to, const char *at, size_t len)
{
	size_t before = to->len;

	text_add_escaped(to, at, len, 0);
	return to->error ? 0 : count_chars(to->data + before, to->len - before);
}

static void add_excerpt(const struct request *request,
			const struct record_finding *finding, struct text *to)
{
	size_t column = finding->column ? finding->column - 1 : 0;
	struct line line;

	if (!finding->line || !find_line(request, finding->line, &line))
		return;
	size_t from = column > SHOWN_BEFORE ? column - SHOWN_BEFORE : 0;
	size_t start = skip_chars(line.at, line.len, from);
	const char *at = line.at + start;
	size_t left = line.len - start;
	size_t lead = skip_chars(at, left, column - from);
	size_t span =
		skip_chars(at + lead, left - lead, finding->span ? finding->span : 1);
	size_t most = skip_chars(at, left, SHOWN_MOST);
	bool cut = most < left;

	span = lead + span > most ? most - lead : span;
	text_addf(to, "%5" PRIu32 " | %s", finding->line, from ? "..." : "");
	size_t pad = (from ? 3 : 0) + add_shown(to, at, lead);
	size_t width = add_shown(to, at + lead, span);
	add_shown(to, at + lead + span, most - lead - span);
	text_addf(to, "%s\n      | ", cut ? "..." : "");
	add_times(to, ' ', pad);
	text_add_char(to, '^');
	add_times(to, '~', width ? width - 1 : 0);
	text_add_char(to, '\n');
}

static void add_finding(const struct request *request,
			const struct record_finding *finding, struct text *to)
{
	text_add_escaped(to, request->name, strlen(request->name), 0);
	if (finding->line)
		text_addf(to, ":%" PRIu32, finding->line);
	if (finding->column)
		text_addf(to, ":%" PRIu32, finding->column);
	text_addf(to, ": %s: ", rule_severity_names[finding->severity]);
	text_add_escaped(to, finding->message, strlen(finding->message), 0);
	text_addf(to, " [%s]\n", finding->rule);
	add_excerpt(request, finding, to);
	if (finding->why)
		text_addf(to, "      = %s\n", finding->why);
}

void output_findings(const struct record *record, struct text *to)
{
	const struct request *request = record->request;
	unsigned count = record->findings_count, blocking = 0;

	for (unsigned i = 0; i < count; i++) {
		add_finding(request, &record->findings[i], to);
		blocking += record->findings[i].blocks;
	}
	if (record->status != STATUS_OK && record->status != STATUS_REJECTED)
		return;
	text_add_escaped(to, request->name, strlen(request->name), 0);
	if (record->gate == GATE_REJECTED)
		text_addf(to, ": rejected: %u of %u finding%s block%s", blocking, count,
			  count == 1 ? "" : "s", blocking == 1 ? "s" : "");
	else if (count)
		text_addf(to, ": allowed: %u finding%s, none blocks", count,
			  count == 1 ? "" : "s");
	else
		text_add_str(to, ": allowed: no findings");
	text_addf(to, " (mode %s of policy '%s'", policy_mode_names[request->mode],
		  request->policy->name);
	if (record->has_complexity)
		text_addf(to, "; complexity %" PRIu32 ", nesting %" PRIu32,
			  record->complexity, record->nesting);
	text_add_str(to, ")\n");
}
