/* SPDX-License-Identifier: MIT */
#ifndef QUOD_JS_TEXT_IN_H
#define QUOD_JS_TEXT_IN_H

#include "duktape.h"

/* Pushes UTF-8 as a string of the engine: its characters outside the BMP become pairs of
 * surrogates, so that a script counts them as two. */
void text_push(duk_context *ctx, const char *text, size_t n);

#endif
