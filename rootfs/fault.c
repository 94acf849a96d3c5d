/* SPDX-License-Identifier: MIT */
/*
 * An error's trace is what the engine kept when the error was made. A script may throw
 * anything; what is no error is reported with its type for a name and its text for a
 * message.
 */
#include <string.h>

#include "rootfs/fault.h"
#include "rootfs/inspect.h"
#include "rootfs/run.h"
#include "rootfs/values.h"

/* One thing that was thrown, to be written in parts. */
struct fault {
	int at;
	bool is_error, compiling;
};

typedef void (*fault_part)(const struct fault *fault, struct out *out);

static void push_text_property(int at, const char *name, const char *otherwise)
{
	int text = values->top();

	if (values->push_inherited(at, name) && values->kind(text) == IS_STRING)
		return;
	values->cut(text);
	values->push_string(otherwise);
}

void fault_push_name(int at)
{
	push_text_property(at, "name", "Error");
}

void fault_push_message(int at)
{
	push_text_property(at, "message", "");
}

struct fault_place fault_place(int at)
{
	int top = values->top();

	for (unsigned n = 0;; n++) {
		struct value_frame frame = values->push_frame(at, n);

		values->cut(top);
		if (frame.kind == FRAME_LAST)
			return (struct fault_place){0};
		if (frame.kind != FRAME_NATIVE && frame.is_users && frame.line)
			return (struct fault_place){frame.line, frame.column};
	}
}

static void write_text_at(int at, struct out *out)
{
	size_t n;
	const char *s = values->text(at, &n);

	out_string(out, s, n);
}

/* What typeof says of it, but for null. */
static const char *type_name(int at)
{
	static const char *const types[] = {
		[IS_UNDEFINED] = "undefined", [IS_NULL] = "null",
		[IS_BOOLEAN] = "boolean",     [IS_NUMBER] = "number",
		[IS_BIGINT] = "bigint",	      [IS_STRING] = "string",
		[IS_SYMBOL] = "symbol",	      [IS_INTERNAL] = "value",
	};
	enum value_kind kind = values->kind(at);

	if (kind < IS_OBJECT)
		return types[kind];
	return values->is_callable(at) ? "function" : "object";
}

static void write_name(const struct fault *fault, struct out *out)
{
	int name = values->top();

	if (!fault->is_error) {
		out_text(out, type_name(fault->at));
		return;
	}
	fault_push_name(fault->at);
	write_text_at(name, out);
	values->cut(name);
}

/* Duktape ends the message of what fails to compile with " (line 3...)": the place is
 * said elsewhere, and corrected. */
static void write_message(const struct fault *fault, struct out *out)
{
	const char *text, *tail = NULL;
	int message = values->top();
	size_t n;

	if (!fault->is_error) {
		inspect_write_plain(fault->at, out);
		return;
	}
	fault_push_message(fault->at);
	text = values->text(message, &n);
	if (fault->compiling)
		tail = strstr(text, " (line ");
	out_string(out, text, tail ? (size_t)(tail - text) : n);
	values->cut(message);
}

static bool has_message(const struct fault *fault)
{
	int message = values->top();
	size_t n;

	if (!fault->is_error)
		return true;
	fault_push_message(fault->at);
	values->text(message, &n);
	values->cut(message);
	return n > 0;
}

static void write_place(const struct value_frame *frame, struct out *out)
{
	if (frame->is_users)
		out_string(out, run.job.name, run.job.name_len);
	else
		out_text(out, "eval");
	out_char(out, ':');
	out_decimal(out, frame->line);
	if (!frame->column)
		return;
	out_char(out, ':');
	out_decimal(out, frame->column);
}

/* The program itself is a function of no name, or of the engine's. */
static bool is_named(int at)
{
	size_t n;
	const char *s;

	if (values->kind(at) != IS_STRING)
		return false;
	s = values->text(at, &n);
	return n && !(n == 4 && !memcmp(s, "eval", n));
}

/* Of the script's own functions alone. */
static void write_frame(const struct value_frame *frame, int name, struct out *out)
{
	bool named = is_named(name);

	if (frame->kind != FRAME_SCRIPT || !frame->line)
		return;
	out_text(out, "\n    at ");
	if (named)
		write_text_at(name, out);
	if (named)
		out_text(out, " (");
	write_place(frame, out);
	if (named)
		out_char(out, ')');
}

static void write_stack(const struct fault *fault, struct out *out)
{
	int name = values->top();

	write_name(fault, out);
	if (has_message(fault)) {
		out_text(out, ": ");
		write_message(fault, out);
	}
	if (!fault->is_error)
		return;
	for (unsigned n = 0; !out->cut; n++) {
		struct value_frame frame = values->push_frame(fault->at, n);

		if (frame.kind == FRAME_LAST)
			return;
		write_frame(&frame, name, out);
		values->cut(name);
	}
}

static uint64_t measure(const struct fault *fault, fault_part part)
{
	out_count(&run.out, ERROR_TEXT_MOST);
	part(fault, &run.out);
	return run.out.total;
}

static struct fault_place place_of(const struct fault *fault)
{
	struct value_frame thrown;

	if (fault->is_error)
		return fault_place(fault->at);
	thrown = values->last_throw();
	return (struct fault_place){thrown.line, thrown.column};
}

void fault_send(int at, enum error_phase phase, const struct fault_place *place)
{
	static const fault_part parts[] = {write_name, write_message, write_stack};
	struct fault fault = {.at = at, .compiling = place != NULL};
	struct fault_place found;
	uint64_t bytes[3];

	run_tell_begin();
	fault.is_error = values->kind(at) == IS_ERROR;
	found = place ? *place : place_of(&fault);
	for (unsigned i = 0; i < 3; i++)
		bytes[i] = measure(&fault, parts[i]);
	run_frame_begin(FRAME_ERROR, 20 + bytes[0] + bytes[1] + bytes[2]);
	out_u32(&run.out, phase);
	out_u32(&run.out, found.line);
	out_u32(&run.out, found.column);
	out_u32(&run.out, (uint32_t)bytes[0]);
	out_u32(&run.out, (uint32_t)bytes[1]);
	for (unsigned i = 0; i < 3; i++) {
		out_section(&run.out, ERROR_TEXT_MOST);
		parts[i](&fault, &run.out);
	}
	run_frame_last();
	run_tell_end();
}
