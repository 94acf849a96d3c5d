/* SPDX-License-Identifier: MIT */
/* What literals come to: strings, templates, arrays and objects. */
#include "rootfs/gate_core.h"

struct gate_value gate_eval_string(struct gate *g, uint32_t i)
{
	struct gate_text raw = gate_source_of(g, i), text;

	if (raw.len < 2)
		return gate_value_of(GATE_STRINGISH);
	raw = (struct gate_text){raw.at + 1, raw.len - 2};
	return gate_text_decode(g, raw, &text) ? gate_value_text(text)
					       : gate_value_of(GATE_STRINGISH);
}

/* The pieces between substitutions are those of the source: fragments leave out some. */
struct gate_value gate_eval_template(struct gate *g, uint32_t i)
{
	struct gate_value all = gate_value_text((struct gate_text){"", 0});
	uint32_t from = g->nodes[i].start + 1, end = g->nodes[i].end - 1;
	struct gate_text text;

	for (uint32_t part = gate_first(g, i); all.kind == GATE_STRING;
	     part = gate_next(g, part)) {
		uint32_t to;

		while (part != GATE_NONE &&
		       g->nodes[part].kind != sym_template_substitution)
			part = gate_next(g, part);
		to = part == GATE_NONE ? end : g->nodes[part].start;
		if (to < from ||
		    !gate_text_decode(g, (struct gate_text){g->source + from, to - from},
				      &text))
			return gate_value_of(GATE_STRINGISH);
		all = gate_value_concat(g, all, gate_value_text(text));
		if (part == GATE_NONE)
			break;
		if (all.kind == GATE_STRING)
			all = gate_value_concat(g, all, g->values[part]);
		from = g->nodes[part].end;
	}
	return all;
}

struct gate_value gate_eval_array(struct gate *g, uint32_t i)
{
	struct gate_value list = {.kind = GATE_LIST, .first = g->list_count};

	if (g->nodes[i].flags & GATE_NODE_HOLES)
		list.flags |= GATE_VALUE_OPAQUE;
	for (uint32_t part = gate_first_real(g, i); part != GATE_NONE;
	     part = gate_next_real(g, part)) {
		if (g->list_count >= GATE_LIST_SUM_MOST) {
			list.flags |= GATE_VALUE_OPAQUE;
			break;
		}
		if (g->nodes[part].kind == sym_spread_element)
			list.flags |= GATE_VALUE_OPAQUE;
		gate_room(&g->list, g->list_count, &g->list_room, sizeof(*g->list));
		g->list[g->list_count++] = g->values[part];
		list.n++;
	}
	return list;
}

/* A key by which it becomes a text, or that is not known. */
static bool is_lively_key(struct gate *g, uint32_t key)
{
	struct gate_text raw, text;

	if (key == GATE_NONE || g->nodes[key].kind == sym_computed_property_name)
		return true;
	raw = gate_source_of(g, key);
	if (g->nodes[key].kind == sym_string && raw.len >= 2)
		raw = (struct gate_text){raw.at + 1, raw.len - 2};
	return !gate_text_decode(g, raw, &text) || gate_text_is(text, "toString") ||
	       gate_text_is(text, "valueOf") || gate_text_is(text, "__proto__");
}

/* Could something of it run when a property is read or it becomes a text, or are its keys
 * not all known? */
static bool is_lively(struct gate *g, uint32_t part)
{
	switch (g->nodes[part].kind) {
	case sym_spread_element:
	case sym_method_definition:
		return true;
	case sym_pair:
		return is_lively_key(g, gate_child(g, part, field_key));
	default:
		return g->values[part].kind >= GATE_PROTO;
	}
}

struct gate_value gate_eval_object(struct gate *g, uint32_t i)
{
	struct gate_value object = {.kind = GATE_OBJECT, .node = i};

	for (uint32_t part = gate_first_real(g, i); part != GATE_NONE;
	     part = gate_next_real(g, part)) {
		if (g->nodes[part].kind == sym_spread_element &&
		    gate_value_is_global(g->values[part]))
			return g->values[part];
		if (is_lively(g, part))
			object.flags |= GATE_VALUE_OPAQUE;
	}
	return object;
}
