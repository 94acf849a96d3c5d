/* SPDX-License-Identifier: MIT */
/*
 * The built-in rules for the shell, one a line: `table rules` gives name and severity
 * under a policy that has timers, `table matches` rule, kind and pattern of each match.
 */
#include <stdio.h>
#include <string.h>

#include "policy/rules.h"

static void print_rule(const struct rule *rule)
{
	enum rule_severity severity =
		rule->unless == RULE_UNLESS_TIMERS ? RULE_SEVERITY_INFO : rule->severity;

	printf("%s %s\n", rule->name, rule_severity_names[severity]);
}

static void print_matches(const struct rule *rule)
{
	for (size_t i = 0; i < rule->matches_count; i++)
		printf("%s %s %s\n", rule->name, rule_kind_names[rule->matches[i].kind],
		       rule->matches[i].pattern);
}

int main(int argc, char **argv)
{
	bool matches = argc == 2 && !strcmp(argv[1], "matches");

	if (argc != 2 || (!matches && strcmp(argv[1], "rules") != 0))
		return 2;
	for (size_t i = 0; i < rules_builtin_count; i++) {
		if (matches)
			print_matches(&rules_builtin[i]);
		else
			print_rule(&rules_builtin[i]);
	}
	return 0;
}
