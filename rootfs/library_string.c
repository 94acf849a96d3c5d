/* SPDX-License-Identifier: MIT */
#include <math.h>
#include <stdbool.h>
#include <stdint.h>
#include <string.h>

#include "rootfs/library.h"

#define LENGTH_MOST 536870888.0 /* as other engines have it */

/* Pushes `this` as a string; returns its index. */
static duk_idx_t open_this(duk_context *ctx)
{
	duk_push_this(ctx);
	if (duk_is_null_or_undefined(ctx, -1))
		(void)duk_type_error(ctx, "this is null or undefined");
	duk_to_string(ctx, -1);
	return duk_get_top_index(ctx);
}

/* Pushes the filler at idx, repeated to `length` characters. */
static void push_filler(duk_context *ctx, duk_idx_t idx, duk_size_t length)
{
	size_t bytes, one = duk_get_length(ctx, idx), times = (length + one - 1) / one;
	const char *text = duk_get_lstring(ctx, idx, &bytes);
	char *to = duk_push_fixed_buffer(ctx, times * bytes);

	for (size_t i = 0; i < times; i++)
		memcpy(to + i * bytes, text, bytes);
	duk_buffer_to_string(ctx, -1);
	duk_substring(ctx, -1, 0, length);
}

/* padStart and, with magic 1, padEnd. */
static duk_ret_t string_pad(duk_context *ctx)
{
	bool at_end = duk_get_current_magic(ctx);
	duk_idx_t text = open_this(ctx);
	double want = trunc(duk_to_number(ctx, 0));

	if (duk_is_undefined(ctx, 1))
		duk_push_literal(ctx, " ");
	else
		duk_dup(ctx, 1);
	duk_to_string(ctx, -1);
	if (!(want > (double)duk_get_length(ctx, text)) || !duk_get_length(ctx, -1)) {
		duk_dup(ctx, text);
		return 1;
	}
	if (want > LENGTH_MOST)
		return duk_range_error(ctx, "invalid string length");
	push_filler(ctx, duk_get_top_index(ctx),
		    (duk_size_t)want - duk_get_length(ctx, text));
	duk_dup(ctx, text);
	if (at_end)
		duk_insert(ctx, -2);
	duk_concat(ctx, 2);
	return 1;
}

/* trimStart and, with magic 1, trimEnd. What trim() leaves begins with no white space, so
 * its first place in the text is where the white space before it ends. */
static duk_ret_t string_trim(duk_context *ctx)
{
	bool at_end = duk_get_current_magic(ctx);
	size_t whole_len, core_len, lead;
	const char *whole, *core;

	open_this(ctx);
	duk_dup_top(ctx);
	duk_trim(ctx, -1);
	whole = duk_get_lstring(ctx, -2, &whole_len);
	core = duk_get_lstring(ctx, -1, &core_len);
	if (!core_len)
		return 1;
	lead = (size_t)((const char *)memmem(whole, whole_len, core, core_len) - whole);
	if (at_end)
		duk_push_lstring(ctx, whole, lead + core_len);
	else
		duk_push_lstring(ctx, whole + lead, whole_len - lead);
	return 1;
}

static duk_ret_t string_at(duk_context *ctx)
{
	duk_idx_t text = open_this(ctx);
	double length = (double)duk_get_length(ctx, text),
	       at = library_index(duk_to_number(ctx, 0), length);

	if (at < 0)
		return 0;
	duk_substring(ctx, text, (duk_size_t)at, (duk_size_t)at + 1);
	return 1;
}

/* [ ... match ] -> [ ... replacement ]: replace() of the one match by itself does what
 * "$&" and a function want; `at` is its place in the whole text. */
static void make_replacement(duk_context *ctx, duk_size_t at, duk_idx_t text)
{
	if (duk_is_function(ctx, 1)) {
		duk_dup(ctx, 1);
		duk_insert(ctx, -2);
		duk_push_uint(ctx, (duk_uint_t)at);
		duk_dup(ctx, text);
		duk_call(ctx, 3);
		duk_to_string(ctx, -1);
		return;
	}
	duk_push_literal(ctx, "replace");
	duk_dup(ctx, -2);
	duk_dup(ctx, 1);
	duk_call_prop(ctx, -4, 2);
	duk_remove(ctx, -2);
}

/* Characters in a run of bytes of the engine's encoding. */
static duk_size_t characters(const char *s, size_t n)
{
	duk_size_t count = 0;

	for (size_t i = 0; i < n; i++)
		count += (s[i] & 0xC0) != 0x80;
	return count;
}

/* A regular expression must be global, and is then what replace() does. */
static duk_ret_t replace_all_matches(duk_context *ctx, duk_idx_t text)
{
	duk_get_prop_literal(ctx, 0, "global");
	if (!duk_to_boolean(ctx, -1))
		return duk_type_error(ctx,
				      "replaceAll needs a global regular expression");
	duk_push_literal(ctx, "replace");
	duk_dup(ctx, 0);
	duk_dup(ctx, 1);
	duk_call_prop(ctx, text, 2);
	return 1;
}

static duk_ret_t string_replace_all(duk_context *ctx)
{
	duk_idx_t text = open_this(ctx), parts = text + 1;
	const char *whole, *what, *found;
	size_t whole_len, what_len, at = 0;

	if (duk_is_object(ctx, 0) && duk_has_prop_literal(ctx, 0, "exec"))
		return replace_all_matches(ctx, text);
	duk_to_string(ctx, 0);
	if (!duk_is_function(ctx, 1))
		duk_to_string(ctx, 1);
	whole = duk_get_lstring(ctx, text, &whole_len);
	what = duk_get_lstring(ctx, 0, &what_len);
	duk_push_literal(ctx, "");
	while (what_len && (found = memmem(whole + at, whole_len - at, what, what_len))) {
		size_t place = (size_t)(found - whole);

		duk_push_lstring(ctx, whole + at, place - at);
		duk_dup(ctx, 0);
		make_replacement(ctx, characters(whole, place), text);
		duk_concat(ctx, 3);
		at = place + what_len;
	}
	duk_push_lstring(ctx, whole + at, whole_len - at);
	duk_concat(ctx, duk_get_top(ctx) - parts);
	return 1;
}

const struct library_entry library_string[] = {
	{"String", "padStart", string_pad, 2, 0, 1},
	{"String", "padEnd", string_pad, 2, 1, 1},
	{"String", "trimStart", string_trim, 0, 0, 1},
	{"String", "trimEnd", string_trim, 0, 1, 1},
	{"String", "at", string_at, 1, 0, 1},
	{"String", "replaceAll", string_replace_all, 2, 0, 1},
	{0},
};
