/* SPDX-License-Identifier: MIT */
#ifndef QUOD_JS_INSPECT_H
#define QUOD_JS_INSPECT_H

#include "rootfs/out.h"

/* The value at this place (values.h) on one line, as a developer console shows it. */
void inspect_write(int at, struct out *out);

/* As people read values: strings as they are, what JSON can say as JSON, else
 * inspect_write(). */
void inspect_write_plain(int at, struct out *out);

#endif
