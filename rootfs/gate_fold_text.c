/* SPDX-License-Identifier: MIT */
/*
 * The methods and functions by which words are put together, over constants. Positions in
 * a string are counted in UTF-16 by the language: only ASCII is taken apart here.
 */
#include <math.h>
#include <string.h>

#include "rootfs/gate_core.h"

#define PARTS_MOST 512u

static struct gate_value nothing(void)
{
	return gate_value_of(GATE_NOTHING);
}

static struct gate_text text_in(struct gate_value value)
{
	return (struct gate_text){value.text, value.n};
}

static bool is_ascii(struct gate_text text)
{
	for (uint32_t i = 0; i < text.len; i++)
		if (text.at[i] & 0x80)
			return false;
	return true;
}

struct arguments {
	const struct gate_value *at;
	uint32_t count;
};

/* The argument as a whole number; by: what it is where it is left out. */
static bool arg_number(struct arguments args, uint32_t i, double by, double *ret_number)
{
	*ret_number = by;
	if (i >= args.count || args.at[i].kind == GATE_UNDEFINED)
		return true;
	if (!gate_value_to_number(args.at[i], ret_number))
		return false;
	*ret_number = isnan(*ret_number) ? 0 : trunc(*ret_number);
	return true;
}

static double clamp(double value, double len)
{
	return value < 0 ? 0 : value > len ? len : value;
}

static struct gate_value part_of(struct gate_text text, double from, double to)
{
	if (to < from)
		to = from;
	return gate_value_text(
		(struct gate_text){text.at + (uint32_t)from, (uint32_t)(to - from)});
}

static struct gate_value fold_slice(struct gate_text text, struct gate_text method,
				    struct arguments args)
{
	double len = text.len, from, to;

	if (!arg_number(args, 0, 0, &from) || !arg_number(args, 1, len, &to))
		return gate_value_of(GATE_STRINGISH);
	if (gate_text_is(method, "substring")) {
		from = clamp(from, len);
		to = clamp(to, len);
		return from < to ? part_of(text, from, to) : part_of(text, to, from);
	}
	if (from < 0)
		from += len;
	from = clamp(from, len);
	if (gate_text_is(method, "substr"))
		return part_of(text, from,
			       clamp(args.count > 1 ? from + clamp(to, len) : len, len));
	if (to < 0)
		to += len;
	return part_of(text, from, clamp(to, len));
}

static struct gate_value fold_case(struct gate *g, struct gate_text text, bool upper)
{
	char *room = gate_text_room(g, text.len);

	if (!room)
		return gate_value_of(GATE_STRINGISH);
	for (uint32_t i = 0; i < text.len; i++) {
		char c = text.at[i], base = upper ? 'a' : 'A';

		room[i] = c >= base && c <= base + 25 ? (char)(c ^ 0x20) : c;
	}
	return gate_value_text((struct gate_text){room, text.len});
}

static bool is_blank(char c)
{
	return c == ' ' || (c >= '\t' && c <= '\r');
}

static struct gate_value fold_trim(struct gate_text text)
{
	while (text.len && is_blank(text.at[0]))
		text.at++, text.len--;
	while (text.len && is_blank(text.at[text.len - 1]))
		text.len--;
	return gate_value_text(text);
}

static struct gate_value fold_repeat(struct gate *g, struct gate_text text,
				     struct arguments args)
{
	double times;
	char *room;

	/* Infinity times nothing is no number, and no reason to go on. */
	if (!arg_number(args, 0, 0, &times) || times < 0 || times > GATE_FOLD_TEXT_MOST ||
	    times * text.len > GATE_FOLD_TEXT_MOST)
		return gate_value_of(GATE_STRINGISH);
	room = gate_text_room(g, (uint32_t)times * text.len);
	if (!room)
		return gate_value_of(GATE_STRINGISH);
	for (uint32_t i = 0; i < (uint32_t)times; i++)
		memcpy(room + i * text.len, text.at, text.len);
	return gate_value_text((struct gate_text){room, (uint32_t)times * text.len});
}

static uint32_t find(struct gate_text text, uint32_t from, struct gate_text what)
{
	for (uint32_t i = from; what.len <= text.len && i <= text.len - what.len; i++)
		if (!memcmp(text.at + i, what.at, what.len))
			return i;
	return GATE_NONE;
}

static struct gate_value fold_split(struct gate *g, struct gate_text text,
				    struct arguments args)
{
	struct gate_value parts[PARTS_MOST];
	struct gate_text by;
	uint32_t count = 0, from = 0;

	if (!args.count || args.at[0].kind != GATE_STRING || args.count > 1)
		return (struct gate_value){.kind = GATE_LIST, .flags = GATE_VALUE_OPAQUE};
	by = text_in(args.at[0]);
	for (;;) {
		uint32_t to = by.len ? find(text, from, by) : from + 1;

		if (count == PARTS_MOST)
			return (struct gate_value){.kind = GATE_LIST,
						   .flags = GATE_VALUE_OPAQUE};
		if (to >= text.len)
			break;
		parts[count++] = part_of(text, from, to);
		from = to + by.len;
	}
	if (by.len || from < text.len)
		parts[count++] = part_of(text, from, text.len);
	return gate_value_list(g, parts, count);
}

static struct gate_value fold_replace(struct gate *g, struct gate_text text,
				      struct arguments args, bool all)
{
	struct gate_text what, by;
	uint32_t from = 0, at, len = 0;
	char *room;

	if (args.count != 2 || args.at[0].kind != GATE_STRING ||
	    args.at[1].kind != GATE_STRING || !args.at[0].n ||
	    memchr(args.at[1].text, '$', args.at[1].n))
		return gate_value_of(GATE_STRINGISH);
	what = text_in(args.at[0]);
	by = text_in(args.at[1]);
	if ((uint64_t)text.len * (by.len + 1) > GATE_FOLD_TEXT_MOST)
		return gate_value_of(GATE_STRINGISH);
	room = gate_text_room(g, text.len * (by.len + 1));
	if (!room)
		return gate_value_of(GATE_STRINGISH);
	while ((at = find(text, from, what)) != GATE_NONE) {
		memcpy(room + len, text.at + from, at - from);
		len += at - from;
		memcpy(room + len, by.at, by.len);
		len += by.len;
		from = at + what.len;
		if (!all)
			break;
	}
	memcpy(room + len, text.at + from, text.len - from);
	return gate_value_text((struct gate_text){room, len + text.len - from});
}

static struct gate_value fold_concat_all(struct gate *g, struct gate_value first,
					 struct arguments args)
{
	for (uint32_t i = 0; i < args.count; i++)
		first = gate_value_concat(g, first, args.at[i]);
	return first;
}

static struct gate_value fold_at(struct gate *g, struct gate_value on,
				 struct gate_text method, struct arguments args)
{
	struct gate_text text = text_in(on);
	double index;

	if (!arg_number(args, 0, 0, &index))
		return gate_value_of(GATE_STRINGISH);
	if (index < 0 && gate_text_is(method, "at"))
		index += text.len;
	if (index < 0 || index >= text.len)
		return gate_value_text((struct gate_text){text.at, 0});
	if (gate_text_is(method, "charCodeAt") || gate_text_is(method, "codePointAt"))
		return gate_value_number(text.at[(uint32_t)index]);
	(void)g;
	return part_of(text, index, index + 1);
}

static struct gate_value string_method(struct gate *g, struct gate_value on,
				       struct gate_text method, struct arguments args)
{
	struct gate_text text = text_in(on);

	if (gate_text_is(method, "concat"))
		return fold_concat_all(g, on, args);
	if (gate_text_is(method, "toString") || gate_text_is(method, "valueOf"))
		return on;
	if (gate_text_is(method, "repeat"))
		return fold_repeat(g, text, args);
	if (gate_text_is(method, "replace") || gate_text_is(method, "replaceAll"))
		return fold_replace(g, text, args, method.len > 7);
	if (!is_ascii(text))
		return nothing();
	if (gate_text_is(method, "slice") || gate_text_is(method, "substring") ||
	    gate_text_is(method, "substr"))
		return fold_slice(text, method, args);
	if (gate_text_is(method, "charAt") || gate_text_is(method, "at") ||
	    gate_text_is(method, "charCodeAt") || gate_text_is(method, "codePointAt"))
		return fold_at(g, on, method, args);
	if (gate_text_is(method, "toLowerCase") || gate_text_is(method, "toUpperCase"))
		return fold_case(g, text, method.at[2] == 'U');
	if (gate_text_is(method, "trim"))
		return fold_trim(text);
	if (gate_text_is(method, "split"))
		return fold_split(g, text, args);
	return nothing();
}

static struct gate_value list_join(struct gate *g, struct gate_value on,
				   struct arguments args)
{
	struct gate_value by = gate_value_text((struct gate_text){",", 1});
	struct gate_value all = gate_value_text((struct gate_text){"", 0});

	if (args.count && args.at[0].kind != GATE_UNDEFINED)
		by = args.at[0];
	if (on.flags & GATE_VALUE_OPAQUE || by.kind != GATE_STRING || on.n > PARTS_MOST)
		return gate_value_of(GATE_STRINGISH);
	for (uint32_t i = 0; i < on.n && all.kind == GATE_STRING; i++) {
		struct gate_value part = g->list[on.first + i];

		if (part.kind == GATE_LIST && on.flags & GATE_VALUE_SHARED)
			return gate_value_of(GATE_STRINGISH);
		if (i && by.n)
			all = gate_value_concat(g, all, by);
		if (part.kind != GATE_UNDEFINED && part.kind != GATE_NULL)
			all = gate_value_concat(g, all, part);
	}
	return all;
}

static struct gate_value list_reverse(struct gate *g, struct gate_value on)
{
	struct gate_value parts[PARTS_MOST];

	if (on.flags & GATE_VALUE_OPAQUE || on.n > PARTS_MOST)
		return on;
	for (uint32_t i = 0; i < on.n; i++)
		parts[i] = g->list[on.first + on.n - 1 - i];
	return gate_value_list(g, parts, on.n);
}

static struct gate_value list_concat(struct gate *g, struct gate_value on,
				     struct arguments args)
{
	struct gate_value parts[PARTS_MOST], all;
	uint32_t count = 0;

	for (uint32_t i = 0; i <= args.count; i++) {
		struct gate_value part = i ? args.at[i - 1] : on;
		uint32_t n = part.kind == GATE_LIST ? part.n : 1;

		if (part.flags & GATE_VALUE_OPAQUE || n > PARTS_MOST - count)
			return (struct gate_value){.kind = GATE_LIST,
						   .flags = GATE_VALUE_OPAQUE};
		for (uint32_t j = 0; j < n; j++)
			parts[count++] =
				part.kind == GATE_LIST ? g->list[part.first + j] : part;
	}
	all = gate_value_list(g, parts, count);
	all.flags |= on.flags & GATE_VALUE_SHARED;
	return all;
}

static struct gate_value list_slice(struct gate *g, struct gate_value on,
				    struct arguments args)
{
	double from, to;

	if (!arg_number(args, 0, 0, &from) || !arg_number(args, 1, on.n, &to) ||
	    on.flags & GATE_VALUE_OPAQUE)
		return (struct gate_value){.kind = GATE_LIST, .flags = GATE_VALUE_OPAQUE};
	from = clamp(from < 0 ? from + on.n : from, on.n);
	to = clamp(to < 0 ? to + on.n : to, on.n);
	(void)g;
	on.first += (uint32_t)from;
	on.n = to > from ? (uint32_t)(to - from) : 0;
	return on;
}

/* What gives one of the elements. */
static struct gate_value list_any(struct gate *g, struct gate_value on)
{
	struct gate_value joined = gate_value_of(GATE_UNKNOWN);

	for (uint32_t i = 0; i < on.n && i < PARTS_MOST; i++)
		joined = gate_value_join(g, joined, g->list[on.first + i]);
	return gate_inner(joined);
}

static struct gate_value list_method(struct gate *g, struct gate_value on,
				     struct gate_text method, struct arguments args)
{
	double index;

	if (gate_text_is(method, "join"))
		return list_join(g, on, args);
	if (gate_text_is(method, "reverse") || gate_text_is(method, "toReversed"))
		return list_reverse(g, on);
	if (gate_text_is(method, "concat"))
		return list_concat(g, on, args);
	if (gate_text_is(method, "slice"))
		return list_slice(g, on, args);
	if (gate_text_is(method, "toString"))
		return list_join(g, on, (struct arguments){NULL, 0});
	if (gate_text_is(method, "at") && arg_number(args, 0, 0, &index)) {
		index = index < 0 ? index + on.n : index;
		return index >= 0 && index < on.n && !(on.flags & GATE_VALUE_OPAQUE)
			       ? gate_inner(g->list[on.first + (uint32_t)index])
			       : gate_value_of(GATE_UNKNOWN);
	}
	if (gate_text_is(method, "pop") || gate_text_is(method, "shift") ||
	    gate_text_is(method, "find"))
		return list_any(g, on);
	return nothing();
}

static struct gate_value number_text(struct gate *g, double number, double base)
{
	char digits[64], *at = digits + sizeof(digits), *room;
	uint64_t rest;
	uint32_t len;

	if (isnan(number) || base < 2 || base > 36 || number != trunc(number) ||
	    fabs(number) > 9e15)
		return gate_value_of(GATE_STRINGISH);
	rest = (uint64_t)fabs(number);
	do {
		*--at = "0123456789abcdefghijklmnopqrstuvwxyz"[rest % (uint64_t)base];
		rest /= (uint64_t)base;
	} while (rest && at > digits + 1);
	if (number < 0)
		*--at = '-';
	len = (uint32_t)(digits + sizeof(digits) - at);
	room = gate_text_room(g, len);
	if (!room)
		return gate_value_of(GATE_STRINGISH);
	memcpy(room, at, len);
	return gate_value_text((struct gate_text){room, len});
}

struct gate_value gate_fold_method(struct gate *g, struct gate_value on,
				   struct gate_text method, const struct gate_value *at,
				   uint32_t count)
{
	struct arguments args = {at, count};
	struct gate_text text;
	double base;

	if (on.kind == GATE_STRING)
		return string_method(g, on, method, args);
	if (on.kind == GATE_LIST)
		return list_method(g, on, method, args);
	if (!gate_text_is(method, "toString"))
		return nothing();
	if (on.kind == GATE_NUMBER && arg_number(args, 0, 10, &base))
		return number_text(g, on.number, base);
	if (on.kind == GATE_BOOLEAN && gate_value_to_text(g, on, &text))
		return gate_value_text(text);
	return nothing();
}
