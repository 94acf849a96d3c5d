/* SPDX-License-Identifier: MIT */
/*
 * lockdown.c says what is taken away; here it is taken from QuickJS. Nothing here runs
 * code of a script: there is none yet.
 */
#include "rootfs/lockdown_quick.h"

#include "rootfs/lockdown_names.h"
#include "rootfs/values_quick.h"

static quick_value global_object(void)
{
	return QJS(JS_GetGlobalObject, quick.context);
}

static void take_away(quick_value object, const char *name)
{
	uint32_t atom = quick_atom(name);

	QJS(JS_DeleteProperty, quick.context, object, atom, 0);
	QJS(JS_FreeAtom, quick.context, atom);
}

void lockdown_quick_timers(void)
{
	static const char *const names[] = {"setTimeout", "setInterval", "clearTimeout",
					    "clearInterval", "queueMicrotask"};
	quick_value global = global_object();

	for (unsigned i = 0; i < sizeof(names) / sizeof(names[0]); i++)
		take_away(global, names[i]);
	QJS(JS_FreeValue, quick.context, global);
}

/*
 * Each kind of function has a maker of its own, which its prototype names. Another takes
 * its place, with the same prototype, that makes nothing: it is what honest code asks
 * whether a value is such a function.
 */
static quick_value replace_maker(uint32_t i, bool with_shell)
{
	quick_value prototype =
		QJS(JS_GetPropertyUint32, quick.context, quick.function_prototypes, i);
	quick_value shell = QUICK_UNDEFINED;

	if (with_shell) {
		shell = QJS(JS_GetPropertyUint32, quick.context, quick.shells, i);
		quick_define(shell, "prototype", quick_dup(prototype), 0);
	}
	quick_define(prototype, "constructor", quick_dup(shell), 0);
	QJS(JS_FreeValue, quick.context, prototype);
	return shell;
}

void lockdown_quick_eval(const struct lockdown_names *names)
{
	bool with_shell = !names || lockdown_has(names, "Function", 8);
	quick_value global = global_object();

	take_away(global, "eval");
	quick_define(global, "Function", replace_maker(MAKER_Function, with_shell),
		     PROPERTY_CONFIGURABLE | PROPERTY_WRITABLE);
	for (uint32_t i = MAKER_Function + 1; i < MAKERS; i++)
		QJS(JS_FreeValue, quick.context, replace_maker(i, with_shell));
	QJS(JS_FreeValue, quick.context, global);
}

void lockdown_quick_compiler(void)
{
	memset(quick_at(quick.eval_slot), 0, sizeof(uint32_t));
}

static quick_value get(quick_value object, const char *name)
{
	return QJS(JS_GetPropertyStr, quick.context, object, quick_scratch_text(name));
}

/* The instances of a constructor lead no longer to it. */
static void unlink_instances(quick_value value)
{
	quick_value prototype = get(value, "prototype"), constructor;

	if (quick_tag(prototype) != TAG_OBJECT)
		return;
	constructor = get(prototype, "constructor");
	if (constructor == value)
		quick_define(prototype, "constructor", QUICK_UNDEFINED,
			     PROPERTY_CONFIGURABLE | PROPERTY_WRITABLE);
	QJS(JS_FreeValue, quick.context, constructor);
	QJS(JS_FreeValue, quick.context, prototype);
}

/* Nor do the constructors that inherit from Error. */
static void unlink_heir(quick_value value, quick_value error)
{
	quick_value parent = quick_prototype(value), function;

	if (parent == error) {
		function = quick_prototype(parent);
		QJS(JS_SetPrototype, quick.context, value, function);
		QJS(JS_FreeValue, quick.context, function);
	}
	QJS(JS_FreeValue, quick.context, parent);
}

/* Pushed: the global object, a list of its names, one of these, its value. */
enum { GLOBAL_AT, NAMES_AT, NAME_AT, VALUE_AT };

static void sieve(const struct lockdown_names *names, quick_value error)
{
	size_t n;
	const char *name = values->text(NAME_AT, &n);
	bool is_function;

	if (values->own_key(GLOBAL_AT, NAME_AT) != PROPERTY_DATA)
		return;
	is_function = QJS(JS_IsFunction, quick.context, quick_value_at(VALUE_AT));
	if (!lockdown_keeps(names, name, n)) {
		uint32_t atom =
			QJS(JS_ValueToAtom, quick.context, quick_value_at(NAME_AT));

		if (is_function)
			unlink_instances(quick_value_at(VALUE_AT));
		QJS(JS_DeleteProperty, quick.context, quick_value_at(GLOBAL_AT), atom, 0);
		QJS(JS_FreeAtom, quick.context, atom);
	} else if (is_function && !lockdown_has(names, "Error", 5)) {
		unlink_heir(quick_value_at(VALUE_AT), error);
	}
}

void lockdown_quick_globals(const struct lockdown_names *names)
{
	quick_value error;
	uint32_t count;

	quick_push(global_object());
	error = get(quick_value_at(GLOBAL_AT), "Error");
	count = quick_push_names(GLOBAL_AT, NAMES_STRINGS);
	for (uint32_t i = 0; i < count; i++) {
		values->push_key(NAMES_AT, i);
		if (values->kind(NAME_AT) == IS_STRING)
			sieve(names, error);
		values->cut(NAME_AT);
	}
	QJS(JS_SetPrototype, quick.context, quick_value_at(GLOBAL_AT), QUICK_NULL);
	QJS(JS_FreeValue, quick.context, error);
	values->cut(GLOBAL_AT);
}
