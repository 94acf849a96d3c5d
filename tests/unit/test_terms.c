/* SPDX-License-Identifier: MIT */
/* The tables of quodd.conf: each range, what is there without a word, and the manual. */
#include <criterion/criterion.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/file.h"
#include "base/own.h"
#include "daemon/terms.h"

static char *manual(void)
{
	const char *build = getenv("QUOD_TEST_BUILD");
	char path[4096], *text = NULL;
	size_t len;

	snprintf(path, sizeof(path), "%s/man/installed/quodd.conf.5",
		 build ? build : ".");
	cr_assert_eq(file_read_at(-100, path, 1u << 20, &text, &len), 0, "%s", path);
	return text;
}

static void check_range(const struct term_info *info)
{
	char range[TERM_RANGE_ROOM], text[32];
	uint64_t value = 77;

	if (info->kind == TERM_SWITCH)
		return;
	snprintf(text, sizeof(text), "%" PRIu64 "%s", info->least,
		 info->kind == TERM_DURATION ? "ms" : "");
	cr_expect_null(term_parse(info, text, &value, range), "%s=%s", info->key, text);
	cr_expect_eq(value, info->least);
	snprintf(text, sizeof(text), "%" PRIu64 "%s", info->most + 1,
		 info->kind == TERM_DURATION ? "ms" : "");
	cr_expect_not_null(term_parse(info, text, &value, range), "%s=%s", info->key,
			   text);
	cr_expect_eq(value, info->least, "what is wrong changes nothing");
	cr_expect(strstr(range, "from") != NULL);
}

/* 0 stands for no limit where the least is more. */
static void check(const struct term_info *info, const char *text)
{
	char wanted[64];

	check_range(info);
	cr_expect(info->otherwise == 0 || (info->otherwise >= info->least &&
					   info->otherwise <= info->most),
		  "%s", info->key);
	snprintf(wanted, sizeof(wanted), "Sy %s=", info->key);
	cr_expect(strstr(text, wanted) != NULL, "quodd.conf(5) has no %s", info->key);
}

Test(terms, each_has_its_range_and_its_place_in_the_manual)
{
	own_free char *text = manual();

	for (int i = 0; i < SETTING_IDS; i++)
		check(&setting_infos[i], text);
	for (int i = 0; i < TERM_IDS; i++)
		check(&term_infos[i], text);
}

Test(terms, a_switch_is_one_of_six_words)
{
	const struct term_info *info = &term_infos[TERM_OPERATOR];
	char range[TERM_RANGE_ROOM];
	uint64_t value = 5;

	cr_expect_null(term_parse(info, "yes", &value, range));
	cr_expect_eq(value, 1);
	cr_expect_null(term_parse(info, "off", &value, range));
	cr_expect_eq(value, 0);
	cr_expect_not_null(term_parse(info, "1", &value, range));
	cr_expect_not_null(term_parse(info, "", &value, range));
}
