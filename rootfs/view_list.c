/* SPDX-License-Identifier: MIT */
/*
 * Lists of the inspector: elements, members, pairs of a Map. Bounded in number; where the
 * line is full already, nothing more is looked at.
 */
#include <string.h>

#include "rootfs/peek.h"
#include "rootfs/view.h"

static bool is_word(const char *s, size_t n)
{
	for (size_t i = 0; i < n; i++) {
		bool letter = (s[i] | 32) >= 'a' && (s[i] | 32) <= 'z';

		if (!letter && s[i] != '_' && s[i] != '$' &&
		    (!i || s[i] < '0' || s[i] > '9'))
			return false;
	}
	return n;
}

static void show_key(struct view *view, duk_idx_t idx)
{
	size_t n;
	const char *s = duk_get_lstring(view->ctx, idx, &n);

	if (duk_is_symbol(view->ctx, idx)) {
		view_say(view, "[");
		view_symbol(view, idx);
		view_say(view, "]");
	} else if (is_word(s, n)) {
		out_bytes(view->out, s, n);
	} else {
		out_quoted_string(view->out, s, n);
	}
	view_say(view, ": ");
}

/* Opens the next item of a list. False: enough are shown. */
static bool item_begin(struct view *view)
{
	if (view->out->cut || view->shown >= VIEW_ITEMS_MOST)
		return false;
	view_say(view, view->shown++ ? ", " : " ");
	return true;
}

static void items_left(struct view *view, uint64_t count)
{
	if (!count)
		return;
	view_say(view, ", ... ");
	out_decimal(view->out, count);
	view_say(view, count == 1 ? " more item" : " more items");
}

static void list_end(struct view *view, const char *close)
{
	if (view->shown)
		view_say(view, " ");
	view_say(view, close);
}

/* [ ... key ] -> [ ... ] */
static void show_member(struct view *view, duk_idx_t idx)
{
	show_key(view, duk_get_top_index(view->ctx));
	if (peek_own(view->ctx, idx) != PEEK_DATA) {
		view_say(view, "[Getter]");
		return;
	}
	view_value(view, duk_get_top_index(view->ctx));
	duk_pop(view->ctx);
}

static bool key_is_index(duk_context *ctx, duk_idx_t idx)
{
	size_t n;
	const char *s = duk_get_lstring(ctx, idx, &n);

	for (size_t i = 0; i < n; i++)
		if (s[i] < '0' || s[i] > '9')
			return false;
	return n;
}

/* Own enumerable members; those with a number for a key are left out where the elements
 * were shown before. */
static void show_members(struct view *view, duk_idx_t idx, bool named_only)
{
	uint32_t count = peek_keys(view->ctx, idx);
	duk_idx_t keys = duk_get_top_index(view->ctx);

	for (uint32_t i = 0; i < count; i++) {
		peek_own_index(view->ctx, keys, i);
		if (named_only && key_is_index(view->ctx, -1)) {
			duk_pop(view->ctx);
			continue;
		}
		if (!item_begin(view)) {
			items_left(view, count - i);
			duk_pop(view->ctx);
			break;
		}
		show_member(view, idx);
	}
	duk_pop(view->ctx);
}

static void show_holes(struct view *view, uint32_t count)
{
	view_say(view, "<");
	out_decimal(view->out, count);
	view_say(view, count == 1 ? " empty item>" : " empty items>");
}

/* How many elements are missing from i on; looked for no further than is worth it. */
static uint32_t holes_from(struct view *view, duk_idx_t idx, uint32_t i, uint32_t length)
{
	uint32_t last = length - i > 10000 ? i + 10000 : length, at = i;

	for (; at < last; at++) {
		enum peek_property found = peek_own_index(view->ctx, idx, at);

		if (found == PEEK_DATA)
			duk_pop(view->ctx);
		if (found != PEEK_NONE)
			break;
	}
	return at == last ? length - i : at - i;
}

static void show_element(struct view *view, duk_idx_t idx, uint32_t i)
{
	if (peek_own_index(view->ctx, idx, i) != PEEK_DATA) {
		view_say(view, "[Getter]");
		return;
	}
	view_value(view, duk_get_top_index(view->ctx));
	duk_pop(view->ctx);
}

static void show_elements(struct view *view, duk_idx_t idx)
{
	uint32_t length = peek_length(view->ctx, idx), i = 0;

	while (i < length) {
		uint32_t holes = holes_from(view, idx, i, length);

		if (!item_begin(view)) {
			items_left(view, length - i);
			return;
		}
		if (holes)
			show_holes(view, holes);
		else
			show_element(view, idx, i);
		i += holes ? holes : 1;
	}
}

void view_array(struct view *view, duk_idx_t idx)
{
	view_say(view, "[");
	show_elements(view, idx);
	if (peek_kind(view->ctx, idx) == PEEK_ARRAY &&
	    peek_has_more_than_elements(view->ctx, idx))
		show_members(view, idx, true);
	list_end(view, "]");
}

void view_object(struct view *view, duk_idx_t idx)
{
	view_say(view, "{");
	show_members(view, idx, false);
	list_end(view, "}");
}

void view_map(struct view *view, duk_idx_t idx, enum mapset_kind kind)
{
	uint32_t size = mapset_push_entries(view->ctx, idx);
	duk_idx_t entries = duk_get_top_index(view->ctx);

	view_say(view, kind == MAPSET_MAP ? "Map(" : "Set(");
	out_decimal(view->out, size);
	view_say(view, ") {");
	for (uint32_t i = 0; i < size; i++) {
		if (!item_begin(view)) {
			items_left(view, size - i);
			break;
		}
		show_element(view, entries, 2 * i);
		if (kind == MAPSET_SET)
			continue;
		view_say(view, " => ");
		show_element(view, entries, 2 * i + 1);
	}
	list_end(view, "}");
	duk_pop(view->ctx);
}
