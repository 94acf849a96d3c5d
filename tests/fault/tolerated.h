/* SPDX-License-Identifier: MIT */
/*
 * How a run may end that met a failing call: the rule, and a table of the exceptions.
 */
#ifndef QUOD_TESTS_TOLERATED_H
#define QUOD_TESTS_TOLERATED_H

#include "tests/fault/subject.h"

/* Endings as a mask: bit n is ending n. 0: the call is not made to fail. */
unsigned tolerated_endings(const struct call *call, int errnum);

/* For struct fault. */
bool tolerated_may_fail(const struct call *call);

#endif
