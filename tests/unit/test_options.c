/* SPDX-License-Identifier: MIT */
/* The option parser, and what a job may do to the limits of its policy. */
#include <criterion/criterion.h>
#include <errno.h>
#include <string.h>

#include "base/own.h"
#include "supervisor/policy_args.h"

struct args {
	const char *code, *timeout;
	bool verdict, quiet;
};

static const struct option table[] = {
	{'e', "eval", "CODE", "source", offsetof(struct args, code)},
	{0, "timeout", "DUR", "time", offsetof(struct args, timeout)},
	{'v', "verdict", NULL, "judge", offsetof(struct args, verdict)},
	{'q', NULL, NULL, "say less", offsetof(struct args, quiet)},
};

struct parsed {
	int r, rest;
	struct args args;
	struct usage usage;
	char *argv[8];
};

/* Words separated by one space each. */
static void parse(struct parsed *p, const char *line, bool strict)
{
	static char words[256];
	int argc = 0;

	*p = (struct parsed){0};
	strcpy(words, line);
	for (char *word = strtok(words, " "); word; word = strtok(NULL, " "))
		p->argv[argc++] = word;
	p->r = options_parse(table, ARRAY_LEN(table), strict, argc, p->argv, &p->args,
			     &p->rest, &p->usage);
}

Test(options, every_spelling)
{
	static const char *const lines[] = {
		"--eval x --verdict file",
		"--eval=x file --verdict",
		"-e x -v file",
		"-ex -v -- file",
		"-vex file",
	};
	struct parsed p;

	for (size_t i = 0; i < ARRAY_LEN(lines); i++) {
		parse(&p, lines[i], false);
		cr_assert_eq(p.r, 0, "%s: %s", lines[i], p.usage.text);
		cr_expect_str_eq(p.args.code, "x");
		cr_expect(p.args.verdict, "%s", lines[i]);
		cr_expect_eq(p.rest, 1);
		cr_expect_str_eq(p.argv[0], "file");
	}
}

Test(options, a_value_may_look_like_an_option)
{
	struct parsed p;

	parse(&p, "--timeout -5 - -e --verdict", false);
	cr_assert_eq(p.r, 0);
	cr_expect_str_eq(p.args.timeout, "-5");
	cr_expect_str_eq(p.args.code, "--verdict");
	cr_expect_not(p.args.verdict);
	cr_expect_str_eq(p.argv[0], "-");
}

Test(options, strict_stops_at_the_first_word)
{
	struct parsed p;

	parse(&p, "-v prog -e x", true);
	cr_assert_eq(p.r, 0);
	cr_expect_eq(p.rest, 3);
	cr_expect_null(p.args.code);
	parse(&p, "-v -- -prog -e", true);
	cr_expect_eq(p.rest, 2);
	cr_expect_str_eq(p.argv[0], "-prog");
}

Test(options, mistakes_are_named)
{
	static const struct {
		const char *line, *says;
	} cases[] = {
		{"--timout 5s", "did you mean --timeout?"},
		{"--frobnicate", "unknown option '--frobnicate'"},
		{"-x", "unknown option '-x'"},
		{"--eval", "--eval needs a value"},
		{"-v --verdict", "--verdict is given twice"},
		{"-q -q", "-q is given twice"},
		{"--verdict=yes", "--verdict takes no value"},
	};
	struct parsed p;

	for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
		parse(&p, cases[i].line, false);
		cr_expect_eq(p.r, -EINVAL, "%s", cases[i].line);
		cr_expect_not_null(strstr(p.usage.text, cases[i].says), "%s: %s",
				   cases[i].line, p.usage.text);
	}
}

Test(options, help_has_every_row)
{
	own_text struct text help = TEXT_INIT(10000);

	options_help(table, ARRAY_LEN(table), &help);
	cr_expect_not_null(strstr(text_str(&help), "-e, --eval CODE"));
	cr_expect_not_null(strstr(text_str(&help), "    --timeout DUR"));
	cr_expect_not_null(strstr(text_str(&help), "-q "));
}

Test(policy_args, limits_only_go_down)
{
	struct policy_args args = {
		.policy = "verify", .timeout = "200ms", .memory = "8M"};
	const struct policy *policy;
	struct limits limits;
	struct usage usage;

	cr_assert_eq(policy_args_resolve(&args, &policy, &limits, &usage), 0);
	cr_expect_str_eq(policy->name, "verify");
	cr_expect_eq(limits.value[LIMIT_ID_wall_ms], 200);
	cr_expect_eq(limits.value[LIMIT_ID_cpu_ms], 200, "CPU time follows wall time");
	cr_expect_eq(limits.value[LIMIT_ID_memory_bytes], 8 * LIMITS_MIB);
	cr_expect_eq(policy->limits.value[LIMIT_ID_wall_ms], 5000,
		     "the policy is untouched");
}

Test(policy_args, what_is_wrong_is_said)
{
	static const struct {
		struct policy_args args;
		const char *says;
	} cases[] = {
		{{.timeout = "6s"}, "policy 'default' allows at most 5 s of wall time"},
		{{.memory = "33M"}, "allows at most 32 MiB of memory"},
		{{.memory = "4K"}, "the least memory is 1 MiB"},
		{{.timeout = "0"}, "the least wall time is 1 ms"},
		{{.timeout = "6"}, "policy 'default' allows at most 5 s of wall time"},
		{{.timeout = "5x"},
		 "missing or unknown unit; it is written like 500ms, "
		 "5s or 5 (seconds)"},
		{{.timeout = "99999999999999999999s"}, "--timeout"},
		{{.policy = "vrify"}, "did you mean verify?"},
		{{.policy = "../verify"}, "../verify: cannot be read: No such file"},
		{{.policy = "a b"}, "cannot be a policy's name"},
		{{.policy = "zzzzzzzzzz"}, "no policy is called"},
	};

	for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
		const struct policy *policy;
		struct limits limits;
		struct usage usage;

		cr_expect_lt(
			policy_args_resolve(&cases[i].args, &policy, &limits, &usage), 0);
		cr_expect_not_null(strstr(usage.text, cases[i].says), "%s", usage.text);
	}
}
