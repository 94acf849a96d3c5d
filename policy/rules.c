/* SPDX-License-Identifier: MIT */
/* The built-in rules. */
#include "policy/rules.h"

#include <string.h>

#include "base/own.h"

const char *const rule_kind_names[RULE_KINDS_COUNT] = {
#define X(id, name, what) [RULE_##id] = name,
	RULE_KINDS(X)
#undef X
};

const char *const rule_severity_names[RULE_SEVERITIES_COUNT] = {
#define X(id, name) [RULE_SEVERITY_##id] = name,
	RULE_SEVERITIES(X)
#undef X
};

#define MATCHES(...)                                                        \
	.matches = (const struct rule_match[]){__VA_ARGS__},                \
	.matches_count = sizeof((const struct rule_match[]){__VA_ARGS__}) / \
			 sizeof(struct rule_match)

const struct rule rules_builtin[] = {
	{.name = "engine",
	 .severity = RULE_SEVERITY_DENY,
	 .always = true,
	 .message = "this build does not have the engine that is asked for",
	 MATCHES({RULE_SIGNAL, "engine"})},
	{.name = "input-json",
	 .severity = RULE_SEVERITY_DENY,
	 .always = true,
	 .message = "the input is not JSON",
	 MATCHES({RULE_SIGNAL, "input-json"})},
	{.name = "unexamined",
	 .severity = RULE_SEVERITY_DENY,
	 .message =
		 "the engine accepts the source, but parts of it could not be examined",
	 MATCHES({RULE_SIGNAL, "unexamined"})},
};

const size_t rules_builtin_count = ARRAY_LEN(rules_builtin);

const struct rule *rules_find(const struct rule *rules, size_t count, const char *name)
{
	for (size_t i = 0; i < count; i++)
		if (strcmp(rules[i].name, name) == 0)
			return &rules[i];
	return NULL;
}
