/* SPDX-License-Identifier: MIT */
/* One parser for each kind, and the units in which a message gives a range. */
#include "daemon/terms.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "base/number.h"

const struct term_info setting_infos[SETTING_IDS] = {
#define X(id, section, key, kind, least, most, otherwise) \
	[SETTING_##id] = {section, key, TERM_##kind, least, most, otherwise},
	SETTINGS_TABLE(X)
#undef X
};

const struct term_info term_infos[TERM_IDS] = {
#define X(id, key, kind, least, most, otherwise) \
	[TERM_##id] = {"Tenant", key, TERM_##kind, least, most, otherwise},
	TERMS_TABLE(X)
#undef X
};

void settings_init(struct settings *settings)
{
	for (int i = 0; i < SETTING_IDS; i++)
		settings->value[i] = setting_infos[i].otherwise;
}

void terms_init(struct terms *terms)
{
	for (int i = 0; i < TERM_IDS; i++)
		terms->value[i] = term_infos[i].otherwise;
}

static const char *const units[] = {
	[TERM_COUNT] = "", [TERM_DURATION] = "ms", [TERM_SIZE] = " bytes"};

/* As systemd has it. */
static bool parse_switch(const char *text, uint64_t *ret_value)
{
	static const char *const words[2][3] = {{"no", "false", "off"},
						{"yes", "true", "on"}};

	for (unsigned i = 0; i < 2; i++)
		for (unsigned k = 0; k < 3; k++)
			if (!strcmp(words[i][k], text)) {
				*ret_value = i;
				return true;
			}
	return false;
}

const char *term_parse(const struct term_info *info, const char *text,
		       uint64_t *ret_value, char range[TERM_RANGE_ROOM])
{
	enum number_error e = NUMBER_OK;

	range[0] = '\0';
	switch (info->kind) {
	case TERM_COUNT:
		e = number_parse_u64(text, info->least, info->most, ret_value);
		break;
	case TERM_DURATION:
		e = number_parse_duration_ms(text, info->least, info->most, ret_value);
		break;
	case TERM_SIZE:
		e = number_parse_size(text, info->least, info->most, ret_value);
		break;
	case TERM_SWITCH:
		return parse_switch(text, ret_value) ? NULL : "is neither yes nor no";
	}
	if (e == NUMBER_LOW || e == NUMBER_HIGH)
		snprintf(range, TERM_RANGE_ROOM, " (from %" PRIu64 "%s to %" PRIu64 "%s)",
			 info->least, units[info->kind], info->most, units[info->kind]);
	return e ? number_error_text(e) : NULL;
}
