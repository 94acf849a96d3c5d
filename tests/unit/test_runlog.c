/* SPDX-License-Identifier: MIT */
/* The limits of the log. */
#include <criterion/criterion.h>
#include <string.h>

#include "supervisor/runlog.h"

static bool add(struct runlog *log, const char *text, bool cut)
{
	const struct log_line *line;

	cr_assert_eq(runlog_add(log, LOG_LOG, text, strlen(text), cut, 0, &line), 0);
	return line != NULL;
}

Test(runlog, lines_are_counted)
{
	struct runlog log;

	runlog_init(&log, 100, 2);
	cr_expect(add(&log, "", false));
	cr_expect(add(&log, "b", false));
	cr_expect_not(log.truncated);
	cr_expect_not(add(&log, "c", false));
	cr_expect(log.truncated);
	cr_expect_eq(log.count, 2);
	runlog_free(&log);
}

Test(runlog, the_first_part_is_kept)
{
	struct runlog log;

	runlog_init(&log, 6, 10);
	cr_expect(add(&log, "abcd", false));
	cr_expect(add(&log, "\xc3\xa9\xc3\xa9", false));
	cr_expect(log.truncated);
	cr_expect_eq(log.lines[1].len, 2);
	cr_expect_eq(memcmp(runlog_text(&log, &log.lines[0]), "abcd\xc3\xa9", 6), 0);
	cr_expect_not(add(&log, "x", false));
	runlog_free(&log);
}

Test(runlog, a_full_log_is_not_yet_too_full)
{
	struct runlog log;

	runlog_init(&log, 4, 10);
	cr_expect(add(&log, "abcd", false));
	cr_expect_not(log.truncated);
	runlog_free(&log);
	runlog_init(&log, 4, 10);
	cr_expect(add(&log, "abcd", true));
	cr_expect(log.truncated, "the guest kept something back");
	runlog_free(&log);
}

Test(runlog, a_character_that_does_not_fit_leaves_no_empty_line)
{
	struct runlog log;

	runlog_init(&log, 5, 10);
	cr_expect(add(&log, "abcd", false));
	cr_expect_not(add(&log, "\xc3\xa9", false));
	cr_expect(log.truncated);
	cr_expect_eq(log.count, 1);
	runlog_free(&log);
}
