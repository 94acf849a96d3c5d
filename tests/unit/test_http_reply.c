/* SPDX-License-Identifier: MIT */
/* The reply of a daemon that may lie: whole, in pieces, and what is none. */
#include <criterion/criterion.h>
#include <errno.h>
#include <string.h>

#include "base/own.h"
#include "supervisor/http_reply.h"

/* In pieces of that size; then the connection is closed. */
static int take_in(struct http_reply *reply, struct text *body, const char *bytes,
		   size_t len, size_t piece)
{
	int r = 0;

	http_reply_init(reply);
	for (size_t i = 0; r == 0 && i < len; i += piece)
		r = http_reply_take(reply, bytes + i, len - i < piece ? len - i : piece,
				    body);
	return r == 0 ? http_reply_end(reply) : r;
}

static int take(struct http_reply *reply, struct text *body, const char *bytes)
{
	return take_in(reply, body, bytes, strlen(bytes), strlen(bytes));
}

#define OK_LINE "HTTP/1.1 200 OK\r\n"

Test(http_reply, takes_each_kind_of_body_in_any_pieces)
{
	static const char *const good[] = {
		OK_LINE "Content-Length: 5\r\n\r\nhello",
		OK_LINE "content-length:5\t \r\nX: \r\n\r\nhello",
		OK_LINE "\r\nhello",
		"HTTP/1.0 200\r\n\r\nhello",
		OK_LINE "Transfer-Encoding: chunked\r\n\r\n"
			"2\r\nhe\r\n03;x=\"y\"\r\nllo\r\n0\r\n\r\n",
		OK_LINE "Transfer-Encoding: Chunked\r\n\r\n"
			"5 \r\nhello\r\n000\r\nTrailer: of no interest\r\n\r\n",
	};

	for (size_t i = 0; i < ARRAY_LEN(good); i++)
		for (size_t piece = 1; piece <= strlen(good[i]); piece++) {
			own_text struct text body = TEXT_INIT(5);
			struct http_reply reply;
			int r = take_in(&reply, &body, good[i], strlen(good[i]), piece);

			cr_expect_eq(r, 0, "%zu in pieces of %zu: %s", i, piece,
				     reply.fault);
			cr_expect(reply.complete && reply.status == 200);
			cr_expect_str_eq(text_str(&body), "hello");
		}
}

Test(http_reply, knows_its_end_before_the_connection_is_closed)
{
	static const char *const good[] = {
		OK_LINE "Content-Length: 0\r\n\r\n",
		OK_LINE "Content-Length: 1\r\n\r\nx",
		OK_LINE "Transfer-Encoding: chunked\r\n\r\n0\r\n\r\n",
	};
	own_text struct text body = TEXT_INIT(9);
	struct http_reply reply;

	for (size_t i = 0; i < ARRAY_LEN(good); i++) {
		http_reply_init(&reply);
		cr_expect_eq(http_reply_take(&reply, good[i], strlen(good[i]), &body), 0);
		cr_expect(reply.complete, "%zu", i);
		cr_expect_eq(http_reply_take(&reply, "x", 1, &body), -EPROTO);
		cr_expect(!reply.complete, "%zu", i);
	}
	http_reply_init(&reply);
	cr_expect_eq(http_reply_take(&reply, OK_LINE "\r\nx", 20, &body), 0);
	cr_expect(!reply.complete, "without a length only the connection's end is one");
}

Test(http_reply, tells_status_and_retry_after)
{
	own_text struct text body = TEXT_INIT(9);
	struct http_reply reply;

	cr_expect_eq(take(&reply, &body, "HTTP/1.1 503 No\r\nretry-after: 17\r\n\r\n"),
		     0);
	cr_expect(reply.status == 503 && reply.has_retry_after &&
		  reply.retry_after_s == 17);
	cr_expect_eq(take(&reply, &body,
			  "HTTP/1.1 429 \r\nRetry-After: Fri, 01 Jan 2027\r\n\r\n"),
		     0);
	cr_expect(reply.status == 429 && !reply.has_retry_after);
}

Test(http_reply, refuses_everything_else)
{
	static const char *const bad[] = {
		"",
		"H",
		"HTTP/1.1 200 OK",
		"HTTP/2 200 OK\r\n\r\n",
		"HTTP/1.1  200 OK\r\n\r\n",
		"HTTP/1.1 20\r\n\r\n",
		"HTTP/1.1 2000 OK\r\n\r\n",
		"HTTP/1.1 100 Continue\r\n\r\n" OK_LINE "\r\n",
		"HTTP/1.1 099 \r\n\r\n",
		"HTTP/1.1 600 \r\n\r\n",
		"http/1.1 200 OK\r\n\r\n",
		"HTTP/1.1 200 OK\n\n",
		"HTTP/1.1 200 O\rK\r\n\r\n",
		"HTTP/1.1 200 O\x1bK\r\n\r\n",
		"\r\n" OK_LINE "\r\n",
		OK_LINE "no colon\r\n\r\n",
		OK_LINE ": no name\r\n\r\n",
		OK_LINE "a b: c\r\n\r\n",
		OK_LINE "a : c\r\n\r\n",
		OK_LINE " folded: c\r\n\r\n",
		OK_LINE "a: b\r\n",
		OK_LINE "Content-Length: \r\n\r\n",
		OK_LINE "Content-Length: -1\r\n\r\n",
		OK_LINE "Content-Length: +1\r\n\r\nx",
		OK_LINE "Content-Length: 1x\r\n\r\nx",
		OK_LINE "Content-Length: 0x1\r\n\r\nx",
		OK_LINE "Content-Length: 1, 1\r\n\r\nx",
		OK_LINE "Content-Length: 1\r\nContent-Length: 1\r\n\r\nx",
		OK_LINE "Content-Length: 18446744073709551617\r\n\r\nx",
		OK_LINE "Content-Length: 1099511627777\r\n\r\nx",
		OK_LINE "Content-Length: 2\r\n\r\nx",
		OK_LINE "Content-Length: 1\r\n\r\nxy",
		OK_LINE "Transfer-Encoding: gzip\r\n\r\n",
		OK_LINE "Transfer-Encoding: gzip, chunked\r\n\r\n0\r\n\r\n",
		OK_LINE "Transfer-Encoding: chunked\r\nTransfer-Encoding: chunked\r\n\r\n"
			"0\r\n\r\n",
		OK_LINE "Transfer-Encoding: chunked\r\nContent-Length: 1\r\n\r\n"
			"0\r\n\r\n",
	};
	static const char *const bad_chunks[] = {
		"",
		"0\r\n",
		"0\r\n\r\nx",
		"\r\n\r\n",
		"g\r\n",
		"-1\r\nx\r\n0\r\n\r\n",
		"0x1\r\nx\r\n0\r\n\r\n",
		"1\r\nxy\r\n0\r\n\r\n",
		"1\r\nx0\r\n\r\n",
		"1\nx\n0\n\n",
		"2\r\nx",
		"ffffffffffffffff\r\nx",
		"10000000000000001\r\nx\r\n0\r\n\r\n",
		"10000000001\r\nx",
	};
	static const char lead[] = OK_LINE "Transfer-Encoding: chunked\r\n\r\n";

	for (size_t i = 0; i < ARRAY_LEN(bad); i++) {
		own_text struct text body = TEXT_INIT(99);
		struct http_reply reply;

		cr_expect_eq(take(&reply, &body, bad[i]), -EPROTO, "%zu: %s", i, bad[i]);
		cr_expect(reply.fault && !reply.complete);
	}
	for (size_t i = 0; i < ARRAY_LEN(bad_chunks); i++) {
		own_text struct text body = TEXT_INIT(99), whole = TEXT_INIT(999);
		struct http_reply reply;

		text_add_str(&whole, lead);
		text_add_str(&whole, bad_chunks[i]);
		cr_expect_eq(take(&reply, &body, text_str(&whole)), -EPROTO, "%zu: %s", i,
			     bad_chunks[i]);
	}
}

/* Whatever comes again and again is at an end some time. */
static void endless(const char *lead, const char *again, size_t most)
{
	own_text struct text body = TEXT_INIT(100);
	struct http_reply reply;
	size_t len = 0;
	int r;

	http_reply_init(&reply);
	r = http_reply_take(&reply, lead, strlen(lead), &body);
	for (; r == 0 && len <= most; len += strlen(again))
		r = http_reply_take(&reply, again, strlen(again), &body);
	cr_expect(r == -EPROTO || r == -E2BIG, "%s", again);
	cr_expect_leq(body.len, 100);
}

Test(http_reply, is_bounded)
{
	endless("", "x", HTTP_REPLY_LINE_MOST);
	endless("HTTP/1.1 200 ", "x", HTTP_REPLY_LINE_MOST);
	endless(OK_LINE, "a", HTTP_REPLY_LINE_MOST);
	endless(OK_LINE, "a: b\r\n", HTTP_REPLY_HEAD_MOST);
	endless(OK_LINE "\r\n", "body", 200);
	endless(OK_LINE "Content-Length: 1099511627776\r\n\r\n", "body", 200);
	endless(OK_LINE "Transfer-Encoding: chunked\r\n\r\n", "0", HTTP_REPLY_LINE_MOST);
	endless(OK_LINE "Transfer-Encoding: chunked\r\n\r\n", "1\r\nx\r\n", 999);
	endless(OK_LINE "Transfer-Encoding: chunked\r\n\r\n0\r\n", "a: b\r\n",
		HTTP_REPLY_HEAD_MOST);
}

Test(http_reply, a_fault_sticks)
{
	own_text struct text body = TEXT_INIT(9);
	struct http_reply reply;

	cr_expect_eq(take(&reply, &body, "no\r\n"), -EPROTO);
	cr_expect_eq(http_reply_take(&reply, OK_LINE, strlen(OK_LINE), &body), -EPROTO);
	cr_expect_eq(http_reply_end(&reply), -EPROTO);
}

/* NUL is a control character like the others. */
Test(http_reply, refuses_nul)
{
	static const char nul[] = OK_LINE "a: \0b\r\n\r\n";
	own_text struct text body = TEXT_INIT(9);
	struct http_reply reply;

	cr_expect_eq(take_in(&reply, &body, nul, sizeof(nul) - 1, 4), -EPROTO);
}
