/* SPDX-License-Identifier: MIT */
/*
 * What an expression may come to. Constants are lost where two of them meet; what leads
 * to the global object or to code is kept, since it is enough that it may be reached.
 */
#include "rootfs/gate_core.h"

#include <math.h>
#include <string.h>

#define TEXT_DEPTH_MOST 8u

struct gate_value gate_value_of(uint8_t kind)
{
	return (struct gate_value){.kind = kind};
}

struct gate_value gate_value_number(double number)
{
	return (struct gate_value){.kind = GATE_NUMBER, .number = number};
}

struct gate_value gate_value_text(struct gate_text text)
{
	return (struct gate_value){.kind = GATE_STRING, .n = text.len, .text = text.at};
}

struct gate_value gate_value_path(struct gate_text path)
{
	return (struct gate_value){.kind = GATE_PATH, .n = path.len, .text = path.at};
}

static bool same(struct gate *g, struct gate_value a, struct gate_value b, unsigned depth)
{
	if (a.kind != b.kind || a.n != b.n || a.flags != b.flags)
		return false;
	switch (a.kind) {
	case GATE_STRING:
	case GATE_PATH:
		return a.text == b.text || !memcmp(a.text, b.text, a.n);
	case GATE_NUMBER:
	case GATE_BOOLEAN:
		return memcmp(&a.number, &b.number, sizeof(a.number)) == 0;
	case GATE_FUNCTION:
	case GATE_OBJECT:
		return a.node == b.node;
	case GATE_LIST:
		if (a.first == b.first || depth == TEXT_DEPTH_MOST)
			return true;
		for (uint32_t i = 0; i < a.n; i++)
			if (!gate_work(g, 1) || !same(g, g->list[a.first + i],
						      g->list[b.first + i], depth + 1))
				return false;
		return true;
	default:
		return true;
	}
}

bool gate_value_same(struct gate *g, struct gate_value a, struct gate_value b)
{
	return same(g, a, b, 0);
}

bool gate_value_is_key(struct gate_value value)
{
	return value.kind == GATE_NUMBER || value.kind == GATE_STRING ||
	       value.kind == GATE_BOOLEAN || value.kind == GATE_LIST ||
	       value.kind == GATE_UNDEFINED || value.kind == GATE_NULL;
}

bool gate_value_is_text(struct gate_value value)
{
	return value.kind == GATE_STRING || value.kind == GATE_STRINGISH;
}

/* A value that outweighs the other: it stays, but it may be the other as well. */
static struct gate_value outweigh(struct gate *g, struct gate_value a,
				  struct gate_value b)
{
	if (a.kind == GATE_FUNCTION && b.kind == GATE_FUNCTION) {
		if (a.node != b.node)
			gate_join_functions(g, a, b);
	} else if (b.kind == GATE_FUNCTION) {
		/* f = Array.prototype.f || function ...: stays a method. */
		if (a.kind == GATE_PATH && memmem(a.text, a.n, ".prototype.", 11))
			gate_lose_method(g, b);
		else
			gate_lose(g, b, 0);
		a.flags |= GATE_VALUE_UNSURE;
	} else if (b.kind != GATE_UNDEFINED && b.kind != GATE_NULL &&
		   b.kind != GATE_BOOLEAN) {
		a.flags |= GATE_VALUE_UNSURE;
	}
	a.flags |= b.kind >= GATE_PROTO ? b.flags & GATE_VALUE_UNSURE : 0;
	return a;
}

struct gate_value gate_value_join(struct gate *g, struct gate_value a,
				  struct gate_value b)
{
	if (a.kind == GATE_NOTHING || gate_value_same(g, a, b))
		return b;
	if (b.kind == GATE_NOTHING)
		return a;
	if (a.kind >= GATE_PROTO || b.kind >= GATE_PROTO)
		return a.kind >= b.kind ? outweigh(g, a, b) : outweigh(g, b, a);
	if (gate_value_is_text(a) && gate_value_is_text(b))
		return gate_value_of(GATE_STRINGISH);
	return gate_value_of(GATE_UNKNOWN);
}

int gate_value_truth(struct gate_value value)
{
	switch (value.kind) {
	case GATE_UNDEFINED:
	case GATE_NULL:
		return 0;
	case GATE_BOOLEAN:
	case GATE_NUMBER:
		return value.number != 0 && !isnan(value.number);
	case GATE_STRING:
		return value.n != 0;
	case GATE_LIST:
	case GATE_OBJECT:
	case GATE_REGEXP:
	case GATE_FUNCTION:
	case GATE_CODE:
	case GATE_GLOBAL:
		return 1;
	default:
		return -1;
	}
}

static bool text_to_number(struct gate_text text, double *ret_number)
{
	struct gate_value value;

	while (text.len && (*text.at == ' ' || (*text.at >= '\t' && *text.at <= '\r')))
		text.at++, text.len--;
	if (!text.len) {
		*ret_number = 0;
		return true;
	}
	value = gate_fold_number(text);
	*ret_number = value.number;
	return value.kind == GATE_NUMBER;
}

bool gate_value_to_number(struct gate_value value, double *ret_number)
{
	switch (value.kind) {
	case GATE_NUMBER:
	case GATE_BOOLEAN:
		*ret_number = value.number;
		return true;
	case GATE_NULL:
		*ret_number = 0;
		return true;
	case GATE_UNDEFINED:
	case GATE_OBJECT:
		*ret_number = __builtin_nan("");
		return value.kind == GATE_UNDEFINED;
	case GATE_STRING:
		return text_to_number((struct gate_text){value.text, value.n},
				      ret_number);
	case GATE_LIST:
		*ret_number = 0;
		return !value.n && !(value.flags & GATE_VALUE_OPAQUE);
	default:
		return false;
	}
}

struct output {
	char bytes[GATE_FOLD_TEXT_MOST];
	uint32_t len;
};

static bool output_add(struct output *out, const char *at, size_t len)
{
	if (len > sizeof(out->bytes) - out->len)
		return false;
	memcpy(out->bytes + out->len, at, len);
	out->len += (uint32_t)len;
	return true;
}

static bool output_word(struct output *out, const char *word)
{
	return output_add(out, word, strlen(word));
}

/* Whole numbers alone: how others are written is the engine's affair. */
static bool output_number(struct output *out, double number)
{
	char digits[24], *at = digits + sizeof(digits);
	uint64_t rest;

	if (isnan(number))
		return output_word(out, "NaN");
	if (isinf(number))
		return output_word(out, number < 0 ? "-Infinity" : "Infinity");
	if (fabs(number) >= 1e15 || number != trunc(number))
		return false;
	rest = (uint64_t)fabs(number);
	do {
		*--at = (char)('0' + rest % 10);
		rest /= 10;
	} while (rest);
	if (number < 0)
		*--at = '-';
	return output_add(out, at, (size_t)(digits + sizeof(digits) - at));
}

static bool output_function(struct output *out, struct gate_text path)
{
	uint32_t start = path.len;

	if (!gate_leads_to_function(path))
		return false;
	while (start && path.at[start - 1] != '.')
		start--;
	return output_word(out, "function ") &&
	       output_add(out, path.at + start, path.len - start) &&
	       output_word(out, "() { [native code] }");
}

/* Does it become a text as the engine has it, by no method of the source? */
static bool is_plain(struct gate *g, struct gate_value value)
{
	static const char *const methods[] = {"toString", "valueOf", "join",
					      "Symbol.toPrimitive"};

	for (size_t i = 0; i < sizeof(methods) / sizeof(methods[0]); i++)
		if (gate_is_patched(g, (struct gate_text){methods[i],
							  (uint32_t)strlen(methods[i])}))
			return false;
	return value.kind != GATE_OBJECT || !(value.flags & GATE_VALUE_OPAQUE);
}

static bool output_value(struct gate *g, struct output *out, struct gate_value value,
			 unsigned depth)
{
	switch (value.kind) {
	case GATE_UNDEFINED:
		return output_word(out, "undefined");
	case GATE_NULL:
		return output_word(out, "null");
	case GATE_BOOLEAN:
		return output_word(out, value.number != 0 ? "true" : "false");
	case GATE_NUMBER:
		return output_number(out, value.number);
	case GATE_STRING:
		return output_add(out, value.text, value.n);
	case GATE_OBJECT:
		return is_plain(g, value) && output_word(out, "[object Object]");
	case GATE_PATH:
		return !value.flags && is_plain(g, value) &&
		       output_function(out, (struct gate_text){value.text, value.n});
	case GATE_CODE:
		return is_plain(g, value) &&
		       output_function(out, (struct gate_text){"Function", 8});
	default:
		break;
	}
	if (value.kind != GATE_LIST || value.flags & GATE_VALUE_OPAQUE ||
	    depth == TEXT_DEPTH_MOST || !is_plain(g, value))
		return false;
	for (uint32_t i = 0; i < value.n; i++) {
		struct gate_value part = g->list[value.first + i];

		if (i && !output_word(out, ","))
			return false;
		if (part.kind == GATE_LIST && value.flags & GATE_VALUE_SHARED)
			return false;
		if (part.kind != GATE_UNDEFINED && part.kind != GATE_NULL &&
		    !output_value(g, out, part, depth + 1))
			return false;
	}
	return true;
}

static bool keep(struct gate *g, const struct output *out, struct gate_text *ret_text)
{
	char *room = gate_text_room(g, out->len);

	if (!room)
		return false;
	memcpy(room, out->bytes, out->len);
	*ret_text = (struct gate_text){room, out->len};
	return true;
}

bool gate_value_to_text(struct gate *g, struct gate_value value,
			struct gate_text *ret_text)
{
	struct output out;

	if (value.kind == GATE_STRING) {
		*ret_text = (struct gate_text){value.text, value.n};
		return true;
	}
	out.len = 0;
	return output_value(g, &out, value, 0) && keep(g, &out, ret_text);
}

struct gate_value gate_value_concat(struct gate *g, struct gate_value a,
				    struct gate_value b)
{
	struct gate_text text;
	struct output out;

	out.len = 0;
	if (!output_value(g, &out, a, 0) || !output_value(g, &out, b, 0) ||
	    !keep(g, &out, &text))
		return gate_value_of(GATE_STRINGISH);
	return gate_value_text(text);
}

struct gate_value gate_value_list(struct gate *g, const struct gate_value *values,
				  uint32_t count)
{
	struct gate_value list = {.kind = GATE_LIST, .n = count, .first = g->list_count};

	if (count > GATE_LIST_SUM_MOST - g->list_count)
		return (struct gate_value){.kind = GATE_LIST, .flags = GATE_VALUE_OPAQUE};
	for (uint32_t i = 0; i < count; i++) {
		gate_room(&g->list, g->list_count, &g->list_room, sizeof(*g->list));
		g->list[g->list_count++] = values[i];
	}
	return list;
}

struct gate_value gate_value_boxed(struct gate *g, uint8_t kind, struct gate_value value)
{
	struct gate_value box;

	/* One box: in boxes that are in boxes one could get lost. */
	if (value.kind == GATE_DESCRIPTOR || value.kind == GATE_DESCRIPTORS)
		return value;
	box = gate_value_list(g, &value, 1);
	if (box.flags & GATE_VALUE_OPAQUE)
		return gate_value_of(GATE_UNKNOWN);
	box.kind = kind;
	return box;
}
