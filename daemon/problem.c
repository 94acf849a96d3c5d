/* SPDX-License-Identifier: MIT */
/* The body of a refusal. Words of the client may be in it, and JSON takes care of them. */
#include "daemon/problem.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>

#include "base/own.h"
#include "supervisor/json.h"

static const struct {
	unsigned status;
	const char *title;
} titles[] = {
#define X(status, title) {status, title},
	PROBLEMS(X)
#undef X
};

int problem_set(struct problem *problem, unsigned status, const char *where,
		const char *format, ...)
{
	va_list args;

	*problem = (struct problem){.status = status};
	va_start(args, format);
	vsnprintf(problem->detail, sizeof(problem->detail), format, args);
	va_end(args);
	if (where)
		snprintf(problem->where, sizeof(problem->where), "%s", where);
	return -EINVAL;
}

static const char *title_of(unsigned status)
{
	for (size_t i = 0; i < ARRAY_LEN(titles); i++)
		if (titles[i].status == status)
			return titles[i].title;
	return NULL;
}

void problem_write(const struct problem *problem, struct text *to)
{
	text_add_str(to, "{\"type\":\"about:blank\",\"title\":");
	json_add_str(to, title_of(problem->status));
	text_addf(to, ",\"status\":%u,\"detail\":", problem->status);
	json_add_str(to, problem->detail);
	text_add_str(to, ",\"where\":");
	json_add_str(to, problem->where[0] ? problem->where : NULL);
	text_add_str(to, "}\n");
}
