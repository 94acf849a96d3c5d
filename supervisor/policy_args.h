/* SPDX-License-Identifier: MIT */
/*
 * The options that `quod run` and `quod exec` share: which policy, and what of it is to
 * be lowered for this job.
 */
#ifndef QUOD_POLICY_ARGS_H
#define QUOD_POLICY_ARGS_H

#include "policy/policy.h"
#include "supervisor/options.h"
#include "supervisor/place.h"

/* As typed; NULL: not given. */
struct policy_args {
	const char *policy, *timeout, *memory, *cgroup;
	bool require_cgroup;
	const struct policy *given; /* borrowed; NULL: it has yet to be loaded */
};

/* Where this policy's runs are to have their cgroups; borrows from args. */
struct place_request policy_args_place(const struct policy_args *args,
				       const struct policy *policy);

/* The policy is to be given to policy_free(). Errors: -EINVAL, with usage naming the
 * limit and the policy's own value; those of policy_load(). */
int policy_args_resolve(const struct policy_args *args, const struct policy **ret_policy,
			struct limits *ret_limits, struct usage *usage);

#endif
