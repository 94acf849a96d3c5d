/* SPDX-License-Identifier: MIT */
/*
 * Walks the items of a file. A section that is not known is told once and its keys are
 * passed over; so are those of a rule that cannot be.
 */
#include "policy/apply.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "base/own.h"
#include "policy/calls.h"
#include "policy/globals.h"
#include "policy/match.h"

enum where { NOWHERE, LOST, IN_KEYS, IN_RULE };

struct reading {
	struct policy_draft *draft;
	const struct policy_text *text;
	struct policy_report *report;
	struct ini ini;
	enum where where;
	const char *section;
	size_t rule;
};

static int fault_value(struct reading *reading, int r, const struct ini_item *item,
		       const struct value_fault *fault)
{
	struct ini_place none = {0};

	if (r == -ENOMEM)
		return report_fault(reading->report, r, reading->text->file, none,
				    "there is no memory to read it");
	return report_fault(reading->report, r, reading->text->file,
			    ini_place(&reading->ini, fault->at), "%s=: %s", item->name,
			    fault->text);
}

static struct policy_origin origin(const struct reading *reading,
				   const struct ini_item *item)
{
	return (struct policy_origin){reading->text->file, item->place};
}

/* --- sections --- */

static int unknown_section(struct reading *reading, const struct ini_item *item)
{
	struct nearest nearest = NEAREST_INIT(item->name);
	const char *hint = "; there are Run, Limits, Jail and Rule \"NAME\"";

	for (size_t i = 0; policy_sections[i]; i++)
		nearest_offer(&nearest, policy_sections[i]);
	reading->where = LOST;
	return report_fault(reading->report, -EINVAL, reading->text->file, item->place,
			    "no section is called [%.60s]%s%s%s", item->name,
			    nearest.best ? ": did you mean [" : hint,
			    nearest.best ? nearest.best : "", nearest.best ? "]?" : "");
}

/* Lower case, digits and dashes between quotes; *ret_name is where they begin. */
static size_t rule_name_span(const char *section, const char **ret_name)
{
	const char *at = section + strlen("Rule"), *end;

	while (*at == ' ' || *at == '\t')
		at++;
	if (*at++ != '"')
		return 0;
	for (end = at; (*end >= 'a' && *end <= 'z') ||
		       (end > at && ((*end >= '0' && *end <= '9') || *end == '-'));)
		end++;
	*ret_name = at;
	return end[0] == '"' && !end[1] && end - at <= (ptrdiff_t)DRAFT_RULE_NAME_MOST
		       ? (size_t)(end - at)
		       : 0;
}

static int begin_rule(struct reading *reading, const struct ini_item *item)
{
	struct policy_draft *draft = reading->draft;
	size_t before = draft->rules_count;
	const char *name;
	size_t len = rule_name_span(item->name, &name);
	int r;

	reading->where = LOST;
	if (!len)
		return report_fault(
			reading->report, -EINVAL, reading->text->file, item->place,
			"a rule is named like [Rule \"no-dates\"]: lower case, "
			"digits and dashes, at most %u",
			DRAFT_RULE_NAME_MOST);
	r = draft_rule(draft, name, len);
	if (r < 0)
		return report_fault(reading->report, r, reading->text->file, item->place,
				    r == -E2BIG ? "there are more than %u rules"
						: "there is no memory for %u rules",
				    JOB_RULES_COUNT_MOST);
	if (draft->rules[r].always)
		return report_fault(reading->report, -EINVAL, reading->text->file,
				    item->place,
				    "rule '%s' is not a policy's to change: without it a "
				    "wrong answer would come out",
				    draft->rules[r].name);
	if (draft->rules_count > before)
		draft->rule_origins[r].rule = origin(reading, item);
	reading->where = IN_RULE;
	reading->rule = (size_t)r;
	return 0;
}

static bool is_rule_section(const char *name)
{
	size_t len = strlen("Rule");

	return !strncmp(name, "Rule", len) &&
	       (!name[len] || name[len] == ' ' || name[len] == '\t' || name[len] == '"');
}

static void begin_section(struct reading *reading, const struct ini_item *item)
{
	if (is_rule_section(item->name)) {
		(void)begin_rule(reading, item);
		return;
	}
	for (size_t i = 0; policy_sections[i]; i++)
		if (!strcmp(policy_sections[i], item->name)) {
			reading->where = IN_KEYS;
			reading->section = policy_sections[i];
			return;
		}
	(void)unknown_section(reading, item);
}

/* --- keys --- */

static int unknown_key(struct reading *reading, const struct ini_item *item)
{
	struct nearest nearest = NEAREST_INIT(item->name);

	for (unsigned key = 0; key < POLICY_KEYS_COUNT; key++) {
		struct policy_key_name name = policy_key_name(key);

		if (!strcmp(name.key, item->name))
			return report_fault(reading->report, -EINVAL, reading->text->file,
					    item->place, "%s= belongs into [%s]",
					    name.key, name.section);
		if (!strcmp(name.section, reading->section))
			nearest_offer(&nearest, name.key);
	}
	return report_fault(reading->report, -EINVAL, reading->text->file, item->place,
			    "[%s] has no key '%.60s'%s%s%s", reading->section, item->name,
			    nearest.best ? ": did you mean " : "",
			    nearest.best ? nearest.best : "", nearest.best ? "=?" : "");
}

static void warn_globals(struct reading *reading, const struct ini_item *item)
{
	const char *at = item->value, *word;
	size_t len;

	while ((len = ini_word(&at, &word))) {
		char name[GLOBALS_NAME_MOST + 1];
		struct nearest nearest = NEAREST_INIT(name);

		snprintf(name, sizeof(name), "%.*s",
			 len < sizeof(name) ? (int)len : (int)sizeof(name) - 1, word);
		if (globals_know(name, &nearest))
			continue;
		report_warning(reading->report, reading->text->file,
			       ini_place(&reading->ini, word),
			       "Globals=: no engine has '%s'%s%s%s", name,
			       nearest.best ? ": did you mean " : "",
			       nearest.best ? nearest.best : "", nearest.best ? "?" : "");
	}
}

/* No list lets these through: to take one away says nothing, and is no slip of the pen.
 */
static void warn_calls(struct reading *reading, const struct ini_item *item)
{
	const char *at = item->value + (*item->value == '~'), *word;
	size_t len;

	while ((len = ini_word(&at, &word)))
		if (calls_are_without(word, len))
			report_warning(reading->report, reading->text->file,
				       ini_place(&reading->ini, word),
				       "SystemCallFilter=: %.*s is refused anyway",
				       (int)len, word);
}

static int set_key(struct reading *reading, const struct ini_item *item)
{
	unsigned key = policy_key_find(reading->section, item->name);
	struct value_fault fault;
	int r;

	if (key == POLICY_KEYS_COUNT)
		return unknown_key(reading, item);
	if (key == POLICY_KEY_BASE && reading->text->drop_in)
		return report_fault(reading->report, -EINVAL, reading->text->file,
				    item->place,
				    "Base= is for the policy's own file, not for a "
				    "drop-in");
	r = policy_key_set(reading->draft, key, item->value, &fault);
	if (r < 0)
		return fault_value(reading, r, item, &fault);
	reading->draft->origins.keys[key] = origin(reading, item);
	if (key == POLICY_KEY_GLOBALS)
		warn_globals(reading, item);
	if (key == POLICY_KEY_CALLS)
		warn_calls(reading, item);
	return 0;
}

/* --- keys of a rule --- */

static int add_match(struct reading *reading, const struct ini_item *item,
		     struct value_fault *fault)
{
	struct rule_match match;
	struct policy_origin from;
	size_t len = 0;
	int r = match_parse(item->value, &match, &len, fault);

	if (r < 0)
		return r;
	from = (struct policy_origin){reading->text->file,
				      ini_place(&reading->ini, match.pattern)};
	r = draft_add_match(reading->draft, reading->rule, &match, len, from);
	if (r == -E2BIG)
		value_fault(fault, item->value,
			    "all rules together take more than %u bytes", JOB_RULES_MOST);
	return r;
}

/* The first in a file takes the place of those that are built in; an empty one, of all.
 */
static int set_match(struct reading *reading, const struct ini_item *item,
		     struct value_fault *fault)
{
	struct policy_origin *from = &reading->draft->rule_origins[reading->rule].matches;

	if (!*item->value || !from->file)
		draft_clear_matches(reading->draft, reading->rule);
	*from = origin(reading, item);
	return *item->value ? add_match(reading, item, fault) : 0;
}

static int set_severity(struct reading *reading, const struct ini_item *item,
			struct value_fault *fault)
{
	struct rule *rule = &reading->draft->rules[reading->rule];
	int r = value_choose(item->value, rule_severity_names, RULE_SEVERITIES_COUNT,
			     fault);

	if (r < 0)
		return r;
	rule->severity = (enum rule_severity)r;
	/* Who says how grave it is means it, whatever else the policy has. */
	rule->unless = RULE_UNLESS_NEVER;
	reading->draft->rule_origins[reading->rule].severity = origin(reading, item);
	return 0;
}

/* Blanks in a row are one: a message may go over several lines. */
static int set_message(struct reading *reading, const struct ini_item *item,
		       struct value_fault *fault)
{
	struct rule *rule = &reading->draft->rules[reading->rule];
	own_text struct text text = TEXT_INIT(DRAFT_MESSAGE_MOST);
	const char *at = item->value, *word, *message;
	size_t len;

	while ((len = ini_word(&at, &word))) {
		if (text.len)
			text_add_char(&text, ' ');
		text_add(&text, word, len);
	}
	if (text_status(&text) == -E2BIG)
		return value_fault(fault, item->value,
				   "the message is longer than %u bytes",
				   DRAFT_MESSAGE_MOST);
	if (!*item->value)
		return value_fault(fault, item->value, "a message is missing");
	message = text_status(&text) < 0
			  ? NULL
			  : draft_string(reading->draft, text.data, text.len);
	if (!message)
		return -ENOMEM;
	rule->message = message;
	rule->why = NULL;
	reading->draft->rule_origins[reading->rule].message = origin(reading, item);
	return 0;
}

static const struct {
	const char *key;
	int (*set)(struct reading *reading, const struct ini_item *item,
		   struct value_fault *fault);
} rule_keys[] = {
	{"Match", set_match},
	{"Severity", set_severity},
	{"Message", set_message},
};

/* A key that is there and wrong is not also missing. */
static int rule_fault(struct reading *reading, int r, const struct ini_item *item,
		      const struct value_fault *fault)
{
	struct rule_origin *origin = &reading->draft->rule_origins[reading->rule];

	origin->match_is_wrong |= !strcmp(item->name, "Match");
	origin->severity_is_wrong |= !strcmp(item->name, "Severity");
	return fault_value(reading, r, item, fault);
}

static int set_rule_key(struct reading *reading, const struct ini_item *item)
{
	struct nearest nearest = NEAREST_INIT(item->name);
	struct value_fault fault;

	for (size_t i = 0; i < ARRAY_LEN(rule_keys); i++) {
		nearest_offer(&nearest, rule_keys[i].key);
		if (strcmp(rule_keys[i].key, item->name) != 0)
			continue;
		int r = rule_keys[i].set(reading, item, &fault);
		return r < 0 ? rule_fault(reading, r, item, &fault) : 0;
	}
	return report_fault(reading->report, -EINVAL, reading->text->file, item->place,
			    "a rule has no key '%.60s'%s%s%s", item->name,
			    nearest.best ? ": did you mean " : "",
			    nearest.best ? nearest.best
					 : "; it has Match, Severity, Message",
			    nearest.best ? "=?" : "");
}

/* --- the file --- */

static void take_entry(struct reading *reading, const struct ini_item *item)
{
	switch (reading->where) {
	case NOWHERE:
		reading->where = LOST;
		report_fault(reading->report, -EINVAL, reading->text->file, item->place,
			     "'%.60s=' stands before the first [Section]", item->name);
		return;
	case LOST:
		return;
	case IN_KEYS:
		(void)set_key(reading, item);
		return;
	case IN_RULE:
		(void)set_rule_key(reading, item);
		return;
	}
}

void apply_text(struct policy_draft *draft, const struct policy_text *text,
		struct policy_report *report)
{
	struct reading reading = {.draft = draft, .text = text, .report = report};
	struct ini_place none = {0};
	struct ini_item item;
	int r = ini_open(&reading.ini, text->bytes, text->len);

	if (r < 0) {
		report_fault(report, r, text->file, none, "%s",
			     r == -EFBIG ? "it is longer than " INI_MOST_TEXT
					 : "there is no memory to read it");
		return;
	}
	while (ini_next(&reading.ini, &item)) {
		if (item.kind == INI_FAULT)
			report_fault(report, -EINVAL, text->file, item.place, "%s",
				     item.name);
		else if (item.kind == INI_SECTION)
			begin_section(&reading, &item);
		else
			take_entry(&reading, &item);
	}
	ini_close(&reading.ini);
}

int apply_find_base(const struct policy_text *text, const struct policy *otherwise,
		    const struct policy **ret_base)
{
	own_ini struct ini ini = {0};
	struct ini_item item;
	bool in_run = false;
	const struct policy *named;
	int r = ini_open(&ini, text->bytes, text->len);

	*ret_base = otherwise;
	while (r == 0 && ini_next(&ini, &item)) {
		if (item.kind == INI_SECTION)
			in_run = !strcmp(item.name,
					 policy_key_name(POLICY_KEY_BASE).section);
		if (item.kind != INI_ENTRY || !in_run ||
		    strcmp(item.name, policy_key_name(POLICY_KEY_BASE).key) != 0)
			continue;
		named = policy_find(item.value);
		*ret_base = named ? named : *ret_base;
	}
	return r == -ENOMEM ? r : 0;
}

void apply_check(const struct policy_draft *draft, struct policy_report *report)
{
	for (size_t i = 0; i < draft->rules_count; i++) {
		const struct rule_origin *from = &draft->rule_origins[i];
		if (!from->rule.file)
			continue;
		if (!draft->rules[i].matches_count && !from->match_is_wrong)
			report_fault(report, -EINVAL, from->rule.file, from->rule.place,
				     "rule '%s' is not built in and has no Match=",
				     draft->rules[i].name);
		if (!from->severity.file && !from->severity_is_wrong)
			report_fault(report, -EINVAL, from->rule.file, from->rule.place,
				     "rule '%s' is not built in and has no Severity=",
				     draft->rules[i].name);
	}
}
