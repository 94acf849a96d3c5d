/* SPDX-License-Identifier: MIT */
/*
 * Open addressing with linear steps. A deleted pair stays in its slot until the next
 * rebuild and matches nothing.
 */
#include <string.h>

#include "rootfs/peek.h"
#include "rootfs/table.h"

#define LIST_KEY    DUK_HIDDEN_SYMBOL("list")
#define TABLE_KEY   DUK_HIDDEN_SYMBOL("table")
#define SLOTS_FIRST 8u

static size_t table_bytes(uint32_t slots)
{
	return sizeof(struct table) + (size_t)slots * sizeof(uint32_t);
}

void table_attach(duk_context *ctx, duk_idx_t idx, uint32_t kind)
{
	struct table *table;

	idx = duk_normalize_index(ctx, idx);
	table = duk_push_dynamic_buffer(ctx, table_bytes(SLOTS_FIRST));
	memset(table, 0, table_bytes(SLOTS_FIRST));
	table->kind = kind;
	table->mask = SLOTS_FIRST - 1;
	duk_put_prop_literal(ctx, idx, TABLE_KEY);
	peek_push_list(ctx);
	duk_put_prop_literal(ctx, idx, LIST_KEY);
}

bool table_push(duk_context *ctx, duk_idx_t idx)
{
	idx = duk_normalize_index(ctx, idx);
	duk_push_literal(ctx, LIST_KEY);
	if (peek_own(ctx, idx) != PEEK_DATA)
		return false;
	duk_push_literal(ctx, TABLE_KEY);
	peek_own(ctx, idx);
	return true;
}

struct table *table_at(duk_context *ctx, duk_idx_t list)
{
	return duk_get_buffer_data(ctx, list + 1, NULL);
}

static bool key_equals(duk_context *ctx, duk_idx_t list, uint32_t pair, duk_idx_t key)
{
	bool same;

	peek_own_index(ctx, list, 2 * pair);
	same = peek_same_value_zero(ctx, -1, key);
	duk_pop(ctx);
	return same;
}

uint32_t table_find(duk_context *ctx, duk_idx_t list, duk_idx_t key)
{
	const struct table *table = table_at(ctx, list);
	uint32_t at = (uint32_t)peek_hash(ctx, key) & table->mask;

	for (; table->slots[at]; at = (at + 1) & table->mask)
		if (key_equals(ctx, list, table->slots[at] - 1, key))
			return table->slots[at] - 1;
	return TABLE_NONE;
}

static void slot_fill(duk_context *ctx, struct table *table, duk_idx_t key, uint32_t pair)
{
	uint32_t at = (uint32_t)peek_hash(ctx, key) & table->mask;

	while (table->slots[at])
		at = (at + 1) & table->mask;
	table->slots[at] = pair + 1;
}

bool table_push_pair(duk_context *ctx, duk_idx_t list, uint32_t pair)
{
	peek_own_index(ctx, list, 2 * pair);
	if (duk_is_pointer(ctx, -1)) {
		duk_pop(ctx);
		return false;
	}
	peek_own_index(ctx, list, 2 * pair + 1);
	return true;
}

/* Moves the living pairs together. */
static void compact(duk_context *ctx, duk_idx_t list)
{
	struct table *table = table_at(ctx, list);
	uint32_t to = 0;

	for (uint32_t from = 0; from < table->used; from++) {
		if (!table_push_pair(ctx, list, from))
			continue;
		duk_put_prop_index(ctx, list, 2 * to + 1);
		duk_put_prop_index(ctx, list, 2 * to);
		to++;
	}
	table->used = to;
	duk_set_length(ctx, list, 2 * (duk_size_t)to);
}

static void rebuild(duk_context *ctx, duk_idx_t list)
{
	struct table *table = table_at(ctx, list);
	uint32_t slots = SLOTS_FIRST;

	if (!table->walkers)
		compact(ctx, list);
	while (slots < 4 * (table->used + 1))
		slots *= 2;
	table = duk_resize_buffer(ctx, list + 1, table_bytes(slots));
	table->mask = slots - 1;
	memset(table->slots, 0, slots * sizeof(table->slots[0]));
	for (uint32_t pair = 0; pair < table->used; pair++) {
		if (!table_push_pair(ctx, list, pair))
			continue;
		slot_fill(ctx, table, -2, pair);
		duk_pop_2(ctx);
	}
}

static void drop_sign_of_zero(duk_context *ctx, duk_idx_t idx)
{
	if (!duk_is_number(ctx, idx) || duk_get_number(ctx, idx) != 0)
		return;
	duk_push_uint(ctx, 0);
	duk_replace(ctx, idx);
}

void table_set(duk_context *ctx, duk_idx_t list, duk_idx_t key, duk_idx_t value)
{
	uint32_t pair = table_find(ctx, list, key);
	struct table *table;

	drop_sign_of_zero(ctx, key);
	if (pair != TABLE_NONE) {
		duk_dup(ctx, value);
		duk_put_prop_index(ctx, list, 2 * pair + 1);
		return;
	}
	if (2 * (table_at(ctx, list)->used + 1) > table_at(ctx, list)->mask)
		rebuild(ctx, list);
	pair = table_at(ctx, list)->used;
	duk_dup(ctx, key);
	duk_put_prop_index(ctx, list, 2 * pair);
	duk_dup(ctx, value);
	duk_put_prop_index(ctx, list, 2 * pair + 1);
	table = table_at(ctx, list);
	table->used++;
	table->live++;
	slot_fill(ctx, table, key, pair);
}

void table_delete(duk_context *ctx, duk_idx_t list, uint32_t pair)
{
	duk_push_pointer(ctx, NULL);
	duk_put_prop_index(ctx, list, 2 * pair);
	duk_push_undefined(ctx);
	duk_put_prop_index(ctx, list, 2 * pair + 1);
	table_at(ctx, list)->live--;
}

void table_clear(duk_context *ctx, duk_idx_t list)
{
	uint32_t used = table_at(ctx, list)->used;

	for (uint32_t pair = 0; pair < used; pair++) {
		if (!table_push_pair(ctx, list, pair))
			continue;
		duk_pop_2(ctx);
		table_delete(ctx, list, pair);
	}
	rebuild(ctx, list);
}
