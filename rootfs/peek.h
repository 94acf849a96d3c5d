/* SPDX-License-Identifier: MIT */
/*
 * What Duktape's public interface cannot say without running guest code: kinds of
 * objects, own properties, where an error came from. Nothing here calls a getter, a
 * Proxy trap or any function of the script, or looks at a prototype unless it is asked.
 */
#ifndef QUOD_JS_PEEK_H
#define QUOD_JS_PEEK_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "duktape.h"

enum peek_kind {
	PEEK_OBJECT,
	PEEK_ARRAY,
	PEEK_FUNCTION,
	PEEK_ARGUMENTS,
	PEEK_BOOLEAN,
	PEEK_NUMBER,
	PEEK_STRING,
	PEEK_SYMBOL,
	PEEK_DATE,
	PEEK_ERROR,
	PEEK_REGEXP,
	PEEK_TYPED_ARRAY,
	PEEK_BUFFER, /* ArrayBuffer, DataView */
	PEEK_PROXY,
	PEEK_OTHER,
};

/* The value at idx is an object. */
enum peek_kind peek_kind(duk_context *ctx, duk_idx_t idx);

/* Static name of the internal class: "Uint8Array", "Date", ... */
const char *peek_class_name(duk_context *ctx, duk_idx_t idx);

enum peek_property { PEEK_NONE, PEEK_DATA, PEEK_ACCESSOR };

/* [ ... key ] -> [ ... value ] with PEEK_DATA, else [ ... ]. An own property of the
 * object at idx, which is no Proxy; idx is absolute. */
enum peek_property peek_own(duk_context *ctx, duk_idx_t idx);
enum peek_property peek_own_name(duk_context *ctx, duk_idx_t idx, const char *name);
enum peek_property peek_own_index(duk_context *ctx, duk_idx_t idx, uint32_t index);

/* [ ... ] -> [ ... keys ], an array. Own enumerable keys in the language's order, symbols
 * last; of the object at idx, which is no Proxy. Returns their number. */
uint32_t peek_keys(duk_context *ctx, duk_idx_t idx);

/* An array has own enumerable keys besides its indices. */
bool peek_has_more_than_elements(duk_context *ctx, duk_idx_t idx);

/* Elements of an array, typed array or arguments object; 0 for others. */
uint32_t peek_length(duk_context *ctx, duk_idx_t idx);

/* Pushes the prototype and returns true, or pushes nothing. Not of a Proxy. */
bool peek_prototype(duk_context *ctx, duk_idx_t idx);

/* The prototype compared with the engine's own, whatever the script did to the globals.
 */
enum peek_parent {
	PEEK_PARENT_NONE,
	PEEK_PARENT_OBJECT,
	PEEK_PARENT_ARRAY,
	PEEK_PARENT_OTHER
};
enum peek_parent peek_parent(duk_context *ctx, duk_idx_t idx);

/* The object at idx, which is no Proxy, is an error or inherits from Error.prototype. */
bool peek_is_error(duk_context *ctx, duk_idx_t idx);

/* Pushes the own or inherited value of a plain property and returns true; pushes nothing
 * where it is an accessor, behind a Proxy or not there. */
bool peek_inherited(duk_context *ctx, duk_idx_t idx, const char *name);

/* Pushes the primitive inside a Boolean, Number, String, Symbol or Date object. */
void peek_primitive(duk_context *ctx, duk_idx_t idx);

/* Pushes source and flags of a RegExp. */
void peek_regexp(duk_context *ctx, duk_idx_t idx);

/* Where an error was made: one step of its trace. */
struct peek_frame {
	enum {
		PEEK_FRAME_END,
		PEEK_FRAME_SCRIPT,
		PEEK_FRAME_NATIVE,
		PEEK_FRAME_SOURCE
	} kind;
	uint32_t line;
};

/* Step n of the trace of the error at idx. Pushes name (string or undefined) and file
 * (the same), except for PEEK_FRAME_END. PEEK_FRAME_SOURCE: the compiler was at that
 * line; name is undefined. */
struct peek_frame peek_trace(duk_context *ctx, duk_idx_t idx, unsigned n);

/* Pushes an array without prototype: writing to it reaches nothing of the script's. */
void peek_push_list(duk_context *ctx);

/* Pushes a function of ours with a length and a name, neither of them enumerable. */
void peek_push_native(duk_context *ctx, duk_c_function call, int args, int magic,
		      const char *name);

/* [ ... value ] -> [ ... ]: own property of the object at idx, not enumerable. */
void peek_define(duk_context *ctx, duk_idx_t idx, const char *name);

/* The engine would collect right after it was built, when all there is lives. */
void peek_put_off_collection(duk_context *ctx);

/* The collector is at work: a refused allocation is then no request of the script. */
bool peek_is_collecting(duk_context *ctx);

/* [ ... value ] -> [ ... ]: global variable, like peek_define(). */
void peek_define_global(duk_context *ctx, const char *name);

/* Word that is equal for the same value (SameValueZero) as long as it lives. */
uint64_t peek_hash(duk_context *ctx, duk_idx_t idx);
bool peek_same_value_zero(duk_context *ctx, duk_idx_t a, duk_idx_t b);

/* What was known when the engine last began to unwind because of a throw. */
struct peek_throw {
	uint32_t line; /* of the innermost frame of a script; 0: none */
	size_t offset; /* where the compiler last threw: byte offset of the token */
};

/* From now on notes throws, lines of those in functions that come from this file. */
void peek_watch_throws(const char *file, size_t file_len);
struct peek_throw peek_last_throw(void);

#endif
