/* SPDX-License-Identifier: MIT */
/*
 * Any string, through every number parser. What is accepted must be in range, must start
 * and end as a number does, and must print back to the digits it came from.
 */
#include <inttypes.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/number.h"
#include "base/own.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t len);

static void must(int holds)
{
	if (!holds)
		abort();
}

static void check_plain(const char *text)
{
	uint64_t value = 0;
	char again[32];

	if (number_parse_u64(text, 3, UINT64_MAX, &value) != NUMBER_OK)
		return;
	must(value >= 3);
	snprintf(again, sizeof(again), "%" PRIu64, value);
	must(strcmp(again, text) == 0);
}

/* With a unit the value is the digits times something: never less than the digits. */
static void check_scaled(const char *text, uint64_t value)
{
	must(text[0] >= '0' && text[0] <= '9');
	must(strspn(text, "0123456789msKMGiBh%") == strlen(text));
	must(value >= strtoull(text, NULL, 10));
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t len)
{
	own_free char *text = malloc(len + 1);
	uint64_t value;
	uint32_t narrow;

	if (!text)
		return 0;
	memcpy(text, data, len);
	text[len] = '\0';
	check_plain(text);
	if (number_parse_u32(text, 0, 1000, &narrow) == NUMBER_OK)
		must(narrow <= 1000);
	if (number_parse_duration_ms(text, 0, UINT64_MAX, &value) == NUMBER_OK)
		check_scaled(text, value);
	if (number_parse_size(text, 0, UINT64_MAX, &value) == NUMBER_OK)
		check_scaled(text, value);
	if (number_parse_percent(text, 0, UINT32_MAX, &narrow) == NUMBER_OK)
		check_scaled(text, narrow);
	return 0;
}
