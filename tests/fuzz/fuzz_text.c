/* SPDX-License-Identifier: MIT */
/*
 * Any bytes, through the UTF-8 check and the escaping: what is escaped must be UTF-8
 * without any control character, and escaping it again must change nothing.
 */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "base/own.h"
#include "base/text.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t len);

static void must(int holds)
{
	if (!holds)
		abort();
}

static void check_escaped(const uint8_t *data, size_t len, unsigned flags)
{
	own_text struct text once = TEXT_INIT(len * 8 + 8);
	own_text struct text twice = TEXT_INIT(len * 8 + 8);

	text_add_escaped(&once, data, len, flags);
	must(text_status(&once) == 0);
	must(text_utf8_span(once.data, once.len) == once.len);
	for (size_t i = 0; i < once.len; i++) {
		unsigned char c = (unsigned char)once.data[i];
		int kept = (flags & TEXT_KEEP_LINES) && (c == '\n' || c == '\t');
		must(kept || (c >= 0x20 && c != 0x7f));
	}
	text_add_escaped(&twice, once.data, once.len, flags);
	must(twice.len == once.len && memcmp(twice.data, once.data, once.len) == 0);
}

/* Two words out of the input, for the nearest name. */
static void check_distance(const uint8_t *data, size_t len)
{
	size_t half = len / 2;
	own_free char *a = strndup((const char *)data, half);
	own_free char *b = strndup((const char *)data + half, len - half);

	if (!a || !b)
		return;
	must(text_distance(a, b) == text_distance(b, a));
	must(strlen(a) > 63 || text_distance(a, a) == 0);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t len)
{
	size_t span = text_utf8_span(data, len);

	must(span <= len);
	must(text_utf8_span(data, span) == span);
	if (len == 0)
		return 0;
	check_escaped(data, len, 0);
	check_escaped(data, len, TEXT_KEEP_LINES);
	check_distance(data, len);
	return 0;
}
