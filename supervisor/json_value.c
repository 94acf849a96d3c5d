/* SPDX-License-Identifier: MIT */
/* Numbers are read from the digits as they stand: none goes through a double. */
#include "supervisor/json_value.h"

#include <string.h>

#include "base/number.h"

static bool is_word(const struct json_span *value, const char *word)
{
	return value->at && value->len == strlen(word) &&
	       !memcmp(value->at, word, value->len);
}

bool json_is_null(const struct json_span *value)
{
	return is_word(value, "null");
}

bool json_get_bool(const struct json_span *value, bool *ret)
{
	bool yes = is_word(value, "true");

	if (!yes && !is_word(value, "false"))
		return false;
	*ret = yes;
	return true;
}

bool json_get_u64(const struct json_span *value, uint64_t most, uint64_t *ret)
{
	char digits[32];

	if (!value->at || value->len >= sizeof(digits))
		return false;
	memcpy(digits, value->at, value->len);
	digits[value->len] = '\0';
	return number_parse_u64(digits, 0, most, ret) == NUMBER_OK;
}

bool json_get_choice(const struct json_span *value, const char *const *names,
		     size_t count, unsigned *ret)
{
	own_text struct text word = TEXT_INIT(64);

	if (!json_get_text(value, &word))
		return false;
	for (size_t i = 0; i < count; i++)
		if (names[i] && !strcmp(names[i], text_str(&word))) {
			*ret = (unsigned)i;
			return true;
		}
	return false;
}

bool json_get_text(const struct json_span *value, struct text *to)
{
	return value->at && json_add_unescaped(to, value) && text_status(to) == 0;
}
