/* SPDX-License-Identifier: MIT */
/*
 * Texts: those of the source are used where they are, those that are made live in chunks
 * until the analysis ends. A lone surrogate is three bytes as if it were a character.
 */
#include <string.h>

#include "rootfs/gate_core.h"

#define CHUNK_BYTES 8192u

struct gate_chunk {
	struct gate_chunk *next;
	uint32_t used, size;
	char bytes[];
};

bool gate_text_is_one_of(struct gate_text text, const char *const *words, size_t count)
{
	for (size_t i = 0; i < count; i++)
		if (gate_text_is(text, words[i]))
			return true;
	return false;
}

bool gate_text_equal(struct gate_text a, struct gate_text b)
{
	return a.len == b.len && !memcmp(a.at, b.at, a.len);
}

bool gate_text_ends(struct gate_text a, const char *end)
{
	size_t len = strlen(end);

	return a.len >= len && !memcmp(a.at + a.len - len, end, len);
}

char *gate_text_room(struct gate *g, uint32_t len)
{
	struct gate_chunk *chunk = g->chunks;
	char *at;

	if (len > g->fold_left)
		return NULL;
	g->fold_left -= len;
	if (!chunk || chunk->size - chunk->used < len) {
		uint32_t size = len > CHUNK_BYTES ? len : CHUNK_BYTES;

		chunk = gate_tree_malloc(sizeof(*chunk) + size);
		*chunk = (struct gate_chunk){.next = g->chunks, .size = size};
		g->chunks = chunk;
	}
	at = chunk->bytes + chunk->used;
	chunk->used += len;
	return at;
}

void gate_text_free(struct gate *g)
{
	while (g->chunks) {
		struct gate_chunk *next = g->chunks->next;

		gate_tree_free(g->chunks);
		g->chunks = next;
	}
}

uint32_t gate_text_put(char *to, uint32_t c)
{
	if (c < 0x80) {
		to[0] = (char)c;
		return 1;
	}
	if (c < 0x800) {
		to[0] = (char)(0xc0 | c >> 6);
		to[1] = (char)(0x80 | (c & 0x3f));
		return 2;
	}
	if (c < 0x10000) {
		to[0] = (char)(0xe0 | c >> 12);
		to[1] = (char)(0x80 | (c >> 6 & 0x3f));
		to[2] = (char)(0x80 | (c & 0x3f));
		return 3;
	}
	to[0] = (char)(0xf0 | (c >> 18 & 7));
	to[1] = (char)(0x80 | (c >> 12 & 0x3f));
	to[2] = (char)(0x80 | (c >> 6 & 0x3f));
	to[3] = (char)(0x80 | (c & 0x3f));
	return 4;
}

struct escape {
	const char *at, *end;
};

static int hex_digit(char c)
{
	if (c >= '0' && c <= '9')
		return c - '0';
	c |= 0x20;
	return c >= 'a' && c <= 'f' ? c - 'a' + 10 : -1;
}

static bool hex(struct escape *escape, unsigned digits, uint32_t *ret_value)
{
	uint32_t value = 0;

	for (unsigned i = 0; i < digits; i++) {
		if (escape->at == escape->end || hex_digit(*escape->at) < 0)
			return false;
		value = value << 4 | (uint32_t)hex_digit(*escape->at++);
	}
	*ret_value = value;
	return true;
}

static bool hex_in_braces(struct escape *escape, uint32_t *ret_value)
{
	uint32_t value = 0;

	escape->at++;
	while (escape->at < escape->end && hex_digit(*escape->at) >= 0) {
		value = value << 4 | (uint32_t)hex_digit(*escape->at++);
		if (value > 0x10ffff)
			return false;
	}
	if (escape->at == escape->end || *escape->at++ != '}')
		return false;
	*ret_value = value;
	return true;
}

static bool unicode(struct escape *escape, uint32_t *ret_value)
{
	struct escape low = *escape;
	uint32_t high, second;

	if (escape->at < escape->end && *escape->at == '{')
		return hex_in_braces(escape, ret_value);
	if (!hex(escape, 4, &high))
		return false;
	*ret_value = high;
	low = *escape;
	if (high >> 10 != 0xd800 >> 10 || low.end - low.at < 6 || low.at[0] != '\\' ||
	    low.at[1] != 'u')
		return true;
	low.at += 2;
	if (hex(&low, 4, &second) && second >> 10 == 0xdc00 >> 10) {
		*ret_value = 0x10000 + ((high & 0x3ff) << 10) + (second & 0x3ff);
		*escape = low;
	}
	return true;
}

static uint32_t octal(struct escape *escape, char first)
{
	uint32_t value = (uint32_t)(first - '0');

	for (unsigned i = 0; i < 2 && escape->at < escape->end; i++) {
		uint32_t digit = (uint32_t)(*escape->at - '0');

		if (digit > 7 || value * 8 + digit > 255)
			break;
		value = value * 8 + digit;
		escape->at++;
	}
	return value;
}

/* After a backslash. Writes at most 4 bytes; no fewer bytes were read. */
static bool unescape(struct escape *escape, char **to)
{
	static const char names[] = "n\nt\tr\rb\bf\fv\v";
	char c = *escape->at++;
	const char *name = memchr("ntrbfv", c, 6);
	uint32_t value;

	if (name) {
		*(*to)++ = *(strchr(names, c) + 1);
		return true;
	}
	if (c == '\n')
		return true;
	if (c == '\r') {
		escape->at += escape->at < escape->end && *escape->at == '\n';
		return true;
	}
	if (c == '\xe2' && escape->end - escape->at >= 2 && escape->at[0] == '\x80' &&
	    (escape->at[1] == '\xa8' || escape->at[1] == '\xa9')) {
		escape->at += 2;
		return true;
	}
	if (c == 'x' ? !hex(escape, 2, &value) : c == 'u' && !unicode(escape, &value))
		return false;
	if (c >= '0' && c <= '7')
		value = octal(escape, c);
	else if (c != 'x' && c != 'u') {
		*(*to)++ = c;
		return true;
	}
	*to += gate_text_put(*to, value);
	return true;
}

bool gate_text_decode(struct gate *g, struct gate_text raw, struct gate_text *ret_text)
{
	struct escape escape = {raw.at, raw.at + raw.len};
	char *room, *to;

	if (!memchr(raw.at, '\\', raw.len)) {
		*ret_text = raw;
		return true;
	}
	room = to = gate_text_room(g, raw.len);
	if (!room)
		return false;
	while (escape.at < escape.end) {
		if (*escape.at != '\\') {
			*to++ = *escape.at++;
			continue;
		}
		if (++escape.at == escape.end || !unescape(&escape, &to))
			return false;
	}
	*ret_text = (struct gate_text){room, (uint32_t)(to - room)};
	return true;
}
