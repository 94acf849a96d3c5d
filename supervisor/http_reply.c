/* SPDX-License-Identifier: MIT */
/*
 * One state for each part of a reply. Lines are gathered whole before they are looked at;
 * of a body only what is left of it is counted.
 */
#include "supervisor/http_reply.h"

#include <errno.h>
#include <string.h>
#include <strings.h>

#include "base/number.h"

/* No chunk and no body is so long; sums with it cannot overflow. */
#define LENGTH_MOST (UINT64_C(1) << 40)

static int fault(struct http_reply *reply, const char *what)
{
	reply->fault = what;
	reply->complete = false;
	return -EPROTO;
}

void http_reply_init(struct http_reply *reply)
{
	memset(reply, 0, sizeof(*reply));
}

static bool is_digit(char c)
{
	return c >= '0' && c <= '9';
}

/* "HTTP/1.1 200 OK"; the words may be missing. */
static int take_status(struct http_reply *reply)
{
	const char *line = reply->line;

	if (strncmp(line, "HTTP/1.1 ", 9) != 0 && strncmp(line, "HTTP/1.0 ", 9) != 0)
		return fault(reply, "it does not begin as HTTP/1.1 does");
	line += 9;
	for (int i = 0; i < 3; i++)
		if (!is_digit(line[i]))
			return fault(reply, "its status is no number of three digits");
	if (line[3] != '\0' && line[3] != ' ')
		return fault(reply, "its status is no number of three digits");
	reply->status = (unsigned)((line[0] - '0') * 100 + (line[1] - '0') * 10 +
				   (line[2] - '0'));
	if (reply->status < 200 || reply->status > 599)
		return fault(reply, "its status is none of 200 to 599");
	reply->part = HTTP_REPLY_HEADER;
	return 0;
}

static int take_length(struct http_reply *reply, const char *value)
{
	if (reply->has_length)
		return fault(reply, "it has two lengths");
	if (number_parse_u64(value, 0, LENGTH_MOST, &reply->left) != NUMBER_OK)
		return fault(reply, "its length is no number, or too large");
	reply->has_length = true;
	return 0;
}

static int take_encoding(struct http_reply *reply, const char *value)
{
	if (reply->chunked || strcasecmp(value, "chunked") != 0)
		return fault(reply, "its transfer encoding is another than chunked");
	reply->chunked = true;
	return 0;
}

/* A date, which may stand there too, is of no use to us. */
static int take_retry_after(struct http_reply *reply, const char *value)
{
	reply->has_retry_after = number_parse_u32(value, 0, UINT32_MAX,
						  &reply->retry_after_s) == NUMBER_OK;
	return 0;
}

static const struct {
	const char *name;
	int (*take)(struct http_reply *reply, const char *value);
} headers[] = {
	{"Content-Length", take_length},
	{"Transfer-Encoding", take_encoding},
	{"Retry-After", take_retry_after},
};

/* What may stand in the name of a header (RFC 9110, token). */
static bool is_token_char(char c)
{
	return is_digit(c) || ((c | 32) >= 'a' && (c | 32) <= 'z') ||
	       (c && strchr("!#$%&'*+-.^_`|~", c));
}

/* Splits the line in two; NULL: it is no header. */
static char *split_header(struct http_reply *reply)
{
	char *value = reply->line, *end = reply->line + reply->line_len;

	while (is_token_char(*value))
		value++;
	if (value == reply->line || *value != ':')
		return NULL;
	*value++ = '\0';
	while (*value == ' ' || *value == '\t')
		value++;
	while (end > value && (end[-1] == ' ' || end[-1] == '\t'))
		*--end = '\0';
	return value;
}

static int begin_body(struct http_reply *reply)
{
	if (reply->chunked && reply->has_length)
		return fault(reply, "it has a length and comes in chunks");
	if (reply->chunked)
		reply->part = HTTP_REPLY_CHUNK_SIZE;
	else if (!reply->has_length)
		reply->part = HTTP_REPLY_UNTIL_END;
	else
		reply->part = reply->left ? HTTP_REPLY_BYTES : HTTP_REPLY_DONE;
	return 0;
}

static int take_header(struct http_reply *reply)
{
	const char *value;

	if (reply->line_len == 0)
		return begin_body(reply);
	value = split_header(reply);
	if (!value)
		return fault(reply, "one of its headers is none");
	for (size_t i = 0; i < sizeof(headers) / sizeof(headers[0]); i++)
		if (!strcasecmp(reply->line, headers[i].name))
			return headers[i].take(reply, value);
	return 0;
}

static int hex_digit(char c)
{
	if (is_digit(c))
		return c - '0';
	c |= 32;
	return c >= 'a' && c <= 'f' ? c - 'a' + 10 : -1;
}

/* Extensions after the size mean nothing to us. */
static int take_chunk_size(struct http_reply *reply)
{
	const char *at = reply->line;
	uint64_t size = 0;

	for (; hex_digit(*at) >= 0 && size <= LENGTH_MOST; at++)
		size = size * 16 + (uint64_t)hex_digit(*at);
	if (at == reply->line || size > LENGTH_MOST || (*at && !strchr("; \t", *at)))
		return fault(reply, "the size of a chunk is no number, or too large");
	reply->left = size;
	reply->part = size ? HTTP_REPLY_CHUNK : HTTP_REPLY_TRAILER;
	return 0;
}

static int take_chunk_end(struct http_reply *reply)
{
	if (reply->line_len)
		return fault(reply, "a chunk is longer than it said");
	reply->part = HTTP_REPLY_CHUNK_SIZE;
	return 0;
}

static int take_trailer(struct http_reply *reply)
{
	if (reply->line_len == 0)
		reply->part = HTTP_REPLY_DONE;
	return 0;
}

static int take_line(struct http_reply *reply)
{
	switch (reply->part) {
	case HTTP_REPLY_STATUS:
		return take_status(reply);
	case HTTP_REPLY_HEADER:
		return take_header(reply);
	case HTTP_REPLY_CHUNK_SIZE:
		return take_chunk_size(reply);
	case HTTP_REPLY_CHUNK_END:
		return take_chunk_end(reply);
	case HTTP_REPLY_TRAILER:
		return take_trailer(reply);
	case HTTP_REPLY_BYTES:
	case HTTP_REPLY_UNTIL_END:
	case HTTP_REPLY_CHUNK:
	case HTTP_REPLY_DONE:
		break;
	}
	return fault(reply, "it goes on after its end");
}

/* The sizes of chunks are no part of the head: there may be any number of them. */
static bool is_head(const struct http_reply *reply)
{
	return reply->part == HTTP_REPLY_STATUS || reply->part == HTTP_REPLY_HEADER ||
	       reply->part == HTTP_REPLY_TRAILER;
}

/* One byte of a line, which ends with CR and LF and has no other control in it. */
static int take_line_byte(struct http_reply *reply, char c)
{
	bool after_cr = reply->line_len && reply->line[reply->line_len - 1] == '\r';
	int r;

	if (is_head(reply) && ++reply->head_bytes > HTTP_REPLY_HEAD_MOST)
		return fault(reply, "its headers do not end");
	if (after_cr != (c == '\n') || c == '\x7f' ||
	    ((unsigned char)c < ' ' && c != '\t' && c != '\r' && c != '\n'))
		return fault(reply, "there is a control character in its headers");
	if (c != '\n') {
		if (reply->line_len == HTTP_REPLY_LINE_MOST)
			return fault(reply, "one of its lines does not end");
		reply->line[reply->line_len++] = c;
		return 0;
	}
	reply->line[--reply->line_len] = '\0';
	r = take_line(reply);
	reply->line_len = 0;
	return r;
}

/* Returns how many of the bytes belong to the body. */
static size_t take_body(struct http_reply *reply, const char *bytes, size_t len,
			struct text *body)
{
	if (reply->part != HTTP_REPLY_UNTIL_END) {
		len = len < reply->left ? len : (size_t)reply->left;
		reply->left -= len;
		if (reply->left == 0)
			reply->part =
				reply->chunked ? HTTP_REPLY_CHUNK_END : HTTP_REPLY_DONE;
	}
	text_add(body, bytes, len);
	return len;
}

static bool is_in_body(const struct http_reply *reply)
{
	return reply->part == HTTP_REPLY_BYTES || reply->part == HTTP_REPLY_CHUNK ||
	       reply->part == HTTP_REPLY_UNTIL_END;
}

int http_reply_take(struct http_reply *reply, const char *bytes, size_t len,
		    struct text *body)
{
	const char *end = bytes + len;
	int r = reply->fault ? -EPROTO : 0;

	while (r == 0 && bytes < end) {
		if (reply->part == HTTP_REPLY_DONE)
			return fault(reply, "it goes on after its end");
		if (is_in_body(reply)) {
			bytes += take_body(reply, bytes, (size_t)(end - bytes), body);
			r = text_status(body);
		} else {
			r = take_line_byte(reply, *bytes++);
		}
	}
	reply->complete = r == 0 && reply->part == HTTP_REPLY_DONE;
	return r;
}

int http_reply_end(struct http_reply *reply)
{
	if (reply->fault)
		return -EPROTO;
	if (reply->part != HTTP_REPLY_UNTIL_END && reply->part != HTTP_REPLY_DONE)
		return fault(reply, "it ends before it is complete");
	reply->part = HTTP_REPLY_DONE;
	reply->complete = true;
	return 0;
}
