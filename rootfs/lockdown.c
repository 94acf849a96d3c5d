/* SPDX-License-Identifier: MIT */
/*
 * Objects that the engine made are still pristine here: no guest code has run.
 */
#include <stdbool.h>

#include "rootfs/lockdown.h"

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

/*
 * `Function` is reached from any function through its prototype's constructor: that
 * becomes undefined for good. Direct and indirect eval are one function, the global's.
 */
void lockdown_dynamic_code(duk_context *ctx)
{
	static const struct path paths[] = {{NULL, "eval"}, {NULL, "Function"}};

	duk_get_global_string(ctx, "Function");
	duk_get_prop_string(ctx, -1, "prototype");
	duk_push_string(ctx, "constructor");
	duk_push_undefined(ctx);
	duk_def_prop(ctx, -3,
		     DUK_DEFPROP_HAVE_VALUE | DUK_DEFPROP_CLEAR_WRITABLE |
			     DUK_DEFPROP_CLEAR_ENUMERABLE |
			     DUK_DEFPROP_CLEAR_CONFIGURABLE | DUK_DEFPROP_FORCE);
	duk_set_top(ctx, 0);
	for (unsigned i = 0; i < sizeof(paths) / sizeof(paths[0]); i++)
		take_away(ctx, &paths[i]);
}
