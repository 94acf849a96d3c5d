/* SPDX-License-Identifier: MIT */
#include <math.h>
#include <string.h>

#include "rootfs/library.h"
#include "rootfs/peek.h"

static void push_home(duk_context *ctx, const struct library_entry *entry)
{
	duk_get_global_string(ctx, entry->object);
	if (!entry->prototype)
		return;
	duk_get_prop_literal(ctx, -1, "prototype");
	duk_remove(ctx, -2);
}

static int shares_home(const struct library_entry *a, const struct library_entry *b)
{
	return a->prototype == b->prototype && !strcmp(a->object, b->object);
}

static void define_table(duk_context *ctx, const struct library_entry *table)
{
	const struct library_entry *entry;

	for (entry = table; entry->name; entry++) {
		if (entry == table || !shares_home(entry, entry - 1)) {
			duk_set_top(ctx, 0);
			push_home(ctx, entry);
		}
		peek_push_native(ctx, entry->call, entry->args, entry->magic,
				 entry->name);
		peek_define(ctx, -2, entry->name);
	}
	duk_set_top(ctx, 0);
}

double library_index(double at, double length)
{
	at = isnan(at) ? 0 : trunc(at);
	if (at < 0)
		at += length;
	return at < 0 || at >= length ? -1 : at;
}

void library_define(duk_context *ctx)
{
	define_table(ctx, library_array);
	define_table(ctx, library_string);
	define_table(ctx, library_object);
}
