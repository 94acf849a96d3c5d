/* SPDX-License-Identifier: MIT */
/*
 * What is taken away from QuickJS before a script sees it: see lockdown.h. Each is called
 * once, before any guest code ran.
 */
#ifndef QUOD_JS_LOCKDOWN_QUICK_H
#define QUOD_JS_LOCKDOWN_QUICK_H

void lockdown_quick_timers(void);

/* The names that lead to the compiler. The shells that take their places are not there
 * where the list of globals (NULL: there is none) has no `Function`. */
struct lockdown_names;
void lockdown_quick_eval(const struct lockdown_names *names);

/* The compiler itself, once the script is compiled: no text becomes code after that, by
 * whatever path a script comes to a function that asks for it. */
void lockdown_quick_compiler(void);

void lockdown_quick_globals(const struct lockdown_names *names);

#endif
