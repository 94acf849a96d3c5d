/* SPDX-License-Identifier: MIT */
/*
 * Map and Set, which the engine lacks.
 */
#ifndef QUOD_JS_MAPSET_H
#define QUOD_JS_MAPSET_H

#include <stdbool.h>
#include <stdint.h>

#include "duktape.h"

/* Defines the globals Map and Set. */
void mapset_define(duk_context *ctx);

enum mapset_kind { MAPSET_NONE, MAPSET_MAP, MAPSET_SET };

/* The value at idx, an object and no Proxy, is a Map or a Set. Runs nothing. */
enum mapset_kind mapset_kind(duk_context *ctx, duk_idx_t idx);

/* Pushes a list of key, value, key, value, ... of a Map or Set; returns its pairs. */
uint32_t mapset_push_entries(duk_context *ctx, duk_idx_t idx);

/* The array at idx is what keys(), values() or entries() gave. */
bool mapset_is_list(duk_context *ctx, duk_idx_t idx);

#endif
