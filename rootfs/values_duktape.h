/* SPDX-License-Identifier: MIT */
#ifndef QUOD_JS_VALUES_DUKTAPE_H
#define QUOD_JS_VALUES_DUKTAPE_H

#include "duktape.h"

/* From now on `values` are those of this heap; places are of the function that runs. */
void values_of_duktape(duk_context *ctx);

#endif
