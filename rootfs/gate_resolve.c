/* SPDX-License-Identifier: MIT */
/*
 * Every name finds its variable, or is free; and what is done with a variable anywhere is
 * noted in it, because its value depends on that.
 */
#include "rootfs/gate_core.h"

/* A declaration that gives no value: `var x;` */
static bool is_empty(const struct gate *g, uint32_t i)
{
	uint32_t up = g->nodes[i].parent;

	return g->nodes[up].kind == sym_variable_declarator &&
	       gate_child(g, up, field_value) == GATE_NONE;
}

/* Methods of the engine that leave their array or string as it is, and call nothing that
 * could change it. */
static bool keeps(struct gate_text method)
{
	static const char *const names[] = {
		"join",	    "slice",	   "concat",	"indexOf",     "lastIndexOf",
		"includes", "charAt",	   "at",	"charCodeAt",  "split",
		"substr",   "trim",	   "substring", "toString",    "toUpperCase",
		"flat",	    "toLowerCase", "padStart",	"codePointAt", "repeat",
	};

	return gate_text_is_one_of(method, names, sizeof(names) / sizeof(names[0]));
}

static bool is_part(const struct gate *g, uint32_t i)
{
	TSSymbol kind = g->nodes[g->nodes[i].parent].kind;

	return g->nodes[i].field == field_object &&
	       (kind == sym_member_expression || kind == sym_subscript_expression);
}

enum use {
	USE_READS,
	USE_CALLS, /* a method that changes nothing, if it is the engine's */
	USE_LEAKS, /* could change what the variable holds, now or later */
};

static enum use use_of(const struct gate *g, uint32_t i)
{
	bool part = false;
	uint32_t property, up;

	i = gate_out_of_parens(g, i);
	for (; g->nodes[i].parent != GATE_NONE && is_part(g, i); part = true)
		i = gate_out_of_parens(g, g->nodes[i].parent);
	if (g->nodes[i].flags & GATE_NODE_WRITES || g->nodes[i].parent == GATE_NONE)
		return USE_LEAKS;
	up = g->nodes[i].parent;
	if (g->nodes[up].kind == sym_unary_expression)
		return g->nodes[up].op == anon_sym_delete ? USE_LEAKS : USE_READS;
	if (g->nodes[up].kind == sym_call_expression &&
	    g->nodes[i].field == field_function && part) {
		property = gate_child(g, i, field_property);
		return property == GATE_NONE || !keeps(gate_source_of(g, property))
			       ? USE_LEAKS
			       : USE_CALLS;
	}
	if (g->nodes[up].kind == sym_for_in_statement ||
	    g->nodes[up].kind == sym_binary_expression ||
	    g->nodes[up].kind == sym_spread_element ||
	    g->nodes[up].kind == sym_template_substitution)
		return USE_CALLS;
	return part ? USE_READS : USE_LEAKS;
}

/* Is it only asked what it is, or which? */
static bool is_compared(const struct gate *g, uint32_t i)
{
	uint32_t up;

	i = gate_out_of_parens(g, i);
	up = g->nodes[i].parent;
	if (up == GATE_NONE)
		return false;
	if ((g->nodes[up].kind == sym_switch_case ||
	     g->nodes[up].kind == sym_switch_statement) &&
	    g->nodes[i].field == field_value)
		return true;
	switch (g->nodes[up].op) {
	case anon_sym_EQ_EQ:
	case anon_sym_EQ_EQ_EQ:
	case anon_sym_BANG_EQ:
	case anon_sym_BANG_EQ_EQ:
	case anon_sym_typeof:
		return true;
	case anon_sym_instanceof:
		return g->nodes[i].field == field_right;
	default:
		return false;
	}
}

/* The same of an expression, which may have a name or a number asked of it, or go into a
 * variable of which that is true. */
bool gate_is_asked(const struct gate *g, uint32_t i)
{
	uint32_t up, name;

	if (is_compared(g, i))
		return true;
	i = gate_out_of_parens(g, i);
	up = g->nodes[i].parent;
	if (up == GATE_NONE)
		return false;
	if (g->nodes[up].kind == sym_member_expression) {
		name = gate_child(g, up, field_property);
		return name != GATE_NONE &&
		       (gate_text_is(gate_source_of(g, name), "name") ||
			gate_text_is(gate_source_of(g, name), "length"));
	}
	name = gate_child(g, up, field_name);
	if (g->nodes[up].kind != sym_variable_declarator || name == GATE_NONE ||
	    g->nodes[name].kind != sym_identifier || g->nodes[name].ref == GATE_NONE)
		return false;
	return !g->variables[g->nodes[name].ref].used &&
	       !g->variables[g->nodes[name].ref].global;
}

static void note_use(const struct gate *g, uint32_t i, struct gate_variable *v)
{
	const struct gate_node *node = &g->nodes[i], *up = &g->nodes[node->parent];
	enum use use = use_of(g, i);
	uint32_t property;

	v->leaks |= use == USE_LEAKS;
	v->called |= use == USE_CALLS;
	v->used |= !is_compared(g, i);
	if (up->kind == sym_subscript_expression && node->field == field_index)
		v->key = true;
	if (up->kind == sym_new_expression && node->field == field_constructor)
		v->makes = true;
	if (up->kind == sym_member_expression && node->field == field_object) {
		property = gate_child(g, node->parent, field_property);
		v->makes |= property != GATE_NONE &&
			    gate_text_is(gate_source_of(g, property), "prototype");
	}
}

/* Its arguments are reached by another way than its parameters. */
static void takes_arguments(struct gate *g, uint32_t i)
{
	uint32_t scope = g->nodes[i].scope;

	while (scope != GATE_NONE && g->scopes[scope].kind != GATE_SCOPE_FUNCTION)
		scope = g->scopes[scope].parent;
	if (scope != GATE_NONE && gate_is_function(g->nodes[g->scopes[scope].node].kind))
		g->functions[g->nodes[g->scopes[scope].node].ref].arguments = true;
}

static void resolve_name(struct gate *g, uint32_t i)
{
	struct gate_node *node = &g->nodes[i];
	uint32_t name = gate_name_at(g, i), found = GATE_NONE;
	struct gate_variable *v;

	if (g->names[name].declared)
		for (uint32_t scope = node->scope; scope != GATE_NONE && gate_work(g, 1);
		     scope = g->scopes[scope].parent) {
			found = gate_variable_find(g, scope, name);
			if (found != GATE_NONE)
				break;
		}
	node->ref = found;
	if (gate_text_is(g->names[name].text, "arguments"))
		takes_arguments(g, i);
	if (found == GATE_NONE) {
		if (node->flags & (GATE_NODE_WRITES | GATE_NODE_DECLARES))
			gate_global_add(g, name, i);
		return;
	}
	v = &g->variables[found];
	if (node->flags & GATE_NODE_DECLARES)
		v->writes += !is_empty(g, i);
	else if (node->flags & GATE_NODE_WRITES)
		v->writes++;
	else
		note_use(g, i, v);
}

/* typeof NAME, x instanceof NAME, x === NAME, Function.prototype: they ask, and lead to no
 * code. */
static uint32_t bare_operand(const struct gate *g, uint32_t i)
{
	uint32_t property;

	switch (g->nodes[i].kind) {
	case sym_unary_expression:
		return g->nodes[i].op == anon_sym_typeof
			       ? gate_child(g, i, field_argument)
			       : GATE_NONE;
	case sym_binary_expression:
		return g->nodes[i].op == anon_sym_instanceof
			       ? gate_child(g, i, field_right)
			       : GATE_NONE;
	case sym_member_expression:
		property = gate_child(g, i, field_property);
		i = gate_child(g, i, field_object);
		return property != GATE_NONE && i != GATE_NONE &&
				       gate_text_is(gate_source_of(g, property),
						    "prototype") &&
				       gate_text_is(gate_source_of(g, i), "Function")
			       ? i
			       : GATE_NONE;
	default:
		return GATE_NONE;
	}
}

static void bare_operands(struct gate *g)
{
	for (uint32_t i = 0; i < g->nodes_count; i++) {
		uint32_t operand = bare_operand(g, i);

		if (g->nodes[i].kind == sym_identifier &&
		    g->nodes[i].parent != GATE_NONE && is_compared(g, i))
			g->nodes[i].flags |= GATE_NODE_BARE;

		if (operand == GATE_NONE)
			continue;
		operand = gate_in_parens(g, operand);
		if (operand != GATE_NONE && g->nodes[operand].kind == sym_identifier)
			g->nodes[operand].flags |= GATE_NODE_BARE;
	}
}

/* The variable that is the name of a function, or NONE. */
static uint32_t variable_of(const struct gate *g, uint32_t function)
{
	uint32_t name = gate_child(g, function, field_name);

	if (name == GATE_NONE) {
		uint32_t up = g->nodes[gate_out_of_parens(g, function)].parent;

		if (up == GATE_NONE)
			return GATE_NONE;
		name = gate_child(g, up,
				  g->nodes[up].kind == sym_variable_declarator
					  ? field_name
					  : field_left);
	}
	return name == GATE_NONE || !gate_is_name(g->nodes[name].kind)
		       ? GATE_NONE
		       : g->nodes[name].ref;
}

void gate_resolve(struct gate *g)
{
	bare_operands(g);
	for (uint32_t i = 0; i < g->nodes_count; i++)
		if (gate_is_reference(g, i))
			resolve_name(g, i);
	for (uint32_t i = 0; i < g->functions_count; i++) {
		uint32_t v = variable_of(g, g->functions[i].node);

		g->functions[i].makes = v != GATE_NONE && g->variables[v].makes;
	}
}
