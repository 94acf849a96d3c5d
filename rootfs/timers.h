/* SPDX-License-Identifier: MIT */
/*
 * Timers and when they are due, as both engines have them. An engine defines the
 * functions of the script, keeps what is to be called, and calls it.
 */
#ifndef QUOD_JS_TIMERS_H
#define QUOD_JS_TIMERS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct timer_calls {
	/* Memory of the script's; a refusal ends the run. */
	void *(*resize)(void *at, size_t bytes);

	/* Is there anything to be called under this id? */
	bool (*is_alive)(uint32_t id);
	void (*forget)(uint32_t id);

	/* Calls it; forgets it before, if not `again`. False: it threw, and what it threw
	 * is on the top of the value stack. */
	bool (*call)(uint32_t id, bool again);

	/* Microtasks until none is left; false as above. */
	bool (*run_tasks)(void);
};

void timers_use(const struct timer_calls *calls);

/* Milliseconds as the script gave them, NaN included. Returns the id under which the
 * engine keeps what is to be called before it does anything else. */
uint32_t timers_set(double delay_ms, bool repeats);
void timers_clear(uint32_t id);

/* Microtasks, then timers in order, until none is left or it is enough (NULL: never).
 * False: one threw, see timer_calls.call. */
bool timers_run(bool (*is_enough)(void));

#endif
