/* SPDX-License-Identifier: MIT */
/*
 * Functions of later editions of the language that scripts written for ES5 engines use
 * all the same, as far as they need no new syntax. Two replace the engine's: its sort()
 * is not stable and recurses without a bound, its join() takes a time that grows with the
 * square of the length.
 */
#ifndef QUOD_JS_LIBRARY_H
#define QUOD_JS_LIBRARY_H

#include "duktape.h"

struct library_entry {
	const char *object; /* global, or its prototype where `prototype` is set */
	const char *name;
	duk_c_function call;
	signed char args; /* the function's length as well */
	unsigned char magic;
	unsigned char prototype;
};

/* Each ends with an entry without a name. Entries of one object stand together. */
extern const struct library_entry library_array[];
extern const struct library_entry library_string[];
extern const struct library_entry library_object[];

/* Where `at` counts to in so many items, from the end if it is negative; -1: to none. */
double library_index(double at, double length);

/* Array.prototype.sort */
duk_ret_t library_sort(duk_context *ctx);

/* Defines all of them. */
void library_define(duk_context *ctx);

#endif
