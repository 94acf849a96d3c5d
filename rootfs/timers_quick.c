/* SPDX-License-Identifier: MIT */
/*
 * What is to be called lies in an object that the script cannot reach, by id; promises
 * that were rejected and not yet handled in a Map that it cannot reach either.
 */
#include "rootfs/timers_quick.h"

#include "rootfs/end.h"
#include "rootfs/run.h"
#include "rootfs/timers.h"
#include "rootfs/values.h"
#include "rootfs/values_quick.h"

/* Memory of the module, kept as an offset before what is told as an address. */
static void *resize(void *at, size_t bytes)
{
	uint32_t old = at ? (uint32_t)((unsigned char *)at - quick_at(0)) : 0;
	uint32_t moved = QJS(realloc, old, (uint32_t)bytes);

	if (!moved)
		quick_exhausted();
	quick_check(moved, bytes);
	return quick_at(moved);
}

static quick_value kept_call(uint32_t id)
{
	return QJS(JS_GetPropertyUint32, quick.context, quick.timers, id);
}

static bool is_alive(uint32_t id)
{
	quick_value call = kept_call(id);

	QJS(JS_FreeValue, quick.context, call);
	return quick_tag(call) == TAG_OBJECT;
}

static void forget(uint32_t id)
{
	uint32_t atom = QJS(JS_NewAtomUInt32, quick.context, id);

	QJS(JS_DeleteProperty, quick.context, quick.timers, atom, 0);
	QJS(JS_FreeAtom, quick.context, atom);
}

/* True unless it threw: then what it threw is pushed. */
static bool took(quick_value value)
{
	if (quick_tag(value) != TAG_EXCEPTION) {
		QJS(JS_FreeValue, quick.context, value);
		return true;
	}
	quick_push(QJS(JS_GetException, quick.context));
	return false;
}

static bool call(uint32_t id, bool again)
{
	quick_value function = kept_call(id), value;

	if (!again)
		forget(id);
	value = QJS(JS_Call, quick.context, function, QUICK_UNDEFINED, 0, 0);
	QJS(JS_FreeValue, quick.context, function);
	return took(value);
}

/* It could not be kept. */
static bool rejection_lost;

static quick_value call_with(quick_value function, quick_value self,
			     const quick_value *args, uint32_t count)
{
	memcpy(quick_at(quick.scratch), args, count * sizeof(*args));
	return QJS(JS_Call, quick.context, function, self, count, quick.scratch);
}

void quick_rejected(void *module, uint32_t context, quick_value promise,
		    quick_value reason, uint32_t is_handled, uint32_t opaque)
{
	const quick_value pair[] = {promise, reason};
	quick_value done;

	(void)module;
	(void)context;
	(void)opaque;
	quick_ours_begin();
	if (is_handled)
		done = call_with(quick.map_delete, quick.rejections, pair, 1);
	else
		done = call_with(quick.map_set, quick.rejections, pair, 2);
	rejection_lost |= quick_tag(done) == TAG_EXCEPTION && !is_handled;
	QJS(JS_FreeValue, quick.context, quick_or_undefined(done));
	quick_ours_end();
}

void timers_quick_handled(quick_value promise)
{
	QJS(JS_PromiseMarkAsHandled, quick.context, promise);
	QJS(JS_FreeValue, quick.context,
	    call_with(quick.map_delete, quick.rejections, &promise, 1));
}

/* Pushes the reason of the first promise that nobody waits for. */
static bool push_unhandled(void)
{
	int at = values->top();
	uint32_t pairs;

	if (rejection_lost) {
		quick_push_error("a promise was rejected, and why is not known");
		return true;
	}
	quick_push(quick_dup(quick.rejections));
	pairs = values->push_entries(at);
	if (!pairs) {
		values->cut(at);
		return false;
	}
	values->own_index(at + 1, 1);
	return true;
}

static bool run_tasks(void)
{
	while (QJS(JS_IsJobPending, quick.runtime)) {
		run_code_follows();
		if ((int)QJS(JS_ExecutePendingJob, quick.runtime, quick.scratch) < 0) {
			quick_push(QJS(JS_GetException, quick.context));
			return false;
		}
	}
	return !push_unhandled();
}

void timers_of_quick(void)
{
	static const struct timer_calls calls = {
		.resize = resize,
		.is_alive = is_alive,
		.forget = forget,
		.call = call,
		.run_tasks = run_tasks,
	};

	timers_use(&calls);
}

static quick_value throw_no_function(bool repeats)
{
	return quick_throw_type(repeats ? "setInterval needs a function"
					: "setTimeout needs a function");
}

/* The function with the arguments from the third on. */
static quick_value bind_args(quick_value function, uint32_t count, uint32_t args)
{
	uint32_t room, bound = count - 1;
	quick_value value;

	if (count < 3)
		return quick_dup(function);
	room = QJS(malloc, bound * 8);
	quick_check(room, (uint64_t)bound * 8);
	memcpy(quick_at(room), &(quick_value){QUICK_UNDEFINED}, 8);
	memcpy(quick_at(room) + 8, quick_at(args) + 16, (bound - 1) * 8);
	value = QJS(JS_Call, quick.context, quick.bind, function, bound, room);
	QJS(free, room);
	return value;
}

quick_value timers_quick_set(void *module, uint32_t context, quick_value self,
			     uint32_t count, uint32_t args, uint32_t magic)
{
	quick_value function, call;
	double delay_ms = 0;
	uint32_t id;

	(void)module;
	(void)self;
	quick_check(args, (uint64_t)count * 8);
	function = count ? quick_load64(args) : QUICK_UNDEFINED;
	if (!QJS(JS_IsFunction, context, function))
		return throw_no_function(magic);
	if (count > 1 && !quick_to_number(quick_load64(args + 8), &delay_ms))
		return QUICK_EXCEPTION;
	call = bind_args(function, count, args);
	if (quick_tag(call) == TAG_EXCEPTION)
		return call;
	id = timers_set(delay_ms, magic);
	QJS(JS_SetPropertyUint32, context, quick.timers, id, call);
	return QUICK(TAG_INT, id);
}

quick_value timers_quick_clear(void *module, uint32_t context, quick_value self,
			       uint32_t count, uint32_t args, uint32_t magic)
{
	double id;

	(void)module;
	(void)context;
	(void)self;
	(void)magic;
	if (count && quick_is_number(quick_load64(args)) &&
	    quick_to_number(quick_load64(args), &id) && id >= 1 && id <= UINT32_MAX)
		timers_clear((uint32_t)id);
	return QUICK_UNDEFINED;
}
