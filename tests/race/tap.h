/* SPDX-License-Identifier: MIT */
/*
 * TAP of one program: tap_result() for each test, tap_done() at the end.
 */
#ifndef QUOD_TESTS_TAP_H
#define QUOD_TESTS_TAP_H

#include <stdbool.h>
#include <stdio.h>

static unsigned tap_tests, tap_failures;

static inline void tap_result(bool good, const char *what, const char *name)
{
	printf("%sok %u - %s%s\n", good ? "" : "not ", ++tap_tests, what, name);
	tap_failures += !good;
}

/* The exit status. */
static inline int tap_done(void)
{
	printf("1..%u\n", tap_tests);
	return tap_failures ? 1 : 0;
}

#endif
