/* SPDX-License-Identifier: MIT */
/*
 * The trace of an error, from the text that the engine made of it when the error was
 * made:
 *
 *	    at NAME (FILE:LINE:COLUMN)
 *	    at NAME (native)
 *
 * A function may have any name, so a line is read from its end. The script can spoil what
 * is told of its own errors, and nothing else.
 */
#include "rootfs/run.h"
#include "rootfs/values_quick.h"

#define STEP_PREFIX "    at "

static uint32_t skipped;

void quick_set_skipped(uint32_t characters)
{
	skipped = characters;
}

struct text {
	const char *at, *end;
};

/* False: there is no line n. */
static bool find_line(struct text *text, unsigned n)
{
	for (;; n--) {
		const char *stop = memchr(text->at, '\n', (size_t)(text->end - text->at));

		if (!stop)
			return false;
		if (!n) {
			text->end = stop;
			return true;
		}
		text->at = stop + 1;
	}
}

/* Takes ":123" off the end of the text; 0: there is none. */
static uint32_t take_number(struct text *text)
{
	const char *at = text->end;
	uint32_t number = 0, unit = 1;

	while (at > text->at && at[-1] >= '0' && at[-1] <= '9' && unit <= 100000000) {
		number += (uint32_t)(*--at - '0') * unit;
		unit *= 10;
	}
	if (at == text->at || at[-1] != ':')
		return 0;
	text->end = at - 1;
	return number;
}

static bool ends_with(const struct text *text, const char *end)
{
	size_t n = strlen(end);

	return (size_t)(text->end - text->at) >= n && !memcmp(text->end - n, end, n);
}

static void push_name(const struct text *line, size_t tail)
{
	struct text name = {line->at, line->end - tail};
	bool nameless;

	if (name.end < name.at)
		name.end = name.at;
	nameless = ends_with(&name, "<eval>") || ends_with(&name, "<anonymous>");
	if (nameless || name.end <= name.at)
		quick_push(QUICK_UNDEFINED);
	else
		quick_push_text(name.at, (size_t)(name.end - name.at));
}

/* The end of a line, as the engine sees it; 0: not here. */
static size_t line_end(const char *at, const char *end)
{
	if (*at == '\n' || (*at == '\r' && (at + 1 == end || at[1] != '\n')))
		return 1;
	if (end - at >= 3 && !memcmp(at, "\xE2\x80", 2) && (at[2] & ~1) == '\xA8')
		return 3;
	return 0;
}

/* The engine counts bytes from 1, and goes on behind the source where that is wrapped: what
 * is missing there is missing at its end. */
static void into_source(struct value_frame *frame)
{
	size_t len;
	const char *at = job_plain_source(&run.job, &len), *end = at + len, *start = at;
	uint32_t line = 1, bytes = frame->column;

	while (line < frame->line && at < end) {
		size_t n = line_end(at, end);

		at += n ? n : 1;
		line += n > 0;
		if (n)
			start = at;
	}
	if (line < frame->line)
		bytes = UINT32_MAX;
	at = start;
	frame->line = line;
	frame->column = 1;
	for (; bytes > 1 && at < end && !line_end(at, end); at++, bytes--)
		frame->column += (*at & 0xC0) != 0x80;
}

/* "NAME (FILE:LINE:COLUMN)" or, where the compiler was, "FILE:LINE:COLUMN". */
static struct value_frame read_place(struct text *line)
{
	struct value_frame frame = {.kind = FRAME_SOURCE};

	if (ends_with(line, ")")) {
		frame.kind = FRAME_SCRIPT;
		line->end--;
	}
	frame.column = take_number(line);
	frame.line = take_number(line);
	frame.is_users = ends_with(line, QUICK_FILE);
	if (frame.line == 1 && frame.is_users)
		frame.column = frame.column > skipped ? frame.column - skipped : 1;
	if (frame.column && frame.is_users)
		into_source(&frame);
	while (line->end > line->at && *line->end != '(')
		line->end--;
	push_name(line, 1);
	return frame;
}

static struct value_frame read_step(struct text *line)
{
	static const char native[] = " (native)";

	if ((size_t)(line->end - line->at) >= sizeof(STEP_PREFIX) - 1 &&
	    !memcmp(line->at, STEP_PREFIX, sizeof(STEP_PREFIX) - 1))
		line->at += sizeof(STEP_PREFIX) - 1;
	if (ends_with(line, native)) {
		push_name(line, sizeof(native) - 1);
		return (struct value_frame){.kind = FRAME_NATIVE};
	}
	return read_place(line);
}

/* The name of the class of an error that the script wrote, or nothing. */
static size_t own_class(int at, char *to, size_t room)
{
	int constructor = values->top();
	size_t n = 0;

	if (values->push_inherited(at, "constructor") &&
	    values->kind(constructor) == IS_CLASS &&
	    values->own_name(constructor, "name") == PROPERTY_DATA &&
	    values->kind(constructor + 1) == IS_STRING) {
		const char *name = values->text(constructor + 1, &n);

		n = n < room ? n : 0;
		memcpy(to, name, n);
	}
	values->cut(constructor);
	return n;
}

/* Steps that made the error: its own class, and those that this extends. They begin with
 * its constructor's name and are of no interest. */
static unsigned steps_of_class(int at, const char *trace, size_t len)
{
	char name[64];
	size_t n = own_class(at, name, sizeof(name));
	unsigned steps = 0;

	for (;; steps++) {
		struct text line = {trace, trace + len};

		if (!n || !find_line(&line, steps) ||
		    (size_t)(line.end - line.at) < sizeof(STEP_PREFIX) + n ||
		    memcmp(line.at + sizeof(STEP_PREFIX) - 1, name, n) ||
		    line.at[sizeof(STEP_PREFIX) - 1 + n] != ' ')
			return steps;
	}
}

struct value_frame quick_push_frame(int at, unsigned n)
{
	struct value_frame frame = {.kind = FRAME_LAST};
	struct text text;
	int trace = values->top();
	size_t len;

	quick_push(quick_ask(quick.error_stack, quick_value_at(at)));
	if (values->kind(trace) == IS_STRING) {
		text.at = values->text(trace, &len);
		text.end = text.at + len;
		n += steps_of_class(at, text.at, len);
		if (find_line(&text, n))
			frame = read_step(&text);
	}
	if (frame.kind == FRAME_LAST)
		values->cut(trace);
	else
		quick_remove_below_top();
	return frame;
}
