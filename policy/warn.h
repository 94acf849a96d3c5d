/* SPDX-License-Identifier: MIT */
/*
 * What a policy file may say and what yet does nothing: rules that never match, and rules
 * that are there already. Only what comes from files is looked at.
 */
#ifndef QUOD_WARN_H
#define QUOD_WARN_H

#include "policy/report.h"

void warn_rules(const struct policy *policy, struct policy_report *report);

#endif
