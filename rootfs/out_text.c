/* SPDX-License-Identifier: MIT */
/*
 * Strings of the engine to UTF-8, plain, as JSON or in console quotes. The engine's
 * strings hold whatever a script makes: surrogates encoded one by one, halves of pairs,
 * and, where raw input was taken over, four-byte sequences.
 */
#include <stdbool.h>
#include <string.h>

#include "rootfs/out.h"

#define REPLACEMENT  0xFFFDu
#define UNICODE_LAST 0x10FFFFu

static bool is_high(uint32_t c)
{
	return c >= 0xD800 && c <= 0xDBFF;
}

static bool is_low(uint32_t c)
{
	return c >= 0xDC00 && c <= 0xDFFF;
}

static unsigned sequence_length(unsigned char lead)
{
	if (lead < 0x80)
		return 1;
	if (lead >= 0xC2 && lead <= 0xDF)
		return 2;
	if (lead >= 0xE0 && lead <= 0xEF)
		return 3;
	if (lead >= 0xF0 && lead <= 0xF4)
		return 4;
	return 0;
}

/* One encoded unit at s[*at]; moves *at. Surrogates come out as they are. */
static uint32_t unit_next(const unsigned char *s, size_t n, size_t *at)
{
	static const uint32_t least[] = {0, 0, 0x80, 0x800, 0x10000};
	unsigned len = sequence_length(s[*at]);
	uint32_t c = s[*at];

	if (len == 1) {
		++*at;
		return c;
	}
	if (!len || n - *at < len) {
		++*at;
		return REPLACEMENT;
	}
	c &= 0x7Fu >> len;
	for (unsigned i = 1; i < len; i++) {
		if ((s[*at + i] & 0xC0) != 0x80) {
			++*at;
			return REPLACEMENT;
		}
		c = c << 6 | (s[*at + i] & 0x3Fu);
	}
	*at += len;
	return c < least[len] || c > UNICODE_LAST ? REPLACEMENT : c;
}

static uint32_t char_next(const unsigned char *s, size_t n, size_t *at)
{
	uint32_t c = unit_next(s, n, at);
	size_t after = *at;
	uint32_t low;

	if (is_low(c))
		return REPLACEMENT;
	if (!is_high(c))
		return c;
	low = after < n ? unit_next(s, n, &after) : 0;
	if (!is_low(low))
		return REPLACEMENT;
	*at = after;
	return 0x10000 + ((c - 0xD800) << 10) + (low - 0xDC00);
}

bool out_string_is_whole(const char *s, size_t n)
{
	const unsigned char *bytes = (const unsigned char *)s;
	size_t at = 0;

	/* The first byte of every surrogate. */
	if (!memchr(s, 0xED, n))
		return true;
	while (at < n) {
		uint32_t c = unit_next(bytes, n, &at);

		if (is_low(c) ||
		    (is_high(c) && (at == n || !is_low(unit_next(bytes, n, &at)))))
			return false;
	}
	return true;
}

static void out_utf8(struct out *out, uint32_t c)
{
	unsigned char b[4];

	if (c < 0x80) {
		b[0] = (unsigned char)c;
		out_bytes(out, b, 1);
	} else if (c < 0x800) {
		b[0] = (unsigned char)(0xC0 | c >> 6);
		b[1] = (unsigned char)(0x80 | (c & 0x3F));
		out_bytes(out, b, 2);
	} else if (c < 0x10000) {
		b[0] = (unsigned char)(0xE0 | c >> 12);
		b[1] = (unsigned char)(0x80 | (c >> 6 & 0x3F));
		b[2] = (unsigned char)(0x80 | (c & 0x3F));
		out_bytes(out, b, 3);
	} else {
		b[0] = (unsigned char)(0xF0 | c >> 18);
		b[1] = (unsigned char)(0x80 | (c >> 12 & 0x3F));
		b[2] = (unsigned char)(0x80 | (c >> 6 & 0x3F));
		b[3] = (unsigned char)(0x80 | (c & 0x3F));
		out_bytes(out, b, 4);
	}
}

/* Length of the run of plain ASCII at s that needs no escape inside `quote` (0: none). */
static size_t plain_run(const unsigned char *s, size_t n, unsigned char quote)
{
	size_t i = 0;

	while (i < n && s[i] < 0x80 &&
	       (!quote ||
		(s[i] >= 0x20 && s[i] != 0x7F && s[i] != quote && s[i] != '\\')))
		i++;
	return i;
}

/* A run is cut where the section ends; a character never is. */
static void out_run(struct out *out, const unsigned char *s, size_t n)
{
	uint64_t room = out->most - out->total;

	if (n > room && !out->cut) {
		out_bytes(out, s, (size_t)room);
		out->cut = true;
		return;
	}
	out_bytes(out, s, n);
}

static void out_escape(struct out *out, uint32_t c, bool json)
{
	static const char letters[] = "\b\f\n\r\t", names[] = "bfnrt",
			  hex[] = "0123456789abcdef";
	const char *letter = c ? strchr(letters, (int)c) : NULL;
	char text[6] = {'\\', 'u', '0', '0', hex[c >> 4 & 15], hex[c & 15]};

	if (letter) {
		text[1] = names[letter - letters];
		out_bytes(out, text, 2);
	} else if (c >= 0x20 && c != 0x7F) {
		text[1] = (char)c;
		out_bytes(out, text, 2);
	} else if (json) {
		out_bytes(out, text, 6);
	} else {
		text[3] = 'x';
		text[2] = '\\';
		out_bytes(out, text + 2, 4);
	}
}

static void out_encoded(struct out *out, const char *text, size_t n, unsigned char quote)
{
	const unsigned char *s = (const unsigned char *)text;
	size_t at = 0;

	while (at < n && !out->cut) {
		size_t run = plain_run(s + at, n - at, quote);
		uint32_t c;

		out_run(out, s + at, run);
		at += run;
		if (at == n)
			return;
		c = char_next(s, n, &at);
		if (c >= 0x80)
			out_utf8(out, c);
		else
			out_escape(out, c, quote == '"');
	}
}

void out_string(struct out *out, const char *s, size_t n)
{
	out_encoded(out, s, n, 0);
}

void out_json_string(struct out *out, const char *s, size_t n)
{
	out_char(out, '"');
	out_encoded(out, s, n, '"');
	out_char(out, '"');
}

void out_quoted_string(struct out *out, const char *s, size_t n)
{
	unsigned char quote = '\'';

	if (memchr(s, '\'', n) && !memchr(s, '"', n))
		quote = '"';
	out_char(out, (char)quote);
	out_encoded(out, s, n, quote);
	out_char(out, (char)quote);
}
