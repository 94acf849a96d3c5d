/* SPDX-License-Identifier: MIT */
/* The sentence is made here; it lives as long as the call that tells it. */
#include "policy/report.h"

#include <stdarg.h>
#include <stdio.h>

static void tell(const struct policy_report *report, const char *file,
		 struct ini_place place, bool warning, const char *format, va_list args)
	__attribute__((format(printf, 5, 0)));

static void tell(const struct policy_report *report, const char *file,
		 struct ini_place place, bool warning, const char *format, va_list args)
{
	char text[400];
	const struct policy_fault fault = {
		.file = file, .place = place, .warning = warning, .text = text};

	vsnprintf(text, sizeof(text), format, args);
	report->say(report->context, &fault);
}

int report_fault(struct policy_report *report, int r, const char *file,
		 struct ini_place place, const char *format, ...)
{
	va_list args;

	if (report->faults++ == 0)
		report->error = r;
	va_start(args, format);
	tell(report, file, place, false, format, args);
	va_end(args);
	return r;
}

void report_warning(struct policy_report *report, const char *file,
		    struct ini_place place, const char *format, ...)
{
	va_list args;

	if (report->faults_only)
		return;
	va_start(args, format);
	tell(report, file, place, true, format, args);
	va_end(args);
}

void report_spell(const struct policy_fault *fault, char *text, size_t size)
{
	const char *warning = fault->warning ? "warning: " : "";

	if (!fault->file)
		snprintf(text, size, "%s%s", warning, fault->text);
	else if (fault->place.line)
		snprintf(text, size, "%.200s:%u:%u: %s%s", fault->file, fault->place.line,
			 fault->place.column, warning, fault->text);
	else
		snprintf(text, size, "%.200s: %s%s", fault->file, warning, fault->text);
}
