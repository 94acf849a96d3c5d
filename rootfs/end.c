/* SPDX-License-Identifier: MIT */
/*
 * One line on fd 2 and exit_group. fd 2 is captured and bounded by the host; that the
 * line cannot be written changes nothing.
 */
#include <string.h>
#include <unistd.h>

#include "rootfs/end.h"

static const char *end_text(enum end_code code)
{
	switch (code) {
#define X(id, status, text) \
	case END_##id:      \
		return text;
		END_CODES(X)
#undef X
	}
	return "";
}

static void end_say(const char *text)
{
	ssize_t written = write(STDERR_FILENO, text, strlen(text));

	(void)written;
}

void end_because(enum end_code code, const char *why)
{
	if (code != END_DONE) {
		end_say("quod-js: ");
		end_say(end_text(code));
		end_say(*why ? ": " : "");
		end_say(why);
		end_say("\n");
	}
	_exit(code);
}

void end_now(enum end_code code)
{
	end_because(code, "");
}
