/* SPDX-License-Identifier: MIT */
/*
 * What quodd.conf(5) can say, as two tables: settings, which the daemon has once, and
 * terms, which each tenant has. The reader of the files, the manual's test and both
 * processes go by them. Like limits, all of them are numbers.
 */
#ifndef QUOD_TERMS_H
#define QUOD_TERMS_H

#include <stdbool.h>
#include <stdint.h>

#include "policy/limits.h"

#define TERMS_RUNS_MOST 512

enum term_kind {
	TERM_COUNT,
	TERM_DURATION, /* milliseconds */
	TERM_SIZE,     /* bytes */
	TERM_SWITCH,   /* 0 or 1 */
};

/* X(id, section, key, kind, least, most, without a word) */
#define SETTINGS_TABLE(X)                                                          \
	X(RUNS, "Daemon", "Runs", COUNT, 1, TERMS_RUNS_MOST, 16)                   \
	X(DRAIN_MS, "Daemon", "DrainSec", DURATION, 0, 3600000, 30000)             \
	X(POOL_LEAST, "Pool", "Least", COUNT, 0, TERMS_RUNS_MOST, 0)               \
	X(POOL_MOST, "Pool", "Most", COUNT, 0, TERMS_RUNS_MOST, 16)                \
	X(POOL_TOTAL, "Pool", "Total", COUNT, 0, TERMS_RUNS_MOST, 64)              \
	X(POOL_EXPIRE_MS, "Pool", "ExpireSec", DURATION, 1000, 600000, 60000)      \
	X(HISTORY_AGE_MS, "History", "MaxAgeSec", DURATION, 1000, 31622400000000,  \
	  2592000000)                                                              \
	X(HISTORY_BYTES, "History", "MaxSize", SIZE, LIMITS_MIB, LIMITS_MIB << 20, \
	  256 * LIMITS_MIB)

/* X(id, key, kind, least, most, without a word); those of memory and tasks that are 0 are
 * not limited */
#define TERMS_TABLE(X)                                                     \
	X(RUNS, "RunsMax", COUNT, 1, TERMS_RUNS_MOST, 4)                   \
	X(QUEUE, "QueueMax", COUNT, 0, 10000, 64)                          \
	X(QUEUE_MS, "QueueMaxSec", DURATION, 1, 3600000, 30000)            \
	X(RATE_BURST, "RateLimitBurst", COUNT, 0, 1000000, 0)              \
	X(RATE_MS, "RateLimitIntervalSec", DURATION, 1, 3600000, 1000)     \
	X(WEIGHT, "CPUWeight", COUNT, 1, 10000, 100)                       \
	X(MEMORY, "MemoryMax", SIZE, 16 * LIMITS_MIB, LIMITS_MIB << 20, 0) \
	X(TASKS, "TasksMax", COUNT, 1, 1000000, 0)                         \
	X(OPERATOR, "Operator", SWITCH, 0, 1, 0)

enum setting_id {
#define X(id, section, key, kind, least, most, otherwise) SETTING_##id,
	SETTINGS_TABLE(X)
#undef X
		SETTING_IDS
};

enum term_id {
#define X(id, key, kind, least, most, otherwise) TERM_##id,
	TERMS_TABLE(X)
#undef X
		TERM_IDS
};

struct term_info {
	const char *section, *key;
	enum term_kind kind;
	uint64_t least, most, otherwise;
};

extern const struct term_info setting_infos[SETTING_IDS];
extern const struct term_info term_infos[TERM_IDS];

struct settings {
	uint64_t value[SETTING_IDS];
};

struct terms {
	uint64_t value[TERM_IDS];
};

void settings_init(struct settings *settings);
void terms_init(struct terms *terms);

/* Room for the range of one, as a message says it. */
#define TERM_RANGE_ROOM 96

/* What a file has, into *ret_value. Else NULL is not returned but what is wrong, static;
 * `range` then says what may be, if that helps. */
const char *term_parse(const struct term_info *info, const char *text,
		       uint64_t *ret_value, char range[TERM_RANGE_ROOM]);

#endif
