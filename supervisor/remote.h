/* SPDX-License-Identifier: MIT */
/*
 * A run that a daemon does, told as if it had been done here: its policies stand in for
 * our own, its events and its record go through the same output.
 */
#ifndef QUOD_REMOTE_H
#define QUOD_REMOTE_H

#include "supervisor/client.h"
#include "supervisor/output.h"
#include "supervisor/request.h"

/* A policy of the daemon's, as far as it says what is in it: limits, engine, mode and
 * verdict. */
struct remote_policy {
	struct policy policy; /* borrows the name: it does not move */
	char name[POLICY_NAME_MOST + 1];
};

/* The one of that name; NULL: the one that a job gets if it names none. Returns 0, or the
 * exit code, with *why filled. */
int remote_policy_fetch(const char *socket, const char *name,
			struct remote_policy *ret_policy, struct usage *why);

/* One run there, told and flushed; its policy came from remote_policy_fetch(). This process
 * is confined on the way and can only print and exit afterwards. Returns the exit code. */
int remote_run(const struct request *request, const char *socket, enum output_kind kind);

#endif
