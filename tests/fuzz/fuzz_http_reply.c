/* SPDX-License-Identifier: MIT */
/*
 * A daemon that answers anything: how the bytes are cut into reads must change nothing, and
 * no more is held than was allowed. The first byte of the input is the size of the pieces.
 */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "supervisor/http_reply.h"

#define BODY_MOST 512u

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t len);

static void must(int holds)
{
	if (!holds)
		abort();
}

static int take_in(struct http_reply *reply, struct text *body, const uint8_t *data,
		   size_t len, size_t piece)
{
	int r = 0;

	http_reply_init(reply);
	for (size_t i = 0; r == 0 && i < len; i += piece)
		r = http_reply_take(reply, (const char *)data + i,
				    len - i < piece ? len - i : piece, body);
	return r == 0 ? http_reply_end(reply) : r;
}

static void judge(const struct http_reply *reply, int r, const struct text *body)
{
	must(body->len <= BODY_MOST);
	must(reply->line_len <= HTTP_REPLY_LINE_MOST);
	must(reply->head_bytes <= HTTP_REPLY_HEAD_MOST + 1);
	must(reply->complete == (r == 0));
	must(r != 0 || (reply->status >= 200 && reply->status <= 599));
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t len)
{
	struct text whole = TEXT_INIT(BODY_MOST), pieces = TEXT_INIT(BODY_MOST);
	struct http_reply a, b;
	int r, again;

	if (len == 0)
		return 0;
	r = take_in(&a, &whole, data + 1, len - 1, len);
	again = take_in(&b, &pieces, data + 1, len - 1, data[0] ? data[0] : 1);
	judge(&a, r, &whole);
	judge(&b, again, &pieces);
	must(r == again && a.status == b.status);
	/* Of a body that does not fit it depends on the pieces how much was kept. */
	if (r == 0)
		must(whole.len == pieces.len &&
		     (!whole.len || !memcmp(whole.data, pieces.data, whole.len)));
	text_free(&whole);
	text_free(&pieces);
	return 0;
}
