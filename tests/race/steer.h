/* SPDX-License-Identifier: MIT */
/*
 * Looks for the moment at which a pairing is a race: a staircase towards whoever lost
 * last, with smaller steps each time the winner changes and larger ones while it does
 * not. Each round is then placed somewhere around it.
 */
#ifndef QUOD_TESTS_STEER_H
#define QUOD_TESTS_STEER_H

#include "tests/race/oracle.h"
#include "tests/race/round.h"

struct steer {
	int64_t centre, step;
	enum side last;
	unsigned streak; /* of the same winner */
};

void steer_init(struct steer *steer, const struct pairing *pairing);
int64_t steer_moment(const struct steer *steer, const struct pairing *pairing,
		     uint64_t random);
void steer_note(struct steer *steer, const struct pairing *pairing, enum side winner);

#endif
