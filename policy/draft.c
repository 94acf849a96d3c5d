/* SPDX-License-Identifier: MIT */
/*
 * Memory comes in pieces on one list, because a policy is freed as a whole. The rules
 * have room for as many as there may ever be: they begin as a copy of the built-in table,
 * and a rule's number never changes.
 */
#include "policy/draft.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/own.h"
#include "policy/match.h"

struct draft_memory {
	struct draft_memory *next;
	_Alignas(max_align_t) char bytes[];
};

void *draft_room(struct policy_draft *draft, size_t size)
{
	struct draft_memory *piece = calloc(1, sizeof(*piece) + size);

	if (!piece)
		return NULL;
	piece->next = draft->memory;
	draft->memory = piece;
	return piece->bytes;
}

const char *draft_string(struct policy_draft *draft, const char *bytes, size_t len)
{
	char *copy = draft_room(draft, len + 1);

	if (copy)
		memcpy(copy, bytes, len);
	return copy;
}

static void count_matches(struct policy_draft *draft)
{
	draft->rules_bytes = 0;
	for (size_t i = 0; i < draft->rules_count; i++)
		for (size_t k = 0; k < draft->rules[i].matches_count; k++)
			draft->rules_bytes += MATCH_HEAD_BYTES +
					      strlen(draft->rules[i].matches[k].pattern);
}

struct policy_draft *draft_new(const struct policy *base)
{
	size_t count;
	const struct rule *rules = policy_rules(base, &count);
	struct policy_draft *draft = calloc(1, sizeof(*draft));

	if (!draft)
		return NULL;
	draft->policy = *base;
	draft->policy.base = base->name;
	draft->rules_count = count;
	draft->rules = draft_room(draft, JOB_RULES_COUNT_MOST * sizeof(*draft->rules));
	draft->rule_origins =
		draft_room(draft, JOB_RULES_COUNT_MOST * sizeof(*draft->rule_origins));
	if (!draft->rules || !draft->rule_origins) {
		draft_free(draft);
		return NULL;
	}
	memcpy(draft->rules, rules, count * sizeof(*draft->rules));
	count_matches(draft);
	return draft;
}

void draft_free(struct policy_draft *draft)
{
	struct draft_memory *piece = draft ? draft->memory : NULL;

	while (piece) {
		struct draft_memory *next = piece->next;

		free(piece);
		piece = next;
	}
	free(draft);
}

int draft_rule(struct policy_draft *draft, const char *name, size_t len)
{
	size_t i;
	struct rule *rule;

	for (i = 0; i < draft->rules_count; i++)
		if (strlen(draft->rules[i].name) == len &&
		    !memcmp(draft->rules[i].name, name, len))
			return (int)i;
	if (i == JOB_RULES_COUNT_MOST)
		return -E2BIG;
	rule = &draft->rules[i];
	*rule = (struct rule){.name = draft_string(draft, name, len),
			      .message = DRAFT_MESSAGE};
	if (!rule->name)
		return -ENOMEM;
	draft->rules_count++;
	return (int)i;
}

void draft_clear_matches(struct policy_draft *draft, size_t rule)
{
	draft->rules[rule].matches = NULL;
	draft->rules[rule].matches_count = 0;
	draft->rule_origins[rule].own = NULL;
	draft->rule_origins[rule].own_from = NULL;
	draft->rule_origins[rule].room = 0;
	count_matches(draft);
}

/* Doubled when it is full: what is outgrown stays in the list, less than the array. */
static int grow(struct policy_draft *draft, size_t rule)
{
	struct rule_origin *origin = &draft->rule_origins[rule];
	size_t count = draft->rules[rule].matches_count;
	size_t room = count ? 2 * count : 4;
	struct rule_match *own = draft_room(draft, room * sizeof(*own));
	struct policy_origin *own_from = draft_room(draft, room * sizeof(*own_from));

	if (!own || !own_from)
		return -ENOMEM;
	if (count) {
		memcpy(own, origin->own, count * sizeof(*own));
		memcpy(own_from, origin->own_from, count * sizeof(*own_from));
	}
	draft->rules[rule].matches = origin->own = own;
	origin->own_from = own_from;
	origin->room = room;
	return 0;
}

int draft_add_match(struct policy_draft *draft, size_t rule,
		    const struct rule_match *match, size_t pattern_len,
		    struct policy_origin from)
{
	struct rule_origin *origin = &draft->rule_origins[rule];
	size_t count = draft->rules[rule].matches_count;
	size_t bytes = draft->rules_bytes + MATCH_HEAD_BYTES + pattern_len;
	const char *pattern;

	if (bytes > JOB_RULES_MOST)
		return -E2BIG;
	pattern = draft_string(draft, match->pattern, pattern_len);
	if (!pattern || (count == origin->room && grow(draft, rule) < 0))
		return -ENOMEM;
	origin->own[count] = (struct rule_match){.kind = match->kind, .pattern = pattern};
	origin->own_from[count] = from;
	draft->rules[rule].matches_count++;
	draft->rules_bytes = bytes;
	return 0;
}

const struct policy *draft_finish(struct policy_draft *draft)
{
	struct policy *policy = &draft->policy;
	uint64_t *limit = policy->limits.value;

	bool said = draft->origins.keys[POLICY_KEY_LIMITS + LIMIT_ID_cpu_ms].file;

	/* One thread cannot use more than the time that passes. */
	if (said && limit[LIMIT_ID_cpu_ms] > limit[LIMIT_ID_wall_ms])
		draft->origins.cpu_time_is_cut = true;
	if (!said || limit[LIMIT_ID_cpu_ms] > limit[LIMIT_ID_wall_ms])
		limit[LIMIT_ID_cpu_ms] = limit[LIMIT_ID_wall_ms];
	policy->rules = draft->rules;
	policy->rules_count = draft->rules_count;
	draft->origins.rules = draft->rule_origins;
	policy->origins = &draft->origins;
	policy->owner = draft;
	return policy;
}
