/* SPDX-License-Identifier: MIT */
/*
 * A judgement in progress: shared by oracle.c (which ending it is) and oracle_record.c
 * (the record, field by field). A check is true if all is well, else the fault is noted.
 */
#ifndef QUOD_TESTS_ORACLE_INTERNAL_H
#define QUOD_TESTS_ORACLE_INTERNAL_H

#include <jansson.h>
#include <string.h>

#include "tests/race/oracle.h"

#define LOG_LINES_MOST 1000u
#define EVENTS_MOST    2048u

struct judging {
	const struct round *round;
	const struct launched *launched;
	struct verdict *verdict;
	json_t *record; /* owned; NULL: none came */
	json_t *events[EVENTS_MOST];
	unsigned events_count;
	bool guest_won;		     /* the act decided */
	const struct ending *ending; /* that the record has to be */
};

/* Always false, so that checks read: return x || oracle_fault(...). */
bool oracle_fault(struct judging *j, const char *format, ...)
	__attribute__((format(printf, 2, 3)));

/* oracle_record.c. The keys are checked before anything is looked up. */
bool oracle_check_keys(struct judging *j);
bool oracle_check_line(struct judging *j, const json_t *line, size_t index, bool cut);
bool oracle_check_fields(struct judging *j);

static inline unsigned flags_of(const struct judging *j)
{
	return j->round->pairing->act->flags;
}

static inline const char *str(const json_t *object, const char *key)
{
	const char *s = json_string_value(json_object_get(object, key));

	return s ? s : "null";
}

static inline double number(const json_t *object, const char *key)
{
	return json_number_value(json_object_get(object, key));
}

static inline bool is_null(const json_t *object, const char *key)
{
	return json_is_null(json_object_get(object, key));
}

#endif
