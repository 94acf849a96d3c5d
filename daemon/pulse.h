/* SPDX-License-Identifier: MIT */
/*
 * Whether the server still answers. A server that hangs serves nobody, although it lives:
 * the monitor asks it regularly, and tells the service manager that the daemon is alive
 * only when it has answered.
 */
#ifndef QUOD_PULSE_H
#define QUOD_PULSE_H

#include <stdbool.h>
#include <systemd/sd-event.h>

#include "daemon/orders.h"

struct pulse_calls {
	/* At each beat with nothing unanswered: PING has to be sent with that number. */
	void (*ping)(void *whose, uint64_t number);
	/* Too many beats without an answer, after the first sign of life. Once. */
	void (*hung)(void *whose);
	/* At each beat. */
	void (*beat)(void *whose);
};

struct pulse {
	struct order_bounds *bounds; /* its counts of pings and signs of life are ours */
	const struct pulse_calls *calls;
	void *whose;
	uint64_t beat_us;
	unsigned missed; /* beats since the last sign of life */
	sd_event_source *on_beat;
};

/* Errors: what sd-event gives. */
int pulse_init(struct pulse *pulse, sd_event *event, struct order_bounds *bounds,
	       const struct pulse_calls *calls, void *whose);
void pulse_free(struct pulse *pulse);

/* An order ALIVE has come. True: it was the first, the daemon is ready. */
bool pulse_alive(struct pulse *pulse);

#endif
