/* SPDX-License-Identifier: MIT */
/*
 * What QuickJS takes and runs with another meaning. A parameter is one variable, but where
 * a function in a default value names it, QuickJS gives that function and the body a
 * variable each; so it does where a default value assigns it. Neither sees what the other
 * writes.
 */
#include "rootfs/gate_core.h"

/* Other nodes keep other things in `ref`. */
static bool is_of_variable(const struct gate *g, uint32_t i)
{
	return gate_is_reference(g, i) && g->nodes[i].ref != GATE_NONE;
}

static bool is_written(const struct gate *g, uint32_t i)
{
	return (g->nodes[i].flags & (GATE_NODE_WRITES | GATE_NODE_DECLARES)) ==
	       GATE_NODE_WRITES;
}

/* Does it stand among the parameters of the function whose scope that is? */
static bool is_in_parameters(const struct gate *g, uint32_t i, uint32_t scope)
{
	uint32_t list = gate_child(g, g->scopes[scope].node, field_parameters);

	return list != GATE_NONE && i >= list && i < g->nodes[list].after;
}

/* Is it a parameter that a default value assigns, or that a function in one names? */
static bool is_kept_by_default(const struct gate *g, uint32_t i)
{
	const struct gate_node *node = &g->nodes[i];
	uint32_t scope;

	if (!is_of_variable(g, i) || node->flags & GATE_NODE_DECLARES ||
	    !g->variables[node->ref].parameter)
		return false;
	scope = g->variables[node->ref].scope;
	return is_in_parameters(g, i, scope) &&
	       (is_written(g, i) || g->scopes[node->scope].function != scope);
}

void gate_dialect_quick(struct gate *g)
{
	bool *kept = gate_tree_calloc(g->variables_count ? g->variables_count : 1,
				      sizeof(*kept));
	bool any = false;

	for (uint32_t i = 0; i < g->nodes_count; i++)
		if (is_kept_by_default(g, i))
			any = kept[g->nodes[i].ref] = true;
	for (uint32_t i = 0; any && i < g->nodes_count; i++)
		if (is_of_variable(g, i) && kept[g->nodes[i].ref] && is_written(g, i))
			gate_signal(g, GATE_SIGNAL_ENGINE_DIALECT, i);
	gate_tree_free(kept);
}
