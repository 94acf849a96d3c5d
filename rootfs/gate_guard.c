/* SPDX-License-Identifier: MIT */
/*
 * What a source asks for with typeof before it is used: `typeof process !== "undefined" &&
 * process.env`. No engine here has what only a host has, so what comes behind the test is
 * never done; nor can the script have made it, or it would be a variable.
 */
#include "rootfs/gate_core.h"

#define LEVELS_MOST 64u
#define DEPTH_MOST  8u

static bool is_of_host(struct gate_text name)
{
	static const char *const names[] = {
		"process",	  "module",	   "exports",	  "define",
		"document",	  "navigator",	   "location",	  "fetch",
		"XMLHttpRequest", "WebSocket",	   "EventSource", "importScripts",
		"Worker",	  "SharedWorker",  "Deno",	  "Bun",
		"WScript",	  "ActiveXObject", "__dirname",	  "__filename",
		"localStorage",	  "indexedDB",	   "alert",	  "sessionStorage",
		"Packages",	  "Java",
	};

	return gate_text_is_one_of(name, names, sizeof(names) / sizeof(names[0]));
}

/* typeof NAME on one side, a string on the other; NONE: it is not that. */
static uint32_t asked_name(struct gate *g, uint32_t i, uint32_t *ret_text)
{
	uint32_t left = gate_in_parens(g, gate_child(g, i, field_left));
	uint32_t right = gate_in_parens(g, gate_child(g, i, field_right));

	if (left == GATE_NONE || right == GATE_NONE)
		return GATE_NONE;
	if (g->nodes[left].kind == sym_string) {
		uint32_t other = left;

		left = right;
		right = other;
	}
	if (g->nodes[left].op != anon_sym_typeof || g->nodes[right].kind != sym_string)
		return GATE_NONE;
	*ret_text = right;
	return gate_in_parens(g, gate_child(g, left, field_argument));
}

static bool compares(struct gate *g, uint32_t i, struct gate_text name, bool holds)
{
	TSSymbol op = g->nodes[i].op;
	struct gate_text text;
	uint32_t string, at;
	bool equal = op == anon_sym_EQ_EQ || op == anon_sym_EQ_EQ_EQ;

	if (!equal && op != anon_sym_BANG_EQ && op != anon_sym_BANG_EQ_EQ)
		return false;
	at = asked_name(g, i, &string);
	if (at == GATE_NONE || !gate_text_equal(gate_source_of(g, at), name))
		return false;
	text = gate_source_of(g, string);
	if (text.len < 2)
		return false;
	text = (struct gate_text){text.at + 1, text.len - 2};
	if (gate_text_is(text, "undefined"))
		return equal != holds;
	return equal && holds;
}

/* If the condition holds, or does not, is there something of that name? */
static bool tells(struct gate *g, uint32_t i, struct gate_text name, bool holds,
		  unsigned depth)
{
	uint32_t left, right;
	TSSymbol op;

	i = gate_in_parens(g, i);
	if (i == GATE_NONE || depth == DEPTH_MOST || !gate_work(g, 1))
		return false;
	op = g->nodes[i].op;
	if (g->nodes[i].kind == sym_unary_expression && op == anon_sym_BANG)
		return tells(g, gate_child(g, i, field_argument), name, !holds,
			     depth + 1);
	if (g->nodes[i].kind != sym_binary_expression)
		return false;
	if (op != (holds ? anon_sym_AMP_AMP : anon_sym_PIPE_PIPE))
		return compares(g, i, name, holds);
	left = gate_child(g, i, field_left);
	right = gate_child(g, i, field_right);
	return tells(g, left, name, holds, depth + 1) ||
	       tells(g, right, name, holds, depth + 1);
}

/* Is the node in the part of the one around it that depends on such a condition? */
static bool depends(struct gate *g, uint32_t i, struct gate_text name)
{
	const struct gate_node *node = &g->nodes[i];
	uint32_t up = node->parent, condition;

	switch (g->nodes[up].kind) {
	case sym_binary_expression:
		if (node->field != field_right || (g->nodes[up].op != anon_sym_AMP_AMP &&
						   g->nodes[up].op != anon_sym_PIPE_PIPE))
			return false;
		condition = gate_child(g, up, field_left);
		return tells(g, condition, name, g->nodes[up].op == anon_sym_AMP_AMP, 0);
	case sym_ternary_expression:
	case sym_if_statement:
		if (node->field != field_consequence && node->field != field_alternative)
			return false;
		condition = gate_child(g, up, field_condition);
		return tells(g, condition, name, node->field == field_consequence, 0);
	default:
		return false;
	}
}

bool gate_is_guarded(struct gate *g, uint32_t i)
{
	struct gate_text name = gate_source_of(g, i);
	uint32_t known = gate_name_find(g, name);

	if (g->nodes[i].kind != sym_identifier || !is_of_host(name) ||
	    known == GATE_NONE || g->names[known].global != GATE_NONE)
		return false;
	for (unsigned level = 0; level < LEVELS_MOST && g->nodes[i].parent != GATE_NONE;
	     level++, i = g->nodes[i].parent)
		if (depends(g, i, name))
			return true;
	return false;
}
