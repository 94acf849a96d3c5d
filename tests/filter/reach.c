/* SPDX-License-Identifier: MIT */
/*
 * Which system calls get through, tried: every number from 0 to 1023, of the native ABI,
 * of i386 (int 0x80) and of x32, under both filters of `quod exec`, under the
 * interpreter's outer filter, and under its inner one as well; a jail for each, so that
 * nothing hides behind a death. Where a rule looks at an argument, that is tried too. What
 * came of it must be what stands in reachable.txt.
 *
 *	reach		compares and speaks TAP
 *	reach print	prints the table as it is
 *
 * A kernel may lack what the filter of `quod exec` allows (rseq), and a container's
 * filter may answer for it: where ENOSYS comes instead of a listed `allowed`, the same is
 * tried with no filter of ours. If that gives ENOSYS too the line stands; who then vouches
 * for it is tests/filter/proof alone, and that is said.
 *
 * A jail costs milliseconds, and a filter does not look at who makes a call: other modes
 * than the caller's, and QUOD_REACH=sample, try what is listed and each 32nd number.
 */
#include <fcntl.h>
#include <seccomp.h>
#include <stdio.h>
#include <string.h>

#include "base/file.h"
#include "base/own.h"
#include "base/text.h"
#include "policy/syscalls.h"
#include "tests/escape/harness.h"
#include "tests/filter/probe.h"

#define NUMBERS	    1024
#define SAMPLE_STEP 32
#define TEXT_MOST   (1u << 20)
#define SHOWN_MOST  40

/* One wall and one ABI. */
struct group {
	const struct wall *wall;
	const struct abi *abi;
	bool sample;
	struct text listed, found; /* lines, a newline before the first */
	unsigned tried, count[ANSWERS];
};

/* --- lines ------------------------------------------------------------------------ */

/* "exec native 9 mmap[2=0x4] ENOSYS" */
static void add_line(struct text *to, const struct probe *probe, enum answer answer)
{
	own_free char *name = seccomp_syscall_resolve_num_arch(
		probe->abi->arch, probe->abi->first + probe->number);

	text_addf(to, "%s %s %d %s", probe->wall->name, probe->abi->name, probe->number,
		  name ? name : "-");
	if (probe->with_argument)
		text_addf(to, "[%u=0x%llx]", probe->argument,
			  (unsigned long long)probe->value);
	text_addf(to, " %s\n", answer_name(answer));
}

/* Takes from the table the lines of the group. */
static void pick_listed(struct group *group, const char *table)
{
	char start[64];

	snprintf(start, sizeof(start), "%s %s ", group->wall->name, group->abi->name);
	for (const char *at = table, *end; (end = strchr(at, '\n')); at = end + 1)
		if (strncmp(at, start, strlen(start)) == 0)
			text_add(&group->listed, at, (size_t)(end + 1 - at));
}

static bool is_listed(const struct group *group, int number)
{
	char start[64];

	snprintf(start, sizeof(start), "\n%s %s %d ", group->wall->name, group->abi->name,
		 number);
	return strstr(text_str(&group->listed), start) != NULL;
}

static bool is_listed_as(const struct group *group, const struct probe *probe,
			 enum answer answer)
{
	own_text struct text line = TEXT_INIT(256);

	text_add_char(&line, '\n');
	add_line(&line, probe, answer);
	return strstr(text_str(&group->listed), text_str(&line)) != NULL;
}

/* Those lines that `other` lacks; returns how many. */
static unsigned show_missing(const struct text *lines, const struct text *other,
			     const char *sign)
{
	unsigned missing = 0;

	for (const char *at = text_str(lines), *end; (end = strchr(at + 1, '\n'));
	     at = end) {
		own_free char *line = strndup(at, (size_t)(end + 1 - at));

		if (line && strstr(text_str(other), line))
			continue;
		if (missing++ < SHOWN_MOST)
			note("%s%.*s", sign, (int)(end - at - 1), at + 1);
	}
	return missing;
}

/* --- the sweep -------------------------------------------------------------------- */

static enum answer try(struct group *group, const struct probe *probe)
{
	enum answer answer = probe_try(probe);

	if (answer == NO_SYSCALL && is_listed_as(group, probe, ALLOWED) &&
	    probe_is_absent(probe)) {
		note("%s %d is allowed, but there is no such call here",
		     probe->wall->name, probe->number);
		answer = ALLOWED;
	}
	group->tried++;
	group->count[answer]++;
	return answer;
}

static void try_number(struct group *group, int number)
{
	const struct probe probe = {
		.wall = group->wall, .abi = group->abi, .number = number};
	enum answer answer = try(group, &probe);

	if (answer != UNSEEN && answer != probe_usual(group->wall, group->abi))
		add_line(&group->found, &probe, answer);
}

static void try_argument(struct group *group, int number, unsigned argument,
			 uint64_t value)
{
	const struct probe probe = {.wall = group->wall,
				    .abi = group->abi,
				    .number = number,
				    .with_argument = true,
				    .argument = argument,
				    .value = value};

	if (value != 0) /* that has been tried with the number alone */
		add_line(&group->found, &probe, try(group, &probe));
}

/* What a rule wants of an argument, one bit off, and the same in the low half with
 * something in the high one. */
static void try_condition(struct group *group, int number,
			  const struct syscall_condition *when)
{
	try_argument(group, number, when->arg, when->value);
	try_argument(group, number, when->arg, when->value ^ (when->mask & -when->mask));
	try_argument(group, number, when->arg, when->value | 1ull << 32);
}

static void try_conditions(struct group *group, int number)
{
	for (unsigned i = 0; i < syscall_rules_count; i++) {
		const struct syscall_rule *rule = &syscall_rules[i];

		if (!(rule->in & (1u << group->wall->rules)) ||
		    seccomp_syscall_resolve_name(rule->name) != number)
			continue;
		for (unsigned j = 0; j < rule->conditions; j++)
			try_condition(group, number, &rule->when[j]);
	}
}

static void try_group(struct group *group)
{
	text_addf(&group->found, "%s %s 0..%d %s\n", group->wall->name, group->abi->name,
		  NUMBERS - 1, answer_name(probe_usual(group->wall, group->abi)));
	for (int number = 0; number < NUMBERS; number++) {
		if (group->sample && number % SAMPLE_STEP != 0 &&
		    !is_listed(group, number))
			continue;
		try_number(group, number);
		if (group->abi == &abis[0])
			try_conditions(group, number);
	}
}

/* --- the table -------------------------------------------------------------------- */

static bool compare_group(const struct group *group)
{
	unsigned missing = show_missing(&group->listed, &group->found, "-");
	unsigned added = show_missing(&group->found, &group->listed, "+");

	if (group->count[UNSEEN])
		note("%u that this kernel shows to no filter, and refuses itself",
		     group->count[UNSEEN]);
	return check(missing == 0 && added == 0 && group->count[BROKEN] == 0,
		     "%s, %s: %u tried%s: %u allowed, %u ENOSYS, %u killed, as listed",
		     group->wall->name, group->abi->name, group->tried,
		     group->sample ? " (a sample)" : "", group->count[ALLOWED],
		     group->count[NO_SYSCALL], group->count[KILLED]);
}

/* Without a table it prints. */
static bool do_group(struct group *group, const char *table)
{
	bool passed = true;

	text_add_char(&group->listed, '\n');
	text_add_char(&group->found, '\n');
	if (table)
		pick_listed(group, table);
	try_group(group);
	if (table)
		passed = compare_group(group);
	else
		fputs(text_str(&group->found) + 1, stdout);
	text_free(&group->listed);
	text_free(&group->found);
	return passed;
}

static void do_all(const char *table, bool sample)
{
	bool passed = true;

	for (unsigned wall = 0; wall < walls_count; wall++)
		for (unsigned abi = 0; abi < abis_count; abi++) {
			struct group group = {.wall = &walls[wall],
					      .abi = &abis[abi],
					      .sample = sample,
					      .listed = TEXT_INIT(TEXT_MOST),
					      .found = TEXT_INIT(TEXT_MOST)};

			passed = do_group(&group, table) && passed;
		}
	if (!passed)
		note("- is listed, + was found; if that is meant, let the output of\n"
		     "`tests/filter/reach print` be tests/filter/reachable.txt");
}

static void print_head(void)
{
	puts("# SPDX-License-Identifier: MIT\n"
	     "# Which system calls get through, as `tests/filter/reach print` found by trying:\n"
	     "# WALL ABI NUMBER NAME ANSWER. The first line of a wall and an ABI says how all are\n"
	     "# answered, the others what is answered otherwise. All arguments are 0 but those\n"
	     "# in [ARGUMENT=VALUE].\n"
	     "# exec: `quod exec`; tasks: the same where a policy allows more processes.\n"
	     "# js: quod-js before it reads a job; inner: from then on.\n"
	     "# Left out: 335 (uretprobe) and 336 (uprobe), which newer kernels show to no\n"
	     "# filter, and refuse themselves.");
}

static bool wants_sample(void)
{
	const char *mode = getenv("QUOD_TEST_MODE"), *reach = getenv("QUOD_REACH");

	return (mode && strcmp(mode, "caller") != 0) ||
	       (reach && strcmp(reach, "sample") == 0);
}

static char *read_table(void)
{
	const char *source = getenv("QUOD_TEST_SOURCE");
	own_text struct text path = TEXT_INIT(4096);
	char *table = NULL;
	size_t len;

	text_addf(&path, "%s/tests/filter/reachable.txt", source ? source : ".");
	if (file_read_at(AT_FDCWD, text_str(&path), TEXT_MOST, &table, &len) < 0)
		return NULL;
	return table;
}

int main(int argc, char **argv)
{
	own_free char *table = NULL;

	probe_init();
	if (argc == 2 && strcmp(argv[1], "print") == 0) {
		print_head();
		do_all(NULL, false);
		return 0;
	}
	if (seccomp_arch_native() != SCMP_ARCH_X86_64) {
		skip("reachable.txt", "it lists the numbers of x86-64");
		return tap_end();
	}
	table = read_table();
	if (check(table != NULL, "there is a table to compare with"))
		do_all(table, wants_sample());
	return tap_end();
}
