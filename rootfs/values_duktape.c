/* SPDX-License-Identifier: MIT */
/*
 * Duktape's values: its value stack is the stack, peek.c sees what the public interface
 * does not show.
 */
#include <string.h>

#include "rootfs/mapset.h"
#include "rootfs/peek.h"
#include "rootfs/run.h"
#include "rootfs/values.h"
#include "rootfs/values_duktape.h"

const struct values *values;

static duk_context *ctx;

static int top(void)
{
	return duk_get_top(ctx);
}

static void push_string(const char *text)
{
	duk_require_stack(ctx, 8);
	duk_push_string(ctx, text);
}

static void cut(int at)
{
	duk_set_top(ctx, at);
}

static enum value_kind object_kind(int at)
{
	static const enum value_kind kinds[] = {
		[PEEK_OBJECT] = IS_OBJECT,     [PEEK_ARRAY] = IS_ARRAY,
		[PEEK_FUNCTION] = IS_FUNCTION, [PEEK_ARGUMENTS] = IS_ARGUMENTS,
		[PEEK_BOOLEAN] = IS_BOXED,     [PEEK_NUMBER] = IS_BOXED,
		[PEEK_STRING] = IS_BOXED,      [PEEK_SYMBOL] = IS_BOXED,
		[PEEK_DATE] = IS_DATE,	       [PEEK_ERROR] = IS_ERROR,
		[PEEK_REGEXP] = IS_REGEXP,     [PEEK_TYPED_ARRAY] = IS_TYPED_ARRAY,
		[PEEK_BUFFER] = IS_BUFFER,     [PEEK_PROXY] = IS_PROXY,
		[PEEK_OTHER] = IS_OTHER,
	};
	enum value_kind kind = kinds[peek_kind(ctx, at)];

	if (kind != IS_OBJECT)
		return kind;
	switch (mapset_kind(ctx, at)) {
	case MAPSET_MAP:
		return IS_MAP;
	case MAPSET_SET:
		return IS_SET;
	case MAPSET_NONE:
		break;
	}
	return peek_is_error(ctx, at) ? IS_ERROR : IS_OBJECT;
}

static enum value_kind kind(int at)
{
	switch (duk_get_type(ctx, at)) {
	case DUK_TYPE_UNDEFINED:
		return IS_UNDEFINED;
	case DUK_TYPE_NULL:
		return IS_NULL;
	case DUK_TYPE_BOOLEAN:
		return IS_BOOLEAN;
	case DUK_TYPE_NUMBER:
		return IS_NUMBER;
	case DUK_TYPE_STRING:
		return duk_is_symbol(ctx, at) ? IS_SYMBOL : IS_STRING;
	case DUK_TYPE_OBJECT:
		duk_require_stack(ctx, 16);
		return object_kind(at);
	default:
		return IS_INTERNAL;
	}
}

static bool boolean(int at)
{
	return duk_get_boolean(ctx, at);
}

static double number(int at)
{
	return duk_get_number(ctx, at);
}

/* The engine keeps a symbol as a mark, its description, 0xFF and a suffix. */
static const char *text(int at, size_t *ret_len)
{
	const char *s = duk_get_lstring(ctx, at, ret_len), *end;

	if (!s || !*ret_len || !duk_is_symbol(ctx, at))
		return s;
	end = memchr(s + 1, 0xFF, *ret_len - 1);
	*ret_len = end ? (size_t)(end - (s + 1)) : *ret_len - 1;
	return s + 1;
}

static void digits(double number, char *to)
{
	duk_require_stack(ctx, 1);
	duk_push_number(ctx, number);
	strncpy(to, duk_to_string(ctx, -1), VALUE_DIGITS_BYTES - 1);
	to[VALUE_DIGITS_BYTES - 1] = '\0';
	duk_pop(ctx);
}

static void push_bigint_text(int at)
{
	(void)at;
	duk_push_string(ctx, "");
}

static uint64_t identity(int at)
{
	return (uint64_t)(uintptr_t)duk_get_heapptr(ctx, at);
}

static bool is_callable(int at)
{
	return duk_is_function(ctx, at);
}

static const char *class_name(int at)
{
	return peek_class_name(ctx, at);
}

static enum value_property property(enum peek_property found)
{
	static const enum value_property as[] = {
		[PEEK_NONE] = PROPERTY_NONE,
		[PEEK_DATA] = PROPERTY_DATA,
		[PEEK_ACCESSOR] = PROPERTY_ACCESSOR,
	};

	return as[found];
}

static enum value_property own_name(int at, const char *name)
{
	duk_require_stack(ctx, 8);
	return property(peek_own_name(ctx, at, name));
}

static enum value_property own_index(int at, uint32_t index)
{
	duk_require_stack(ctx, 8);
	return property(peek_own_index(ctx, at, index));
}

static enum value_property own_key(int at, int key)
{
	duk_require_stack(ctx, 8);
	duk_dup(ctx, key);
	return property(peek_own(ctx, at));
}

static uint32_t push_keys(int at)
{
	duk_require_stack(ctx, 8);
	return peek_keys(ctx, at);
}

static void push_key(int keys, uint32_t i)
{
	peek_own_index(ctx, keys, i);
}

static uint32_t length(int at)
{
	return peek_length(ctx, at);
}

static bool has_more(int at)
{
	return peek_has_more_than_elements(ctx, at);
}

static enum value_parent parent(int at)
{
	if (peek_kind(ctx, at) == PEEK_ARRAY && mapset_is_list(ctx, at))
		return PARENT_ARRAY;
	switch (peek_parent(ctx, at)) {
	case PEEK_PARENT_NONE:
		return PARENT_NONE;
	case PEEK_PARENT_OBJECT:
		return PARENT_OBJECT;
	case PEEK_PARENT_ARRAY:
		return PARENT_ARRAY;
	case PEEK_PARENT_OTHER:
		break;
	}
	return PARENT_OTHER;
}

static void push_prototype(int at)
{
	duk_require_stack(ctx, 8);
	if (!peek_prototype(ctx, at))
		duk_push_null(ctx);
}

static bool push_inherited(int at, const char *name)
{
	duk_require_stack(ctx, 8);
	return peek_inherited(ctx, at, name);
}

static void push_primitive(int at)
{
	peek_primitive(ctx, at);
}

static void push_regexp(int at)
{
	peek_regexp(ctx, at);
}

static uint32_t push_entries(int at)
{
	return mapset_push_entries(ctx, at);
}

static enum value_promise push_settled(int at)
{
	(void)at;
	duk_push_undefined(ctx);
	return PROMISE_PENDING;
}

static bool is_users_file(void)
{
	size_t n;
	const char *file = duk_get_lstring(ctx, -1, &n);

	return file && n == run.job.name_len && !memcmp(file, run.job.name, n);
}

static struct value_frame push_frame(int at, unsigned n)
{
	struct peek_frame step;
	struct value_frame frame = {.kind = FRAME_LAST};

	duk_require_stack(ctx, 8);
	step = peek_trace(ctx, at, n);
	if (step.kind == PEEK_FRAME_END)
		return frame;
	frame.kind = step.kind == PEEK_FRAME_NATIVE   ? FRAME_NATIVE
		     : step.kind == PEEK_FRAME_SCRIPT ? FRAME_SCRIPT
						      : FRAME_SOURCE;
	frame.line = step.line;
	frame.is_users = is_users_file();
	duk_pop(ctx);
	return frame;
}

static struct value_frame last_throw(void)
{
	return (struct value_frame){
		.kind = FRAME_SCRIPT, .is_users = true, .line = peek_last_throw().line};
}

static const struct values duktape = {
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
	.push_frame = push_frame,
	.last_throw = last_throw,
};

void values_of_duktape(duk_context *context)
{
	ctx = context;
	values = &duktape;
}
