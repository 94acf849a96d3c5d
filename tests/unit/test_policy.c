/* SPDX-License-Identifier: MIT */
/* The built-in policies have the numbers that are promised, and the gate decides by mode.
 */
#include <criterion/criterion.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/file.h"
#include "base/own.h"
#include "base/text.h"
#include "policy/gate.h"
#include "policy/keys.h"

Test(policy, the_numbers_that_are_promised)
{
	static const struct {
		const char *policy;
		enum limit_id id;
		uint64_t value;
	} cases[] = {
		{"default", LIMIT_ID_wall_ms, 5000},
		{"default", LIMIT_ID_cpu_ms, 5000},
		{"default", LIMIT_ID_cpu_percent, 100},
		{"default", LIMIT_ID_memory_bytes, 33554432},
		{"default", LIMIT_ID_source_bytes, 65536},
		{"default", LIMIT_ID_stack_frames, 1000},
		{"default", LIMIT_ID_value_bytes, 65536},
		{"default", LIMIT_ID_log_bytes, 65536},
		{"default", LIMIT_ID_log_lines, 1000},
		{"default", LIMIT_ID_processes, 1},
		{"verify", LIMIT_ID_source_bytes, 10240},
		{"verify", LIMIT_ID_stack_frames, 100},
		{"verify", LIMIT_ID_value_bytes, 1024},
		{"verify", LIMIT_ID_wall_ms, 5000},
		{"open", LIMIT_ID_source_bytes, 65536},
	};

	for (size_t i = 0; i < ARRAY_LEN(cases); i++)
		cr_expect_eq(policy_find(cases[i].policy)->limits.value[cases[i].id],
			     cases[i].value, "%s %s", cases[i].policy,
			     limit_infos[cases[i].id].name);
}

Test(policy, builtins_keep_their_own_ranges)
{
	for (size_t i = 0; policy_builtin(i); i++)
		for (int id = 0; id < LIMIT_IDS; id++) {
			uint64_t v = policy_builtin(i)->limits.value[id];

			cr_expect(v >= limit_infos[id].least && v <= limit_infos[id].most,
				  "%s %s", policy_builtin(i)->name, limit_infos[id].name);
		}
	cr_expect_null(policy_find("nobody"));
	cr_expect_not(policy_find("verify")->dynamic_code);
	cr_expect_not(policy_find("default")->dynamic_code);
	cr_expect(policy_find("open")->dynamic_code);
	cr_expect_not(policy_find("verify")->timers);
}

Test(limits, lowering)
{
	struct limits limits = policy_builtin(0)->limits;

	cr_expect_eq(limits_lower(&limits, LIMIT_ID_wall_ms, 5001), -EPERM);
	cr_expect_eq(limits_lower(&limits, LIMIT_ID_wall_ms, 0), -ERANGE);
	cr_expect_eq(limits_lower(&limits, LIMIT_ID_wall_ms, UINT64_MAX), -ERANGE);
	cr_expect_eq(limits.value[LIMIT_ID_wall_ms], 5000);
	cr_expect_eq(limits_lower(&limits, LIMIT_ID_wall_ms, 5000), 0);
	cr_expect_eq(limits_lower(&limits, LIMIT_ID_wall_ms, 100), 0);
	cr_expect_eq(limits.value[LIMIT_ID_cpu_ms], 100);
}

Test(limits, printing_rounds_nothing)
{
	static const struct {
		enum limit_id id;
		uint64_t value;
		const char *text;
	} cases[] = {
		{LIMIT_ID_wall_ms, 5000, "5 s"},
		{LIMIT_ID_wall_ms, 1500, "1500 ms"},
		{LIMIT_ID_memory_bytes, 32 * LIMITS_MIB, "32 MiB"},
		{LIMIT_ID_memory_bytes, 1536 * LIMITS_KIB, "1536 KiB"},
		{LIMIT_ID_source_bytes, 1000, "1000 bytes"},
		{LIMIT_ID_log_bytes, 0, "0 bytes"},
		{LIMIT_ID_cpu_percent, 50, "50 %"},
		{LIMIT_ID_log_lines, 1000, "1000"},
	};

	for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
		char text[LIMIT_TEXT_MOST];

		limits_print(cases[i].id, cases[i].value, text);
		cr_expect_str_eq(text, cases[i].text);
	}
}

Test(gate, severity_by_mode)
{
	static const bool blocks[POLICY_MODES_COUNT][3] = {
		[POLICY_MODE_STRICT] = {false, true, true},
		[POLICY_MODE_STANDARD] = {false, false, true},
		[POLICY_MODE_OFF] = {false, false, false},
	};

	const struct rule rule = {.name = "any"};

	for (int mode = 0; mode < POLICY_MODES_COUNT; mode++)
		for (int severity = 0; severity < RULE_SEVERITIES_COUNT; severity++)
			cr_expect_eq(gate_blocks((enum policy_mode)mode, &rule,
						 (enum rule_severity)severity),
				     blocks[mode][severity], "%s, severity %d",
				     policy_mode_names[mode], severity);
}

Test(gate, no_mode_waves_a_wrong_engine_through)
{
	const struct rule rule = {.name = "engine", .always = true};

	cr_expect(gate_blocks(POLICY_MODE_OFF, &rule, RULE_SEVERITY_DENY));
	cr_expect_not(gate_blocks(POLICY_MODE_OFF, &rule, RULE_SEVERITY_WARN));
}

Test(gate, severity_by_policy)
{
	const struct rule rule = {.severity = RULE_SEVERITY_DENY,
				  .unless = RULE_UNLESS_TIMERS};
	struct policy policy = {.timers = true};

	cr_expect_eq(gate_severity(&policy, &rule), RULE_SEVERITY_INFO);
	policy.timers = false;
	cr_expect_eq(gate_severity(&policy, &rule), RULE_SEVERITY_DENY);
}

/* --- quod.policy(5) --- */

static char *read_manual(void)
{
	const char *build = getenv("QUOD_TEST_BUILD");
	char path[4096], *manual = NULL;
	size_t len;

	snprintf(path, sizeof(path), "%s/man/installed/quod.policy.5",
		 build ? build : ".");
	cr_assert_eq(file_read_at(AT_FDCWD, path, 1u << 20, &manual, &len), 0, "%s",
		     path);
	return manual;
}

Test(manual, the_table_of_limits)
{
	own_free char *manual = read_manual();
	own_text struct text table = TEXT_INIT(8192);

	for (int id = 0; id < LIMIT_IDS; id++) {
		const struct limit_info *info = &limit_infos[id];
		char least[LIMIT_TEXT_MOST], most[LIMIT_TEXT_MOST];

		limits_print((enum limit_id)id, info->least, least);
		limits_print((enum limit_id)id, info->most, most);
		text_addf(&table, ".It %s= Ta %s Ta %s Ta %s\n", info->key, least, most,
			  info->what);
	}
	cr_expect_not_null(strstr(manual, text_str(&table)), "it should have\n%s",
			   text_str(&table));
}

Test(manual, the_other_keys_and_what_they_choose_from)
{
	own_free char *manual = read_manual();
	char wanted[128];

	for (unsigned key = 0; key < POLICY_KEY_LIMITS; key++) {
		snprintf(wanted, sizeof(wanted), ".It Sy %s=\n",
			 policy_key_name(key).key);
		cr_expect_not_null(strstr(manual, wanted), "%s", wanted);
	}
	for (int kind = 0; kind < RULE_KINDS_COUNT; kind++) {
		snprintf(wanted, sizeof(wanted), ".It Cm %s Ar ", rule_kind_names[kind]);
		cr_expect_not_null(strstr(manual, wanted), "%s", wanted);
	}
	for (int i = 0; i < RULE_SEVERITIES_COUNT; i++) {
		snprintf(wanted, sizeof(wanted), ".Cm %s\n", rule_severity_names[i]);
		cr_expect_not_null(strstr(manual, wanted), "%s", wanted);
	}
}
