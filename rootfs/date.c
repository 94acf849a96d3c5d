/* SPDX-License-Identifier: MIT */
/*
 * Writing a Date for the inspector, and reading the forms that the engine's own ISO 8601
 * reader refuses although scripts use them: "Jan 2, 2020 10:00", "2 January 2020",
 * "Thu, 02 Jan 2020 10:00:00 GMT", "1/2/2020" and what toString() writes elsewhere.
 */
#include <math.h>
#include <stdbool.h>
#include <stdint.h>
#include <string.h>

#include "duktape.h"
#include "rootfs/date.h"
#include "rootfs/hooks.h"

#define DAY_MS	     86400000.0
#define DATE_MOST_MS 8.64e15 /* the engine relies on it */

/* Days since 1970 of a day in the proleptic Gregorian calendar; month 1 to 12. */
static int64_t days_of(int64_t year, unsigned month, unsigned day)
{
	int64_t y = year - (month <= 2), era = (y >= 0 ? y : y - 399) / 400;
	unsigned of_era = (unsigned)(y - era * 400);
	unsigned of_year = (153 * (month + (month > 2 ? -3u : 9u)) + 2) / 5 + day - 1;

	return era * 146097 + of_era * 365 + of_era / 4 - of_era / 100 + of_year - 719468;
}

static void day_parts(int64_t days, int64_t *ret_year, unsigned *ret_month,
		      unsigned *ret_day)
{
	int64_t z = days + 719468, era = (z >= 0 ? z : z - 146096) / 146097;
	unsigned of_era = (unsigned)(z - era * 146097);
	unsigned year = (of_era - of_era / 1460 + of_era / 36524 - of_era / 146096) / 365;
	unsigned of_year = of_era - (365 * year + year / 4 - year / 100);
	unsigned m = (5 * of_year + 2) / 153;

	*ret_day = of_year - (153 * m + 2) / 5 + 1;
	*ret_month = m < 10 ? m + 3 : m - 9;
	*ret_year = (int64_t)year + era * 400 + (*ret_month <= 2);
}

static char *put_digits(char *at, uint64_t number, unsigned digits)
{
	for (unsigned i = digits; i-- > 0; number /= 10)
		at[i] = (char)('0' + number % 10);
	return at + digits;
}

static char *put_year(char *at, int64_t year)
{
	if (year >= 0 && year <= 9999)
		return put_digits(at, (uint64_t)year, 4);
	*at = year < 0 ? '-' : '+';
	return put_digits(at + 1, (uint64_t)(year < 0 ? -year : year), 6);
}

void date_iso_text(double ms, char *text)
{
	int64_t year, days;
	unsigned month, day;
	uint64_t rest;

	if (!isfinite(ms)) {
		strcpy(text, "Invalid Date");
		return;
	}
	days = (int64_t)floor(ms / DAY_MS);
	rest = (uint64_t)(ms - (double)days * DAY_MS);
	day_parts(days, &year, &month, &day);
	text = put_year(text, year);
	*text++ = '-';
	text = put_digits(text, month, 2);
	*text++ = '-';
	text = put_digits(text, day, 2);
	*text++ = 'T';
	text = put_digits(text, rest / 3600000, 2);
	*text++ = ':';
	text = put_digits(text, rest / 60000 % 60, 2);
	*text++ = ':';
	text = put_digits(text, rest / 1000 % 60, 2);
	*text++ = '.';
	text = put_digits(text, rest % 1000, 3);
	*text++ = 'Z';
	*text = '\0';
}

struct reader {
	const char *at;
	int numbers[3]; /* of the date, in the order found */
	unsigned count;
	unsigned month;	 /* by name; 0: none */
	double clock_ms; /* -1: none yet */
	double offset_ms;
	bool pm, am;
};

static bool is_digit(char c)
{
	return c >= '0' && c <= '9';
}

static bool is_letter(char c)
{
	return (c | 32) >= 'a' && (c | 32) <= 'z';
}

static int read_number(struct reader *r)
{
	int number = 0;

	for (; is_digit(*r->at); r->at++)
		number = number < 1000000 ? number * 10 + (*r->at - '0') : number;
	return number;
}

static bool read_clock(struct reader *r, int hours)
{
	int minutes, seconds = 0;
	double fraction = 0, scale = 100;

	r->at++;
	minutes = read_number(r);
	if (*r->at == ':') {
		r->at++;
		seconds = read_number(r);
	}
	if (*r->at == '.' && is_digit(r->at[1]))
		for (r->at++; is_digit(*r->at); r->at++, scale /= 10)
			fraction += (*r->at - '0') * scale;
	if (r->clock_ms >= 0 || hours > 24 || minutes > 59 || seconds > 59)
		return false;
	r->clock_ms = hours * 3600000.0 + minutes * 60000.0 + seconds * 1000.0 +
		      floor(fraction);
	return true;
}

/* After "+" or "-": hhmm, hh:mm or hh. */
static bool read_offset(struct reader *r, double sign)
{
	int number = read_number(r), minutes = 0;

	if (*r->at == ':') {
		r->at++;
		minutes = read_number(r);
	} else if (number > 99) {
		minutes = number % 100;
		number /= 100;
	}
	r->offset_ms = sign * (number * 3600000.0 + minutes * 60000.0);
	return number <= 14 && minutes <= 59;
}

static bool word_is(const char *word, size_t n, const char *text)
{
	for (size_t i = 0; i < n; i++)
		if ((word[i] | 32) != text[i])
			return false;
	return true;
}

/* Weekdays say nothing; a month by its first three letters; AM, PM, GMT, UTC, Z. */
static bool read_word(struct reader *r)
{
	static const char months[] = "janfebmaraprmayjunjulaugsepoctnovdec";
	static const char days[] = "sunmontuewedthufrisat";
	const char *word = r->at;
	size_t n;

	while (is_letter(*r->at))
		r->at++;
	n = (size_t)(r->at - word);
	if (n == 1 && (*word | 32) == 'z')
		return true;
	if (n == 2 && (word_is(word, 2, "am") || word_is(word, 2, "pm"))) {
		r->pm = (*word | 32) == 'p';
		r->am = !r->pm;
		return true;
	}
	if (n < 3)
		return false;
	for (unsigned i = 0; i < 12; i++)
		if (word_is(word, 3, months + 3 * i)) {
			r->month = i + 1;
			return true;
		}
	for (unsigned i = 0; i < 7; i++)
		if (word_is(word, 3, days + 3 * i))
			return true;
	return n == 3 && (word_is(word, 3, "gmt") || word_is(word, 3, "utc"));
}

static bool read_one(struct reader *r)
{
	char c = *r->at;
	int number;

	if (is_letter(c))
		return read_word(r);
	if ((c == '+' || c == '-') && r->clock_ms >= 0 && is_digit(r->at[1])) {
		r->at++;
		return read_offset(r, c == '+' ? 1 : -1);
	}
	if (!is_digit(c)) {
		r->at++;
		return c == ' ' || c == ',' || c == '/' || c == '-' || c == '.';
	}
	number = read_number(r);
	if (*r->at == ':')
		return read_clock(r, number);
	if (r->count == 3)
		return false;
	r->numbers[r->count++] = number;
	return true;
}

/* A comment in parentheses, as after "GMT+0000", ends what is read. */
static bool read_all(struct reader *r)
{
	while (*r->at && *r->at != '(')
		if (!read_one(r))
			return false;
	return true;
}

/* Which number is what: Y/M/D, M/D/Y, or with a named month D and Y in any order. */
static bool date_of(const struct reader *r, double *ret_ms)
{
	const int *n = r->numbers;
	int year, month = (int)r->month, day;

	if (month && r->count == 2) {
		day = n[0] > 31 ? n[1] : n[0];
		year = n[0] > 31 ? n[0] : n[1];
	} else if (!month && r->count == 3) {
		year = n[0] > 31 ? n[0] : n[2];
		month = n[0] > 31 ? n[1] : n[0];
		day = n[0] > 31 ? n[2] : n[1];
	} else {
		return false;
	}
	if (year < 50)
		year += 2000;
	else if (year < 100)
		year += 1900;
	if (month < 1 || month > 12 || day < 1 || day > 31)
		return false;
	*ret_ms = (double)days_of(year, (unsigned)month, (unsigned)day) * DAY_MS;
	return true;
}

static double clock_of(const struct reader *r)
{
	double ms = r->clock_ms < 0 ? 0 : r->clock_ms;

	if (r->pm && ms < 12 * 3600000.0)
		ms += 12 * 3600000.0;
	if (r->am && ms >= 12 * 3600000.0)
		ms -= 12 * 3600000.0;
	return ms - r->offset_ms;
}

/* The engine's hook: pushes a number and returns 1, or pushes nothing and returns 0. */
int date_parse(struct duk_hthread *ctx, const char *text)
{
	struct reader r = {.at = text, .clock_ms = -1};
	double ms;

	if (!read_all(&r) || !date_of(&r, &ms))
		return 0;
	ms += clock_of(&r);
	if (fabs(ms) > DATE_MOST_MS)
		return 0;
	duk_push_number(ctx, ms);
	return 1;
}
