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
#include "rootfs/json.h"
#include "rootfs/view.h"

void view_say(struct view *view, const char *text)
{
	out_text(view->out, text);
}

static void say_text_at(struct view *view, int at)
{
	size_t n;
	const char *s = values->text(at, &n);

	out_string(view->out, s, n);
}

void view_symbol(struct view *view, int at)
{
	view_say(view, "Symbol(");
	say_text_at(view, at);
	view_say(view, ")");
}

static void show_string(struct view *view, int at)
{
	size_t n;
	const char *s = values->text(at, &n);

	out_quoted_string(view->out, s, n);
}

static void show_number(struct view *view, double number)
{
	char text[VALUE_DIGITS_BYTES];

	if (number == 0 && signbit(number)) {
		view_say(view, "-0");
		return;
	}
	values->digits(number, text);
	view_say(view, text);
}

static void show_bigint(struct view *view, int at)
{
	int text = values->top();

	values->push_bigint_text(at);
	say_text_at(view, text);
	view_say(view, "n");
	values->cut(text);
}

static void show_primitive(struct view *view, int at, enum value_kind kind)
{
	switch ((int)kind) {
	case IS_UNDEFINED:
		view_say(view, "undefined");
		return;
	case IS_NULL:
		view_say(view, "null");
		return;
	case IS_BOOLEAN:
		view_say(view, values->boolean(at) ? "true" : "false");
		return;
	case IS_NUMBER:
		show_number(view, values->number(at));
		return;
	case IS_BIGINT:
		show_bigint(view, at);
		return;
	case IS_STRING:
		show_string(view, at);
		return;
	case IS_SYMBOL:
		view_symbol(view, at);
		return;
	default:
		view_say(view, "[Native]");
		return;
	}
}

/* The value at the top is a text and not empty. */
static bool is_name(int at)
{
	size_t n = 0;

	if (values->kind(at) == IS_STRING)
		values->text(at, &n);
	return n;
}

/* Says the own name of a function, with something before it; false: it has none. */
static bool say_name(struct view *view, int at, const char *before)
{
	int name = values->top();
	bool named = values->own_name(at, "name") == PROPERTY_DATA && is_name(name);

	if (named) {
		view_say(view, before);
		say_text_at(view, name);
	}
	values->cut(name);
	return named;
}

static bool is_function(enum value_kind kind)
{
	return kind == IS_FUNCTION || kind == IS_CLASS;
}

/* "Point " before the braces of what is no plain object: the name of the constructor that
 * the prototype has. */
static void show_class(struct view *view, int at)
{
	int constructor = values->top();

	if (values->parent(at) == PARENT_OBJECT)
		return;
	if (values->parent(at) == PARENT_NONE) {
		view_say(view, "[Object: null prototype] ");
		return;
	}
	if (values->push_inherited(at, "constructor") &&
	    is_function(values->kind(constructor)) && say_name(view, constructor, ""))
		view_say(view, " ");
	values->cut(constructor);
}

static void show_length(struct view *view, int at)
{
	view_say(view, values->class_name(at));
	view_say(view, "(");
	out_decimal(view->out, values->length(at));
	view_say(view, ")");
}

static void say_heritage(struct view *view, int at)
{
	int parent = values->top();

	values->push_prototype(at);
	if (is_function(values->kind(parent)))
		say_name(view, parent, " extends ");
	values->cut(parent);
}

static void show_function(struct view *view, int at, enum value_kind kind)
{
	view_say(view, "[");
	view_say(view, kind == IS_CLASS ? "class" : values->class_name(at));
	if (!say_name(view, at, kind == IS_CLASS ? " " : ": "))
		view_say(view, " (anonymous)");
	if (kind == IS_CLASS)
		say_heritage(view, at);
	view_say(view, "]");
}

static void show_boxed(struct view *view, int at)
{
	int inside = values->top();

	view_say(view, "[");
	view_say(view, values->class_name(at));
	view_say(view, ": ");
	values->push_primitive(at);
	show_primitive(view, inside, values->kind(inside));
	view_say(view, "]");
	values->cut(inside);
}

static void show_date(struct view *view, int at)
{
	char text[DATE_TEXT_BYTES];
	int inside = values->top();

	values->push_primitive(at);
	date_iso_text(values->number(inside), text);
	view_say(view, text);
	values->cut(inside);
}

static void show_regexp(struct view *view, int at)
{
	int source = values->top();

	values->push_regexp(at);
	view_say(view, "/");
	say_text_at(view, source);
	view_say(view, "/");
	say_text_at(view, source + 1);
	values->cut(source);
}

static void show_error(struct view *view, int at)
{
	uint32_t line = fault_place(at).line;
	int text = values->top();

	fault_push_name(at);
	say_text_at(view, text);
	values->cut(text);
	fault_push_message(at);
	if (is_name(text))
		view_say(view, ": ");
	say_text_at(view, text);
	values->cut(text);
	if (line) {
		view_say(view, " (line ");
		out_decimal(view->out, line);
		view_say(view, ")");
	}
	view_hidden_members(view, at);
}

static void show_object(struct view *view, int at, enum value_kind kind)
{
	switch ((int)kind) {
	case IS_ARGUMENTS:
		view_say(view, "[Arguments] ");
		view_array(view, at);
		return;
	case IS_ARRAY:
		view_array(view, at);
		return;
	case IS_FUNCTION:
	case IS_CLASS:
		show_function(view, at, kind);
		return;
	case IS_BOXED:
		show_boxed(view, at);
		return;
	case IS_DATE:
		show_date(view, at);
		return;
	case IS_ERROR:
		show_error(view, at);
		return;
	case IS_REGEXP:
		show_regexp(view, at);
		return;
	case IS_TYPED_ARRAY:
		show_length(view, at);
		view_say(view, " ");
		view_array(view, at);
		return;
	case IS_BUFFER:
		show_length(view, at);
		return;
	case IS_PROXY:
		view_say(view, "[Proxy]");
		return;
	case IS_MAP:
	case IS_SET:
		view_map(view, at, kind);
		return;
	case IS_PROMISE:
		view_promise(view, at);
		return;
	case IS_WEAK:
		view_say(view, values->class_name(at));
		view_say(view, " { <items unknown> }");
		return;
	case IS_ITERATOR:
		view_say(view, "Object [");
		view_say(view, values->class_name(at));
		view_say(view, "] {}");
		return;
	case IS_OBJECT:
		show_class(view, at);
		view_object(view, at);
		return;
	default:
		view_say(view, "[object ");
		view_say(view, values->class_name(at));
		view_say(view, "]");
		return;
	}
}

static bool is_on_path(const struct view *view, uint64_t object)
{
	for (unsigned i = 0; i < view->depth; i++)
		if (view->path[i] == object)
			return true;
	return false;
}

void view_value(struct view *view, int at)
{
	enum value_kind kind = values->kind(at);
	uint32_t shown = view->shown;
	uint64_t object;

	if (kind < IS_OBJECT) {
		show_primitive(view, at, kind);
		return;
	}
	object = values->identity(at);
	if (is_on_path(view, object)) {
		view_say(view, "[Circular]");
		return;
	}
	if (view->depth > VIEW_DEPTH_MOST) {
		view_say(view, kind == IS_ARRAY ? "[Array]" : "[Object]");
		return;
	}
	view->path[view->depth++] = object;
	view->shown = 0;
	show_object(view, at, kind);
	view->shown = shown;
	view->depth--;
}

void inspect_write(int at, struct out *out)
{
	struct view view = {.out = out};

	view_value(&view, at);
}

/* Whether JSON can say it is found out by saying it to nobody. */
static bool json_can_say(int at, uint64_t most)
{
	static struct out nobody;

	out_count(&nobody, most);
	return json_write(at, &nobody);
}

void inspect_write_plain(int at, struct out *out)
{
	enum value_kind kind = values->kind(at);
	size_t n;
	const char *s;

	if (kind == IS_STRING) {
		s = values->text(at, &n);
		out_string(out, s, n);
	} else if (kind >= IS_OBJECT && json_can_say(at, out->most)) {
		json_write(at, out);
	} else {
		inspect_write(at, out);
	}
}
