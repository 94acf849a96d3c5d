/* SPDX-License-Identifier: MIT */
/*
 * The list of globals that a policy gives.
 */
#ifndef QUOD_JS_LOCKDOWN_NAMES_H
#define QUOD_JS_LOCKDOWN_NAMES_H

#include <stdbool.h>
#include <stddef.h>

struct lockdown_names {
	const char *list; /* one space between */
	size_t len;
};

bool lockdown_has(const struct lockdown_names *names, const char *name, size_t n);

/* It has the name, or the language does not let it go. */
bool lockdown_keeps(const struct lockdown_names *names, const char *name, size_t n);

#endif
