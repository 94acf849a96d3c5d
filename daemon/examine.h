/* SPDX-License-Identifier: MIT */
/*
 * quod doctor's checks of quodd itself, in a child of the monitor: the server, which tells
 * them, may try nothing. They are made at the start and after each reload, beside all else:
 * nobody waits for them.
 */
#ifndef QUOD_EXAMINE_H
#define QUOD_EXAMINE_H

#include <stdbool.h>
#include <sys/types.h>
#include <systemd/sd-event.h>

#include "supervisor/doctor.h"

struct examine {
	sd_event *event; /* borrowed */
	/* Rows for findings_read(), which nobody can change any more; the descriptor is
	 * borrowed. */
	void (*done)(void *whose, int fd);
	void *whose;
	int pid_fd, rows_fd; /* of the one under way; owned; -1: there is none */
	pid_t pid;
	sd_event_source *on_end, *on_late;
	bool again;
};

void examine_init(struct examine *examine, sd_event *event,
		  void (*done)(void *whose, int fd), void *whose);
void examine_free(struct examine *examine);

/* Begins, or again when the one that is under way has ended. What fails is logged: then
 * the findings before it stay. */
void examine_begin(struct examine *examine);

#endif
