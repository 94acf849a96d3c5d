/* SPDX-License-Identifier: MIT */
/*
 * Our JSON check against jansson's parser: on text that is UTF-8 both must agree, but for
 * what the check lets through on purpose (numbers too large for a double, deep nesting).
 * And any bytes written as a string must be a JSON string.
 */
#include <jansson.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "supervisor/json.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t len);

static void must(int holds)
{
	if (!holds)
		abort();
}

static bool tolerated(const json_error_t *error)
{
	return json_error_code(error) == json_error_numeric_overflow ||
	       json_error_code(error) == json_error_stack_overflow;
}

static void compare(const char *json, size_t len)
{
	const size_t flags = JSON_DECODE_ANY | JSON_DECODE_INT_AS_REAL | JSON_ALLOW_NUL;
	json_error_t error;
	json_t *root;
	bool valid, compact;
	size_t at = json_check(json, len, 0, &valid);

	must(at <= len && (!valid || at == len));
	json_check(json, len, JSON_COMPACT_ONLY, &compact);
	must(valid || !compact);
	root = json_loadb(json, len, flags, &error);
	must(valid == (root != NULL) || (valid && tolerated(&error)));
	json_decref(root);
}

static void write_string(const char *bytes, size_t len)
{
	own_text struct text text = TEXT_INIT(len * 6 + 2);
	bool valid;

	json_add_string(&text, bytes, len);
	must(text_status(&text) == 0);
	must(text_utf8_span(text.data, text.len) == text.len);
	json_check(text.data, text.len, JSON_COMPACT_ONLY, &valid);
	must(valid && text.data[0] == '"');
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t len)
{
	const char *bytes = (const char *)data;

	/* jansson takes a NUL after the value for the end of the text. */
	if (text_utf8_span(bytes, len) == len && !memchr(bytes, 0, len))
		compare(bytes, len);
	write_string(bytes, len);
	return 0;
}
