/* SPDX-License-Identifier: MIT */
/*
 * What the monitor tells the service manager that started it, over $NOTIFY_SOCKET; where
 * there is none, nothing is told. Nothing here fails: a manager that cannot be told must
 * not stop a daemon.
 */
#ifndef QUOD_NOTIFY_H
#define QUOD_NOTIFY_H

#include <stdint.h>

/* Clients are served; also the end of a reload. */
void notify_ready(void);
/* A reload begins; notify_ready() has to follow, also when it has changed nothing. */
void notify_reloading(void);
/* From now on it only finishes what it has. */
void notify_stopping(void);
/* One line for `systemctl status`. */
void notify_status(const char *line);
/* Both processes were seen alive. */
void notify_alive(void);

/* How often that is wanted at least, in microseconds; 0: not at all. */
uint64_t notify_watchdog_us(void);

#endif
