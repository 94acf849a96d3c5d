/* SPDX-License-Identifier: MIT */
/* The checks of a source, and the bytes of its JOB frame. */
#include <criterion/criterion.h>
#include <errno.h>
#include <string.h>

#include "supervisor/request.h"

static struct request request_make(const char *source, size_t len)
{
	const struct policy *policy = policy_find("verify");

	return (struct request){.policy = policy,
				.limits = policy->limits,
				.source = source,
				.source_len = len,
				.name = "a.js"};
}

Test(request, sources_are_counted_and_must_be_utf8)
{
	static char large[10241];
	struct request fine = request_make("a\0b", 3);
	struct request bad = request_make("ab\n\xc3\xa9x\xff", 7);
	struct request over = request_make(large, sizeof(large));
	struct refusal refusal;

	cr_expect(request_check_source(&fine, &refusal));
	cr_expect_not(request_check_source(&bad, &refusal));
	cr_expect_str_eq(refusal.rule, "source-encoding");
	cr_expect_eq(refusal.line, 2);
	cr_expect_eq(refusal.column, 3, "columns are characters");
	cr_expect_not_null(strstr(refusal.message, "offset 6"), "%s", refusal.message);
	cr_expect_not(request_check_source(&over, &refusal));
	cr_expect_str_eq(refusal.rule, "source-size");
	over.source_len--;
	cr_expect(request_check_source(&over, &refusal));
}

Test(request, the_job_frame)
{
	struct request request = request_make("1+1", 3);
	unsigned char head[REQUEST_HEAD_BYTES];
	const unsigned char *at = head + FRAME_HEADER_BYTES;
	const char *globals = request.policy->globals;

	request.frozen = true;
	request.now_ms = -1;
	request.has_input = true;
	request.input_len = 2;
	request_encode(&request, 5, head);
	cr_expect_eq(head[0], FRAME_JOB);
	cr_expect_eq(get_u32le(head + 1),
		     JOB_HEAD_BYTES + 3 + 2 + 4 + 5 + (globals ? strlen(globals) : 0));
	cr_expect_eq(get_u32le(at), JOB_FROZEN_TIME | JOB_HAS_INPUT |
					    JOB_NO_DYNAMIC_CODE | JOB_NO_TIMERS |
					    (globals ? JOB_HAS_GLOBALS : 0));
	cr_expect_eq(get_u64le(at + 8), 32u << 20);
	cr_expect_eq((int64_t)get_u64le(at + 24), -1);
	cr_expect_eq(get_u32le(at + 32), 100);
	cr_expect_eq(get_u32le(at + 36), 1024);
	cr_expect_eq(get_u32le(at + 48), 3);
	cr_expect_eq(get_u32le(at + 52), 2);
	cr_expect_eq(get_u32le(at + 56), 4);
	cr_expect_eq(get_u32le(at + 60), 5);
	cr_expect_eq(get_u32le(at + 64), globals ? strlen(globals) : 0);
	cr_expect_eq(get_u32le(at + 68), 0);
}

Test(request, rules_go_in_with_their_numbers)
{
	static const struct rule_match eval[] = {{RULE_GLOBAL, "eval"},
						 {RULE_CALL, "a.b"}};
	static const struct rule_match with[] = {{RULE_SYNTAX, "w"}};
	const struct rule rules[] = {
		{.name = "one", .matches = eval, .matches_count = 2},
		{.name = "none"},
		{.name = "three", .matches = with, .matches_count = 1}};
	const struct policy policy = {.rules = rules, .rules_count = 3, .globals = "a b"};
	struct request request = request_make("1", 1);
	unsigned char wire[JOB_RULES_MOST];

	request.policy = &policy;
	cr_assert_eq(request_encode_rules(&request, wire), 17);
	cr_expect_eq(memcmp(wire, "\0\0\4eval\0\1\3a.b\2\4\1w", 17), 0);
	cr_expect_eq(request_globals_len(&request), 3);
}

Test(request, a_job_gets_no_more_than_its_policy)
{
	struct policy policy = *policy_find("default");
	struct request request;

	policy.deterministic = true;
	policy.limits.value[LIMIT_ID_processes] = 7;
	request_begin(&request, &policy, &policy.limits);
	cr_expect(request.seeded && request.frozen && !request.judged);
	cr_expect_eq(request.now_ms, INT64_C(946684800000));
	cr_expect_eq(request.limits.value[LIMIT_ID_processes], 1);
	cr_expect_eq(request_set_mode(&request, POLICY_MODE_OFF), -EPERM);
	cr_expect_eq(request.mode, POLICY_MODE_STANDARD);
	cr_expect_eq(request_set_mode(&request, POLICY_MODE_STRICT), 0);
	cr_expect_eq(request.mode, POLICY_MODE_STRICT);
	cr_expect_eq(request_set_engine(&request, POLICY_ENGINE_QUICKJS), 0);
	policy.engine = POLICY_ENGINE_DUKTAPE;
	cr_expect_eq(request_set_engine(&request, POLICY_ENGINE_QUICKJS), -EPERM);
	cr_expect_eq(request_set_engine(&request, POLICY_ENGINE_DUKTAPE), 0);
}
