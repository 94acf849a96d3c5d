/* SPDX-License-Identifier: MIT */
/*
 * QuickJS's values on a stack of ours, named by their places; and what every question to
 * the engine needs.
 */
#ifndef QUOD_JS_QUICK_STACK_H
#define QUOD_JS_QUICK_STACK_H

#include "rootfs/quick.h"
#include "rootfs/values.h"

/* What the engine writes for us, in the scratch room behind names and arguments. */
#define QUICK_SCRATCH_DESCRIPTOR (quick.scratch + 256)
#define QUICK_SCRATCH_OUT	 (quick.scratch + 320)

/* How far a chain of prototypes is followed. */
#define QUICK_CHAIN_MOST 10000u

/* Pushes a value and takes over the reference to it. */
void quick_push(quick_value value);

/* A string: ASCII of ours, or bytes of the module's own memory. */
void quick_push_string(const char *text);
void quick_push_text(const char *text, size_t n);

/* Pushes the keys of the object at this place, of these kinds (enum quick_flag), as one
 * thing; returns their number. */
uint32_t quick_push_names(int at, uint32_t which);

/* The atom of key i of those. */
uint32_t quick_name_at(int keys, uint32_t i);

/* Pushes an Error or a RangeError of ours. */
void quick_push_error(const char *message);
void quick_push_range_error(const char *message);

/* The value at the top, and the reference to it. */
quick_value quick_pop(void);

void quick_remove_below_top(void);

int quick_top(void);
void quick_cut(int at);

/* The value at this place; the stack keeps the reference. */
quick_value quick_value_at(int at);

/* values.text */
const char *quick_text(int at, size_t *ret_len);

/* Between the two, places count from the arguments of a call of ours, which stay the
 * engine's; what was there before is out of sight. */
struct quick_places {
	int base;
	uint32_t args, count;
};
struct quick_places quick_enter(uint32_t args, uint32_t count);
void quick_leave(struct quick_places before);

static inline bool quick_is_object(quick_value value)
{
	return quick_tag(value) == TAG_OBJECT;
}

static inline quick_value quick_dup(quick_value value)
{
	return QJS(JS_DupValue, quick.context, value);
}

/* What an answer of the engine throws is nobody's: only the script's own calls may. */
quick_value quick_or_undefined(quick_value value);

/* Calls one of the engine's own functions without arguments. */
quick_value quick_ask(quick_value function, quick_value self);

/* ASCII of ours as a text of the module's, until the next call of anything here; of at
 * most 255 bytes. */
uint32_t quick_scratch_text(const char *text);

/* Own property, not enumerable unless the flags say so; takes over the value. */
void quick_define(quick_value object, const char *name, quick_value value,
		  uint32_t flags);

/* The prototype, a reference of the caller's; of an object that is no Proxy. */
quick_value quick_prototype(quick_value object);

/* A name as the engine's atom, to be freed; of at most 255 bytes. */
uint32_t quick_atom(const char *name);

/* Of any value: may run code of the script's. False: that threw. */
bool quick_to_number(quick_value value, double *ret_number);

static inline bool quick_is_number(quick_value value)
{
	int tag = quick_tag(value);

	return tag == TAG_INT || tag > TAG_SHORT_BIGINT || tag < TAG_BIGINT;
}

/* How much of the module's stack the script may use; between begin and end, which nest,
 * calls of ours may use more: what is asked of the engine must not fail because the script
 * has gone as deep as it may. */
void quick_limit_stack(uint32_t bytes);
void quick_ours_begin(void);
void quick_ours_end(void);

/* Throws a TypeError or an EvalError; gives what the caller returns. */
quick_value quick_throw_type(const char *message);
quick_value quick_throw_eval(const char *message);

#endif
