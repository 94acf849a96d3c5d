/* SPDX-License-Identifier: MIT */
/*
 * What is taken away from QuickJS before a script sees it: see lockdown.h. Each is called
 * once, before any guest code ran.
 */
#ifndef QUOD_JS_LOCKDOWN_QUICK_H
#define QUOD_JS_LOCKDOWN_QUICK_H

#include <stddef.h>

void lockdown_quick_timers(void);

/* The names that lead to the compiler. */
void lockdown_quick_eval(void);

/* The compiler itself, once the script is compiled: no text becomes code after that, by
 * whatever path a script comes to a function that asks for it. */
void lockdown_quick_compiler(void);

void lockdown_quick_globals(const char *list, size_t len);

#endif
