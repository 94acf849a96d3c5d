/* SPDX-License-Identifier: MIT */
/* What a row is written with, sent as and shown as. */
#include "supervisor/finding.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/file.h"
#include "base/own.h"
#include "supervisor/json.h"

const char *const finding_state_names[JAIL_PROBE_FAILS + 1] = {
	[JAIL_PROBE_WORKS] = "works",
	[JAIL_PROBE_LESS] = "less",
	[JAIL_PROBE_FAILS] = "fails",
};

void finding_is(struct finding *finding, enum jail_probe_state state, const char *format,
		...)
{
	va_list args;

	finding->state = state;
	va_start(args, format);
	vsnprintf(finding->found, sizeof(finding->found), format, args);
	va_end(args);
}

void finding_mend(struct finding *finding, const char *format, ...)
{
	va_list args;

	va_start(args, format);
	vsnprintf(finding->remedy, sizeof(finding->remedy), format, args);
	va_end(args);
}

void finding_instead(struct finding *finding, const char *format, ...)
{
	va_list args;

	va_start(args, format);
	vsnprintf(finding->instead, sizeof(finding->instead), format, args);
	va_end(args);
}

/* Where the brackets that end the sentence begin; brackets may be in them. */
static size_t find_brackets(const char *sentence)
{
	size_t len = strlen(sentence), at = len;
	unsigned open = 0;

	if (!len || sentence[len - 1] != ')')
		return len;
	while (at--) {
		open += sentence[at] == ')';
		open -= sentence[at] == '(';
		if (!open)
			return at;
	}
	return len;
}

void finding_told(struct finding *finding, enum jail_probe_state state,
		  const char *sentence)
{
	size_t at = find_brackets(sentence), len = strlen(sentence);

	if (at == len || at == 0) {
		finding_is(finding, state, "%s", sentence);
		return;
	}
	finding_is(finding, state, "%.*s", (int)at - 1, sentence);
	finding_mend(finding, "%.*s", (int)(len - at - 2), sentence + at + 1);
}

#define END(string) ((string)[sizeof(string) - 1] = '\0')

void finding_seal(struct finding *finding)
{
	if ((unsigned)finding->state > JAIL_PROBE_FAILS)
		finding->state = JAIL_PROBE_FAILS;
	END(finding->name);
	END(finding->room);
	END(finding->tried);
	END(finding->found);
	END(finding->instead);
	END(finding->remedy);
}

static void add_member(struct text *to, const char *name, const char *value)
{
	text_addf(to, ",\"%s\":", name);
	json_add_str(to, value[0] ? value : NULL);
}

void finding_write_json(const struct finding *finding, struct text *to)
{
	text_add_str(to, "{\"name\":");
	json_add_str(to, finding->name);
	text_addf(to, ",\"state\":\"%s\"", finding_state_names[finding->state]);
	add_member(to, "room", finding->room);
	add_member(to, "tried", finding->tried);
	add_member(to, "found", finding->found);
	add_member(to, "instead", finding->instead);
	add_member(to, "remedy", finding->remedy);
	text_add_char(to, '}');
}

int findings_write(int fd, const struct finding *findings, unsigned count)
{
	return file_write_all(fd, (const char *)findings, count * sizeof(*findings));
}

int findings_read(int fd, struct finding **ret_findings, unsigned *ret_count)
{
	own_free char *bytes = NULL;
	own_free struct finding *findings = NULL;
	size_t len = 0, count;
	int r = file_read_fd(fd, FINDING_ROWS_MOST * sizeof(*findings), &bytes, &len);

	if (r < 0)
		return r;
	count = len / sizeof(*findings);
	if (count * sizeof(*findings) != len)
		return -EBADMSG;
	findings = calloc(count ? count : 1, sizeof(*findings));
	if (!findings)
		return -ENOMEM;
	memcpy(findings, bytes, len);
	for (size_t i = 0; i < count; i++)
		finding_seal(&findings[i]);
	*ret_findings = TAKE_PTR(findings);
	*ret_count = (unsigned)count;
	return 0;
}
