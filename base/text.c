/* SPDX-License-Identifier: MIT */
/*
 * The builder doubles its memory and never passes its cap; escaping walks its input one
 * character at a time with the same decoder that the UTF-8 check uses, so that the two
 * cannot disagree about what a character is.
 */
#include "base/text.h"

#include <errno.h>
#include <limits.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/own.h"

#define TEXT_FIRST_ROOM	 64u
#define WORD_MOST	 63u
#define NEAREST_FARTHEST 3u

void text_free(struct text *text)
{
	if (!text)
		return;
	free(text->data);
	*text = (struct text)TEXT_INIT(text->most);
}

void text_clear(struct text *text)
{
	text->len = 0;
	text->error = 0;
	if (text->data)
		text->data[0] = '\0';
}

/* Room for len more bytes and the NUL. */
static int text_reserve(struct text *text, size_t len)
{
	size_t need, room = text->room ? text->room : TEXT_FIRST_ROOM;
	char *data;

	if (len > text->most - text->len)
		return -E2BIG;
	if (__builtin_add_overflow(text->len + 1, len, &need))
		return -E2BIG;
	if (need <= text->room)
		return 0;
	while (room < need) {
		if (__builtin_mul_overflow(room, 2, &room))
			room = need;
	}
	data = realloc(text->data, room);
	if (!data)
		return -ENOMEM;
	text->data = data;
	text->room = room;
	return 0;
}

void text_add(struct text *text, const void *bytes, size_t len)
{
	if (text->error)
		return;
	text->error = text_reserve(text, len);
	if (text->error)
		return;
	if (len)
		memcpy(text->data + text->len, bytes, len);
	text->len += len;
	text->data[text->len] = '\0';
}

void text_add_str(struct text *text, const char *str)
{
	text_add(text, str, strlen(str));
}

void text_add_char(struct text *text, char c)
{
	text_add(text, &c, 1);
}

void text_addv(struct text *text, const char *format, va_list args)
{
	va_list again;
	int len;

	if (text->error)
		return;
	va_copy(again, args);
	len = vsnprintf(NULL, 0, format, again);
	va_end(again);
	text->error = len < 0 ? -EINVAL : text_reserve(text, (size_t)len);
	if (text->error)
		return;
	vsnprintf(text->data + text->len, (size_t)len + 1, format, args);
	text->len += (size_t)len;
}

void text_addf(struct text *text, const char *format, ...)
{
	va_list args;

	va_start(args, format);
	text_addv(text, format, args);
	va_end(args);
}

int text_status(const struct text *text)
{
	return text->error;
}

const char *text_str(const struct text *text)
{
	return text->data ? text->data : "";
}

char *text_take(struct text *text)
{
	char *data;

	text_add(text, "", 0); /* an empty text has no memory yet */
	if (text->error)
		return NULL;
	data = TAKE_PTR(text->data);
	text_free(text);
	return data;
}

/* Lead bytes by length of the sequence. The second byte's range shuts out overlong forms,
 * surrogates and what is above U+10FFFF. */
struct utf8_lead {
	unsigned char first, last;
	unsigned char len;
	unsigned char second_least, second_most;
};

static const struct utf8_lead utf8_leads[] = {
	{0x00, 0x7f, 1, 0x00, 0x00}, {0xc2, 0xdf, 2, 0x80, 0xbf},
	{0xe0, 0xe0, 3, 0xa0, 0xbf}, {0xe1, 0xec, 3, 0x80, 0xbf},
	{0xed, 0xed, 3, 0x80, 0x9f}, {0xee, 0xef, 3, 0x80, 0xbf},
	{0xf0, 0xf0, 4, 0x90, 0xbf}, {0xf1, 0xf3, 4, 0x80, 0xbf},
	{0xf4, 0xf4, 4, 0x80, 0x8f},
};

static const struct utf8_lead *utf8_lead_find(unsigned char byte)
{
	for (size_t i = 0; i < ARRAY_LEN(utf8_leads); i++) {
		if (byte >= utf8_leads[i].first && byte <= utf8_leads[i].last)
			return &utf8_leads[i];
	}
	return NULL;
}

/* Length of the character at p, 0 if there is none; len is at least 1. */
static size_t utf8_decode(const unsigned char *p, size_t len, uint32_t *ret_char)
{
	const struct utf8_lead *lead = utf8_lead_find(p[0]);
	uint32_t c;

	if (!lead || lead->len > len)
		return 0;
	if (lead->len > 1 && (p[1] < lead->second_least || p[1] > lead->second_most))
		return 0;
	c = lead->len == 1 ? p[0] : p[0] & (0x7fu >> lead->len);
	for (size_t i = 1; i < lead->len; i++) {
		if ((p[i] & 0xc0) != 0x80)
			return 0;
		c = c << 6 | (p[i] & 0x3fu);
	}
	*ret_char = c;
	return lead->len;
}

size_t text_utf8_span(const void *bytes, size_t len)
{
	const unsigned char *p = bytes;
	size_t at = 0;

	while (at < len) {
		uint32_t c;
		size_t step = p[at] < 0x80 ? 1 : utf8_decode(p + at, len - at, &c);

		if (!step)
			break;
		at += step;
	}
	return at;
}

/* What a terminal would act on instead of showing it. */
static const struct {
	uint32_t first, last;
} unshown[] = {
	{0x00, 0x1f},	  /* C0 */
	{0x7f, 0x9f},	  /* DEL, C1 */
	{0x61c, 0x61c},	  /* Arabic letter mark */
	{0x200e, 0x200f}, /* left-to-right and right-to-left marks */
	{0x202a, 0x202e}, /* embeddings and overrides */
	{0x2066, 0x2069}, /* isolates */
};

static bool char_is_shown(uint32_t c, unsigned flags)
{
	if ((flags & TEXT_KEEP_LINES) && (c == '\n' || c == '\t'))
		return true;
	for (size_t i = 0; i < ARRAY_LEN(unshown); i++) {
		if (c >= unshown[i].first && c <= unshown[i].last)
			return false;
	}
	return true;
}

/* All characters that are not shown have at most four digits; JSON has no other escape.
 */
static void add_escape(struct text *text, uint32_t c, size_t step, unsigned flags)
{
	if (flags & TEXT_AS_JSON)
		text_addf(text, "\\u%04x", c);
	else if (step > 1)
		text_addf(text, "\\u{%x}", c);
	else
		text_addf(text, "\\x%02x", c);
}

void text_add_escaped(struct text *text, const void *bytes, size_t len, unsigned flags)
{
	const unsigned char *p = bytes;
	size_t shown = 0; /* start of what goes in as it is */
	size_t at = 0;

	while (at < len && !text->error) {
		uint32_t c = p[at];
		size_t step = utf8_decode(p + at, len - at, &c);

		if (step && char_is_shown(c, flags)) {
			at += step;
			continue;
		}
		text_add(text, p + shown, at - shown);
		add_escape(text, c, step, flags);
		at += step ? step : 1;
		shown = at;
	}
	text_add(text, p + shown, at - shown);
}

static char lower(char c)
{
	return c >= 'A' && c <= 'Z' ? (char)(c - 'A' + 'a') : c;
}

static unsigned least(unsigned a, unsigned b)
{
	return a < b ? a : b;
}

/* Three rows of the usual table: row[0] is being filled, row[1] and row[2] are the two
 * before it (the swap of neighbours looks two back). */
static void distance_row(unsigned *row[3], const char *a, size_t i, const char *b,
			 size_t b_len)
{
	row[0][0] = (unsigned)i;
	for (size_t j = 1; j <= b_len; j++) {
		unsigned differs = lower(a[i - 1]) != lower(b[j - 1]);
		unsigned d = least(row[1][j] + 1, row[0][j - 1] + 1);

		d = least(d, row[1][j - 1] + differs);
		if (i > 1 && j > 1 && lower(a[i - 1]) == lower(b[j - 2]) &&
		    lower(a[i - 2]) == lower(b[j - 1]))
			d = least(d, row[2][j - 2] + 1);
		row[0][j] = d;
	}
}

unsigned text_distance(const char *a, const char *b)
{
	unsigned cells[3][WORD_MOST + 1];
	unsigned *row[3] = {cells[0], cells[1], cells[2]};
	size_t a_len = strlen(a), b_len = strlen(b);

	if (a_len > WORD_MOST || b_len > WORD_MOST)
		return UINT_MAX;
	for (size_t j = 0; j <= b_len; j++)
		row[0][j] = (unsigned)j;
	for (size_t i = 1; i <= a_len; i++) {
		unsigned *oldest = row[2];

		row[2] = row[1];
		row[1] = row[0];
		row[0] = oldest;
		distance_row(row, a, i, b, b_len);
	}
	return row[0][b_len];
}

/* Near enough: at most a third of the word, or one, and never more than three. */
static unsigned nearest_limit(const char *word)
{
	size_t third = strlen(word) / 3;

	if (third < 1)
		return 1;
	return third > NEAREST_FARTHEST ? NEAREST_FARTHEST : (unsigned)third;
}

void nearest_offer(struct nearest *nearest, const char *name)
{
	unsigned distance = text_distance(nearest->word, name);

	if (distance > nearest_limit(nearest->word))
		return;
	if (nearest->best && distance >= nearest->distance)
		return;
	nearest->best = name;
	nearest->distance = distance;
}
