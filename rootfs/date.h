/* SPDX-License-Identifier: MIT */
/*
 * Dates as text. All of it is UTC: the jail has no time zone.
 */
#ifndef QUOD_JS_DATE_H
#define QUOD_JS_DATE_H

#define DATE_TEXT_BYTES 40

/* ISO 8601 with milliseconds, or "Invalid Date". */
void date_iso_text(double ms, char *text);

#endif
