/* SPDX-License-Identifier: MIT */
/* Times, and what is said of many of them. */
#ifndef QUOD_BENCH_SAMPLE_H
#define QUOD_BENCH_SAMPLE_H

#include <stdlib.h>
#include <time.h>

static inline double now_us(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (double)t.tv_sec * 1e6 + (double)t.tv_nsec / 1e3;
}

static inline int sample_by_value(const void *a, const void *b)
{
	double x = *(const double *)a, y = *(const double *)b;

	return (x > y) - (x < y);
}

/* Sorts in place. */
static inline double percentile(double *values, size_t count, double part)
{
	qsort(values, count, sizeof(*values), sample_by_value);
	return values[(size_t)(part * (double)(count - 1) + 0.5)];
}

#endif
