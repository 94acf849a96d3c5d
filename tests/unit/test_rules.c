/* SPDX-License-Identifier: MIT */
/*
 * The table of built-in rules: that it fits the wire, that nothing in it is said twice,
 * and that it and the gate name the same signals.
 */
#include <criterion/criterion.h>
#include <ctype.h>
#include <string.h>

#include "policy/gate.h"
#include "policy/rules.h"

static const struct rule *at(size_t i)
{
	return &rules_builtin[i];
}

static bool is_kebab(const char *name)
{
	if (!islower((unsigned char)name[0]))
		return false;
	for (const char *c = name; *c; c++)
		if (!islower((unsigned char)*c) && !isdigit((unsigned char)*c) &&
		    (*c != '-' || c[1] == '-' || !c[1]))
			return false;
	return true;
}

/* Sources of the record and the documents quote them in a line. */
static bool is_clause(const char *text)
{
	size_t len = strlen(text);
	return len > 0 && len <= 72 && text[len - 1] != '.' &&
	       !isspace((unsigned char)text[0]);
}

Test(rules, names_are_unique_and_kebab)
{
	for (size_t i = 0; i < rules_builtin_count; i++) {
		cr_expect(is_kebab(at(i)->name), "%s", at(i)->name);
		cr_expect_eq(rules_find(rules_builtin, rules_builtin_count, at(i)->name),
			     at(i), "%s is there twice", at(i)->name);
	}
}

Test(rules, find)
{
	cr_expect_null(rules_find(rules_builtin, rules_builtin_count, "no-such-rule"));
	cr_expect_null(rules_find(rules_builtin, rules_builtin_count, ""));
	cr_expect_null(rules_find(NULL, 0, "eval"));
	cr_assert_not_null(rules_find(rules_builtin, rules_builtin_count, "eval"));
	cr_expect_null(rules_find(rules_builtin, 1, at(1)->name));
}

Test(rules, say_what_was_found_and_why)
{
	for (size_t i = 0; i < rules_builtin_count; i++) {
		cr_expect(is_clause(at(i)->message), "%s: %s", at(i)->name,
			  at(i)->message);
		if (at(i)->why)
			cr_expect_eq(at(i)->why[strlen(at(i)->why) - 1], '.', "%s",
				     at(i)->name);
	}
}

/* What no mode waves through has to be what every mode would stop; and what a policy's
 * timers excuse has to be graver without them. */
Test(rules, severities_agree)
{
	for (size_t i = 0; i < rules_builtin_count; i++) {
		const struct rule *rule = at(i);

		cr_expect_lt(rule->severity, RULE_SEVERITIES_COUNT, "%s", rule->name);
		if (rule->always)
			cr_expect_eq(rule->severity, RULE_SEVERITY_DENY, "%s",
				     rule->name);
		if (rule->unless != RULE_UNLESS_NEVER) {
			cr_expect_eq(rule->unless, RULE_UNLESS_TIMERS, "%s", rule->name);
			cr_expect_gt(rule->severity, RULE_SEVERITY_INFO, "%s",
				     rule->name);
		}
	}
}

static size_t wire_bytes(const struct rule *rule)
{
	size_t sum = 0;
	for (size_t i = 0; i < rule->matches_count; i++) {
		size_t len = strlen(rule->matches[i].pattern);

		cr_expect(len > 0 && len <= 255, "%s", rule->name);
		cr_expect_lt(rule->matches[i].kind, RULE_KINDS_COUNT, "%s", rule->name);
		sum += 3 + len;
	}
	return sum;
}

/* Half of the wire is left to the rules that an operator adds. */
Test(rules, fit_the_wire)
{
	size_t sum = 0;
	for (size_t i = 0; i < rules_builtin_count; i++)
		sum += wire_bytes(at(i));
	cr_expect_leq(sum, JOB_RULES_MOST / 2);
	cr_expect_leq(rules_builtin_count, JOB_RULES_COUNT_MOST / 2);
}

static size_t rules_with(enum rule_kind kind, const char *pattern)
{
	size_t count = 0;
	for (size_t i = 0; i < rules_builtin_count; i++)
		for (size_t m = 0; m < at(i)->matches_count; m++)
			count += at(i)->matches[m].kind == kind &&
				 !strcmp(at(i)->matches[m].pattern, pattern);
	return count;
}

/* A place that two rules match would be told twice. */
Test(rules, no_match_is_in_two_rules)
{
	for (size_t i = 0; i < rules_builtin_count; i++)
		for (size_t m = 0; m < at(i)->matches_count; m++)
			cr_expect_eq(rules_with(at(i)->matches[m].kind,
						at(i)->matches[m].pattern),
				     1, "%s: %s", at(i)->name, at(i)->matches[m].pattern);
}

Test(rules, have_something_to_look_for)
{
	for (size_t i = 0; i < rules_builtin_count; i++)
		cr_expect_gt(at(i)->matches_count, 0, "%s", at(i)->name);
	cr_expect_not_null(gate_unexamined(policy_builtin(0)));
}

Test(rules, kinds_and_severities_have_names)
{
	for (size_t i = 0; i < RULE_KINDS_COUNT; i++)
		cr_expect_not_null(rule_kind_names[i]);
	for (size_t i = 0; i < RULE_SEVERITIES_COUNT; i++)
		cr_expect_not_null(rule_severity_names[i]);
	cr_expect_str_eq(rule_kind_names[RULE_SIGNAL], "signal");
	cr_expect_str_eq(rule_severity_names[RULE_SEVERITY_DENY], "deny");
}
