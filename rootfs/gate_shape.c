/* SPDX-License-Identifier: MIT */
/*
 * Signals that are seen by the shape alone, and rules that name a node of the grammar.
 * Values are known by now: a loop's condition may be a constant.
 */
#include "rootfs/gate_core.h"

#define LARGE_BYTES 4096u

bool gate_is_loop(TSSymbol kind)
{
	return kind == sym_for_statement || kind == sym_while_statement ||
	       kind == sym_do_statement || kind == sym_for_in_statement;
}

static bool ends_function(TSSymbol kind)
{
	return gate_is_function(kind) || kind == sym_class_static_block ||
	       kind == sym_field_definition;
}

/* return, throw and yield leave every loop of the function; one that was marked by
 * another of them has those around it marked already. */
static void leave_all(struct gate *g, uint32_t i)
{
	for (i = g->nodes[i].parent; i != GATE_NONE && !ends_function(g->nodes[i].kind);
	     i = g->nodes[i].parent)
		if (gate_is_loop(g->nodes[i].kind))
			g->nodes[i].flags |= GATE_NODE_LEFT;
}

static bool has_label(const struct gate *g, uint32_t i, struct gate_text label)
{
	uint32_t up = g->nodes[i].parent, name;

	if (up == GATE_NONE || g->nodes[up].kind != sym_labeled_statement)
		return false;
	name = gate_child(g, up, field_label);
	return name != GATE_NONE && gate_text_equal(gate_source_of(g, name), label);
}

/* To the label: all loops in between are left, and with `break` the labelled one. */
static void leave_to_label(struct gate *g, uint32_t i, struct gate_text label,
			   bool continues)
{
	for (i = g->nodes[i].parent; i != GATE_NONE && !ends_function(g->nodes[i].kind);
	     i = g->nodes[i].parent) {
		bool last = has_label(g, i, label);

		if (gate_is_loop(g->nodes[i].kind) && !(last && continues))
			g->nodes[i].flags |= GATE_NODE_LEFT;
		if (last)
			return;
	}
}

static void leave_one(struct gate *g, uint32_t i)
{
	for (i = g->nodes[i].parent; i != GATE_NONE && !ends_function(g->nodes[i].kind);
	     i = g->nodes[i].parent) {
		if (g->nodes[i].kind == sym_switch_statement)
			return;
		if (gate_is_loop(g->nodes[i].kind)) {
			g->nodes[i].flags |= GATE_NODE_LEFT;
			return;
		}
	}
}

static void leaves_loops(struct gate *g, uint32_t i)
{
	uint32_t label;

	switch (g->nodes[i].kind) {
	case sym_return_statement:
	case sym_throw_statement:
	case sym_yield_expression:
		leave_all(g, i);
		break;
	case sym_break_statement:
	case sym_continue_statement:
		label = gate_child(g, i, field_label);
		if (label != GATE_NONE)
			leave_to_label(g, i, gate_source_of(g, label),
				       g->nodes[i].kind == sym_continue_statement);
		else if (g->nodes[i].kind == sym_break_statement)
			leave_one(g, i);
		break;
	default:
		break;
	}
}

static bool is_endless(const struct gate *g, uint32_t i)
{
	uint32_t condition = gate_child(g, i, field_condition);

	if (g->nodes[i].flags & GATE_NODE_LEFT ||
	    g->nodes[i].kind == sym_for_in_statement)
		return false;
	if (condition == GATE_NONE || g->nodes[condition].kind == sym_empty_statement)
		return g->nodes[i].kind == sym_for_statement;
	return gate_value_truth(g->values[condition]) == 1;
}

static bool calls_itself(const struct gate *g, uint32_t i)
{
	uint32_t callee = gate_child(g, i, field_function);
	uint32_t scope = g->nodes[i].scope;

	callee = callee == GATE_NONE ? callee : gate_in_parens(g, callee);
	if (callee == GATE_NONE || g->nodes[callee].kind != sym_identifier ||
	    g->nodes[callee].ref == GATE_NONE || g->values[callee].kind != GATE_FUNCTION)
		return false;
	for (; scope != GATE_NONE; scope = g->scopes[scope].parent)
		if (g->scopes[scope].node == g->values[callee].node)
			return true;
	return false;
}

static bool is_literal(TSSymbol kind)
{
	return kind == sym_string || kind == sym_template_string || kind == sym_array ||
	       kind == sym_object || kind == sym_regex;
}

static void shape_of(struct gate *g, uint32_t i)
{
	const struct gate_matches *rules = &g->matches[RULE_SYNTAX];
	TSSymbol kind = g->nodes[i].kind;

	for (uint32_t k = 0; k < rules->count; k++)
		if (rules->at[k].symbol == kind && kind)
			gate_found_match(g, &rules->at[k], g->nodes[i].start,
					 g->nodes[i].end, rules->at[k].pattern);
	if (gate_is_loop(kind) && is_endless(g, i))
		gate_signal(g, GATE_SIGNAL_UNBOUNDED_LOOP, i);
	if (kind == sym_with_statement)
		gate_signal(g, GATE_SIGNAL_WITH_STATEMENT, i);
	if (kind == sym_import_statement || kind == sym_export_statement ||
	    (kind == sym_meta_property && g->source[g->nodes[i].start] == 'i'))
		gate_signal(g, GATE_SIGNAL_MODULE_SYNTAX, i);
	if (kind == sym_call_expression && calls_itself(g, i))
		gate_signal(g, GATE_SIGNAL_RECURSION, i);
}

void gate_shapes(struct gate *g)
{
	uint32_t large = 0;

	for (uint32_t i = 0; i < g->nodes_count; i++)
		leaves_loops(g, i);
	for (uint32_t i = 0; i < g->nodes_count; i++) {
		shape_of(g, i);
		if (i < large || !is_literal(g->nodes[i].kind) ||
		    g->nodes[i].end - g->nodes[i].start <= LARGE_BYTES)
			continue;
		large = g->nodes[i].after;
		gate_signal(g, GATE_SIGNAL_LARGE_LITERAL, i);
	}
}
