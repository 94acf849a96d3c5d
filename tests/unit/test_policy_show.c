/* SPDX-License-Identifier: MIT */
/* What is shown of a policy is a policy file that says the same, up to the largest. */
#include <criterion/criterion.h>
#include <string.h>

#include "base/own.h"
#include "policy/match.h"
#include "policy/show.h"
#include "tests/unit/loaded.h"

static void strip_comments(const char *text, struct text *to)
{
	while (*text) {
		size_t len = strcspn(text, "\n");

		if (text[0] != '#')
			text_addf(to, "%.*s\n", (int)len, text);
		text += len + (text[len] == '\n');
	}
}

static void expect_same_again(const struct policy *policy, const char *base)
{
	own_text struct text first = TEXT_INIT(1u << 20), second = TEXT_INIT(1u << 20),
			     a = TEXT_INIT(1u << 20), b = TEXT_INIT(1u << 20);
	own_loaded struct loaded again;

	show_policy(policy, &first);
	load(&again, base, text_str(&first));
	cr_expect_eq(again.report.faults, 0, "%s", text_str(&again.heard.all));
	show_policy(again.policy, &second);
	strip_comments(text_str(&first), &a);
	strip_comments(text_str(&second), &b);
	cr_expect_str_eq(text_str(&a), text_str(&b));
	cr_expect_eq(
		memcmp(&policy->limits, &again.policy->limits, sizeof(struct limits)), 0);
	cr_expect_eq(policy->mode, again.policy->mode);
	cr_expect_eq(memcmp(policy->calls.removed, again.policy->calls.removed,
			    sizeof(policy->calls.removed)),
		     0);
	cr_expect_eq(policy->dynamic_code, again.policy->dynamic_code);
	for (size_t i = 0; policy->origins && i < policy->rules_count; i++)
		cr_expect_eq(policy->rules[i].matches_count,
			     again.policy->rules[i].matches_count, "%s",
			     policy->rules[i].name);
}

Test(policy_show, what_is_shown_loads_again)
{
	own_loaded struct loaded l;

	load(&l, "default",
	     "[Run]\nBase=verify\nGlobals=\nMode=off\nDynamicCode=yes\n"
	     "[Limits]\nRuntimeMaxSec=1500ms\nMemoryMax=3000000\nLogMax=1K\n"
	     "[Jail]\nSystemCallFilter=read getpid brk\n"
	     "[Rule \"unexamined\"]\nSeverity=warn\n"
	     "[Rule \"timer\"]\nMatch=\n"
	     "[Rule \"mine\"]\nMatch=new A\nMatch=call b.c\nSeverity=deny\nMessage=# no\n");
	cr_assert_eq(l.report.faults, 0, "%s", text_str(&l.heard.all));
	expect_same_again(l.policy, "default");
	for (size_t i = 0; policy_builtin(i); i++)
		expect_same_again(policy_builtin(i), "default");
}

/* All that a policy can have, said by files whose paths are long. */
static void write_largest(struct text *to)
{
	size_t used = 0;

	for (size_t i = 0; i < rules_builtin_count; i++)
		if (rules_builtin[i].always)
			used += MATCH_HEAD_BYTES +
				strlen(rules_builtin[i].matches[0].pattern);
		else
			text_addf(to,
				  "[Rule \"%s\"]\nMatch=\nSeverity=deny\n"
				  "Message=%0255d\n",
				  rules_builtin[i].name, 0);
	for (size_t i = rules_builtin_count; i < JOB_RULES_COUNT_MOST; i++) {
		text_addf(to,
			  "[Rule \"r%062zu\"]\nMatch=member a\nSeverity=warn\n"
			  "Message=%0255d\n",
			  i, 0);
		used += MATCH_HEAD_BYTES + 1;
	}
	for (; used + MATCH_HEAD_BYTES < JOB_RULES_MOST; used += MATCH_HEAD_BYTES + 1)
		text_add_str(to, "Match=member a\n");
	text_add_str(to, "[Run]\nGlobals=\nGlobals=");
	for (unsigned i = 0; i < 400; i++)
		text_addf(to, "name%05u ", i);
	text_add_str(to, "\n[Jail]\nSystemCallFilter=read\n");
}

Test(policy_show, the_largest_policy_loads_again)
{
	own_text struct text text = TEXT_INIT(1u << 20), path = TEXT_INIT(8192),
			     shown = TEXT_INIT(1u << 20);
	own_loaded struct loaded l, again, more;

	write_largest(&text);
	for (unsigned i = 0; i < 1000; i++)
		text_add_str(&path, "/\033\xe2\x82\xac");
	load_named(&l, "default", text_str(&path), text_str(&text));
	cr_assert_eq(l.report.faults, 0, "%.300s", text_str(&l.heard.all));
	show_policy(l.policy, &shown);
	cr_expect_gt(shown.len, 300000);
	cr_expect_leq(shown.len, INI_MOST);
	load_named(&again, "default", text_str(&path), text_str(&shown));
	cr_expect_eq(again.report.faults, 0, "%.300s", text_str(&again.heard.all));
	expect_same_again(l.policy, "default");
	text_add_str(&text, "[Rule \"eval\"]\nMatch=member a\n");
	load(&more, "default", text_str(&text));
	cr_expect_gt(more.report.faults, 0, "it was the largest");
}
