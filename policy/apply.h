/* SPDX-License-Identifier: MIT */
/*
 * One file of a policy, put onto the draft of it.
 */
#ifndef QUOD_APPLY_H
#define QUOD_APPLY_H

#include <stddef.h>

#include "policy/draft.h"
#include "policy/report.h"

struct policy_text {
	const char *file; /* its name, for messages and origins; outlives the policy */
	const char *bytes;
	size_t len;
	bool drop_in;
};

/* The built-in policy that Base= names, or `otherwise`. What is malformed is told later,
 * when the file is applied. Errors: -ENOMEM. */
int apply_find_base(const struct policy_text *text, const struct policy *otherwise,
		    const struct policy **ret_base);

/* Tells all that is malformed; what is not is in the draft afterwards. */
void apply_text(struct policy_draft *draft, const struct policy_text *text,
		struct policy_report *report);

/* Tells what is missing once all files are applied. */
void apply_check(const struct policy_draft *draft, struct policy_report *report);

#endif
