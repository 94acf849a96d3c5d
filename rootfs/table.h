/* SPDX-License-Identifier: MIT */
/*
 * The hash table under Map and Set: keys by SameValueZero, kept in the order in which
 * they came.
 *
 *	list   [ key, value, key, value, ... ], an engine array that keeps them alive;
 *	       a pair that was deleted has a native pointer for a key, which no script has
 *	table  a buffer: this struct, then 2^n slots with the number of a pair + 1
 *
 * Both hang on their owner under hidden keys. While someone walks the list (`walkers`)
 * no pair moves, so a walk is a number that counts up and sees what is added during it.
 */
#ifndef QUOD_JS_TABLE_H
#define QUOD_JS_TABLE_H

#include <stdbool.h>
#include <stdint.h>

#include "duktape.h"

struct table {
	uint32_t kind; /* the owner's */
	uint32_t live; /* pairs */
	uint32_t used; /* pairs and deleted pairs */
	uint32_t walkers;
	uint32_t mask; /* slots - 1 */
	uint32_t slots[];
};

/* Gives the object at idx an empty table. */
void table_attach(duk_context *ctx, duk_idx_t idx, uint32_t kind);

/* Pushes the list, then the table's buffer, of the object at idx, which is no Proxy.
 * False: it has none and nothing was pushed. All functions below want them at list and
 * list + 1. */
bool table_push(duk_context *ctx, duk_idx_t idx);

/* Valid until the next change. */
struct table *table_at(duk_context *ctx, duk_idx_t list);

/* Number of the pair whose key is at idx; TABLE_NONE. */
#define TABLE_NONE UINT32_MAX
uint32_t table_find(duk_context *ctx, duk_idx_t list, duk_idx_t key);

/* Adds or changes. A key of -0 becomes 0 where it stands on the stack. */
void table_set(duk_context *ctx, duk_idx_t list, duk_idx_t key, duk_idx_t value);
void table_delete(duk_context *ctx, duk_idx_t list, uint32_t pair);
void table_clear(duk_context *ctx, duk_idx_t list);

/* Pushes key and value of a pair; false and nothing if it was deleted. */
bool table_push_pair(duk_context *ctx, duk_idx_t list, uint32_t pair);

#endif
