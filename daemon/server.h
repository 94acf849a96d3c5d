/* SPDX-License-Identifier: MIT */
/*
 * The server: the process of quodd that listens to clients and to guests, and may do
 * nothing else. It is a program of its own, so that nothing of the monitor's memory is in
 * it, and nothing of what it is linked with in the monitor's.
 */
#ifndef QUOD_SERVER_H
#define QUOD_SERVER_H

#include <sys/types.h>
#include <systemd/sd-event.h>

#include "daemon/confined.h"
#include "daemon/http.h"
#include "daemon/keeper.h"
#include "daemon/metrics.h"
#include "daemon/pool.h"
#include "daemon/ready.h"
#include "daemon/store.h"
#include "daemon/tenants.h"

#define SERVER_NAME "quodd-server"

/* Where it finds what it is given. */
#define SERVER_ORDERS_FD  3
#define SERVER_ROSTER_FD  4
#define SERVER_HISTORY_FD 5 /* with SERVER_ARG_HISTORY */
#define SERVER_JOURNAL_FD 6 /* with SERVER_ARG_JOURNAL */
#define SERVER_LISTEN_FD  7 /* and those that follow, SERVER_ARG_LISTENERS of them */

/* What stands in its argv after its name, all numbers. */
enum server_arg {
	SERVER_ARG_UID = 1, /* whom to become where that may be chosen; 0: nobody else */
	SERVER_ARG_GID,
	SERVER_ARG_HISTORY, /* 1: there is a directory for it; 0: it is kept in memory */
	SERVER_ARG_LISTENERS,
	SERVER_ARG_JOURNAL, /* 0, or 1: the journal takes what is logged */
	SERVER_ARGS,
};

struct server {
	sd_event *event;
	struct keeper keeper;
	struct pool pool;
	struct http http;
	struct metrics metrics;
	struct ready ready;
	struct store *store;
	sd_event_source *on_keep; /* the store's housekeeping */
	struct job *jobs;	  /* runs that are not over */
	struct interp interp;	  /* only its name: for messages */
	struct tenants tenants;
	/* The user who has started us, as he is and as we see him in our user namespace. */
	uid_t owner;
	gid_t group;
	struct seen seen;
	bool stopping;
};

/* Told to stop, it ends when the last exchange has. */
void server_leave_if_done(struct server *server);

#endif
