/* SPDX-License-Identifier: MIT */
/*
 * Values for people to read, on one line, bounded in depth and number. Like json.c it
 * looks at own properties only and runs nothing of the script: a getter shows as
 * [Getter], a Proxy as [Proxy].
 */
#include <math.h>
#include <string.h>

#include "rootfs/date.h"
#include "rootfs/fault.h"
#include "rootfs/inspect.h"
#include "rootfs/view.h"
#include "rootfs/json.h"
#include "rootfs/mapset.h"
#include "rootfs/peek.h"

void view_say(struct view *view, const char *text)
{
	out_text(view->out, text);
}

static void say_string_at(struct view *view, duk_idx_t idx)
{
	size_t n;
	const char *s = duk_get_lstring(view->ctx, idx, &n);

	if (s)
		out_string(view->out, s, n);
}

/* The engine keeps a symbol as a mark, its description, 0xFF and a suffix. */
void view_symbol(struct view *view, duk_idx_t idx)
{
	size_t n;
	const char *s = duk_get_lstring(view->ctx, idx, &n);
	const char *end = n ? memchr(s + 1, 0xFF, n - 1) : NULL;

	view_say(view, "Symbol(");
	if (n)
		out_string(view->out, s + 1, (size_t)((end ? end : s + n) - (s + 1)));
	view_say(view, ")");
}

static void show_string(struct view *view, duk_idx_t idx)
{
	size_t n;
	const char *s = duk_get_lstring(view->ctx, idx, &n);

	if (duk_is_symbol(view->ctx, idx))
		view_symbol(view, idx);
	else
		out_quoted_string(view->out, s, n);
}

static void show_number(struct view *view, double number)
{
	if (number == 0 && signbit(number)) {
		view_say(view, "-0");
		return;
	}
	duk_push_number(view->ctx, number);
	view_say(view, duk_to_string(view->ctx, -1));
	duk_pop(view->ctx);
}

static void show_primitive(struct view *view, duk_idx_t idx)
{
	switch (duk_get_type(view->ctx, idx)) {
	case DUK_TYPE_NULL:
		view_say(view, "null");
		return;
	case DUK_TYPE_BOOLEAN:
		view_say(view, duk_get_boolean(view->ctx, idx) ? "true" : "false");
		return;
	case DUK_TYPE_NUMBER:
		show_number(view, duk_get_number(view->ctx, idx));
		return;
	case DUK_TYPE_STRING:
		show_string(view, idx);
		return;
	case DUK_TYPE_UNDEFINED:
		view_say(view, "undefined");
		return;
	default:
		view_say(view, "[Native]");
		return;
	}
}

/* Pushes the name of the constructor that the prototype names; false: pushes nothing. */
static bool push_constructor_name(duk_context *ctx, duk_idx_t idx)
{
	bool found = false;

	if (!peek_inherited(ctx, idx, "constructor"))
		return false;
	if (duk_is_object(ctx, -1) && peek_kind(ctx, -1) == PEEK_FUNCTION)
		found = peek_own_name(ctx, duk_get_top_index(ctx), "name") == PEEK_DATA;
	if (found && (!duk_is_string(ctx, -1) || duk_is_symbol(ctx, -1) ||
		      !duk_get_length(ctx, -1))) {
		duk_pop(ctx);
		found = false;
	}
	if (found)
		duk_remove(ctx, -2);
	else
		duk_pop(ctx);
	return found;
}

/* "Point " before the braces of what is no plain object. */
static void show_class(struct view *view, duk_idx_t idx)
{
	if (peek_parent(view->ctx, idx) == PEEK_PARENT_OBJECT)
		return;
	if (peek_parent(view->ctx, idx) == PEEK_PARENT_NONE) {
		view_say(view, "[Object: null prototype] ");
		return;
	}
	if (!push_constructor_name(view->ctx, idx))
		return;
	say_string_at(view, -1);
	view_say(view, " ");
	duk_pop(view->ctx);
}

static void show_typed_array(struct view *view, duk_idx_t idx)
{
	view_say(view, peek_class_name(view->ctx, idx));
	view_say(view, "(");
	out_decimal(view->out, peek_length(view->ctx, idx));
	view_say(view, ") ");
	view_array(view, idx);
}

static void show_function(struct view *view, duk_idx_t idx)
{
	if (peek_own_name(view->ctx, idx, "name") != PEEK_DATA)
		duk_push_undefined(view->ctx);
	view_say(view, "[Function");
	if (duk_is_string(view->ctx, -1) && !duk_is_symbol(view->ctx, -1) &&
	    duk_get_length(view->ctx, -1)) {
		view_say(view, ": ");
		say_string_at(view, -1);
	} else {
		view_say(view, " (anonymous)");
	}
	view_say(view, "]");
	duk_pop(view->ctx);
}

static void show_boxed(struct view *view, duk_idx_t idx)
{
	view_say(view, "[");
	view_say(view, peek_class_name(view->ctx, idx));
	view_say(view, ": ");
	peek_primitive(view->ctx, idx);
	show_primitive(view, duk_get_top_index(view->ctx));
	view_say(view, "]");
	duk_pop(view->ctx);
}

static void show_date(struct view *view, duk_idx_t idx)
{
	char text[DATE_TEXT_BYTES];

	peek_primitive(view->ctx, idx);
	date_iso_text(duk_get_number(view->ctx, -1), text);
	view_say(view, text);
	duk_pop(view->ctx);
}

static void show_regexp(struct view *view, duk_idx_t idx)
{
	peek_regexp(view->ctx, idx);
	view_say(view, "/");
	say_string_at(view, -2);
	view_say(view, "/");
	say_string_at(view, -1);
	duk_pop_2(view->ctx);
}

static void show_error(struct view *view, duk_idx_t idx)
{
	uint32_t line = fault_line(view->ctx, idx);

	fault_push_name(view->ctx, idx);
	say_string_at(view, -1);
	fault_push_message(view->ctx, idx);
	if (duk_get_length(view->ctx, -1))
		view_say(view, ": ");
	say_string_at(view, -1);
	duk_pop_2(view->ctx);
	if (!line)
		return;
	view_say(view, " (line ");
	out_decimal(view->out, line);
	view_say(view, ")");
}

static void show_buffer(struct view *view, duk_idx_t idx)
{
	view_say(view, peek_class_name(view->ctx, idx));
	view_say(view, "(");
	out_decimal(view->out, peek_length(view->ctx, idx));
	view_say(view, ")");
}

static void show_object(struct view *view, duk_idx_t idx)
{
	enum mapset_kind kind = mapset_kind(view->ctx, idx);

	if (kind != MAPSET_NONE) {
		view_map(view, idx, kind);
		return;
	}
	if (peek_is_error(view->ctx, idx)) {
		show_error(view, idx);
		return;
	}
	show_class(view, idx);
	view_object(view, idx);
}

static void show_by_kind(struct view *view, duk_idx_t idx)
{
	switch (peek_kind(view->ctx, idx)) {
	case PEEK_ARGUMENTS:
		view_say(view, "[Arguments] ");
		view_array(view, idx);
		return;
	case PEEK_ARRAY:
		view_array(view, idx);
		return;
	case PEEK_FUNCTION:
		show_function(view, idx);
		return;
	case PEEK_BOOLEAN:
	case PEEK_NUMBER:
	case PEEK_STRING:
	case PEEK_SYMBOL:
		show_boxed(view, idx);
		return;
	case PEEK_DATE:
		show_date(view, idx);
		return;
	case PEEK_ERROR:
		show_error(view, idx);
		return;
	case PEEK_REGEXP:
		show_regexp(view, idx);
		return;
	case PEEK_TYPED_ARRAY:
		show_typed_array(view, idx);
		return;
	case PEEK_BUFFER:
		show_buffer(view, idx);
		return;
	case PEEK_PROXY:
		view_say(view, "[Proxy]");
		return;
	case PEEK_OBJECT:
		show_object(view, idx);
		return;
	case PEEK_OTHER:
		break;
	}
	view_say(view, "[object ");
	view_say(view, peek_class_name(view->ctx, idx));
	view_say(view, "]");
}

static bool is_on_path(const struct view *view, const void *object)
{
	for (unsigned i = 0; i < view->depth; i++)
		if (view->path[i] == object)
			return true;
	return false;
}

/* idx is absolute; the stack is left as it was. */
void view_value(struct view *view, duk_idx_t idx)
{
	void *object = duk_get_heapptr(view->ctx, idx);
	uint32_t shown = view->shown;

	if (!duk_is_object(view->ctx, idx) || !object) {
		show_primitive(view, idx);
		return;
	}
	if (is_on_path(view, object)) {
		view_say(view, "[Circular]");
		return;
	}
	if (view->depth > VIEW_DEPTH_MOST) {
		view_say(view, peek_kind(view->ctx, idx) == PEEK_ARRAY ? "[Array]"
								       : "[Object]");
		return;
	}
	duk_require_stack(view->ctx, 16);
	view->path[view->depth++] = object;
	view->shown = 0;
	show_by_kind(view, idx);
	view->shown = shown;
	view->depth--;
}

void inspect_write(duk_context *ctx, duk_idx_t idx, struct out *out)
{
	struct view view = {.ctx = ctx, .out = out};

	view_value(&view, duk_normalize_index(ctx, idx));
}

/* Whether JSON can say it is found out by saying it to nobody. */
static bool json_can_say(duk_context *ctx, duk_idx_t idx, uint64_t most)
{
	static struct out nobody;

	out_count(&nobody, most);
	return json_write(ctx, idx, &nobody);
}

void inspect_write_plain(duk_context *ctx, duk_idx_t idx, struct out *out)
{
	size_t n;
	const char *s = duk_get_lstring(ctx, idx, &n);

	if (s && !duk_is_symbol(ctx, idx))
		out_string(out, s, n);
	else if (duk_is_object(ctx, idx) && json_can_say(ctx, idx, out->most))
		json_write(ctx, idx, out);
	else
		inspect_write(ctx, idx, out);
}
