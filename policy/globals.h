/* SPDX-License-Identifier: MIT */
/*
 * The names that a script can find: a list of globals with another one in it has a slip
 * of the pen, or takes a name for one that is there.
 */
#ifndef QUOD_GLOBALS_H
#define QUOD_GLOBALS_H

#include <stdbool.h>

#include "base/text.h"

/* Longer ones than this are none. */
#define GLOBALS_NAME_MOST 60

/* Does any engine have it? If not, those that there are have been offered. */
bool globals_know(const char *name, struct nearest *nearest);

#endif
