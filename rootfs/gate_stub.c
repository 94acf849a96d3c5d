/* SPDX-License-Identifier: MIT */
/* Until the analyser is there. */
#include "rootfs/gate.h"

bool gate_check_rules(const unsigned char *rules, size_t len)
{
	(void)rules;
	(void)len;
	return true;
}

void gate_analyse(const struct gate_job *job, struct gate_summary *ret_summary)
{
	(void)job;
	(void)ret_summary;
}
