/* SPDX-License-Identifier: MIT */
#ifndef QUOD_JS_TIMERS_H
#define QUOD_JS_TIMERS_H

#include "duktape.h"

/* Defines setTimeout and its kin. */
void timers_define(duk_context *ctx);

/* Microtasks, then timers in order, until none is left. 0, or what duk_pcall() gives for
 * the one that threw, with the value thrown on the stack. */
duk_int_t timers_run(duk_context *ctx);

#endif
