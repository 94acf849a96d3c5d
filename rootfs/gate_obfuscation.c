/* SPDX-License-Identifier: MIT */
/*
 * Does the source hide what it does? Counted over the whole of it, told once, at the first
 * place:
 *
 *	- escapes that stand for letters and digits, of which nobody needs many
 *	- names as obfuscators make them: _0x and hexadecimal digits
 *	- hardly anything but brackets and signs
 *	- long strings of nothing but the digits of base64 or hexadecimal numbers
 */
#include "rootfs/gate_core.h"

#define ESCAPES_LEAST 16u
#define NAMES_LEAST   5u
#define SIGNS_LEAST   200u
#define ENCODED_LEAST 1024u

struct count {
	uint32_t first, number;
};

static void count(struct count *c, uint32_t i)
{
	if (!c->number++)
		c->first = i;
}

static bool is_alnum(char c)
{
	return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
}

/* \x41, \u0041, \u{41} */
static bool is_needless_escape(struct gate *g, uint32_t i)
{
	struct gate_text raw = gate_source_of(g, i), text;

	if (g->nodes[i].kind != sym_escape_sequence || raw.len < 4)
		return false;
	return gate_text_decode(g, raw, &text) && text.len == 1 && is_alnum(text.at[0]);
}

static bool is_made_name(struct gate_text name)
{
	if (name.len < 5 || name.at[0] != '_' || name.at[1] != '0' || name.at[2] != 'x')
		return false;
	for (uint32_t i = 3; i < name.len; i++)
		if (!((name.at[i] >= '0' && name.at[i] <= '9') ||
		      (name.at[i] >= 'a' && name.at[i] <= 'f')))
			return false;
	return true;
}

static bool is_encoded(struct gate_text text)
{
	bool digit = false, letter = false;

	if (text.len < ENCODED_LEAST)
		return false;
	for (uint32_t i = 1; i + 1 < text.len; i++) {
		char c = text.at[i];

		if (!is_alnum(c) && c != '+' && c != '/' && c != '=')
			return false;
		digit |= c >= '0' && c <= '9';
		letter |= c >= 'A' && is_alnum(c);
	}
	return digit && letter;
}

static bool is_all_signs(const struct gate *g)
{
	uint32_t signs = 0, operators = 0, others = 0;

	for (uint32_t i = 0; i < g->source_len; i++) {
		char c = g->source[i];

		if (c == '[' || c == ']' || c == '(' || c == ')' || c == '!' || c == '+')
			signs++;
		else
			others += (unsigned char)c > ' ';
		operators += c == '!' || c == '+';
	}
	return signs >= SIGNS_LEAST && signs / 4 > others && operators > signs / 8;
}

void gate_obfuscation(struct gate *g)
{
	struct count escapes = {0}, encoded = {0}, made_names = {0};

	for (uint32_t i = 0; i < g->nodes_count; i++) {
		if (is_needless_escape(g, i))
			count(&escapes, i);
		if (g->nodes[i].kind == sym_string && is_encoded(gate_source_of(g, i)))
			count(&encoded, i);
	}
	for (uint32_t i = 0; i < g->variables_count; i++)
		if (is_made_name(g->names[g->variables[i].name].text))
			count(&made_names, g->variables[i].node);
	if (escapes.number >= ESCAPES_LEAST)
		gate_signal(g, GATE_SIGNAL_OBFUSCATION, escapes.first);
	else if (made_names.number >= NAMES_LEAST)
		gate_signal(g, GATE_SIGNAL_OBFUSCATION, made_names.first);
	else if (encoded.number)
		gate_signal(g, GATE_SIGNAL_OBFUSCATION, encoded.first);
	else if (is_all_signs(g))
		gate_signal(g, GATE_SIGNAL_OBFUSCATION, 0);
}
