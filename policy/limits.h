/* SPDX-License-Identifier: MIT */
/*
 * The limits of a run, as one table: every list of them anywhere (record, policy files,
 * options, documentation) is made from it.
 *
 * A value below `least` cannot even start an interpreter or means nothing, one above
 * `most` would break a bound that the code relies on. No policy goes outside; a job may
 * go below its policy and never above.
 */
#ifndef QUOD_LIMITS_H
#define QUOD_LIMITS_H

#include <stdint.h>

#include "base/number.h"

#define LIMITS_KIB 1024ull
#define LIMITS_MIB (1024ull * 1024)

/*
 * Threads count as well. So many are a thirty-second of the process ids that a host has
 * where nobody has raised kernel.pid_max, and die within the wait of the last kill.
 */
#define LIMITS_TASKS_MOST 1024

/* X(id and record key, unit, least, most, key in policy files, what it bounds) */
#define LIMITS_TABLE(X)                                                             \
	X(wall_ms, DURATION, 1, 3600000, "RuntimeMaxSec", "wall time")              \
	X(cpu_ms, DURATION, 1, 3600000, "CPUTimeMaxSec", "CPU time")                \
	X(cpu_percent, PERCENT, 1, 6400, "CPUQuota", "share of one CPU")            \
	X(memory_bytes, SIZE, LIMITS_MIB, 2048 * LIMITS_MIB, "MemoryMax", "memory") \
	X(source_bytes, SIZE, 1, LIMITS_MIB, "SourceMax", "source size")            \
	X(stack_frames, COUNT, 10, 10000, "StackFramesMax", "call depth")           \
	X(value_bytes, SIZE, 16, 4 * LIMITS_MIB, "ValueMax", "size of the value")   \
	X(log_bytes, SIZE, 0, 16 * LIMITS_MIB, "LogMax", "size of the log")         \
	X(log_lines, COUNT, 0, 100000, "LogLinesMax", "lines of the log")           \
	X(processes, COUNT, 1, LIMITS_TASKS_MOST, "TasksMax", "processes")

enum limit_id {
#define X(id, unit, least, most, key, what) LIMIT_ID_##id,
	LIMITS_TABLE(X)
#undef X
		LIMIT_IDS
};

enum limit_unit {
	LIMIT_UNIT_DURATION, /* milliseconds */
	LIMIT_UNIT_SIZE,     /* bytes */
	LIMIT_UNIT_COUNT,
	LIMIT_UNIT_PERCENT,
};

struct limits {
	uint64_t value[LIMIT_IDS];
};

struct limit_info {
	const char *name; /* key in the record */
	const char *key;  /* key in a policy file */
	const char *what; /* for messages */
	enum limit_unit unit;
	uint64_t least, most;
};

extern const struct limit_info limit_infos[LIMIT_IDS];

/*
 * What a jail is given above the JavaScript heap: the interpreter's own data, the job's
 * source and input, and the buffers in which the value is encoded.
 */
#define LIMITS_MEMORY_OVERHEAD (10 * LIMITS_MIB)

/* Most bytes that limits_print() writes, with the NUL. */
#define LIMIT_TEXT_MOST 32

/* "5 s", "64 KiB", "100 %", "1000": the way people write it, exact. */
void limits_print(enum limit_id id, uint64_t value, char text[LIMIT_TEXT_MOST]);

/* "5s", "64K", "100%", "1000": as a policy file has it, exact. */
void limits_write(enum limit_id id, uint64_t value, char text[LIMIT_TEXT_MOST]);

/*
 * Reads what a policy file has. Outside least and most is NUMBER_LOW and NUMBER_HIGH.
 */
enum number_error limits_parse(enum limit_id id, const char *text, uint64_t *ret_value);

/*
 * Lowers one limit. CPU time never stays above wall time. Errors: -ERANGE (outside least
 * and most), -EPERM (above what `limits` holds); limits is then unchanged.
 */
int limits_lower(struct limits *limits, enum limit_id id, uint64_t value);

#endif
