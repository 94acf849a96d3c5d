/* SPDX-License-Identifier: MIT */
/*
 * `quod policy`: which policies there are, what one of them says, and what is wrong with
 * a file.
 */
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "base/file.h"
#include "base/own.h"
#include "policy/load.h"
#include "policy/show.h"
#include "supervisor/commands.h"
#include "supervisor/status.h"

#define SHOW_MOST (1u << 20)

/* As compilers tell, so that an editor finds the place; what is about no file, as quod
 * does. Words of a file may be in it, and they go to a terminal. */
static void say_fault(void *context, const struct policy_fault *fault)
{
	own_text struct text line = TEXT_INIT(4096);
	char sentence[700];

	(void)context;
	report_spell(fault, sentence, sizeof(sentence));
	text_add_str(&line, fault->file ? "" : "quod: ");
	text_add_escaped(&line, sentence, strlen(sentence), 0);
	text_add_char(&line, '\n');
	if (text_status(&line) < 0) {
		snprintf(sentence, sizeof(sentence),
			 "quod: there is no memory to say what is wrong\n");
		(void)file_write_all(STDERR_FILENO, sentence, strlen(sentence));
		return;
	}
	(void)file_write_all(STDERR_FILENO, text_str(&line), line.len);
}

static int list_one(const char *name, struct text *to)
{
	own_policy const struct policy *policy = NULL;
	struct policy_report report = {.say = say_fault};
	int r = policy_read(name, false, &report, &policy);

	text_addf(to, "%-16s %s\n", name, r < 0 ? "cannot be loaded" : policy->about);
	return r;
}

static int list(const char *none)
{
	own_policy_names struct policy_names names = {0};
	own_text struct text to = TEXT_INIT(SHOW_MOST);
	struct policy_report report = {.say = say_fault};
	int r = policy_list(&names, &report), code;

	(void)none;
	for (size_t i = 0; i < names.count; i++)
		r = list_one(names.list[i], &to) < 0 ? -EINVAL : r;
	code = command_print(&to);
	return code ? code : r < 0 ? EXIT_USAGE : 0;
}

static int show(const char *name)
{
	own_policy const struct policy *policy = NULL;
	own_text struct text to = TEXT_INIT(SHOW_MOST);
	struct policy_report report = {.say = say_fault};

	if (policy_read(name, false, &report, &policy) < 0)
		return EXIT_USAGE;
	show_policy(policy, &to);
	return command_print(&to);
}

/* A word that ends like a policy file is one, in this directory. */
static int test(const char *name)
{
	own_policy const struct policy *policy = NULL;
	struct policy_report report = {.say = say_fault};
	char here[POLICY_NAME_MOST + 16];
	size_t len = strlen(name), suffix = strlen(".policy");

	if (!strchr(name, '/') && len > suffix && len + 3 <= sizeof(here) &&
	    !strcmp(name + len - suffix, ".policy")) {
		snprintf(here, sizeof(here), "./%s", name);
		name = here;
	}
	return policy_read(name, true, &report, &policy) < 0 ? EXIT_USAGE : 0;
}

static const struct {
	const char *name;
	bool takes_name;
	int (*run)(const char *name);
} actions[] = {
	{"list", false, list},
	{"show", true, show},
	{"test", true, test},
};

static int unknown_action(const char *word, struct usage *usage)
{
	struct nearest nearest = NEAREST_INIT(word);

	for (size_t i = 0; i < ARRAY_LEN(actions); i++)
		nearest_offer(&nearest, actions[i].name);
	if (nearest.best)
		return usage_fail(usage, -EINVAL,
				  "unknown action '%.100s': did you mean %s?", word,
				  nearest.best);
	return usage_fail(usage, -EINVAL, "unknown action '%.100s': list, show or test",
			  word);
}

static int find_action(const char *word, struct usage *usage)
{
	for (size_t i = 0; i < ARRAY_LEN(actions); i++)
		if (!strcmp(actions[i].name, word))
			return (int)i;
	return unknown_action(word, usage);
}

static int cmd_policy(int argc, char **argv)
{
	struct usage usage;
	int action = argc < 1 ? usage_fail(&usage, -EINVAL,
					   "an action is missing: list, show or test")
			      : find_action(argv[0], &usage);
	int r = action < 0 ? action : 0;

	if (r == 0 && actions[action].takes_name && argc < 2)
		r = usage_fail(&usage, -EINVAL, "%s of which policy? A NAME or a FILE",
			       argv[0]);
	if (r == 0 && argc > 1 + actions[action].takes_name)
		r = usage_fail(&usage, -EINVAL, "one argument too many: '%.100s'",
			       argv[argc - 1]);
	return r < 0 ? command_misused(&command_policy, r, &usage)
		     : actions[action].run(argv[1]);
}

const struct command command_policy = {
	.name = "policy",
	.run = cmd_policy,
};
