/* SPDX-License-Identifier: MIT */
/*
 * What runs of quod could leave behind, as numbers. Those that are ours alone, or that
 * nothing else makes grow for good, must be afterwards what they were before. The others
 * belong to the whole machine, and kernels give memory back when they like: they are
 * told.
 */
#ifndef QUOD_TESTS_COUNTS_H
#define QUOD_TESTS_COUNTS_H

#include <stdbool.h>
#include <stdint.h>

struct count {
	const char *name;
	bool exact; /* no growth is allowed */
	/* False: it cannot be read here. */
	bool (*read)(const char *key, uint64_t *ret);
	const char *key;
	bool there;
	uint64_t before, after;
};

/* The table, for filling in. The directory is the runs' own for temporary files. */
struct count *counts_table(unsigned *ret_count, const char *dir);

/* The least that each number is within some moments: others come and go. */
void counts_before(struct count *counts, unsigned count);

/*
 * The same afterwards. Namespaces and cgroups go some time after the last process, so
 * what has grown is looked at again until it has not, or some seconds are over; between
 * them start() runs now and then, which makes a quod that sweeps.
 */
void counts_after(struct count *counts, unsigned count, void (*start)(void *context),
		  void *context);

bool count_has_grown(const struct count *count);

#endif
