/* SPDX-License-Identifier: MIT */
/*
 * The inside of the inspector: one walk over one value. inspect.c shows single things,
 * view_list.c what has members or elements; each calls the other.
 */
#ifndef QUOD_JS_VIEW_H
#define QUOD_JS_VIEW_H

#include <stdbool.h>
#include <stdint.h>

#include "duktape.h"
#include "rootfs/mapset.h"
#include "rootfs/out.h"

#define VIEW_DEPTH_MOST 4u
#define VIEW_ITEMS_MOST 100u

struct view {
	duk_context *ctx;
	struct out *out;
	unsigned depth;
	void *path[VIEW_DEPTH_MOST + 1];
	uint32_t shown; /* items of the innermost list so far */
};

void view_say(struct view *view, const char *text);

/* idx is absolute in all of these; the value stack is left as it was. */
void view_value(struct view *view, duk_idx_t idx);
void view_symbol(struct view *view, duk_idx_t idx);

/* From the opening bracket to the closing one; view->shown must be 0. */
void view_array(struct view *view, duk_idx_t idx);
void view_object(struct view *view, duk_idx_t idx);
void view_map(struct view *view, duk_idx_t idx, enum mapset_kind kind);

#endif
