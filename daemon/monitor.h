/* SPDX-License-Identifier: MIT */
/*
 * The monitor: the process of quodd that may make jails. It takes orders from the server
 * (daemon/orders.h) and never reads a byte that a tenant wrote.
 */
#ifndef QUOD_MONITOR_H
#define QUOD_MONITOR_H

#include <sys/types.h>

#include "daemon/config.h"
#include "supervisor/interp.h"
#include "supervisor/place.h"

/* Of quodd, where another start would end in the same way. */
#define QUODD_EXIT_CONFIGURATION 2

struct monitor_setup {
	const struct interp *interp;
	const struct run_place *place;
	int orders_fd;	       /* our end of the socket pair */
	pid_t server;	       /* our child */
	struct roster *roster; /* the first */
	/* For config_load(), which reads again at SIGHUP. */
	const char *config_dir;
	const struct config_options *options;
};

/*
 * Serves until the server has ended, by itself, because it was told to (SIGTERM, SIGINT),
 * or because it sent what is no order; then no jail is left. SIGTERM, SIGINT and SIGHUP must
 * be blocked and SIGPIPE ignored. Returns the exit code of quodd.
 */
int monitor_run(const struct monitor_setup *setup);

#endif
