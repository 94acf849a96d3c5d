/* SPDX-License-Identifier: MIT */
/*
 * Text: a growing string with a cap, UTF-8 checks, escaping for terminals, and the
 * nearest known name to a mistyped one.
 */
#ifndef QUOD_TEXT_H
#define QUOD_TEXT_H

#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>

/*
 * A string under construction. The first failure sticks: every later add does nothing,
 * so that the caller writes straight on and asks text_status() once at the end. An add
 * that does not fit under the cap adds nothing at all.
 */
struct text {
	char *data; /* NULL until the first byte; then always NUL-terminated */
	size_t len;
	size_t room; /* bytes allocated */
	size_t most; /* cap of len */
	int error;   /* 0, -ENOMEM, -E2BIG (cap), -EINVAL (bad format) */
};

#define TEXT_INIT(cap)        \
	{                     \
		.most = (cap) \
	}

/* Gives the memory back and leaves an empty text of the same cap. NULL is fine. */
void text_free(struct text *text);
#define own_text __attribute__((cleanup(text_free)))

/* Empties it, forgets a failure, keeps the memory. */
void text_clear(struct text *text);

void text_add(struct text *text, const void *bytes, size_t len);
void text_add_str(struct text *text, const char *str);
void text_add_char(struct text *text, char c);
void text_addf(struct text *text, const char *format, ...)
	__attribute__((format(printf, 2, 3)));
void text_addv(struct text *text, const char *format, va_list args)
	__attribute__((format(printf, 2, 0)));

/* 0, or the failure that stuck. */
int text_status(const struct text *text);

/* What is in it, "" when nothing; the text's until its next change. */
const char *text_str(const struct text *text);

/* The string as the caller's own (free), the text empty afterwards; NULL if it failed or
 * there is no memory. */
char *text_take(struct text *text);

/* How many bytes at the start are well-formed UTF-8 (no surrogates, no overlong forms,
 * nothing above U+10FFFF): len if all, else the offset of the first bad sequence. */
size_t text_utf8_span(const void *bytes, size_t len);

enum text_escape_flag {
	TEXT_KEEP_LINES = 1 << 0, /* newline and tab go through */
	TEXT_AS_JSON = 1 << 1,	  /* the bytes are JSON and stay the same JSON: \uNNNN */
};

/*
 * Adds bytes from a stranger so that a terminal only ever shows them: C0, DEL and bytes
 * that are not UTF-8 become \xNN; C1 and the characters that turn the writing direction
 * become \u{N}. The result is well-formed UTF-8.
 */
void text_add_escaped(struct text *text, const void *bytes, size_t len, unsigned flags);

/* Edit distance (insert, delete, replace, swap of neighbours), case ignored for ASCII.
 * Words longer than 63 bytes are far from everything: UINT_MAX. */
unsigned text_distance(const char *a, const char *b);

/*
 * "did you mean": offer every known name, then look at best, which is NULL if none is
 * near enough to be worth a mention.
 */
struct nearest {
	const char *word;
	const char *best; /* borrowed from the offer */
	unsigned distance;
};

#define NEAREST_INIT(mistyped)     \
	{                          \
		.word = (mistyped) \
	}

void nearest_offer(struct nearest *nearest, const char *name);

#endif
