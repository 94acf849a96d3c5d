/* SPDX-License-Identifier: MIT */
/* The two clocks: one to measure and to limit with, one to show to people. */
#ifndef QUOD_CLOCK_H
#define QUOD_CLOCK_H

#include <limits.h>
#include <stdint.h>
#include <time.h>

#define NS_PER_MS  1000000ull
#define NS_PER_US  1000ull
#define NS_PER_SEC 1000000000ull

/* Monotonic: stepping the host's clock changes nothing. */
static inline uint64_t clock_mono_ns(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (uint64_t)t.tv_sec * NS_PER_SEC + (uint64_t)t.tv_nsec;
}

/* For poll(2): from now to that moment, never too short; 0 if it has passed. */
static inline int clock_ms_until(uint64_t moment_ns)
{
	uint64_t now = clock_mono_ns();
	uint64_t ms = moment_ns > now ? (moment_ns - now + NS_PER_MS - 1) / NS_PER_MS : 0;

	return ms > INT_MAX ? INT_MAX : (int)ms;
}

/* Milliseconds since 1970. */
static inline int64_t clock_real_ms(void)
{
	struct timespec t;

	clock_gettime(CLOCK_REALTIME, &t);
	return (int64_t)t.tv_sec * 1000 + t.tv_nsec / (int64_t)NS_PER_MS;
}

#endif
