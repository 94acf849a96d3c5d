/* SPDX-License-Identifier: MIT */
/*
 * One error, filled once, where it happens. Used on both sides of clone, so it formats
 * into the caller's fixed buffer and allocates nothing.
 */
#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "jail/internal.h"

static const char *const stage_names[JAIL_STAGES_COUNT] = {
#define X(name, text) [JAIL_STAGE_##name] = text,
	JAIL_STAGES(X)
#undef X
};

JAIL_API const char *jail_stage_name(int stage)
{
	if (stage < 0 || stage >= JAIL_STAGES_COUNT)
		return "unknown";
	return stage_names[stage];
}

/* vsnprintf at an offset: returns the new offset, never past the last byte. */
static size_t append(char *to, size_t size, size_t at, const char *format, ...)
	__attribute__((format(printf, 4, 5)));

static size_t append(char *to, size_t size, size_t at, const char *format, ...)
{
	va_list args;

	va_start(args, format);
	int n = vsnprintf(to + at, size - at, format, args);
	va_end(args);
	if (n < 0)
		return at;
	return (size_t)n >= size - at ? size - 1 : at + (size_t)n;
}

int jail_fail(struct jail_error *err, enum jail_stage stage, int errnum,
	      const char *format, ...)
{
	const char *remedy = jail_remedy(stage, errnum);
	va_list args;

	if (!err)
		return -errnum;
	err->stage = (int32_t)stage;
	err->errnum = errnum;
	va_start(args, format);
	int n = vsnprintf(err->text, sizeof(err->text), format, args);
	va_end(args);
	size_t at = n < 0 ? 0 : (size_t)n;
	if (at >= sizeof(err->text))
		at = sizeof(err->text) - 1;
	at = append(err->text, sizeof(err->text), at, ": %s", strerror(errnum));
	if (remedy)
		append(err->text, sizeof(err->text), at, " (%s)", remedy);
	return -errnum;
}
