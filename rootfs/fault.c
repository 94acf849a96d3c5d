/* SPDX-License-Identifier: MIT */
/*
 * An error's trace is the engine's own hidden record, made when the error was: whatever
 * the script does to `stack` later, it does not change what is reported. A script may
 * throw anything; what is no error is reported with its type for a name and its text
 * for a message.
 */
#include <string.h>

#include "rootfs/fault.h"
#include "rootfs/inspect.h"
#include "rootfs/peek.h"
#include "rootfs/run.h"

/* One thing that was thrown, to be written in parts. */
struct fault {
	duk_context *ctx;
	duk_idx_t idx;
	bool is_error, compiling;
};

typedef void (*fault_part)(const struct fault *fault, struct out *out);

static bool is_text(duk_context *ctx, duk_idx_t idx)
{
	return duk_is_string(ctx, idx) && !duk_is_symbol(ctx, idx);
}

static void push_text_property(duk_context *ctx, duk_idx_t idx, const char *name,
			       const char *otherwise)
{
	if (!peek_inherited(ctx, duk_normalize_index(ctx, idx), name)) {
		duk_push_string(ctx, otherwise);
	} else if (!is_text(ctx, -1)) {
		duk_pop(ctx);
		duk_push_string(ctx, otherwise);
	}
}

void fault_push_name(duk_context *ctx, duk_idx_t idx)
{
	push_text_property(ctx, idx, "name", "Error");
}

void fault_push_message(duk_context *ctx, duk_idx_t idx)
{
	push_text_property(ctx, idx, "message", "");
}

static bool is_users_file(duk_context *ctx, duk_idx_t idx)
{
	size_t n;
	const char *file = duk_get_lstring(ctx, idx, &n);

	return file && n == run.job.name_len && !memcmp(file, run.job.name, n);
}

uint32_t fault_line(duk_context *ctx, duk_idx_t idx)
{
	struct peek_frame frame;
	uint32_t line = 0;

	duk_require_stack(ctx, 16);
	idx = duk_normalize_index(ctx, idx);
	for (unsigned n = 0; !line; n++) {
		frame = peek_trace(ctx, idx, n);
		if (frame.kind == PEEK_FRAME_END)
			break;
		if (frame.kind != PEEK_FRAME_NATIVE && is_users_file(ctx, -1))
			line = frame.line;
		duk_pop_2(ctx);
	}
	return line;
}

static void write_text_at(duk_context *ctx, duk_idx_t idx, struct out *out)
{
	size_t n;
	const char *s = duk_get_lstring(ctx, idx, &n);

	out_string(out, s, n);
}

static void write_name(const struct fault *fault, struct out *out)
{
	static const char *const types[] = {
		[DUK_TYPE_NONE] = "value",    [DUK_TYPE_UNDEFINED] = "undefined",
		[DUK_TYPE_NULL] = "null",     [DUK_TYPE_BOOLEAN] = "boolean",
		[DUK_TYPE_NUMBER] = "number", [DUK_TYPE_STRING] = "string",
		[DUK_TYPE_OBJECT] = "object", [DUK_TYPE_BUFFER] = "object",
		[DUK_TYPE_POINTER] = "value", [DUK_TYPE_LIGHTFUNC] = "function",
	};

	if (!fault->is_error) {
		out_text(out, types[duk_get_type(fault->ctx, fault->idx)]);
		return;
	}
	fault_push_name(fault->ctx, fault->idx);
	write_text_at(fault->ctx, -1, out);
	duk_pop(fault->ctx);
}

/* The engine ends the message of what fails to compile with " (line 3...)": the place is
 * said elsewhere, and corrected. */
static void write_message(const struct fault *fault, struct out *out)
{
	const char *text, *tail = NULL;
	size_t n;

	if (!fault->is_error) {
		inspect_write_plain(fault->ctx, fault->idx, out);
		return;
	}
	fault_push_message(fault->ctx, fault->idx);
	text = duk_get_lstring(fault->ctx, -1, &n);
	if (fault->compiling)
		tail = strstr(text, " (line ");
	out_string(out, text, tail ? (size_t)(tail - text) : n);
	duk_pop(fault->ctx);
}

static bool has_message(const struct fault *fault)
{
	bool has;

	if (!fault->is_error)
		return true;
	fault_push_message(fault->ctx, fault->idx);
	has = duk_get_length(fault->ctx, -1) > 0;
	duk_pop(fault->ctx);
	return has;
}

/* [ ... name file ] -> [ ... ] */
static void write_frame(duk_context *ctx, const struct peek_frame *frame, struct out *out)
{
	bool named = is_text(ctx, -2) && duk_get_length(ctx, -2);

	if (frame->kind == PEEK_FRAME_SCRIPT && is_text(ctx, -1)) {
		out_text(out, "\n    at ");
		if (named && strcmp(duk_get_string(ctx, -2), "eval")) {
			write_text_at(ctx, -2, out);
			out_text(out, " (");
		}
		write_text_at(ctx, -1, out);
		out_char(out, ':');
		out_decimal(out, frame->line);
		if (named && strcmp(duk_get_string(ctx, -2), "eval"))
			out_char(out, ')');
	} else if (frame->kind == PEEK_FRAME_NATIVE && named) {
		out_text(out, "\n    at ");
		write_text_at(ctx, -2, out);
		out_text(out, " (native)");
	}
	duk_pop_2(ctx);
}

static void write_stack(const struct fault *fault, struct out *out)
{
	write_name(fault, out);
	if (has_message(fault)) {
		out_text(out, ": ");
		write_message(fault, out);
	}
	if (!fault->is_error)
		return;
	for (unsigned n = 0;; n++) {
		struct peek_frame frame = peek_trace(fault->ctx, fault->idx, n);

		if (frame.kind == PEEK_FRAME_END)
			return;
		write_frame(fault->ctx, &frame, out);
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
	struct fault_place place = {0};

	if (fault->is_error)
		place.line = fault_line(fault->ctx, fault->idx);
	else
		place.line = peek_last_throw().line;
	return place;
}

void fault_send(duk_context *ctx, duk_idx_t idx, enum error_phase phase,
		const struct fault_place *place)
{
	static const fault_part parts[] = {write_name, write_message, write_stack};
	struct fault fault = {.ctx = ctx, .idx = duk_normalize_index(ctx, idx)};
	struct fault_place found;
	uint64_t bytes[3];

	duk_require_stack(ctx, 16);
	fault.is_error = duk_is_object(ctx, idx) && peek_kind(ctx, idx) != PEEK_PROXY &&
			 peek_is_error(ctx, idx);
	fault.compiling = place != NULL;
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
	run_frame_end();
}
