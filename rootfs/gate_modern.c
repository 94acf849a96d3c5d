/* SPDX-License-Identifier: MIT */
/*
 * What a source needs that Duktape 2.7 has not, or may have with another meaning (when it
 * has: gate_dialect.c). What it refuses loudly is here as well, so that another engine can
 * be chosen in time.
 */
#include <string.h>

#include "rootfs/gate_core.h"

static bool is_new_global(struct gate_text name)
{
	static const char *const names[] = {
		"Promise", "WeakMap",	 "WeakSet",	      "WeakRef",
		"BigInt",  "Atomics",	 "BigInt64Array",     "BigUint64Array",
		"Intl",	   "globalThis", "AggregateError",    "FinalizationRegistry",
		"async",   "await",	 "structuredClone",   "Iterator",
		"let",	   "Temporal",	 "SharedArrayBuffer",
	};

	return gate_text_is_one_of(name, names, sizeof(names) / sizeof(names[0]));
}

static bool is_new_property(struct gate_text name)
{
	static const char *const names[] = {
		"matchAll",	 "copyWithin",	 "toSorted",
		"toReversed",	 "toSpliced",	 "getOwnPropertyDescriptors",
		"asyncIterator", "iterator",	 "species",
		"groupBy",	 "isWellFormed", "toWellFormed",
		"description",	 "raw",		 "normalize",
		"localeCompare", "from",
	};

	return gate_text_is_one_of(name, names, sizeof(names) / sizeof(names[0]));
}

/* Flags and groups that came after ECMAScript 5. */
static bool is_new_regex(struct gate_text regex)
{
	const char *end = regex.at + regex.len, *flags = end;

	while (flags > regex.at && flags[-1] != '/')
		flags--;
	for (const char *c = flags; c < end; c++)
		if (!memchr("gim", *c, 3))
			return true;
	for (const char *c = regex.at; c + 2 < flags; c++)
		if ((c[0] == '(' && c[1] == '?' && c[2] == '<') ||
		    (c[0] == '\\' && memchr("pPk", c[1], 3)) ||
		    (c[0] == '\\' && c[1] == 'u' && c[2] == '{'))
			return true;
	return false;
}

/* Duktape rounds some of those with an exponent or with more digits than a double keeps to
 * the wrong side. */
static bool is_hard_number(struct gate_text number)
{
	unsigned digits = 0;

	if (number.len > 1 && (number.at[1] | 32) == 'x')
		return number.len > 15;
	for (uint32_t i = 0; i < number.len; i++) {
		if ((number.at[i] | 32) == 'e')
			return true;
		digits += number.at[i] >= '0' && number.at[i] <= '9';
	}
	return digits > 15;
}

static bool is_new_number(struct gate_text number)
{
	/* None at all, where the parser has put in one that is missing. */
	if (!number.len)
		return false;
	return is_hard_number(number) || memchr(number.at, '_', number.len) ||
	       number.at[number.len - 1] == 'n' ||
	       (number.len > 1 && memchr("oObB", number.at[1], 4));
}

static bool is_new_string(struct gate_text string)
{
	for (uint32_t i = 0; i + 2 < string.len; i++)
		if ((string.at[i] == '\\' && string.at[i + 1] == 'u' &&
		     string.at[i + 2] == '{') ||
		    (string.at[i] == '\xe2' && string.at[i + 1] == '\x80' &&
		     (string.at[i + 2] & ~1) == '\xa8'))
			return true;
	return false;
}

/* The last argument or parameter is followed by a comma. */
static bool has_last_comma(const struct gate *g, uint32_t i)
{
	struct gate_text text = gate_source_of(g, i);
	uint32_t last = GATE_NONE;

	for (uint32_t child = gate_first(g, i); child != GATE_NONE;
	     child = gate_next(g, child))
		last = child;
	if (last == GATE_NONE || g->nodes[last].kind == sym_comment)
		return last != GATE_NONE;
	return memchr(g->source + g->nodes[last].end, ',',
		      (size_t)(text.at + text.len - (g->source + g->nodes[last].end)));
}

static bool is_modern_operator(TSSymbol op)
{
	switch (op) {
	case anon_sym_QMARK_QMARK:
	case anon_sym_QMARK_QMARK_EQ:
	case anon_sym_AMP_AMP_EQ:
	case anon_sym_PIPE_PIPE_EQ:
	case anon_sym_STAR_STAR:
	case anon_sym_STAR_STAR_EQ:
	case anon_sym_let:
	case anon_sym_const:
		return true;
	default:
		return false;
	}
}

static bool is_modern_kind(TSSymbol kind)
{
	switch (kind) {
	case sym_class:
	case sym_class_declaration:
	case sym_arrow_function:
	case sym_generator_function:
	case sym_generator_function_declaration:
	case sym_template_string:
	case sym_spread_element:
	case sym_rest_pattern:
	case sym_array_pattern:
	case sym_object_pattern:
	case sym_assignment_pattern:
	case sym_optional_chain:
	case sym_await_expression:
	case sym_yield_expression:
	case sym_meta_property:
	case sym_computed_property_name:
	case alias_sym_shorthand_property_identifier:
	case sym_private_property_identifier:
	case sym_import:
	case sym_import_statement:
	case sym_export_statement:
	case sym_super:
	case sym_lexical_declaration:
	case sym_decorator:
		return true;
	default:
		return false;
	}
}

static bool gives_value(TSSymbol kind)
{
	return kind != sym_comment && kind != sym_empty_statement &&
	       kind != sym_function_declaration && kind != sym_variable_declaration;
}

/*
 * What a script comes to is another thing to Duktape where its last statement is none that
 * has a value of its own, but one before it is: it keeps that, and the language forgets
 * it. It also takes what `finally` comes to.
 */
static bool is_odd_end(const struct gate *g, uint32_t i)
{
	uint32_t next, earlier = 0;

	if (g->nodes[i].parent == GATE_NONE ||
	    g->nodes[g->nodes[i].parent].kind != sym_program)
		return false;
	for (next = gate_next(g, i); next != GATE_NONE; next = gate_next(g, next))
		if (gives_value(g->nodes[next].kind))
			return false;
	for (next = gate_first(g, g->nodes[i].parent); next != i;
	     next = gate_next(g, next))
		earlier += gives_value(g->nodes[next].kind);
	return earlier || g->nodes[i].kind == sym_try_statement;
}

/* Its compiler breaks where a `finally` breaks to the label. */
static bool is_labelled_try(const struct gate *g, uint32_t i)
{
	uint32_t body = gate_child(g, i, field_body);

	return body != GATE_NONE && g->nodes[body].kind == sym_try_statement;
}

/* Repetitions of groups and escapes that its compiler refuses or takes otherwise. */
static bool is_odd_regex(struct gate_text regex)
{
	for (uint32_t i = 0; i + 1 < regex.len; i++) {
		char c = regex.at[i], next = regex.at[i + 1];

		if ((c == ')' && memchr("*+{", next, 3)) ||
		    (c == '\\' && (next == 'c' || (next >= '0' && next <= '9'))) ||
		    (c == '-' && next == '\\'))
			return true;
	}
	return false;
}

bool gate_is_in_block(const struct gate *g, uint32_t i)
{
	uint32_t up = g->nodes[i].parent;

	if (up == GATE_NONE || g->nodes[up].kind == sym_program)
		return false;
	return g->nodes[up].kind != sym_statement_block ||
	       g->nodes[up].parent == GATE_NONE ||
	       !gate_is_function(g->nodes[g->nodes[up].parent].kind);
}

/* To Duktape a property like any other. */
bool gate_is_proto_key(struct gate *g, uint32_t pair)
{
	uint32_t key = gate_child(g, pair, field_key);
	struct gate_text text;

	if (key == GATE_NONE)
		return false;
	text = gate_source_of(g, key);
	if (g->nodes[key].kind == sym_string && text.len > 2)
		text = (struct gate_text){text.at + 1, text.len - 2};
	return gate_text_decode(g, text, &text) && gate_text_is(text, "__proto__");
}

bool gate_modern(struct gate *g, uint32_t i)
{
	const struct gate_node *node = &g->nodes[i];

	if (is_modern_kind(node->kind) || is_modern_operator(node->op) ||
	    node->flags & (GATE_NODE_ASYNC | GATE_NODE_STAR))
		return true;
	switch (node->kind) {
	case sym_function_declaration:
		return gate_is_in_block(g, i);
	case sym_pair:
		return gate_is_proto_key(g, i);
	case sym_for_in_statement:
		return node->op == anon_sym_of ||
		       is_modern_operator((TSSymbol)node->ref) || is_odd_end(g, i);
	case sym_method_definition:
		return !(node->flags & GATE_NODE_ACCESSOR);
	case sym_if_statement:
	case sym_for_statement:
	case sym_while_statement:
	case sym_do_statement:
	case sym_switch_statement:
	case sym_try_statement:
	case sym_statement_block:
	case sym_with_statement:
		return is_odd_end(g, i);
	case sym_labeled_statement:
		return is_odd_end(g, i) || is_labelled_try(g, i);
	case sym_catch_clause:
		return gate_child(g, i, field_parameter) == GATE_NONE;
	case sym_regex:
		return is_new_regex(gate_source_of(g, i)) ||
		       is_odd_regex(gate_source_of(g, i));
	case sym_number:
		return is_new_number(gate_source_of(g, i));
	case sym_string:
		return is_new_string(gate_source_of(g, i));
	case sym_identifier:
		return is_new_global(gate_source_of(g, i));
	case alias_sym_property_identifier:
		return is_new_property(gate_source_of(g, i));
	case sym_arguments:
	case sym_formal_parameters:
		return has_last_comma(g, i);
	default:
		return false;
	}
}
