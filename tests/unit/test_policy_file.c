/* SPDX-License-Identifier: MIT */
/*
 * What a policy file says becomes a policy, and what is wrong in it is told with its
 * place.
 */
#include <criterion/criterion.h>
#include <errno.h>
#include <string.h>

#include "base/own.h"
#include "policy/apply.h"
#include "policy/match.h"
#include "tests/unit/loaded.h"

Test(policy_file, every_key_is_taken)
{
	own_loaded struct loaded l;

	load(&l, "default",
	     "[Run]\nBase=open\nEngine=duktape\nMode=strict\nVerdict=true\n"
	     "Globals=Math JSON\nGlobals=Math Array\nTimers=off\nDynamicCode=0\n"
	     "Deterministic=yes\n"
	     "[Limits]\nRuntimeMaxSec=2\nCPUQuota=50%\nMemoryMax=16M\nTasksMax=1\n"
	     "SourceMax=1K\nStackFramesMax=20\nValueMax=100\nLogMax=0\nLogLinesMax=7\n"
	     "[Jail]\nRequireCgroup=on\nSystemCallFilter=~getpid\n");
	cr_assert_str_eq(text_str(&l.heard.all), "");
	const uint64_t *v = l.policy->limits.value;
	cr_expect_str_eq(l.policy->base, "open");
	cr_expect_eq(l.policy->engine, POLICY_ENGINE_DUKTAPE);
	cr_expect_eq(l.policy->mode, POLICY_MODE_STRICT);
	cr_expect_str_eq(l.policy->globals, "Math JSON Array");
	cr_expect(l.policy->verdict && l.policy->deterministic);
	cr_expect(l.policy->require_cgroup);
	cr_expect(l.policy->calls.said);
	cr_expect_not(l.policy->timers);
	cr_expect_not(l.policy->dynamic_code);
	cr_expect_eq(v[LIMIT_ID_wall_ms], 2000);
	cr_expect_eq(v[LIMIT_ID_cpu_ms], 2000, "CPU time follows");
	cr_expect_eq(v[LIMIT_ID_cpu_percent], 50);
	cr_expect_eq(v[LIMIT_ID_memory_bytes], 16 * LIMITS_MIB);
	cr_expect_eq(v[LIMIT_ID_log_bytes], 0);
	cr_expect_eq(v[LIMIT_ID_log_lines], 7);
}

Test(policy_file, cpu_time_goes_with_wall_time)
{
	static const struct {
		const char *text;
		uint64_t cpu_ms;
	} cases[] = {
		{"[Limits]\nRuntimeMaxSec=60s\n", 60000},
		{"[Limits]\nRuntimeMaxSec=60s\nCPUTimeMaxSec=1s\n", 1000},
		{"[Limits]\nRuntimeMaxSec=500ms\nCPUTimeMaxSec=1s\n", 500},
		{"[Limits]\nCPUTimeMaxSec=1s\n", 1000},
	};

	for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
		own_loaded struct loaded l;

		load(&l, "default", cases[i].text);
		cr_expect_eq(l.policy->limits.value[LIMIT_ID_cpu_ms], cases[i].cpu_ms,
			     "%s", cases[i].text);
	}
}

Test(policy_file, a_list_is_reset_by_nothing)
{
	own_loaded struct loaded added, replaced, all;

	load(&added, "verify", "[Run]\nGlobals=Proxy\n");
	load(&replaced, "verify", "[Run]\nGlobals=\nGlobals=Proxy\n");
	load(&all, "verify", "[Run]\nGlobals=\n");
	cr_expect_not_null(strstr(added.policy->globals, "console Proxy"));
	cr_expect_str_eq(replaced.policy->globals, "Proxy");
	cr_expect_null(all.policy->globals);
}

Test(policy_file, what_is_wrong_is_told_with_its_place)
{
	static const struct {
		const char *text, *says;
	} cases[] = {
		{"Mode=off", "f:1:1: 'Mode=' stands before the first [Section]\n"},
		{"[Rum]\nx=1\n",
		 "f:1:1: no section is called [Rum]: did you mean [Run]?\n"},
		{"[Zzz]", "f:1:1: no section is called [Zzz]; there are Run, "},
		{"[Run]\n  Engin=auto", "f:2:3: [Run] has no key 'Engin': did you mean "
					"Engine=?\n"},
		{"[Run]\nqwertz=1", "f:2:1: [Run] has no key 'qwertz'\n"},
		{"[Run]\nmode=off",
		 "f:2:1: [Run] has no key 'mode': did you mean Mode=?\n"},
		{"[Run]\nMemoryMax=1M", "f:2:1: MemoryMax= belongs into [Limits]\n"},
		{"[Run]\nMode = stict", "f:2:8: Mode=: 'stict': did you mean strict?\n"},
		{"[Run]\nMode=", "f:2:6: Mode=: a value is missing\n"},
		{"[Run]\nTimers=2", "f:2:8: Timers=: '2'"},
		{"[Run]\nBase=defalt", "f:2:6: Base=: 'defalt': did you mean default?\n"},
		{"[Run]\nGlobals=A \\\n  b-c", "f:3:3: Globals=: 'b-c' is no name"},
		{"[Limits]\nRuntimeMaxSec=0",
		 "f:2:15: RuntimeMaxSec=: '0' is out of range: "
		 "wall time is from 1 ms to 3600 s\n"},
		{"[Limits]\nRuntimeMaxSec=99999999999", "out of range"},
		{"[Limits]\nMemoryMax=12Q", "f:2:11: MemoryMax=: '12Q' has a missing or "
					    "unknown unit; memory is written like"},
		{"[Limits]\nTasksMax=1025",
		 "'1025' is out of range: processes is from 1 to 1024\n"},
		{"[Limits]\nTasksMax=0", "'0' is out of range"},
		{"[Limits]\nCPUQuota=50", "'50' has a missing or unknown unit"},
		{"[Jail]\nSystemCallFilte=x",
		 "[Jail] has no key 'SystemCallFilte': did you mean SystemCallFilter=?"},
		{"[Jail]\nSystemCallFilter=x",
		 "f:2:18: SystemCallFilter=: no system call is called 'x'"},
		{"[Rule]\nMatch=x", "f:1:1: a rule is named like"},
		{"[Rule x]", "f:1:1: a rule is named like"},
		{"[Rule \"A\"]", "f:1:1: a rule is named like"},
		{"[Rule \"x]", "f:1:1: a rule is named like"},
		{"[Rule \"x\"y\"]", "f:1:1: a rule is named like"},
		{"[Rule \"x\"]\nSeverity=deny",
		 "f:1:1: rule 'x' is not built in and has no "
		 "Match=\n"},
		{"[Rule \"x\"]\nMatch=new A",
		 "f:1:1: rule 'x' is not built in and has no "
		 "Severity=\n"},
		{"[Rule \"x\"]\nMatc=new A",
		 "f:2:1: a rule has no key 'Matc': did you mean "
		 "Match=?\n"},
		{"[Rule \"x\"]\nSeverity=fatal",
		 "'fatal' is not one of: info, warn, deny"},
		{"[Rule \"x\"]\nMessage=", "f:2:9: Message=: a message is missing"},
		{"[Rule \"engine\"]\nSeverity=info",
		 "f:1:1: rule 'engine' is not a policy's "
		 "to change"},
	};

	for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
		own_loaded struct loaded l;

		load(&l, "default", cases[i].text);
		cr_expect_not_null(strstr(text_str(&l.heard.all), cases[i].says),
				   "%s\nsays: %s", cases[i].text, text_str(&l.heard.all));
		cr_expect_gt(l.report.faults, 0);
	}
}

Test(policy_file, all_is_told_not_only_the_first)
{
	own_loaded struct loaded l;

	load(&l, "default", "[Run]\nMode=x\nTimers=x\n[Limits]\nLogMax=x\n[Rum]\na=b\n");
	cr_expect_eq(l.report.faults, 4, "%s", text_str(&l.heard.all));
}

Test(policy_file, base_is_not_for_drop_ins)
{
	own_loaded struct loaded l;
	struct policy_text drop_in = {
		.file = "d", .bytes = "[Run]\nBase=open", .len = 15, .drop_in = true};

	load(&l, "default", "");
	apply_text(l.draft, &drop_in, &l.report);
	cr_expect_str_eq(
		text_str(&l.heard.all),
		"d:2:1: Base= is for the policy's own file, not for a drop-in\n");
}

/* --- limits --- */

Test(policy_file, limits_are_read_as_they_are_written)
{
	for (int i = 0; i < LIMIT_IDS; i++) {
		enum limit_id id = (enum limit_id)i;
		uint64_t values[] = {limit_infos[i].least, limit_infos[i].most};
		char text[LIMIT_TEXT_MOST];
		uint64_t got = 0;

		for (size_t k = 0; k < ARRAY_LEN(values); k++) {
			limits_write(id, values[k], text);
			cr_expect_eq(limits_parse(id, text, &got), NUMBER_OK, "%s", text);
			cr_expect_eq(got, values[k], "%s", text);
		}
		limits_write(id, limit_infos[i].most + 1, text);
		cr_expect_eq(limits_parse(id, text, &got), NUMBER_HIGH, "%s", text);
		cr_expect_eq(got, values[1]);
	}
}

/* --- rules --- */

Test(policy_file, the_form_of_a_match)
{
	static const struct {
		const char *value;
		int r;
	} cases[] = {
		{"global eval", 0},
		{"global $_9", 0},
		{"global \xc3\xa9t\xc3\xa9", 0},
		{"global a.b", -EINVAL},
		{"global 9a", -EINVAL},
		{"global", -EINVAL},
		{"", -EINVAL},
		{"call JSON.parse", 0},
		{"call a.b.c", 0},
		{"call a..b", -EINVAL},
		{"call a.", -EINVAL},
		{"call .a", -EINVAL},
		{"new Date", 0},
		{"new *.Date", -EINVAL},
		{"call *.now", -EINVAL},
		{"member a.b", 0},
		{"member a*b", -EINVAL},
		{"new Date()", -EINVAL},
		{"member *.__proto__", 0},
		{"member a.*", -EINVAL},
		{"member *.", -EINVAL},
		{"member *", -EINVAL},
		{"member *.a.b", -EINVAL},
		{"syntax with_statement", 0},
		{"syntax With", -EINVAL},
		{"syntax _a", -EINVAL},
		{"signal unbounded-loop", 0},
		{"signal a_b", -EINVAL},
		{"signal a b", -EINVAL},
		{"Global eval", -EINVAL},
		{"globalglobalglobalglobalglobalglobal x", -EINVAL},
	};

	for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
		struct rule_match match;
		struct value_fault fault;
		size_t len;

		cr_expect_eq(match_parse(cases[i].value, &match, &len, &fault),
			     cases[i].r, "%s", cases[i].value);
	}
}

Test(policy_file, a_builtin_rule_is_changed_where_it_is_said)
{
	own_loaded struct loaded graver, other, none;
	const struct rule *was =
		rule_of(&(struct policy){.rules = rules_builtin,
					 .rules_count = rules_builtin_count},
			"unexamined");

	cr_assert_not_null(was);
	load(&graver, "default", "[Rule \"unexamined\"]\nSeverity=info\n");
	const struct rule *rule = rule_of(graver.policy, "unexamined");
	cr_expect_eq(rule->severity, RULE_SEVERITY_INFO);
	cr_expect_eq(rule->matches, was->matches);
	cr_expect_eq(rule->message, was->message);
	load(&other, "default",
	     "[Rule \"unexamined\"]\nMatch=new A\nMatch=new B\nMessage=a \\\n  b\n");
	rule = rule_of(other.policy, "unexamined");
	cr_assert_eq(rule->matches_count, 2);
	cr_expect_str_eq(rule->matches[1].pattern, "B");
	cr_expect_str_eq(rule->message, "a b");
	cr_expect_eq(rule->severity, was->severity);
	load(&none, "default", "[Rule \"unexamined\"]\nMatch=\n");
	cr_expect_eq(rule_of(none.policy, "unexamined")->matches_count, 0);
	cr_expect_str_eq(
		text_str(&none.heard.all),
		"f:2:1: warning: rule 'unexamined' looks for nothing any more\n");
	cr_expect_eq(none.report.faults, 0);
}

/* Who says how grave it is means it, also where the policy has timers. */
Test(policy_file, a_severity_that_is_said_depends_on_nothing)
{
	own_loaded struct loaded said, other;

	load(&said, "default", "[Rule \"timer\"]\nSeverity=deny\n");
	cr_expect_eq(rule_of(said.policy, "timer")->unless, RULE_UNLESS_NEVER);
	load(&other, "default", "[Rule \"timer\"]\nMessage=a\n");
	cr_expect_eq(rule_of(other.policy, "timer")->unless, RULE_UNLESS_TIMERS);
}

Test(policy_file, numbers_of_rules_stay)
{
	own_loaded struct loaded l;

	load(&l, "default", "[Rule \"mine\"]\nMatch=new A\nSeverity=warn\n");
	cr_assert_eq(l.policy->rules_count, rules_builtin_count + 1);
	for (size_t i = 0; i < rules_builtin_count; i++)
		cr_expect_str_eq(l.policy->rules[i].name, rules_builtin[i].name);
	cr_expect_str_eq(l.policy->rules[rules_builtin_count].name, "mine");
}

/* What the JOB frame cannot hold is refused where it is written. */
Test(policy_file, the_wire_holds_all_of_it)
{
	own_text struct text rules = TEXT_INIT(1u << 20), matches = TEXT_INIT(1u << 20),
			     globals = TEXT_INIT(1u << 20);
	own_loaded struct loaded many, much, list;

	text_add_str(&matches, "[Rule \"x\"]\nSeverity=warn\n");
	text_add_str(&globals, "[Run]\nGlobals=");
	for (unsigned i = 0; i < 1000; i++) {
		if (i <= JOB_RULES_COUNT_MOST)
			text_addf(&rules,
				  "[Rule \"r%u\"]\nSeverity=warn\nMatch=global g%u\n", i,
				  i);
		text_addf(&matches, "Match=call ThisIsALongName%u.andMore\n", i);
		text_addf(&globals, "name%u ", i);
	}
	load(&many, "default", text_str(&rules));
	cr_expect_not_null(
		strstr(text_str(&many.heard.all), "there are more than 255 rules"));
	cr_expect_eq(many.policy->rules_count, JOB_RULES_COUNT_MOST);
	load(&much, "default", text_str(&matches));
	cr_expect_not_null(
		strstr(text_str(&much.heard.all), "take more than 16384 bytes"));
	cr_expect_leq(much.draft->rules_bytes, JOB_RULES_MOST);
	load(&list, "default", text_str(&globals));
	cr_expect_not_null(strstr(text_str(&list.heard.all), "longer than 4096 bytes"));
}

/* What is wrong is told, not also that it is missing. */
Test(policy_file, a_fault_has_no_echo)
{
	static const struct {
		const char *keys, *says;
	} cases[] = {
		{"Match=globl x\nSeverity=dny\n",
		 "f:2:7: Match=: 'globl': did you mean global?\n"
		 "f:3:10: Severity=: 'dny': did you mean deny?\n"},
		{"Match=\nSeverity=deny\n",
		 "f:1:1: rule 'x' is not built in and has no Match=\n"},
		{"Match=new A\nSeverity=\n",
		 "f:3:10: Severity=: '' is not one of: info, warn, deny\n"},
		{"Match=new A\n",
		 "f:1:1: rule 'x' is not built in and has no Severity=\n"},
	};

	for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
		own_text struct text text = TEXT_INIT(4096);
		own_loaded struct loaded l;

		text_addf(&text, "[Rule \"x\"]\n%s", cases[i].keys);
		load(&l, "default", text_str(&text));
		cr_expect_str_eq(text_str(&l.heard.all), cases[i].says);
	}
}

/* A rule that never matches protects from nothing. */
Test(policy_file, unknown_nodes_and_signals_are_faults)
{
	static const struct {
		const char *text, *says;
	} cases[] = {
		{"Match=signal unexamned",
		 "f:3:14: Match=: the gate has no signal 'unexamned': did you mean "
		 "unexamined?\n"},
		{"Match=syntax with_statment",
		 "f:3:14: Match=: the grammar has no node 'with_statment': did you mean "
		 "with_statement?\n"},
		{"Match=syntax expression", "the grammar has no node 'expression'"},
	};

	for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
		own_loaded struct loaded l;

		load_rule(&l, cases[i].text, cases[i].says);
		cr_expect_geq(l.report.faults, 1);
	}
}

Test(policy_file, nodes_of_the_grammar_are_known)
{
	own_loaded struct loaded l;

	load(&l, "default",
	     "[Rule \"x\"]\nSeverity=warn\nMatch=syntax empty_statement\n"
	     "Match=syntax class_declaration\nMatch=syntax identifier\n"
	     "Match=syntax hash_bang_line\n");
	cr_expect_str_eq(text_str(&l.heard.all), "");
}

/* No built-in rule waits for a node that there is not. */
Test(policy_file, nodes_of_the_built_in_rules_are_known)
{
	own_loaded struct loaded l;
	own_text struct text text = TEXT_INIT(65536);

	text_add_str(&text, "[Rule \"x\"]\nSeverity=warn\n");
	for (size_t i = 0; i < rules_builtin_count; i++)
		for (size_t k = 0; k < rules_builtin[i].matches_count; k++)
			if (rules_builtin[i].matches[k].kind == RULE_SYNTAX)
				text_addf(&text, "Match=syntax %s\n",
					  rules_builtin[i].matches[k].pattern);
	load(&l, "default", text_str(&text));
	cr_expect_null(strstr(text_str(&l.heard.all), "no node"), "%s",
		       text_str(&l.heard.all));
	cr_expect_eq(l.report.faults, 0);
}
