/* SPDX-License-Identifier: MIT */
#include <math.h>

#include "rootfs/library.h"
#include "rootfs/mapset.h"
#include "rootfs/peek.h"

/* values and, with magic 1, entries. Getters run: this is the script's own call. */
static duk_ret_t object_values(duk_context *ctx)
{
	int entries = duk_get_current_magic(ctx);
	duk_uarridx_t n = 0;

	duk_to_object(ctx, 0);
	duk_push_array(ctx);
	duk_enum(ctx, 0, DUK_ENUM_OWN_PROPERTIES_ONLY | DUK_ENUM_SORT_ARRAY_INDICES);
	while (duk_next(ctx, -1, 1)) {
		if (entries) {
			duk_push_array(ctx);
			duk_insert(ctx, -3);
			duk_put_prop_index(ctx, -3, 1);
			duk_put_prop_index(ctx, -2, 0);
		} else {
			duk_remove(ctx, -2);
		}
		duk_put_prop_index(ctx, 1, n++);
	}
	duk_pop(ctx);
	return 1;
}

/* The argument: an array of pairs, or a Map. */
static duk_ret_t object_from_entries(duk_context *ctx)
{
	duk_to_object(ctx, 0);
	if (peek_kind(ctx, 0) != PEEK_PROXY && mapset_kind(ctx, 0) == MAPSET_MAP) {
		duk_push_literal(ctx, "entries");
		duk_call_prop(ctx, 0, 0);
		duk_replace(ctx, 0);
	}
	duk_push_object(ctx);
	for (duk_uarridx_t i = 0; i < duk_get_length(ctx, 0); i++) {
		duk_get_prop_index(ctx, 0, i);
		if (!duk_is_object(ctx, -1))
			return duk_type_error(ctx, "an entry is no [key, value] pair");
		duk_get_prop_index(ctx, -1, 0);
		duk_get_prop_index(ctx, -2, 1);
		duk_def_prop(ctx, 1, DUK_DEFPROP_HAVE_VALUE | DUK_DEFPROP_SET_WEC);
		duk_pop(ctx);
	}
	return 1;
}

static duk_ret_t object_has_own(duk_context *ctx)
{
	duk_to_object(ctx, 0);
	duk_dup(ctx, 1);
	duk_get_prop_desc(ctx, 0, 0);
	duk_push_boolean(ctx, !duk_is_undefined(ctx, -1));
	return 1;
}

static double to_float(double x)
{
	return (double)(float)x;
}

typedef double (*math_function)(double x);

static const math_function math_functions[] = {
	log1p, expm1, sinh, cosh, tanh, asinh, acosh, atanh, to_float,
};

static duk_ret_t math_call(duk_context *ctx)
{
	double x = duk_to_number(ctx, 0);

	duk_push_number(ctx, math_functions[duk_get_current_magic(ctx)](x));
	return 1;
}

const struct library_entry library_object[] = {
	{"Object", "values", object_values, 1, 0, 0},
	{"Object", "entries", object_values, 1, 1, 0},
	{"Object", "fromEntries", object_from_entries, 1, 0, 0},
	{"Object", "hasOwn", object_has_own, 2, 0, 0},
	{"Math", "log1p", math_call, 1, 0, 0},
	{"Math", "expm1", math_call, 1, 1, 0},
	{"Math", "sinh", math_call, 1, 2, 0},
	{"Math", "cosh", math_call, 1, 3, 0},
	{"Math", "tanh", math_call, 1, 4, 0},
	{"Math", "asinh", math_call, 1, 5, 0},
	{"Math", "acosh", math_call, 1, 6, 0},
	{"Math", "atanh", math_call, 1, 7, 0},
	{"Math", "fround", math_call, 1, 8, 0},
	{0},
};
