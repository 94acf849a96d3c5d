/* SPDX-License-Identifier: MIT */
#ifndef QUOD_JS_INSPECT_H
#define QUOD_JS_INSPECT_H

#include "duktape.h"
#include "rootfs/out.h"

/* The value at idx on one line, as a developer console shows it. */
void inspect_write(duk_context *ctx, duk_idx_t idx, struct out *out);

/* As people read values: strings as they are, what JSON can say as JSON, else
 * inspect_write(). */
void inspect_write_plain(duk_context *ctx, duk_idx_t idx, struct out *out);

#endif
