/* SPDX-License-Identifier: MIT */
#include <stdint.h>
#include <string.h>

#include "rootfs/text_in.h"

#define IS_FOUR(byte) (((unsigned char)(byte)&0xF8) == 0xF0)

static char *put_surrogate(char *to, uint32_t unit)
{
	*to++ = (char)(0xE0 | unit >> 12);
	*to++ = (char)(0x80 | (unit >> 6 & 0x3F));
	*to++ = (char)(0x80 | (unit & 0x3F));
	return to;
}

static uint32_t code_point(const char *four)
{
	const unsigned char *b = (const unsigned char *)four;

	return (b[0] & 7u) << 18 | (b[1] & 0x3Fu) << 12 | (b[2] & 0x3Fu) << 6 |
	       (b[3] & 0x3Fu);
}

void text_push(duk_context *ctx, const char *text, size_t n)
{
	size_t fours = 0;
	char *to;

	for (size_t i = 0; i + 3 < n; i++)
		fours += IS_FOUR(text[i]);
	if (!fours) {
		duk_push_lstring(ctx, text, n);
		return;
	}
	to = duk_push_dynamic_buffer(ctx, n + 2 * fours);
	for (size_t i = 0; i < n;) {
		uint32_t c;

		if (i + 3 >= n || !IS_FOUR(text[i])) {
			*to++ = text[i++];
			continue;
		}
		c = code_point(text + i) - 0x10000;
		to = put_surrogate(to, 0xD800 + (c >> 10 & 0x3FF));
		to = put_surrogate(to, 0xDC00 + (c & 0x3FF));
		i += 4;
	}
	duk_buffer_to_string(ctx, -1);
}
