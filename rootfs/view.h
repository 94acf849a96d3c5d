/* SPDX-License-Identifier: MIT */
/*
 * The inside of the inspector: one walk over one value. inspect.c shows single things,
 * view_list.c what has members or elements; each calls the other.
 */
#ifndef QUOD_JS_VIEW_H
#define QUOD_JS_VIEW_H

#include "rootfs/out.h"
#include "rootfs/values.h"

#define VIEW_DEPTH_MOST 4u
#define VIEW_ITEMS_MOST 100u

struct view {
	struct out *out;
	unsigned depth;
	uint64_t path[VIEW_DEPTH_MOST + 1];
	uint32_t shown; /* items of the innermost list so far */
};

void view_say(struct view *view, const char *text);

/* The value stack is left as it was by all of these. */
void view_value(struct view *view, int at);
void view_symbol(struct view *view, int at);

/* From the opening bracket to the closing one; view->shown must be 0. */
void view_array(struct view *view, int at);
void view_object(struct view *view, int at);
void view_map(struct view *view, int at, enum value_kind kind);
void view_promise(struct view *view, int at);

/* " { [cause]: ... }" of an error that has one, and of one that has several errors. */
void view_hidden_members(struct view *view, int at);

#endif
