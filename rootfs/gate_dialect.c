/* SPDX-License-Identifier: MIT */
/*
 * What Duktape takes and runs with another meaning, without a word: const is var to it, a
 * function in a block belongs to the function around it, and __proto__ in an object
 * literal is a property like any other. (What it refuses it refuses aloud: gate_modern.c.)
 *
 * Most sources mean the same either way, and those are let through: a const that is never
 * assigned, alone with its name in its function, not used ahead of its declaration or
 * outside of its block, and not kept by a closure over the rounds of a loop.
 */
#include "rootfs/gate_core.h"

/* The names of a source by what they are, as lists in the order of the source. */
struct dialect {
	struct gate *g;
	uint32_t *first, *last; /* by name: its first and last node */
	uint32_t *next;		/* by node: the next of that name */
	uint32_t *name;		/* by node */
};

static uint32_t function_at(const struct gate *g, uint32_t i)
{
	return g->scopes[g->nodes[i].scope].function;
}

static bool is_in(const struct gate *g, uint32_t i, uint32_t outer)
{
	return i >= outer && i < g->nodes[outer].after;
}

static uint32_t *numbers(uint32_t count)
{
	uint32_t *at = gate_tree_malloc((count ? count : 1) * sizeof(*at));

	for (uint32_t i = 0; i < count; i++)
		at[i] = GATE_NONE;
	return at;
}

static void list_names(struct dialect *d)
{
	struct gate *g = d->g;
	/* Every name is known since names were resolved: none is added here. */
	uint32_t names = g->names_count;

	d->first = numbers(names);
	d->last = numbers(names);
	d->next = numbers(g->nodes_count);
	d->name = numbers(g->nodes_count);
	for (uint32_t i = 0; i < g->nodes_count; i++) {
		if (!gate_is_reference(g, i))
			continue;
		uint32_t name = gate_name_at(g, i);
		if (name >= names)
			continue;
		d->name[i] = name;
		if (d->first[name] == GATE_NONE)
			d->first[name] = i;
		else
			d->next[d->last[name]] = i;
		d->last[name] = i;
	}
}

static void free_names(struct dialect *d)
{
	gate_tree_free(d->first);
	gate_tree_free(d->last);
	gate_tree_free(d->next);
	gate_tree_free(d->name);
}

static bool is_hoisted_name(const struct gate *g, uint32_t i)
{
	TSSymbol up = g->nodes[g->nodes[i].parent].kind;

	return g->nodes[i].flags & GATE_NODE_DECLARES &&
	       g->nodes[i].field == field_name && up == sym_function_declaration;
}

/* Does code of that function, ahead of the node, name a function that is there from its
 * beginning? It may be called, and see what is not yet. */
static bool runs_functions_before(const struct dialect *d, uint32_t function, uint32_t at)
{
	const struct gate *g = d->g;

	for (uint32_t i = g->scopes[function].node; i < at; i++) {
		if (!gate_work(d->g, 1))
			return true;
		if (d->name[i] == GATE_NONE || g->nodes[i].ref == GATE_NONE ||
		    g->nodes[i].flags & GATE_NODE_DECLARES ||
		    function_at(g, i) != function)
			continue;
		if (is_hoisted_name(g, g->variables[g->nodes[i].ref].node))
			return true;
	}
	return false;
}

static bool is_in_loop(const struct gate *g, uint32_t i, uint32_t function)
{
	for (; i != GATE_NONE && i != g->scopes[function].node; i = g->nodes[i].parent)
		if (gate_is_loop(g->nodes[i].kind))
			return true;
	return false;
}

/* The case of a switch in which a declaration stands, if it stands in one. */
static uint32_t case_around(const struct gate *g, uint32_t i, uint32_t scope)
{
	for (; i != GATE_NONE && i != g->scopes[scope].node; i = g->nodes[i].parent)
		if (g->nodes[i].kind == sym_switch_case ||
		    g->nodes[i].kind == sym_switch_default)
			return i;
	return GATE_NONE;
}

/* Would a `var` of the function take in this use of the name, which is not the const's? */
static bool is_taken_in(const struct gate *g, uint32_t i, uint32_t function)
{
	uint32_t ref = g->nodes[i].ref;

	if (!is_in(g, i, g->scopes[function].node))
		return false;
	return ref == GATE_NONE ||
	       g->scopes[g->variables[ref].scope].function == function ||
	       !is_in(g, g->variables[ref].node, g->scopes[function].node);
}

struct constant {
	uint32_t node, variable, function;
	uint32_t in_case; /* NONE: in no case of a switch */
	bool in_loop;
	bool kept; /* by a function in there */
};

static bool use_is_odd(const struct gate *g, struct constant *c, uint32_t i)
{
	if (g->nodes[i].ref != c->variable)
		return is_taken_in(g, i, c->function);
	if (i < c->node || (c->in_case != GATE_NONE && !is_in(g, i, c->in_case)))
		return true;
	c->kept |= function_at(g, i) != c->function;
	return false;
}

static bool const_is_odd(const struct dialect *d, uint32_t node)
{
	const struct gate *g = d->g;
	const struct gate_variable *v = &g->variables[g->nodes[node].ref];
	struct constant c = {.node = node,
			     .variable = g->nodes[node].ref,
			     .function = g->scopes[v->scope].function,
			     .in_case = case_around(g, node, v->scope)};

	if (v->writes != 1)
		return true;
	for (uint32_t i = d->first[d->name[node]]; i != GATE_NONE; i = d->next[i])
		if (!gate_work(d->g, 1) || (i != node && use_is_odd(g, &c, i)))
			return true;
	return c.kept && (is_in_loop(g, node, c.function) ||
			  runs_functions_before(d, c.function, node));
}

static bool is_plain_const(const struct gate *g, uint32_t i)
{
	return g->nodes[i].kind == sym_identifier &&
	       g->nodes[i].flags & GATE_NODE_DECLARES && g->nodes[i].ref != GATE_NONE &&
	       g->nodes[i].op == anon_sym_const &&
	       g->nodes[g->nodes[i].parent].kind == sym_variable_declarator;
}

/* A block has its function from the beginning; out there it comes and goes. */
static bool function_is_odd(const struct dialect *d, uint32_t name)
{
	const struct gate *g = d->g;
	uint32_t own = gate_variable_find(g, g->nodes[name].scope, d->name[name]);
	uint32_t function = function_at(g, name);

	for (uint32_t i = d->first[d->name[name]]; i != GATE_NONE; i = d->next[i]) {
		if (!gate_work(d->g, 1))
			return true;
		if (i == name)
			continue;
		if (g->nodes[i].ref == own ? (g->nodes[i].flags & (GATE_NODE_DECLARES |
								   GATE_NODE_WRITES)) != 0
					   : is_taken_in(g, i, function))
			return true;
	}
	return false;
}

void gate_dialect(struct gate *g)
{
	struct dialect d = {.g = g};

	list_names(&d);
	for (uint32_t i = 0; i < g->nodes_count; i++) {
		uint32_t name = g->nodes[i].kind == sym_function_declaration
					? gate_child(g, i, field_name)
					: GATE_NONE;

		if ((is_plain_const(g, i) && d.name[i] != GATE_NONE &&
		     const_is_odd(&d, i)) ||
		    (name != GATE_NONE && d.name[name] != GATE_NONE &&
		     gate_is_in_block(g, i) && function_is_odd(&d, name)) ||
		    (g->nodes[i].kind == sym_pair && gate_is_proto_key(g, i)))
			gate_signal(g, GATE_SIGNAL_ENGINE_DIALECT,
				    name == GATE_NONE ? i : name);
	}
	free_names(&d);
}
