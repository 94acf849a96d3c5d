/* SPDX-License-Identifier: MIT */
/* The id of a run: a ULID, so that ids sort by time and need no registry. */
#ifndef QUOD_RUNID_H
#define QUOD_RUNID_H

#include <stdbool.h>
#include <stdint.h>

#define RUNID_LEN 26
/* Of these the time; what follows is random. */
#define RUNID_TIME_LEN 10

/* 48 bits of milliseconds, then 80 of randomness; pure. */
void runid_format(int64_t ms, const unsigned char random[10], char id[RUNID_LEN + 1]);

/* Errors: what getrandom(2) gives. */
int runid_make(int64_t ms, char id[RUNID_LEN + 1]);

/* Could it be one? Pure. */
bool runid_is_valid(const char *id);

#endif
