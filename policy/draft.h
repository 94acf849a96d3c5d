/* SPDX-License-Identifier: MIT */
/*
 * A policy while it is being made, and the owner of its memory for as long as it lives.
 */
#ifndef QUOD_DRAFT_H
#define QUOD_DRAFT_H

#include "policy/keys.h"
#include "policy/policy.h"

struct draft_memory; /* a piece; all are freed together */

struct policy_draft {
	struct policy policy;
	struct policy_origins origins;
	struct rule *rules;
	struct rule_origin *rule_origins;
	size_t rules_count;
	size_t rules_bytes; /* that the matches take in the JOB frame */
	struct draft_memory *memory;
};

/* What a rule of the policy's own is called; its message where it brings none. */
#define DRAFT_RULE_NAME_MOST 63u
#define DRAFT_MESSAGE_MOST   255u
#define DRAFT_MESSAGE	     "the policy has a rule for this"

/* Begins from a built-in policy. NULL: no memory. */
struct policy_draft *draft_new(const struct policy *base);
void draft_free(struct policy_draft *draft);

/* Memory of the draft's; NULL: there is none. */
void *draft_room(struct policy_draft *draft, size_t size);
const char *draft_string(struct policy_draft *draft, const char *bytes, size_t len);

/* The number of the rule with this name, which is added if it is new. Errors: -ENOMEM,
 * -E2BIG (as many as there may be). */
int draft_rule(struct policy_draft *draft, const char *name, size_t len);

/* What was built in does not count any more. */
void draft_clear_matches(struct policy_draft *draft, size_t rule);
/* Errors: -ENOMEM, -E2BIG (more than the JOB frame may hold). */
int draft_add_match(struct policy_draft *draft, size_t rule,
		    const struct rule_match *match, size_t pattern_len,
		    struct policy_origin from);

/* Nothing is missing: from here on it is a policy, and const. */
const struct policy *draft_finish(struct policy_draft *draft);

#endif
