/* SPDX-License-Identifier: MIT */
/*
 * Functions of ours that a script calls in QuickJS, in the order of the snapshot.
 */
#include "rootfs/console.h"
#include "rootfs/hooks.h"
#include "rootfs/timers_quick.h"
#include "rootfs/values_quick.h"

static quick_value call_console(void *module, uint32_t context, quick_value self,
				uint32_t count, uint32_t args, uint32_t magic)
{
	struct quick_places before;

	(void)module;
	(void)self;
	quick_check(args, (uint64_t)count * 8);
	if (magic == CONSOLE_assert && count) {
		if (QJS(JS_ToBool, context, quick_load64(args)))
			return QUICK_UNDEFINED;
		args += 8;
		count--;
	}
	before = quick_enter(args, count);
	console_write((enum console_method)magic);
	quick_leave(before);
	return QUICK_UNDEFINED;
}

static quick_value random_number(void *module, uint32_t context, quick_value self,
				 uint32_t count, uint32_t args, uint32_t magic)
{
	(void)module;
	(void)self;
	(void)count;
	(void)args;
	(void)magic;
	return QJS(JS_NewNumber, context, hook_random());
}

/* Whoever calls it or asks for a new one has text that would become code. */
static quick_value refuse_code(void *module, uint32_t context, quick_value self,
			       uint32_t count, uint32_t args, uint32_t magic)
{
	(void)module;
	(void)context;
	(void)self;
	(void)count;
	(void)args;
	(void)magic;
	return quick_throw_eval("no code is made from text here");
}

const quick_call quick_natives[NATIVES] = {
	[NATIVE_CONSOLE] = call_console,	   [NATIVE_TIMER_SET] = timers_quick_set,
	[NATIVE_TIMER_CLEAR] = timers_quick_clear, [NATIVE_RANDOM] = random_number,
	[NATIVE_COLLECT] = quick_collect,	   [NATIVE_SHELL] = refuse_code,
};

const quick_tracker quick_rejection = quick_rejected;
