/* SPDX-License-Identifier: MIT */
/*
 * What every expression comes to, from the inside out and in the order of the source. A
 * name that is used ahead of its value makes another round necessary; what the rounds
 * before have found is dropped.
 */
#include "rootfs/gate_core.h"

#define ROUNDS_MOST  24u
#define ROUNDS_VAGUE 3u
#define ROUNDS_FREE  6u

struct gate_value gate_returns(struct gate *g, struct gate_function *f)
{
	struct gate_value value = g->round ? f->returns : f->next;

	f->read = true;
	return value.kind == GATE_NOTHING ? gate_value_of(GATE_UNKNOWN) : value;
}

static void add_return(struct gate *g, uint32_t function, struct gate_value value)
{
	struct gate_function *f = &g->functions[g->nodes[function].ref];
	struct gate_value joined;

	if (f->lost || g->nodes[function].flags & (GATE_NODE_ASYNC | GATE_NODE_STAR))
		gate_lose(g, value, function);
	joined = gate_value_join(g, f->next, value);

	if (!g->round && f->read && !gate_value_same(g, joined, f->next))
		g->again = true;
	f->next = joined;
}

/* The function that the node is in, or NONE. */
static uint32_t function_of(const struct gate *g, uint32_t i)
{
	uint32_t scope = g->scopes[g->nodes[i].scope].function;
	uint32_t node = g->scopes[scope].node;

	return gate_is_function(g->nodes[node].kind) ? node : GATE_NONE;
}

/* `this` of what is static in a class: the class, a function. */
static struct gate_value class_around(const struct gate *g, uint32_t i)
{
	uint32_t body = g->nodes[i].parent;

	if (body == GATE_NONE || g->nodes[body].kind != sym_class_body)
		return gate_value_of(GATE_UNKNOWN);
	return (struct gate_value){.kind = GATE_FUNCTION, .node = g->nodes[body].parent};
}

static struct gate_value read_this(struct gate *g, uint32_t i)
{
	uint32_t scope = g->nodes[i].scope, node;

	while (g->scopes[scope].kind != GATE_SCOPE_FUNCTION &&
	       g->scopes[scope].kind != GATE_SCOPE_PROGRAM)
		scope = g->scopes[scope].parent;
	if (g->scopes[scope].kind == GATE_SCOPE_PROGRAM)
		return gate_value_of(GATE_GLOBAL);
	node = g->scopes[scope].node;
	if (g->nodes[node].flags & GATE_NODE_STATIC ||
	    g->nodes[node].kind == sym_class_static_block)
		return class_around(g, node);
	if (g->scopes[scope].strict || !gate_is_function(g->nodes[node].kind))
		return gate_value_of(GATE_UNKNOWN);
	g->functions[g->nodes[node].ref].this_read = true;
	return gate_value_of(g->functions[g->nodes[node].ref].self
				     ? g->functions[g->nodes[node].ref].self
				     : GATE_UNKNOWN);
}

static struct gate_value read_name(struct gate *g, uint32_t i)
{
	struct gate_node *node = &g->nodes[i];
	struct gate_text raw = gate_source_of(g, i), text;

	if (node->ref != GATE_NONE)
		return gate_read_variable(g, &g->variables[node->ref]);
	/* `var eval;` of a script says no more than that there is an eval. */
	if (node->flags & GATE_NODE_DECLARES)
		return gate_value_of(GATE_UNKNOWN);
	return gate_free_name(g, gate_text_decode(g, raw, &text) ? text : raw, i);
}

static struct gate_value first_value(const struct gate *g, uint32_t i)
{
	i = gate_first_real(g, i);
	return i == GATE_NONE ? gate_value_of(GATE_UNKNOWN) : g->values[i];
}

static struct gate_value last_value(const struct gate *g, uint32_t i)
{
	struct gate_value value = gate_value_of(GATE_UNKNOWN);

	for (i = gate_first_real(g, i); i != GATE_NONE; i = gate_next_real(g, i))
		value = g->values[i];
	return value;
}

static struct gate_value value_in(const struct gate *g, uint32_t i, TSFieldId field)
{
	i = gate_child(g, i, field);
	return i == GATE_NONE ? gate_value_of(GATE_UNKNOWN) : g->values[i];
}

static struct gate_value eval_ternary(struct gate *g, uint32_t i)
{
	int truth = gate_value_truth(value_in(g, i, field_condition));

	if (truth == 1)
		return value_in(g, i, field_consequence);
	if (truth == 0)
		return value_in(g, i, field_alternative);
	return gate_value_join(g, value_in(g, i, field_consequence),
			       value_in(g, i, field_alternative));
}

static struct gate_value eval_member(struct gate *g, uint32_t i)
{
	uint32_t property = gate_child(g, i, field_property);
	struct gate_value object = value_in(g, i, field_object);
	struct gate_text text;

	if (property == GATE_NONE)
		return gate_value_of(GATE_UNKNOWN);
	if (g->nodes[property].kind == sym_private_property_identifier)
		return gate_value_of(GATE_UNKNOWN);
	if (!gate_text_decode(g, gate_source_of(g, property), &text))
		return gate_member_by(g, object, gate_value_of(GATE_STRINGISH), i);
	return gate_member(g, object, text, i);
}

static TSSymbol without_assignment(TSSymbol op)
{
	switch (op) {
	case anon_sym_PLUS_EQ:
		return anon_sym_PLUS;
	case anon_sym_DASH_EQ:
		return anon_sym_DASH;
	case anon_sym_AMP_AMP_EQ:
		return anon_sym_AMP_AMP;
	case anon_sym_PIPE_PIPE_EQ:
		return anon_sym_PIPE_PIPE;
	case anon_sym_QMARK_QMARK_EQ:
		return anon_sym_QMARK_QMARK;
	default:
		return 0;
	}
}

static void assign(struct gate *g, uint32_t target, struct gate_value value)
{
	target = gate_in_parens(g, target);
	if (target != GATE_NONE)
		gate_bind(g, target, value);
}

static struct gate_value eval_assignment(struct gate *g, uint32_t i)
{
	uint32_t left = gate_child(g, i, field_left);
	struct gate_value right = value_in(g, i, field_right);

	if (left == GATE_NONE)
		return right;
	if (g->nodes[i].kind == sym_augmented_assignment_expression)
		right = gate_fold_binary(g, without_assignment(g->nodes[i].op),
					 g->values[gate_in_parens(g, left) == GATE_NONE
							   ? left
							   : gate_in_parens(g, left)],
					 right);
	assign(g, left, right);
	return right;
}

static struct gate_value eval_unary(struct gate *g, uint32_t i)
{
	uint32_t target = gate_child(g, i, field_argument);

	if (target == GATE_NONE)
		return gate_value_of(GATE_UNKNOWN);
	target = gate_in_parens(g, target);
	if (g->nodes[i].op == anon_sym_delete && target != GATE_NONE &&
	    gate_child(g, target, field_object) != GATE_NONE)
		gate_bind(g, target, gate_value_of(GATE_UNDEFINED));
	return gate_fold_unary(g, g->nodes[i].op, value_in(g, i, field_argument));
}

static void eval_update(struct gate *g, uint32_t i)
{
	uint32_t target = gate_child(g, i, field_argument);

	if (target != GATE_NONE)
		assign(g, target, gate_value_of(GATE_UNKNOWN));
}

/* The name of a function is written where the function is. */
static struct gate_value eval_function(struct gate *g, uint32_t i)
{
	struct gate_value value = {.kind = GATE_FUNCTION, .node = i};
	uint32_t name = gate_child(g, i, field_name), body, outer;
	struct gate_text method;

	if (name != GATE_NONE && g->nodes[name].kind == sym_identifier) {
		gate_write(g, name, value);
		outer = g->nodes[name].ref == GATE_NONE
				? GATE_NONE
				: gate_variable_find(
					  g, g->scopes[g->nodes[name].scope].function,
					  g->variables[g->nodes[name].ref].name);
		if (outer != GATE_NONE && outer != g->nodes[name].ref)
			gate_write_variable(g, outer, value);
	}
	/* An object with a forEach of its own is no array. */
	if (g->nodes[i].kind == sym_method_definition && name != GATE_NONE &&
	    gate_text_decode(g, gate_source_of(g, name), &method))
		gate_patch(g, method);
	body = gate_child(g, i, field_body);
	if (g->nodes[i].kind == sym_arrow_function && body != GATE_NONE &&
	    g->nodes[body].kind != sym_statement_block)
		add_return(g, i, g->values[body]);
	return value;
}

/* A function that is not lost gets its arguments where it is called. */
static void parameters(struct gate *g, uint32_t i)
{
	struct gate_function *f = &g->functions[g->nodes[g->nodes[i].parent].ref];

	if (!f->lost && !f->arguments)
		return;
	if (g->nodes[i].kind != sym_formal_parameters) {
		gate_bind(g, i, gate_value_of(GATE_UNKNOWN));
		return;
	}
	for (i = gate_first_real(g, i); i != GATE_NONE; i = gate_next_real(g, i))
		gate_bind(g, i, gate_value_of(GATE_UNKNOWN));
}

static void loop_variable(struct gate *g, uint32_t i)
{
	uint32_t loop = g->nodes[i].parent;
	uint32_t left = gate_child(g, loop, field_left);
	struct gate_value over = g->values[i], each = gate_value_of(GATE_UNKNOWN);

	if (g->nodes[loop].op == anon_sym_in) {
		if (gate_value_is_global(over))
			gate_signal(g, GATE_SIGNAL_GLOBAL_ENUMERATION, i);
		each = gate_value_of(GATE_STRINGISH);
	} else if (over.kind == GATE_LIST) {
		for (uint32_t k = 0; k < over.n && gate_work(g, 1); k++)
			each = gate_inner(
				gate_value_join(g, each, g->list[over.first + k]));
	}
	if (left != GATE_NONE)
		assign(g, left, each);
}

/* What a node is to the one that it is in. */
static void hand_over(struct gate *g, uint32_t i)
{
	const struct gate_node *node = &g->nodes[i], *up;

	if (node->parent == GATE_NONE)
		return;
	up = &g->nodes[node->parent];
	if (gate_is_function(up->kind)) {
		if (node->kind == sym_formal_parameters || node->field == field_parameter)
			parameters(g, i);
	} else if (up->kind == sym_for_in_statement && node->field == field_right) {
		loop_variable(g, i);
	} else if (up->kind == sym_catch_clause && node->field == field_parameter) {
		gate_bind(g, i, gate_value_of(GATE_UNKNOWN));
	} else if (node->flags & GATE_NODE_DECLARES &&
		   (up->kind == sym_import_clause || up->kind == sym_import_specifier ||
		    up->kind == sym_namespace_import)) {
		gate_write(g, i, gate_value_of(GATE_UNKNOWN));
	}
}

static void eval_declarator(struct gate *g, uint32_t i)
{
	uint32_t name = gate_child(g, i, field_name);
	uint32_t value = gate_child(g, i, field_value);

	if (name != GATE_NONE && value != GATE_NONE)
		gate_bind(g, name, g->values[value]);
}

static void eval_return(struct gate *g, uint32_t i)
{
	uint32_t function = function_of(g, i);
	uint32_t value = gate_first_real(g, i);

	if (function != GATE_NONE)
		add_return(g, function,
			   value == GATE_NONE ? gate_value_of(GATE_UNDEFINED)
					      : g->values[value]);
}

static struct gate_value eval_spread(struct gate *g, uint32_t i)
{
	struct gate_value value = first_value(g, i);

	if (gate_value_is_global(value))
		gate_signal(g, GATE_SIGNAL_GLOBAL_ENUMERATION, i);
	return value;
}

/* Statements and what else has no value of its own. */
static bool eval_effect(struct gate *g, uint32_t i)
{
	switch (g->nodes[i].kind) {
	case sym_call_expression:
		gate_call(g, i);
		return true;
	case sym_new_expression:
		gate_new(g, i);
		return true;
	case sym_update_expression:
		eval_update(g, i);
		return true;
	case sym_variable_declarator:
		eval_declarator(g, i);
		return true;
	case sym_return_statement:
		eval_return(g, i);
		return true;
	default:
		return false;
	}
}

static struct gate_value eval_literal(struct gate *g, uint32_t i)
{
	switch (g->nodes[i].kind) {
	case sym_undefined:
		return gate_value_of(GATE_UNDEFINED);
	case sym_null:
		return gate_value_of(GATE_NULL);
	case sym_true:
		return (struct gate_value){.kind = GATE_BOOLEAN, .number = 1};
	case sym_false:
		return (struct gate_value){.kind = GATE_BOOLEAN};
	case sym_number:
		return gate_fold_number(gate_source_of(g, i));
	case sym_string:
		return gate_eval_string(g, i);
	case sym_template_string:
		return gate_eval_template(g, i);
	case sym_regex:
		return gate_value_of(GATE_REGEXP);
	case sym_array:
		return gate_eval_array(g, i);
	case sym_object:
		return gate_eval_object(g, i);
	case sym_class:
	case sym_class_declaration:
		return eval_function(g, i);
	case sym_meta_property:
		return gate_value_of(GATE_CTOR);
	default:
		return gate_is_function(g->nodes[i].kind) ? eval_function(g, i)
							  : gate_value_of(GATE_UNKNOWN);
	}
}

static struct gate_value eval_node(struct gate *g, uint32_t i)
{
	switch (g->nodes[i].kind) {
	case sym_identifier:
	case alias_sym_shorthand_property_identifier:
	case alias_sym_shorthand_property_identifier_pattern:
		return read_name(g, i);
	case sym_this:
		return read_this(g, i);
	case sym_parenthesized_expression:
	case sym_template_substitution:
	case sym_await_expression:
		return first_value(g, i);
	case sym_spread_element:
		return eval_spread(g, i);
	case sym_sequence_expression:
		return last_value(g, i);
	case sym_ternary_expression:
		return eval_ternary(g, i);
	case sym_binary_expression:
		return gate_fold_binary(g, g->nodes[i].op, value_in(g, i, field_left),
					value_in(g, i, field_right));
	case sym_unary_expression:
		return eval_unary(g, i);
	case sym_member_expression:
		return eval_member(g, i);
	case sym_subscript_expression:
		return gate_member_by(g, value_in(g, i, field_object),
				      value_in(g, i, field_index), i);
	case sym_assignment_expression:
	case sym_augmented_assignment_expression:
		return eval_assignment(g, i);
	default:
		return eval_literal(g, i);
	}
}

static void eval(struct gate *g, uint32_t i)
{
	g->values[i] = gate_value_of(GATE_UNKNOWN);
	if (!eval_effect(g, i)) {
		struct gate_value value = eval_node(g, i);

		g->values[i] = value;
	}
	gate_flow(g, i);
	hand_over(g, i);
}

/* A path may become longer in every round: node.parent.parent. Where it begins with what
 * the engine has not, nothing is known of it but its name, which has been told. */
static struct gate_value settle(struct gate *g, struct gate_value before,
				struct gate_value value, bool *vague)
{
	*vague |= g->round >= ROUNDS_VAGUE && value.kind == GATE_PATH &&
		  !gate_value_same(g, before, value);
	if (*vague && value.kind == GATE_PATH && !gate_is_path_of_engine(value))
		value = gate_value_of(GATE_UNKNOWN);
	/* What goes up and down is both, so that it comes to an end. */
	return g->round >= ROUNDS_FREE ? gate_value_join(g, before, value) : value;
}

/* Closes a round: is another one needed? */
static bool close_round(struct gate *g)
{
	bool changed = false;

	for (uint32_t i = 0; i < g->variables_count; i++) {
		struct gate_variable *v = &g->variables[i];

		v->next = settle(g, v->value, v->next, &v->vague);
		changed |= !gate_value_same(g, v->value, v->next);
		v->value = v->next;
		v->next = gate_value_of(GATE_NOTHING);
	}
	for (uint32_t i = 0; i < g->functions_count; i++) {
		struct gate_function *f = &g->functions[i];

		f->next = settle(g, f->returns, f->next, &f->vague);
		changed |= !gate_value_same(g, f->returns, f->next);
		f->returns = f->next;
		f->next = gate_value_of(GATE_NOTHING);
	}
	return g->again || (g->round && changed);
}

/* What was found may not be all. */
static void give_up(struct gate *g)
{
	g->summary.unparsed = true;
	gate_signal(g, GATE_SIGNAL_TOO_DEEP, 0);
}

void gate_evaluate(struct gate *g)
{
	for (g->round = 0;; g->round++) {
		g->again = false;
		for (uint32_t i = 0; i < g->nodes_count && g->work_left; i++)
			for (uint32_t j = i; j != GATE_NONE && g->nodes[j].after == i + 1;
			     j = g->nodes[j].parent)
				eval(g, j);
		if (!close_round(g))
			return;
		if (g->round + 1 == ROUNDS_MOST || !g->work_left) {
			give_up(g);
			return;
		}
		gate_found_drop(g, g->places_shape);
	}
}
