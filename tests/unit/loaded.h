/* SPDX-License-Identifier: MIT */
/*
 * A policy from the text of one file, and all that is said of it, for unit tests.
 */
#ifndef QUOD_TESTS_LOADED_H
#define QUOD_TESTS_LOADED_H

#include "base/text.h"
#include "policy/draft.h"
#include "policy/report.h"

struct heard {
	struct text all; /* a line for each */
};

struct loaded {
	struct policy_draft *draft;
	const struct policy *policy;
	struct heard heard;
	struct policy_report report;
};

/* Begins from a built-in policy; the file is called `name`, or "f". */
void load_named(struct loaded *l, const char *base, const char *name, const char *text);
void load(struct loaded *l, const char *base, const char *text);

/* A rule with these keys has this said of it. */
void load_rule(struct loaded *l, const char *keys, const char *says);

void unload(struct loaded *l);
#define own_loaded __attribute__((cleanup(unload)))

const struct rule *rule_of(const struct policy *policy, const char *name);

#endif
