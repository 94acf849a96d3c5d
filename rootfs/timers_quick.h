/* SPDX-License-Identifier: MIT */
/*
 * Timers, promise jobs and rejections for QuickJS.
 */
#ifndef QUOD_JS_TIMERS_QUICK_H
#define QUOD_JS_TIMERS_QUICK_H

#include "rootfs/quick.h"

/* What timers_run() runs is the module's. A promise that is rejected and that nobody waits
 * for when the jobs have run is thrown. */
void timers_of_quick(void);

/* Somebody waits for this promise. */
void timers_quick_handled(quick_value promise);

/* NATIVE_REJECTION */
void quick_rejected(void *module, uint32_t context, quick_value promise,
		    quick_value reason, uint32_t is_handled, uint32_t opaque);

/* NATIVE_TIMER_SET, with magic 1 setInterval, and NATIVE_TIMER_CLEAR. */
quick_value timers_quick_set(void *module, uint32_t context, quick_value self,
			     uint32_t count, uint32_t args, uint32_t magic);
quick_value timers_quick_clear(void *module, uint32_t context, quick_value self,
			       uint32_t count, uint32_t args, uint32_t magic);

#endif
