/* SPDX-License-Identifier: MIT */
/*
 * Lists of the inspector: elements, members, pairs of a Map. Bounded in number; where the
 * line is full already, nothing more is looked at.
 */
#include <string.h>

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

static void show_key(struct view *view, int at)
{
	size_t n;
	const char *s = values->text(at, &n);

	if (values->kind(at) == IS_SYMBOL) {
		view_say(view, "[");
		view_symbol(view, at);
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

/* The property that was looked for, at the top if it is data. */
static void show_found(struct view *view, enum value_property found)
{
	int at = values->top() - 1;

	if (found != PROPERTY_DATA) {
		view_say(view, "[Getter]");
		return;
	}
	view_value(view, at);
	values->cut(at);
}

static bool key_is_index(int at)
{
	size_t n;
	const char *s = values->text(at, &n);

	for (size_t i = 0; i < n; i++)
		if (s[i] < '0' || s[i] > '9')
			return false;
	return n;
}

/* Own enumerable members; those with a number for a key are left out where the elements
 * were shown before. */
static void show_members(struct view *view, int at, bool named_only)
{
	int keys = values->top();
	uint32_t count = values->push_keys(at);

	for (uint32_t i = 0; i < count; i++) {
		values->push_key(keys, i);
		if (named_only && key_is_index(keys + 1)) {
			values->cut(keys + 1);
			continue;
		}
		if (!item_begin(view)) {
			items_left(view, count - i);
			break;
		}
		show_key(view, keys + 1);
		show_found(view, values->own_key(at, keys + 1));
		values->cut(keys + 1);
	}
	values->cut(keys);
}

static void show_holes(struct view *view, uint32_t count)
{
	view_say(view, "<");
	out_decimal(view->out, count);
	view_say(view, count == 1 ? " empty item>" : " empty items>");
}

/* How many elements are missing from i on; looked for no further than is worth it. */
static uint32_t holes_from(int at, uint32_t i, uint32_t length)
{
	uint32_t last = length - i > 10000 ? i + 10000 : length, next = i;
	int top = values->top();

	for (; next < last; next++) {
		enum value_property found = values->own_index(at, next);

		values->cut(top);
		if (found != PROPERTY_NONE)
			break;
	}
	return next == last ? length - i : next - i;
}

static void show_elements(struct view *view, int at)
{
	uint32_t length = values->length(at), i = 0;

	while (i < length) {
		uint32_t holes = holes_from(at, i, length);

		if (!item_begin(view)) {
			items_left(view, length - i);
			return;
		}
		if (holes)
			show_holes(view, holes);
		else
			show_found(view, values->own_index(at, i));
		i += holes ? holes : 1;
	}
}

void view_array(struct view *view, int at)
{
	view_say(view, "[");
	show_elements(view, at);
	if (values->kind(at) == IS_ARRAY && values->has_more(at))
		show_members(view, at, true);
	list_end(view, "]");
}

void view_object(struct view *view, int at)
{
	view_say(view, "{");
	show_members(view, at, false);
	list_end(view, "}");
}

void view_map(struct view *view, int at, enum value_kind kind)
{
	int entries = values->top();
	uint32_t size = values->push_entries(at);

	view_say(view, kind == IS_MAP ? "Map(" : "Set(");
	out_decimal(view->out, size);
	view_say(view, ") {");
	for (uint32_t i = 0; i < size; i++) {
		if (!item_begin(view)) {
			items_left(view, size - i);
			break;
		}
		show_found(view, values->own_index(entries, 2 * i));
		if (kind == IS_SET)
			continue;
		view_say(view, " => ");
		show_found(view, values->own_index(entries, 2 * i + 1));
	}
	list_end(view, "}");
	values->cut(entries);
}

void view_promise(struct view *view, int at)
{
	int settled = values->top();
	enum value_promise state = values->push_settled(at);

	view_say(view, "Promise { ");
	if (state == PROMISE_PENDING)
		view_say(view, "<pending>");
	if (state == PROMISE_REJECTED)
		view_say(view, "<rejected> ");
	if (state != PROMISE_PENDING)
		view_value(view, settled);
	view_say(view, " }");
	values->cut(settled);
}

static bool is_among_keys(int at, const char *name)
{
	int keys = values->top();
	uint32_t count = values->push_keys(at);
	bool found = false;

	for (uint32_t i = 0; i < count && !found; i++) {
		size_t n;
		const char *s;

		values->push_key(keys, i);
		s = values->text(keys + 1, &n);
		found = n == strlen(name) && !memcmp(s, name, n);
		values->cut(keys + 1);
	}
	values->cut(keys);
	return found;
}

void view_hidden_members(struct view *view, int at)
{
	static const char *const names[] = {"cause", "errors"};

	for (unsigned i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
		int top = values->top();
		enum value_property found = values->own_name(at, names[i]);

		if (found == PROPERTY_NONE || is_among_keys(at, names[i])) {
			values->cut(top);
			continue;
		}
		if (!view->shown)
			view_say(view, " {");
		item_begin(view);
		view_say(view, "[");
		view_say(view, names[i]);
		view_say(view, "]: ");
		show_found(view, found);
	}
	if (view->shown)
		list_end(view, "}");
}
