/* SPDX-License-Identifier: MIT */
/*
 * Objects that the engine made are still pristine here: no guest code has run.
 *
 * What "taken away" means. Of a maker of code (eval, Function): there is no path to it,
 * by name, property, prototype or call; nothing that a script can hold leads there, so it
 * cannot be put back either. What is called Function then is an empty shell. Of any other
 * global: its name is gone, and so are the links by which its instances lead back to it
 * (`/x/.constructor` without RegExp), which are undefined then. What the syntax makes
 * stays: a literal is still a regular expression with its methods, and a method of a listed
 * name may be the same function as a global that is not listed (Number.parseInt).
 *
 * undefined, NaN and Infinity always exist: the language does not let them go, and
 * without them a script would be wrong, not weaker.
 */
#include <stdbool.h>
#include <string.h>

#include "rootfs/lockdown.h"
#include "rootfs/lockdown_names.h"
#include "rootfs/peek.h"

struct path {
	const char *object, *member; /* object NULL: the global object */
};

/* Hidden keys of the engine are strings that no script can make. fromBufferRaw() and
 * plain buffers would let it: with them it could forge an error's trace. */
static const struct path engine_paths[] = {
	{NULL, "Duktape"},	   {NULL, "CBOR"},
	{NULL, "Buffer"},	   {"String", "fromBufferRaw"},
	{"Uint8Array", "plainOf"}, {"Uint8Array", "allocPlain"},
};

static void take_away(duk_context *ctx, const struct path *path)
{
	duk_push_global_object(ctx);
	if (path->object)
		duk_get_prop_string(ctx, -1, path->object);
	duk_del_prop_string(ctx, -1, path->member);
	duk_set_top(ctx, 0);
}

void lockdown_engine(duk_context *ctx)
{
	for (unsigned i = 0; i < sizeof(engine_paths) / sizeof(engine_paths[0]); i++)
		take_away(ctx, &engine_paths[i]);
}

/* Whoever calls it or asks for a new one has text that would become code. */
static duk_ret_t refuse_code(duk_context *ctx)
{
	return duk_error(ctx, DUK_ERR_EVAL_ERROR, "no code is made from text here");
}

static void define_for_good(duk_context *ctx, duk_idx_t object, const char *key)
{
	duk_push_string(ctx, key);
	duk_insert(ctx, -2);
	duk_def_prop(ctx, object,
		     DUK_DEFPROP_HAVE_VALUE | DUK_DEFPROP_CLEAR_WRITABLE |
			     DUK_DEFPROP_CLEAR_ENUMERABLE |
			     DUK_DEFPROP_CLEAR_CONFIGURABLE | DUK_DEFPROP_FORCE);
}

/*
 * `Function` is what honest code asks whether a value is a function (x instanceof
 * Function), and any function's constructor: another takes its place, with the same
 * prototype, that makes nothing. The engine's own is reached from the global object and
 * from that prototype alone, and is gone then.
 */
static void replace_function(duk_context *ctx)
{
	duk_push_global_object(ctx);
	duk_get_prop_literal(ctx, 0, "Function");
	duk_get_prop_literal(ctx, 1, "prototype");
	duk_push_c_function(ctx, refuse_code, 1);
	duk_dup(ctx, 2);
	define_for_good(ctx, 3, "prototype");
	duk_push_literal(ctx, "Function");
	define_for_good(ctx, 3, "name");
	duk_push_int(ctx, 1);
	define_for_good(ctx, 3, "length");
	duk_dup(ctx, 2);
	duk_set_prototype(ctx, 3);
	duk_dup(ctx, 3);
	define_for_good(ctx, 2, "constructor");
	duk_put_prop_literal(ctx, 0, "Function");
	duk_set_top(ctx, 0);
}

/* Direct and indirect eval are one function, the global's. */
void lockdown_dynamic_code(duk_context *ctx)
{
	static const struct path eval = {NULL, "eval"};

	replace_function(ctx);
	take_away(ctx, &eval);
}

/* [ ... value ]: the instances of a constructor lead no longer to it. */
static void unlink_instances(duk_context *ctx)
{
	duk_idx_t value = duk_get_top_index(ctx);

	if (duk_is_function(ctx, value) &&
	    duk_get_prop_literal(ctx, value, "prototype") &&
	    duk_get_prop_literal(ctx, -1, "constructor") &&
	    duk_strict_equals(ctx, -1, value)) {
		duk_push_undefined(ctx);
		peek_define(ctx, value + 1, "constructor");
	}
	duk_set_top(ctx, value + 1);
}

/* [ ... value ]: nor do the constructors that inherit from Error. */
static void unlink_heir(duk_context *ctx, const void *error)
{
	if (!duk_is_function(ctx, -1))
		return;
	duk_get_prototype(ctx, -1);
	if (duk_get_heapptr(ctx, -1) == error) {
		duk_get_prototype(ctx, -1);
		duk_set_prototype(ctx, -3);
	}
	duk_pop(ctx);
}

/* NULL: the name may stay, and with it what leads to it. */
static const void *error_to_unlink(duk_context *ctx, const struct lockdown_names *names)
{
	const void *error;

	if (lockdown_has(names, "Error", 5))
		return NULL;
	duk_get_global_literal(ctx, "Error");
	error = duk_get_heapptr(ctx, -1);
	duk_pop(ctx);
	return error;
}

/*
 * A bare name is also found where the global object inherits it (toString, constructor,
 * __proto__): so it inherits nothing.
 */
void lockdown_globals(duk_context *ctx, const char *list, size_t len)
{
	const struct lockdown_names names = {list, len};
	const void *error = error_to_unlink(ctx, &names);

	duk_push_global_object(ctx);
	duk_enum(ctx, 0, DUK_ENUM_OWN_PROPERTIES_ONLY | DUK_ENUM_INCLUDE_NONENUMERABLE);
	while (duk_next(ctx, 1, 1)) {
		duk_size_t n;
		const char *name = duk_get_lstring(ctx, 2, &n);

		if (lockdown_keeps(&names, name, n)) {
			if (error)
				unlink_heir(ctx, error);
		} else {
			unlink_instances(ctx);
			duk_del_prop_lstring(ctx, 0, name, n);
		}
		duk_set_top(ctx, 2);
	}
	duk_push_undefined(ctx);
	duk_set_prototype(ctx, 0);
	duk_set_top(ctx, 0);
}
