/* SPDX-License-Identifier: MIT */
/* Times both ways, and the run ids made of them. */
#include <criterion/criterion.h>
#include <errno.h>
#include <string.h>

#include "base/own.h"
#include "supervisor/runid.h"
#include "supervisor/timestamp.h"

Test(runid, knows_its_own)
{
	static const char *const wrong[] = {"",
					    "0",
					    "0000000000000000000000000",
					    "000000000000000000000000000",
					    "80000000000000000000000000",
					    "0000000000000000000000000I",
					    "0000000000000000000000000a",
					    "../../../../../etc/passwd/"};
	char id[RUNID_LEN + 1];

	cr_assert_eq(runid_make((1ll << 48) - 1, id), 0);
	cr_expect(runid_is_valid(id), "%s", id);
	cr_expect(runid_is_valid("7ZZZZZZZZZZZZZZZZZZZZZZZZZ"));
	for (size_t i = 0; i < sizeof(wrong) / sizeof(wrong[0]); i++)
		cr_expect_not(runid_is_valid(wrong[i]), "%s", wrong[i]);
}

Test(runid, is_a_ulid)
{
	static const unsigned char ones[10] = {255, 255, 255, 255, 255,
					       255, 255, 255, 255, 255};
	static const unsigned char zeros[10];
	char a[RUNID_LEN + 1], b[RUNID_LEN + 1];

	runid_format(0, zeros, a);
	cr_expect_str_eq(a, "00000000000000000000000000");
	runid_format((1ll << 48) - 1, ones, a);
	cr_expect_str_eq(a, "7ZZZZZZZZZZZZZZZZZZZZZZZZZ");
	runid_format(1469918176385, zeros, a);
	cr_expect_eq(strncmp(a, "01ARYZ6S41", 10), 0);
	cr_assert_eq(runid_make(1469918176385, a), 0);
	cr_assert_eq(runid_make(1469918176385, b), 0);
	cr_expect_str_neq(a, b);
}

Test(timestamp, both_ways)
{
	static const struct {
		int64_t ms;
		const char *text;
	} cases[] = {
		{0, "1970-01-01T00:00:00.000Z"},
		{-1, "1969-12-31T23:59:59.999Z"},
		{951782400000, "2000-02-29T00:00:00.000Z"},
		{4107542399999, "2100-02-28T23:59:59.999Z"},
		{253402300799999, "9999-12-31T23:59:59.999Z"},
		{-62167219200000, "0000-01-01T00:00:00.000Z"},
	};

	for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
		char text[TIMESTAMP_ROOM];
		int64_t ms = 42;

		timestamp_print(cases[i].ms, text);
		cr_expect_str_eq(text, cases[i].text);
		cr_expect_eq(timestamp_parse(text, &ms), 0);
		cr_expect_eq(ms, cases[i].ms);
	}
}

Test(timestamp, what_is_taken_and_what_not)
{
	static const struct {
		const char *text;
		int r;
		int64_t ms;
	} cases[] = {
		{"0", 0, 0},
		{"-5", 0, -5},
		{"8640000000000000", 0, TIMESTAMP_MOST_MS},
		{"8640000000000001", -ERANGE, 0},
		{"1970-01-01T01:00:00+01:00", 0, 0},
		{"1970-01-01T00:00:00.5Z", 0, 500},
		{"1970-01-01T00:00:00.1234Z", -EINVAL, 0},
		{"1970-01-01T00:00:00.Z", -EINVAL, 0},
		{"1970-01-01T00:00:00", -EINVAL, 0},
		{"2023-02-29T00:00:00Z", -ERANGE, 0},
		{"2024-13-01T00:00:00Z", -ERANGE, 0},
		{"2024-01-01T24:00:00Z", -ERANGE, 0},
		{"1e3", -EINVAL, 0},
		{"--5", -EINVAL, 0},
		{"", -EINVAL, 0},
		{":", -EINVAL, 0},
	};

	for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
		int64_t ms = 0;

		cr_expect_eq(timestamp_parse(cases[i].text, &ms), cases[i].r, "%s",
			     cases[i].text);
		cr_expect_eq(ms, cases[i].ms, "%s", cases[i].text);
	}
}
