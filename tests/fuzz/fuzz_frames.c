/* SPDX-License-Identifier: MIT */
/*
 * A guest that sends anything: how the bytes are cut into reads must change nothing, what
 * comes out must keep the limits, and memory must stay under the largest frame. The first
 * byte of the input says whether GO is ever sent.
 */
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "base/text.h"
#include "supervisor/frames.h"

#define VALUE_MOST 256u
#define LOG_MOST   128u
#define RULES	   3u
#define ROOM_MOST  (FRAME_HEADER_BYTES + 20u + 3u * ERROR_TEXT_MOST)

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t len);

struct outcome {
	unsigned frames;
	uint64_t sum; /* of all that came out */
	enum frames_fault fault;
	enum frames_place place;
};

static void must(int holds)
{
	if (!holds)
		abort();
}

static void note(struct outcome *outcome, const void *bytes, size_t len)
{
	for (size_t i = 0; i < len; i++)
		outcome->sum =
			(outcome->sum ^ ((const uint8_t *)bytes)[i]) * 1099511628211u;
}

static void note_text(struct outcome *outcome, struct frame_text text, size_t most)
{
	must(text.len <= most);
	must(text_utf8_span(text.at, text.len) == text.len);
	note(outcome, text.at, text.len);
}

static void note_frame(struct outcome *outcome, const struct frame *frame)
{
	uint8_t type = (uint8_t)frame->type;

	outcome->frames++;
	note(outcome, &type, 1);
	if (frame->type == FRAME_LOG)
		note_text(outcome, frame->log.text, LOG_MOST);
	if (frame->type == FRAME_VALUE) {
		note_text(outcome, frame->value.json, VALUE_MOST);
		note_text(outcome, frame->value.text, VALUE_MOST);
		must(frame->value.is_json || !frame->value.is_true);
	}
	if (frame->type == FRAME_ERROR) {
		note_text(outcome, frame->error.name, ERROR_TEXT_MOST);
		note_text(outcome, frame->error.message, ERROR_TEXT_MOST);
		note_text(outcome, frame->error.stack, ERROR_TEXT_MOST);
	}
	if (frame->type == FRAME_FINDING) {
		must(frame->finding.rule < RULES);
		note_text(outcome, frame->finding.detail, FINDING_DETAIL_MOST);
	}
}

static struct outcome parse(const uint8_t *data, size_t len, size_t step, bool go,
			    bool trial)
{
	struct outcome outcome = {0};
	struct frames frames;
	struct frame frame;

	frames_init(&frames, VALUE_MOST, LOG_MOST, RULES);
	while (len) {
		size_t n = 0;
		void *room = frames_room(&frames, &n);

		if (!room)
			break;
		must(n > 0 && frames.room <= ROOM_MOST);
		n = n < step ? n : step;
		n = n < len ? n : len;
		memcpy(room, data, n);
		frames_added(&frames, n);
		data += n;
		len -= n;
		while (frames_next(&frames, &frame) > 0) {
			note_frame(&outcome, &frame);
			if (go)
				frames_go(&frames, trial);
		}
	}
	must(frames_finish(&frames) == 0 || frames.fault != FRAMES_FAULT_NONE);
	outcome.fault = frames.fault;
	outcome.place = frames.place;
	frames_free(&frames);
	return outcome;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t len)
{
	struct outcome whole, bytes, odd;
	bool go, trial;

	if (len == 0)
		return 0;
	go = data[0] & 1;
	trial = data[0] & 2;
	whole = parse(data + 1, len - 1, SIZE_MAX, go, trial);
	bytes = parse(data + 1, len - 1, 1, go, trial);
	odd = parse(data + 1, len - 1, 7, go, trial);
	must(whole.frames == bytes.frames && whole.frames == odd.frames);
	must(whole.sum == bytes.sum && whole.sum == odd.sum);
	must(whole.fault == bytes.fault && whole.fault == odd.fault);
	must(whole.place == bytes.place && whole.place == odd.place);
	return 0;
}
