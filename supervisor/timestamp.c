/* SPDX-License-Identifier: MIT */
/*
 * Days and dates by counting years from March: leap days then come last, and the length
 * of all months before a given one is a straight line rounded down.
 */
#include "supervisor/timestamp.h"

#include <errno.h>
#include <inttypes.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

#include "base/number.h"

#define DAYS_PER_ERA	 146097 /* 400 years */
#define DAYS_BEFORE_1970 719468 /* since 0000-03-01 */
#define MS_PER_DAY	 86400000ll

struct date {
	int64_t year;
	int month, day;
};

static int64_t divide_down(int64_t a, int64_t b)
{
	return a / b - (a % b < 0);
}

static int64_t days_of(struct date date)
{
	int64_t year = date.month > 2 ? date.year : date.year - 1;
	int64_t era = divide_down(year, 400);
	int64_t of_era = year - era * 400;
	int64_t month = (date.month + 9) % 12;
	int64_t of_year = (153 * month + 2) / 5 + date.day - 1;

	return era * DAYS_PER_ERA + of_era * 365 + of_era / 4 - of_era / 100 + of_year -
	       DAYS_BEFORE_1970;
}

static struct date date_of(int64_t days)
{
	int64_t since = days + DAYS_BEFORE_1970;
	int64_t era = divide_down(since, DAYS_PER_ERA);
	int64_t left = since - era * DAYS_PER_ERA;
	int64_t year = (left - left / 1460 + left / 36524 - left / 146096) / 365;
	int64_t of_year = left - (365 * year + year / 4 - year / 100);
	int64_t month = (5 * of_year + 2) / 153;
	struct date date = {.year = era * 400 + year,
			    .month = (int)(month < 10 ? month + 3 : month - 9),
			    .day = (int)(of_year - (153 * month + 2) / 5 + 1)};

	date.year += date.month <= 2;
	return date;
}

void timestamp_print(int64_t ms, char text[TIMESTAMP_ROOM])
{
	int64_t days = divide_down(ms, MS_PER_DAY);
	unsigned left = (unsigned)(ms - days * MS_PER_DAY);
	struct date date = date_of(days);

	snprintf(text, TIMESTAMP_ROOM, "%04u-%02u-%02uT%02u:%02u:%02u.%03uZ",
		 (unsigned)date.year % 10000, (unsigned)date.month % 100,
		 (unsigned)date.day % 100, left / 3600000 % 24, left / 60000 % 60,
		 left / 1000 % 60, left % 1000);
}

/* `len` digits and then the character `then`, all of it taken off *at. */
static bool take_digits(const char **at, int len, char then, int *ret)
{
	int v = 0;

	for (int i = 0; i < len; i++) {
		char c = *(*at)++;

		if (c < '0' || c > '9')
			return false;
		v = v * 10 + (c - '0');
	}
	*ret = v;
	return !then || *(*at)++ == then;
}

/* Finer than a millisecond is an error, not a rounding. */
static bool take_fraction(const char **at, int *ret_ms)
{
	const char *digit = *at + 1;
	int scale = 100;

	*ret_ms = 0;
	if (**at != '.')
		return true;
	for (; *digit >= '0' && *digit <= '9' && scale; digit++, scale /= 10)
		*ret_ms += (*digit - '0') * scale;
	*at = digit;
	return scale < 100;
}

static bool take_zone(const char **at, int *ret_minutes)
{
	char sign = *(*at)++;
	int hours, minutes;

	*ret_minutes = 0;
	if (sign == 'Z' || sign == 'z')
		return true;
	if (sign != '+' && sign != '-')
		return false;
	if (!take_digits(at, 2, ':', &hours) || !take_digits(at, 2, 0, &minutes))
		return false;
	*ret_minutes = (hours * 60 + minutes) * (sign == '-' ? -1 : 1);
	return hours < 24 && minutes < 60;
}

static int parse_whole_ms(const char *text, int64_t *ret_ms)
{
	bool negative = *text == '-';
	uint64_t ms;
	enum number_error e;

	e = number_parse_u64(text + negative, 0, (uint64_t)TIMESTAMP_MOST_MS, &ms);
	if (e == NUMBER_HIGH)
		return -ERANGE;
	if (e != NUMBER_OK)
		return -EINVAL;
	*ret_ms = negative ? -(int64_t)ms : (int64_t)ms;
	return 0;
}

int timestamp_parse(const char *text, int64_t *ret_ms)
{
	int year, month, day, hour, minute, second, ms, zone;
	struct date date, again;

	if (!strchr(text, ':'))
		return parse_whole_ms(text, ret_ms);
	if (!take_digits(&text, 4, '-', &year) || !take_digits(&text, 2, '-', &month) ||
	    !take_digits(&text, 2, 'T', &day) || !take_digits(&text, 2, ':', &hour) ||
	    !take_digits(&text, 2, ':', &minute) || !take_digits(&text, 2, 0, &second) ||
	    !take_fraction(&text, &ms) || !take_zone(&text, &zone) || *text)
		return -EINVAL;
	date = (struct date){.year = year, .month = month, .day = day};
	if (month < 1 || month > 12 || day < 1 || hour > 23 || minute > 59 || second > 59)
		return -ERANGE;
	/* February 30th comes back as another day. */
	again = date_of(days_of(date));
	if (again.day != day || again.month != month)
		return -ERANGE;
	*ret_ms = days_of(date) * MS_PER_DAY +
		  ((int64_t)(hour * 60 + minute - zone) * 60 + second) * 1000 + ms;
	return 0;
}
