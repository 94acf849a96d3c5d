/* SPDX-License-Identifier: MIT */
/* What quodd tells its operator: one line on stderr, with the process that says it. */
#ifndef QUOD_LOG_H
#define QUOD_LOG_H

/* "quodd: " or, once named, "quodd NAME: ". Static. */
void log_name(const char *name);
void log_say(const char *format, ...) __attribute__((format(printf, 1, 2)));

#endif
