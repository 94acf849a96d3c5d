/* SPDX-License-Identifier: MIT */
/*
 * --name VALUE, --name=VALUE, -x VALUE, -xVALUE; flags take nothing; `--` ends them. A
 * value is whatever stands next, also if it begins with a dash: a number may be negative.
 */
#include "supervisor/options.h"

#include <errno.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

struct parse {
	const struct option *table;
	size_t count;
	int argc, now;
	char **argv;
	void *into;
	uint64_t seen; /* bit per row of the table */
	struct usage *usage;
};

int usage_fail(struct usage *usage, int r, const char *format, ...)
{
	va_list args;

	va_start(args, format);
	vsnprintf(usage->text, sizeof(usage->text), format, args);
	va_end(args);
	return r;
}

void options_spell(const struct option *option, char *text, size_t size)
{
	if (option->name)
		snprintf(text, size, "--%s", option->name);
	else
		snprintf(text, size, "-%c", option->letter);
}

static int unknown(struct parse *parse, const char *given, const char *name)
{
	struct nearest nearest = NEAREST_INIT(name);

	for (size_t i = 0; name && i < parse->count; i++)
		if (parse->table[i].name)
			nearest_offer(&nearest, parse->table[i].name);
	if (nearest.best)
		return usage_fail(parse->usage, -EINVAL,
				  "unknown option '%s': did you mean --%s?", given,
				  nearest.best);
	return usage_fail(parse->usage, -EINVAL, "unknown option '%s'", given);
}

static const struct option *find_name(const struct parse *parse, const char *name)
{
	for (size_t i = 0; i < parse->count; i++)
		if (parse->table[i].name && !strcmp(parse->table[i].name, name))
			return &parse->table[i];
	return NULL;
}

static const struct option *find_letter(const struct parse *parse, char letter)
{
	for (size_t i = 0; i < parse->count; i++)
		if (parse->table[i].letter == letter)
			return &parse->table[i];
	return NULL;
}

/* `value` is what came with the option in one word, or NULL. */
static int store(struct parse *parse, const struct option *option, const char *value)
{
	uint64_t bit = (uint64_t)1 << (option - parse->table);
	char *field = (char *)parse->into + option->offset;
	char spelled[64];

	options_spell(option, spelled, sizeof(spelled));
	if (parse->seen & bit)
		return usage_fail(parse->usage, -EINVAL, "%s is given twice", spelled);
	parse->seen |= bit;
	if (!option->arg) {
		if (value)
			return usage_fail(parse->usage, -EINVAL, "%s takes no value",
					  spelled);
		*(bool *)field = true;
		return 0;
	}
	if (!value && parse->now == parse->argc)
		return usage_fail(parse->usage, -EINVAL, "%s needs a value: %s %s",
				  spelled, spelled, option->arg);
	*(const char **)field = value ? value : parse->argv[parse->now++];
	return 0;
}

static int take_long(struct parse *parse, char *word)
{
	char name[64];
	const char *equals = strchr(word, '=');
	size_t len = equals ? (size_t)(equals - word) - 2 : strlen(word) - 2;
	const struct option *option;

	snprintf(name, sizeof(name), "%.*s", len < sizeof(name) ? (int)len : 63,
		 word + 2);
	option = find_name(parse, name);
	if (!option)
		return unknown(parse, word, name);
	return store(parse, option, equals ? equals + 1 : NULL);
}

/* Flags may be bundled in one word; the first option with a value takes the rest. */
static int take_short(struct parse *parse, char *word)
{
	for (char *letter = word + 1; *letter; letter++) {
		const struct option *option = find_letter(parse, *letter);
		int r;

		if (!option)
			return unknown(parse, word, NULL);
		r = store(parse, option, option->arg && letter[1] ? letter + 1 : NULL);
		if (r < 0 || option->arg)
			return r;
	}
	return 0;
}

static int take_word(struct parse *parse, char *word)
{
	return word[1] == '-' ? take_long(parse, word) : take_short(parse, word);
}

static bool is_option(const char *word)
{
	return word[0] == '-' && word[1] != '\0';
}

int options_parse(const struct option *table, size_t count, bool strict, int argc,
		  char **argv, void *into, int *ret_rest, struct usage *usage)
{
	struct parse parse = {.table = table,
			      .count = count,
			      .argc = argc,
			      .argv = argv,
			      .into = into,
			      .usage = usage};
	bool ended = false;
	int rest = 0;

	while (parse.now < argc) {
		char *word = argv[parse.now++];
		int r;

		if (!ended && !strcmp(word, "--")) {
			ended = true;
		} else if (ended || !is_option(word)) {
			argv[rest++] = word;
			ended |= strict;
		} else {
			r = take_word(&parse, word);
			if (r < 0)
				return r;
		}
	}
	*ret_rest = rest;
	return 0;
}

int options_parse_only(const struct option *table, size_t count, int argc, char **argv,
		       void *into, struct usage *usage)
{
	int rest = 0;
	int r = options_parse(table, count, false, argc, argv, into, &rest, usage);

	if (r == 0 && rest)
		return usage_fail(usage, -EINVAL,
				  "it takes no argument, and '%.100s' is one", argv[0]);
	return r;
}

void options_help(const struct option *table, size_t count, struct text *to)
{
	for (size_t i = 0; i < count; i++) {
		const struct option *o = &table[i];
		char left[64], letter[8] = "    ";

		if (o->letter)
			snprintf(letter, sizeof(letter), "-%c%s", o->letter,
				 o->name ? ", " : "  ");
		snprintf(left, sizeof(left), "%s%s%s%s%s", letter, o->name ? "--" : "",
			 o->name ? o->name : "", o->arg ? " " : "", o->arg ? o->arg : "");
		text_addf(to, "  %-28s %s\n", left, o->help);
	}
}
