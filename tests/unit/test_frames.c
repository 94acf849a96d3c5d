/* SPDX-License-Identifier: MIT */
/*
 * The parser of hostile frames: what is let through, and each way in which a stream can
 * be wrong with the fault that it must give.
 */
#include <criterion/criterion.h>
#include <errno.h>
#include <string.h>

#include "base/own.h"
#include "supervisor/frames.h"

#define VALUE_MOST 64u
#define LOG_MOST   32u
#define RULES	   3u

/* A stream under construction. */
struct stream {
	unsigned char bytes[65536];
	size_t len;
	bool trial; /* GO is to compile alone */
};

static void put(struct stream *s, enum frame_type type, const void *payload, size_t len)
{
	s->bytes[s->len] = (unsigned char)type;
	put_u32le(s->bytes + s->len + 1, (uint32_t)len);
	memcpy(s->bytes + s->len + FRAME_HEADER_BYTES, payload, len);
	s->len += FRAME_HEADER_BYTES + len;
}

static void put_ready(struct stream *s)
{
	put(s, FRAME_READY, "\2\0\0\0\0\0\0\0", 8);
}

static void put_gate(struct stream *s)
{
	put(s, FRAME_GATE, "\7\0\0\0\2\0\0\0\1\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0", 24);
}

static void put_log(struct stream *s, const char *text)
{
	char payload[256] = {LOG_WARN, 0};

	memcpy(payload + 2, text, strlen(text));
	put(s, FRAME_LOG, payload, 2 + strlen(text));
}

static void put_value(struct stream *s, unsigned flags, const char *json,
		      const char *text)
{
	unsigned char payload[1024] = {(unsigned char)flags};

	put_u32le(payload + 1, (uint32_t)strlen(json));
	memcpy(payload + 5, json, strlen(json));
	memcpy(payload + 5 + strlen(json), text, strlen(text));
	put(s, FRAME_VALUE, payload, 5 + strlen(json) + strlen(text));
}

static void put_end(struct stream *s)
{
	put(s, FRAME_END, "\0\1\0\0\0\0\0\0\0\0\0\0\0\0\0\0", 16);
}

/* Up to the point where the guest may speak of its run. */
static void put_opening(struct stream *s)
{
	put_ready(s);
	put_gate(s);
}

/* Parses all of it, sending GO when it is due; returns how many frames came out. */
static unsigned parse(struct frames *frames, const struct stream *s, struct frame *last)
{
	struct frame frame;
	unsigned count = 0;
	size_t at = 0;

	frames_init(frames, VALUE_MOST, LOG_MOST, RULES);
	while (at < s->len) {
		size_t room = 0;
		void *to = frames_room(frames, &room);

		if (!to)
			break;
		room = room < s->len - at ? room : s->len - at;
		memcpy(to, s->bytes + at, room);
		frames_added(frames, room);
		at += room;
		while (frames_next(frames, &frame) > 0) {
			count++;
			*last = frame;
			frames_go(frames, s->trial);
		}
	}
	(void)frames_finish(frames);
	return count;
}

static void expect_fault(const struct stream *s, enum frames_fault fault,
			 const char *what)
{
	struct frames frames;
	struct frame frame;

	parse(&frames, s, &frame);
	cr_expect_eq(frames.fault, fault, "%s: %s", what,
		     frames_fault_texts[frames.fault]);
	if (fault != FRAMES_FAULT_NONE) {
		size_t room;

		cr_expect_eq(frames_next(&frames, &frame), -EPROTO, "%s: sticks", what);
		cr_expect_null(frames_room(&frames, &room));
	}
	frames_free(&frames);
}

Test(frames, a_whole_run_comes_through)
{
	struct stream s = {.len = 0};
	struct frames frames;
	struct frame last;

	put_opening(&s);
	put_log(&s, "one");
	put_value(&s, VALUE_IS_JSON | VALUE_IS_TRUE, "true", "true");
	put_log(&s, "late");
	put_end(&s);
	cr_expect_eq(parse(&frames, &s, &last), 6);
	cr_expect_eq(frames.fault, FRAMES_FAULT_NONE);
	cr_expect_eq(frames.place, FRAMES_AT_END);
	cr_expect_eq(last.type, FRAME_END);
	cr_expect_eq(last.end.heap_peak_bytes, 256);
	frames_free(&frames);
}

Test(frames, fields_arrive_as_sent)
{
	struct stream s = {.len = 0};
	struct frames frames;
	struct frame last;

	put_opening(&s);
	put_value(&s, VALUE_IS_JSON, "[0.1]", "[ 0.1 ]");
	parse(&frames, &s, &last);
	cr_assert_eq(last.type, FRAME_VALUE);
	cr_expect(last.value.is_json && !last.value.is_true);
	cr_expect_eq(last.value.json.len, 5);
	cr_expect_eq(memcmp(last.value.json.at, "[0.1]", 5), 0);
	cr_expect_eq(last.value.text.len, 7);
	frames_free(&frames);
}

Test(frames, nothing_may_come_before_go)
{
	struct stream s = {.len = 0};
	struct frames frames;
	struct frame frame;
	size_t room;
	void *to;

	put_opening(&s);
	put_log(&s, "early");
	frames_init(&frames, VALUE_MOST, LOG_MOST, RULES);
	to = frames_room(&frames, &room);
	memcpy(to, s.bytes, s.len);
	frames_added(&frames, s.len);
	cr_expect_eq(frames_next(&frames, &frame), 1);
	cr_expect_eq(frames_next(&frames, &frame), 1);
	cr_expect_eq(frames_next(&frames, &frame), -EPROTO);
	cr_expect_eq(frames.fault, FRAMES_FAULT_ORDER);
	frames_free(&frames);
}

Test(frames, order_is_kept)
{
	struct stream twice = {.len = 0}, after_end = {.len = 0};
	struct stream no_result = {.len = 0}, no_ready = {.len = 0};

	put_opening(&twice);
	put_value(&twice, VALUE_IS_JSON, "1", "1");
	put_value(&twice, VALUE_IS_JSON, "2", "2");
	expect_fault(&twice, FRAMES_FAULT_ORDER, "two values");
	put_opening(&after_end);
	put_value(&after_end, VALUE_IS_JSON, "1", "1");
	put_end(&after_end);
	put_log(&after_end, "more");
	expect_fault(&after_end, FRAMES_FAULT_ORDER, "a log after the end");
	put_opening(&no_result);
	put_end(&no_result);
	expect_fault(&no_result, FRAMES_FAULT_ORDER, "an end without a result");
	put_gate(&no_ready);
	expect_fault(&no_ready, FRAMES_FAULT_ORDER, "no greeting");
}

/* The value is made once, when the script has run. */
static void expect_large_value(void)
{
	struct stream run = {.len = 0}, tail = {.len = 0}, early = {.len = 0};

	put_opening(&run);
	put(&run, FRAME_LIMIT, "\1\2", 2);
	put_end(&run);
	expect_fault(&run, FRAMES_FAULT_NONE, "a value that is too large");
	put_opening(&tail);
	put_value(&tail, VALUE_IS_JSON, "1", "1");
	put(&tail, FRAME_LIMIT, "\1\2", 2);
	expect_fault(&tail, FRAMES_FAULT_ORDER, "too large, and there it is");
	put_ready(&early);
	put(&early, FRAME_LIMIT, "\1\0", 2);
	expect_fault(&early, FRAMES_FAULT_ORDER, "too large before anything ran");
}

Test(frames, a_limit_or_violation_is_the_last_word)
{
	struct stream limit = {.len = 0}, violation = {.len = 0};

	put_opening(&limit);
	put(&limit, FRAME_LIMIT, "\0\1", 2);
	put_value(&limit, VALUE_IS_JSON, "1", "1");
	expect_fault(&limit, FRAMES_FAULT_ORDER, "a value after a limit");
	expect_large_value();
	put_opening(&violation);
	put(&violation, FRAME_VIOLATION, "\0\0\0\0\0\0\0\0", 8);
	put_end(&violation);
	expect_fault(&violation, FRAMES_FAULT_ORDER, "an end after a violation");
}

Test(frames, values_must_not_contradict_themselves)
{
	static const struct {
		unsigned flags;
		const char *json;
		enum frames_fault fault;
	} cases[] = {
		{VALUE_IS_JSON, "{\"a\":[1,2,null]}", FRAMES_FAULT_NONE},
		{VALUE_IS_JSON, "100000000000000000000", FRAMES_FAULT_NONE},
		{VALUE_IS_JSON, "", FRAMES_FAULT_JSON},
		{VALUE_IS_JSON, "[1, 2]", FRAMES_FAULT_JSON},
		{VALUE_IS_JSON, "[1\n]", FRAMES_FAULT_JSON},
		{VALUE_IS_JSON, "\"a\tb\"", FRAMES_FAULT_JSON},
		{VALUE_IS_JSON, "undefined", FRAMES_FAULT_JSON},
		{VALUE_IS_JSON, "1}", FRAMES_FAULT_JSON},
		{VALUE_IS_JSON, "\"\xff\"", FRAMES_FAULT_UTF8},
		{VALUE_IS_JSON, "true", FRAMES_FAULT_PAYLOAD},
		{VALUE_IS_JSON | VALUE_IS_TRUE, "1", FRAMES_FAULT_PAYLOAD},
		{VALUE_IS_TRUE, "", FRAMES_FAULT_PAYLOAD},
		{0, "1", FRAMES_FAULT_PAYLOAD},
		{4, "", FRAMES_FAULT_PAYLOAD},
		{0, "", FRAMES_FAULT_NONE},
	};

	for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
		struct stream s = {.len = 0};

		put_opening(&s);
		put_value(&s, cases[i].flags, cases[i].json, "x");
		expect_fault(&s, cases[i].fault, cases[i].json);
	}
}

Test(frames, lengths_are_checked_before_the_payload)
{
	static const struct {
		const char *head;
		enum frames_fault fault;
	} cases[] = {
		{"\4\377\377\377\377", FRAMES_FAULT_LENGTH},
		{"\4\43\0\0\0", FRAMES_FAULT_LENGTH},	/* 2 + LOG_MOST + 1 */
		{"\5\206\0\0\0", FRAMES_FAULT_LENGTH},	/* 5 + 2 * VALUE_MOST + 1 */
		{"\6\25\140\0\0", FRAMES_FAULT_LENGTH}, /* 20 + 3 * ERROR_TEXT_MOST + 1 */
		{"\4\42\0\0\0", FRAMES_FAULT_CUT},
		{"\376\0\0\0\0", FRAMES_FAULT_TYPE},
		{"\101\0\0\0\0", FRAMES_FAULT_TYPE}, /* JOB is the host's */
	};

	for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
		struct stream s = {.len = 0};

		put_opening(&s);
		memcpy(s.bytes + s.len, cases[i].head, FRAME_HEADER_BYTES);
		s.len += FRAME_HEADER_BYTES;
		expect_fault(&s, cases[i].fault, cases[i].head);
	}
}

Test(frames, each_part_of_a_value_keeps_its_limit)
{
	char large[VALUE_MOST + 2];
	struct stream s = {.len = 0};

	memset(large, '1', VALUE_MOST + 1);
	large[VALUE_MOST + 1] = '\0';
	put_opening(&s);
	put_value(&s, VALUE_IS_JSON, "1", large);
	expect_fault(&s, FRAMES_FAULT_LENGTH, "text over the limit");
}

Test(frames, small_payloads_must_fit_exactly)
{
	static const struct {
		enum frame_type type;
		const char *payload;
		size_t len;
	} cases[] = {
		{FRAME_LOG, "\5\0", 2},	    {FRAME_LOG, "\0\2", 2},
		{FRAME_LOG, "\0", 1},	    {FRAME_LIMIT, "\2\0", 2},
		{FRAME_LIMIT, "\0\3", 2},   {FRAME_LIMIT, "\0", 1},
		{FRAME_VIOLATION, "\0", 1}, {FRAME_ERROR, "\0\0\0\0", 4},
	};

	for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
		struct stream s = {.len = 0};

		put_opening(&s);
		put(&s, cases[i].type, cases[i].payload, cases[i].len);
		expect_fault(&s, FRAMES_FAULT_PAYLOAD, "small payload");
	}
}

Test(frames, findings_are_bounded)
{
	struct stream s = {.len = 0};

	put_ready(&s);
	for (unsigned i = 0; i < FINDINGS_MOST; i++)
		put(&s, FRAME_FINDING, "\2\1\0\0\0\5\0\0\0\4\0\0\0eval", 17);
	expect_fault(&s, FRAMES_FAULT_NONE, "as many as allowed");
	put(&s, FRAME_FINDING, "\2\1\0\0\0\5\0\0\0\4\0\0\0eval", 17);
	expect_fault(&s, FRAMES_FAULT_FLOOD, "one more");
}

Test(frames, findings_name_a_rule_that_there_is)
{
	static const struct {
		const char *payload;
		size_t len;
		enum frames_fault fault;
	} cases[] = {
		{"\2\1\0\0\0\5\0\0\0\4\0\0\0", 13, FRAMES_FAULT_NONE},
		{"\3\1\0\0\0\5\0\0\0\4\0\0\0", 13, FRAMES_FAULT_PAYLOAD},
		{"\2\1\0\0\0\5\0\0\0\4\0\0", 12, FRAMES_FAULT_PAYLOAD},
		{"\2\1\0\0\0\5\0\0\0\4\0\0\0\377", 14, FRAMES_FAULT_UTF8},
	};
	char long_one[13 + FINDING_DETAIL_MOST + 1] = "\2";

	for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
		struct stream s = {.len = 0};

		put_ready(&s);
		put(&s, FRAME_FINDING, cases[i].payload, cases[i].len);
		expect_fault(&s, cases[i].fault, "a finding");
	}
	struct stream s = {.len = 0};
	put_ready(&s);
	put(&s, FRAME_FINDING, long_one, sizeof(long_one));
	expect_fault(&s, FRAMES_FAULT_LENGTH, "a long finding");
}

/* Nothing of the source runs: there is no log and no value to tell of. */
Test(frames, a_trial_says_an_error_or_nothing)
{
	static const struct {
		enum frame_type type;
		const char *payload;
		size_t len;
		enum frames_fault fault;
	} cases[] = {
		{FRAME_END, "\0\1\0\0\0\0\0\0\0\0\0\0\0\0\0\0", 16, FRAMES_FAULT_NONE},
		{FRAME_LIMIT, "\0\0", 2, FRAMES_FAULT_NONE},
		{FRAME_LIMIT, "\1\0", 2, FRAMES_FAULT_ORDER},
		{FRAME_LOG, "\0\0a", 3, FRAMES_FAULT_ORDER},
		{FRAME_VALUE, "\0\0\0\0\0", 5, FRAMES_FAULT_ORDER},
		{FRAME_ERROR, "\0\0\0\0\1\0\0\0\1\0\0\0\0\0\0\0\0\0\0\0", 20,
		 FRAMES_FAULT_NONE},
		{FRAME_ERROR, "\1\0\0\0\1\0\0\0\1\0\0\0\0\0\0\0\0\0\0\0", 20,
		 FRAMES_FAULT_ORDER},
	};

	for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
		struct stream s = {.trial = true};

		put_opening(&s);
		put(&s, cases[i].type, cases[i].payload, cases[i].len);
		expect_fault(&s, cases[i].fault, "a trial");
	}
}

Test(frames, another_version_is_told_not_judged)
{
	struct stream s = {.len = 0};
	struct frames frames;
	struct frame last = {.type = FRAME_END};

	put(&s, FRAME_READY, "\11\0\0\0\1\1\1\1", 8);
	cr_expect_eq(parse(&frames, &s, &last), 1);
	cr_expect_eq(last.ready.version, 9);
	frames_free(&frames);
}

Test(frames, a_claim_costs_no_memory)
{
	struct frames frames;
	size_t room;

	frames_init(&frames, 1u << 22, LOG_MOST, RULES);
	cr_assert_not_null(frames_room(&frames, &room));
	cr_expect_lt(frames.room, 1u << 16);
	frames_free(&frames);
}
