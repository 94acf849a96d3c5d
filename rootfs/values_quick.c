/* SPDX-License-Identifier: MIT */
/*
 * QuickJS's values, asked for through the module's own exports and by the engine's
 * functions as they were before any script ran. Whatever the engine answers may be the
 * script's doing: offsets are checked, numbers bounded.
 */
#include "rootfs/values_quick.h"

#define TYPED_INDEX_MOST 4294967295.0

static enum value_kind kind(int at)
{
	quick_value value = quick_value_at(at);

	switch (quick_tag(value)) {
	case TAG_OBJECT:
		return quick_object_kind(value);
	case TAG_STRING:
	case TAG_ROPE:
		return IS_STRING;
	case TAG_SYMBOL:
		return IS_SYMBOL;
	case TAG_BIGINT:
	case TAG_SHORT_BIGINT:
		return IS_BIGINT;
	case TAG_UNDEFINED:
		return IS_UNDEFINED;
	case TAG_NULL:
		return IS_NULL;
	case TAG_BOOL:
		return IS_BOOLEAN;
	case TAG_INT:
		return IS_NUMBER;
	default:
		return quick_is_number(value) ? IS_NUMBER : IS_INTERNAL;
	}
}

static bool boolean(int at)
{
	return (uint32_t)quick_value_at(at) != 0;
}

/* Of what is a number already. */
static double number_of(quick_value value)
{
	double number = 0;

	quick_to_number(value, &number);
	return number;
}

static double number(int at)
{
	return number_of(quick_value_at(at));
}

static void digits(double number, char *to)
{
	int at = quick_top();
	const char *s;
	size_t n;

	quick_push(QJS(JS_NewNumber, quick.context, number));
	s = quick_text(at, &n);
	n = n < VALUE_DIGITS_BYTES ? n : VALUE_DIGITS_BYTES - 1;
	memcpy(to, s, n);
	to[n] = '\0';
	quick_cut(at);
}

static void push_bigint_text(int at)
{
	quick_push(
		quick_or_undefined(QJS(JS_ToString, quick.context, quick_value_at(at))));
}

static uint64_t identity(int at)
{
	return quick_value_at(at);
}

static bool is_callable(int at)
{
	return QJS(JS_IsFunction, quick.context, quick_value_at(at));
}

static enum value_property take_descriptor(int found)
{
	uint32_t at = QUICK_SCRATCH_DESCRIPTOR;

	if (found < 0)
		quick_or_undefined(QUICK_EXCEPTION);
	if (found <= 0)
		return PROPERTY_NONE;
	if (!(quick_load32(at) & PROPERTY_GETSET)) {
		quick_push(quick_load64(at + DESCRIPTOR_VALUE));
		return PROPERTY_DATA;
	}
	for (uint32_t i = DESCRIPTOR_VALUE; i < DESCRIPTOR_BYTES; i += 8)
		QJS(JS_FreeValue, quick.context, quick_load64(at + i));
	return PROPERTY_ACCESSOR;
}

/* Takes over the atom. */
static enum value_property own_atom(quick_value object, uint32_t atom)
{
	int found = (int)QJS(JS_GetOwnProperty, quick.context, QUICK_SCRATCH_DESCRIPTOR,
			     object, atom);

	QJS(JS_FreeAtom, quick.context, atom);
	return take_descriptor(found);
}

static enum value_property own_name(int at, const char *name)
{
	return own_atom(quick_value_at(at), quick_atom(name));
}

static enum value_property own_index(int at, uint32_t index)
{
	return own_atom(quick_value_at(at), QJS(JS_NewAtomUInt32, quick.context, index));
}

static enum value_property own_key(int at, int key)
{
	return own_atom(quick_value_at(at),
			QJS(JS_ValueToAtom, quick.context, quick_value_at(key)));
}

static uint32_t push_keys(int at)
{
	return quick_push_names(at, NAMES_STRINGS | NAMES_SYMBOLS | NAMES_ENUMERABLE);
}

static void push_key(int keys, uint32_t i)
{
	quick_push(QJS(JS_AtomToValue, quick.context, quick_name_at(keys, i)));
}

static quick_value length_of(quick_value object)
{
	switch ((int)quick_object_kind(object)) {
	case IS_TYPED_ARRAY:
		return quick_ask(quick.typed_length, object);
	case IS_BUFFER: {
		quick_value bytes = quick_ask(quick.buffer_length, object);

		return quick_tag(bytes) != TAG_UNDEFINED
			       ? bytes
			       : quick_ask(quick.view_length, object);
	}
	default:
		return QUICK_UNDEFINED;
	}
}

static uint32_t length(int at)
{
	quick_value value = length_of(quick_value_at(at));
	double count;

	if (quick_tag(value) == TAG_UNDEFINED && own_name(at, "length") == PROPERTY_DATA)
		value = quick_pop();
	if (quick_tag(value) < TAG_INT && quick_tag(value) >= TAG_BIGINT) {
		QJS(JS_FreeValue, quick.context, value);
		return 0;
	}
	count = quick_tag(value) == TAG_UNDEFINED ? 0 : number_of(value);
	return count > 0 && count <= TYPED_INDEX_MOST ? (uint32_t)count : 0;
}

static bool key_is_index(int key)
{
	size_t n;
	const char *s;

	if (quick_tag(quick_value_at(key)) == TAG_INT)
		return true;
	if (kind(key) != IS_STRING)
		return false;
	s = quick_text(key, &n);
	for (size_t i = 0; i < n; i++)
		if (s[i] < '0' || s[i] > '9')
			return false;
	return n;
}

/* Indices come first in the order of keys. */
static bool has_more(int at)
{
	int keys = quick_top();
	uint32_t count = push_keys(at);
	bool more = false;

	if (count) {
		push_key(keys, count - 1);
		more = !key_is_index(keys + 1);
	}
	quick_cut(keys);
	return more;
}

static enum value_parent parent(int at)
{
	quick_value proto = quick_prototype(quick_value_at(at));

	QJS(JS_FreeValue, quick.context, proto);
	if (!quick_is_object(proto))
		return PARENT_NONE;
	if (proto == quick.object_prototype)
		return PARENT_OBJECT;
	return proto == quick.array_prototype ? PARENT_ARRAY : PARENT_OTHER;
}

static void push_prototype(int at)
{
	quick_push(quick_prototype(quick_value_at(at)));
}

static bool push_inherited(int at, const char *name)
{
	quick_value object = quick_dup(quick_value_at(at));
	enum value_property found = PROPERTY_NONE;
	unsigned left = QUICK_CHAIN_MOST;

	while (left-- && quick_is_object(object) && !QJS(JS_IsProxy, object)) {
		quick_value next;

		found = own_atom(object, quick_atom(name));
		if (found != PROPERTY_NONE)
			break;
		next = quick_prototype(object);
		QJS(JS_FreeValue, quick.context, object);
		object = next;
	}
	QJS(JS_FreeValue, quick.context, object);
	return found == PROPERTY_DATA;
}

static void push_primitive(int at)
{
	const quick_value ways[] = {quick.date_value,	quick.number_value,
				    quick.string_value, quick.boolean_value,
				    quick.symbol_value, quick.bigint_value};
	quick_value value = QUICK_UNDEFINED;

	for (unsigned i = 0; i < sizeof(ways) / sizeof(ways[0]); i++) {
		value = quick_ask(ways[i], quick_value_at(at));
		if (quick_tag(value) != TAG_UNDEFINED)
			break;
	}
	quick_push(value);
}

static void push_regexp(int at)
{
	quick_value object = quick_value_at(at);
	char flags[sizeof(QUICK_REGEXP_FLAGS)] = "";
	size_t n = 0;

	quick_push(quick_ask(quick.regexp_source, object));
	for (uint32_t i = 0; i < sizeof(flags) - 1; i++) {
		quick_value getter =
			QJS(JS_GetPropertyUint32, quick.context, quick.regexp_flags, i);

		if ((uint32_t)quick_ask(getter, object))
			flags[n++] = QUICK_REGEXP_FLAGS[i];
		QJS(JS_FreeValue, quick.context, getter);
	}
	flags[n] = '\0';
	quick_push_string(flags);
}

/* forEach() gives value, key, and the Map or Set itself. */
quick_value quick_collect(void *module, uint32_t context, quick_value self,
			  uint32_t count, uint32_t args, uint32_t magic)
{
	uint32_t length;

	(void)module;
	(void)magic;
	if (count < 2 || QJS(JS_GetLength, context, self, QUICK_SCRATCH_OUT))
		return QUICK_UNDEFINED;
	length = quick_load32(QUICK_SCRATCH_OUT);
	if (length >= 2 * VALUES_ENTRIES_MOST)
		return QJS(JS_Throw, context, QUICK_NULL);
	QJS(JS_DefinePropertyValueUint32, context, self, length,
	    quick_dup(quick_load64(args + 8)), PROPERTY_WRITABLE);
	QJS(JS_DefinePropertyValueUint32, context, self, length + 1,
	    quick_dup(quick_load64(args)), PROPERTY_WRITABLE);
	return QUICK_UNDEFINED;
}

/* The number is the engine's own; of the entries there are as many as anybody shows. */
static uint32_t push_entries(int at)
{
	quick_value object = quick_value_at(at), list = QJS(JS_NewArray, quick.context);
	bool is_map = kind(at) == IS_MAP;
	quick_value arguments[] = {quick.collect, list};

	QJS(JS_SetPrototype, quick.context, list, QUICK_NULL);
	memcpy(quick_at(quick.scratch), arguments, sizeof(arguments));
	QJS(JS_FreeValue, quick.context,
	    quick_or_undefined(QJS(JS_Call, quick.context,
				   is_map ? quick.map_each : quick.set_each, object, 2,
				   quick.scratch)));
	quick_push(list);
	return (uint32_t)number_of(
		quick_ask(is_map ? quick.map_size : quick.set_size, object));
}

static enum value_promise push_settled(int at)
{
	quick_value promise = quick_value_at(at);

	switch (QJS(JS_PromiseState, quick.context, promise)) {
	case 1:
		quick_push(QJS(JS_PromiseResult, quick.context, promise));
		return PROMISE_FULFILLED;
	case 2:
		quick_push(QJS(JS_PromiseResult, quick.context, promise));
		return PROMISE_REJECTED;
	default:
		quick_push(QUICK_UNDEFINED);
		return PROMISE_PENDING;
	}
}

static struct value_frame last_throw(void)
{
	return (struct value_frame){.kind = FRAME_SCRIPT};
}

static const struct values quickjs = {
	.top = quick_top,
	.push_string = quick_push_string,
	.cut = quick_cut,
	.kind = kind,
	.boolean = boolean,
	.number = number,
	.text = quick_text,
	.digits = digits,
	.push_bigint_text = push_bigint_text,
	.identity = identity,
	.is_callable = is_callable,
	.class_name = quick_class_name,
	.own_name = own_name,
	.own_index = own_index,
	.own_key = own_key,
	.push_keys = push_keys,
	.push_key = push_key,
	.length = length,
	.has_more = has_more,
	.parent = parent,
	.push_prototype = push_prototype,
	.push_inherited = push_inherited,
	.push_primitive = push_primitive,
	.push_regexp = push_regexp,
	.push_entries = push_entries,
	.push_settled = push_settled,
	.push_frame = quick_push_frame,
	.last_throw = last_throw,
};

void values_of_quick(void)
{
	values = &quickjs;
}
