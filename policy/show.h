/* SPDX-License-Identifier: MIT */
/*
 * A policy written as a policy file.
 */
#ifndef QUOD_SHOW_H
#define QUOD_SHOW_H

#include "base/text.h"
#include "policy/policy.h"

/*
 * All of it, with where each value came from. Loaded under the same name it gives the
 * same policy: rules that are as they are built in stand there as comments.
 */
void show_policy(const struct policy *policy, struct text *to);

#endif
