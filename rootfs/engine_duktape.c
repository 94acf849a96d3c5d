/* SPDX-License-Identifier: MIT */
/*
 * Duktape behind the engine's interface. All of it runs inside one protected call: what
 * is thrown outside of the script's own calls is a fault of ours and ends the process.
 *
 * The completion value of a script is what eval would give. A source in which only a
 * top-level `return` is wrong is compiled once more as the body of a function, on the
 * same line, so that lines stay and the columns of the first are corrected.
 */
#include <stdlib.h>
#include <string.h>

#include "rootfs/console.h"
#include "rootfs/end.h"
#include "rootfs/engine.h"
#include "rootfs/fault.h"
#include "rootfs/library.h"
#include "rootfs/lockdown.h"
#include "rootfs/mapset.h"
#include "rootfs/peek.h"
#include "rootfs/run.h"
#include "rootfs/text_in.h"
#include "rootfs/timers.h"
#include "rootfs/timers_duktape.h"
#include "rootfs/values_duktape.h"
#include "rootfs/verdict.h"

/* Duktape asks once, then after each of three collections, the last in emergency mode.
 * When that is refused too, nothing is left to free. */
#define REFUSALS_MOST 4u

static duk_context *guest;
static unsigned refusals;

static void *answer(void *at)
{
	if (!at && guest && !peek_is_collecting(guest) && ++refusals == REFUSALS_MOST)
		run_end_limit(LIMIT_MEMORY);
	if (at && refusals && !peek_is_collecting(guest))
		refusals = 0;
	return at;
}

static void *guest_alloc(void *heap, duk_size_t size)
{
	return size ? answer(heap_take(heap, size)) : NULL;
}

static void *guest_realloc(void *heap, void *at, duk_size_t size)
{
	if (size)
		return answer(heap_resize(heap, at, size));
	heap_free(heap, at);
	return NULL;
}

static void guest_free(void *heap, void *at)
{
	heap_free(heap, at);
}

static void guest_fatal(void *heap, const char *message)
{
	(void)heap;
	(void)message;
	/* While it is built nothing but memory can be missing. */
	if (!guest)
		run_end_limit(LIMIT_MEMORY);
	end_now(END_ENGINE);
}

static duk_ret_t console_call(duk_context *ctx)
{
	enum console_method method = (enum console_method)duk_get_current_magic(ctx);

	if (method == CONSOLE_assert && duk_get_top(ctx)) {
		if (duk_to_boolean(ctx, 0))
			return 0;
		duk_remove(ctx, 0);
	}
	console_write(method);
	return 0;
}

static void define_console(duk_context *ctx)
{
	duk_push_object(ctx);
	for (int i = 0; i < CONSOLE_METHODS_COUNT; i++) {
		peek_push_native(ctx, console_call, DUK_VARARGS, i, console_names[i]);
		peek_define(ctx, -2, console_names[i]);
	}
	peek_define_global(ctx, "console");
}

static void build(void)
{
	guest = duk_create_heap(guest_alloc, guest_realloc, guest_free, run.heap,
				guest_fatal);
	if (!guest)
		run_end_limit(LIMIT_MEMORY);
	peek_put_off_collection(guest);
	lockdown_engine(guest);
	library_define(guest);
	mapset_define(guest);
	define_console(guest);
	values_of_duktape(guest);
	timers_of_duktape(guest);
}

/* JSON.parse of the engine, before any guest code could replace it. */
static duk_ret_t parse_input(duk_context *ctx, void *unused)
{
	(void)unused;
	text_push(ctx, run.job.input, run.job.input_len);
	duk_json_decode(ctx, -1);
	peek_define_global(ctx, "input");
	return 0;
}

static void prepare(void)
{
	if (run.job.flags & JOB_HAS_INPUT &&
	    duk_safe_call(guest, parse_input, NULL, 0, 1))
		run_deny("input-json", "");
	if (!(run.job.flags & JOB_HAS_INPUT)) {
		duk_push_undefined(guest);
		peek_define_global(guest, "input");
	}
	duk_set_top(guest, 0);
	if (run.job.flags & JOB_NO_DYNAMIC_CODE)
		lockdown_dynamic_code(guest);
	if (!(run.job.flags & JOB_NO_TIMERS))
		timers_define();
	if (run.job.flags & JOB_HAS_GLOBALS)
		lockdown_globals(guest, run.job.globals, run.job.globals_len);
}

/* 1-based line and column, in characters, of a byte of the source. */
static struct fault_place place_of(const char *source, size_t offset)
{
	struct fault_place place = {1, 1};

	for (size_t i = 0; i < offset; i++) {
		if (source[i] == '\n' || (source[i] == '\r' && source[i + 1] != '\n')) {
			place.line++;
			place.column = 1;
		} else if ((source[i] & 0xC0) != 0x80) {
			place.column++;
		}
	}
	return place;
}

static bool is_about_return(duk_context *ctx)
{
	bool about;

	if (!duk_is_error(ctx, -1))
		return false;
	fault_push_message(duk_get_top_index(ctx));
	about = !strncmp(duk_get_string(ctx, -1), "invalid return", 14);
	duk_pop(ctx);
	return about;
}

static void push_file_name(duk_context *ctx)
{
	duk_push_lstring(ctx, run.job.name, run.job.name_len);
}

/*
 * A source that closes the body itself and goes on behind it fits into some wrappings,
 * but never into all three: after the brace the second wants a statement, the third ","
 * or
 * "}". The first gives the function; by itself it ignores what follows.
 */
static const struct wrapping {
	const char *open, *close;
	duk_uint_t flags;
} wrappings[] = {
	{"function(){", "\n}", DUK_COMPILE_FUNCTION},
	{"function f(){", "\n}", DUK_COMPILE_EVAL},
	{"({get f(){", "\n}})", DUK_COMPILE_EVAL},
};

/* [ ... ] -> [ ... function ] or [ ... thrown ] */
static duk_int_t compile_wrapped(duk_context *ctx, const struct wrapping *wrapping,
				 const char *source, size_t len)
{
	duk_push_string(ctx, wrapping->open);
	duk_push_lstring(ctx, source, len);
	duk_push_string(ctx, wrapping->close);
	duk_concat(ctx, 3);
	push_file_name(ctx);
	return duk_pcompile(ctx, wrapping->flags);
}

_Noreturn static void end_parse(duk_context *ctx, const char *source, size_t len,
				size_t skipped)
{
	size_t offset = peek_last_throw().offset;
	struct fault_place place;

	offset = offset < skipped ? 0 : offset - skipped;
	place = place_of(source, offset < len ? offset : len);
	fault_send(duk_get_top_index(ctx), PHASE_PARSE, &place);
	run_end();
}

/* [ ... ] -> [ ... function ] */
static void compile_body(duk_context *ctx, const char *source, size_t len)
{
	for (unsigned i = 0; i < sizeof(wrappings) / sizeof(wrappings[0]); i++)
		if (compile_wrapped(ctx, &wrappings[i], source, len))
			end_parse(ctx, source, len, strlen(wrappings[i].open));
	duk_pop_2(ctx);
}

/* [ ... ] -> [ ... function ]; an error is sent and ends the run. */
static void compile(duk_context *ctx)
{
	size_t len;
	const char *source = job_plain_source(&run.job, &len);

	push_file_name(ctx);
	if (!duk_pcompile_lstring_filename(ctx, DUK_COMPILE_EVAL, source, len))
		return;
	if (!is_about_return(ctx))
		end_parse(ctx, source, len, 0);
	duk_pop(ctx);
	compile_body(ctx, source, len);
}

static duk_ret_t execute_protected(duk_context *ctx, void *unused)
{
	(void)unused;
	peek_watch_throws(run.job.name, run.job.name_len);
	compile(ctx);
	run.phase = PHASE_RUN;
	if (duk_pcall(ctx, 0)) {
		fault_send(duk_get_top_index(ctx), PHASE_RUN, NULL);
		return 0;
	}
	verdict_send(duk_get_top_index(ctx));
	duk_pop(ctx);
	if (!timers_run(NULL))
		fault_send(duk_get_top_index(ctx), PHASE_RUN, NULL);
	return 0;
}

static duk_ret_t compile_protected(duk_context *ctx, void *unused)
{
	(void)unused;
	peek_watch_throws(run.job.name, run.job.name_len);
	compile(ctx);
	return 0;
}

static void protect(duk_safe_call_function part)
{
	if (duk_safe_call(guest, part, NULL, 0, 1))
		end_now(END_ENGINE);
}

static void compile_only(void)
{
	protect(compile_protected);
}

static void execute(void)
{
	protect(execute_protected);
}

static struct engine_room room(void)
{
	return (struct engine_room){0};
}

static void reserve(bool open)
{
	heap_set_cap(run.heap, run.job.heap_bytes + (open ? RUN_RESERVE_BYTES : 0));
}

static uint64_t peak(void)
{
	return run_heap_peak();
}

const struct engine engine_duktape = {
	.id = JOB_ENGINE_DUKTAPE,
	.room = room,
	.build = build,
	.prepare = prepare,
	.compile_only = compile_only,
	.execute = execute,
	.reserve = reserve,
	.peak = peak,
};
