/* SPDX-License-Identifier: MIT */
/*
 * The guest's frames: hostile bytes in, checked frames out. A pure function of the bytes
 * and of the limits; no descriptor, no clock.
 *
 *	void *room = frames_room(&frames, &len);     read at most len bytes into room
 *	frames_added(&frames, n);
 *	while (frames_next(&frames, &frame) > 0)     pull what is complete
 *		...
 *
 * What comes out has a legal type at a legal place, all lengths consistent and under the
 * limits, all text UTF-8 and the value's JSON well-formed. Memory never exceeds the
 * largest single frame that the limits allow.
 */
#ifndef QUOD_FRAMES_H
#define QUOD_FRAMES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "rootfs/protocol.h"

/* X(id, what the message says) */
#define FRAMES_FAULTS(X)                                   \
	X(NONE, "none")                                    \
	X(TYPE, "a frame of unknown type")                 \
	X(ORDER, "a frame that has no place there")        \
	X(LENGTH, "a frame longer than its type or limit") \
	X(PAYLOAD, "a frame whose fields contradict it")   \
	X(UTF8, "text that is not UTF-8")                  \
	X(JSON, "a value that is not compact JSON")        \
	X(FLOOD, "more findings than a source may have")   \
	X(JOB, "a frame that does not fit its job")        \
	X(CUT, "an end in the middle of a frame")

enum frames_fault {
#define X(id, text) FRAMES_FAULT_##id,
	FRAMES_FAULTS(X)
#undef X
		FRAMES_FAULTS_COUNT
};

extern const char *const frames_fault_texts[FRAMES_FAULTS_COUNT];

/* Where in a run's order the stream stands. */
enum frames_place {
	FRAMES_AT_START, /* READY is due */
	FRAMES_AT_GATE,	 /* findings, then GATE */
	FRAMES_AT_GO,	 /* the guest waits; not one byte may come */
	FRAMES_AT_TRIAL, /* it compiles and no more: an error, or nothing */
	FRAMES_AT_RUN,	 /* logs, then a result */
	FRAMES_AT_TAIL,	 /* the result is fixed; logs, one late error, END */
	FRAMES_AT_LAST,	 /* only END may follow */
	FRAMES_AT_DEATH, /* after VIOLATION: nothing */
	FRAMES_AT_END,	 /* complete: nothing */
	FRAMES_PLACES,
};

/* Bytes of the guest, borrowed until the next frames_room(). No NUL after them. */
struct frame_text {
	const char *at;
	size_t len;
};

struct frame {
	enum frame_type type;
	union {
		struct {
			uint32_t version;
		} ready;
		struct {
			unsigned rule; /* of as many as the job had */
			uint32_t line, column, span;
			struct frame_text detail;
		} finding;
		struct {
			uint32_t complexity, nesting;
			enum job_engine engine;
			bool unparsed, modern;
			uint32_t line, column; /* of what makes it modern */
			struct frame_text reason;
		} gate;
		struct {
			enum log_level level;
			bool cut;
			struct frame_text text;
		} log;
		struct {
			bool is_json, is_true;
			struct frame_text json, text;
		} value;
		struct {
			enum error_phase phase;
			uint32_t line, column;
			struct frame_text name, message, stack;
		} error;
		struct {
			enum limit_kind kind;
			enum error_phase phase;
		} limit;
		struct {
			uint32_t arch, number;
		} violation;
		struct {
			uint64_t heap_peak_bytes;
		} end;
	};
};

struct frames {
	unsigned char *data; /* owned */
	size_t room, from, to;
	uint32_t value_bytes, log_bytes; /* the job's limits */
	unsigned rules;			 /* how many the job had */
	unsigned findings;
	enum frames_place place;
	enum frames_fault fault; /* sticks */
};

/* The limits and the number of rules are those of the JOB frame. No memory is taken yet.
 */
void frames_init(struct frames *frames, uint32_t value_bytes, uint32_t log_bytes,
		 unsigned rules_count);
void frames_free(struct frames *frames);

/* Where the next bytes go; at least one. NULL: no memory, or a fault was found before. */
void *frames_room(struct frames *frames, size_t *ret_len);
void frames_added(struct frames *frames, size_t len);

/* 1: *ret_frame is written. 0: more bytes are needed. -EPROTO: see frames->fault. */
int frames_next(struct frames *frames, struct frame *ret_frame);

/* The host has sent GO: from here on the guest may speak of its run; or, if it was only
 * to compile, of that. */
void frames_go(struct frames *frames, bool compile_only);

/* A frame that came out is one that this job cannot have: nothing more does. */
void frames_refuse(struct frames *frames);

/* No byte will follow: an unfinished frame is a fault. 0 or -EPROTO. */
int frames_finish(struct frames *frames);

#endif
