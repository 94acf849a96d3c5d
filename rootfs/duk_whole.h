/* SPDX-License-Identifier: MIT */
/*
 * The engine's source, mended (see duk_mend.h) and included as a system header: what it
 * would be warned of is not ours. Our configuration comes first; the include guard of the
 * installed one then keeps duktape.h from undoing it.
 */
#ifndef QUOD_JS_DUK_WHOLE_H
#define QUOD_JS_DUK_WHOLE_H
#pragma GCC system_header
#define DUK_COMPILING_DUKTAPE
#include "rootfs/duk_tune.h"
#include "rootfs/duktape_mended.c"
#endif
