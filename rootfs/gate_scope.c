/* SPDX-License-Identifier: MIT */
/*
 * Which name is whose. First all scopes and what is declared in them, because a name may
 * be used ahead of its declaration; then every name finds its variable, or is free.
 *
 * A node that makes a scope has that scope; what is in it inherits it, but for the name
 * of a declaration and the key of a method, which belong outside.
 */
#include <string.h>

#include "rootfs/gate_core.h"

/* What every engine has as a property of the global object that `var` of a script finds
 * there: `if (0) var eval;` takes nothing away. */
bool gate_is_of_engine(struct gate_text name)
{
	static const char *const names[] = {
		"eval",		"Function",
		"setTimeout",	"setInterval",
		"clearTimeout", "clearInterval",
		"globalThis",	"Reflect",
		"Object",	"queueMicrotask",
		"Array",	"String",
		"Number",	"Boolean",
		"Symbol",	"Proxy",
		"Promise",	"JSON",
		"WebAssembly",	"Duktape",
		"parseInt",	"parseFloat",
		"Date",		"RegExp",
		"Error",	"Math",
		"ArrayBuffer",	"Atomics",
		"unescape",	"escape",
		"decodeURI",	"decodeURIComponent",
		"console",	"Map",
		"Set",		"SharedArrayBuffer",
		"atob",		"btoa",
		"WeakRef",	"TypeError",
		"global",
	};

	return gate_text_is_one_of(name, names, sizeof(names) / sizeof(names[0]));
}

static bool is_declaration_of_name(TSSymbol kind)
{
	return kind == sym_function_declaration || kind == sym_class_declaration ||
	       kind == sym_generator_function_declaration;
}

static int scope_kind(const struct gate *g, uint32_t i)
{
	const struct gate_node *node = &g->nodes[i];

	switch (node->kind) {
	case sym_program:
		return GATE_SCOPE_PROGRAM;
	case sym_arrow_function:
		return GATE_SCOPE_ARROW;
	case sym_class_static_block:
	case sym_field_definition:
		return GATE_SCOPE_FUNCTION;
	case sym_statement_block:
		return node->parent != GATE_NONE &&
				       gate_is_function(g->nodes[node->parent].kind)
			       ? -1
			       : GATE_SCOPE_BLOCK;
	case sym_for_statement:
	case sym_for_in_statement:
	case sym_switch_body:
	case sym_catch_clause:
	case sym_class:
	case sym_class_declaration:
		return GATE_SCOPE_BLOCK;
	default:
		return gate_is_function(node->kind) ? GATE_SCOPE_FUNCTION : -1;
	}
}

static bool says_use_strict(const struct gate *g, uint32_t i)
{
	uint32_t body =
		g->nodes[i].kind == sym_program ? i : gate_child(g, i, field_body);

	if (body == GATE_NONE)
		return false;
	for (i = gate_first_real(g, body); i != GATE_NONE; i = gate_next_real(g, i)) {
		uint32_t text = gate_first_real(g, i);

		if (g->nodes[i].kind == sym_hash_bang_line)
			continue;
		if (g->nodes[i].kind != sym_expression_statement || text == GATE_NONE ||
		    g->nodes[text].kind != sym_string)
			return false;
		if (gate_source_of(g, text).len == 12 &&
		    !memcmp(gate_source_of(g, text).at + 1, "use strict", 10))
			return true;
	}
	return false;
}

/* Is it written where it is not followed to its calls? */
static bool begins_lost(const struct gate *g, uint32_t i)
{
	uint32_t up;

	if (g->nodes[i].kind == sym_function_declaration ||
	    g->nodes[i].kind == sym_generator_function_declaration)
		return false;
	i = gate_out_of_parens(g, i);
	up = g->nodes[i].parent;
	if (up == GATE_NONE)
		return true;
	switch (g->nodes[up].kind) {
	case sym_call_expression:
	case sym_variable_declarator:
	case sym_member_expression:
	case sym_return_statement:
		return false;
	case sym_assignment_expression:
		up = gate_child(g, up, field_left);
		return up == GATE_NONE || g->nodes[up].kind != sym_identifier;
	case sym_arrow_function:
		return g->nodes[i].field != field_body;
	default:
		return true;
	}
}

static void function_add(struct gate *g, uint32_t i, uint32_t scope)
{
	gate_room(&g->functions, g->functions_count, &g->functions_room,
		  sizeof(*g->functions));
	g->functions[g->functions_count] = (struct gate_function){
		.node = i,
		.scope = scope,
		.lost = begins_lost(g, i),
		.mate = g->functions_count,
		.ring = g->functions_count,
	};
	g->nodes[i].ref = g->functions_count++;
}

static void scope_add(struct gate *g, uint32_t i, uint32_t outer, int kind)
{
	uint32_t scope = g->scopes_count;
	TSSymbol node_kind = g->nodes[i].kind;

	gate_room(&g->scopes, scope, &g->scopes_room, sizeof(*g->scopes));
	g->scopes_count++;
	g->scopes[scope] = (struct gate_scope){
		.kind = (uint8_t)kind,
		.parent = outer,
		.function = kind == GATE_SCOPE_BLOCK && outer != GATE_NONE
				    ? g->scopes[outer].function
				    : scope,
		.node = i,
		.strict = (outer != GATE_NONE && g->scopes[outer].strict) ||
			  node_kind == sym_class || node_kind == sym_class_declaration ||
			  (kind != GATE_SCOPE_BLOCK && says_use_strict(g, i)),
	};
	g->nodes[i].scope = scope;
	if (gate_is_function(node_kind))
		function_add(g, i, scope);
}

/* The scope that a child of that node is in. */
static uint32_t scope_of_child(const struct gate *g, uint32_t i)
{
	const struct gate_node *node = &g->nodes[i], *up;

	if (node->parent == GATE_NONE)
		return GATE_NONE;
	up = &g->nodes[node->parent];
	if ((node->field == field_name &&
	     (is_declaration_of_name(up->kind) || up->kind == sym_method_definition)) ||
	    (node->field == field_property && up->kind == sym_field_definition))
		return g->scopes[up->scope].parent;
	return up->scope;
}

/* How a child of that node takes part in a declaration: as what, or 0. */
static TSSymbol declares(const struct gate *g, uint32_t i)
{
	const struct gate_node *node = &g->nodes[i], *up = &g->nodes[node->parent];

	switch (up->kind) {
	case sym_variable_declarator:
		return node->field != field_name ? 0
		       : up->parent != GATE_NONE && g->nodes[up->parent].op
			       ? g->nodes[up->parent].op
			       : anon_sym_var;
	case sym_for_in_statement:
		return node->field == field_left && up->ref != GATE_NONE
			       ? (TSSymbol)up->ref
			       : 0;
	case sym_formal_parameters:
		return anon_sym_function;
	case sym_arrow_function:
		return node->field == field_parameter ? anon_sym_function : 0;
	case sym_catch_clause:
		return node->field == field_parameter ? anon_sym_let : 0;
	case sym_import_clause:
	case sym_namespace_import:
		return anon_sym_let;
	case sym_import_specifier:
		return node->field == field_alias || gate_child(g, node->parent,
								field_alias) == GATE_NONE
			       ? anon_sym_let
			       : 0;
	default:
		return node->field == field_name &&
				       (is_declaration_of_name(up->kind) ||
					up->kind == sym_function_expression ||
					up->kind == sym_generator_function ||
					up->kind == sym_class)
			       ? anon_sym_class
			       : 0;
	}
}

static bool assigns(const struct gate *g, uint32_t i)
{
	const struct gate_node *node = &g->nodes[i], *up = &g->nodes[node->parent];

	switch (up->kind) {
	case sym_assignment_expression:
	case sym_augmented_assignment_expression:
	case sym_for_in_statement:
		return node->field == field_left;
	case sym_update_expression:
		return node->field == field_argument;
	default:
		return false;
	}
}

/* Is it the part of a pattern that takes a value? */
static bool receives(const struct gate *g, uint32_t i)
{
	const struct gate_node *node = &g->nodes[i];

	switch (g->nodes[node->parent].kind) {
	case sym_array_pattern:
	case sym_object_pattern:
	case sym_rest_pattern:
	case sym_parenthesized_expression:
		return true;
	case sym_pair_pattern:
		return node->field == field_value;
	case sym_assignment_pattern:
	case sym_object_assignment_pattern:
		return node->field == field_left;
	default:
		return false;
	}
}

static void take_part(struct gate *g, uint32_t i)
{
	struct gate_node *node = &g->nodes[i];
	TSSymbol how;

	if (node->parent == GATE_NONE || node->kind == sym_comment)
		return;
	how = declares(g, i);
	if (how) {
		node->flags |= GATE_NODE_DECLARES;
		node->op = how;
	} else if (assigns(g, i)) {
		node->flags |= GATE_NODE_WRITES;
	} else if (receives(g, i)) {
		const struct gate_node *up = &g->nodes[node->parent];

		node->flags |= up->flags & (GATE_NODE_DECLARES | GATE_NODE_WRITES);
		if (up->flags & GATE_NODE_DECLARES)
			node->op = up->op;
	}
}

bool gate_is_name(TSSymbol kind)
{
	return kind == sym_identifier ||
	       kind == alias_sym_shorthand_property_identifier ||
	       kind == alias_sym_shorthand_property_identifier_pattern;
}

uint32_t gate_name_at(struct gate *g, uint32_t i)
{
	struct gate_text raw = gate_source_of(g, i), text;

	return gate_name_of(g, gate_text_decode(g, raw, &text) ? text : raw);
}

/* A `var` or a function of the program is a property of the global object. */
static void is_property(struct gate *g, uint32_t variable)
{
	struct gate_variable *v = &g->variables[variable];
	const struct gate_node *node = &g->nodes[v->node];

	if (g->scopes[v->scope].kind != GATE_SCOPE_PROGRAM ||
	    (node->op != anon_sym_var &&
	     g->nodes[node->parent].kind != sym_function_declaration &&
	     g->nodes[node->parent].kind != sym_generator_function_declaration))
		return;
	v->global = true;
	g->names[v->name].global = variable;
}

static void declare_name(struct gate *g, uint32_t i)
{
	struct gate_node *node = &g->nodes[i];
	uint32_t name = gate_name_at(g, i), scope = node->scope, function;

	if (node->op == anon_sym_var)
		scope = g->scopes[scope].function;
	function = g->scopes[scope].function;
	if (node->op == anon_sym_var && g->scopes[scope].kind == GATE_SCOPE_PROGRAM &&
	    gate_is_of_engine(g->names[name].text))
		return;
	is_property(g, gate_variable_add(g, scope, name, i));
	/* A function in a block is also a `var` of the function around it. */
	if (function != scope &&
	    g->nodes[node->parent].kind == sym_function_declaration &&
	    !(g->scopes[function].kind == GATE_SCOPE_PROGRAM &&
	      gate_is_of_engine(g->names[name].text)))
		is_property(g, gate_variable_add(g, function, name, i));
	if (node->op == anon_sym_function)
		g->variables[gate_variable_find(g, scope, name)].parameter = true;
}

void gate_declare(struct gate *g)
{
	for (uint32_t i = 0; i < g->nodes_count; i++) {
		struct gate_node *node = &g->nodes[i];
		uint32_t scope = scope_of_child(g, i);
		int kind = i ? scope_kind(g, i) : GATE_SCOPE_PROGRAM;

		take_part(g, i);
		node->scope = scope;
		if (kind >= 0)
			scope_add(g, i, scope, kind);
		if (node->flags & GATE_NODE_DECLARES && gate_is_name(node->kind))
			declare_name(g, i);
	}
}

bool gate_is_reference(const struct gate *g, uint32_t i)
{
	const struct gate_node *node = &g->nodes[i];

	if (!gate_is_name(node->kind))
		return false;
	return node->flags & GATE_NODE_DECLARES || node->parent == GATE_NONE ||
	       g->nodes[node->parent].kind != sym_import_specifier;
}

void gate_scopes_free(struct gate *g)
{
	gate_tree_free(g->scopes);
	gate_tree_free(g->functions);
}
