/* SPDX-License-Identifier: MIT */
/* The number parsers as tables: what is taken, with which result, and what is refused. */
#include <criterion/criterion.h>

#include "base/number.h"
#include "base/own.h"

#define UNTOUCHED UINT64_C(0xdeadbeef)

struct number_case {
	const char *text;
	enum number_error error;
	uint64_t value; /* when NUMBER_OK */
};

typedef enum number_error (*parser_fn)(const char *, uint64_t, uint64_t, uint64_t *);

static void check_cases(parser_fn parse, const struct number_case *cases, size_t count,
			uint64_t most)
{
	for (size_t i = 0; i < count; i++) {
		uint64_t got = UNTOUCHED;
		uint64_t want = cases[i].error == NUMBER_OK ? cases[i].value : UNTOUCHED;
		enum number_error error = parse(cases[i].text, 0, most, &got);

		cr_expect_eq(error, cases[i].error, "'%s': %s, not %s", cases[i].text,
			     number_error_text(error), number_error_text(cases[i].error));
		cr_expect_eq(got, want, "'%s' left %llu", cases[i].text,
			     (unsigned long long)got);
	}
}

Test(number, whole)
{
	static const struct number_case cases[] = {
		{"0", NUMBER_OK, 0},
		{"1", NUMBER_OK, 1},
		{"10", NUMBER_OK, 10},
		{"4294967296", NUMBER_OK, UINT64_C(4294967296)},
		{"18446744073709551615", NUMBER_OK, UINT64_MAX},
		{"18446744073709551616", NUMBER_HIGH, 0},
		{"99999999999999999999999", NUMBER_HIGH, 0},
		{"", NUMBER_EMPTY, 0},
		{"01", NUMBER_SYNTAX, 0},
		{"00", NUMBER_SYNTAX, 0},
		{" 1", NUMBER_SYNTAX, 0},
		{"1 ", NUMBER_SYNTAX, 0},
		{"1\n", NUMBER_SYNTAX, 0},
		{"\t1", NUMBER_SYNTAX, 0},
		{"1:", NUMBER_SYNTAX, 0},
		{":1", NUMBER_SYNTAX, 0},
		{"-1", NUMBER_SYNTAX, 0},
		{"+1", NUMBER_SYNTAX, 0},
		{"0x10", NUMBER_SYNTAX, 0},
		{"1e3", NUMBER_SYNTAX, 0},
		{"1.0", NUMBER_SYNTAX, 0},
		{"1,000", NUMBER_SYNTAX, 0},
		{"1_000", NUMBER_SYNTAX, 0},
		{"\xd9\xa1", NUMBER_SYNTAX, 0}, /* an Arabic-Indic one */
		{"one", NUMBER_SYNTAX, 0},
		{"1K", NUMBER_SYNTAX, 0},
	};

	check_cases(number_parse_u64, cases, ARRAY_LEN(cases), UINT64_MAX);
}

Test(number, duration)
{
	static const struct number_case cases[] = {
		{"0", NUMBER_OK, 0},
		{"0ms", NUMBER_OK, 0},
		{"500ms", NUMBER_OK, 500},
		{"5s", NUMBER_OK, 5000},
		{"2m", NUMBER_OK, 120000},
		{"1h", NUMBER_OK, 3600000},
		{"5", NUMBER_OK, 5000},
		{"5 s", NUMBER_UNIT, 0},
		{"5S", NUMBER_UNIT, 0},
		{"5sec", NUMBER_UNIT, 0},
		{"1h30m", NUMBER_UNIT, 0},
		{"1.5s", NUMBER_UNIT, 0},
		{"s", NUMBER_SYNTAX, 0},
		{"-5s", NUMBER_SYNTAX, 0},
		{"05s", NUMBER_SYNTAX, 0},
		{"", NUMBER_EMPTY, 0},
		{"18446744073709551615ms", NUMBER_OK, UINT64_MAX},
		{"18446744073709551615s", NUMBER_HIGH, 0},
		{"18446744073709551615", NUMBER_HIGH, 0},
		{"5124095576030432h", NUMBER_HIGH, 0},
	};

	check_cases(number_parse_duration_ms, cases, ARRAY_LEN(cases), UINT64_MAX);
}

Test(number, size)
{
	static const struct number_case cases[] = {
		{"0", NUMBER_OK, 0},
		{"512", NUMBER_OK, 512},
		{"64K", NUMBER_OK, 65536},
		{"10KiB", NUMBER_OK, 10240},
		{"32M", NUMBER_OK, UINT64_C(32) << 20},
		{"32MiB", NUMBER_OK, UINT64_C(32) << 20},
		{"1G", NUMBER_OK, UINT64_C(1) << 30},
		{"1GiB", NUMBER_OK, UINT64_C(1) << 30},
		{"1k", NUMBER_UNIT, 0},
		{"1KB", NUMBER_UNIT, 0},
		{"1Ki", NUMBER_UNIT, 0},
		{"1T", NUMBER_UNIT, 0},
		{"1M ", NUMBER_UNIT, 0},
		{"1 M", NUMBER_UNIT, 0},
		{"M", NUMBER_SYNTAX, 0},
		{"-1M", NUMBER_SYNTAX, 0},
		{"17179869183G", NUMBER_OK, UINT64_C(17179869183) << 30},
		{"17179869184G", NUMBER_HIGH, 0},
		{"18446744073709551616", NUMBER_HIGH, 0},
	};

	check_cases(number_parse_size, cases, ARRAY_LEN(cases), UINT64_MAX);
}

Test(number, range_is_inclusive)
{
	uint64_t got = UNTOUCHED;

	cr_expect_eq(number_parse_u64("9", 10, 20, &got), NUMBER_LOW);
	cr_expect_eq(number_parse_u64("21", 10, 20, &got), NUMBER_HIGH);
	cr_expect_eq(got, UNTOUCHED);
	cr_expect_eq(number_parse_u64("10", 10, 20, &got), NUMBER_OK);
	cr_expect_eq(got, 10);
	cr_expect_eq(number_parse_u64("20", 10, 20, &got), NUMBER_OK);
	cr_expect_eq(got, 20);
	cr_expect_eq(number_parse_size("1K", 1025, 4096, &got), NUMBER_LOW);
	cr_expect_eq(number_parse_duration_ms("1s", 0, 999, &got), NUMBER_HIGH);
}

Test(number, narrow_does_not_wrap)
{
	uint32_t got = 7;

	cr_expect_eq(number_parse_u32("4294967296", 0, UINT32_MAX, &got), NUMBER_HIGH);
	cr_expect_eq(number_parse_u32("4294967297", 0, UINT32_MAX, &got), NUMBER_HIGH);
	cr_expect_eq(got, 7);
	cr_expect_eq(number_parse_u32("4294967295", 0, UINT32_MAX, &got), NUMBER_OK);
	cr_expect_eq(got, UINT32_MAX);
}

Test(number, percent)
{
	uint32_t got = 7;

	cr_expect_eq(number_parse_percent("50", 1, 100, &got), NUMBER_UNIT);
	cr_expect_eq(number_parse_percent("50 %", 1, 100, &got), NUMBER_UNIT);
	cr_expect_eq(number_parse_percent("0%", 1, 100, &got), NUMBER_LOW);
	cr_expect_eq(number_parse_percent("101%", 1, 100, &got), NUMBER_HIGH);
	cr_expect_eq(number_parse_percent("4294967396%", 1, 100, &got), NUMBER_HIGH);
	cr_expect_eq(got, 7);
	cr_expect_eq(number_parse_percent("100%", 1, 100, &got), NUMBER_OK);
	cr_expect_eq(got, 100);
}

Test(number, every_error_has_its_text)
{
#define X(name, text) cr_expect_str_eq(number_error_text(NUMBER_##name), text);
	NUMBER_ERRORS(X)
#undef X
	cr_expect_str_eq(number_error_text((enum number_error)99), "is wrong");
}
