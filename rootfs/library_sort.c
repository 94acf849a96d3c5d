/* SPDX-License-Identifier: MIT */
/*
 * A stable merge sort from the bottom up: no recursion, n log n whatever the comparing
 * function says. What is sorted are numbers of elements; the elements lie in a list of
 * ours meanwhile, out of reach of the function.
 */
#include <stdbool.h>
#include <stdint.h>
#include <string.h>

#include "rootfs/library.h"
#include "rootfs/peek.h"

/* Value stack: 0 function or undefined, then what open_sort() pushes. */
enum { AT_COMPARE, AT_ARRAY, AT_VALUES, AT_TEXTS, AT_ORDER, AT_SPARE };

struct sort {
	duk_context *ctx;
	uint32_t length, count, undefineds; /* count: elements to be compared */
	bool by_text;
};

static int compare_texts(struct sort *sort, uint32_t a, uint32_t b)
{
	size_t a_len, b_len;
	const char *a_text, *b_text;
	int order;

	duk_get_prop_index(sort->ctx, AT_TEXTS, a);
	duk_get_prop_index(sort->ctx, AT_TEXTS, b);
	a_text = duk_get_lstring(sort->ctx, -2, &a_len);
	b_text = duk_get_lstring(sort->ctx, -1, &b_len);
	order = memcmp(a_text, b_text, a_len < b_len ? a_len : b_len);
	duk_pop_2(sort->ctx);
	return order ? order : (a_len > b_len) - (a_len < b_len);
}

static bool is_after(struct sort *sort, uint32_t a, uint32_t b)
{
	double order;

	if (sort->by_text)
		return compare_texts(sort, a, b) > 0;
	duk_dup(sort->ctx, AT_COMPARE);
	duk_get_prop_index(sort->ctx, AT_VALUES, a);
	duk_get_prop_index(sort->ctx, AT_VALUES, b);
	duk_call(sort->ctx, 2);
	order = duk_to_number(sort->ctx, -1);
	duk_pop(sort->ctx);
	return order > 0;
}

/* Merges [from, middle) and [middle, to) of one buffer into the other. */
static void merge(struct sort *sort, const uint32_t *in, uint32_t *to_buf, uint32_t from,
		  uint32_t middle, uint32_t to)
{
	uint32_t left = from, right = middle;

	for (uint32_t at = from; at < to; at++) {
		if (right == to ||
		    (left < middle && !is_after(sort, in[left], in[right])))
			to_buf[at] = in[left++];
		else
			to_buf[at] = in[right++];
	}
}

/* Returns the buffer in which the order ends up. */
static const uint32_t *sort_order(struct sort *sort, uint32_t *order, uint32_t *spare)
{
	uint64_t n = sort->count;

	for (uint32_t i = 0; i < n; i++)
		order[i] = i;
	for (uint64_t run = 1; run < n; run *= 2) {
		uint32_t *t = order;

		for (uint64_t from = 0; from < n; from += 2 * run) {
			uint64_t middle = from + run < n ? from + run : n;
			uint64_t to = middle + run < n ? middle + run : n;

			merge(sort, order, spare, (uint32_t)from, (uint32_t)middle,
			      (uint32_t)to);
		}
		order = spare;
		spare = t;
	}
	return order;
}

/* Takes over what is there; holes and undefined are only counted. */
static void gather(struct sort *sort)
{
	duk_context *ctx = sort->ctx;

	for (uint32_t i = 0; i < sort->length; i++) {
		if (!duk_has_prop_index(ctx, AT_ARRAY, i))
			continue;
		duk_get_prop_index(ctx, AT_ARRAY, i);
		if (duk_is_undefined(ctx, -1)) {
			sort->undefineds++;
			duk_pop(ctx);
			continue;
		}
		if (sort->by_text) {
			duk_dup_top(ctx);
			duk_to_string(ctx, -1);
			duk_put_prop_index(ctx, AT_TEXTS, sort->count);
		}
		duk_put_prop_index(ctx, AT_VALUES, sort->count++);
	}
}

static void put_back(struct sort *sort, const uint32_t *order)
{
	duk_context *ctx = sort->ctx;
	uint32_t at = 0;

	for (; at < sort->count; at++) {
		duk_get_prop_index(ctx, AT_VALUES, order[at]);
		duk_put_prop_index(ctx, AT_ARRAY, at);
	}
	for (uint32_t i = 0; i < sort->undefineds; i++) {
		duk_push_undefined(ctx);
		duk_put_prop_index(ctx, AT_ARRAY, at++);
	}
	for (; at < sort->length; at++)
		duk_del_prop_index(ctx, AT_ARRAY, at);
}

static void open_sort(struct sort *sort)
{
	duk_context *ctx = sort->ctx;

	if (!duk_is_undefined(ctx, AT_COMPARE))
		duk_require_function(ctx, AT_COMPARE);
	sort->by_text = duk_is_undefined(ctx, AT_COMPARE);
	duk_push_this(ctx);
	duk_to_object(ctx, AT_ARRAY);
	sort->length = (uint32_t)duk_get_length(ctx, AT_ARRAY);
	peek_push_list(ctx);
	peek_push_list(ctx);
}

duk_ret_t library_sort(duk_context *ctx)
{
	struct sort sort = {.ctx = ctx};
	uint32_t *order, *spare;

	open_sort(&sort);
	gather(&sort);
	order = duk_push_fixed_buffer(ctx, (size_t)sort.count * sizeof(*order));
	spare = duk_push_fixed_buffer(ctx, (size_t)sort.count * sizeof(*spare));
	put_back(&sort, sort_order(&sort, order, spare));
	duk_dup(ctx, AT_ARRAY);
	return 1;
}
