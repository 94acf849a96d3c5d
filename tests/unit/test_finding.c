/* SPDX-License-Identifier: MIT */
/* Rows of quod doctor: made of sentences, sent by a child that may be somebody else's. */
#include <criterion/criterion.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "base/own.h"
#include "supervisor/finding.h"
#include "supervisor/json.h"

static struct finding told(const char *sentence)
{
	struct finding finding = {.state = JAIL_PROBE_WORKS};

	finding_told(&finding, JAIL_PROBE_FAILS, sentence);
	return finding;
}

Test(finding, what_mends_it_stands_in_the_last_brackets)
{
	static const struct {
		const char *sentence, *found, *remedy;
	} cases[] = {
		{"no file", "no file", ""},
		{"no file (make one)", "no file", "make one"},
		{"no (such) file (make one (or two))", "no (such) file",
		 "make one (or two)"},
		{"refuses (403): not you", "refuses (403): not you", ""},
		{"(all of it)", "(all of it)", ""},
		{"unbalanced) (x))", "unbalanced) (x))", ""},
		{")", ")", ""},
		{"", "", ""},
	};

	for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
		struct finding finding = told(cases[i].sentence);

		cr_expect_eq(finding.state, JAIL_PROBE_FAILS);
		cr_expect_str_eq(finding.found, cases[i].found, "%s", cases[i].sentence);
		cr_expect_str_eq(finding.remedy, cases[i].remedy, "%s",
				 cases[i].sentence);
	}
}

Test(finding, a_row_of_somebody_else_is_sealed)
{
	own_text struct text json = TEXT_INIT(1u << 16);
	struct finding finding;
	bool valid = false;

	memset(&finding, 'x', sizeof(finding));
	finding_seal(&finding);
	cr_expect_eq(finding.state, JAIL_PROBE_FAILS);
	cr_expect_eq(strlen(finding.name), sizeof(finding.name) - 1);
	cr_expect_eq(strlen(finding.remedy), sizeof(finding.remedy) - 1);
	memset(finding.found, '\xff', 100);
	finding_write_json(&finding, &json);
	cr_expect_eq(text_status(&json), 0);
	json_check(text_str(&json), json.len, 0, &valid);
	cr_expect(valid);
}

static int memory_of(const void *bytes, size_t len)
{
	int fd = memfd_create("test", 0);

	cr_assert_geq(fd, 0);
	cr_assert_eq(write(fd, bytes, len), (ssize_t)len);
	cr_assert_eq(lseek(fd, 0, SEEK_SET), 0);
	return fd;
}

Test(finding, whole_rows_are_taken_and_sealed)
{
	struct finding rows[2] = {{.name = "a", .state = JAIL_PROBE_LESS}};
	own_free struct finding *taken = NULL;
	unsigned count = 0;

	memset(&rows[1], 'x', sizeof(rows[1]));
	own_fd int fd = memory_of(rows, sizeof(rows));
	cr_assert_eq(findings_read(fd, &taken, &count), 0);
	cr_expect_eq(count, 2);
	cr_expect_str_eq(taken[0].name, "a");
	cr_expect_eq(taken[1].state, JAIL_PROBE_FAILS);
	cr_expect_eq(taken[1].found[sizeof(taken[1].found) - 1], '\0');
}

Test(finding, nothing_is_no_rows)
{
	own_free struct finding *taken = NULL;
	unsigned count = 7;
	own_fd int fd = memory_of("", 0);

	cr_assert_eq(findings_read(fd, &taken, &count), 0);
	cr_expect_eq(count, 0);
	cr_expect_not_null(taken);
}

Test(finding, what_is_no_rows_is_refused)
{
	struct finding *taken = NULL;
	unsigned count = 0;
	const size_t most = (FINDING_ROWS_MOST + 1) * sizeof(struct finding);
	own_free char *bytes = calloc(1, most);
	own_fd int part = memory_of(bytes, sizeof(struct finding) - 1);
	own_fd int many = memory_of(bytes, most);

	cr_expect_eq(findings_read(part, &taken, &count), -EBADMSG);
	cr_expect_lt(findings_read(many, &taken, &count), 0);
	cr_expect_null(taken);
}
