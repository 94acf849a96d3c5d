/* SPDX-License-Identifier: MIT */
/*
 * A built-in rule says more than a file can (what its severity depends on, why it
 * matters): what of it has not been changed is written behind a #.
 */
#include "policy/show.h"

#include <string.h>

#include "base/own.h"
#include "policy/draft.h"
#include "policy/keys.h"
#include "policy/match.h"

/* The end of a path says most. */
#define PATH_SHOWN 255

/*
 * What is shown can be loaded again, so the most that it can be is less than the most
 * that is read. Of a rule: three origins, its name, severity and message. Of the matches:
 * "Match=KIND PATTERN", where a pattern of one byte has most around it. Of the keys: two
 * lines and an origin, some of them with a list.
 */
enum {
	LINE_MOST = 32, /* a key, what stands around its value, a number */
	ORIGIN_MOST = PATH_SHOWN + LINE_MOST,
	RULE_MOST = 3 * ORIGIN_MOST + 4 * LINE_MOST + DRAFT_RULE_NAME_MOST +
		    DRAFT_MESSAGE_MOST,
	MATCHES_MOST = JOB_RULES_MOST / (MATCH_HEAD_BYTES + 1) * (LINE_MOST + 1),
	KEYS_MOST = POLICY_KEYS_COUNT * (ORIGIN_MOST + 4 * LINE_MOST) + JOB_GLOBALS_MOST +
		    POLICY_CALLS_MOST * LINE_MOST,
	SHOW_MOST = ORIGIN_MOST + POLICY_NAME_MOST + KEYS_MOST +
		    JOB_RULES_COUNT_MOST * RULE_MOST + MATCHES_MOST,
};
_Static_assert(SHOW_MOST <= INI_MOST, "a policy that is shown can be read");

/* A directory may be called anything, and this has to stay one line of comment. */
static void write_path(const char *path, struct text *to)
{
	own_text struct text shown = TEXT_INIT(65536);
	const char *at;

	text_add_escaped(&shown, path, strlen(path), 0);
	at = text_str(&shown);
	if (shown.len > PATH_SHOWN) {
		at += shown.len - PATH_SHOWN + strlen("...");
		while (((unsigned char)*at & 0xc0) == 0x80)
			at++;
		text_add_str(to, "...");
	}
	text_add_str(to, at);
	if (text_status(&shown))
		to->error = text_status(&shown);
}

static void write_origin(struct policy_origin from, struct text *to)
{
	if (!from.file) {
		text_add_str(to, "# built in\n");
		return;
	}
	text_add_str(to, "# ");
	write_path(from.file, to);
	text_addf(to, ":%u\n", from.place.line);
}

static struct policy_origin key_origin(const struct policy *policy, unsigned key)
{
	const struct policy_origin builtin = {0};

	return policy->origins ? policy->origins->keys[key] : builtin;
}

static void show_section(const struct policy *policy, const char *section,
			 struct text *to)
{
	text_addf(to, "\n[%s]\n", section);
	for (unsigned key = 0; key < POLICY_KEYS_COUNT; key++) {
		if (strcmp(policy_key_name(key).section, section) != 0)
			continue;
		write_origin(key_origin(policy, key), to);
		policy_key_write(policy, key, to);
	}
}

/* The line that follows is a comment if it is only what is built in anyway. */
static void begin_line(struct policy_origin from, struct text *to)
{
	if (from.file)
		write_origin(from, to);
	else
		text_add_char(to, '#');
}

static void show_matches(const struct rule *rule, struct policy_origin from,
			 struct text *to)
{
	if (from.file) {
		write_origin(from, to);
		text_add_str(to, "Match=\n");
	}
	for (size_t i = 0; i < rule->matches_count; i++)
		text_addf(to, "%sMatch=%s %s\n", from.file ? "" : "#",
			  rule_kind_names[rule->matches[i].kind],
			  rule->matches[i].pattern);
}

static void show_rule(const struct rule *rule, const struct rule_origin *from,
		      struct text *to)
{
	bool own = from->rule.file || from->severity.file || from->message.file ||
		   from->matches.file;

	text_add_char(to, '\n');
	if (!own)
		text_add_str(to, "# built in\n");
	text_addf(to, "%s[Rule \"%s\"]\n", own ? "" : "#", rule->name);
	show_matches(rule, from->matches, to);
	begin_line(from->severity, to);
	text_addf(to, "Severity=%s\n", rule_severity_names[rule->severity]);
	begin_line(from->message, to);
	text_addf(to, "Message=%s\n", rule->message);
}

void show_policy(const struct policy *policy, struct text *to)
{
	static const struct rule_origin builtin;
	size_t count;
	const struct rule *rules = policy_rules(policy, &count);

	text_addf(to, "# policy '%s': ", policy->name);
	write_path(policy->about, to);
	text_add_char(to, '\n');
	for (size_t i = 0; policy_sections[i + 1]; i++)
		show_section(policy, policy_sections[i], to);
	for (size_t i = 0; i < count; i++)
		show_rule(&rules[i],
			  policy->origins ? &policy->origins->rules[i] : &builtin, to);
}
