/* SPDX-License-Identifier: MIT */
/*
 * Numbers that look random and follow from a seed: splitmix64.
 */
#ifndef QUOD_TESTS_RANDOM_H
#define QUOD_TESTS_RANDOM_H

#include <stdint.h>

static inline uint64_t random_next(uint64_t *state)
{
	uint64_t z = *state += 0x9E3779B97F4A7C15u;

	z = (z ^ z >> 30) * 0xBF58476D1CE4E5B9u;
	z = (z ^ z >> 27) * 0x94D049BB133111EBu;
	return z ^ z >> 31;
}

/* A state of its own for the nth of many. */
static inline uint64_t random_start(uint64_t seed, uint64_t n)
{
	uint64_t state = seed ^ n * 0xD1342543DE82EF95u;

	return random_next(&state);
}

#endif
