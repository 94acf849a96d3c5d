/* SPDX-License-Identifier: MIT */
/*
 * What the findings of a source mean under a mode. Pure: findings come from the parser in
 * the jail, the decision is made here.
 */
#ifndef QUOD_GATE_H
#define QUOD_GATE_H

#include <stdbool.h>

#include "policy/policy.h"

/* In the order of enum finding_severity of the protocol. */
enum gate_severity { GATE_INFO, GATE_WARN, GATE_DENY };

/*
 * Rules whose name begins with this say that no engine can run the source as it is meant
 * (or not the one that was asked for). No mode waves them through: a wrong answer would
 * come out.
 */
#define GATE_ENGINE_RULES "engine"

bool gate_finding_blocks(enum policy_mode mode, unsigned severity, const char *rule);

#endif
