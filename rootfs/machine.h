/* SPDX-License-Identifier: MIT */
/*
 * The machine as a script may see it: native stack, clock, chance, waiting. Behind the
 * hooks of the engine and the timers.
 */
#ifndef QUOD_JS_MACHINE_H
#define QUOD_JS_MACHINE_H

#include <stddef.h>
#include <stdint.h>

#include "rootfs/hooks.h"

/* Before the filter: learns the size of the stack and takes random bytes. Call it from
 * main(), whose frame is the highest that counts. */
void machine_init(void);

/* Bytes of native stack that may still be used from here. */
size_t machine_stack_left(void);

/* Chance from a seed: the same seed, the same numbers. */
void machine_seed(uint64_t seed);

/* Date stands still; the monotonic clock becomes virtual, see machine_wait_until(). */
void machine_freeze(int64_t now_ms);

/* Sleeps until hook_monotonic_ms() is at least `ms`. With frozen time the clock is set to
 * ms, so the order of timers does not depend on how fast the script runs. */
void machine_wait_until(double ms);

#endif
