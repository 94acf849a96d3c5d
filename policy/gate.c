/* SPDX-License-Identifier: MIT */
/* The decision on one finding: the least severity that blocks, by mode. */
#include "policy/gate.h"

#include <string.h>

bool gate_finding_blocks(enum policy_mode mode, unsigned severity, const char *rule)
{
	static const unsigned least[POLICY_MODES_COUNT] = {
		[POLICY_MODE_STRICT] = GATE_WARN,
		[POLICY_MODE_STANDARD] = GATE_DENY,
		[POLICY_MODE_OFF] = GATE_DENY + 1,
	};

	if (severity == GATE_DENY &&
	    !strncmp(rule, GATE_ENGINE_RULES, strlen(GATE_ENGINE_RULES)))
		return true;
	return severity >= least[mode];
}
