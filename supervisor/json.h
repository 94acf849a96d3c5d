/* SPDX-License-Identifier: MIT */
/*
 * JSON as quod needs it: a validator that takes any nesting in bounded memory and lets
 * every number through that the grammar allows (a general parser turns 0.1 and 1e20 into
 * something else or refuses them), and a writer of strings.
 */
#ifndef QUOD_JSON_H
#define QUOD_JSON_H

#include <stdbool.h>
#include <stddef.h>

#include "base/text.h"

/* Containers within containers; deeper is refused. */
#define JSON_DEPTH_MOST 4096u

enum json_flag {
	JSON_COMPACT_ONLY = 1 << 0, /* no white space between tokens */
};

/*
 * Checks for exactly one JSON value (RFC 8259). The bytes must be valid UTF-8 already.
 * Escaped surrogates must come in pairs: much else that reads the record insists on it.
 * Returns len if all is well, else the offset of the first byte that is wrong (which is
 * also len if only the end is missing: *ret_valid tells).
 */
size_t json_check(const char *json, size_t len, unsigned flags, bool *ret_valid);

/* A stretch of somebody's JSON. */
struct json_span {
	const char *at;
	size_t len;
};

/*
 * The members of an object, one after the other: json_walk_object() until json_walk_next() is
 * false. The JSON must have passed json_check(). A name comes with its quotes.
 */
struct json_walk {
	const char *at, *end;
};

/* False: it is no object. */
bool json_walk_object(const char *json, size_t len, struct json_walk *ret_walk);
bool json_walk_next(struct json_walk *walk, struct json_span *ret_name,
		    struct json_span *ret_value);

/* The same for the values of an array. */
bool json_walk_array(const char *json, size_t len, struct json_walk *ret_walk);
bool json_walk_next_value(struct json_walk *walk, struct json_span *ret_value);

/*
 * The values of those members of an object that have these names; at == NULL: it is not
 * there. Others are passed over. The JSON must have passed json_check(). False: it is no
 * object, or one of them is there twice.
 */
bool json_pick(const struct json_span *object, const char *const *names,
	       struct json_span *ret_values, size_t count);

/*
 * The values of an object that has exactly these members, each once, in any order. The
 * JSON must have passed json_check(). Names are compared as they are written.
 */
bool json_members(const char *json, size_t len, const char *const *names,
		  struct json_span *ret_values, size_t count);

/* Adds what a string (with its quotes, checked) stands for. False: it is no string. */
bool json_add_unescaped(struct text *to, const struct json_span *string);

/* Adds "..." with what must be escaped escaped. Bytes that are not UTF-8 become U+FFFD.
 */
void json_add_string(struct text *to, const char *bytes, size_t len);

/* The same for a C string, or null for NULL. */
void json_add_str(struct text *to, const char *str);

#endif
