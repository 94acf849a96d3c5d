/* SPDX-License-Identifier: MIT */
/*
 * Timers and microtasks. What is to be called lies in the engine's heap, under its id,
 * where the collector sees it; when it is due lies in a binary heap of plain numbers next
 * to it. Clearing a timer takes away what would be called; its due time is found dead
 * later. So timers cost memory of the script, and nothing else bounds their number.
 */
#include <math.h>
#include <stdbool.h>

#include "rootfs/machine.h"
#include "rootfs/peek.h"
#include "rootfs/timers.h"

#define DELAY_MOST_MS 2147483647.0
#define DEAD_MOST     64u

struct timer {
	double due_ms, interval_ms; /* interval 0: once */
	uint32_t id, args;	    /* args: arguments kept with the function */
	uint64_t order;		    /* of timers due at the same time */
};

static struct {
	struct timer *heap;
	uint32_t count, room, dead, last_id;
	uint64_t order;
	void *calls; /* id -> { 0: function, 1...: arguments } */
	void *tasks; /* number -> function */
	uint32_t task_first, task_end;
} timers;

static bool is_before(const struct timer *a, const struct timer *b)
{
	return a->due_ms != b->due_ms ? a->due_ms < b->due_ms : a->order < b->order;
}

static void swap(uint32_t a, uint32_t b)
{
	struct timer t = timers.heap[a];

	timers.heap[a] = timers.heap[b];
	timers.heap[b] = t;
}

static void sift_up(uint32_t i)
{
	while (i && is_before(&timers.heap[i], &timers.heap[(i - 1) / 2])) {
		swap(i, (i - 1) / 2);
		i = (i - 1) / 2;
	}
}

static void sift_down(uint32_t i)
{
	for (;;) {
		uint32_t first = i, child = 2 * i + 1;

		for (uint32_t c = child; c < child + 2 && c < timers.count; c++)
			if (is_before(&timers.heap[c], &timers.heap[first]))
				first = c;
		if (first == i)
			return;
		swap(i, first);
		i = first;
	}
}

static void insert(duk_context *ctx, const struct timer *timer)
{
	if (timers.count == timers.room) {
		uint32_t room = timers.room ? 2 * timers.room : 16;

		/* Refusal ends the run: see run_end_limit(). */
		timers.heap = duk_realloc(ctx, timers.heap, room * sizeof(*timers.heap));
		timers.room = room;
	}
	timers.heap[timers.count] = *timer;
	timers.heap[timers.count].order = timers.order++;
	sift_up(timers.count++);
}

static struct timer take_first(void)
{
	struct timer first = timers.heap[0];

	timers.heap[0] = timers.heap[--timers.count];
	sift_down(0);
	return first;
}

static bool is_alive(duk_context *ctx, uint32_t id)
{
	bool alive;

	duk_push_heapptr(ctx, timers.calls);
	alive = duk_has_prop_index(ctx, -1, id);
	duk_pop(ctx);
	return alive;
}

/* Drops due times of cleared timers once they are the larger part. */
static void sweep(duk_context *ctx)
{
	uint32_t kept = 0;

	if (timers.dead < DEAD_MOST || timers.dead < timers.count / 2)
		return;
	for (uint32_t i = 0; i < timers.count; i++)
		if (is_alive(ctx, timers.heap[i].id))
			timers.heap[kept++] = timers.heap[i];
	timers.count = kept;
	timers.dead = 0;
	for (uint32_t i = kept / 2; i-- > 0;)
		sift_down(i);
}

static double delay_ms(duk_context *ctx, duk_idx_t idx)
{
	double ms = duk_to_number(ctx, idx);

	return ms >= 1 && ms <= DELAY_MOST_MS ? floor(ms) : 1;
}

static void require_function(duk_context *ctx, const char *who)
{
	if (!duk_is_function(ctx, 0))
		(void)duk_type_error(ctx, "%s needs a function", who);
}

/* [ function delay args... ] -> [ ... ], kept under the id */
static void keep_call(duk_context *ctx, uint32_t id)
{
	duk_idx_t top = duk_get_top(ctx);
	duk_uarridx_t n = 0;

	duk_push_heapptr(ctx, timers.calls);
	duk_push_bare_object(ctx);
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
	struct timer timer = {0};
	double delay;

	require_function(ctx, repeats ? "setInterval" : "setTimeout");
	if (duk_get_top(ctx) < 2)
		duk_set_top(ctx, 2);
	delay = delay_ms(ctx, 1);
	timer.id = ++timers.last_id;
	timer.args = (uint32_t)duk_get_top(ctx) - 2;
	timer.due_ms = hook_monotonic_ms() + delay;
	timer.interval_ms = repeats ? delay : 0;
	keep_call(ctx, timer.id);
	insert(ctx, &timer);
	duk_push_uint(ctx, timer.id);
	return 1;
}

static duk_ret_t timer_clear(duk_context *ctx)
{
	uint32_t id;

	if (!duk_is_number(ctx, 0))
		return 0;
	id = duk_get_uint(ctx, 0);
	if (!is_alive(ctx, id))
		return 0;
	duk_push_heapptr(ctx, timers.calls);
	duk_del_prop_index(ctx, -1, id);
	timers.dead++;
	sweep(ctx);
	return 0;
}

static duk_ret_t task_queue(duk_context *ctx)
{
	require_function(ctx, "queueMicrotask");
	duk_push_heapptr(ctx, timers.tasks);
	duk_dup(ctx, 0);
	duk_put_prop_index(ctx, -2, timers.task_end++);
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

void timers_define(duk_context *ctx)
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

	timers.calls = pin_bare_object(ctx, "timers");
	timers.tasks = pin_bare_object(ctx, "tasks");
	duk_push_global_object(ctx);
	for (unsigned i = 0; i < sizeof(functions) / sizeof(functions[0]); i++) {
		peek_push_native(ctx, functions[i].call, functions[i].args,
				 functions[i].magic, functions[i].name);
		peek_define(ctx, -2, functions[i].name);
	}
	duk_pop(ctx);
}

static duk_int_t run_tasks(duk_context *ctx)
{
	while (timers.task_first != timers.task_end) {
		uint32_t number = timers.task_first++;

		duk_push_heapptr(ctx, timers.tasks);
		duk_get_prop_index(ctx, -1, number);
		duk_del_prop_index(ctx, -2, number);
		duk_remove(ctx, -2);
		if (duk_pcall(ctx, 0))
			return DUK_EXEC_ERROR;
		duk_pop(ctx);
	}
	return DUK_EXEC_SUCCESS;
}

/* Pushes function and arguments; a timer that does not repeat is forgotten. */
static void push_call(duk_context *ctx, const struct timer *timer)
{
	duk_require_stack(ctx, (duk_idx_t)timer->args + 8);
	duk_push_heapptr(ctx, timers.calls);
	duk_get_prop_index(ctx, -1, timer->id);
	if (timer->interval_ms <= 0)
		duk_del_prop_index(ctx, -2, timer->id);
	duk_remove(ctx, -2);
	for (uint32_t i = 0; i <= timer->args; i++)
		duk_get_prop_index(ctx, -1 - (duk_idx_t)i, i);
	duk_remove(ctx, -2 - (duk_idx_t)timer->args);
}

static duk_int_t fire(duk_context *ctx, struct timer *timer)
{
	if (!is_alive(ctx, timer->id)) {
		timers.dead -= timers.dead > 0;
		return DUK_EXEC_SUCCESS;
	}
	machine_wait_until(timer->due_ms);
	push_call(ctx, timer);
	if (duk_pcall(ctx, (duk_idx_t)timer->args))
		return DUK_EXEC_ERROR;
	duk_pop(ctx);
	if (timer->interval_ms > 0 && is_alive(ctx, timer->id)) {
		timer->due_ms = hook_monotonic_ms() + timer->interval_ms;
		insert(ctx, timer);
	}
	return run_tasks(ctx);
}

duk_int_t timers_run(duk_context *ctx)
{
	duk_int_t failed;

	if (!timers.calls)
		return DUK_EXEC_SUCCESS;
	failed = run_tasks(ctx);
	while (!failed && timers.count) {
		struct timer first = take_first();

		failed = fire(ctx, &first);
	}
	return failed;
}
