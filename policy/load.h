/* SPDX-License-Identifier: MIT */
/*
 * Loading as `quod policy` wants it: with all that is wrong, and all that there is.
 * policy_load() of policy/policy.h is made of this.
 */
#ifndef QUOD_LOAD_H
#define QUOD_LOAD_H

#include "policy/report.h"

/* As policy_load(); every fault is told, and with `warn` also what does nothing. */
int policy_read(const char *name, bool warn, struct policy_report *report,
		const struct policy **ret_policy);

/* One whose file somebody else has read: `about` is what it is called, the rest its text.
 * Errors: told. */
int policy_from_text(const char *name, const char *about, const char *bytes, size_t len,
		     struct policy_report *report, const struct policy **ret_policy);

/* A name for each policy, sorted, the built-in ones first. */
struct policy_names {
	char **list;
	size_t count;
};

/* Errors: told. */
int policy_list(struct policy_names *ret_names, struct policy_report *report);
void policy_names_free(struct policy_names *names);
#define own_policy_names __attribute__((cleanup(policy_names_free)))

#endif
