/* SPDX-License-Identifier: MIT */
/*
 * Constructors and methods. One function serves both kinds where they agree; the magic
 * number of each says which kind its `this` must be.
 */
#include "rootfs/mapset.h"
#include "rootfs/peek.h"
#include "rootfs/table.h"

#define LIST_AT_KEY DUK_HIDDEN_SYMBOL("at")

/* What keys(), values() and entries() give inherits from this. */
static void *list_prototype;

static const char *kind_name(uint32_t kind)
{
	return kind == MAPSET_MAP ? "Map" : "Set";
}

/* Pushes `this`, list and table; returns where the list is. Arguments lie below. */
static duk_idx_t open_this(duk_context *ctx)
{
	uint32_t kind = (uint32_t)duk_get_current_magic(ctx) & 3;

	duk_push_this(ctx);
	if (!duk_is_object(ctx, -1) || peek_kind(ctx, -1) == PEEK_PROXY ||
	    !table_push(ctx, -1) ||
	    table_at(ctx, duk_get_top_index(ctx) - 1)->kind != kind)
		(void)duk_type_error(ctx, "this is no %s", kind_name(kind));
	return duk_get_top_index(ctx) - 1;
}

static duk_ret_t map_get(duk_context *ctx)
{
	duk_idx_t list = open_this(ctx);
	uint32_t pair = table_find(ctx, list, 0);

	if (pair == TABLE_NONE)
		return 0;
	table_push_pair(ctx, list, pair);
	return 1;
}

static duk_ret_t map_set(duk_context *ctx)
{
	duk_idx_t list = open_this(ctx);

	table_set(ctx, list, 0, 1);
	duk_push_this(ctx);
	return 1;
}

static duk_ret_t set_add(duk_context *ctx)
{
	duk_idx_t list = open_this(ctx);

	table_set(ctx, list, 0, 0);
	duk_push_this(ctx);
	return 1;
}

static duk_ret_t either_has(duk_context *ctx)
{
	duk_idx_t list = open_this(ctx);

	duk_push_boolean(ctx, table_find(ctx, list, 0) != TABLE_NONE);
	return 1;
}

static duk_ret_t either_delete(duk_context *ctx)
{
	duk_idx_t list = open_this(ctx);
	uint32_t pair = table_find(ctx, list, 0);

	if (pair != TABLE_NONE)
		table_delete(ctx, list, pair);
	duk_push_boolean(ctx, pair != TABLE_NONE);
	return 1;
}

static duk_ret_t either_clear(duk_context *ctx)
{
	table_clear(ctx, open_this(ctx));
	return 0;
}

static duk_ret_t either_size(duk_context *ctx)
{
	duk_push_uint(ctx, table_at(ctx, open_this(ctx))->live);
	return 1;
}

/* [ ... key value ] -> [ ... result ] or [ ... thrown ] */
static duk_int_t call_back(duk_context *ctx)
{
	duk_dup(ctx, 0);
	duk_dup(ctx, 1);
	duk_dup(ctx, -3);
	duk_dup(ctx, -5);
	duk_push_this(ctx);
	return duk_pcall_method(ctx, 3);
}

/* forEach(function, thisArg). The walker is taken off also where the function throws. */
static duk_ret_t either_for_each(duk_context *ctx)
{
	duk_idx_t list = open_this(ctx);
	duk_idx_t top = duk_get_top(ctx);
	duk_int_t failed = 0;

	duk_require_function(ctx, 0);
	table_at(ctx, list)->walkers++;
	for (uint32_t i = 0; !failed && i < table_at(ctx, list)->used; i++) {
		if (!table_push_pair(ctx, list, i))
			continue;
		failed = call_back(ctx);
		if (!failed)
			duk_set_top(ctx, top);
	}
	table_at(ctx, list)->walkers--;
	if (failed)
		return duk_throw(ctx);
	return 0;
}

enum list_of { LIST_KEYS, LIST_VALUES, LIST_ENTRIES };

/* [ ... key value ] -> [ ... item ] */
static void make_item(duk_context *ctx, enum list_of what)
{
	if (what == LIST_ENTRIES) {
		duk_push_array(ctx);
		duk_dup(ctx, -3);
		duk_put_prop_index(ctx, -2, 0);
		duk_dup(ctx, -2);
		duk_put_prop_index(ctx, -2, 1);
		duk_replace(ctx, -3);
		duk_pop(ctx);
		return;
	}
	duk_remove(ctx, what == LIST_KEYS ? -1 : -2);
}

/* Magic: kind | what << 2. A list of what is there now, which has next() as well. */
static duk_ret_t either_list(duk_context *ctx)
{
	duk_idx_t list = open_this(ctx);
	enum list_of what = (enum list_of)(duk_get_current_magic(ctx) >> 2);
	uint32_t used = table_at(ctx, list)->used;
	duk_uarridx_t n = 0;

	peek_push_list(ctx);
	for (uint32_t i = 0; i < used; i++) {
		if (!table_push_pair(ctx, list, i))
			continue;
		make_item(ctx, what);
		duk_put_prop_index(ctx, -2, n++);
	}
	duk_push_heapptr(ctx, list_prototype);
	duk_set_prototype(ctx, -2);
	return 1;
}

static duk_ret_t list_next(duk_context *ctx)
{
	uint32_t at = 0;

	duk_push_this(ctx);
	if (!duk_is_object(ctx, -1) || peek_kind(ctx, -1) != PEEK_ARRAY)
		return duk_type_error(ctx, "this is no iterator");
	duk_push_literal(ctx, LIST_AT_KEY);
	if (peek_own(ctx, 0) == PEEK_DATA)
		at = duk_get_uint(ctx, -1);
	duk_push_object(ctx);
	duk_push_boolean(ctx, at >= peek_length(ctx, 0));
	duk_put_prop_literal(ctx, -2, "done");
	if (at >= peek_length(ctx, 0) || peek_own_index(ctx, 0, at) != PEEK_DATA)
		duk_push_undefined(ctx);
	duk_put_prop_literal(ctx, -2, "value");
	duk_push_uint(ctx, at + 1);
	duk_put_prop_literal(ctx, 0, LIST_AT_KEY);
	return 1;
}

/* [ ... item ] -> [ ... ]: one item of what the constructor was given. */
static void add_item(duk_context *ctx, duk_idx_t list, uint32_t kind)
{
	duk_idx_t item = duk_get_top_index(ctx);

	if (kind == MAPSET_SET) {
		table_set(ctx, list, item, item);
		duk_pop(ctx);
		return;
	}
	if (!duk_is_object(ctx, item))
		(void)duk_type_error(ctx, "a Map is made of [key, value] pairs");
	duk_get_prop_index(ctx, item, 0);
	duk_get_prop_index(ctx, item, 1);
	table_set(ctx, list, item + 1, item + 2);
	duk_pop_3(ctx);
}

/* The argument at 0 becomes something with a length and indices. */
static void flatten_argument(duk_context *ctx)
{
	enum mapset_kind kind;

	if (duk_is_string(ctx, 0))
		duk_to_object(ctx, 0);
	if (!duk_is_object(ctx, 0))
		(void)duk_type_error(ctx, "the argument is not iterable");
	kind = peek_kind(ctx, 0) == PEEK_PROXY ? MAPSET_NONE : mapset_kind(ctx, 0);
	if (kind != MAPSET_NONE) {
		duk_get_prop_string(ctx, 0, kind == MAPSET_MAP ? "entries" : "values");
		duk_dup(ctx, 0);
		duk_call_method(ctx, 0);
		duk_replace(ctx, 0);
	}
	if (!duk_has_prop_literal(ctx, 0, "length"))
		(void)duk_type_error(ctx, "the argument is not iterable");
}

static void add_argument(duk_context *ctx, uint32_t kind)
{
	duk_idx_t list = duk_get_top_index(ctx) - 1;

	flatten_argument(ctx);
	for (duk_uarridx_t i = 0; i < duk_get_length(ctx, 0); i++) {
		duk_get_prop_index(ctx, 0, i);
		add_item(ctx, list, kind);
	}
}

static duk_ret_t either_new(duk_context *ctx)
{
	uint32_t kind = (uint32_t)duk_get_current_magic(ctx);

	if (!duk_is_constructor_call(ctx))
		return duk_type_error(ctx, "%s needs new", kind_name(kind));
	duk_push_this(ctx);
	table_attach(ctx, -1, kind);
	table_push(ctx, -1);
	if (!duk_is_null_or_undefined(ctx, 0))
		add_argument(ctx, kind);
	return 0;
}

struct method {
	const char *name;
	duk_c_function call;
	int args;
	unsigned kinds; /* 1 << MAPSET_* */
	enum list_of what;
};

#define MAPS   (1u << MAPSET_MAP)
#define SETS   (1u << MAPSET_SET)
#define EITHER (MAPS | SETS)

static const struct method methods[] = {
	{"get", map_get, 1, MAPS, 0},
	{"set", map_set, 2, MAPS, 0},
	{"add", set_add, 1, SETS, 0},
	{"has", either_has, 1, EITHER, 0},
	{"delete", either_delete, 1, EITHER, 0},
	{"clear", either_clear, 0, EITHER, 0},
	{"forEach", either_for_each, 2, EITHER, 0},
	{"keys", either_list, 0, EITHER, LIST_KEYS},
	{"values", either_list, 0, EITHER, LIST_VALUES},
	{"entries", either_list, 0, EITHER, LIST_ENTRIES},
};

/* [ ... prototype ] */
static void define_methods(duk_context *ctx, uint32_t kind)
{
	for (unsigned i = 0; i < sizeof(methods) / sizeof(methods[0]); i++) {
		const struct method *m = &methods[i];

		if (!(m->kinds & 1u << kind))
			continue;
		peek_push_native(ctx, m->call, m->args, (int)kind | (int)m->what << 2,
				 m->name);
		peek_define(ctx, -2, m->name);
	}
	duk_push_literal(ctx, "size");
	peek_push_native(ctx, either_size, 0, (int)kind, "size");
	duk_def_prop(ctx, -3, DUK_DEFPROP_HAVE_GETTER | DUK_DEFPROP_SET_CONFIGURABLE);
}

static void define_kind(duk_context *ctx, uint32_t kind)
{
	peek_push_native(ctx, either_new, 1, (int)kind, kind_name(kind));
	duk_push_object(ctx);
	define_methods(ctx, kind);
	duk_dup(ctx, -2);
	peek_define(ctx, -2, "constructor");
	peek_define(ctx, -2, "prototype");
	peek_define(ctx, -2, kind_name(kind));
}

static void define_list_prototype(duk_context *ctx)
{
	duk_push_object(ctx);
	list_prototype = duk_get_heapptr(ctx, -1);
	duk_get_global_literal(ctx, "Array");
	duk_get_prop_literal(ctx, -1, "prototype");
	duk_set_prototype(ctx, -3);
	duk_pop(ctx);
	peek_push_native(ctx, list_next, 0, 0, "next");
	peek_define(ctx, -2, "next");
	duk_push_heap_stash(ctx);
	duk_insert(ctx, -2);
	duk_put_prop_literal(ctx, -2, "list prototype");
	duk_pop(ctx);
}

void mapset_define(duk_context *ctx)
{
	define_list_prototype(ctx);
	duk_push_global_object(ctx);
	define_kind(ctx, MAPSET_MAP);
	define_kind(ctx, MAPSET_SET);
	duk_pop(ctx);
}

enum mapset_kind mapset_kind(duk_context *ctx, duk_idx_t idx)
{
	enum mapset_kind kind;

	if (!table_push(ctx, idx))
		return MAPSET_NONE;
	kind = (enum mapset_kind)table_at(ctx, duk_get_top_index(ctx) - 1)->kind;
	duk_pop_2(ctx);
	return kind;
}

uint32_t mapset_push_entries(duk_context *ctx, duk_idx_t idx)
{
	duk_idx_t list;
	duk_uarridx_t n = 0;

	table_push(ctx, idx);
	list = duk_get_top_index(ctx) - 1;
	peek_push_list(ctx);
	for (uint32_t i = 0; i < table_at(ctx, list)->used; i++) {
		if (!table_push_pair(ctx, list, i))
			continue;
		duk_put_prop_index(ctx, -3, n + 1);
		duk_put_prop_index(ctx, -2, n);
		n += 2;
	}
	duk_replace(ctx, list);
	duk_pop(ctx);
	return n / 2;
}

bool mapset_is_list(duk_context *ctx, duk_idx_t idx)
{
	bool is_list;

	if (!peek_prototype(ctx, idx))
		return false;
	is_list = duk_get_heapptr(ctx, -1) == list_prototype;
	duk_pop(ctx);
	return is_list;
}
