/* SPDX-License-Identifier: MIT */
/* As policy/load.c does it, without files. */
#include "tests/unit/loaded.h"

#include <criterion/criterion.h>
#include <string.h>

#include "base/own.h"
#include "policy/apply.h"
#include "policy/warn.h"

static void hear(void *context, const struct policy_fault *fault)
{
	struct heard *heard = context;
	char line[700];

	report_spell(fault, line, sizeof(line));
	text_addf(&heard->all, "%s\n", line);
}

void load_named(struct loaded *l, const char *base, const char *name, const char *text)
{
	const struct policy *from = policy_find(base);
	struct policy_text file = {.file = name, .bytes = text, .len = strlen(text)};

	*l = (struct loaded){.heard = {TEXT_INIT(1u << 20)}};
	l->report = (struct policy_report){.say = hear, .context = &l->heard};
	cr_assert_eq(apply_find_base(&file, from, &from), 0);
	l->draft = draft_new(from);
	cr_assert_not_null(l->draft);
	apply_text(l->draft, &file, &l->report);
	apply_check(l->draft, &l->report);
	l->policy = draft_finish(l->draft);
	if (!l->report.faults)
		warn_policy(l->policy, &l->report);
}

void unload(struct loaded *l)
{
	draft_free(l->draft);
	text_free(&l->heard.all);
}

void load(struct loaded *l, const char *base, const char *text)
{
	load_named(l, base, "f", text);
}

const struct rule *rule_of(const struct policy *policy, const char *name)
{
	return rules_find(policy->rules, policy->rules_count, name);
}

void load_rule(struct loaded *l, const char *keys, const char *says)
{
	own_text struct text text = TEXT_INIT(4096);

	text_addf(&text, "[Rule \"x\"]\nSeverity=warn\n%s\n", keys);
	load(l, "default", text_str(&text));
	cr_expect_not_null(strstr(text_str(&l->heard.all), says), "%s\nsays: %s", keys,
			   text_str(&l->heard.all));
}
