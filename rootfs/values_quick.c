/* SPDX-License-Identifier: MIT */
/*
 * QuickJS's values, asked for through the module's own exports and by the engine's
 * functions as they were before any script ran. Whatever the engine answers may be the
 * script's doing: offsets are checked, numbers bounded.
 *
 * Reading a long string may make a copy of it in the script's memory; where that is used
 * up the run has reached its limit.
 */
#include <stdio.h>

#include "rootfs/end.h"
#include "rootfs/run.h"
#include "rootfs/values.h"
#include "rootfs/values_quick.h"

#define SLOTS_MOST  1024
#define CHAIN_MOST  10000u
#define FRAMES_MOST 64u

#define SCRATCH_DESCRIPTOR 256u
#define SCRATCH_OUT	   320u
#define NAME_MOST	   255u

#define TYPED_INDEX_MOST 4294967295.0

struct slot {
	quick_value value;
	uint32_t text, text_len; /* of a string that was read; 0: not yet */
	uint32_t keys, count;	 /* of push_keys() */
};

static struct {
	struct slot slots[SLOTS_MOST];
	int used;
	struct quick_places places;
	struct slot arg; /* the argument that was read last */
	int arg_at;
} stack;

static quick_value dup(quick_value value)
{
	return QJS(JS_DupValue, quick.context, value);
}

static void drop_text(struct slot *slot)
{
	if (slot->text)
		QJS(JS_FreeCString, quick.context, slot->text);
	slot->text = 0;
}

static void drop(struct slot *slot)
{
	drop_text(slot);
	if (slot->keys)
		QJS(JS_FreePropertyEnum, quick.context, slot->keys, slot->count);
	QJS(JS_FreeValue, quick.context, slot->value);
}

static struct slot *push_slot(void)
{
	struct slot *slot = &stack.slots[stack.used++];

	if (stack.used == SLOTS_MOST)
		end_now(END_ENGINE);
	*slot = (struct slot){.value = QUICK_UNDEFINED};
	return slot;
}

void quick_push(quick_value value)
{
	push_slot()->value = value;
}

void quick_push_text(const char *text, size_t n)
{
	quick_push(QJS(JS_NewStringLen, quick.context,
		       (uint32_t)((const unsigned char *)text - quick_at(0)),
		       (uint32_t)n));
}

void quick_remove_below_top(void)
{
	struct slot top = stack.slots[--stack.used];

	drop(&stack.slots[stack.used - 1]);
	stack.slots[stack.used - 1] = top;
}

static struct slot *argument(int at)
{
	if (stack.arg_at != at) {
		drop_text(&stack.arg);
		stack.arg_at = at;
		stack.arg.value = quick_load64(stack.places.args + 8 * (uint32_t)at);
	}
	return &stack.arg;
}

static struct slot *slot_at(int at)
{
	int own = at - (int)stack.places.count;

	return own < 0 ? argument(at) : &stack.slots[stack.places.base + own];
}

quick_value quick_value_at(int at)
{
	return slot_at(at)->value;
}

static int top(void)
{
	return stack.used - stack.places.base + (int)stack.places.count;
}

static void cut(int at)
{
	while (stack.used > stack.places.base && top() > at)
		drop(&stack.slots[--stack.used]);
}

static void forget_argument(void)
{
	drop_text(&stack.arg);
	stack.arg_at = -1;
}

struct quick_places quick_enter(uint32_t args, uint32_t count)
{
	struct quick_places before = stack.places;

	forget_argument();
	stack.places = (struct quick_places){stack.used, args, count};
	return before;
}

void quick_leave(struct quick_places before)
{
	cut(0);
	forget_argument();
	stack.places = before;
}

/* What an answer of the engine throws is nobody's: only the script's own calls may. */
static quick_value or_undefined(quick_value value)
{
	if (quick_tag(value) != TAG_EXCEPTION)
		return value;
	QJS(JS_FreeValue, quick.context, QJS(JS_GetException, quick.context));
	return QUICK_UNDEFINED;
}

quick_value quick_ask(quick_value function, quick_value self)
{
	return or_undefined(QJS(JS_Call, quick.context, function, self, 0, 0));
}

uint32_t quick_scratch_text(const char *text)
{
	size_t n = strlen(text);

	if (n > NAME_MOST)
		end_now(END_ENGINE);
	memcpy(quick_at(quick.scratch), text, n + 1);
	return quick.scratch;
}

uint32_t quick_atom(const char *name)
{
	return QJS(JS_NewAtomLen, quick.context, quick_scratch_text(name),
		   (uint32_t)strlen(name));
}

static void push_string(const char *text)
{
	quick_push(QJS(JS_NewStringLen, quick.context, quick_scratch_text(text),
		       (uint32_t)strlen(text)));
}

static bool is_object(quick_value value)
{
	return quick_tag(value) == TAG_OBJECT;
}

static bool inherits_from_error(quick_value value)
{
	quick_value at = dup(value);
	bool found = false;

	for (unsigned left = CHAIN_MOST; left && !found && is_object(at); left--) {
		quick_value next = QUICK_NULL;

		found = at == quick.error_prototype;
		if (!QJS(JS_IsProxy, at))
			next = or_undefined(QJS(JS_GetPrototype, quick.context, at));
		QJS(JS_FreeValue, quick.context, at);
		at = next;
	}
	QJS(JS_FreeValue, quick.context, at);
	return found;
}

/* The engine's own text of a function: what was written as a class begins with the word. */
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

static enum value_kind object_kind(quick_value value)
{
	uint32_t id = QJS(JS_GetClassID, value);
	enum value_kind kind =
		id < QUICK_CLASSES_MOST ? quick.kind_of_class[id] : IS_OTHER;

	if (QJS(JS_IsProxy, value))
		return IS_PROXY;
	if (QJS(JS_IsFunction, quick.context, value))
		return QJS(JS_IsConstructor, quick.context, value) && is_class(value)
			       ? IS_CLASS
			       : IS_FUNCTION;
	if (kind == IS_OBJECT && namespace_name(value))
		return IS_OTHER;
	if (kind == IS_OBJECT && inherits_from_error(value))
		return IS_ERROR;
	return kind;
}

static enum value_kind kind(int at)
{
	quick_value value = quick_value_at(at);

	switch (quick_tag(value)) {
	case TAG_OBJECT:
		return object_kind(value);
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
		return quick_tag(value) > TAG_SHORT_BIGINT ||
				       quick_tag(value) < TAG_BIGINT
			       ? IS_NUMBER
			       : IS_INTERNAL;
	}
}

static bool boolean(int at)
{
	return (uint32_t)quick_value_at(at) != 0;
}

bool quick_to_number(quick_value value, double *ret_number)
{
	uint64_t bits;

	if (QJS(JS_ToFloat64, quick.context, quick.scratch + SCRATCH_OUT, value))
		return false;
	bits = quick_load64(quick.scratch + SCRATCH_OUT);
	memcpy(ret_number, &bits, sizeof(*ret_number));
	return true;
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

void quick_push_error(const char *message)
{
	QJS(JS_ThrowPlainError, quick.context, quick_scratch_text(message), 0);
	quick_push(QJS(JS_GetException, quick.context));
}

quick_value quick_throw_eval(const char *message)
{
	quick_value text = QJS(JS_NewStringLen, quick.context,
			       quick_scratch_text(message), (uint32_t)strlen(message));
	quick_value error;

	memcpy(quick_at(quick.scratch), &text, sizeof(text));
	error = QJS(JS_CallConstructor, quick.context, quick.eval_error, 1,
		    quick.scratch);
	QJS(JS_FreeValue, quick.context, text);
	return quick_tag(error) == TAG_EXCEPTION ? error
						 : QJS(JS_Throw, quick.context, error);
}

quick_value quick_throw_type(const char *message)
{
	return QJS(JS_ThrowTypeError, quick.context, quick_scratch_text(message), 0);
}

static void read_text(struct slot *slot, quick_value string)
{
	drop_text(slot);
	slot->text = QJS(JS_ToCStringLen2, quick.context, quick.scratch + SCRATCH_OUT,
			 string, 0);
	slot->text_len = slot->text ? quick_load32(quick.scratch + SCRATCH_OUT) : 0;
	quick_check(slot->text, slot->text_len);
}

static const char *text(int at, size_t *ret_len)
{
	struct slot *slot = slot_at(at);

	if (!slot->text && quick_tag(slot->value) == TAG_SYMBOL) {
		quick_value description = quick_ask(quick.symbol_text, slot->value);

		if (quick_tag(description) != TAG_UNDEFINED)
			read_text(slot, description);
		QJS(JS_FreeValue, quick.context, description);
	} else if (!slot->text) {
		read_text(slot, slot->value);
	}
	*ret_len = slot->text ? slot->text_len : 0;
	return slot->text ? (const char *)quick_at(slot->text) : "";
}

static void digits(double number, char *to)
{
	struct slot slot = {.value = QJS(JS_NewNumber, quick.context, number)};
	size_t n;

	read_text(&slot, slot.value);
	n = slot.text_len < VALUE_DIGITS_BYTES ? slot.text_len : VALUE_DIGITS_BYTES - 1;
	memcpy(to, quick_at(slot.text), n);
	to[n] = '\0';
	drop(&slot);
}

static void push_bigint_text(int at)
{
	quick_push(or_undefined(QJS(JS_ToString, quick.context, quick_value_at(at))));
}

static uint64_t identity(int at)
{
	return quick_value_at(at);
}

static bool is_callable(int at)
{
	return QJS(JS_IsFunction, quick.context, quick_value_at(at));
}

static const char *class_name(int at)
{
	static char name[32];
	const char *namespace = namespace_name(quick_value_at(at));
	quick_value value = quick_value_at(at), text;
	uint32_t atom = QJS(JS_GetClassName, quick.runtime, QJS(JS_GetClassID, value)), s;

	if (namespace)
		return namespace;

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

static enum value_property take_descriptor(int found)
{
	uint32_t at = quick.scratch + SCRATCH_DESCRIPTOR;

	if (found < 0)
		or_undefined(QUICK_EXCEPTION);
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
	int found = (int)QJS(JS_GetOwnProperty, quick.context,
			     quick.scratch + SCRATCH_DESCRIPTOR, object, atom);

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

static uint32_t push_names(int at, uint32_t which)
{
	uint32_t out = quick.scratch + SCRATCH_OUT;
	quick_value object = quick_value_at(at);
	struct slot *slot = push_slot();

	if (QJS(JS_GetOwnPropertyNames, quick.context, out, out + 4, object, which)) {
		or_undefined(QUICK_EXCEPTION);
		return 0;
	}
	slot->keys = quick_load32(out);
	slot->count = quick_load32(out + 4);
	return slot->count;
}

static uint32_t push_keys(int at)
{
	return push_names(at, NAMES_STRINGS | NAMES_SYMBOLS | NAMES_ENUMERABLE);
}

uint32_t quick_push_all_keys(int at)
{
	return push_names(at, NAMES_STRINGS);
}

static void push_key(int keys, uint32_t i)
{
	uint32_t at = slot_at(keys)->keys + i * NAME_BYTES + NAME_ATOM;

	quick_push(QJS(JS_AtomToValue, quick.context, quick_load32(at)));
}

static quick_value length_of(quick_value object)
{
	switch ((int)object_kind(object)) {
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
		value = stack.slots[--stack.used].value;
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
	s = text(key, &n);
	for (size_t i = 0; i < n; i++)
		if (s[i] < '0' || s[i] > '9')
			return false;
	return n;
}

/* Indices come first in the order of keys. */
static bool has_more(int at)
{
	int keys = top();
	uint32_t count = push_keys(at);
	bool more = false;

	if (count) {
		push_key(keys, count - 1);
		more = !key_is_index(keys + 1);
	}
	cut(keys);
	return more;
}

static enum value_parent parent(int at)
{
	quick_value proto =
		or_undefined(QJS(JS_GetPrototype, quick.context, quick_value_at(at)));

	QJS(JS_FreeValue, quick.context, proto);
	if (!is_object(proto))
		return PARENT_NONE;
	if (proto == quick.object_prototype)
		return PARENT_OBJECT;
	return proto == quick.array_prototype ? PARENT_ARRAY : PARENT_OTHER;
}

static void push_prototype(int at)
{
	quick_push(or_undefined(QJS(JS_GetPrototype, quick.context, quick_value_at(at))));
}

static bool push_inherited(int at, const char *name)
{
	quick_value object = dup(quick_value_at(at));
	enum value_property found = PROPERTY_NONE;
	unsigned left = CHAIN_MOST;

	while (left-- && is_object(object) && !QJS(JS_IsProxy, object)) {
		quick_value next;

		found = own_atom(object, quick_atom(name));
		if (found != PROPERTY_NONE)
			break;
		next = or_undefined(QJS(JS_GetPrototype, quick.context, object));
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
	push_string(flags);
}

/* forEach() gives value, key, and the Map or Set itself. */
quick_value quick_collect(void *module, uint32_t context, quick_value self,
			  uint32_t count, uint32_t args, uint32_t magic)
{
	uint32_t length;

	(void)module;
	(void)magic;
	if (count < 2 || QJS(JS_GetLength, context, self, quick.scratch + SCRATCH_OUT))
		return QUICK_UNDEFINED;
	length = quick_load32(quick.scratch + SCRATCH_OUT);
	QJS(JS_DefinePropertyValueUint32, context, self, length,
	    dup(quick_load64(args + 8)), PROPERTY_WRITABLE);
	QJS(JS_DefinePropertyValueUint32, context, self, length + 1,
	    dup(quick_load64(args)), PROPERTY_WRITABLE);
	return QUICK_UNDEFINED;
}

static uint32_t push_entries(int at)
{
	quick_value object = quick_value_at(at), list = QJS(JS_NewArray, quick.context);
	quick_value each = kind(at) == IS_MAP ? quick.map_each : quick.set_each;
	uint32_t args = quick.scratch, count;
	quick_value arguments[] = {quick.collect, list};

	QJS(JS_SetPrototype, quick.context, list, QUICK_NULL);
	memcpy(quick_at(args), arguments, sizeof(arguments));
	QJS(JS_FreeValue, quick.context,
	    or_undefined(QJS(JS_Call, quick.context, each, object, 2, args)));
	quick_push(list);
	count = length(top() - 1);
	return count / 2;
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
	.top = top,
	.push_string = push_string,
	.cut = cut,
	.kind = kind,
	.boolean = boolean,
	.number = number,
	.text = text,
	.digits = digits,
	.push_bigint_text = push_bigint_text,
	.identity = identity,
	.is_callable = is_callable,
	.class_name = class_name,
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
	stack.arg_at = -1;
	values = &quickjs;
}
