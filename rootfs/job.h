/* SPDX-License-Identifier: MIT */
/*
 * The job as it comes in on fd 0. The host is believed, but not its bytes: what breaks
 * the protocol ends the process before anything of it is used.
 */
#ifndef QUOD_JS_JOB_H
#define QUOD_JS_JOB_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "rootfs/protocol.h"

/* What job_read() needs for the texts of the largest job, and a NUL after each. */
#define JOB_TEXT_BYTES                                                       \
	(JOB_SOURCE_MOST + JOB_INPUT_MOST + JOB_NAME_MOST + JOB_RULES_MOST + \
	 JOB_GLOBALS_MOST + 5u)

struct job {
	uint32_t flags;
	enum job_engine engine;
	uint64_t heap_bytes, seed;
	int64_t now_ms;
	uint32_t stack_frames, value_bytes, log_bytes, log_lines;
	/* Each with a NUL after it; in the room given. */
	char *source, *input, *name, *rules, *globals;
	uint32_t source_len, input_len, name_len, rules_len, globals_len;
};

/* False: end of file before the first byte, there is no job. */
bool job_read(struct job *job, char *room);

/* The source without what no parser of scripts takes: a byte order mark; "#!" becomes a
 * comment of the same length. */
const char *job_plain_source(const struct job *job, size_t *ret_len);

/* False: end of file, the job is not to run. */
bool job_wait_go(uint32_t *ret_flags);

#endif
