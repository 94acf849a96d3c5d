/* SPDX-License-Identifier: MIT */
/*
 * From the text of a value to a field of the policy, and back.
 */
#include "policy/keys.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "base/own.h"
#include "policy/calls.h"
#include "policy/draft.h"
#include "policy/ini.h"
#include "policy/match.h"

enum value_kind { VALUE_NAME, VALUE_SWITCH, VALUE_LIST };

static const struct {
	struct policy_key_name name;
	enum value_kind kind;
	size_t field; /* of a switch, in struct policy */
} keys[POLICY_KEY_LIMITS] = {
#define X(id, section, key, kind, field) \
	[POLICY_KEY_##                   \
		id] = {{section, key}, VALUE_##kind, offsetof(struct policy, field)},
	POLICY_KEYS(X)
#undef X
};

const char *const policy_sections[] = {"Run", "Limits", "Jail", "Rule", NULL};

struct policy_key_name policy_key_name(unsigned key)
{
	if (key < POLICY_KEY_LIMITS)
		return keys[key].name;
	return (struct policy_key_name){"Limits",
					limit_infos[key - POLICY_KEY_LIMITS].key};
}

unsigned policy_key_find(const char *section, const char *key)
{
	for (unsigned i = 0; i < POLICY_KEYS_COUNT; i++) {
		struct policy_key_name name = policy_key_name(i);

		if (!strcmp(name.section, section) && !strcmp(name.key, key))
			return i;
	}
	return POLICY_KEYS_COUNT;
}

int value_fault(struct value_fault *fault, const char *at, const char *format, ...)
{
	va_list args;

	va_start(args, format);
	vsnprintf(fault->text, sizeof(fault->text), format, args);
	va_end(args);
	fault->at = at;
	return -EINVAL;
}

int value_choose(const char *value, const char *const *names, size_t count,
		 struct value_fault *fault)
{
	struct nearest nearest = NEAREST_INIT(value);
	own_text struct text known = TEXT_INIT(256);

	for (size_t i = 0; i < count; i++) {
		if (!strcmp(names[i], value))
			return (int)i;
		nearest_offer(&nearest, names[i]);
		text_addf(&known, "%s%s", i ? ", " : "", names[i]);
	}
	if (nearest.best)
		return value_fault(fault, value, "'%.60s': did you mean %s?", value,
				   nearest.best);
	return value_fault(fault, value, "'%.60s' is not one of: %s", value,
			   text_str(&known));
}

static int set_switch(bool *field, const char *value, struct value_fault *fault)
{
	/* In pairs, that which is true first. */
	static const char *const words[] = {"yes", "no",  "true", "false",
					    "on",  "off", "1",	  "0"};
	int r = value_choose(value, words, ARRAY_LEN(words), fault);

	if (r < 0)
		return r;
	*field = r % 2 == 0;
	return 0;
}

static int set_name(struct policy *policy, unsigned key, const char *value,
		    struct value_fault *fault)
{
	const char *bases[8] = {NULL};
	size_t count = 0;
	int r;

	if (key == POLICY_KEY_ENGINE) {
		r = value_choose(value, policy_engine_names, POLICY_ENGINES_COUNT, fault);
		policy->engine = r < 0 ? policy->engine : (enum policy_engine)r;
	} else if (key == POLICY_KEY_MODE) {
		r = value_choose(value, policy_mode_names, POLICY_MODES_COUNT, fault);
		policy->mode = r < 0 ? policy->mode : (enum policy_mode)r;
	} else {
		/* What it says was done before the first key was set. */
		while (count < ARRAY_LEN(bases) && policy_builtin(count)) {
			bases[count] = policy_builtin(count)->name;
			count++;
		}
		r = value_choose(value, bases, count, fault);
	}
	return r < 0 ? r : 0;
}

static int set_limit(struct limits *limits, enum limit_id id, const char *value,
		     struct value_fault *fault)
{
	const struct limit_info *info = &limit_infos[id];
	static const char *const examples[] = {[LIMIT_UNIT_DURATION] =
						       "500ms, 5s or 5 (seconds)",
					       [LIMIT_UNIT_SIZE] = "64K or 32M",
					       [LIMIT_UNIT_COUNT] = "100",
					       [LIMIT_UNIT_PERCENT] = "50%"};
	char least[LIMIT_TEXT_MOST], most[LIMIT_TEXT_MOST];
	enum number_error e = limits_parse(id, value, &limits->value[id]);

	if (e == NUMBER_OK)
		return 0;
	limits_print(id, info->least, least);
	limits_print(id, info->most, most);
	if (e == NUMBER_LOW || e == NUMBER_HIGH)
		return value_fault(fault, value,
				   "'%.60s' is out of range: %s is from %s to %s", value,
				   info->what, least, most);
	return value_fault(fault, value, "'%.60s' %s; %s is written like %s", value,
			   number_error_text(e), info->what, examples[info->unit]);
}

static bool has_word(const char *list, const char *word, size_t len)
{
	const char *at = list ? list : "", *each;
	size_t n;

	while ((n = ini_word(&at, &each)))
		if (n == len && !memcmp(each, word, len))
			return true;
	return false;
}

/* An empty list takes everything back: all names there are. Others add to what is there.
 */
static int set_globals(struct policy_draft *draft, const char *value,
		       struct value_fault *fault)
{
	own_text struct text list = TEXT_INIT(JOB_GLOBALS_MOST);
	const char *at = value, *word;
	size_t len;

	if (*value && draft->policy.globals)
		text_add_str(&list, draft->policy.globals);
	while ((len = ini_word(&at, &word))) {
		if (match_name_span(word, len) != len)
			return value_fault(fault, word, "'%.*s' is no name of JavaScript",
					   len < 60 ? (int)len : 60, word);
		if (has_word(text_str(&list), word, len))
			continue;
		if (list.len)
			text_add_char(&list, ' ');
		text_add(&list, word, len);
	}
	if (text_status(&list) == -E2BIG)
		return value_fault(fault, value, "the list is longer than %u bytes",
				   JOB_GLOBALS_MOST);
	draft->policy.globals =
		list.len ? draft_string(draft, list.data, list.len) : NULL;
	return list.len && !draft->policy.globals ? -ENOMEM : text_status(&list);
}

int policy_key_set(struct policy_draft *draft, unsigned key, const char *value,
		   struct value_fault *fault)
{
	struct policy *policy = &draft->policy;

	if (key == POLICY_KEY_GLOBALS)
		return set_globals(draft, value, fault);
	if (key == POLICY_KEY_CALLS)
		return calls_set(&policy->calls, value, fault);
	if (!*value)
		return value_fault(fault, value, "a value is missing");
	if (key >= POLICY_KEY_LIMITS)
		return set_limit(&policy->limits,
				 (enum limit_id)(key - POLICY_KEY_LIMITS), value, fault);
	if (keys[key].kind == VALUE_SWITCH)
		return set_switch((bool *)((char *)policy + keys[key].field), value,
				  fault);
	return set_name(policy, key, value, fault);
}

static const char *name_of(const struct policy *policy, unsigned key)
{
	if (key == POLICY_KEY_ENGINE)
		return policy_engine_names[policy->engine];
	if (key == POLICY_KEY_MODE)
		return policy_mode_names[policy->mode];
	return policy->base;
}

/* Emptied first: it is all of the list. */
static void write_globals(const char *globals, struct text *to)
{
	text_add_str(to, "Globals=\n");
	if (globals)
		text_addf(to, "Globals=%s\n", globals);
}

void policy_key_write(const struct policy *policy, unsigned key, struct text *to)
{
	enum limit_id id = (enum limit_id)(key - POLICY_KEY_LIMITS);
	char text[LIMIT_TEXT_MOST];

	if (key == POLICY_KEY_GLOBALS) {
		write_globals(policy->globals, to);
		return;
	}
	if (key == POLICY_KEY_CALLS) {
		calls_write(&policy->calls, to);
		return;
	}
	text_addf(to, "%s=", policy_key_name(key).key);
	if (key >= POLICY_KEY_LIMITS) {
		limits_write(id, policy->limits.value[id], text);
		text_add_str(to, text);
	} else if (keys[key].kind == VALUE_SWITCH) {
		const char *field = (const char *)policy + keys[key].field;

		text_add_str(to, *(const bool *)field ? "yes" : "no");
	} else {
		text_add_str(to, name_of(policy, key));
	}
	text_add_char(to, '\n');
}
