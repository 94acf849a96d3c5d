/* SPDX-License-Identifier: MIT */
/* What may be the name of a policy, and whose files root listens to. */
#include <criterion/criterion.h>
#include <string.h>

#include "base/own.h"
#include "policy/search.h"
#include "policy/trust.h"

Test(policy_search, names)
{
	static const char *const good[] = {"a", "Ci-2_x.y", "0"};
	static const char *const bad[] = {"",	 ".",	"..",  "-a",	   ".a",
					  "a/b", "a b", "a\n", "\xc3\xa9", "a%"};
	char longest[POLICY_NAME_MOST + 2];

	for (size_t i = 0; i < ARRAY_LEN(good); i++)
		cr_expect(search_is_name(good[i]), "%s", good[i]);
	for (size_t i = 0; i < ARRAY_LEN(bad); i++)
		cr_expect_not(search_is_name(bad[i]), "%s", bad[i]);
	memset(longest, 'a', sizeof(longest));
	longest[sizeof(longest) - 1] = '\0';
	cr_expect_not(search_is_name(longest));
	longest[sizeof(longest) - 2] = '\0';
	cr_expect(search_is_name(longest));
}

Test(policy_search, whose_word_it_is)
{
	static const struct {
		mode_t mode;
		uid_t uid;
		bool trusted;
	} cases[] = {
		{S_IFREG | 0644, 0, true},     {S_IFREG | 0600, 0, true},
		{S_IFREG | 0644, 1000, false}, {S_IFREG | 0664, 0, false},
		{S_IFREG | 0646, 0, false},    {S_IFIFO | 0600, 0, false},
		{S_IFCHR | 0600, 0, false},
	};

	for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
		struct stat st = {.st_mode = cases[i].mode, .st_uid = cases[i].uid};

		cr_expect_eq(trust_judge(&st) == NULL, cases[i].trusted, "%zu", i);
	}
}
