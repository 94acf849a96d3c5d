/* SPDX-License-Identifier: MIT */
/* libsystemd opens the socket anew for each message: a manager that was restarted is found
 * again. */
#include "daemon/notify.h"

#include <systemd/sd-daemon.h>

#include "supervisor/clock.h"

void notify_ready(void)
{
	(void)sd_notify(0, "READY=1");
}

/* The time is what Type=notify-reload tells this reload from an earlier one by. */
void notify_reloading(void)
{
	(void)sd_notifyf(0, "RELOADING=1\nMONOTONIC_USEC=%llu",
			 (unsigned long long)(clock_mono_ns() / NS_PER_US));
}

void notify_stopping(void)
{
	(void)sd_notify(0, "STOPPING=1");
}

void notify_status(const char *line)
{
	(void)sd_notifyf(0, "STATUS=%s", line);
}

void notify_alive(void)
{
	(void)sd_notify(0, "WATCHDOG=1");
}

uint64_t notify_watchdog_us(void)
{
	uint64_t us = 0;

	return sd_watchdog_enabled(0, &us) > 0 ? us : 0;
}
