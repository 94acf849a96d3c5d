/* SPDX-License-Identifier: MIT */
/*
 * Values come into variables: by assignment, by declaration, by patterns, as arguments.
 * Patterns are taken apart to a depth that no reader would go beyond; below it their
 * names get what is unknown.
 */
#include "rootfs/gate_core.h"

#define PATTERN_DEPTH_MOST 24u

void gate_write_variable(struct gate *g, uint32_t variable, struct gate_value value)
{
	struct gate_variable *v = &g->variables[variable];
	struct gate_value joined;

	if (value.kind == GATE_NOTHING)
		value.kind = GATE_UNKNOWN;
	joined = gate_value_join(g, v->next, value);
	if (!g->round && v->read && !gate_value_same(g, joined, v->next))
		g->again = true;
	v->next = joined;
	/* The engine calls them on the global object, to make it a text. */
	if (v->global && value.kind == GATE_FUNCTION &&
	    (gate_is_method_of_all(g->names[v->name].text) ||
	     gate_text_is(g->names[v->name].text, "toJSON") ||
	     gate_text_is(g->names[v->name].text, "then")))
		gate_lose(g, value, v->node);
}

void gate_write(struct gate *g, uint32_t i, struct gate_value value)
{
	struct gate_text name;

	g->values[i] = value;
	if (g->nodes[i].ref != GATE_NONE)
		gate_write_variable(g, g->nodes[i].ref, value);
	else if (gate_text_decode(g, gate_source_of(g, i), &name))
		gate_global_write(g, name, value);
}

static void write_member(struct gate *g, uint32_t target, struct gate_value value)
{
	uint32_t object = gate_child(g, target, field_object);
	uint32_t property = gate_child(g, target, field_property);
	uint32_t index = gate_child(g, target, field_index);
	struct gate_value key = gate_value_of(GATE_UNKNOWN);
	struct gate_text text;

	if (object == GATE_NONE)
		return;
	if (index != GATE_NONE)
		key = g->values[index];
	else if (property != GATE_NONE &&
		 gate_text_decode(g, gate_source_of(g, property), &text))
		key = gate_value_text(text);
	gate_member_write(g, g->values[object], key, value, target);
}

static void bind_to(struct gate *g, uint32_t pattern, struct gate_value value,
		    unsigned depth);

/* The key of a pair, as a value. */
static struct gate_value key_of(struct gate *g, uint32_t pair)
{
	uint32_t key = gate_child(g, pair, field_key);
	struct gate_text raw, text;

	if (key == GATE_NONE)
		return gate_value_of(GATE_UNKNOWN);
	raw = gate_source_of(g, key);
	if (g->nodes[key].kind == sym_computed_property_name) {
		key = gate_first_real(g, key);
		return key == GATE_NONE ? gate_value_of(GATE_UNKNOWN) : g->values[key];
	}
	if (g->nodes[key].kind == sym_number)
		return gate_fold_number(raw);
	if (g->nodes[key].kind == sym_string && raw.len >= 2)
		raw = (struct gate_text){raw.at + 1, raw.len - 2};
	return gate_text_decode(g, raw, &text) ? gate_value_text(text)
					       : gate_value_of(GATE_UNKNOWN);
}

static struct gate_value member_of_name(struct gate *g, struct gate_value object,
					uint32_t name)
{
	struct gate_text raw = gate_source_of(g, name), text;

	return gate_text_decode(g, raw, &text) ? gate_member(g, object, text, name)
					       : gate_value_of(GATE_UNKNOWN);
}

static void bind_default(struct gate *g, uint32_t i, struct gate_value value,
			 unsigned depth)
{
	uint32_t left = gate_child(g, i, field_left),
		 right = gate_child(g, i, field_right);

	if (right != GATE_NONE)
		value = gate_value_join(g, value, g->values[right]);
	if (left != GATE_NONE)
		bind_to(g, left, value, depth + 1);
}

static void bind_property(struct gate *g, uint32_t i, struct gate_value object,
			  unsigned depth)
{
	uint32_t left;

	switch (g->nodes[i].kind) {
	case alias_sym_shorthand_property_identifier_pattern:
		gate_write(g, i, member_of_name(g, object, i));
		break;
	case sym_object_assignment_pattern:
		left = gate_child(g, i, field_left);
		if (left == GATE_NONE)
			break;
		if (g->nodes[left].kind ==
		    alias_sym_shorthand_property_identifier_pattern)
			object = member_of_name(g, object, left);
		bind_default(g, i, object, depth);
		break;
	case sym_pair_pattern:
		left = gate_child(g, i, field_value);
		if (left != GATE_NONE)
			bind_to(g, left,
				gate_member_by(g, object, key_of(g, i),
					       gate_child(g, i, field_key)),
				depth + 1);
		break;
	case sym_rest_pattern:
		if (gate_value_is_global(object))
			gate_signal(g, GATE_SIGNAL_GLOBAL_ENUMERATION, i);
		left = gate_first_real(g, i);
		if (left != GATE_NONE)
			bind_to(g, left, object, depth + 1);
		break;
	default:
		break;
	}
}

static void bind_elements(struct gate *g, uint32_t pattern, struct gate_value list,
			  unsigned depth)
{
	bool known = !(g->nodes[pattern].flags & GATE_NODE_HOLES);
	uint32_t index = 0;

	for (uint32_t i = gate_first_real(g, pattern); i != GATE_NONE;
	     i = gate_next_real(g, i), index++) {
		struct gate_value key = gate_value_of(GATE_UNKNOWN);

		if (g->nodes[i].kind == sym_rest_pattern) {
			uint32_t in = gate_first_real(g, i);

			if (list.kind == GATE_LIST)
				list.flags |= GATE_VALUE_OPAQUE;
			if (in != GATE_NONE)
				bind_to(g, in, list, depth + 1);
			continue;
		}
		if ((list.kind == GATE_LIST || list.kind == GATE_STRING) &&
		    !gate_is_patched(g, (struct gate_text){"next", 4}))
			key = gate_member_by(g, list,
					     known ? gate_value_number(index) : key, i);
		bind_to(g, i, key, depth + 1);
	}
}

static void bind_to(struct gate *g, uint32_t pattern, struct gate_value value,
		    unsigned depth)
{
	TSSymbol kind = g->nodes[pattern].kind;

	if (depth > PATTERN_DEPTH_MOST) {
		for (uint32_t i = pattern; i < g->nodes[pattern].after; i++)
			if (g->nodes[i].flags & (GATE_NODE_DECLARES | GATE_NODE_WRITES) &&
			    gate_is_name(g->nodes[i].kind))
				gate_write(g, i, gate_value_of(GATE_UNKNOWN));
		gate_lose(g, value, pattern);
		gate_patch_any(g, gate_value_of(GATE_PROTO));
		return;
	}
	switch (kind) {
	case sym_identifier:
	case alias_sym_shorthand_property_identifier_pattern:
		gate_write(g, pattern, value);
		break;
	case sym_parenthesized_expression:
	case sym_rest_pattern:
		pattern = gate_first_real(g, pattern);
		if (pattern != GATE_NONE)
			bind_to(g, pattern, value, depth + 1);
		break;
	case sym_assignment_pattern:
		bind_default(g, pattern, value, depth);
		break;
	case sym_array_pattern:
		bind_elements(g, pattern, value, depth);
		break;
	case sym_member_expression:
	case sym_subscript_expression:
		write_member(g, pattern, value);
		break;
	case sym_object_pattern:
		for (uint32_t i = gate_first_real(g, pattern); i != GATE_NONE;
		     i = gate_next_real(g, i))
			bind_property(g, i, value, depth);
		break;
	default:
		break;
	}
}

void gate_bind(struct gate *g, uint32_t pattern, struct gate_value value)
{
	bind_to(g, pattern, value, 0);
}
