/* SPDX-License-Identifier: MIT */
/*
 * What the findings of a source mean under a policy. Pure: findings come from the parser
 * in the jail, the decision is made here.
 */
#ifndef QUOD_GATE_H
#define QUOD_GATE_H

#include <stdbool.h>

#include "policy/policy.h"

/* The rule that is broken by a source which the engine compiles although the gate did not
 * understand it: what was not examined must not run. Every policy has it. */
const struct rule *gate_unexamined(const struct policy *policy);

enum rule_severity gate_severity(const struct policy *policy, const struct rule *rule);

/* The mode may be stricter than the policy's own. */
bool gate_blocks(enum policy_mode mode, const struct rule *rule,
		 enum rule_severity severity);

#endif
