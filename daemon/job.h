/* SPDX-License-Identifier: MIT */
/*
 * A run in the server: from an exchange to a record, or to events as they happen.
 */
#ifndef QUOD_JOB_H
#define QUOD_JOB_H

#include "daemon/http.h"
#include "daemon/job_body.h"
#include "supervisor/record.h"

/* Begins it, or refuses: the exchange's body is the job. */
enum MHD_Result job_begin(struct exchange *exchange, bool check_only);

/* The exchange was woken. */
enum MHD_Result job_reply(struct job *job, struct exchange *exchange);

/* Its turn has come: it has its place. */
void job_start_waiting(struct waiter *waiter);

/* The run with that id, if it is under way and `tenant`'s (NULL: anybody's), is cancelled;
 * false: it is not. Its client gets its record. */
bool job_cancel(struct server *server, const char *tenant, const char *id);
/*
 * A trial: one line runs with that policy, in this tenant's name but not on his account,
 * and done() gets its record once it is over, which may be before this returns. Errors:
 * -EAGAIN, there is no place; -ENOMEM; then done() is not called.
 */
int job_try(struct server *server, struct tenant *tenant, uint32_t policy,
	    void (*done)(const struct record *record, void *whose), void *whose);

bool job_is_over(const struct job *job);

/* The exchange is over: a run that is not is cancelled. NULL is fine. */
void job_abandon(struct job *job);

#endif
