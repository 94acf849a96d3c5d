/* SPDX-License-Identifier: MIT */
/*
 * QuickJS's values on a stack of ours.
 */
#ifndef QUOD_JS_VALUES_QUICK_H
#define QUOD_JS_VALUES_QUICK_H

#include "rootfs/quick.h"
#include "rootfs/values.h"

/* From now on `values` are those of the module. */
void values_of_quick(void);

/* Pushes a value and takes over the reference to it. */
void quick_push(quick_value value);

/* The value at this place; the stack keeps the reference. */
quick_value quick_value_at(int at);

/* Between the two, places count from the arguments of a call of ours, which stay the
 * engine's; what was there before is out of sight. */
struct quick_places {
	int base;
	uint32_t args, count;
};
struct quick_places quick_enter(uint32_t args, uint32_t count);
void quick_leave(struct quick_places before);

/* A string: bytes of the module's own memory. */
void quick_push_text(const char *text, size_t n);
void quick_remove_below_top(void);

/* values.push_keys() of those that are not enumerable as well, and no symbols. */
uint32_t quick_push_all_keys(int at);

/* ASCII of ours as a text of the module's, until the next call of anything here; of at
 * most 255 bytes. */
uint32_t quick_scratch_text(const char *text);

/* The name under which the script is compiled: no script can tell. */
#define QUICK_FILE "script"

/* Of any value: may run code of the script's. False: that threw. */
bool quick_to_number(quick_value value, double *ret_number);

/* Throws a TypeError; gives what the caller returns. */
quick_value quick_throw_type(const char *message);

/* The same with an EvalError. */
quick_value quick_throw_eval(const char *message);

/* Pushes an Error of ours. */
void quick_push_error(const char *message);

/* values.push_frame */
struct value_frame quick_push_frame(int at, unsigned n);

/* Characters that a wrapping put before the first line of the source: taken off the
 * columns that are told. */
void quick_set_skipped(uint32_t characters);

/* NATIVE_COLLECT: puts the arguments of forEach() into a list. */
quick_value quick_collect(void *module, uint32_t context, quick_value self,
			  uint32_t count, uint32_t args, uint32_t magic);

/* Calls one of the engine's own functions without arguments. */
quick_value quick_ask(quick_value function, quick_value self);

/* A name as the engine's atom, to be freed; of at most 255 bytes. */
uint32_t quick_atom(const char *name);

#endif
