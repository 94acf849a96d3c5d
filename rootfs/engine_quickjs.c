/* SPDX-License-Identifier: MIT */
/*
 * QuickJS behind the engine's interface.
 *
 * Its memory is the heap in which the source was looked at, with what lies before it as
 * the stack: the snapshot overwrites what the gate left there, and pages that were touched
 * already serve a second time.
 *
 * The value of a script is that of its last expression statement. A script in
 * which the gate has read an `await` outside of functions is one asynchronous function,
 * and its value is what that gives; one in which only a top-level `return` is wrong is compiled once
 * more as the body of a function, on the same line, so that lines stay and columns are
 * corrected. A promise is waited for: by running what it may wait for.
 */
#include "rootfs/engine.h"

#include "rootfs/end.h"
#include "rootfs/fault.h"
#include "rootfs/lockdown_names.h"
#include "rootfs/lockdown_quick.h"
#include "rootfs/machine.h"
#include "rootfs/run.h"
#include "rootfs/timers_quick.h"
#include "rootfs/timers.h"
#include "rootfs/values.h"
#include "rootfs/values_quick.h"
#include "rootfs/verdict.h"

/* Stack of the module's that its checks leave alone: what the engine's C code takes
 * between two of them. */
#define STACK_BASE   24000u
#define STACK_FRAME  240u
#define STACK_NATIVE 20u

extern const unsigned char quick_snapshot_file[];

static const struct quick_snapshot *snapshot(void)
{
	return (const void *)quick_snapshot_file;
}

static struct engine_room room(void)
{
	return (struct engine_room){
		.before = snapshot()->base,
		.after = snapshot()->size - snapshot()->base,
		.guard = (size_t)8 << 30,
	};
}

void quick_trapped(const char *why)
{
	end_because(END_TRAP, why);
}

void quick_exhausted(void)
{
	run_end_limit(LIMIT_MEMORY);
}

/*
 * The engine measures its own stack, in the module's memory; what is used up first where it
 * recurses is the native one. A frame of the script's takes about STACK_FRAME of the first,
 * and no recursion of the engine's more than STACK_NATIVE times as much of the second.
 */
static void limit_stack(void)
{
	uint64_t bytes = STACK_BASE + (uint64_t)run.job.stack_frames * STACK_FRAME;
	uint64_t most = machine_stack_left() / STACK_NATIVE;

	quick_limit_stack((uint32_t)(bytes < most ? bytes : most));
	quick_stack_floor = (uintptr_t)__builtin_frame_address(0) - machine_stack_left();
}

/* Recursion that the engine does not measure, because it takes none of its own stack, ends
 * here: no script can catch it, but it is told as what it is. */
void quick_stack_used_up(void)
{
	quick_stack_floor = 0; /* what follows has the margin for itself */
	if (run.out.writing || run.telling || run.stage < RUN_GOING)
		end_because(END_TRAP, "its stack is used up");
	values->cut(0);
	quick_push_range_error("Maximum call stack size exceeded");
	fault_send(values->top() - 1, run.phase, NULL);
	run_end();
}

static uint64_t cap_of_job(void)
{
	return (quick.size + run.job.heap_bytes) & ~(uint64_t)(QUICK_PAGE_BYTES - 1);
}

static void build(void)
{
	size_t dirty = run_heap_dirty();
	unsigned char *memory = (unsigned char *)run.heap - snapshot()->base;

	quick_link();
	memcpy(&quick, quick_snapshot_file, sizeof(quick));
	quick_place(memory, cap_of_job());
	memcpy(memory + quick.base, quick_snapshot_file + QUICK_HEADER_BYTES,
	       quick.bytes);
	if (dirty > quick.bytes)
		memset(memory + quick.base + quick.bytes, 0, dirty - quick.bytes);
	quick_module.w2c_memory.pages = quick.size / QUICK_PAGE_BYTES;
	quick_module.w2c_memory.size = quick.size;
	quick_module.w2c___stack_pointer = quick.stack_pointer;
	values_of_quick();
	limit_stack();
}

static void reserve(bool open)
{
	quick_set_cap(cap_of_job() + (open ? RUN_RESERVE_BYTES : 0));
}

/* Of the snapshot's own pages, what the script touches of them is not known. */
static uint64_t peak(void)
{
	return quick.bytes + quick_module.w2c_memory.size - quick.size;
}

/* Bytes as a text of the engine's, to be freed. */
static uint32_t take_text(const char *text, size_t n)
{
	uint32_t at = QJS(malloc, (uint32_t)n + 1);

	quick_check(at, n + 1);
	memcpy(quick_at(at), text, n);
	quick_at(at)[n] = '\0';
	return at;
}

static quick_value parse_input(void)
{
	uint32_t text = take_text(run.job.input, run.job.input_len);
	quick_value input =
		QJS(JS_ParseJSON, quick.context, text, run.job.input_len, text);

	QJS(free, text);
	return input;
}

static void prepare(void)
{
	const struct lockdown_names names = {run.job.globals, run.job.globals_len};
	bool has_list = run.job.flags & JOB_HAS_GLOBALS;
	quick_value global = QJS(JS_GetGlobalObject, quick.context);
	quick_value input = QUICK_UNDEFINED;

	if (run.job.flags & JOB_HAS_INPUT)
		input = parse_input();
	if (quick_tag(input) == TAG_EXCEPTION)
		run_deny("input-json", "");
	quick_define(global, "input", input, PROPERTY_CONFIGURABLE | PROPERTY_WRITABLE);
	QJS(JS_FreeValue, quick.context, global);
	timers_of_quick();
	if (run.job.flags & JOB_NO_TIMERS)
		lockdown_quick_timers();
	if (run.job.flags & JOB_NO_DYNAMIC_CODE)
		lockdown_quick_eval(has_list ? &names : NULL);
	if (has_list)
		lockdown_quick_globals(&names);
}

/* A source is compiled as it is, as an asynchronous program where the gate has read it as
 * one, and, where only a `return` is wrong, as a function's body. See engine_duktape.c for why a body has three wrappings:
 * the first's program is only taken if all of them compile. */
#define WRAPPINGS 3u

static const struct wrapping {
	const char *open, *close;
} plain[WRAPPINGS] =
	{
		{"(function(){", "\n})"},
		{"function f(){", "\n}"},
		{"({get f(){", "\n}})"},
},
  waiting[WRAPPINGS] =
	  {
		  {"(async function(){", "\n})"},
		  {"async function f(){", "\n}"},
		  {"({async f(){", "\n}})"},
},
  bare = {"", ""};

/* The error of the attempt that came furthest, as that is the one the user means. */
struct attempts {
	int at; /* on the value stack */
	struct fault_place place;
	uint32_t skipped;
	bool about_return; /* the last one failed for that */
};

static uint32_t put_text(uint32_t at, const char *text, size_t n)
{
	memcpy(quick_at(at), text, n);
	return at + (uint32_t)n;
}

static quick_value compile_wrapped(const struct wrapping *wrapping, uint32_t flags)
{
	size_t len, before = strlen(wrapping->open), after = strlen(wrapping->close);
	const char *source = job_plain_source(&run.job, &len);
	uint32_t all = (uint32_t)(before + len + after), text = QJS(malloc, all + 1);
	quick_value code;

	quick_check(text, all + 1);
	put_text(put_text(put_text(text, wrapping->open, before), source, len),
		 wrapping->close, after + 1);
	code = QJS(JS_Eval, quick.context, text, all, quick_scratch_text(QUICK_FILE),
		   EVAL_COMPILE_ONLY | flags);
	QJS(free, text);
	quick_set_skipped((uint32_t)before);
	return code;
}

static bool is_further(const struct fault_place *a, const struct fault_place *b)
{
	return a->line != b->line ? a->line > b->line : a->column > b->column;
}

static bool is_about_return(int at)
{
	static const char expected[] = "return not in a function";
	int message = values->top();
	bool equal;
	size_t n;

	fault_push_message(at);
	equal = !strcmp(values->text(message, &n), expected);
	values->cut(message);
	return equal;
}

static void note_failure(struct attempts *tried, uint32_t skipped)
{
	int at = values->top();
	struct fault_place place;

	quick_push(QJS(JS_GetException, quick.context));
	place = fault_place(at);
	tried->about_return = is_about_return(at);
	if (tried->at >= 0 && !is_further(&place, &tried->place))
		return;
	tried->at = at;
	tried->place = place;
	tried->skipped = skipped;
}

static bool compiles(struct attempts *tried, const struct wrapping *wrapping,
		     uint32_t flags, quick_value *ret_code)
{
	quick_value code = compile_wrapped(wrapping, flags);

	if (quick_tag(code) == TAG_EXCEPTION) {
		note_failure(tried, (uint32_t)strlen(wrapping->open));
		return false;
	}
	*ret_code = code;
	return true;
}

static bool compiles_as_body(struct attempts *tried, const struct wrapping *wrappings,
			     quick_value *ret_code)
{
	quick_value code[WRAPPINGS];

	for (unsigned i = 0; i < WRAPPINGS; i++) {
		if (!compiles(tried, &wrappings[i], 0, &code[i])) {
			while (i--)
				QJS(JS_FreeValue, quick.context, code[i]);
			return false;
		}
	}
	for (unsigned i = 1; i < WRAPPINGS; i++)
		QJS(JS_FreeValue, quick.context, code[i]);
	quick_set_skipped((uint32_t)strlen(wrappings[0].open));
	*ret_code = code[0];
	return true;
}

struct program {
	quick_value code;
	enum {
		GIVES_VALUE,
		GIVES_FUNCTION, /* which is to be called */
		GIVES_PROMISE,	/* of { value } */
	} kind;
};

static bool try_all(struct attempts *tried, struct program *program)
{
	program->kind = run.awaits ? GIVES_PROMISE : GIVES_VALUE;
	if (compiles(tried, &bare, run.awaits ? EVAL_ASYNC : 0, &program->code))
		return true;
	program->kind = GIVES_FUNCTION;
	return tried->about_return &&
	       compiles_as_body(tried, run.awaits ? waiting : plain, &program->code);
}

/* Nothing compiles: the error is sent and ends the run. */
static struct program compile(void)
{
	struct attempts tried = {.at = -1};
	struct program program = {0};
	int before = values->top();

	if (!try_all(&tried, &program)) {
		quick_set_skipped(tried.skipped);
		fault_send(tried.at, PHASE_PARSE, &tried.place);
		run_end();
	}
	values->cut(before);
	return program;
}

static void compile_only(void)
{
	QJS(JS_FreeValue, quick.context, compile().code);
}

static quick_value run_program(const struct program *program)
{
	quick_value value = QJS(JS_EvalFunction, quick.context, program->code), body;

	if (program->kind != GIVES_FUNCTION || quick_tag(value) == TAG_EXCEPTION)
		return value;
	body = value;
	value = QJS(JS_Call, quick.context, body, QUICK_UNDEFINED, 0, 0);
	QJS(JS_FreeValue, quick.context, body);
	return value;
}

static const char never_settled[] =
	"the promise that is the script's value can never be settled";

/* The promise that the run's value depends on. */
static quick_value awaited;

static bool is_settled(void)
{
	return QJS(JS_PromiseState, quick.context, awaited) != 0;
}

/* Pushes what the promise comes to, or what was thrown: false. */
static bool await_promise(void)
{
	int at = values->top();

	timers_quick_handled(awaited);
	if (!timers_run(is_settled))
		return false;
	quick_push(quick_dup(awaited));
	switch (values->push_settled(at)) {
	case PROMISE_PENDING:
		values->cut(at);
		quick_push_error(never_settled);
		return false;
	case PROMISE_REJECTED:
		return false;
	case PROMISE_FULFILLED:
		break;
	}
	return true;
}

/* The value on the top becomes that of the run, or what was thrown: false. The value of a
 * program that waits may be a promise once more. */
static bool await_value(const struct program *program)
{
	int at = values->top() - 1;

	if (values->kind(at) != IS_PROMISE)
		return true;
	awaited = quick_value_at(at);
	if (!await_promise())
		return false;
	if (program->kind != GIVES_PROMISE)
		return true;
	at = values->top() - 1;
	if (values->own_name(at, "value") != PROPERTY_DATA ||
	    values->kind(at + 1) != IS_PROMISE)
		return true;
	awaited = quick_value_at(at + 1);
	return await_promise();
}

static void execute(void)
{
	struct program program = compile();
	quick_value value;
	bool threw;

	run.phase = PHASE_RUN;
	if (run.job.flags & JOB_NO_DYNAMIC_CODE)
		lockdown_quick_compiler();
	value = run_program(&program);
	threw = quick_tag(value) == TAG_EXCEPTION;
	if (threw)
		value = QJS(JS_GetException, quick.context);
	quick_push(value);
	if (!threw)
		threw = !await_value(&program);
	if (threw) {
		fault_send(values->top() - 1, PHASE_RUN, NULL);
		return;
	}
	verdict_send(values->top() - 1);
	if (!timers_run(NULL))
		fault_send(values->top() - 1, PHASE_RUN, NULL);
}

const struct engine engine_quickjs = {
	.id = JOB_ENGINE_QUICKJS,
	.room = room,
	.build = build,
	.prepare = prepare,
	.compile_only = compile_only,
	.execute = execute,
	.reserve = reserve,
	.peak = peak,
};
