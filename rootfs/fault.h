/* SPDX-License-Identifier: MIT */
/*
 * Errors as the report shows them: name, message, place and stack, all read without
 * running a getter, in the coordinates of the user's own file.
 */
#ifndef QUOD_JS_FAULT_H
#define QUOD_JS_FAULT_H

#include <stdint.h>

#include "rootfs/out.h"

/* A place in the user's file, 1-based; 0: not known. */
struct fault_place {
	uint32_t line, column;
};

/* Pushes a string: the name of the error at this place (values.h), which is no Proxy. */
void fault_push_name(int at);

/* The same for its message; empty where it has none that can be read. */
void fault_push_message(int at);

/* The innermost frame in the user's file of the error at this place. */
struct fault_place fault_place(int at);

/* Sends the ERROR frame for what was thrown. `place`: where the compiler stopped, NULL if
 * it was no compile error. */
void fault_send(int at, enum error_phase phase, const struct fault_place *place);

#endif
