/* SPDX-License-Identifier: MIT */
/*
 * What stands behind Match= in a rule: a kind and a pattern. Only the form is judged
 * here; the gate gives it meaning.
 */
#ifndef QUOD_MATCH_H
#define QUOD_MATCH_H

#include <stddef.h>

#include "policy/keys.h"
#include "policy/rules.h"

/* Bytes on the wire, see JOB in the protocol: its length is one byte. */
#define MATCH_PATTERN_MOST 255u
#define MATCH_HEAD_BYTES   3u

/* How many bytes at the start can be one name of JavaScript; beyond ASCII all may. */
size_t match_name_span(const char *text, size_t len);

/* The pattern stays the value's: *ret_len bytes at ret_match->pattern. Errors: -EINVAL
 * with *fault filled. */
int match_parse(const char *value, struct rule_match *ret_match, size_t *ret_len,
		struct value_fault *fault);

#endif
