/* SPDX-License-Identifier: MIT */
/* The JSON check and the writer of strings. */
#include <criterion/criterion.h>
#include <string.h>

#include "base/own.h"
#include "base/own.h"
#include "supervisor/json.h"

static bool valid(const char *json, unsigned flags)
{
	bool is_valid;

	json_check(json, strlen(json), flags, &is_valid);
	return is_valid;
}

Test(json, takes_what_the_grammar_allows)
{
	static const char *const good[] = {
		"0",
		"-0",
		"10",
		"0.5",
		"1e5",
		"1E+5",
		"1e-05",
		"1e999",
		"123456789012345678901",
		"\"\"",
		"\"a\\n\\u00e9\\\"\"",
		"\"\\ud83d\\ude00\"",
		"\"\xf0\x9f\x98\x80\"",
		"null",
		"true",
		"false",
		"[]",
		"{}",
		"[[],{}]",
		"{\"a\":{\"b\":[1,\"x\",null]}}",
	};

	for (size_t i = 0; i < ARRAY_LEN(good); i++)
		cr_expect(valid(good[i], JSON_COMPACT_ONLY), "%s", good[i]);
}

Test(json, refuses_everything_else)
{
	static const char *const bad[] = {
		"",
		"-",
		"01",
		"1.",
		".5",
		"1e",
		"1e+",
		"+1",
		"0x1",
		"NaN",
		"tru",
		"nulll",
		"\"",
		"\"\\x\"",
		"\"\\u12\"",
		"\"\\ud800\"",
		"\"\\udc00\"",
		"\"\\ud800\\ud800\"",
		"\"\n\"",
		"\"\x1f\"",
		"[",
		"]",
		"[1",
		"[1,]",
		"[,1]",
		"[1 2]",
		"{",
		"{}}",
		"[}",
		"{\"a\"}",
		"{\"a\":}",
		"{\"a\":1,}",
		"{,}",
		"{1:2}",
		"{\"a\" 1}",
		"1 1",
		"\"a\"\"b\"",
	};

	for (size_t i = 0; i < ARRAY_LEN(bad); i++)
		cr_expect_not(valid(bad[i], 0), "%s", bad[i]);
}

Test(json, compact_means_no_space_outside_strings)
{
	cr_expect(valid(" [ 1 , { \"a\" : 2 } ]\r\n\t", 0));
	cr_expect(valid("[\"a b\"]", JSON_COMPACT_ONLY));
	cr_expect_not(valid("[1, 2]", JSON_COMPACT_ONLY));
	cr_expect_not(valid("1\n", JSON_COMPACT_ONLY));
	cr_expect_not(valid(" 1", JSON_COMPACT_ONLY));
}

Test(json, a_nul_is_no_end)
{
	bool is_valid;

	json_check("1\0", 2, 0, &is_valid);
	cr_expect_not(is_valid);
	json_check("\"a\0b\"", 5, 0, &is_valid);
	cr_expect_not(is_valid);
}

Test(json, says_where_it_went_wrong)
{
	bool is_valid;

	cr_expect_eq(json_check("[1,x]", 5, 0, &is_valid), 3);
	cr_expect_eq(json_check("[1", 2, 0, &is_valid), 2);
	cr_expect_not(is_valid);
}

Test(json, depth_is_bounded_and_mixed_kinds_are_kept_apart)
{
	static char deep[2 * JSON_DEPTH_MOST + 4];
	bool is_valid;

	for (unsigned i = 0; i < JSON_DEPTH_MOST; i++) {
		deep[i] = '[';
		deep[2 * JSON_DEPTH_MOST + 1 - i] = ']';
	}
	deep[JSON_DEPTH_MOST] = '[';
	deep[JSON_DEPTH_MOST + 1] = ']';
	json_check(deep, 2 * JSON_DEPTH_MOST + 2, 0, &is_valid);
	cr_expect(is_valid, "an empty list inside as many as allowed");
	memset(deep, '[', sizeof(deep));
	json_check(deep, sizeof(deep), 0, &is_valid);
	cr_expect_not(is_valid);
	cr_expect_not(valid("[{\"a\":[1}]]", 0));
	cr_expect(valid("[{\"a\":[1]},[{}]]", 0));
}

Test(json, strings_are_written_safe)
{
	own_text struct text text = TEXT_INIT(1000);

	json_add_string(&text, "a\"\\\n\x01\x7f\0\xff\xc3\xa9", 10);
	cr_expect_str_eq(text_str(&text),
			 "\"a\\\"\\\\\\n\\u0001\\u007f\\u0000\xef\xbf\xbd\xc3\xa9\"");
	text_clear(&text);
	json_add_str(&text, NULL);
	cr_expect_str_eq(text_str(&text), "null");
}

static const char *const two[] = {"id", "input"};

static bool members(const char *json, struct json_span values[2])
{
	return json_members(json, strlen(json), two, values, 2);
}

Test(json, members_in_any_order_keep_their_bytes)
{
	const char *json = " { \"input\" : [1, {\"id\": 0.10}] , \"id\":\"a\" } ";
	struct json_span values[2];

	cr_assert(members(json, values));
	cr_expect_eq(values[0].len, 3);
	cr_expect_eq(memcmp(values[0].at, "\"a\"", 3), 0);
	cr_expect_eq(values[1].len, strlen("[1, {\"id\": 0.10}]"));
	cr_expect_eq(memcmp(values[1].at, "[1, {\"id\": 0.10}]", values[1].len), 0);
}

Test(json, members_that_lack_or_repeat_or_are_unknown)
{
	static const char *const wrong[] = {
		"{}",
		"[]",
		"1",
		"{\"id\":1}",
		"{\"id\":1,\"id\":2}",
		"{\"id\":1,\"input\":2,\"more\":3}",
		"{\"id\":1,\"input\":2,\"input\":3}",
	};
	struct json_span values[2];

	for (size_t i = 0; i < ARRAY_LEN(wrong); i++)
		cr_expect_not(members(wrong[i], values), "%s", wrong[i]);
}

Test(json, strings_stand_for_what_they_escape)
{
	static const char json[] =
		"\"a\\n\\\"\\\\\\/\\b\\f\\r\\t\\u00e9\\ud83d\\ude00\\u20ac\"";
	static const char wanted[] =
		"a\n\"\\/\b\f\r\t\xc3\xa9\xf0\x9f\x98\x80\xe2\x82\xac";
	struct json_span span = {.at = json, .len = sizeof(json) - 1};
	struct text text = TEXT_INIT(100);

	cr_assert(json_add_unescaped(&text, &span));
	cr_expect_str_eq(text_str(&text), wanted);
	text_free(&text);
	cr_expect_not(
		json_add_unescaped(&text, &(struct json_span){.at = "12", .len = 2}));
}

Test(json, members_are_walked_one_by_one)
{
	static const char json[] = " { \"a\" : [1,{\"b\":2}] , \"\\u0061\":\"},\" } ";
	struct json_span name, value;
	struct json_walk walk;

	cr_assert(json_walk_object(json, sizeof(json) - 1, &walk));
	cr_assert(json_walk_next(&walk, &name, &value));
	cr_expect_eq(strncmp(name.at, "\"a\"", name.len), 0);
	cr_expect_eq(value.len, strlen("[1,{\"b\":2}]"));
	cr_assert(json_walk_next(&walk, &name, &value));
	cr_expect_eq(name.len, strlen("\"\\u0061\""));
	cr_expect_eq(strncmp(value.at, "\"},\"", value.len), 0);
	cr_expect_not(json_walk_next(&walk, &name, &value));
	cr_expect_not(json_walk_object("[]", 2, &walk));
	cr_assert(json_walk_object("{}", 2, &walk));
	cr_expect_not(json_walk_next(&walk, &name, &value));
}

Test(json, picks_members_by_name)
{
	static const char *const names[] = {"a", "b", "c"};
	struct json_span values[3];
	const char *good = " {\"x\":[{\"a\":0}],\"b\" : \"}\" , \"a\":{\"c\":1},\"x\":2}";

	cr_assert(json_pick(&(struct json_span){good, strlen(good)}, names, values, 3));
	cr_expect(values[0].len == 7 && !memcmp(values[0].at, "{\"c\":1}", 7));
	cr_expect(values[1].len == 3 && !memcmp(values[1].at, "\"}\"", 3));
	cr_expect_null(values[2].at, "what is not there");
}

Test(json, picks_none_of_what_is_there_twice)
{
	static const char *const names[] = {"a"};
	static const char *const bad[] = {"{\"a\":1,\"a\":1}", "[]", "1", "\"a\""};
	struct json_span value;

	for (size_t i = 0; i < ARRAY_LEN(bad); i++)
		cr_expect(!json_pick(&(struct json_span){bad[i], strlen(bad[i])}, names,
				     &value, 1),
			  "%s", bad[i]);
}
