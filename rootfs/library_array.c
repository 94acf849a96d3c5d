/* SPDX-License-Identifier: MIT */
#include <math.h>
#include <stdbool.h>
#include <stdint.h>
#include <string.h>

#include "rootfs/hooks.h"
#include "rootfs/library.h"
#include "rootfs/mapset.h"
#include "rootfs/peek.h"
#include "rootfs/run.h"

/* Pushes `this` as an object; returns its index. */
static duk_idx_t open_this(duk_context *ctx, duk_uarridx_t *ret_length)
{
	duk_push_this(ctx);
	duk_to_object(ctx, -1);
	*ret_length = (duk_uarridx_t)duk_get_length(ctx, -1);
	return duk_get_top_index(ctx);
}

/* An index argument: negative counts from the end; clamped to 0 ... length. */
static duk_uarridx_t index_argument(duk_context *ctx, duk_idx_t idx, duk_uarridx_t length,
				    duk_uarridx_t otherwise)
{
	double at;

	if (duk_is_undefined(ctx, idx))
		return otherwise;
	at = trunc(duk_to_number(ctx, idx));
	if (isnan(at))
		return 0;
	if (at < 0)
		at += length;
	return at < 0 ? 0 : at > length ? length : (duk_uarridx_t)at;
}

#define FIND_INDEX     1
#define FIND_FROM_LAST 2

/* [ ... ] -> [ ... element ]; whether function 0, called with this = 1, says yes. */
static bool element_passes(duk_context *ctx, duk_idx_t array, duk_uarridx_t i)
{
	bool passes;

	duk_get_prop_index(ctx, array, i);
	duk_dup(ctx, 0);
	duk_dup(ctx, 1);
	duk_dup(ctx, -3);
	duk_push_uint(ctx, i);
	duk_dup(ctx, array);
	duk_call_method(ctx, 3);
	passes = duk_to_boolean(ctx, -1);
	duk_pop(ctx);
	return passes;
}

static duk_ret_t array_find(duk_context *ctx)
{
	int how = duk_get_current_magic(ctx);
	duk_uarridx_t length;
	duk_idx_t array = open_this(ctx, &length);

	duk_require_function(ctx, 0);
	for (duk_uarridx_t n = 0; n < length; n++) {
		duk_uarridx_t i = how & FIND_FROM_LAST ? length - 1 - n : n;

		if (element_passes(ctx, array, i)) {
			if (how & FIND_INDEX)
				duk_push_uint(ctx, i);
			return 1;
		}
		duk_pop(ctx);
	}
	if (!(how & FIND_INDEX))
		return 0;
	duk_push_int(ctx, -1);
	return 1;
}

static duk_ret_t array_includes(duk_context *ctx)
{
	duk_uarridx_t length, i;
	duk_idx_t array = open_this(ctx, &length);
	bool found = false;

	for (i = index_argument(ctx, 1, length, 0); !found && i < length; i++) {
		duk_get_prop_index(ctx, array, i);
		found = peek_same_value_zero(ctx, -1, 0);
		duk_pop(ctx);
	}
	duk_push_boolean(ctx, found);
	return 1;
}

static duk_ret_t array_fill(duk_context *ctx)
{
	duk_uarridx_t length, from, to;
	duk_idx_t array = open_this(ctx, &length);

	from = index_argument(ctx, 1, length, 0);
	to = index_argument(ctx, 2, length, length);
	for (; from < to; from++) {
		duk_dup(ctx, 0);
		duk_put_prop_index(ctx, array, from);
	}
	return 1;
}

static duk_ret_t array_at(duk_context *ctx)
{
	duk_uarridx_t length;
	duk_idx_t array = open_this(ctx, &length);
	double at = library_index(duk_to_number(ctx, 0), length);

	if (at < 0)
		return 0;
	duk_get_prop_index(ctx, array, (duk_uarridx_t)at);
	return 1;
}

/* Appends the value on top to the array at `to`. */
static void append(duk_context *ctx, duk_idx_t to)
{
	duk_put_prop_index(ctx, to, (duk_uarridx_t)duk_get_length(ctx, to));
}

/* Appends the elements of the array on top, arrays among them `depth` levels down. */
static void append_flat(duk_context *ctx, duk_idx_t to, double depth)
{
	duk_idx_t from = duk_get_top_index(ctx);

	duk_require_stack(ctx, 8);
	if (hook_stack_is_low())
		(void)duk_range_error(ctx, "the array is nested too deep");
	for (duk_uarridx_t i = 0; i < duk_get_length(ctx, from); i++) {
		if (!duk_get_prop_index(ctx, from, i) &&
		    !duk_has_prop_index(ctx, from, i)) {
			duk_pop(ctx);
			continue;
		}
		if (depth >= 1 && duk_is_array(ctx, -1)) {
			append_flat(ctx, to, depth - 1);
			duk_pop(ctx);
		} else {
			append(ctx, to);
		}
	}
}

static duk_ret_t array_flat(duk_context *ctx)
{
	double depth = duk_is_undefined(ctx, 0) ? 1 : duk_to_number(ctx, 0);

	duk_push_array(ctx);
	duk_push_this(ctx);
	duk_to_object(ctx, -1);
	append_flat(ctx, 1, depth);
	duk_pop(ctx);
	return 1;
}

static duk_ret_t array_flat_map(duk_context *ctx)
{
	duk_uarridx_t length;
	duk_idx_t array = open_this(ctx, &length), to = duk_push_array(ctx);

	duk_require_function(ctx, 0);
	for (duk_uarridx_t i = 0; i < length; i++) {
		duk_dup(ctx, 0);
		duk_dup(ctx, 1);
		duk_get_prop_index(ctx, array, i);
		duk_push_uint(ctx, i);
		duk_dup(ctx, array);
		duk_call_method(ctx, 3);
		if (duk_is_array(ctx, -1)) {
			append_flat(ctx, to, 0);
			duk_pop(ctx);
		} else {
			append(ctx, to);
		}
	}
	return 1;
}

static duk_ret_t array_of(duk_context *ctx)
{
	duk_idx_t count = duk_get_top(ctx);

	duk_push_array(ctx);
	for (duk_idx_t i = 0; i < count; i++) {
		duk_dup(ctx, i);
		duk_put_prop_index(ctx, -2, (duk_uarridx_t)i);
	}
	return 1;
}

/* Text that grows at the end: a buffer of the engine, at a place on the value stack. */
struct text {
	duk_idx_t idx;
	size_t used, room;
};

/* More than the engine can count in a buffer is an exception to it, which a script can
 * catch; more than there is memory is one thing, however much more. */
static void end_if_beyond_memory(size_t bytes)
{
	if (bytes > run.job.heap_bytes)
		run_end_limit(LIMIT_MEMORY);
}

static void text_append(duk_context *ctx, struct text *text, duk_idx_t from)
{
	size_t n;
	const char *bytes = duk_get_lstring(ctx, from, &n);
	char *to = duk_get_buffer_data(ctx, text->idx, NULL);

	if (!n)
		return; /* the buffer may still be none */
	if (text->used + n > text->room) {
		text->room = 2 * text->room + n + 64;
		end_if_beyond_memory(text->room);
		to = duk_resize_buffer(ctx, text->idx, text->room);
	}
	memcpy(to + text->used, bytes, n);
	text->used += n;
}

/* What the separators alone need is asked for at once: a length that no memory holds is
 * refused before a billion steps are made. */
static duk_ret_t array_join(duk_context *ctx)
{
	duk_uarridx_t length;
	duk_idx_t array = open_this(ctx, &length);
	struct text text = {.idx = array + 1};

	if (duk_is_undefined(ctx, 0)) {
		duk_push_literal(ctx, ",");
		duk_replace(ctx, 0);
	}
	duk_to_string(ctx, 0);
	duk_get_lstring(ctx, 0, &text.room);
	text.room *= length ? length - 1 : 0;
	end_if_beyond_memory(text.room);
	duk_push_dynamic_buffer(ctx, text.room);
	for (duk_uarridx_t i = 0; i < length; i++) {
		if (i)
			text_append(ctx, &text, 0);
		duk_get_prop_index(ctx, array, i);
		if (!duk_is_null_or_undefined(ctx, -1)) {
			duk_to_string(ctx, -1);
			text_append(ctx, &text, duk_get_top_index(ctx));
		}
		duk_pop(ctx);
	}
	duk_push_lstring(ctx, duk_get_buffer_data(ctx, text.idx, NULL), text.used);
	return 1;
}

/* What is at 0 becomes an object with length and indices: a Map or Set its list. */
static void open_source(duk_context *ctx)
{
	enum mapset_kind kind = MAPSET_NONE;

	duk_to_object(ctx, 0);
	if (peek_kind(ctx, 0) != PEEK_PROXY)
		kind = mapset_kind(ctx, 0);
	if (kind == MAPSET_NONE)
		return;
	duk_push_string(ctx, kind == MAPSET_MAP ? "entries" : "values");
	duk_call_prop(ctx, 0, 0);
	duk_replace(ctx, 0);
}

/* Array.from(source, function, thisArg); strings by whole characters. */
static duk_ret_t array_from(duk_context *ctx)
{
	bool maps = !duk_is_undefined(ctx, 1);
	duk_idx_t to;

	if (maps)
		duk_require_function(ctx, 1);
	open_source(ctx);
	to = duk_push_array(ctx);
	for (duk_uarridx_t i = 0, n = 0; i < duk_get_length(ctx, 0); i++, n++) {
		if (maps) {
			duk_dup(ctx, 1);
			duk_dup(ctx, 2);
		}
		duk_get_prop_index(ctx, 0, i);
		if (maps) {
			duk_push_uint(ctx, n);
			duk_call_method(ctx, 2);
		}
		duk_put_prop_index(ctx, to, n);
	}
	return 1;
}

const struct library_entry library_array[] = {
	{"Array", "find", array_find, 2, 0, 1},
	{"Array", "findIndex", array_find, 2, FIND_INDEX, 1},
	{"Array", "findLast", array_find, 2, FIND_FROM_LAST, 1},
	{"Array", "findLastIndex", array_find, 2, FIND_FROM_LAST | FIND_INDEX, 1},
	{"Array", "includes", array_includes, 2, 0, 1},
	{"Array", "fill", array_fill, 3, 0, 1},
	{"Array", "at", array_at, 1, 0, 1},
	{"Array", "flat", array_flat, 1, 0, 1},
	{"Array", "flatMap", array_flat_map, 2, 0, 1},
	{"Array", "join", array_join, 1, 0, 1},
	{"Array", "sort", library_sort, 1, 0, 1},
	{"Array", "of", array_of, DUK_VARARGS, 0, 0},
	{"Array", "from", array_from, 3, 0, 0},
	{0},
};
