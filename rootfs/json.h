/* SPDX-License-Identifier: MIT */
#ifndef QUOD_JS_JSON_H
#define QUOD_JS_JSON_H

#include <stdbool.h>

#include "duktape.h"
#include "rootfs/out.h"

/* Writes the value at idx as compact JSON. False: JSON cannot say all of it, and what
 * was written means nothing. Check out->cut as well. */
bool json_write(duk_context *ctx, duk_idx_t idx, struct out *out);

/* A number that is finite, in a form that says the same to every JSON parser. */
void json_write_number(duk_context *ctx, double number, struct out *out);

#endif
