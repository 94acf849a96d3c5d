/* SPDX-License-Identifier: MIT */
/*
 * A run in the server: from an exchange to a record, or to events as they happen.
 */
#ifndef QUOD_JOB_H
#define QUOD_JOB_H

#include "daemon/http.h"
#include "daemon/job_body.h"

/* Begins it, or refuses: the exchange's body is the job. */
enum MHD_Result job_begin(struct exchange *exchange, bool check_only);

/* The exchange was woken. */
enum MHD_Result job_reply(struct job *job, struct exchange *exchange);

/* Its turn has come: it has its place. */
void job_start_waiting(struct waiter *waiter);

/* The run with that id, if it is under way and `tenant`'s (NULL: anybody's), is cancelled;
 * false: it is not. Its client gets its record. */
bool job_cancel(struct server *server, const char *tenant, const char *id);

bool job_is_over(const struct job *job);

/* The exchange is over: a run that is not is cancelled. NULL is fine. */
void job_abandon(struct job *job);

#endif
