/* SPDX-License-Identifier: MIT */
/*
 * What a policy file may say and what yet does nothing: rules that never match or
 * are there already, limits that others undercut or nothing holds. Only what comes from
 * files is looked at.
 */
#ifndef QUOD_WARN_H
#define QUOD_WARN_H

#include "policy/report.h"

void warn_policy(const struct policy *policy, struct policy_report *report);

#endif
