/* SPDX-License-Identifier: MIT */
/*
 * Every number that comes from outside (options, policy files, kernel files) passes
 * through one of these parsers, with its unit and its range.
 *
 * They are strict on purpose: the whole string is the number, with no blank before or
 * after it, no sign, no leading zero, no hexadecimal, no fraction, and nothing wraps
 * around. "01", " 1", "1:", "-1" and 2^64 are errors, never another number.
 */
#ifndef QUOD_NUMBER_H
#define QUOD_NUMBER_H

#include <stdint.h>

/* The closed list of what can be wrong, and how a message says it. */
#define NUMBER_ERRORS(X)                                           \
	X(OK, "ok")                                                \
	X(EMPTY, "is empty")                                       \
	X(SYNTAX, "is not a whole number in plain decimal digits") \
	X(UNIT, "has a missing or unknown unit")                   \
	X(LOW, "is below the least value")                         \
	X(HIGH, "is above the most allowed")

enum number_error {
#define X(name, text) NUMBER_##name,
	NUMBER_ERRORS(X)
#undef X
};

/* "is empty", ... to follow the option's name and the text in a message. Static. */
const char *number_error_text(enum number_error error);

/*
 * All of them: NUMBER_OK and *ret written, or the reason and *ret left as it was. The
 * range is inclusive and in the unit of the result.
 */

/* "0", "17". */
enum number_error number_parse_u64(const char *text, uint64_t least, uint64_t most,
				   uint64_t *ret);
enum number_error number_parse_u32(const char *text, uint32_t least, uint32_t most,
				   uint32_t *ret);

/* "500ms", "5s", "2m", "1h", or seconds without a unit, as systemd has it: "5"; to
 * milliseconds. */
enum number_error number_parse_duration_ms(const char *text, uint64_t least_ms,
					   uint64_t most_ms, uint64_t *ret_ms);

/* "512", "64K", "32M", "1G", also "10KiB", "1MiB", "1GiB": powers of 1024, to bytes. */
enum number_error number_parse_size(const char *text, uint64_t least_bytes,
				    uint64_t most_bytes, uint64_t *ret_bytes);

/* "50%", "200%"; the sign is required. */
enum number_error number_parse_percent(const char *text, uint32_t least, uint32_t most,
				       uint32_t *ret_percent);

#endif
