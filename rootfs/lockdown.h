/* SPDX-License-Identifier: MIT */
/*
 * What is taken away from the engine before a script sees it. Each is called once, before
 * any guest code ran.
 */
#ifndef QUOD_JS_LOCKDOWN_H
#define QUOD_JS_LOCKDOWN_H

#include <stddef.h>

#include "duktape.h"

/* What no script is given: the engine's own globals and functions that could forge its
 * hidden keys. */
void lockdown_engine(duk_context *ctx);

/* Every way to make code out of strings. */
void lockdown_dynamic_code(duk_context *ctx);

/* Every global that is not in the list, names with one space between. A name that does
 * not exist is not made: what was taken away stays away, listed or not. */
void lockdown_globals(duk_context *ctx, const char *list, size_t len);

#endif
