/* SPDX-License-Identifier: MIT */
/*
 * Frames out. A frame starts with its length, so everything is said twice to the same
 * functions: first counted, then written. Between the two no guest code runs and both
 * say the same; nothing of the payload has to be kept in memory.
 *
 *	out_count(&out, most);       ... out_text(&out, ...) ...; out.total is known
 *	out_frame(&out, type, n);    ... the same again ...; out_flush(&out)
 *
 * A section (out_section) is a part with a limit of its own. What goes past it is
 * dropped at a character's border and `cut` is set.
 */
#ifndef QUOD_JS_OUT_H
#define QUOD_JS_OUT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "rootfs/protocol.h"

struct out {
	unsigned char buf[4096];
	size_t used;
	uint64_t total;	   /* bytes of the section so far */
	uint64_t most;	   /* of the section */
	uint64_t promised; /* payload bytes still to be written of the frame */
	bool cut, writing;
};

void out_count(struct out *out, uint64_t most);
void out_frame(struct out *out, enum frame_type type, uint64_t payload_bytes);
void out_section(struct out *out, uint64_t most);

/* Ends the frame. A payload of another length than promised ends the process: the host
 * must not read what follows as part of it. */
void out_flush(struct out *out);
/* The same; its end is not written before the next frame is. */
void out_hold(struct out *out);
/* What is held is written now. */
void out_release(struct out *out);

/* All or nothing of n bytes. */
void out_bytes(struct out *out, const void *bytes, size_t n);
void out_text(struct out *out, const char *text);
void out_char(struct out *out, char c);
void out_u8(struct out *out, uint8_t v);
void out_u32(struct out *out, uint32_t v);
void out_u64(struct out *out, uint64_t v);
void out_decimal(struct out *out, uint64_t v);

/*
 * Text in the engine's encoding: UTF-8 in which a character outside the BMP may be two
 * surrogates, each encoded on its own. Comes out as UTF-8: pairs joined, halves and
 * anything malformed U+FFFD.
 */
void out_string(struct out *out, const char *s, size_t n);

/* Has it no half of a surrogate pair, so that UTF-8 can say it unchanged? */
bool out_string_is_whole(const char *s, size_t n);

/* The same between quotes and escaped: as JSON, or as a console shows a nested string. */
void out_json_string(struct out *out, const char *s, size_t n);
void out_quoted_string(struct out *out, const char *s, size_t n);

/* A whole frame of at most so many bytes, none of them from the engine. */
#define OUT_SMALL_MOST 80u
void out_small_frame(struct out *out, enum frame_type type, const void *payload,
		     size_t n);

#endif
