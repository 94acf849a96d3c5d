/* SPDX-License-Identifier: MIT */
/*
 * The table of limits made into data, and the only door through which a job changes one.
 */
#include "policy/limits.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>

const struct limit_info limit_infos[LIMIT_IDS] = {
#define X(id, unit, least, most, key, what) \
	[LIMIT_ID_##id] = {#id, key, what, LIMIT_UNIT_##unit, least, most},
	LIMITS_TABLE(X)
#undef X
};

struct unit_step {
	uint64_t size;
	const char *shown, *written;
};

/* The largest step that divides the value: nothing is rounded. */
static const struct unit_step *step_of(enum limit_id id, uint64_t value)
{
	static const struct unit_step times[] = {{1000, " s", "s"}, {1, " ms", "ms"}};
	static const struct unit_step sizes[] = {
		{LIMITS_MIB, " MiB", "M"}, {LIMITS_KIB, " KiB", "K"}, {1, " bytes", ""}};
	static const struct unit_step percent = {1, " %", "%"}, plain = {1, "", ""};
	const struct unit_step *step = &plain;

	switch (limit_infos[id].unit) {
	case LIMIT_UNIT_DURATION:
		step = times;
		break;
	case LIMIT_UNIT_SIZE:
		step = sizes;
		break;
	case LIMIT_UNIT_PERCENT:
		return &percent;
	case LIMIT_UNIT_COUNT:
		return &plain;
	}
	while (step->size > 1 && (value == 0 || value % step->size != 0))
		step++;
	return step;
}

void limits_print(enum limit_id id, uint64_t value, char text[LIMIT_TEXT_MOST])
{
	const struct unit_step *step = step_of(id, value);

	snprintf(text, LIMIT_TEXT_MOST, "%" PRIu64 "%s", value / step->size, step->shown);
}

void limits_write(enum limit_id id, uint64_t value, char text[LIMIT_TEXT_MOST])
{
	const struct unit_step *step = step_of(id, value);

	snprintf(text, LIMIT_TEXT_MOST, "%" PRIu64 "%s", value / step->size,
		 step->written);
}

enum number_error limits_parse(enum limit_id id, const char *text, uint64_t *ret_value)
{
	uint64_t least = limit_infos[id].least, most = limit_infos[id].most;
	uint32_t percent;
	enum number_error e = NUMBER_SYNTAX;

	switch (limit_infos[id].unit) {
	case LIMIT_UNIT_DURATION:
		return number_parse_duration_ms(text, least, most, ret_value);
	case LIMIT_UNIT_SIZE:
		return number_parse_size(text, least, most, ret_value);
	case LIMIT_UNIT_COUNT:
		return number_parse_u64(text, least, most, ret_value);
	case LIMIT_UNIT_PERCENT:
		e = number_parse_percent(text, (uint32_t)least, (uint32_t)most, &percent);
		if (e == NUMBER_OK)
			*ret_value = percent;
		break;
	}
	return e;
}

int limits_lower(struct limits *limits, enum limit_id id, uint64_t value)
{
	uint64_t *v = limits->value;

	if (value < limit_infos[id].least || value > limit_infos[id].most)
		return -ERANGE;
	if (value > v[id])
		return -EPERM;
	v[id] = value;
	if (v[LIMIT_ID_cpu_ms] > v[LIMIT_ID_wall_ms])
		v[LIMIT_ID_cpu_ms] = v[LIMIT_ID_wall_ms];
	return 0;
}
