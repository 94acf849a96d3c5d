/* SPDX-License-Identifier: MIT */
/*
 * One buffer holds what was read and not yet pulled: [from, to). It grows only when a
 * header that has passed the checks says that its frame needs more, so that a guest
 * cannot make it larger than its limits allow; a claim alone costs nothing beyond that.
 *
 * The header is checked (type, place, length) before a byte of its payload is waited
 * for: a wrong frame is refused as soon as it shows.
 */
#include "supervisor/frames.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "supervisor/frames_payload.h"

/* Enough for a few hundred log lines with one read. */
#define FRAMES_ROOM_FIRST 16384u

const char *const frames_fault_texts[FRAMES_FAULTS_COUNT] = {
#define X(id, text) [FRAMES_FAULT_##id] = text,
	FRAMES_FAULTS(X)
#undef X
};

struct frame_rule {
	enum frame_type type;
	uint32_t most; /* of payload, without what the limits add */
	/* Place after the frame, by the place before; 0 (the start, to which nothing
	 * leads back): it has no place there. */
	unsigned char next[FRAMES_PLACES];
};

#define AT(place, then) [FRAMES_AT_##place] = FRAMES_AT_##then

#define X(name, byte, bytes_most) MOST_##name = (bytes_most),
enum { FRAME_TYPES(X) };
#undef X

static const struct frame_rule rules[] = {
	{FRAME_READY, MOST_READY, {AT(START, GATE)}},
	{FRAME_FINDING, MOST_FINDING, {AT(GATE, GATE)}},
	{FRAME_GATE, MOST_GATE, {AT(GATE, GO)}},
	{FRAME_LOG, MOST_LOG, {AT(RUN, RUN), AT(TAIL, TAIL)}},
	{FRAME_VALUE, MOST_VALUE, {AT(RUN, TAIL)}},
	{FRAME_ERROR, MOST_ERROR, {AT(TRIAL, LAST), AT(RUN, TAIL), AT(TAIL, LAST)}},
	{FRAME_LIMIT,
	 MOST_LIMIT,
	 {AT(GATE, LAST), AT(TRIAL, LAST), AT(RUN, LAST), AT(TAIL, LAST)}},
	{FRAME_VIOLATION,
	 MOST_VIOLATION,
	 {AT(GATE, DEATH), AT(GO, DEATH), AT(TRIAL, DEATH), AT(RUN, DEATH),
	  AT(TAIL, DEATH), AT(LAST, DEATH)}},
	{FRAME_END, MOST_END, {AT(TRIAL, END), AT(TAIL, END), AT(LAST, END)}},
};

static const struct frame_rule *rule_find(unsigned type)
{
	for (size_t i = 0; i < sizeof(rules) / sizeof(rules[0]); i++)
		if ((unsigned)rules[i].type == type)
			return &rules[i];
	return NULL;
}

static size_t payload_most(const struct frames *frames, const struct frame_rule *rule)
{
	switch (rule->type) {
	case FRAME_LOG:
		return (size_t)rule->most + frames->log_bytes;
	case FRAME_VALUE:
		return (size_t)rule->most + 2 * (size_t)frames->value_bytes;
	case FRAME_ERROR:
		return (size_t)rule->most + 3 * (size_t)ERROR_TEXT_MOST;
	case FRAME_FINDING:
	case FRAME_READY:
	case FRAME_GATE:
	case FRAME_LIMIT:
	case FRAME_VIOLATION:
	case FRAME_END:
	case FRAME_JOB:
	case FRAME_GO:
		break;
	}
	return rule->most;
}

void frames_init(struct frames *frames, uint32_t value_bytes, uint32_t log_bytes,
		 unsigned rules_count)
{
	*frames = (struct frames){
		.value_bytes = value_bytes, .log_bytes = log_bytes, .rules = rules_count};
}

void frames_free(struct frames *frames)
{
	free(frames->data);
	frames->data = NULL;
	frames->room = frames->from = frames->to = 0;
}

static int fail(struct frames *frames, enum frames_fault fault)
{
	frames->fault = fault;
	return -EPROTO;
}

/* The header of the frame at the front, if it is all there. 1, 0 or -EPROTO. */
static int front_header(struct frames *frames, const struct frame_rule **ret_rule,
			size_t *ret_len)
{
	const unsigned char *head = frames->data + frames->from;
	const struct frame_rule *rule;
	uint32_t len;

	if (frames->from == frames->to)
		return 0;
	rule = rule_find(head[0]);
	if (!rule)
		return fail(frames, FRAMES_FAULT_TYPE);
	if (!rule->next[frames->place])
		return fail(frames, FRAMES_FAULT_ORDER);
	if (frames->to - frames->from < FRAME_HEADER_BYTES)
		return 0;
	len = get_u32le(head + 1);
	if (len > payload_most(frames, rule))
		return fail(frames, FRAMES_FAULT_LENGTH);
	*ret_rule = rule;
	*ret_len = len;
	return 1;
}

static int make_room(struct frames *frames, size_t need)
{
	unsigned char *data;

	if (frames->from) {
		memmove(frames->data, frames->data + frames->from,
			frames->to - frames->from);
		frames->to -= frames->from;
		frames->from = 0;
	}
	if (need < FRAMES_ROOM_FIRST)
		need = FRAMES_ROOM_FIRST;
	if (need <= frames->room)
		return 0;
	data = realloc(frames->data, need);
	if (!data)
		return -ENOMEM;
	frames->data = data;
	frames->room = need;
	return 0;
}

void *frames_room(struct frames *frames, size_t *ret_len)
{
	const struct frame_rule *rule;
	size_t len = 0;

	if (frames->fault)
		return NULL;
	if (frames->data && front_header(frames, &rule, &len) < 0)
		return NULL;
	if (make_room(frames, FRAME_HEADER_BYTES + len) < 0)
		return NULL;
	*ret_len = frames->room - frames->to;
	return frames->data + frames->to;
}

void frames_added(struct frames *frames, size_t len)
{
	frames->to += len;
}

static int note_frame(struct frames *frames, const struct frame_rule *rule)
{
	if (rule->type == FRAME_FINDING && ++frames->findings > FINDINGS_MOST)
		return fail(frames, FRAMES_FAULT_FLOOD);
	frames->place = (enum frames_place)rule->next[frames->place];
	return 1;
}

/* What does not run has no error but of its text; only what runs, and has no value yet,
 * can have one that is too large. */
static bool fits_place(enum frames_place place, const struct frame *f)
{
	if (f->type == FRAME_ERROR && place == FRAMES_AT_TRIAL)
		return f->error.phase == PHASE_PARSE;
	if (f->type == FRAME_LIMIT && f->limit.kind == LIMIT_VALUE)
		return place == FRAMES_AT_RUN;
	return true;
}

int frames_next(struct frames *frames, struct frame *ret_frame)
{
	const struct frame_rule *rule;
	enum frames_fault fault;
	const unsigned char *payload;
	size_t len;
	int r;

	if (frames->fault)
		return -EPROTO;
	r = frames->data ? front_header(frames, &rule, &len) : 0;
	if (r <= 0)
		return r;
	if (frames->to - frames->from < FRAME_HEADER_BYTES + len)
		return 0;
	payload = frames->data + frames->from + FRAME_HEADER_BYTES;
	fault = frames_payload_decode(frames, rule->type, payload, len, ret_frame);
	if (fault)
		return fail(frames, fault);
	if (!fits_place(frames->place, ret_frame))
		return fail(frames, FRAMES_FAULT_ORDER);
	frames->from += FRAME_HEADER_BYTES + len;
	return note_frame(frames, rule);
}

void frames_go(struct frames *frames, bool compile_only)
{
	if (frames->place == FRAMES_AT_GO)
		frames->place = compile_only ? FRAMES_AT_TRIAL : FRAMES_AT_RUN;
}

void frames_refuse(struct frames *frames)
{
	frames->fault = FRAMES_FAULT_JOB;
}

int frames_finish(struct frames *frames)
{
	if (frames->fault)
		return -EPROTO;
	return frames->from == frames->to ? 0 : fail(frames, FRAMES_FAULT_CUT);
}
