/* SPDX-License-Identifier: MIT */
/*
 * What an object is, by the engine's own classes and by what it inherits.
 */
#include <stdio.h>

#include "rootfs/quick_stack.h"
#include "rootfs/values_quick.h"

static bool inherits_from_error(quick_value value)
{
	quick_value at = quick_dup(value);
	bool found = false;

	for (unsigned left = QUICK_CHAIN_MOST; left && !found && quick_is_object(at);
	     left--) {
		quick_value next = QUICK_NULL;

		found = at == quick.error_prototype;
		if (!QJS(JS_IsProxy, at))
			next = quick_prototype(at);
		QJS(JS_FreeValue, quick.context, at);
		at = next;
	}
	QJS(JS_FreeValue, quick.context, at);
	return found;
}

/*
 * The engine's own text of a function: what was written as a class begins with the word.
 * Asked only of a function that has a source: of a bound or native one the engine would
 * make a text of its `name`, which may be a getter of the script's.
 */
static bool is_class(quick_value function)
{
	static const char word[] = "class";
	quick_value text = quick_ask(quick.function_text, function);
	uint32_t s = QJS(JS_ToCStringLen2, quick.context, 0, text, 0);
	bool found = s && !memcmp(quick_at(s), word, sizeof(word) - 1);

	QJS(JS_FreeCString, quick.context, s);
	QJS(JS_FreeValue, quick.context, text);
	return found;
}

/* Objects that are there for what they hold. */
static const char *namespace_name(quick_value value)
{
	quick_value global = QJS(JS_GetGlobalObject, quick.context);

	QJS(JS_FreeValue, quick.context, global);
	if (value == quick.math)
		return "Math";
	if (value == quick.json)
		return "JSON";
	if (value == quick.reflect)
		return "Reflect";
	return value == global ? "global" : NULL;
}

enum value_kind quick_object_kind(quick_value value)
{
	uint32_t id = QJS(JS_GetClassID, value);
	enum value_kind kind =
		id < QUICK_CLASSES_MOST ? quick.kind_of_class[id] : IS_OTHER;

	if (QJS(JS_IsProxy, value))
		return IS_PROXY;
	if (QJS(JS_IsFunction, quick.context, value))
		return id == quick.script_function &&
				       QJS(JS_IsConstructor, quick.context, value) &&
				       is_class(value)
			       ? IS_CLASS
			       : IS_FUNCTION;
	if (kind == IS_OBJECT && namespace_name(value))
		return IS_OTHER;
	if (kind == IS_OBJECT && inherits_from_error(value))
		return IS_ERROR;
	return kind;
}

const char *quick_class_name(int at)
{
	static char name[32];
	const char *namespace = namespace_name(quick_value_at(at));
	quick_value value = quick_value_at(at), text;
	uint32_t atom, s;

	if (namespace)
		return namespace;
	atom = QJS(JS_GetClassName, quick.runtime, QJS(JS_GetClassID, value));
	text = QJS(JS_AtomToString, quick.context, atom);
	s = QJS(JS_ToCStringLen2, quick.context, 0, text, 0);
	snprintf(name, sizeof(name), "%s", s ? (const char *)quick_at(s) : "Object");
	QJS(JS_FreeCString, quick.context, s);
	QJS(JS_FreeValue, quick.context, text);
	if (QJS(JS_IsFunction, quick.context, value) &&
	    (strlen(name) < 8 || strcmp(name + strlen(name) - 8, "Function")))
		return "Function";
	return name;
}
