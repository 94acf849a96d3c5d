/* SPDX-License-Identifier: MIT */
/* What a policy says that does nothing, or is said elsewhere already. */
#include "policy/warn.h"

#include <string.h>

#include "base/own.h"
#include "policy/calls.h"
#include "policy/ini.h"
#include "policy/keys.h"

static bool is_same(const struct rule_match *a, const struct rule_match *b)
{
	return a->kind == b->kind && !strcmp(a->pattern, b->pattern);
}

/* The built-in rule, other than the one of this name, that has the match. */
static const struct rule *builtin_with(const struct rule_match *match, const char *name)
{
	for (size_t i = 0; i < rules_builtin_count; i++) {
		const struct rule *rule = &rules_builtin[i];

		if (name && !strcmp(rule->name, name))
			continue;
		for (size_t k = 0; k < rule->matches_count; k++)
			if (is_same(&rule->matches[k], match))
				return rule;
	}
	return NULL;
}

static bool has_global(const struct policy *policy, const char *name)
{
	const char *at = policy->globals, *word;
	size_t len;

	if (!at)
		return true;
	while ((len = ini_word(&at, &word)))
		if (len == strlen(name) && !memcmp(word, name, len))
			return true;
	return false;
}

static void warn_match(const struct policy *policy, const struct rule *rule,
		       const struct rule_match *match, struct policy_origin from,
		       struct policy_report *report)
{
	const struct rule *same = builtin_with(match, rule->name);

	if (same)
		report_warning(report, from.file, from.place,
			       "rule '%s': the built-in rule '%s' looks for %s %s too",
			       rule->name, same->name, rule_kind_names[match->kind],
			       match->pattern);
	if (match->kind == RULE_GLOBAL && !has_global(policy, match->pattern))
		report_warning(report, from.file, from.place,
			       "rule '%s': Globals= takes '%.80s' away, with or without "
			       "a rule",
			       rule->name, match->pattern);
}

static void warn_twice(const struct rule *rule, size_t k, struct policy_origin from,
		       struct policy_report *report)
{
	for (size_t i = 0; i < k; i++)
		if (is_same(&rule->matches[i], &rule->matches[k])) {
			report_warning(report, from.file, from.place,
				       "rule '%s' looks for %s %s twice", rule->name,
				       rule_kind_names[rule->matches[k].kind],
				       rule->matches[k].pattern);
			return;
		}
}

static void warn_rule(const struct policy *policy, const struct rule *rule,
		      const struct rule_origin *origin, struct policy_report *report)
{
	if (!rule->matches_count)
		report_warning(report, origin->matches.file, origin->matches.place,
			       "rule '%s' looks for nothing any more", rule->name);
	for (size_t k = 0; k < rule->matches_count; k++) {
		warn_match(policy, rule, &rule->matches[k], origin->own_from[k], report);
		warn_twice(rule, k, origin->own_from[k], report);
	}
}

static void warn_rules(const struct policy *policy, struct policy_report *report)
{
	for (size_t i = 0; i < policy->rules_count; i++)
		if (policy->origins->rules[i].matches.file)
			warn_rule(policy, &policy->rules[i], &policy->origins->rules[i],
				  report);
}

static void warn_cpu_time(const struct policy *policy, struct policy_report *report)
{
	struct policy_origin from =
		policy->origins->keys[POLICY_KEY_LIMITS + LIMIT_ID_cpu_ms];
	char wall[LIMIT_TEXT_MOST];

	limits_print(LIMIT_ID_wall_ms, policy->limits.value[LIMIT_ID_wall_ms], wall);
	if (policy->origins->cpu_time_is_cut)
		report_warning(report, from.file, from.place,
			       "CPUTimeMaxSec= is more than RuntimeMaxSec=: it is %s too",
			       wall);
}

static void warn_tasks(const struct policy *policy, struct policy_report *report)
{
	struct policy_origin from =
		policy->origins->keys[POLICY_KEY_LIMITS + LIMIT_ID_processes];

	if (from.file && policy->limits.value[LIMIT_ID_processes] > 1 &&
	    !policy->require_cgroup)
		report_warning(
			report, from.file, from.place,
			"TasksMax= without RequireCgroup=yes: where there is no "
			"cgroup, each process has all of the memory and of the CPU "
			"time");
}

static void warn_engine(const struct policy *policy, struct policy_report *report)
{
	struct policy_origin from = policy->origins->keys[POLICY_KEY_ENGINE];

	if (from.file && !policy_engine_is_built(policy->engine))
		report_warning(report, from.file, from.place,
			       "Engine=: this quod was built without %s: every run is "
			       "rejected",
			       policy_engine_names[policy->engine]);
}

static void warn_calls(const struct policy *policy, struct policy_report *report)
{
	struct policy_origin from = policy->origins->keys[POLICY_KEY_CALLS];
	const char *name = calls_for_tasks(&policy->calls);

	if (from.file && name && policy->limits.value[LIMIT_ID_processes] == 1)
		report_warning(
			report, from.file, from.place,
			"SystemCallFilter=: %s is refused unless TasksMax= is more "
			"than 1",
			name);
}

void warn_policy(const struct policy *policy, struct policy_report *report)
{
	if (!policy->origins)
		return;
	warn_engine(policy, report);
	warn_cpu_time(policy, report);
	warn_tasks(policy, report);
	warn_calls(policy, report);
	warn_rules(policy, report);
}
