/* SPDX-License-Identifier: MIT */
#ifndef QUOD_JS_TIMERS_DUKTAPE_H
#define QUOD_JS_TIMERS_DUKTAPE_H

#include "duktape.h"

/* What timers_run() runs is of this heap, even where the script has no timers. */
void timers_of_duktape(duk_context *ctx);

/* Defines setTimeout and its kin. */
void timers_define(void);

#endif
