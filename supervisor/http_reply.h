/* SPDX-License-Identifier: MIT */
/*
 * The reply to one HTTP/1.1 request, taken in as its bytes come.
 *
 * Nothing of it is believed: every part has a bound, what is not exactly HTTP is a fault,
 * and so is what comes after the end or is missing before it. A body is as long as its
 * Content-Length says, comes in chunks, or, as HTTP/1.0 had it, goes on until the
 * connection is closed.
 */
#ifndef QUOD_HTTP_REPLY_H
#define QUOD_HTTP_REPLY_H

#include <stdbool.h>
#include <stdint.h>

#include "base/text.h"

/* Of one line of the head, and of all of them with those after a body in chunks. */
#define HTTP_REPLY_LINE_MOST 4096u
#define HTTP_REPLY_HEAD_MOST 32768u

struct http_reply {
	unsigned status; /* 200 to 599; 0: not known yet */
	bool complete;
	bool has_retry_after;
	uint32_t retry_after_s;
	const char *fault; /* why it cannot be understood; static; NULL: it can */

	/* The rest is the parser's. */
	enum http_reply_part {
		HTTP_REPLY_STATUS,
		HTTP_REPLY_HEADER,
		HTTP_REPLY_BYTES,     /* of a known length */
		HTTP_REPLY_UNTIL_END, /* of the connection */
		HTTP_REPLY_CHUNK_SIZE,
		HTTP_REPLY_CHUNK,
		HTTP_REPLY_CHUNK_END,
		HTTP_REPLY_TRAILER,
		HTTP_REPLY_DONE,
	} part;
	bool has_length, chunked;
	uint64_t left; /* of the body or of the chunk */
	unsigned head_bytes;
	size_t line_len;
	char line[HTTP_REPLY_LINE_MOST + 1];
};

void http_reply_init(struct http_reply *reply);

/* Adds what of the body is in these bytes to it. Errors: -EPROTO, with `fault` set; those
 * of text_status(body), whose cap bounds what is held. */
int http_reply_take(struct http_reply *reply, const char *bytes, size_t len,
		    struct text *body);

/* The connection was closed. Errors: -EPROTO, with `fault` set: before the end. */
int http_reply_end(struct http_reply *reply);

#endif
