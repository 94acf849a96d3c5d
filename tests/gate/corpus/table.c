/* SPDX-License-Identifier: MIT */
/*
 * The built-in rules for the shell, one a line: `table rules` gives name and severity
 * under a policy that has timers, `table matches` rule, kind and pattern of each match.
 * `table signals`: what the analyser calls its signals.
 */
#include <stdio.h>
#include <string.h>

#include "policy/rules.h"
#include "rootfs/gate.h"

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

static int print_signals(void)
{
	const char *name;

	for (size_t i = 0; (name = gate_signal_name(i)); i++)
		puts(name);
	return 0;
}

static int print_each(void (*print)(const struct rule *rule))
{
	for (size_t i = 0; i < rules_builtin_count; i++)
		print(&rules_builtin[i]);
	return 0;
}

int main(int argc, char **argv)
{
	if (argc == 2 && !strcmp(argv[1], "rules"))
		return print_each(print_rule);
	if (argc == 2 && !strcmp(argv[1], "matches"))
		return print_each(print_matches);
	if (argc == 2 && !strcmp(argv[1], "signals"))
		return print_signals();
	return 2;
}
