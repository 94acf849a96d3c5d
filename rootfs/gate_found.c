/* SPDX-License-Identifier: MIT */
/*
 * Findings: collected in any order, told in that of the source. Where there are more than
 * can be told, the first of each rule is among those that are.
 */
#include <stdlib.h>
#include <string.h>

#include "rootfs/gate_core.h"

/* What is collected at most of one rule: more cannot be told in any case. */
#define PLACES_MOST (FINDINGS_MOST + 1u)

void gate_found_match(struct gate *g, const struct gate_match *match, uint32_t start,
		      uint32_t end, struct gate_text detail)
{
	if (g->places_by_rule[match->rule] == PLACES_MOST) {
		g->places_lost++;
		return;
	}
	g->places_by_rule[match->rule]++;
	gate_room(&g->places, g->places_count, &g->places_room, sizeof(*g->places));
	g->places[g->places_count++] = (struct gate_place){
		.rule = match->rule,
		.start = start,
		.end = end,
		.detail = detail,
	};
}

void gate_signal_at(struct gate *g, enum gate_signal signal, uint32_t start, uint32_t end)
{
	const struct gate_matches *list = &g->matches[RULE_SIGNAL];

	for (uint32_t i = 0; i < list->count; i++)
		if (list->at[i].signal == signal)
			gate_found_match(
				g, &list->at[i], start, end,
				(struct gate_text){g->source + start, end - start});
}

void gate_signal(struct gate *g, enum gate_signal signal, uint32_t at)
{
	gate_signal_at(g, signal, g->nodes[at].start, g->nodes[at].end);
}

void gate_mention(struct gate *g, enum rule_kind kind, struct gate_text path, uint32_t at)
{
	const struct gate_matches *list = &g->matches[kind];

	if (at == GATE_NONE || g->nodes[at].flags & GATE_NODE_BARE)
		return;
	for (uint32_t i = 0; i < list->count; i++)
		if (gate_text_equal(list->at[i].pattern, path))
			gate_found_match(g, &list->at[i], g->nodes[at].start,
					 g->nodes[at].end, path);
}

/* Rules of the form *.name. */
void gate_mention_any(struct gate *g, struct gate_text key, uint32_t at)
{
	const struct gate_matches *list = &g->matches[RULE_MEMBER];

	if (at == GATE_NONE)
		return;
	for (uint32_t i = 0; i < list->count; i++) {
		struct gate_text pattern = list->at[i].pattern;

		if (pattern.len == key.len + 2 && !memcmp(pattern.at, "*.", 2) &&
		    !memcmp(pattern.at + 2, key.at, key.len))
			gate_found_match(g, &list->at[i], g->nodes[at].start,
					 g->nodes[at].end, gate_source_of(g, at));
	}
}

/* Those of a round that has to be done again. */
void gate_found_drop(struct gate *g, uint32_t count)
{
	while (g->places_count > count)
		g->places_by_rule[g->places[--g->places_count].rule]--;
	g->places_lost = 0;
}

static int by_place(const void *a, const void *b)
{
	const struct gate_place *x = a, *y = b;

	if (x->start != y->start)
		return x->start < y->start ? -1 : 1;
	if (x->rule != y->rule)
		return x->rule < y->rule ? -1 : 1;
	return x->end == y->end ? 0 : x->end < y->end ? -1 : 1;
}

/* Heapsort: no memory, no recursion, n log n whatever the source does. */
static void sift(struct gate_place *places, uint32_t from, uint32_t count)
{
	for (uint32_t child; (child = from * 2 + 1) < count; from = child) {
		struct gate_place other;

		if (child + 1 < count && by_place(&places[child], &places[child + 1]) < 0)
			child++;
		if (by_place(&places[from], &places[child]) >= 0)
			return;
		other = places[from];
		places[from] = places[child];
		places[child] = other;
	}
}

static void sort(struct gate_place *places, uint32_t count)
{
	for (uint32_t i = count / 2; i-- > 0;)
		sift(places, i, count);
	for (uint32_t i = count; i-- > 1;) {
		struct gate_place last = places[i];

		places[i] = places[0];
		places[0] = last;
		sift(places, 0, i);
	}
}

/* The same rule at the same place is one finding; so is what begins there and goes on. */
static uint32_t unique(struct gate_place *places, uint32_t count)
{
	uint32_t kept = 0;

	for (uint32_t i = 0; i < count; i++)
		if (!kept || places[kept - 1].start != places[i].start ||
		    places[kept - 1].rule != places[i].rule)
			places[kept++] = places[i];
	return kept;
}

static void choose(struct gate_place *places, uint32_t count, uint32_t most)
{
	bool seen[UINT8_MAX + 1] = {false};
	uint32_t kept = 0;

	for (uint32_t i = 0; i < count; i++)
		if (!seen[places[i].rule]) {
			seen[places[i].rule] = places[i].kept = true;
			kept++;
		}
	for (uint32_t i = 0; i < count && kept < most; i++)
		if (!places[i].kept) {
			places[i].kept = true;
			kept++;
		}
}

struct position {
	uint32_t at, line, column;
};

/* Bytes of the line terminator there, or 0. */
static uint32_t line_end(const struct gate *g, uint32_t at)
{
	const char *c = g->source + at;
	uint32_t left = g->source_len - at;

	if (*c == '\r')
		return left > 1 && c[1] == '\n' ? 2 : 1;
	return *c == '\n';
}

static bool begins_character(char c)
{
	return ((unsigned char)c & 0xc0) != 0x80;
}

static void go_to(const struct gate *g, struct position *position, uint32_t to)
{
	while (position->at < to) {
		uint32_t len = line_end(g, position->at);

		if (len) {
			position->line++;
			position->column = 1;
			position->at += len;
		} else {
			position->at++;
			if (position->at == g->source_len ||
			    begins_character(g->source[position->at]))
				position->column++;
		}
	}
}

static uint32_t span_of(const struct gate *g, uint32_t start, uint32_t end)
{
	uint32_t span = 0;

	for (uint32_t i = start; i < end && !line_end(g, i); i++)
		span += begins_character(g->source[i]);
	return span;
}

/* Valid UTF-8 of at most that many bytes, cut between characters; control characters and
 * halves of surrogate pairs are left to the host, which shows them escaped. */
static size_t detail_len(struct gate_text text)
{
	size_t len = text.len < FINDING_DETAIL_MOST ? text.len : FINDING_DETAIL_MOST;

	while (len && len < text.len && !begins_character(text.at[len]))
		len--;
	return len;
}

static bool is_whole(const char *at, size_t left, size_t *ret_len)
{
	unsigned char c = (unsigned char)*at;
	size_t len = c < 0x80 ? 1 : c < 0xc2 ? 0 : c < 0xe0 ? 2 : c < 0xf0 ? 3 : 4;

	if (!len || len > left || c > 0xf4)
		return false;
	for (size_t i = 1; i < len; i++)
		if (begins_character(at[i]))
			return false;
	if (len == 3 && ((c == 0xe0 && (unsigned char)at[1] < 0xa0) ||
			 (c == 0xed && (unsigned char)at[1] > 0x9f)))
		return false;
	if (len == 4 && ((c == 0xf0 && (unsigned char)at[1] < 0x90) ||
			 (c == 0xf4 && (unsigned char)at[1] > 0x8f)))
		return false;
	*ret_len = len;
	return true;
}

static size_t clean_detail(char *to, struct gate_text text)
{
	size_t most = detail_len(text), len;

	for (size_t i = 0; i < most; i += len) {
		if (is_whole(text.at + i, most - i, &len)) {
			memcpy(to + i, text.at + i, len);
		} else {
			to[i] = '?';
			len = 1;
		}
	}
	return most;
}

static void tell(struct gate *g, const struct gate_place *place,
		 struct position *position)
{
	char detail[FINDING_DETAIL_MOST];
	struct gate_finding finding = {.rule = place->rule, .detail = detail};

	finding.detail_len = clean_detail(detail, place->detail);
	go_to(g, position, place->start);
	finding.line = position->line;
	finding.column = position->column;
	finding.span = span_of(g, place->start, place->end);
	g->job->found(g->job->context, &finding);
}

static void tell_of_the_rest(struct gate *g)
{
	const struct gate_matches *list = &g->matches[RULE_SIGNAL];
	struct gate_finding finding = {.detail = ""};

	for (uint32_t i = 0; i < list->count; i++) {
		if (list->at[i].signal != GATE_SIGNAL_TOO_MANY_FINDINGS)
			continue;
		finding.rule = list->at[i].rule;
		g->job->found(g->job->context, &finding);
		break;
	}
}

void gate_found_tell(struct gate *g)
{
	struct position position = {0, 1, 1};
	uint32_t count;
	bool more;

	if (!g->places_count)
		return;
	sort(g->places, g->places_count);
	count = unique(g->places, g->places_count);
	more = count > FINDINGS_MOST || g->places_lost;
	choose(g->places, count, more ? FINDINGS_MOST - 1 : FINDINGS_MOST);
	for (uint32_t i = 0; i < count; i++)
		if (g->places[i].kept)
			tell(g, &g->places[i], &position);
	if (more)
		tell_of_the_rest(g);
}

/* As much of it as fits on its line. */
void gate_found_reason(struct gate *g)
{
	struct gate_text text = gate_source_of(g, g->modern_at);
	struct position position = {0, 1, 1};
	uint32_t start = g->nodes[g->modern_at].start, len = 0;
	char detail[FINDING_DETAIL_MOST];

	while (len < text.len && len < GATE_REASON_MOST && !line_end(g, start + len))
		len++;
	while (len && len < text.len && !begins_character(text.at[len]))
		len--;
	text.len = len;
	g->summary.reason_len = clean_detail(detail, text);
	memcpy(g->summary.reason, detail, g->summary.reason_len);
	go_to(g, &position, start);
	g->summary.reason_line = position.line;
	g->summary.reason_column = position.column;
}
