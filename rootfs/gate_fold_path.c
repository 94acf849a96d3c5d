/* SPDX-License-Identifier: MIT */
/* The functions of the engine by which words are put together, over constants. */
#include <math.h>
#include <string.h>

#include "rootfs/gate_core.h"

#define TEXTISH gate_value_of(GATE_STRINGISH)

struct arguments {
	const struct gate_value *at;
	uint32_t count;
};

static int hex_digit(char c)
{
	if (c >= '0' && c <= '9')
		return c - '0';
	c |= 0x20;
	return c >= 'a' && c <= 'f' ? c - 'a' + 10 : -1;
}

/* Two or four digits; -1. */
static int32_t hex_number(const char *at, const char *end, unsigned digits)
{
	int32_t value = 0;

	if (end - at < (ptrdiff_t)digits)
		return -1;
	for (unsigned i = 0; i < digits; i++) {
		if (hex_digit(at[i]) < 0)
			return -1;
		value = value << 4 | hex_digit(at[i]);
	}
	return value;
}

static bool first_text(struct gate *g, struct arguments args, struct gate_text *ret_text)
{
	return args.count && gate_value_to_text(g, args.at[0], ret_text);
}

static struct gate_value from_codes(struct gate *g, struct arguments args)
{
	char *room = gate_text_room(g, args.count * 4), *to = room;

	if (!room)
		return TEXTISH;
	for (uint32_t i = 0; i < args.count; i++) {
		double code;

		if (!gate_value_to_number(args.at[i], &code) || !(code >= 0) ||
		    code > 0x10ffff)
			return TEXTISH;
		to += gate_text_put(to, (uint32_t)code);
	}
	return gate_value_text((struct gate_text){room, (uint32_t)(to - room)});
}

/* %41, and %u0041 where that is known: bytes are characters to unescape, parts of UTF-8
 * to the others, which is the same for ASCII; else it stays unknown. */
static struct gate_value from_percents(struct gate *g, struct arguments args, bool wide)
{
	struct gate_text text;
	const char *at, *end;
	char *room, *to;

	if (!first_text(g, args, &text) || !(room = gate_text_room(g, text.len)))
		return TEXTISH;
	at = text.at;
	end = text.at + text.len;
	for (to = room; at < end;) {
		bool is_wide = wide && end - at >= 6 && at[1] == 'u';
		int32_t code =
			*at == '%' ? hex_number(at + 1 + is_wide, end, is_wide ? 4 : 2)
				   : -1;

		if (code < 0) {
			*to++ = *at++;
			continue;
		}
		if (code > 0x7f)
			return TEXTISH;
		*to++ = (char)code;
		at += is_wide ? 6 : 3;
	}
	return gate_value_text((struct gate_text){room, (uint32_t)(to - room)});
}

static int base64_digit(char c)
{
	if (c >= 'A' && c <= 'Z')
		return c - 'A';
	if (c >= 'a' && c <= 'z')
		return c - 'a' + 26;
	if (c >= '0' && c <= '9')
		return c - '0' + 52;
	return c == '+' ? 62 : c == '/' ? 63 : -1;
}

static struct gate_value from_base64(struct gate *g, struct arguments args)
{
	uint32_t bits = 0, have = 0;
	struct gate_text text;
	char *room, *to;

	if (!first_text(g, args, &text) || !(room = gate_text_room(g, text.len)))
		return TEXTISH;
	to = room;
	for (uint32_t i = 0; i < text.len && text.at[i] != '='; i++) {
		int digit = base64_digit(text.at[i]);

		if (text.at[i] == ' ' || (text.at[i] >= '\t' && text.at[i] <= '\r'))
			continue;
		if (digit < 0)
			return TEXTISH;
		bits = bits << 6 | (uint32_t)digit;
		have += 6;
		if (have < 8)
			continue;
		have -= 8;
		if (bits >> have & 0x80)
			return TEXTISH;
		*to++ = (char)(bits >> have & 0x7f);
	}
	return gate_value_text((struct gate_text){room, (uint32_t)(to - room)});
}

static struct gate_value parse_int(struct gate *g, struct arguments args)
{
	double base = 10, value = 0;
	struct gate_text text;
	uint32_t i = 0;

	if (!first_text(g, args, &text) ||
	    (args.count > 1 && !gate_value_to_number(args.at[1], &base)))
		return gate_value_of(GATE_UNKNOWN);
	if (text.len > 2 && text.at[0] == '0' && (text.at[1] | 0x20) == 'x') {
		base = 16;
		i = 2;
	}
	for (; i < text.len; i++) {
		char c = text.at[i];
		int digit = c >= '0' && c <= '9' ? c - '0' : -1;

		if (digit < 0 && ((c | 0x20) >= 'a' && (c | 0x20) <= 'z'))
			digit = (c | 0x20) - 'a' + 10;
		if (digit < 0 || digit >= base)
			break;
		value = value * base + digit;
	}
	return i ? gate_value_number(value) : gate_value_of(GATE_UNKNOWN);
}

/* What is made of its argument without being changed. */
static bool gives_back(struct gate_text path)
{
	static const char *const names[] = {
		"Object.freeze",   "Object.seal",     "Object.preventExtensions",
		"Object",	   "Object.create",   "Object.setPrototypeOf",
		"structuredClone", "Promise.resolve",
	};

	return gate_text_is_one_of(path, names, sizeof(names) / sizeof(names[0]));
}

static struct gate_value to_string(struct gate *g, struct arguments args)
{
	struct gate_text text;

	return first_text(g, args, &text) ? gate_value_text(text) : TEXTISH;
}

static struct gate_value raw_string(struct gate *g, struct arguments args)
{
	(void)g;
	return args.count == 1 && args.at[0].kind == GATE_STRING ? args.at[0] : TEXTISH;
}

struct gate_value gate_fold_call(struct gate *g, struct gate_text path,
				 const struct gate_value *at, uint32_t count)
{
	struct arguments args = {at, count};
	double number;

	if (gate_text_is(path, "String.fromCharCode") ||
	    gate_text_is(path, "String.fromCodePoint"))
		return from_codes(g, args);
	if (gate_text_is(path, "unescape"))
		return from_percents(g, args, true);
	if (gate_text_is(path, "decodeURIComponent") || gate_text_is(path, "decodeURI"))
		return from_percents(g, args, false);
	if (gate_text_is(path, "atob"))
		return from_base64(g, args);
	if (gate_text_is(path, "String"))
		return to_string(g, args);
	if (gate_text_is(path, "String.raw"))
		return raw_string(g, args);
	if (gate_text_is(path, "parseInt"))
		return parse_int(g, args);
	if (gate_text_is(path, "Number") && count && gate_value_to_number(at[0], &number))
		return gate_value_number(number);
	if (gate_text_is(path, "Array.of"))
		return gate_value_list(g, at, count);
	if ((gate_text_is(path, "escape") || gate_text_is(path, "btoa") ||
	     gate_text_is(path, "encodeURIComponent")))
		return TEXTISH;
	if (gives_back(path) && count)
		return count > 1 ? gate_value_join(g, at[0], at[1]) : at[0];
	return gate_value_of(GATE_UNKNOWN);
}
