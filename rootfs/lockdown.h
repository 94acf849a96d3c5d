/* SPDX-License-Identifier: MIT */
#ifndef QUOD_JS_LOCKDOWN_H
#define QUOD_JS_LOCKDOWN_H

#include "duktape.h"

/* Takes away what no script is given: the engine's own globals and functions that could
 * forge its hidden keys. */
void lockdown_engine(duk_context *ctx);

/* Takes away every way to make code out of strings. */
void lockdown_dynamic_code(duk_context *ctx);

#endif
