/* SPDX-License-Identifier: MIT */
/*
 * Values as JSON, from own property descriptors alone: no toJSON, no getter, no trap, no
 * global that the script may have replaced. Stricter than JSON.stringify: what that
 * would leave out or turn to null is not said in JSON at all.
 */
#include <math.h>
#include <string.h>

#include "rootfs/json.h"
#include "rootfs/values.h"

#define DEPTH_MOST 200u

struct walk {
	struct out *out;
	unsigned depth;
	uint64_t path[DEPTH_MOST];
};

static bool write_value(struct walk *walk, int at);

/* Digits while a double holds every integer, else with a fraction or an exponent: a
 * parser that reads integers in 64 bits neither overflows nor rounds. */
static bool write_number(struct out *out, double number)
{
	char text[VALUE_DIGITS_BYTES];

	if (!isfinite(number))
		return false;
	if (fabs(number) <= 9007199254740992.0 && number == floor(number)) {
		if (number < 0)
			out_char(out, '-');
		out_decimal(out, (uint64_t)fabs(number));
		return true;
	}
	values->digits(number, text);
	out_text(out, text);
	if (!strpbrk(text, ".e"))
		out_text(out, ".0");
	return true;
}

static bool write_string(struct walk *walk, int at)
{
	size_t n;
	const char *s = values->text(at, &n);

	/* Half a surrogate pair would become U+FFFD: another string, or two keys alike.
	 */
	if (values->kind(at) != IS_STRING || !out_string_is_whole(s, n))
		return false;
	out_json_string(walk->out, s, n);
	return true;
}

static bool write_elements(struct walk *walk, int at)
{
	uint32_t length = values->length(at);

	if (values->has_more(at))
		return false;
	out_char(walk->out, '[');
	for (uint32_t i = 0; i < length && !walk->out->cut; i++) {
		int element = values->top();
		bool said;

		if (values->own_index(at, i) != PROPERTY_DATA)
			return false;
		if (i)
			out_char(walk->out, ',');
		said = write_value(walk, element);
		values->cut(element);
		if (!said)
			return false;
	}
	out_char(walk->out, ']');
	return true;
}

static bool write_member(struct walk *walk, int at, int key)
{
	if (!write_string(walk, key) || values->own_key(at, key) != PROPERTY_DATA)
		return false;
	out_char(walk->out, ':');
	return write_value(walk, key + 1);
}

static bool write_members(struct walk *walk, int at)
{
	int keys = values->top();
	uint32_t count = values->push_keys(at);

	out_char(walk->out, '{');
	for (uint32_t i = 0; i < count && !walk->out->cut; i++) {
		bool said;

		if (i)
			out_char(walk->out, ',');
		values->push_key(keys, i);
		said = write_member(walk, at, keys + 1);
		values->cut(keys + 1);
		if (!said)
			return false;
	}
	out_char(walk->out, '}');
	values->cut(keys);
	return true;
}

static bool is_on_path(const struct walk *walk, uint64_t object)
{
	for (unsigned i = 0; i < walk->depth; i++)
		if (walk->path[i] == object)
			return true;
	return false;
}

static bool write_object(struct walk *walk, int at, enum value_kind kind)
{
	uint64_t object = values->identity(at);
	bool said = false;

	if (walk->depth == DEPTH_MOST || is_on_path(walk, object))
		return false;
	walk->path[walk->depth++] = object;
	if (kind == IS_ARRAY && values->parent(at) == PARENT_ARRAY)
		said = write_elements(walk, at);
	else if (kind == IS_OBJECT && values->parent(at) <= PARENT_OBJECT)
		said = write_members(walk, at);
	walk->depth--;
	return said;
}

/* On failure the stack keeps what was pushed: json_write() clears it. */
static bool write_value(struct walk *walk, int at)
{
	enum value_kind kind = values->kind(at);

	switch ((int)kind) {
	case IS_NULL:
		out_text(walk->out, "null");
		return true;
	case IS_BOOLEAN:
		out_text(walk->out, values->boolean(at) ? "true" : "false");
		return true;
	case IS_NUMBER:
		return write_number(walk->out, values->number(at));
	case IS_STRING:
		return write_string(walk, at);
	case IS_OBJECT:
	case IS_ARRAY:
		return write_object(walk, at, kind);
	default:
		return false;
	}
}

bool json_write(int at, struct out *out)
{
	struct walk walk = {.out = out};
	int top = values->top();
	bool said = write_value(&walk, at);

	values->cut(top);
	return said;
}
