/* SPDX-License-Identifier: MIT */
/*
 * The rules of a job, as lists by kind. They come from the host, but are read as if they
 * did not.
 */
#include "rootfs/gate_core.h"

#define RULE_HEAD_BYTES 3u

static const char *const signal_names[GATE_SIGNALS_COUNT] = {
#define X(id, name) [GATE_SIGNAL_##id] = (name),
	GATE_SIGNALS(X)
#undef X
};

bool gate_check_rules(const unsigned char *rules, size_t len)
{
	while (len) {
		if (len < RULE_HEAD_BYTES || rules[1] >= RULE_KINDS_COUNT || !rules[2] ||
		    len - RULE_HEAD_BYTES < rules[2])
			return false;
		len -= RULE_HEAD_BYTES + rules[2];
		rules += RULE_HEAD_BYTES + rules[2];
	}
	return true;
}

const char *gate_signal_name(size_t index)
{
	return index < GATE_SIGNALS_COUNT ? signal_names[index] : NULL;
}

static uint8_t signal_of(struct gate_text name)
{
	for (unsigned i = 0; i < GATE_SIGNALS_COUNT; i++)
		if (gate_text_is(name, signal_names[i]))
			return (uint8_t)i;
	return GATE_SIGNALS_COUNT;
}

static void rule_add(struct gate *g, const TSLanguage *language,
		     const unsigned char *rule)
{
	struct gate_matches *list = &g->matches[rule[1]];
	struct gate_match *match = &list->at[list->count++];

	*match = (struct gate_match){
		.rule = rule[0],
		.pattern = {(const char *)rule + RULE_HEAD_BYTES, rule[2]},
		.signal = GATE_SIGNALS_COUNT,
	};
	if (rule[1] == RULE_SYNTAX)
		match->symbol = ts_language_symbol_for_name(language, match->pattern.at,
							    match->pattern.len, true);
	if (rule[1] == RULE_SIGNAL)
		match->signal = signal_of(match->pattern);
}

void gate_rules_read(struct gate *g, const TSLanguage *language)
{
	const unsigned char *at = g->job->rules;
	const unsigned char *end = at + g->job->rules_len;
	uint32_t counts[RULE_KINDS_COUNT] = {0};

	for (const unsigned char *rule = at; rule < end;
	     rule += RULE_HEAD_BYTES + rule[2])
		counts[rule[1]]++;
	for (unsigned i = 0; i < RULE_KINDS_COUNT; i++)
		if (counts[i])
			g->matches[i].at =
				gate_tree_calloc(counts[i], sizeof(struct gate_match));
	for (const unsigned char *rule = at; rule < end;
	     rule += RULE_HEAD_BYTES + rule[2])
		rule_add(g, language, rule);
}

void gate_rules_free(struct gate *g)
{
	for (unsigned i = 0; i < RULE_KINDS_COUNT; i++)
		gate_tree_free(g->matches[i].at);
}
