/* SPDX-License-Identifier: MIT */
/*
 * One decoder per type. A cursor walks the payload and remembers whether it ran past the
 * end, so that a decoder reads straight on and asks once; every byte of a payload must
 * be used up.
 */
#include "supervisor/frames_payload.h"

#include <string.h>

#include "base/text.h"
#include "supervisor/json.h"

struct cursor {
	const unsigned char *at;
	size_t left;
	bool short_of; /* something was asked for that is not there */
};

static const unsigned char *cursor_take(struct cursor *c, size_t len)
{
	static const unsigned char nothing[8];
	const unsigned char *at = c->at;

	if (len > c->left) {
		c->short_of = true;
		return nothing;
	}
	c->at += len;
	c->left -= len;
	return at;
}

static unsigned cursor_u8(struct cursor *c)
{
	return *cursor_take(c, 1);
}

static uint32_t cursor_u32(struct cursor *c)
{
	return get_u32le(cursor_take(c, 4));
}

static uint64_t cursor_u64(struct cursor *c)
{
	return get_u64le(cursor_take(c, 8));
}

static struct frame_text cursor_text(struct cursor *c, size_t len)
{
	struct frame_text text = {.at = (const char *)cursor_take(c, len)};

	text.len = c->short_of ? 0 : len;
	return text;
}

static struct frame_text cursor_rest(struct cursor *c)
{
	return cursor_text(c, c->left);
}

static bool used_up(const struct cursor *c)
{
	return !c->short_of && c->left == 0;
}

static bool is_utf8(struct frame_text text)
{
	return text_utf8_span(text.at, text.len) == text.len;
}

static enum frames_fault fault_unless(bool fine)
{
	return fine ? FRAMES_FAULT_NONE : FRAMES_FAULT_PAYLOAD;
}

/* Another version may mean another greeting: only its first field is certain. */
static enum frames_fault decode_ready(struct cursor *c, struct frame *f)
{
	f->ready.version = cursor_u32(c);
	if (c->short_of)
		return FRAMES_FAULT_PAYLOAD;
	if (f->ready.version != PROTOCOL_VERSION)
		return FRAMES_FAULT_NONE;
	return fault_unless(cursor_u32(c) == 0 && used_up(c));
}

static enum frames_fault decode_finding(const struct frames *frames, struct cursor *c,
					struct frame *f)
{
	f->finding.rule = cursor_u8(c);
	f->finding.line = cursor_u32(c);
	f->finding.column = cursor_u32(c);
	f->finding.span = cursor_u32(c);
	f->finding.detail = cursor_rest(c);
	if (!used_up(c) || f->finding.rule >= frames->rules ||
	    f->finding.detail.len > FINDING_DETAIL_MOST)
		return FRAMES_FAULT_PAYLOAD;
	return is_utf8(f->finding.detail) ? FRAMES_FAULT_NONE : FRAMES_FAULT_UTF8;
}

static enum frames_fault decode_gate(struct cursor *c, struct frame *f)
{
	uint32_t engine, flags;

	f->gate.complexity = cursor_u32(c);
	f->gate.nesting = cursor_u32(c);
	engine = cursor_u32(c);
	flags = cursor_u32(c);
	f->gate.engine = (enum job_engine)engine;
	f->gate.unparsed = flags & GATE_UNPARSED;
	f->gate.modern = flags & GATE_MODERN;
	f->gate.line = cursor_u32(c);
	f->gate.column = cursor_u32(c);
	f->gate.reason = cursor_rest(c);
	if (!used_up(c) || engine <= JOB_ENGINE_AUTO || engine > JOB_ENGINE_QUICKJS ||
	    flags & ~(uint32_t)GATE_FLAGS_ALL || f->gate.reason.len > GATE_REASON_MOST ||
	    (!f->gate.modern && f->gate.reason.len))
		return FRAMES_FAULT_PAYLOAD;
	return is_utf8(f->gate.reason) ? FRAMES_FAULT_NONE : FRAMES_FAULT_UTF8;
}

static enum frames_fault decode_log(struct cursor *c, struct frame *f)
{
	unsigned level = cursor_u8(c);
	unsigned flags = cursor_u8(c);

	f->log.level = (enum log_level)level;
	f->log.cut = flags & LOG_FLAG_CUT;
	f->log.text = cursor_rest(c);
	if (!used_up(c) || level >= LOG_LEVELS || flags & ~LOG_FLAG_CUT)
		return FRAMES_FAULT_PAYLOAD;
	return is_utf8(f->log.text) ? FRAMES_FAULT_NONE : FRAMES_FAULT_UTF8;
}

static enum frames_fault check_value_json(const struct frame *f)
{
	struct frame_text json = f->value.json;
	bool valid;

	if (!f->value.is_json)
		return fault_unless(json.len == 0 && !f->value.is_true);
	json_check(json.at, json.len, JSON_COMPACT_ONLY, &valid);
	if (!valid)
		return FRAMES_FAULT_JSON;
	return fault_unless(f->value.is_true ==
			    (json.len == 4 && !memcmp(json.at, "true", 4)));
}

static enum frames_fault decode_value(const struct frames *frames, struct cursor *c,
				      struct frame *f)
{
	unsigned flags = cursor_u8(c);
	struct frame_text json, text;

	json = cursor_text(c, cursor_u32(c));
	text = cursor_rest(c);
	f->value.is_json = flags & VALUE_IS_JSON;
	f->value.is_true = flags & VALUE_IS_TRUE;
	f->value.json = json;
	f->value.text = text;
	if (!used_up(c) || flags & ~(unsigned)(VALUE_IS_JSON | VALUE_IS_TRUE))
		return FRAMES_FAULT_PAYLOAD;
	if (json.len > frames->value_bytes || text.len > frames->value_bytes)
		return FRAMES_FAULT_LENGTH;
	if (!is_utf8(json) || !is_utf8(text))
		return FRAMES_FAULT_UTF8;
	return check_value_json(f);
}

static enum frames_fault decode_error(struct cursor *c, struct frame *f)
{
	uint32_t phase = cursor_u32(c);
	size_t name_len, message_len;

	f->error.phase = (enum error_phase)phase;
	f->error.line = cursor_u32(c);
	f->error.column = cursor_u32(c);
	name_len = cursor_u32(c);
	message_len = cursor_u32(c);
	f->error.name = cursor_text(c, name_len);
	f->error.message = cursor_text(c, message_len);
	f->error.stack = cursor_rest(c);
	if (!used_up(c) || phase >= PHASES || name_len > ERROR_TEXT_MOST ||
	    message_len > ERROR_TEXT_MOST || f->error.stack.len > ERROR_TEXT_MOST)
		return FRAMES_FAULT_PAYLOAD;
	if (!is_utf8(f->error.name) || !is_utf8(f->error.message) ||
	    !is_utf8(f->error.stack))
		return FRAMES_FAULT_UTF8;
	return FRAMES_FAULT_NONE;
}

static enum frames_fault decode_limit(struct cursor *c, struct frame *f)
{
	unsigned kind = cursor_u8(c);
	unsigned phase = cursor_u8(c);

	f->limit.kind = (enum limit_kind)kind;
	f->limit.phase = (enum error_phase)phase;
	return fault_unless(used_up(c) && kind < LIMIT_KINDS && phase < PHASES);
}

static enum frames_fault decode_violation(struct cursor *c, struct frame *f)
{
	f->violation.arch = cursor_u32(c);
	f->violation.number = cursor_u32(c);
	return fault_unless(used_up(c));
}

static enum frames_fault decode_end(struct cursor *c, struct frame *f)
{
	f->end.heap_peak_bytes = cursor_u64(c);
	return fault_unless(cursor_u64(c) == 0 && used_up(c));
}

enum frames_fault frames_payload_decode(const struct frames *frames, enum frame_type type,
					const unsigned char *payload, size_t len,
					struct frame *ret_frame)
{
	struct cursor c = {.at = payload, .left = len};

	*ret_frame = (struct frame){.type = type};
	switch (type) {
	case FRAME_READY:
		return decode_ready(&c, ret_frame);
	case FRAME_FINDING:
		return decode_finding(frames, &c, ret_frame);
	case FRAME_GATE:
		return decode_gate(&c, ret_frame);
	case FRAME_LOG:
		return decode_log(&c, ret_frame);
	case FRAME_VALUE:
		return decode_value(frames, &c, ret_frame);
	case FRAME_ERROR:
		return decode_error(&c, ret_frame);
	case FRAME_LIMIT:
		return decode_limit(&c, ret_frame);
	case FRAME_VIOLATION:
		return decode_violation(&c, ret_frame);
	case FRAME_END:
		return decode_end(&c, ret_frame);
	case FRAME_JOB:
	case FRAME_GO:
		break;
	}
	return FRAMES_FAULT_TYPE;
}
