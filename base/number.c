/* SPDX-License-Identifier: MIT */
/*
 * A number is its digits and then a suffix out of a table: digits_parse() takes the
 * first part, unit_find() the second, and in_range() has the last word. The product is
 * formed only with overflow checks.
 */
#include "base/number.h"

#include <stddef.h>
#include <string.h>

#include "base/own.h"

struct unit {
	const char *suffix;
	uint64_t factor;
};

static const struct unit duration_units[] = {
	{"", 1000}, /* as keys that end in Sec have it */
	{"ms", 1},  {"s", 1000}, {"m", 60 * 1000}, {"h", 60 * 60 * 1000},
};

static const struct unit size_units[] = {
	{"", 1},
	{"K", UINT64_C(1) << 10},
	{"KiB", UINT64_C(1) << 10},
	{"M", UINT64_C(1) << 20},
	{"MiB", UINT64_C(1) << 20},
	{"G", UINT64_C(1) << 30},
	{"GiB", UINT64_C(1) << 30},
};

static const struct unit plain_units[] = {{"", 1}};
static const struct unit percent_units[] = {{"%", 1}};

const char *number_error_text(enum number_error error)
{
	static const char *const texts[] = {
#define X(name, text) [NUMBER_##name] = text,
		NUMBER_ERRORS(X)
#undef X
	};

	if ((unsigned)error >= ARRAY_LEN(texts))
		return "is wrong";
	return texts[error];
}

/* isdigit() depends on the locale and is undefined for negative chars. */
static int is_digit(char c)
{
	return c >= '0' && c <= '9';
}

/* Leaves *ret_rest at the first character that is no digit. */
static enum number_error digits_parse(const char *text, uint64_t *ret_value,
				      const char **ret_rest)
{
	uint64_t value = 0;
	const char *p = text;

	if (!*text)
		return NUMBER_EMPTY;
	if (!is_digit(*p) || (p[0] == '0' && is_digit(p[1])))
		return NUMBER_SYNTAX;
	for (; is_digit(*p); p++) {
		if (__builtin_mul_overflow(value, 10, &value) ||
		    __builtin_add_overflow(value, (uint64_t)(*p - '0'), &value))
			return NUMBER_HIGH;
	}
	*ret_value = value;
	*ret_rest = p;
	return NUMBER_OK;
}

static const struct unit *unit_find(const char *suffix, const struct unit *units,
				    size_t count)
{
	for (size_t i = 0; i < count; i++) {
		if (strcmp(suffix, units[i].suffix) == 0)
			return &units[i];
	}
	return NULL;
}

static enum number_error in_range(uint64_t value, uint64_t least, uint64_t most)
{
	if (value < least)
		return NUMBER_LOW;
	return value > most ? NUMBER_HIGH : NUMBER_OK;
}

static enum number_error parse(const char *text, const struct unit *units, size_t count,
			       uint64_t least, uint64_t most, uint64_t *ret)
{
	const struct unit *unit;
	const char *suffix;
	uint64_t value;
	enum number_error error = digits_parse(text, &value, &suffix);

	if (error != NUMBER_OK)
		return error;
	unit = unit_find(suffix, units, count);
	if (!unit)
		return units == plain_units ? NUMBER_SYNTAX : NUMBER_UNIT;
	if (__builtin_mul_overflow(value, unit->factor, &value))
		return NUMBER_HIGH;
	error = in_range(value, least, most);
	if (error == NUMBER_OK)
		*ret = value;
	return error;
}

enum number_error number_parse_u64(const char *text, uint64_t least, uint64_t most,
				   uint64_t *ret)
{
	return parse(text, plain_units, ARRAY_LEN(plain_units), least, most, ret);
}

enum number_error number_parse_u32(const char *text, uint32_t least, uint32_t most,
				   uint32_t *ret)
{
	uint64_t value;
	enum number_error error = number_parse_u64(text, least, most, &value);

	if (error == NUMBER_OK)
		*ret = (uint32_t)value;
	return error;
}

enum number_error number_parse_duration_ms(const char *text, uint64_t least_ms,
					   uint64_t most_ms, uint64_t *ret_ms)
{
	return parse(text, duration_units, ARRAY_LEN(duration_units), least_ms, most_ms,
		     ret_ms);
}

enum number_error number_parse_size(const char *text, uint64_t least_bytes,
				    uint64_t most_bytes, uint64_t *ret_bytes)
{
	return parse(text, size_units, ARRAY_LEN(size_units), least_bytes, most_bytes,
		     ret_bytes);
}

enum number_error number_parse_percent(const char *text, uint32_t least, uint32_t most,
				       uint32_t *ret_percent)
{
	uint64_t value;
	enum number_error error =
		parse(text, percent_units, ARRAY_LEN(percent_units), least, most, &value);

	if (error == NUMBER_OK)
		*ret_percent = (uint32_t)value;
	return error;
}
