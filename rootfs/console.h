/* SPDX-License-Identifier: MIT */
#ifndef QUOD_JS_CONSOLE_H
#define QUOD_JS_CONSOLE_H

#include "duktape.h"

/* Defines the global `console`. */
void console_define(duk_context *ctx);

#endif
