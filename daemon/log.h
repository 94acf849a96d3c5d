/* SPDX-License-Identifier: MIT */
/*
 * What quodd tells its operator: one line on stderr, with the process that says it, or,
 * where stderr is the journal, an entry of it with fields.
 */
#ifndef QUOD_LOG_H
#define QUOD_LOG_H

#include <stdbool.h>
#include <stddef.h>

/*
 * What scripts may look for: an entry has MESSAGE_ID then. quodd(8) lists them.
 * X(id, MESSAGE_ID, priority as in syslog(3), what has happened)
 */
#define LOG_EVENTS(X)                                                                 \
	X(READY, "bd0b9b772994413290c80f1281e9e829", 5, "clients are served")         \
	X(STOPPING, "784800fd951e4c07847f4e339bb789f1", 5, "told to stop")            \
	X(RUN_OVER, "260d5dac21fa4b8c9570ca6341ea4ecd", 6, "a run is over")           \
	X(SERVER_LOST, "75b8708e68da44eeafabaa1de8ff8200", 2, "the server has ended") \
	X(SERVER_HUNG, "04b4f0d5cc7c456383627c53401859fa", 2, "the server hangs")     \
	X(SERVER_FAULT, "638f34c88aa54389a2b51e97ef6d1262", 1, "it sent what is no order")

enum log_event_id {
#define X(id, message_id, priority, what) LOG_##id,
	LOG_EVENTS(X)
#undef X
		LOG_EVENTS_COUNT
};

/* The name in capitals; the value may be anybody's, and NULL is left out. */
struct log_field {
	const char *name, *value;
};

/* "quodd: " or, once named, "quodd NAME: ". Static. */
void log_name(const char *name);

void log_say(const char *format, ...) __attribute__((format(printf, 1, 2)));

/* On stderr without its fields; what is no trouble (5 and above) goes to the journal
 * alone. */
void log_event(enum log_event_id id, const struct log_field *fields, size_t count,
	       const char *format, ...) __attribute__((format(printf, 4, 5)));

/* Finds out whether stderr is the journal's: then a line there has a priority for a name. */
void log_find_stream(void);
/* It is: another process has found out. */
void log_to_stream(void);

/* A new socket to the journal, the caller's; -1: stderr is something else, or there is no
 * way to it. */
int log_new_journal(void);

/* From now on entries go there (borrowed); -1: to stderr. */
void log_to_journal(int fd);

#endif
