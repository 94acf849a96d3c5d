/* SPDX-License-Identifier: MIT */
/* The decision on one finding: the least severity that blocks, by mode. */
#include "policy/gate.h"

const struct rule *gate_unexamined(const struct policy *policy)
{
	size_t count;
	const struct rule *rules = policy_rules(policy, &count);

	return rules_find(rules, count, "unexamined");
}

enum rule_severity gate_severity(const struct policy *policy, const struct rule *rule)
{
	switch (rule->unless) {
	case RULE_UNLESS_TIMERS:
		if (policy->timers)
			return RULE_SEVERITY_INFO;
		break;
	case RULE_UNLESS_NEVER:
		break;
	}
	return rule->severity;
}

bool gate_blocks(enum policy_mode mode, const struct rule *rule,
		 enum rule_severity severity)
{
	static const unsigned least[POLICY_MODES_COUNT] = {
		[POLICY_MODE_STRICT] = RULE_SEVERITY_WARN,
		[POLICY_MODE_STANDARD] = RULE_SEVERITY_DENY,
		[POLICY_MODE_OFF] = RULE_SEVERITIES_COUNT,
	};

	return (rule->always && severity == RULE_SEVERITY_DENY) ||
	       (unsigned)severity >= least[mode];
}
