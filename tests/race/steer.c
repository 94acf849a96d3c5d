/* SPDX-License-Identifier: MIT */
/*
 * The more often one side has won in a row, the further the race has drifted: load comes
 * and goes while it runs.
 */
#include "tests/race/steer.h"

#define STREAK_MOST 3u

static int64_t clamp(int64_t value, int64_t least, int64_t most)
{
	if (value < least)
		return least;
	return value > most ? most : value;
}

void steer_init(struct steer *steer, const struct pairing *pairing)
{
	*steer = (struct steer){.centre = pairing->first, .step = pairing->step};
}

int64_t steer_moment(const struct steer *steer, const struct pairing *pairing,
		     uint64_t random)
{
	int64_t off = (int64_t)(random % (uint64_t)(2 * pairing->jitter + 1));

	return clamp(steer->centre + off - pairing->jitter, 0, pairing->most);
}

static void adapt(struct steer *steer, const struct pairing *pairing, enum side winner)
{
	if (winner != steer->last && steer->last != SIDE_NONE)
		steer->step /= 2;
	else if (steer->streak >= STREAK_MOST)
		steer->step *= 2;
	steer->step = clamp(steer->step, pairing->step_least, pairing->step);
	steer->streak = winner == steer->last ? steer->streak + 1 : 1;
	steer->last = winner;
}

/* A later moment is good for the one whose moment it is not. */
void steer_note(struct steer *steer, const struct pairing *pairing, enum side winner)
{
	if (winner == SIDE_NONE)
		return;
	adapt(steer, pairing, winner);
	bool later = (winner == SIDE_GUEST) != pairing->steers_host;
	steer->centre = clamp(steer->centre + (later ? steer->step : -steer->step), 0,
			      pairing->most);
}
