/* SPDX-License-Identifier: MIT */
#ifndef QUOD_JS_JSON_H
#define QUOD_JS_JSON_H

#include <stdbool.h>

#include "rootfs/out.h"

/* Writes the value at this place (values.h) as compact JSON. False: JSON cannot say all
 * of it, and what was written means nothing. Check out->cut as well. */
bool json_write(int at, struct out *out);

#endif
