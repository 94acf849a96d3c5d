/* SPDX-License-Identifier: MIT */
/*
 * What one value of somebody's JSON says, where it has to be of a certain type. All of it
 * has passed json_check(); a span that is not there (at == NULL) is of no type.
 */
#ifndef QUOD_JSON_VALUE_H
#define QUOD_JSON_VALUE_H

#include <stdint.h>

#include "supervisor/json.h"

bool json_is_null(const struct json_span *value);

/* False: it is not of that type, or not one of those; *ret is then as it was. */
bool json_get_bool(const struct json_span *value, bool *ret);
bool json_get_u64(const struct json_span *value, uint64_t most, uint64_t *ret);
bool json_get_choice(const struct json_span *value, const char *const *names,
		     size_t count, unsigned *ret);
/* Added to `to`, whose failure is false too. */
bool json_get_text(const struct json_span *value, struct text *to);

#endif
