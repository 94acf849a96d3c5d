/* SPDX-License-Identifier: MIT */
/*
 * The form of a pattern by its kind: a name, a path of names, or the name of a node or of
 * a signal.
 */
#include "policy/match.h"

#include <errno.h>
#include <stdbool.h>
#include <string.h>

#include "base/own.h"
#include "policy/ini.h"

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
	*ret_match = (struct rule_match){.kind = kind, .pattern = word};
	*ret_len = len;
	return 0;
}
