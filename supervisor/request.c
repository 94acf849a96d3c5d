/* SPDX-License-Identifier: MIT */
/*
 * From a request to the bytes of its JOB frame.
 */
#include "supervisor/request.h"
#include "supervisor/timestamp.h"

#include <assert.h>
#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "base/text.h"

_Static_assert((int)POLICY_ENGINE_AUTO == JOB_ENGINE_AUTO &&
		       (int)POLICY_ENGINE_DUKTAPE == JOB_ENGINE_DUKTAPE &&
		       (int)POLICY_ENGINE_QUICKJS == JOB_ENGINE_QUICKJS,
	       "an engine has one number everywhere");

/* What a deterministic policy has where the job says nothing: the seed 0, and midnight of
 * the first of January 2000. */
#define FIXED_NOW_MS INT64_C(946684800000)

void request_begin(struct request *request, const struct policy *policy,
		   const struct limits *limits)
{
	*request = (struct request){
		.policy = policy,
		.limits = *limits,
		.engine = policy->engine,
		.mode = policy->mode,
		.judged = policy->verdict,
		.seeded = policy->deterministic,
		.frozen = policy->deterministic,
		.now_ms = policy->deterministic ? FIXED_NOW_MS : 0,
	};
	/* The interpreter is one process; its filters know no second. */
	request->limits.value[LIMIT_ID_processes] = 1;
}

int request_set_engine(struct request *request, enum policy_engine engine)
{
	enum policy_engine allowed = request->policy->engine;

	if (allowed != POLICY_ENGINE_AUTO && allowed != engine)
		return -EPERM;
	request->engine = engine;
	return 0;
}

/* The modes stand in the order of their names: the strictest first. */
int request_set_mode(struct request *request, enum policy_mode mode)
{
	if (mode > request->policy->mode)
		return -EPERM;
	request->mode = mode;
	return 0;
}

static bool refuse_size(const struct request *request, struct refusal *refusal)
{
	uint64_t most = request->limits.value[LIMIT_ID_source_bytes];
	char limit[LIMIT_TEXT_MOST];

	limits_print(LIMIT_ID_source_bytes, most, limit);
	*refusal = (struct refusal){.rule = "source-size"};
	snprintf(refusal->message, sizeof(refusal->message),
		 "the source has more than the %s that policy '%s' allows", limit,
		 request->policy->name);
	return false;
}

/* Characters, as editors count them: continuation bytes do not move the column. */
static void place_of(const char *source, size_t offset, uint32_t *line, uint32_t *column)
{
	*line = *column = 1;
	for (size_t i = 0; i < offset; i++) {
		if (source[i] == '\n') {
			++*line;
			*column = 1;
		} else if (((unsigned char)source[i] & 0xc0) != 0x80) {
			++*column;
		}
	}
}

static bool refuse_encoding(const struct request *request, size_t offset,
			    struct refusal *refusal)
{
	*refusal = (struct refusal){.rule = "source-encoding"};
	place_of(request->source, offset, &refusal->line, &refusal->column);
	snprintf(refusal->message, sizeof(refusal->message),
		 "the source is not UTF-8: byte 0x%02x at offset %zu",
		 (unsigned char)request->source[offset], offset);
	return false;
}

bool request_check_source(const struct request *request, struct refusal *ret_refusal)
{
	size_t good;

	if (request->source_len > request->limits.value[LIMIT_ID_source_bytes])
		return refuse_size(request, ret_refusal);
	good = text_utf8_span(request->source, request->source_len);
	if (good < request->source_len)
		return refuse_encoding(request, good, ret_refusal);
	return true;
}

static uint32_t job_flags(const struct request *request)
{
	uint32_t flags = 0;

	if (request->has_input)
		flags |= JOB_HAS_INPUT;
	if (!request->policy->dynamic_code)
		flags |= JOB_NO_DYNAMIC_CODE;
	if (!request->policy->timers)
		flags |= JOB_NO_TIMERS;
	if (request->policy->globals)
		flags |= JOB_HAS_GLOBALS;
	if (request->seeded)
		flags |= JOB_SEEDED;
	if (request->frozen)
		flags |= JOB_FROZEN_TIME;
	return flags;
}

size_t request_encode_rules(const struct request *request,
			    unsigned char rules[JOB_RULES_MOST])
{
	size_t count, len = 0;
	const struct rule *rule = policy_rules(request->policy, &count);

	for (size_t i = 0; i < count; i++, rule++)
		for (size_t m = 0; m < rule->matches_count; m++) {
			const struct rule_match *match = &rule->matches[m];
			size_t n = strlen(match->pattern);

			assert(n <= UINT8_MAX && len + 3 + n <= JOB_RULES_MOST);
			rules[len] = (unsigned char)i;
			rules[len + 1] = (unsigned char)match->kind;
			rules[len + 2] = (unsigned char)n;
			memcpy(rules + len + 3, match->pattern, n);
			len += 3 + n;
		}
	return len;
}

size_t request_globals_len(const struct request *request)
{
	return request->policy->globals ? strlen(request->policy->globals) : 0;
}

void request_encode(const struct request *request, size_t rules_len,
		    unsigned char head[REQUEST_HEAD_BYTES])
{
	size_t globals_len = request_globals_len(request);
	const uint64_t *limit = request->limits.value;
	size_t name_len = strlen(request->name);
	unsigned char *at = head + FRAME_HEADER_BYTES;

	head[0] = FRAME_JOB;
	put_u32le(head + 1,
		  (uint32_t)(JOB_HEAD_BYTES + request->source_len + request->input_len +
			     name_len + rules_len + globals_len));
	put_u32le(at, job_flags(request));
	put_u32le(at + 4, request->engine);
	put_u64le(at + 8, limit[LIMIT_ID_memory_bytes]);
	put_u64le(at + 16, request->seed);
	put_u64le(at + 24, (uint64_t)request->now_ms);
	put_u32le(at + 32, (uint32_t)limit[LIMIT_ID_stack_frames]);
	put_u32le(at + 36, (uint32_t)limit[LIMIT_ID_value_bytes]);
	put_u32le(at + 40, (uint32_t)limit[LIMIT_ID_log_bytes]);
	put_u32le(at + 44, (uint32_t)limit[LIMIT_ID_log_lines]);
	put_u32le(at + 48, (uint32_t)request->source_len);
	put_u32le(at + 52, (uint32_t)request->input_len);
	put_u32le(at + 56, (uint32_t)name_len);
	put_u32le(at + 60, (uint32_t)rules_len);
	put_u32le(at + 64, (uint32_t)globals_len);
	put_u32le(at + 68, 0);
}

int request_set_now(struct request *request, const char *text)
{
	int64_t ms;
	int r = timestamp_parse(text, &ms);

	if (r < 0)
		return r;
	if (ms < 0 || ms > REQUEST_NOW_MOST_MS)
		return -ERANGE;
	request->frozen = true;
	request->now_ms = ms;
	return 0;
}
