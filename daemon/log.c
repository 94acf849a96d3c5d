/* SPDX-License-Identifier: MIT */
/*
 * One write for one line, so that the lines of both processes do not mix. What cannot be
 * written is lost: a log must not stop a daemon.
 */
#include "daemon/log.h"

#include <stdarg.h>
#include <string.h>
#include <unistd.h>

#include "base/text.h"

#define LINE_MOST 2048u

static const char *who;

void log_name(const char *name)
{
	who = name;
}

void log_say(const char *format, ...)
{
	own_text struct text said = TEXT_INIT(LINE_MOST), line = TEXT_INIT(8 * LINE_MOST);
	va_list args;

	va_start(args, format);
	text_addv(&said, format, args);
	va_end(args);
	text_addf(&line, "quodd%s%s: ", who ? " " : "", who ? who : "");
	text_add_escaped(&line, text_str(&said), said.len, 0);
	text_add_char(&line, '\n');
	if (write(STDERR_FILENO, text_str(&line), line.len) < 0)
		return;
}
