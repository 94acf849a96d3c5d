/* SPDX-License-Identifier: MIT */
/*
 * RFC 3339 in UTC with milliseconds, both ways. Not libc's calendar: that reads the time
 * zone's files at its first use, which quod's own filter forbids by then.
 */
#ifndef QUOD_TIMESTAMP_H
#define QUOD_TIMESTAMP_H

#include <stdint.h>

/* What JavaScript's Date can hold. */
#define TIMESTAMP_MOST_MS 8640000000000000ll

#define TIMESTAMP_ROOM 32

/* "2024-02-29T12:00:00.000Z"; years 0 to 9999. */
void timestamp_print(int64_t ms, char text[TIMESTAMP_ROOM]);

/* "2024-02-29T12:00:00Z", with a fraction of 1 to 3 digits and "+01:00" too; or whole
 * milliseconds since 1970, negative ones as well. Errors: -EINVAL, -ERANGE. */
int timestamp_parse(const char *text, int64_t *ret_ms);

#endif
