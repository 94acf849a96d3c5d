/* SPDX-License-Identifier: MIT */
/* What a policy file says that does nothing is warned of, at its place. */
#include <criterion/criterion.h>
#include <string.h>

#include "base/own.h"
#include "tests/unit/loaded.h"

Test(policy_warn, warnings)
{
	static const struct {
		const char *text, *says;
	} cases[] = {
		{"Match=global nobody\nMatch=global nobody",
		 "f:4:14: warning: rule 'x' looks for global nobody twice\n"},
		{"Match=signal unexamined",
		 "f:3:14: warning: rule 'x': the built-in rule "
		 "'unexamined' looks for signal unexamined too\n"},
		{"Match=global Nobody\n[Run]\nGlobals=Math",
		 "f:3:14: warning: rule 'x': Globals= takes 'Nobody' away"},
	};

	for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
		own_loaded struct loaded l;

		load_rule(&l, cases[i].text, cases[i].says);
		cr_expect_eq(l.report.faults, 0);
	}
}

Test(policy_warn, warnings_of_keys)
{
	static const struct {
		const char *text, *says;
	} cases[] = {
		{"[Run]\nGlobals=\nGlobals=JSON Mth \\\n  nonsuch\n",
		 "f:3:14: warning: Globals=: no engine has 'Mth': did you mean Math?\n"
		 "f:4:3: warning: Globals=: no engine has 'nonsuch'\n"},
		{"[Run]\nGlobals=Math Promise setTimeout input BigInt64Array\n", ""},
		{"[Limits]\nCPUTimeMaxSec=2s\nRuntimeMaxSec=500ms\n",
		 "f:2:1: warning: CPUTimeMaxSec= is more than RuntimeMaxSec=: it is 500 "
		 "ms too\n"},
		{"[Limits]\nCPUTimeMaxSec=500ms\nRuntimeMaxSec=500ms\n", ""},
		{"[Limits]\nRuntimeMaxSec=500ms\n", ""},
		{"[Limits]\nTasksMax=2\n",
		 "f:2:1: warning: TasksMax= without RequireCgroup=yes: where there is no "
		 "cgroup, each process has all of the memory and of the CPU time\n"},
		{"[Limits]\nTasksMax=2\n[Jail]\nRequireCgroup=yes\n", ""},
		{"[Limits]\nTasksMax=1\n", ""},
		{"[Run]\nEngine=duktape\n", ""},
		{"[Jail]\nSystemCallFilter=~getpid socket\n",
		 "f:2:26: warning: SystemCallFilter=: socket is refused anyway\n"},
		{"[Jail]\nSystemCallFilter=read fork\n",
		 "f:2:1: warning: SystemCallFilter=: fork is refused unless TasksMax= is "
		 "more than 1\n"},
		{"[Jail]\nRequireCgroup=yes\nSystemCallFilter=read fork\n"
		 "[Limits]\nTasksMax=2\n",
		 ""},
	};

	for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
		own_loaded struct loaded l;

		load(&l, "default", cases[i].text);
		cr_expect_str_eq(text_str(&l.heard.all), cases[i].says);
		cr_expect_eq(l.report.faults, 0);
	}
}

Test(policy_warn, an_engine_that_was_not_built_is_warned_of)
{
	own_loaded struct loaded l;

	load(&l, "default", "[Run]\nEngine=quickjs\n");
	cr_expect_eq(l.report.faults, 0);
	if (policy_engine_is_built(POLICY_ENGINE_QUICKJS))
		cr_expect_str_eq(text_str(&l.heard.all), "");
	else
		cr_expect_str_eq(text_str(&l.heard.all),
				 "f:2:1: warning: Engine=: this quod was built without "
				 "quickjs: every run is rejected\n");
}
