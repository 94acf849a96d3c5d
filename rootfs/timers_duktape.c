/* SPDX-License-Identifier: MIT */
/*
 * setTimeout and its kin for Duktape, and microtasks, which it lacks: two objects without
 * prototype that the script cannot reach hold what is to be called.
 */
#include "rootfs/peek.h"
#include "rootfs/run.h"
#include "rootfs/timers.h"
#include "rootfs/timers_duktape.h"

static struct {
	duk_context *ctx;
	void *calls; /* id -> { 0: function, 1...: arguments } */
	void *tasks; /* number -> function */
	uint32_t task_first, task_end;
} kept;

static void *resize(void *at, size_t bytes)
{
	return duk_realloc(kept.ctx, at, bytes);
}

static bool is_alive(uint32_t id)
{
	bool alive;

	duk_push_heapptr(kept.ctx, kept.calls);
	alive = duk_has_prop_index(kept.ctx, -1, id);
	duk_pop(kept.ctx);
	return alive;
}

static void forget(uint32_t id)
{
	duk_push_heapptr(kept.ctx, kept.calls);
	duk_del_prop_index(kept.ctx, -1, id);
	duk_pop(kept.ctx);
}

static void require_function(duk_context *ctx, const char *who)
{
	if (!duk_is_function(ctx, 0))
		(void)duk_type_error(ctx, "%s needs a function", who);
}

/* [ function delay args... ], kept under the id */
static void keep_call(duk_context *ctx, uint32_t id)
{
	duk_idx_t top = duk_get_top(ctx);
	duk_uarridx_t n = 0;

	duk_push_heapptr(ctx, kept.calls);
	duk_push_bare_array(ctx);
	for (duk_idx_t i = 0; i < top; i++) {
		if (i == 1)
			continue;
		duk_dup(ctx, i);
		duk_put_prop_index(ctx, -2, n++);
	}
	duk_put_prop_index(ctx, -2, id);
	duk_pop(ctx);
}

/* setTimeout and, with magic 1, setInterval. */
static duk_ret_t timer_set(duk_context *ctx)
{
	bool repeats = duk_get_current_magic(ctx);
	uint32_t id;

	require_function(ctx, repeats ? "setInterval" : "setTimeout");
	if (duk_get_top(ctx) < 2)
		duk_set_top(ctx, 2);
	id = timers_set(duk_to_number(ctx, 1), repeats);
	keep_call(ctx, id);
	duk_push_uint(ctx, id);
	return 1;
}

static duk_ret_t timer_clear(duk_context *ctx)
{
	if (duk_is_number(ctx, 0))
		timers_clear(duk_get_uint(ctx, 0));
	return 0;
}

static duk_ret_t task_queue(duk_context *ctx)
{
	require_function(ctx, "queueMicrotask");
	duk_push_heapptr(ctx, kept.tasks);
	duk_dup(ctx, 0);
	duk_put_prop_index(ctx, -2, kept.task_end++);
	return 0;
}

static void *pin_bare_object(duk_context *ctx, const char *name)
{
	void *object;

	duk_push_heap_stash(ctx);
	duk_push_bare_object(ctx);
	object = duk_get_heapptr(ctx, -1);
	duk_put_prop_string(ctx, -2, name);
	duk_pop(ctx);
	return object;
}

static bool run_tasks(void)
{
	duk_context *ctx = kept.ctx;

	while (kept.task_first != kept.task_end) {
		uint32_t number = kept.task_first++;

		run_code_follows();
		duk_push_heapptr(ctx, kept.tasks);
		duk_get_prop_index(ctx, -1, number);
		duk_del_prop_index(ctx, -2, number);
		duk_remove(ctx, -2);
		if (duk_pcall(ctx, 0))
			return false;
		duk_pop(ctx);
	}
	return true;
}

/* Pushes function and arguments; returns how many these are. */
static duk_idx_t push_call(duk_context *ctx, uint32_t id)
{
	duk_idx_t call = duk_get_top(ctx) + 1, args;

	duk_push_heapptr(ctx, kept.calls);
	duk_get_prop_index(ctx, -1, id);
	args = (duk_idx_t)duk_get_length(ctx, -1) - 1;
	duk_require_stack(ctx, args + 8);
	for (duk_idx_t i = 0; i <= args; i++)
		duk_get_prop_index(ctx, call, (duk_uarridx_t)i);
	duk_remove(ctx, call);
	duk_remove(ctx, call - 1);
	return args;
}

static bool call(uint32_t id, bool again)
{
	duk_idx_t args = push_call(kept.ctx, id);

	if (!again)
		forget(id);
	if (duk_pcall(kept.ctx, args))
		return false;
	duk_pop(kept.ctx);
	return true;
}

void timers_of_duktape(duk_context *ctx)
{
	static const struct timer_calls calls = {
		.resize = resize,
		.is_alive = is_alive,
		.forget = forget,
		.call = call,
		.run_tasks = run_tasks,
	};

	kept.ctx = ctx;
	timers_use(&calls);
}

void timers_define(void)
{
	static const struct {
		const char *name;
		duk_c_function call;
		int args, magic;
	} functions[] = {
		{"setTimeout", timer_set, DUK_VARARGS, 0},
		{"setInterval", timer_set, DUK_VARARGS, 1},
		{"clearTimeout", timer_clear, 1, 0},
		{"clearInterval", timer_clear, 1, 0},
		{"queueMicrotask", task_queue, 1, 0},
	};
	duk_context *ctx = kept.ctx;

	kept.calls = pin_bare_object(ctx, "timers");
	kept.tasks = pin_bare_object(ctx, "tasks");
	for (unsigned i = 0; i < sizeof(functions) / sizeof(functions[0]); i++) {
		peek_push_native(ctx, functions[i].call, functions[i].args,
				 functions[i].magic, functions[i].name);
		peek_define_global(ctx, functions[i].name);
	}
}
