/* SPDX-License-Identifier: MIT */
/*
 * Beats are counted, not time: whoever stops both processes, as a shell does with ^Z, or
 * lets the machine sleep, comes back to one beat that was missed. One ping is under way at
 * a time, so that a server that hangs has its socket filled by nobody.
 *
 * Before the first sign of life none is missed: a server that starts reads all of its
 * history, which may be as large as the disk, and has heard from no client yet. That a
 * start has an end is for the service manager to see to.
 */
#include "daemon/pulse.h"

#include "daemon/notify.h"

#define BEAT_US 2500000u
/* So many without an answer: it hangs. */
#define MISSED_MOST 4u

/* The service manager's watchdog is for a monitor that hangs: what it says of the server
 * it says in half of that time, by itself. */
static uint64_t choose_beat(void)
{
	uint64_t us = notify_watchdog_us() / (2 * MISSED_MOST + 2);

	return us && us < BEAT_US ? us : BEAT_US;
}

static int on_beat(sd_event_source *source, uint64_t usec, void *userdata)
{
	struct pulse *pulse = userdata;
	struct order_bounds *bounds = pulse->bounds;

	(void)usec;
	pulse->calls->beat(pulse->whose);
	if (bounds->alives > bounds->pings)
		pulse->calls->ping(pulse->whose, ++bounds->pings);
	else if (bounds->alives && ++pulse->missed == MISSED_MOST)
		pulse->calls->hung(pulse->whose);
	sd_event_source_set_time_relative(source, pulse->beat_us);
	return sd_event_source_set_enabled(source, SD_EVENT_ONESHOT);
}

int pulse_init(struct pulse *pulse, sd_event *event, struct order_bounds *bounds,
	       const struct pulse_calls *calls, void *whose)
{
	*pulse = (struct pulse){.bounds = bounds,
				.calls = calls,
				.whose = whose,
				.beat_us = choose_beat()};
	return sd_event_add_time_relative(event, &pulse->on_beat, CLOCK_MONOTONIC,
					  pulse->beat_us, 1000, on_beat, pulse);
}

void pulse_free(struct pulse *pulse)
{
	pulse->on_beat = sd_event_source_disable_unref(pulse->on_beat);
}

bool pulse_alive(struct pulse *pulse)
{
	bool first = pulse->bounds->alives++ == 0;

	pulse->missed = 0;
	notify_alive();
	return first;
}
