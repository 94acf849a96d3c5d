/* SPDX-License-Identifier: MIT */
/*
 * The kinds of runs that a soak is mixed of, good and hostile.
 */
#ifndef QUOD_TESTS_KINDS_H
#define QUOD_TESTS_KINDS_H

#include <stdbool.h>

#include "tests/race/launch.h"

#define KIND_WORDS_MOST 12
#define KIND_CODES_MOST 3

enum kind_flag {
	KIND_LIES = 1 << 0,	 /* by tests/integration/liar */
	KIND_COMPLAINS = 1 << 1, /* stderr says something */
	KIND_KILLED = 1 << 2,	 /* a jail may be left to its lifeline */
	KIND_HEARD = 1 << 3,	 /* the blow comes when it runs: after its first word */
};

struct kind {
	const char *name;
	unsigned weight, flags;
	unsigned records; /* that must be there; a blow may have taken them */
	enum launch_blow blow;
	int signal;
	unsigned delay_most_us;	    /* the blow comes at any moment until then */
	int codes[KIND_CODES_MOST]; /* exit codes that are right; -1: none */
	/* After quod's own name. "@NAME" is the path of a file: see kind_path(). */
	const char *words[KIND_WORDS_MOST];
};

extern const struct kind kinds[];
extern const unsigned kinds_count;

#endif
