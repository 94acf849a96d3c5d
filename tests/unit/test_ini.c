/* SPDX-License-Identifier: MIT */
/*
 * The reader of policy files: what it finds and where; inih is the judge of what it finds
 * in files that both can read.
 */
#include <criterion/criterion.h>
#include <errno.h>
#include <ini.h>
#include <stdio.h>
#include <string.h>

#include "base/own.h"
#include "base/text.h"
#include "policy/ini.h"

/* Each item on a line: place, then [section], key=value or !fault. */
static const char *dump(const char *bytes, size_t len)
{
	static struct text to = TEXT_INIT(1u << 20);
	own_ini struct ini ini = {0};
	struct ini_item item;

	text_clear(&to);
	cr_assert_eq(ini_open(&ini, bytes, len), 0);
	while (ini_next(&ini, &item)) {
		text_addf(&to, "%u:%u ", item.place.line, item.place.column);
		if (item.kind == INI_SECTION)
			text_addf(&to, "[%s]", item.name);
		else if (item.kind == INI_ENTRY)
			text_addf(&to, "%s=%s", item.name, item.value);
		else
			text_addf(&to, "!%s", item.name);
		text_add_char(&to, '|');
	}
	cr_assert_eq(text_status(&to), 0);
	return text_str(&to);
}

Test(ini, what_is_found_and_where)
{
	static const struct {
		const char *text, *found;
	} cases[] = {
		{"", ""},
		{"\n\n  \n", ""},
		{"[Run]\nMode=off\n", "1:1 [Run]|2:1 Mode=off|"},
		{"[ Run ]\n  Mode  =  off  ", "1:1 [Run]|2:3 Mode=off|"},
		{"# a\n; b\n  # c\nk=v", "4:1 k=v|"},
		{"k=v # no comment", "1:1 k=v # no comment|"},
		{"k=\nk=a=b", "1:1 k=|2:1 k=a=b|"},
		{"\xef\xbb\xbf[A]\r\nk=v\r\n", "1:1 [A]|2:1 k=v|"},
		{"k=v\r", "1:1 k=v|"},
		{"k=a\\\nb\nl=c", "1:1 k=a  b|3:1 l=c|"},
		{"k=a\\\n# not this\n  ; nor this\nb\nl=c", "1:1 k=a"},
		{"k=a\\\r\nb", "1:1 k=a  b|"},
		{"k=a\\\\\nl=b", "1:1 k=a\\\\|2:1 l=b|"},
		{"k=a\\ \nl=b", "1:1 k=a\\|2:1 l=b|"},
		{"k=a\\", "1:1 k=a|"},
		{"k=a\\\n# only this", "1:1 k=a|"},
		{"k\\\n=\\\nv", "1:1 k=v|"},
		{"# a comment is not joined \\\nk=v", "2:1 k=v|"},
		{"[Rule \"a b\"]", "1:1 [Rule \"a b\"]|"},
		{"k=\xc3\xa9\n \xc3\xa9\xc3\xa9=1",
		 "1:1 k=\xc3\xa9|2:2 \xc3\xa9\xc3\xa9=1|"},
	};

	for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
		const char *found = dump(cases[i].text, strlen(cases[i].text));

		cr_expect_eq(strncmp(found, cases[i].found, strlen(cases[i].found)), 0,
			     "%s\nfound:  %s\nwanted: %s", cases[i].text, found,
			     cases[i].found);
	}
}

Test(ini, what_is_malformed_is_told_and_reading_goes_on)
{
	cr_expect_str_eq(dump("[A\n[]\nx\n=1\nk=v", 14),
			 "1:1 !this section has no ']' at its end|"
			 "2:1 !this section has no name|"
			 "3:1 !this is no [Section], no Key=Value and no comment|"
			 "4:1 !a key is missing before the '='|5:1 k=v|");
	cr_expect_str_eq(dump("[", 1), "1:1 !this section has no ']' at its end|");
	cr_expect_str_eq(dump("]\n[A] b", 7),
			 "1:1 !this is no [Section], no Key=Value and no comment|"
			 "2:1 !this section has no ']' at its end|");
}

Test(ini, what_is_no_text_is_not_read)
{
	static const struct {
		const char *text;
		size_t len;
		unsigned line, column;
	} cases[] = {
		{"a=1\nb=\0", 7, 2, 3},	       {"a=\xff", 3, 1, 3},
		{"\xc3\xa9=\x1b[1m", 7, 1, 3}, {"a=\xe2\x80\xae", 5, 1, 3},
		{"a=1\rb=2", 7, 1, 4},	       {"\n\n\x7f", 3, 3, 1},
		{"a=\xc2\x9b", 4, 1, 3},
	};

	for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
		own_ini struct ini ini = {0};
		struct ini_item item;

		cr_assert_eq(ini_open(&ini, cases[i].text, cases[i].len), 0);
		cr_assert(ini_next(&ini, &item));
		cr_expect_eq(item.kind, INI_FAULT, "%zu", i);
		cr_expect_eq(item.place.line, cases[i].line, "%zu: %u", i,
			     item.place.line);
		cr_expect_eq(item.place.column, cases[i].column, "%zu: %u", i,
			     item.place.column);
		cr_expect_not(ini_next(&ini, &item), "%zu", i);
	}
}

Test(ini, each_word_has_its_place)
{
	static const char text[] = "[A]\nk = one \\\n   # none\n\ttwo\\\nthree\n";
	static const struct ini_place places[] = {{2, 5}, {4, 2}, {5, 1}};
	own_ini struct ini ini = {0};
	struct ini_item item;
	const char *at, *word;
	size_t count = 0;

	cr_assert_eq(ini_open(&ini, text, sizeof(text) - 1), 0);
	cr_assert(ini_next(&ini, &item) && ini_next(&ini, &item));
	for (at = item.value; ini_word(&at, &word); count++) {
		struct ini_place place = ini_place(&ini, word);

		cr_assert_lt(count, 3);
		cr_expect_eq(place.line, places[count].line);
		cr_expect_eq(place.column, places[count].column);
	}
	cr_expect_eq(count, 3);
	cr_expect_eq(ini_place(&ini, item.value).line, 2, "and back again");
}

Test(ini, too_long_is_refused)
{
	static char text[INI_MOST + 1];
	own_ini struct ini ini = {0};

	memset(text, '#', sizeof(text));
	cr_expect_eq(ini_open(&ini, text, INI_MOST + 1), -EFBIG);
	cr_expect_eq(ini_open(&ini, text, INI_MOST), 0);
}

/* --- the judge --- */

static int judge_entry(void *to, const char *section, const char *name, const char *value)
{
	text_addf(to, "[%s]%s=%s\n", section, name, value);
	return 1;
}

static bool read_ours(const char *file, struct text *to)
{
	own_ini struct ini ini = {0};
	struct ini_item item;
	char section[64] = "";

	cr_assert_eq(ini_open(&ini, file, strlen(file)), 0);
	while (ini_next(&ini, &item)) {
		if (item.kind == INI_FAULT)
			return false;
		if (item.kind == INI_SECTION)
			snprintf(section, sizeof(section), "%s", item.name);
		else
			judge_entry(to, section, item.name, item.value);
	}
	return true;
}

/* No indentation, no colon, no backslash and no " ;": there the two languages differ. */
static const char *const pieces[] = {
	"[A]\n",
	"[B c]\n",
	"\n",
	"# x = y\n",
	"; [Z]\n",
	"k=v\n",
	"key = two words \n",
	"k=\n",
	"a=b=c\n",
	"x\n",
	"[A\n",
	"k=v\r\n",
	"n=1#2\n",
	"e = \xc3\xa9\n",
	"[]\n",
	"=1\n",
	"l=last",
};

Test(ini, inih_reads_the_same)
{
	unsigned state = 1, both = 0;

	for (unsigned round = 0; round < 5000; round++) {
		own_text struct text file = TEXT_INIT(4096), ours = TEXT_INIT(8192),
				     theirs = TEXT_INIT(8192);

		for (unsigned n = 0; n < 2 + round % 7; n++) {
			state = state * 1103515245u + 12345u;
			text_add_str(&file, pieces[(state >> 16) % ARRAY_LEN(pieces)]);
		}
		if (!read_ours(text_str(&file), &ours) ||
		    ini_parse_string(text_str(&file), judge_entry, &theirs) != 0)
			continue;
		both++;
		cr_assert_str_eq(text_str(&ours), text_str(&theirs), "%s",
				 text_str(&file));
	}
	cr_expect_gt(both, 1000u);
}
