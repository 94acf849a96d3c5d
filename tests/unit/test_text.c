/* SPDX-License-Identifier: MIT */
/* The string builder, UTF-8, escaping, and the nearest name. */
#include <criterion/criterion.h>
#include <errno.h>
#include <limits.h>
#include <string.h>

#include "base/own.h"
#include "base/text.h"

Test(text, grows_and_stays_terminated)
{
	own_text struct text text = TEXT_INIT(100000);

	cr_expect_str_eq(text_str(&text), "");
	for (int i = 0; i < 10000; i++)
		text_addf(&text, "%d", i % 10);
	text_add_char(&text, '!');
	cr_assert_eq(text_status(&text), 0);
	cr_expect_eq(text.len, 10001);
	cr_expect_eq(strlen(text_str(&text)), 10001);
	cr_expect_eq(memcmp(text_str(&text) + 9990, "0123456789!", 12), 0);
}

Test(text, holds_nul_bytes)
{
	own_text struct text text = TEXT_INIT(10);

	text_add(&text, "a\0b", 3);
	cr_expect_eq(text.len, 3);
	cr_expect_eq(memcmp(text.data, "a\0b", 4), 0);
}

Test(text, cap_is_exact_and_failure_sticks)
{
	own_text struct text text = TEXT_INIT(5);

	text_add_str(&text, "12345");
	cr_expect_eq(text_status(&text), 0);
	text_add_char(&text, '6');
	cr_expect_eq(text_status(&text), -E2BIG);
	text_add_str(&text, "");
	cr_expect_eq(text_status(&text), -E2BIG);
	cr_expect_str_eq(text_str(&text), "12345");
	cr_expect_null(text_take(&text));
	text_clear(&text);
	text_addf(&text, "%s", "abcdef");
	cr_expect_eq(text_status(&text), -E2BIG, "an add that does not fit is refused");
	cr_expect_str_eq(text_str(&text), "", "and adds nothing");
}

Test(text, clear_keeps_the_cap)
{
	own_text struct text text = TEXT_INIT(3);

	text_add_str(&text, "1234");
	text_clear(&text);
	text_add_str(&text, "123");
	cr_expect_eq(text_status(&text), 0);
	cr_expect_str_eq(text_str(&text), "123");
	text_free(&text);
	cr_expect_eq(text.most, 3);
	text_free(NULL);
}

Test(text, take_hands_over)
{
	struct text text = TEXT_INIT(10);
	own_free char *empty = text_take(&text);
	own_free char *full = NULL;

	cr_assert_not_null(empty);
	cr_expect_str_eq(empty, "");
	text_add_str(&text, "x");
	full = text_take(&text);
	cr_assert_not_null(full);
	cr_expect_str_eq(full, "x");
	cr_expect_null(text.data);
}

struct utf8_case {
	const char *bytes;
	size_t len;
	size_t span;
};
#define BYTES(s) (s), sizeof(s) - 1
#define GOOD(s)                         \
	{                               \
		BYTES(s), sizeof(s) - 1 \
	}
#define BAD_AT(at, s)          \
	{                      \
		BYTES(s), (at) \
	}

Test(text, utf8)
{
	static const struct utf8_case cases[] = {
		GOOD(""),
		GOOD("plain"),
		GOOD("a\0b"),
		GOOD("\x7f"),
		GOOD("\xc2\x80"),
		GOOD("\xdf\xbf"),
		GOOD("\xe0\xa0\x80"),
		GOOD("\xed\x9f\xbf"),
		GOOD("\xee\x80\x80"),
		GOOD("\xef\xbb\xbf"),
		GOOD("\xef\xbf\xbf"),
		GOOD("\xf0\x90\x80\x80"),
		GOOD("\xf0\x9f\x98\x80"),
		GOOD("\xf4\x8f\xbf\xbf"),
		BAD_AT(0, "\x80"),
		BAD_AT(0, "\xbf"),
		BAD_AT(2, "ab\xff"),
		BAD_AT(0, "\xfe"),
		BAD_AT(0, "\xc0\x80"),	       /* overlong NUL */
		BAD_AT(0, "\xc1\xbf"),	       /* overlong */
		BAD_AT(0, "\xe0\x9f\xbf"),     /* overlong */
		BAD_AT(0, "\xf0\x8f\xbf\xbf"), /* overlong */
		BAD_AT(1, "x\xed\xa0\x80"),    /* surrogate */
		BAD_AT(0, "\xed\xbf\xbf"),     /* surrogate */
		BAD_AT(0, "\xf4\x90\x80\x80"), /* above U+10FFFF */
		BAD_AT(0, "\xf5\x80\x80\x80"), /* above U+10FFFF */
		BAD_AT(3, "abc\xc2"),	       /* cut */
		BAD_AT(0, "\xe2\x82"),	       /* cut */
		BAD_AT(0, "\xf0\x9f\x98"),     /* cut */
		BAD_AT(0, "\xe2\x28\xa1"),     /* second byte */
		BAD_AT(0, "\xe2\x82\x28"),     /* third byte */
		BAD_AT(3, "\xe2\x82\xac\xac"), /* one too many */
	};

	for (size_t i = 0; i < ARRAY_LEN(cases); i++)
		cr_expect_eq(text_utf8_span(cases[i].bytes, cases[i].len), cases[i].span,
			     "case %zu: %zu", i,
			     text_utf8_span(cases[i].bytes, cases[i].len));
}

struct escape_case {
	const char *bytes;
	size_t len;
	unsigned flags;
	const char *shown;
};

Test(text, escape)
{
	static const struct escape_case cases[] = {
		{BYTES(""), 0, ""},
		{BYTES("plain \xc3\xa9 \xf0\x9f\x98\x80"), 0,
		 "plain \xc3\xa9 \xf0\x9f\x98\x80"},
		{BYTES("\x1b[31mred"), 0, "\\x1b[31mred"},
		{BYTES("a\0b"), 0, "a\\x00b"},
		{BYTES("\x07\x7f"), 0, "\\x07\\x7f"},
		{BYTES("a\r\n\tb"), 0, "a\\x0d\\x0a\\x09b"},
		{BYTES("a\r\n\tb"), TEXT_KEEP_LINES, "a\\x0d\n\tb"},
		{BYTES("\xc2\x9b"
		       "31m"),
		 0, "\\u{9b}31m"},
		{BYTES("\xc2\x80\xc2\xa0"), 0, "\\u{80}\xc2\xa0"},
		{BYTES("\xd8\x9c"), 0, "\\u{61c}"},
		{BYTES("\xe2\x80\x8d\xe2\x80\x8e\xe2\x80\x8f\xe2\x80\x90"), 0,
		 "\xe2\x80\x8d\\u{200e}\\u{200f}\xe2\x80\x90"},
		{BYTES("\xe2\x80\xaa\xe2\x80\xab\xe2\x80\xac\xe2\x80\xad\xe2\x80\xae\xe2"
		       "\x80\xaf"),
		 0, "\\u{202a}\\u{202b}\\u{202c}\\u{202d}\\u{202e}\xe2\x80\xaf"},
		{BYTES("\xe2\x81\xa5\xe2\x81\xa6\xe2\x81\xa7\xe2\x81\xa8\xe2\x81\xa9\xe2"
		       "\x81\xaa"),
		 0, "\xe2\x81\xa5\\u{2066}\\u{2067}\\u{2068}\\u{2069}\xe2\x81\xaa"},
		{BYTES("ok\xff\xc3"), 0, "ok\\xff\\xc3"},
		{BYTES("\xe2\x82x"), 0, "\\xe2\\x82x"},
		{BYTES("\xed\xa0\x80"), 0, "\\xed\\xa0\\x80"},
	};

	for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
		own_text struct text text = TEXT_INIT(1000);

		text_add_escaped(&text, cases[i].bytes, cases[i].len, cases[i].flags);
		cr_expect_eq(text_status(&text), 0);
		cr_expect_str_eq(text_str(&text), cases[i].shown, "case %zu: '%s'", i,
				 text_str(&text));
	}
}

Test(text, escape_respects_the_cap)
{
	own_text struct text text = TEXT_INIT(7);

	text_add_escaped(&text, "\x1b\x1b", 2, 0);
	cr_expect_eq(text_status(&text), -E2BIG);
	cr_expect_str_eq(text_str(&text), "\\x1b");
}

Test(text, distance)
{
	char longest[65] = {0};

	cr_expect_eq(text_distance("", ""), 0);
	cr_expect_eq(text_distance("", "abc"), 3);
	cr_expect_eq(text_distance("abc", ""), 3);
	cr_expect_eq(text_distance("run", "RUN"), 0);
	cr_expect_eq(text_distance("run", "ruin"), 1);
	cr_expect_eq(text_distance("rnu", "run"), 1);
	cr_expect_eq(text_distance("kitten", "sitting"), 3);
	memset(longest, 'x', 63);
	cr_expect_eq(text_distance(longest, "x"), 62);
	memset(longest, 'x', 64);
	cr_expect_eq(text_distance(longest, "x"), UINT_MAX);
}

static const char *nearest_of(const char *word)
{
	static const char *const names[] = {"run", "exec", "doctor", "version", "policy"};
	struct nearest nearest = NEAREST_INIT(word);

	for (size_t i = 0; i < ARRAY_LEN(names); i++)
		nearest_offer(&nearest, names[i]);
	return nearest.best;
}

Test(text, nearest)
{
	cr_expect_str_eq(nearest_of("rum"), "run");
	cr_expect_str_eq(nearest_of("docter"), "doctor");
	cr_expect_str_eq(nearest_of("verison"), "version");
	cr_expect_str_eq(nearest_of("exec"), "exec");
	cr_expect_null(nearest_of("xyz"));
	cr_expect_null(nearest_of(""));
	cr_expect_null(nearest_of("something-else"));
}

Test(text, json_escaped_for_a_terminal_is_the_same_json)
{
	struct text text = TEXT_INIT(1000);
	const char json[] = "{\"a\":\"x\xe2\x80\xae\x7f\xc2\x9b\"}\n";

	text_add_escaped(&text, json, sizeof(json) - 1, TEXT_AS_JSON | TEXT_KEEP_LINES);
	cr_expect_str_eq(text_str(&text), "{\"a\":\"x\\u202e\\u007f\\u009b\"}\n");
	text_free(&text);
}
