/* SPDX-License-Identifier: MIT */
/*
 * The keys of a policy file, as one table: the reader, `quod policy show` and the tests
 * of the manual page go by it. Those of [Limits] follow from the table of limits; [Rule]
 * is another matter, see policy/apply.c.
 */
#ifndef QUOD_KEYS_H
#define QUOD_KEYS_H

#include "base/text.h"
#include "policy/ini.h"
#include "policy/policy.h"

/* X(id, section, key, kind of value, field that a switch sets; others: any) */
#define POLICY_KEYS(X)                                                     \
	X(BASE, "Run", "Base", NAME, about)                                \
	X(ENGINE, "Run", "Engine", NAME, about)                            \
	X(MODE, "Run", "Mode", NAME, about)                                \
	X(VERDICT, "Run", "Verdict", SWITCH, verdict)                      \
	X(GLOBALS, "Run", "Globals", LIST, about)                          \
	X(TIMERS, "Run", "Timers", SWITCH, timers)                         \
	X(DYNAMIC_CODE, "Run", "DynamicCode", SWITCH, dynamic_code)        \
	X(DETERMINISTIC, "Run", "Deterministic", SWITCH, deterministic)    \
	X(REQUIRE_CGROUP, "Jail", "RequireCgroup", SWITCH, require_cgroup) \
	X(CALLS, "Jail", "SystemCallFilter", LIST, about)

/* The keys of the limits come behind the others, in their own order. */
enum policy_key {
#define X(id, section, key, kind, field) POLICY_KEY_##id,
	POLICY_KEYS(X)
#undef X
		POLICY_KEY_LIMITS,
	POLICY_KEYS_COUNT = POLICY_KEY_LIMITS + LIMIT_IDS
};

struct policy_key_name {
	const char *section, *key;
};

extern const char *const policy_sections[]; /* up to NULL; "Rule" is the last */

struct policy_key_name policy_key_name(unsigned key);

/* Which key of the section; POLICY_KEYS_COUNT: none. */
unsigned policy_key_find(const char *section, const char *key);

/* Where something was said. */
struct policy_origin {
	const char *file; /* NULL: built in */
	struct ini_place place;
};

struct rule_origin {
	struct policy_origin rule; /* where it was first named, if it is not built in */
	struct policy_origin severity, message, matches;
	/* The matches, if they are not the built-in ones, and where each stands. */
	struct rule_match *own;
	struct policy_origin *own_from;
	size_t room;
	bool match_is_wrong, severity_is_wrong; /* and was told as that */
};

struct policy_origins {
	struct policy_origin keys[POLICY_KEYS_COUNT];
	bool cpu_time_is_cut; /* what is said is more than the wall time */
	const struct rule_origin *rules;
};

/* What is wrong with a value, and where in it. */
struct value_fault {
	const char *at;
	char text[320];
};

/* Fills *fault and returns -EINVAL. */
int value_fault(struct value_fault *fault, const char *at, const char *format, ...)
	__attribute__((format(printf, 3, 4)));

/* Index of the word in the list, or -EINVAL with the nearest one, or all, told. */
int value_choose(const char *value, const char *const *names, size_t count,
		 struct value_fault *fault);

/* Sets one value of the draft. Errors: -EINVAL with *fault filled, -ENOMEM. */
int policy_key_set(struct policy_draft *draft, unsigned key, const char *value,
		   struct value_fault *fault);

/* Adds the lines that give the policy's value, each with its end. */
void policy_key_write(const struct policy *policy, unsigned key, struct text *to);

#endif
