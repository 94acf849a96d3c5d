/* SPDX-License-Identifier: MIT */
/*
 * Any bytes as a policy file: what cannot be loaded is told, and what can be stays within
 * its limits, and is shown as a file that gives the same policy again.
 */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "base/text.h"
#include "policy/apply.h"
#include "policy/match.h"
#include "policy/show.h"
#include "policy/warn.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t len);

static void must(int holds)
{
	if (!holds)
		abort();
}

static void hear(void *context, const struct policy_fault *fault)
{
	unsigned *told = context;
	char line[700];

	report_spell(fault, line, sizeof(line));
	must(fault->file && fault->text[0] && line[0]);
	*told += !fault->warning;
}

static void check_limits(const struct policy *policy)
{
	for (int i = 0; i < LIMIT_IDS; i++)
		must(policy->limits.value[i] >= limit_infos[i].least &&
		     policy->limits.value[i] <= limit_infos[i].most);
	must(policy->limits.value[LIMIT_ID_cpu_ms] <=
	     policy->limits.value[LIMIT_ID_wall_ms]);
	must(!policy->globals || strlen(policy->globals) <= JOB_GLOBALS_MOST);
}

static void check_rules(const struct policy *policy)
{
	size_t bytes = 0;

	must(policy->rules_count <= JOB_RULES_COUNT_MOST);
	for (size_t i = 0; i < policy->rules_count; i++)
		for (size_t k = 0; k < policy->rules[i].matches_count; k++) {
			size_t n = strlen(policy->rules[i].matches[k].pattern);

			must(n > 0 && n <= MATCH_PATTERN_MOST);
			bytes += MATCH_HEAD_BYTES + n;
		}
	must(bytes <= JOB_RULES_MOST);
}

/* NULL: it cannot be loaded. */
static const struct policy *load(const char *bytes, size_t len)
{
	unsigned told = 0;
	struct policy_report report = {.say = hear, .context = &told};
	const struct policy_text text = {.file = "f", .bytes = bytes, .len = len};
	const struct policy *policy = policy_builtin(0);
	struct policy_draft *draft;

	must(apply_find_base(&text, policy, &policy) == 0);
	draft = draft_new(policy);
	must(draft != NULL);
	draft->policy.about = "about";
	apply_text(draft, &text, &report);
	apply_check(draft, &report);
	policy = draft_finish(draft);
	warn_policy(policy, &report);
	must(told == report.faults);
	check_limits(policy);
	check_rules(policy);
	if (report.faults) {
		draft_free(draft);
		return NULL;
	}
	return policy;
}

/* Lines that are no comment: where a value came from may have changed. */
static void values_of(const struct policy *policy, struct text *shown,
		      struct text *values)
{
	show_policy(policy, shown);
	must(text_status(shown) == 0);
	for (const char *at = text_str(shown); *at;) {
		size_t len = strcspn(at, "\n");

		if (*at != '#')
			text_add(values, at, len + 1);
		at += len + 1;
	}
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t len)
{
	own_text struct text shown = TEXT_INIT(1u << 22), values = TEXT_INIT(1u << 22);
	own_text struct text shown2 = TEXT_INIT(1u << 22), values2 = TEXT_INIT(1u << 22);
	const struct policy *policy = load((const char *)data, len), *again;

	if (!policy)
		return 0;
	values_of(policy, &shown, &values);
	again = load(text_str(&shown), shown.len);
	must(again != NULL);
	values_of(again, &shown2, &values2);
	must(!strcmp(text_str(&values), text_str(&values2)));
	draft_free(again->owner);
	draft_free(policy->owner);
	return 0;
}
