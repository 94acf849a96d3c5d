/* SPDX-License-Identifier: MIT */
/*
 * The form of a pattern by its kind: a name, a path of names, or the name of a node or of
 * a signal. Of the last two only such as there are: a rule that never matches protects
 * from nothing, and nobody would notice.
 */
#include "policy/match.h"

#include <errno.h>
#include <stdbool.h>
#include <string.h>

#include "base/own.h"
#include "base/text.h"
#include "policy/ini.h"
#include "policy/syntax_nodes.h"

static bool is_letter(char c)
{
	return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
}

static bool is_digit(char c)
{
	return c >= '0' && c <= '9';
}

size_t match_name_span(const char *text, size_t len)
{
	size_t n = 0;

	while (n < len &&
	       (is_letter(text[n]) || text[n] == '_' || text[n] == '$' ||
		(unsigned char)text[n] >= 0x80 || (n > 0 && is_digit(text[n]))))
		n++;
	return n;
}

/* Names with one dot between. */
static bool is_path(const char *text, size_t len)
{
	for (;;) {
		size_t name = match_name_span(text, len);

		if (!name)
			return false;
		if (name == len)
			return true;
		if (text[name] != '.')
			return false;
		text += name + 1;
		len -= name + 1;
	}
}

/* "*.name": one property, of whatever. */
static bool is_property(const char *text, size_t len)
{
	return len > 2 && text[0] == '*' && text[1] == '.' &&
	       match_name_span(text + 2, len - 2) == len - 2;
}

/* Lower case, digits and one sign between words. */
static size_t word_span(const char *text, size_t len, char between)
{
	size_t n = 0;

	while (n < len && ((text[n] >= 'a' && text[n] <= 'z') ||
			   (n > 0 && (is_digit(text[n]) || text[n] == between))))
		n++;
	return n;
}

static bool is_well_formed(enum rule_kind kind, const char *text, size_t len)
{
	switch (kind) {
	case RULE_GLOBAL:
		return match_name_span(text, len) == len;
	case RULE_CALL:
	case RULE_NEW:
		return is_path(text, len);
	case RULE_MEMBER:
		return is_path(text, len) || is_property(text, len);
	case RULE_SYNTAX:
		return word_span(text, len, '_') == len;
	case RULE_SIGNAL:
		return word_span(text, len, '-') == len;
	case RULE_KINDS_COUNT:
		break;
	}
	return false;
}

/* What a pattern of the kind is, with an example: the table of the protocol says it. */
static const char *kind_text(enum rule_kind kind)
{
	static const char *const texts[RULE_KINDS_COUNT] = {
#define X(id, name, what) [RULE_##id] = (what),
		RULE_KINDS(X)
#undef X
	};

	return texts[kind];
}

static int parse_kind(const char *word, size_t len, enum rule_kind *ret_kind,
		      struct value_fault *fault)
{
	char name[32];
	int r;

	if (len >= sizeof(name))
		len = sizeof(name) - 1;
	memcpy(name, word, len);
	name[len] = '\0';
	r = value_choose(name, rule_kind_names, RULE_KINDS_COUNT, fault);
	fault->at = word;
	if (r < 0)
		return r;
	*ret_kind = (enum rule_kind)r;
	return 0;
}

static bool offer(struct nearest *nearest, const char *known, const char *name)
{
	nearest_offer(nearest, known);
	return !strcmp(known, name);
}

static bool is_node(const char *name, struct nearest *nearest)
{
	bool found = false;

	for (size_t i = 0; !found && i < ARRAY_LEN(syntax_nodes); i++)
		found = offer(nearest, syntax_nodes[i], name);
	return found;
}

/* The signals that the gate gives are those that the built-in rules look for. */
static bool is_signal(const char *name, struct nearest *nearest)
{
	bool found = false;

	for (size_t i = 0; !found && i < rules_builtin_count; i++)
		for (size_t k = 0; !found && k < rules_builtin[i].matches_count; k++)
			if (rules_builtin[i].matches[k].kind == RULE_SIGNAL)
				found = offer(nearest,
					      rules_builtin[i].matches[k].pattern, name);
	return found;
}

static int check_known(enum rule_kind kind, const char *word, size_t len,
		       struct value_fault *fault)
{
	char name[MATCH_PATTERN_MOST + 1];
	struct nearest nearest = NEAREST_INIT(name);

	if (kind != RULE_SYNTAX && kind != RULE_SIGNAL)
		return 0;
	memcpy(name, word, len);
	name[len] = '\0';
	if (kind == RULE_SYNTAX ? is_node(name, &nearest) : is_signal(name, &nearest))
		return 0;
	return value_fault(fault, word, "%s '%.80s'%s%s%s",
			   kind == RULE_SYNTAX ? "the grammar has no node"
					       : "the gate has no signal",
			   name, nearest.best ? ": did you mean " : "",
			   nearest.best ? nearest.best : "", nearest.best ? "?" : "");
}

int match_parse(const char *value, struct rule_match *ret_match, size_t *ret_len,
		struct value_fault *fault)
{
	const char *at = value, *word, *more;
	enum rule_kind kind = RULE_GLOBAL;
	size_t len = ini_word(&at, &word);
	int r = parse_kind(word, len, &kind, fault);

	if (r < 0)
		return r;
	len = ini_word(&at, &word);
	if (ini_word(&at, &more))
		return value_fault(fault, more,
				   "one pattern at a time: Match= may be "
				   "given again");
	if (!len)
		return value_fault(fault, value, "a pattern is missing: %s",
				   kind_text(kind));
	if (len > MATCH_PATTERN_MOST)
		return value_fault(fault, word, "the pattern is longer than %u bytes",
				   MATCH_PATTERN_MOST);
	if (!is_well_formed(kind, word, len))
		return value_fault(fault, word, "'%.*s' is no such pattern: %s",
				   len < 60 ? (int)len : 60, word, kind_text(kind));
	r = check_known(kind, word, len, fault);
	if (r < 0)
		return r;
	*ret_match = (struct rule_match){.kind = kind, .pattern = word};
	*ret_len = len;
	return 0;
}
