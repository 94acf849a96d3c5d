/* SPDX-License-Identifier: MIT */
/*
 * Where the grammar and an engine could cut the same bytes into different words. If they
 * did, code could hide in what the parser takes for a comment, a string or a regular
 * expression. Each such place makes the source unparsed: what was examined may not be
 * what runs.
 *
 *	- between two tokens: anything that is not white space to JavaScript
 *	- a line comment or #! line that goes on after a line terminator
 *	- <!-- anywhere, and --> at the beginning of a line: comments to an engine alone
 *	- a statement that begins with what is read as an expression, though the language
 *	  has a block, a function or a class there: what follows may be a division to one
 *	  and a regular expression to the other
 *	- await and yield where they are names
 *	- a keyword that is written with an escape
 *	- a name with a character in it that is a space to some engine
 *	- JSX, which no engine has
 */
#include <string.h>

#include "rootfs/gate_core.h"

static bool is_line_end(const char *at, const char *end)
{
	return *at == '\n' || *at == '\r' ||
	       (end - at >= 3 && at[0] == '\xe2' && at[1] == '\x80' &&
		(at[2] == '\xa8' || at[2] == '\xa9'));
}

static bool has_line_end(const struct gate *g, uint32_t start, uint32_t end)
{
	for (uint32_t i = start; i < end; i++)
		if (is_line_end(g->source + i, g->source + end))
			return true;
	return false;
}

/* Bytes of white space at that place, 0 for none. */
static uint32_t space_at(const char *at, const char *end)
{
	static const char *const wide[] = {
		"\xc2\xa0",	"\xe1\x9a\x80", "\xe2\x80\x80", "\xe2\x80\x81",
		"\xe2\x80\x82", "\xe2\x80\x83", "\xe2\x80\x84", "\xe2\x80\x85",
		"\xe2\x80\x86", "\xe2\x80\x87", "\xe2\x80\x88", "\xe2\x80\x89",
		"\xe2\x80\x8a", "\xe2\x80\xa8", "\xe2\x80\xa9", "\xe2\x80\xaf",
		"\xe2\x81\x9f", "\xe3\x80\x80", "\xef\xbb\xbf",
	};

	if (*at == ' ' || (*at >= '\t' && *at <= '\r'))
		return 1;
	for (size_t i = 0; i < sizeof(wide) / sizeof(wide[0]); i++) {
		uint32_t len = (uint32_t)strlen(wide[i]);

		if ((size_t)(end - at) >= len && !memcmp(at, wide[i], len))
			return len;
	}
	return 0;
}

static bool is_space(const struct gate *g, uint32_t start, uint32_t end)
{
	while (start < end) {
		uint32_t len = space_at(g->source + start, g->source + end);

		if (!len)
			return false;
		start += len;
	}
	return true;
}

static bool follows(const struct gate *g, uint32_t at, const char *text)
{
	size_t len = strlen(text);

	return g->source_len - at >= len && !memcmp(g->source + at, text, len);
}

static void html_comment(struct gate *g, uint32_t start, uint32_t end)
{
	g->summary.unparsed = true;
	gate_signal_at(g, GATE_SIGNAL_HTML_COMMENT, start, end);
}

void gate_lexis_token(struct gate *g, struct gate_lexis *lexis, TSSymbol kind,
		      uint32_t start, uint32_t end)
{
	bool comment = kind == sym_comment;

	if (start < lexis->end || !is_space(g, lexis->end, start))
		g->summary.unparsed = true;
	lexis->end = end;
	if ((kind == sym_hash_bang_line || (comment && follows(g, start, "//"))) &&
	    has_line_end(g, start, end))
		g->summary.unparsed = true;
	if (kind == sym_html_comment)
		html_comment(g, start, end);
	if (kind == anon_sym_LT && follows(g, start, "<!--"))
		html_comment(g, start, start + 4);
	if (kind == anon_sym_DASH_DASH && follows(g, start, "-->") &&
	    (!lexis->code_end || has_line_end(g, lexis->code_end, start)))
		html_comment(g, start, start + 3);
	if (!comment)
		lexis->code_end = end;
}

void gate_lexis_end(struct gate *g, struct gate_lexis *lexis)
{
	if (!is_space(g, lexis->end, g->source_len))
		g->summary.unparsed = true;
}

static bool is_statement_word(TSSymbol kind)
{
	return kind == sym_object || kind == sym_object_pattern ||
	       kind == sym_function_expression || kind == sym_generator_function ||
	       kind == sym_class;
}

/* The first node that begins where this one does and is no wrapper of others. */
static bool begins_with_statement(const struct gate *g, uint32_t i)
{
	uint32_t start = g->nodes[i].start;

	for (i++; i < g->nodes_count && g->nodes[i].start == start; i++)
		if (is_statement_word(g->nodes[i].kind))
			return true;
	return false;
}

/* { name: value } is a block with a label to an engine. Both read the same words, if the
 * value is none that a statement begins with. */
static bool is_labelled_value(const struct gate *g, uint32_t i)
{
	uint32_t object = gate_first_real(g, i), pair, key, value;

	if (g->nodes[object].kind != sym_object || gate_next_real(g, object) != GATE_NONE)
		return false;
	pair = gate_first_real(g, object);
	if (pair == GATE_NONE || g->nodes[pair].kind != sym_pair ||
	    gate_next_real(g, pair) != GATE_NONE)
		return false;
	key = gate_child(g, pair, field_key);
	value = gate_child(g, pair, field_value);
	return key != GATE_NONE && value != GATE_NONE &&
	       g->nodes[key].kind == alias_sym_property_identifier &&
	       !is_statement_word(g->nodes[value].kind) &&
	       !begins_with_statement(g, value);
}

/* Is it in a function of which that flag is true? */
static bool in_function(const struct gate *g, uint32_t i, enum gate_node_flag flag)
{
	for (i = g->nodes[i].parent; i != GATE_NONE; i = g->nodes[i].parent) {
		const struct gate_node *node = &g->nodes[i];

		if (node->kind == sym_generator_function ||
		    node->kind == sym_generator_function_declaration)
			return flag == GATE_NODE_STAR || node->flags & flag;
		if (gate_is_function(node->kind))
			return node->flags & flag;
		if (node->kind == sym_class_static_block ||
		    node->kind == sym_field_definition)
			return false;
	}
	return false;
}

static bool is_keyword(struct gate_text name)
{
	static const char *const words[] = {
		"break",    "case",    "catch",	 "class",      "const", "continue",
		"debugger", "default", "delete", "do",	       "else",	"enum",
		"export",   "extends", "false",	 "finally",    "for",	"function",
		"if",	    "import",  "in",	 "instanceof", "new",	"null",
		"return",   "super",   "switch", "this",       "throw", "true",
		"try",	    "typeof",  "var",	 "void",       "while", "with",
		"yield",    "let",     "static", "await",      "async", "of",
		"get",	    "set",
	};

	return gate_text_is_one_of(name, words, sizeof(words) / sizeof(words[0]));
}

static bool is_escaped_keyword(struct gate *g, uint32_t i)
{
	struct gate_text raw = gate_source_of(g, i), name;

	return memchr(raw.at, '\\', raw.len) &&
	       (!gate_text_decode(g, raw, &name) || is_keyword(name));
}

static bool has_space(struct gate_text name)
{
	const char *end = name.at + name.len;

	for (const char *at = name.at; at < end; at++)
		if (*at & 0x80 && (space_at(at, end) ||
				   (end - at >= 3 && (!memcmp(at, "\xe1\xa0\x8e", 3) ||
						      !memcmp(at, "\xe2\x80\x8b", 3) ||
						      !memcmp(at, "\xe2\x81\xa0", 3))) ||
				   (end - at >= 2 && !memcmp(at, "\xc2\x85", 2))))
			return true;
	return false;
}

static bool is_outside_functions(const struct gate *g, uint32_t i)
{
	for (; i != GATE_NONE; i = g->nodes[i].parent)
		if (gate_is_function(g->nodes[i].kind) ||
		    g->nodes[i].kind == sym_class_static_block ||
		    g->nodes[i].kind == sym_field_definition)
			return false;
	return true;
}

/* Outside of functions `await` is a word of the language only if the engine is told so,
 * which QuickJS is; else it is a name like others, and what follows an operator. */
static bool is_waiting(struct gate *g, uint32_t i)
{
	if (g->job->duktape || !is_outside_functions(g, i))
		return false;
	g->summary.awaits = true;
	return true;
}

static bool is_for_await(const struct gate *g, uint32_t i)
{
	struct gate_text text = gate_source_of(g, i);
	uint32_t at = 3; /* for */

	while (at < text.len && (text.at[at] == ' ' || text.at[at] == '\t' ||
				 text.at[at] == '\n' || text.at[at] == '\r'))
		at++;
	return text.len - at > 5 && !memcmp(text.at + at, "await", 5);
}

static bool is_ambiguous(struct gate *g, uint32_t i)
{
	const struct gate_node *node = &g->nodes[i];

	switch (node->kind) {
	case sym_expression_statement:
		return begins_with_statement(g, i) && !is_labelled_value(g, i);
	case sym_object:
		return node->field == field_body;
	case sym_await_expression:
		return !in_function(g, i, GATE_NODE_ASYNC) && !is_waiting(g, i);
	case sym_for_in_statement:
		if (is_for_await(g, i))
			is_waiting(g, i);
		return false;
	case sym_yield_expression:
		return !in_function(g, i, GATE_NODE_STAR);
	case sym_identifier:
	case alias_sym_shorthand_property_identifier:
	case alias_sym_shorthand_property_identifier_pattern:
	case alias_sym_statement_identifier:
		return is_escaped_keyword(g, i) || has_space(gate_source_of(g, i));
	case alias_sym_property_identifier:
	case sym_private_property_identifier:
		return has_space(gate_source_of(g, i));
	case sym_jsx_element:
	case sym_jsx_self_closing_element:
	case sym_jsx_expression:
		return true;
	default:
		return false;
	}
}

void gate_lexis_nodes(struct gate *g)
{
	bool has_name = false;

	for (uint32_t i = 0; i < g->nodes_count && !g->summary.unparsed; i++) {
		if (is_ambiguous(g, i))
			g->summary.unparsed = true;
		has_name |= g->nodes[i].kind == sym_identifier &&
			    gate_text_is(gate_source_of(g, i), "await");
	}
	/* Word and name in one source: the engine would know one of them only. */
	if (g->summary.awaits && has_name)
		g->summary.unparsed = true;
}
