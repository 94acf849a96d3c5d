/* SPDX-License-Identifier: MIT */
/*
 * The stack of QuickJS's values: references that are ours, texts and lists of keys that
 * belong to them and go with them.
 *
 * Reading a long string may make a copy of it in the script's memory; where that is used
 * up the run has reached its limit.
 */
#include "rootfs/quick_stack.h"

#include "rootfs/end.h"

#define SLOTS_MOST 1024

#define NAME_MOST 255u

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
} stack = {.arg_at = -1};

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

quick_value quick_pop(void)
{
	struct slot slot = stack.slots[--stack.used];

	drop_text(&slot);
	return slot.value;
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

int quick_top(void)
{
	return stack.used - stack.places.base + (int)stack.places.count;
}

void quick_cut(int at)
{
	while (stack.used > stack.places.base && quick_top() > at)
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

	quick_ours_begin();
	forget_argument();
	stack.places = (struct quick_places){stack.used, args, count};
	return before;
}

void quick_leave(struct quick_places before)
{
	quick_cut(0);
	forget_argument();
	stack.places = before;
	quick_ours_end();
}

/* What our own calls may take of the module's stack, and of the native one. */
#define OURS_BYTES  32768u
#define OURS_NATIVE 131072u

static struct {
	uint32_t bytes;
	unsigned depth;
} limit;

void quick_limit_stack(uint32_t bytes)
{
	limit.bytes = bytes;
	QJS(JS_SetMaxStackSize, quick.runtime, bytes);
}

void quick_ours_begin(void)
{
	if (limit.depth++)
		return;
	quick_stack_floor -= OURS_NATIVE;
	QJS(JS_SetMaxStackSize, quick.runtime, limit.bytes + OURS_BYTES);
}

void quick_ours_end(void)
{
	if (--limit.depth)
		return;
	quick_stack_floor += OURS_NATIVE;
	QJS(JS_SetMaxStackSize, quick.runtime, limit.bytes);
}

/* What an answer of the engine throws is nobody's: only the script's own calls may. */
quick_value quick_or_undefined(quick_value value)
{
	if (quick_tag(value) != TAG_EXCEPTION)
		return value;
	QJS(JS_FreeValue, quick.context, QJS(JS_GetException, quick.context));
	return QUICK_UNDEFINED;
}

quick_value quick_ask(quick_value function, quick_value self)
{
	return quick_or_undefined(QJS(JS_Call, quick.context, function, self, 0, 0));
}

uint32_t quick_scratch_text(const char *text)
{
	size_t n = strlen(text);

	if (n > NAME_MOST)
		end_now(END_ENGINE);
	memcpy(quick_at(quick.scratch), text, n + 1);
	return quick.scratch;
}

void quick_define(quick_value object, const char *name, quick_value value, uint32_t flags)
{
	QJS(JS_DefinePropertyValueStr, quick.context, object, quick_scratch_text(name),
	    value, flags);
}

quick_value quick_prototype(quick_value object)
{
	return quick_or_undefined(QJS(JS_GetPrototype, quick.context, object));
}

uint32_t quick_atom(const char *name)
{
	return QJS(JS_NewAtomLen, quick.context, quick_scratch_text(name),
		   (uint32_t)strlen(name));
}

void quick_push_string(const char *text)
{
	quick_push(QJS(JS_NewStringLen, quick.context, quick_scratch_text(text),
		       (uint32_t)strlen(text)));
}

bool quick_to_number(quick_value value, double *ret_number)
{
	uint64_t bits;

	if (QJS(JS_ToFloat64, quick.context, QUICK_SCRATCH_OUT, value))
		return false;
	bits = quick_load64(QUICK_SCRATCH_OUT);
	memcpy(ret_number, &bits, sizeof(*ret_number));
	return true;
}

void quick_push_error(const char *message)
{
	QJS(JS_ThrowPlainError, quick.context, quick_scratch_text(message), 0);
	quick_push(QJS(JS_GetException, quick.context));
}

static quick_value make_error(quick_value constructor, const char *message)
{
	quick_value text = QJS(JS_NewStringLen, quick.context,
			       quick_scratch_text(message), (uint32_t)strlen(message));
	quick_value error;

	memcpy(quick_at(quick.scratch), &text, sizeof(text));
	error = QJS(JS_CallConstructor, quick.context, constructor, 1, quick.scratch);
	QJS(JS_FreeValue, quick.context, text);
	return error;
}

quick_value quick_throw_eval(const char *message)
{
	quick_value error = make_error(quick.eval_error, message);

	return quick_tag(error) == TAG_EXCEPTION ? error
						 : QJS(JS_Throw, quick.context, error);
}

void quick_push_range_error(const char *message)
{
	quick_push(quick_or_undefined(make_error(quick.range_error, message)));
}

quick_value quick_throw_type(const char *message)
{
	return QJS(JS_ThrowTypeError, quick.context, quick_scratch_text(message), 0);
}

static void read_text(struct slot *slot, quick_value string)
{
	drop_text(slot);
	slot->text = QJS(JS_ToCStringLen2, quick.context, QUICK_SCRATCH_OUT, string, 0);
	slot->text_len = slot->text ? quick_load32(QUICK_SCRATCH_OUT) : 0;
	quick_check(slot->text, slot->text_len);
}

const char *quick_text(int at, size_t *ret_len)
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

uint32_t quick_push_names(int at, uint32_t which)
{
	uint32_t out = QUICK_SCRATCH_OUT;
	quick_value object = quick_value_at(at);
	struct slot *slot = push_slot();

	if (QJS(JS_GetOwnPropertyNames, quick.context, out, out + 4, object, which)) {
		quick_or_undefined(QUICK_EXCEPTION);
		return 0;
	}
	slot->keys = quick_load32(out);
	slot->count = quick_load32(out + 4);
	return slot->count;
}

uint32_t quick_name_at(int keys, uint32_t i)
{
	const struct slot *slot = slot_at(keys);

	if (i >= slot->count)
		end_now(END_ENGINE);
	return quick_load32(slot->keys + i * NAME_BYTES + NAME_ATOM);
}
