/* SPDX-License-Identifier: MIT */
/*
 * Values that go to where they are not followed: into an array or a property, to a
 * function that is not known, out of one by throw or yield. The global object must not: it
 * could come back from anywhere, and any name could be looked up in it. A function may:
 * then it is called from where it is not seen, with arguments that are not known and
 * perhaps without a receiver.
 *
 * What a plain call makes of `this` is the global object in a sloppy function alone, and
 * most of them are written to be called otherwise; so that is told apart, as GATE_THIS. It
 * may go anywhere, but from then on nobody's property may be called eval.
 */
#include "rootfs/gate_core.h"

#define MATES_MOST 16u

void gate_set_this(struct gate *g, struct gate_function *f, uint8_t kind)
{
	if (kind <= f->self)
		return;
	f->self = kind;
	g->again |= f->this_read;
}

static void lose_one(struct gate *g, struct gate_function *f)
{
	if (f->lost)
		return;
	f->lost = true;
	g->again = true;
	if (gate_value_is_global(f->returns))
		gate_lose(g, f->returns, f->node);
}

static struct gate_function *function_in(struct gate *g, struct gate_value value)
{
	return value.kind == GATE_FUNCTION && gate_is_function(g->nodes[value.node].kind)
		       ? &g->functions[g->nodes[value.node].ref]
		       : NULL;
}

/* bare: may also be called without a receiver. */
static void lose_function(struct gate *g, struct gate_value value, bool bare)
{
	struct gate_function *f = function_in(g, value);

	for (unsigned n = 0; f && n < MATES_MOST; n++) {
		lose_one(g, f);
		if (bare && !f->makes)
			gate_set_this(g, f, GATE_THIS);
		f = &g->functions[f->mate];
		if (f == function_in(g, value))
			break;
	}
}

void gate_lose_method(struct gate *g, struct gate_value value)
{
	lose_function(g, value, false);
}

void gate_lose(struct gate *g, struct gate_value value, uint32_t at)
{
	switch (value.kind) {
	case GATE_FUNCTION:
		lose_function(g, value, true);
		break;
	case GATE_DESCRIPTOR:
	case GATE_DESCRIPTORS:
		if (gate_value_is_global(g->list[value.first]))
			gate_lose(g, g->list[value.first], at);
		break;
	case GATE_THIS:
	case GATE_GLOBAL:
		if (value.kind == GATE_GLOBAL)
			gate_signal(g, GATE_SIGNAL_GLOBAL_ESCAPE, at);
		g->again |= !g->strayed;
		g->strayed = true;
		break;
	default:
		break;
	}
}

static uint32_t ring_of(struct gate *g, uint32_t f)
{
	while (g->functions[f].ring != f) {
		g->functions[f].ring = g->functions[g->functions[f].ring].ring;
		f = g->functions[f].ring;
	}
	return f;
}

void gate_join_functions(struct gate *g, struct gate_value a, struct gate_value b)
{
	struct gate_function *x = function_in(g, a), *y = function_in(g, b);
	uint32_t mate, ring_x, ring_y;

	if (!x || !y) {
		lose_function(g, a, true);
		lose_function(g, b, true);
		return;
	}
	ring_x = ring_of(g, (uint32_t)(x - g->functions));
	ring_y = ring_of(g, (uint32_t)(y - g->functions));
	if (ring_x == ring_y)
		return;
	g->functions[ring_x].ring = ring_y;
	mate = x->mate;
	x->mate = y->mate;
	y->mate = mate;
	g->again = true;
}

/* --- from a node to the one that it is in --- */

enum flow {
	FLOW_ON,   /* is followed, or only looked at */
	FLOW_AWAY, /* is not */
	FLOW_TEXT, /* becomes a text or a number */
	FLOW_PART, /* becomes a property */
};

static enum flow flow_by_operator(TSSymbol op)
{
	switch (op) {
	case anon_sym_AMP_AMP:
	case anon_sym_PIPE_PIPE:
	case anon_sym_QMARK_QMARK:
	case anon_sym_EQ_EQ:
	case anon_sym_EQ_EQ_EQ:
	case anon_sym_BANG_EQ:
	case anon_sym_BANG_EQ_EQ:
	case anon_sym_instanceof:
	case anon_sym_in:
	case anon_sym_BANG:
	case anon_sym_typeof:
	case anon_sym_void:
	case anon_sym_delete:
	case anon_sym_AMP_AMP_EQ:
	case anon_sym_PIPE_PIPE_EQ:
	case anon_sym_QMARK_QMARK_EQ:
		return FLOW_ON;
	default:
		return FLOW_TEXT;
	}
}

static enum flow flow_of(const struct gate *g, uint32_t i)
{
	const struct gate_node *node = &g->nodes[i], *up = &g->nodes[node->parent];

	if (node->kind == sym_spread_element)
		return FLOW_ON;
	switch (up->kind) {
	case sym_program:
	case sym_statement_block:
	case sym_expression_statement:
	case sym_parenthesized_expression:
	case sym_sequence_expression:
	case sym_ternary_expression:
	case sym_variable_declarator:
	case sym_assignment_expression:
	case sym_assignment_pattern:
	case sym_object_assignment_pattern:
	case sym_await_expression:
	case sym_return_statement:
	case sym_arrow_function:
	case sym_member_expression:
	case sym_call_expression:
	case sym_new_expression:
	case sym_arguments:
	case sym_if_statement:
	case sym_while_statement:
	case sym_do_statement:
	case sym_for_statement:
	case sym_switch_statement:
	case sym_switch_case:
	case sym_switch_default:
	case sym_labeled_statement:
	case sym_else_clause:
	case sym_spread_element:
	case sym_class_body:
	case sym_class_static_block:
	case sym_export_statement:
	case sym_with_statement:
	case sym_update_expression:
		return FLOW_ON;
	case sym_for_in_statement:
		return up->op == anon_sym_in || node->field != field_right ? FLOW_ON
									   : FLOW_AWAY;
	case sym_subscript_expression:
		return node->field == field_index ? FLOW_TEXT : FLOW_ON;
	case sym_binary_expression:
	case sym_unary_expression:
	case sym_augmented_assignment_expression:
		return flow_by_operator(up->op);
	case sym_template_substitution:
	case sym_computed_property_name:
		return FLOW_TEXT;
	case sym_pair:
	case sym_object:
		return FLOW_PART;
	default:
		return FLOW_AWAY;
	}
}

/* The key under which an object literal has that node. */
static bool part_key(struct gate *g, uint32_t i, struct gate_text *ret_key)
{
	uint32_t up = g->nodes[i].parent, key = i;
	struct gate_text raw;

	if (g->nodes[up].kind == sym_pair)
		key = gate_child(g, up, field_key);
	else if (g->nodes[i].kind == sym_method_definition)
		key = gate_child(g, i, field_name);
	if (key == GATE_NONE || g->nodes[key].kind == sym_computed_property_name)
		return false;
	raw = gate_source_of(g, key);
	if (g->nodes[key].kind == sym_string && raw.len >= 2)
		raw = (struct gate_text){raw.at + 1, raw.len - 2};
	return gate_text_decode(g, raw, ret_key);
}

static void flow_into_object(struct gate *g, uint32_t i)
{
	struct gate_value value = g->values[i];
	struct gate_text key;

	if (!part_key(g, i, &key)) {
		gate_lose(g, value, i);
		return;
	}
	gate_field_write(g, key, value);
	if (value.kind == GATE_FUNCTION)
		lose_function(g, value, false);
	else
		gate_lose(g, value, i);
}

void gate_flow(struct gate *g, uint32_t i)
{
	struct gate_value value = g->values[i];

	if (value.kind < GATE_FUNCTION || g->nodes[i].parent == GATE_NONE ||
	    g->nodes[i].flags & (GATE_NODE_DECLARES | GATE_NODE_WRITES))
		return;
	switch (flow_of(g, i)) {
	case FLOW_ON:
		break;
	case FLOW_TEXT:
		if (gate_value_is_global(value))
			gate_lose(g, value, i);
		break;
	case FLOW_PART:
		flow_into_object(g, i);
		break;
	case FLOW_AWAY:
		gate_lose(g, value, i);
		break;
	}
}
