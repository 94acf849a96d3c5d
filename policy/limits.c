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
	const char *name;
};

/* The largest step that divides the value: nothing is rounded. */
static void print_stepped(uint64_t value, const struct unit_step *step, char *text)
{
	while (step->size > 1 && (value == 0 || value % step->size != 0))
		step++;
	snprintf(text, LIMIT_TEXT_MOST, "%" PRIu64 " %s", value / step->size, step->name);
}

void limits_print(enum limit_id id, uint64_t value, char text[LIMIT_TEXT_MOST])
{
	static const struct unit_step times[] = {{1000, "s"}, {1, "ms"}};
	static const struct unit_step sizes[] = {
		{LIMITS_MIB, "MiB"}, {LIMITS_KIB, "KiB"}, {1, "bytes"}};

	switch (limit_infos[id].unit) {
	case LIMIT_UNIT_DURATION:
		print_stepped(value, times, text);
		return;
	case LIMIT_UNIT_SIZE:
		print_stepped(value, sizes, text);
		return;
	case LIMIT_UNIT_PERCENT:
		snprintf(text, LIMIT_TEXT_MOST, "%" PRIu64 " %%", value);
		return;
	case LIMIT_UNIT_COUNT:
		break;
	}
	snprintf(text, LIMIT_TEXT_MOST, "%" PRIu64, value);
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
