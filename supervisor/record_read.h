/* SPDX-License-Identifier: MIT */
/* A record that a daemon has written, read again. */
#ifndef QUOD_RECORD_READ_H
#define QUOD_RECORD_READ_H

#include "supervisor/json.h"
#include "supervisor/record.h"

/*
 * Fills what tells a run to people and decides the exit code: all but times, usage, logs,
 * the value as JSON and who enforced what. The record is made with record_init(), its
 * bounds hold; *ret_limits are those of the run. The JSON has passed json_check(). Errors:
 * -EPROTO: it is no record that this quod knows, or there is no memory for it.
 */
int record_read(const struct json_span *json, struct record *record,
		struct limits *ret_limits);

/* The object of all limits, none above what a policy may have. */
bool record_read_limits(const struct json_span *value, struct limits *ret_limits);

#endif
