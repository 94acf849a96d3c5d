/* SPDX-License-Identifier: MIT */
/*
 * The source becomes a tree, the tree an array of its named nodes. Of the tokens between
 * them only what they say of their node is kept; all of them pass gate_lexis.c.
 */
#include <string.h>

#include "rootfs/gate_core.h"

/* Steps of the parser. Sources of every kind take at most 20 a byte, those with errors
 * more: what goes on beyond this only burns time. */
#define PARSE_STEPS_LEAST    200000u
#define PARSE_STEPS_PER_BYTE UINT64_C(64)

struct reading {
	struct gate *g;
	TSTreeCursor cursor;
	struct gate_lexis lexis;
	uint32_t open;	  /* the node that we are in */
	uint32_t depth;	  /* of the tree */
	uint32_t skipped; /* tokens without a node that we are in */
	uint32_t nesting;
	bool comma; /* in an array: an element may follow */
};

static bool is_decision(const struct gate_node *node)
{
	switch (node->kind) {
	case sym_if_statement:
	case sym_for_statement:
	case sym_for_in_statement:
	case sym_while_statement:
	case sym_do_statement:
	case sym_switch_case:
	case sym_catch_clause:
	case sym_ternary_expression:
		return true;
	default:
		break;
	}
	switch (node->op) {
	case anon_sym_AMP_AMP:
	case anon_sym_PIPE_PIPE:
	case anon_sym_QMARK_QMARK:
	case anon_sym_AMP_AMP_EQ:
	case anon_sym_PIPE_PIPE_EQ:
	case anon_sym_QMARK_QMARK_EQ:
		return true;
	default:
		return false;
	}
}

/* `else if` is no deeper than its `if`. */
static bool nests(const struct gate *g, const struct gate_node *node)
{
	switch (node->kind) {
	case sym_if_statement:
		return node->parent == GATE_NONE ||
		       g->nodes[node->parent].kind != sym_else_clause;
	case sym_for_statement:
	case sym_for_in_statement:
	case sym_while_statement:
	case sym_do_statement:
	case sym_switch_statement:
	case sym_try_statement:
	case sym_with_statement:
	case sym_class:
	case sym_class_declaration:
		return true;
	case sym_statement_block:
		return node->parent == GATE_NONE ||
		       g->nodes[node->parent].kind == sym_program ||
		       g->nodes[node->parent].kind == sym_statement_block;
	default:
		return gate_is_function(node->kind);
	}
}

bool gate_is_function(TSSymbol kind)
{
	switch (kind) {
	case sym_function_declaration:
	case sym_function_expression:
	case sym_generator_function:
	case sym_generator_function_declaration:
	case sym_arrow_function:
	case sym_method_definition:
		return true;
	default:
		return false;
	}
}

static bool is_array(TSSymbol kind)
{
	return kind == sym_array || kind == sym_array_pattern;
}

/* What a token without a node says of the node it is in. */
static void read_token(struct reading *r, TSSymbol kind)
{
	struct gate_node *in = &r->g->nodes[r->open];
	TSFieldId field;

	if (is_array(in->kind)) {
		if (kind == anon_sym_COMMA && !r->comma)
			in->flags |= GATE_NODE_HOLES;
		r->comma = kind != anon_sym_COMMA && kind != anon_sym_LBRACK;
	}
	if (kind == anon_sym_async)
		in->flags |= GATE_NODE_ASYNC;
	if (kind == anon_sym_STAR && in->kind != sym_binary_expression)
		in->flags |= GATE_NODE_STAR;
	if (kind == anon_sym_static)
		in->flags |= GATE_NODE_STATIC;
	if (kind == anon_sym_get || kind == anon_sym_set)
		in->flags |= GATE_NODE_ACCESSOR;
	if (kind == anon_sym_var || kind == anon_sym_let || kind == anon_sym_const) {
		/* The op of a for-in is `in` or `of`. */
		if (in->kind == sym_for_in_statement)
			in->ref = kind;
		else
			in->op = kind;
	}
	field = ts_tree_cursor_current_field_id(&r->cursor);
	if (field == field_operator)
		in->op = kind;
}

static void read_node(struct reading *r, TSNode node, TSSymbol kind)
{
	struct gate *g = r->g;
	uint32_t room = g->nodes_room;

	gate_room(&g->nodes, g->nodes_count, &g->nodes_room, sizeof(*g->nodes));
	if (room != g->nodes_room)
		g->values =
			gate_tree_realloc(g->values, g->nodes_room * sizeof(*g->values));
	g->nodes[g->nodes_count] = (struct gate_node){
		.kind = kind,
		.field = ts_tree_cursor_current_field_id(&r->cursor),
		.start = ts_node_start_byte(node),
		.end = ts_node_end_byte(node),
		.parent = r->open,
		.ref = GATE_NONE,
	};
	r->open = g->nodes_count++;
	r->comma = false;
}

static void close_node(struct reading *r)
{
	struct gate *g = r->g;
	struct gate_node *node = &g->nodes[r->open];

	node->after = g->nodes_count;
	g->summary.complexity += is_decision(node);
	r->nesting -= nests(g, node);
	r->open = node->parent;
	r->comma = node->kind != sym_comment;
}

/* A statement may end without its semicolon where a block or the source does. The grammar
 * misses that after a label. */
static bool ends_by_itself(const struct reading *r, uint32_t at)
{
	const struct gate *g = r->g;

	while (at < g->source_len && memchr(" \t\r\n", g->source[at], 4))
		at++;
	return at == g->source_len || g->source[at] == '}';
}

static bool is_error(const struct reading *r, TSNode node, TSSymbol kind)
{
	if (ts_node_is_missing(node))
		return kind != anon_sym_SEMI ||
		       !ends_by_itself(r, ts_node_start_byte(node));
	return ts_node_is_error(node);
}

static void enter(struct reading *r)
{
	TSNode node = ts_tree_cursor_current_node(&r->cursor);
	TSSymbol kind = ts_node_symbol(node);

	r->g->summary.unparsed |= is_error(r, node, kind);
	if (!ts_node_is_named(node)) {
		read_token(r, kind);
		r->skipped++;
		return;
	}
	read_node(r, node, kind);
	r->nesting += nests(r->g, &r->g->nodes[r->open]);
	if (r->nesting > r->g->summary.nesting)
		r->g->summary.nesting = r->nesting;
}

static void leave(struct reading *r)
{
	if (r->skipped)
		r->skipped--;
	else
		close_node(r);
}

/* What the cursor is at has nothing in it, or nothing that is read. */
static void read_leaf(struct reading *r, bool deep)
{
	TSNode node = ts_tree_cursor_current_node(&r->cursor);
	uint32_t start = ts_node_start_byte(node), end = ts_node_end_byte(node);

	if (!deep) {
		gate_lexis_token(r->g, &r->lexis, ts_node_symbol(node), start, end);
		return;
	}
	r->g->summary.unparsed = true;
	gate_signal_at(r->g, GATE_SIGNAL_TOO_DEEP, start, end);
	r->lexis.end = r->lexis.code_end = end;
}

static void read_all(struct reading *r)
{
	for (;;) {
		bool deep = r->depth >= GATE_DEPTH_MOST;

		enter(r);
		if (!deep && ts_tree_cursor_goto_first_child(&r->cursor)) {
			r->depth++;
			continue;
		}
		read_leaf(r, deep && ts_node_child_count(
					     ts_tree_cursor_current_node(&r->cursor)));
		leave(r);
		while (!ts_tree_cursor_goto_next_sibling(&r->cursor)) {
			if (!ts_tree_cursor_goto_parent(&r->cursor))
				return;
			r->depth--;
			leave(r);
		}
	}
}

/* NUL ends a source for the scanner, but not for the engines: it reads another control
 * character in its place, which is as good in a string and as bad outside. */
static char *without_nul(const struct gate *g)
{
	char *copy = gate_tree_malloc(g->source_len);

	for (uint32_t i = 0; i < g->source_len; i++)
		copy[i] = g->source[i] ? g->source[i] : '\1';
	return copy;
}

/* The parser tells its log of every step and every character that it looks at, again and
 * again if it goes back: so the log counts its work. */
static void count_step(void *payload, TSLogType type, const char *message)
{
	(void)type, (void)message;
	gate_tree_spend(payload, 1);
}

/* NULL: the work was more than a source of that size is worth. */
static TSTree *parse(TSParser *parser, const char *source, uint32_t len)
{
	struct gate_tree_budget budget = {
		.left = PARSE_STEPS_LEAST + PARSE_STEPS_PER_BYTE * len,
	};
	TSTree *tree;

	if (!ts_parser_set_language(parser, tree_sitter_javascript()))
		__builtin_trap();
	ts_parser_set_logger(parser, (TSLogger){&budget, count_step});
	ts_parser_set_cancellation_flag(parser, &budget.spent);
	gate_tree_count(&budget);
	tree = ts_parser_parse_string(parser, NULL, source, len);
	gate_tree_count(NULL);
	return tree;
}

static void read_tree(struct gate *g, TSTree *tree)
{
	struct reading r = {.g = g, .open = GATE_NONE};

	r.cursor = ts_tree_cursor_new(ts_tree_root_node(tree));
	read_all(&r);
	gate_lexis_end(g, &r.lexis);
	for (uint32_t i = 0; i < g->nodes_count && !g->summary.modern; i++) {
		g->summary.modern = gate_modern(g, i);
		g->modern_at = i;
	}
	ts_tree_cursor_delete(&r.cursor);
	ts_tree_delete(tree);
}

/* A program of which nothing is known. */
static void read_nothing(struct gate *g)
{
	gate_room(&g->nodes, 0, &g->nodes_room, sizeof(*g->nodes));
	g->values = gate_tree_calloc(g->nodes_room, sizeof(*g->values));
	g->nodes[0] = (struct gate_node){
		.kind = sym_program,
		.end = g->source_len,
		.parent = GATE_NONE,
		.after = 1,
		.ref = GATE_NONE,
	};
	g->nodes_count = 1;
	g->summary.unparsed = true;
}

void gate_read(struct gate *g)
{
	char *copy = memchr(g->source, 0, g->source_len) ? without_nul(g) : NULL;
	TSParser *parser = ts_parser_new();
	TSTree *tree = parse(parser, copy ? copy : g->source, g->source_len);

	if (tree)
		read_tree(g, tree);
	else
		read_nothing(g);
	ts_parser_delete(parser);
	gate_tree_free(copy);
}

void gate_nodes_free(struct gate *g)
{
	gate_tree_free(g->nodes);
	gate_tree_free(g->values);
}

uint32_t gate_child(const struct gate *g, uint32_t i, TSFieldId field)
{
	for (i = gate_first(g, i); i != GATE_NONE; i = gate_next(g, i))
		if (g->nodes[i].field == field && g->nodes[i].kind != sym_comment)
			return i;
	return GATE_NONE;
}

static uint32_t skip_comments(const struct gate *g, uint32_t i)
{
	while (i != GATE_NONE &&
	       (g->nodes[i].kind == sym_comment || g->nodes[i].kind == sym_html_comment))
		i = gate_next(g, i);
	return i;
}

uint32_t gate_first_real(const struct gate *g, uint32_t i)
{
	return skip_comments(g, gate_first(g, i));
}

uint32_t gate_next_real(const struct gate *g, uint32_t i)
{
	return skip_comments(g, gate_next(g, i));
}

uint32_t gate_in_parens(const struct gate *g, uint32_t i)
{
	while (i != GATE_NONE && g->nodes[i].kind == sym_parenthesized_expression)
		i = gate_first_real(g, i);
	return i;
}

/* The outermost pair of parentheses around it, or itself. */
uint32_t gate_out_of_parens(const struct gate *g, uint32_t i)
{
	while (g->nodes[i].parent != GATE_NONE &&
	       g->nodes[g->nodes[i].parent].kind == sym_parenthesized_expression)
		i = g->nodes[i].parent;
	return i;
}

struct gate_text gate_source_of(const struct gate *g, uint32_t i)
{
	return (struct gate_text){g->source + g->nodes[i].start,
				  g->nodes[i].end - g->nodes[i].start};
}
