/* SPDX-License-Identifier: MIT */
/*
 * Values as JSON, from own property descriptors alone: no toJSON, no getter, no trap, no
 * global that the script may have replaced. Stricter than JSON.stringify: what that
 * would leave out or turn to null is not said in JSON at all.
 */
#include <math.h>
#include <string.h>

#include "rootfs/json.h"
#include "rootfs/mapset.h"
#include "rootfs/peek.h"

#define DEPTH_MOST 200u

struct walk {
	duk_context *ctx;
	struct out *out;
	unsigned depth;
	void *path[DEPTH_MOST];
};

static bool write_value(struct walk *walk, duk_idx_t idx);

/* Digits while a double holds every integer, else with a fraction or an exponent: a
 * parser that reads integers in 64 bits neither overflows nor rounds. */
void json_write_number(duk_context *ctx, double number, struct out *out)
{
	const char *text;

	if (fabs(number) <= 9007199254740992.0 && number == floor(number)) {
		if (number < 0)
			out_char(out, '-');
		out_decimal(out, (uint64_t)fabs(number));
		return;
	}
	duk_push_number(ctx, number);
	text = duk_to_string(ctx, -1);
	out_text(out, text);
	if (!strpbrk(text, ".e"))
		out_text(out, ".0");
	duk_pop(ctx);
}

static bool write_number(struct walk *walk, double number)
{
	if (!isfinite(number))
		return false;
	json_write_number(walk->ctx, number, walk->out);
	return true;
}

static bool write_string(struct walk *walk, duk_idx_t idx)
{
	size_t n;
	const char *s = duk_get_lstring(walk->ctx, idx, &n);

	/* Half a surrogate pair would become U+FFFD: another string, or two keys alike.
	 */
	if (duk_is_symbol(walk->ctx, idx) || !out_string_is_whole(s, n))
		return false;
	out_json_string(walk->out, s, n);
	return true;
}

static bool write_elements(struct walk *walk, duk_idx_t idx)
{
	uint32_t length = peek_length(walk->ctx, idx);

	if (peek_has_more_than_elements(walk->ctx, idx))
		return false;
	out_char(walk->out, '[');
	for (uint32_t i = 0; i < length && !walk->out->cut; i++) {
		bool said;

		if (peek_own_index(walk->ctx, idx, i) != PEEK_DATA)
			return false;
		if (i)
			out_char(walk->out, ',');
		said = write_value(walk, duk_get_top_index(walk->ctx));
		duk_pop(walk->ctx);
		if (!said)
			return false;
	}
	out_char(walk->out, ']');
	return true;
}

/* [ ... key ] -> [ ... ] */
static bool write_member(struct walk *walk, duk_idx_t idx)
{
	bool said;

	if (!write_string(walk, duk_get_top_index(walk->ctx)) ||
	    peek_own(walk->ctx, idx) != PEEK_DATA)
		return false;
	out_char(walk->out, ':');
	said = write_value(walk, duk_get_top_index(walk->ctx));
	duk_pop(walk->ctx);
	return said;
}

static bool write_members(struct walk *walk, duk_idx_t idx)
{
	uint32_t count = peek_keys(walk->ctx, idx);
	duk_idx_t keys = duk_get_top_index(walk->ctx);

	out_char(walk->out, '{');
	for (uint32_t i = 0; i < count && !walk->out->cut; i++) {
		if (i)
			out_char(walk->out, ',');
		peek_own_index(walk->ctx, keys, i);
		if (!write_member(walk, idx))
			return false;
	}
	out_char(walk->out, '}');
	duk_pop(walk->ctx);
	return true;
}

static bool is_on_path(const struct walk *walk, const void *object)
{
	for (unsigned i = 0; i < walk->depth; i++)
		if (walk->path[i] == object)
			return true;
	return false;
}

static bool write_object(struct walk *walk, duk_idx_t idx)
{
	enum peek_kind kind = peek_kind(walk->ctx, idx);
	enum peek_parent parent;
	void *object = duk_get_heapptr(walk->ctx, idx);
	bool said = false;

	if (kind != PEEK_OBJECT && kind != PEEK_ARRAY)
		return false;
	if (walk->depth == DEPTH_MOST || is_on_path(walk, object))
		return false;
	walk->path[walk->depth++] = object;
	parent = peek_parent(walk->ctx, idx);
	if (kind == PEEK_ARRAY &&
	    (parent == PEEK_PARENT_ARRAY || mapset_is_list(walk->ctx, idx)))
		said = write_elements(walk, idx);
	else if (kind == PEEK_OBJECT && parent <= PEEK_PARENT_OBJECT &&
		 mapset_kind(walk->ctx, idx) == MAPSET_NONE)
		said = write_members(walk, idx);
	walk->depth--;
	return said;
}

/* idx is absolute. On failure the stack keeps what was pushed: json_write() clears it. */
static bool write_value(struct walk *walk, duk_idx_t idx)
{
	duk_require_stack(walk->ctx, 8);
	switch (duk_get_type(walk->ctx, idx)) {
	case DUK_TYPE_NULL:
		out_text(walk->out, "null");
		return true;
	case DUK_TYPE_BOOLEAN:
		out_text(walk->out, duk_get_boolean(walk->ctx, idx) ? "true" : "false");
		return true;
	case DUK_TYPE_NUMBER:
		return write_number(walk, duk_get_number(walk->ctx, idx));
	case DUK_TYPE_STRING:
		return write_string(walk, idx);
	case DUK_TYPE_OBJECT:
		return write_object(walk, idx);
	default:
		return false;
	}
}

bool json_write(duk_context *ctx, duk_idx_t idx, struct out *out)
{
	struct walk walk = {.ctx = ctx, .out = out};
	duk_idx_t top = duk_get_top(ctx);
	bool said = write_value(&walk, duk_normalize_index(ctx, idx));

	duk_set_top(ctx, top);
	return said;
}
