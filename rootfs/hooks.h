/* SPDX-License-Identifier: MIT */
/*
 * What the engine's configuration calls instead of the system: stack, clock, chance.
 * Included by duktape.c through its configuration, so it stays plain C without types of
 * ours. All of it is global because the engine has no place to carry a context.
 */
#ifndef QUOD_JS_HOOKS_H
#define QUOD_JS_HOOKS_H

/* Depth of calls that a script may reach. */
extern int hook_call_frames;

/* Not 0: the native stack is nearly used up. The engine then throws a RangeError. */
int hook_stack_is_low(void);

/* How deep the compiler may nest from here: it looks at no stack but counts. */
int hook_compile_depth(void);

/* Milliseconds since 1970, and of a clock that only goes forward. */
double hook_now_ms(void);
double hook_monotonic_ms(void);

/* 0 <= x < 1 */
double hook_random(void);

/* Pushes milliseconds since 1970 and returns 1, or 0: the text is no date (date.c). */
struct duk_hthread;
int date_parse(struct duk_hthread *ctx, const char *text);

/* Seen by peek.c just before the engine unwinds to a handler. */
void hook_throwing(void *thread);

#endif
