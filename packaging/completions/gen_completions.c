/* SPDX-License-Identifier: MIT */
/*
 * Run at build time: gen_completions SHELL PROGRAM prints the file with which the shell
 * completes `quod` or `quodd`, out of the tables of their commands and options. What does
 * not follow from a table, how a shell is told, is in quod.bash, quod.zsh and quod.fish
 * beside this file, which come first in what is installed.
 */
#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>

#include "base/own.h"
#include "daemon/option_table.h"
#include "policy/policy.h"
#include "supervisor/command_table.h"
#include "supervisor/doctor.h"
#include "supervisor/status.h"

enum kind {
#define X(kind, words) KIND_##kind,
	OPTION_KINDS(X)
#undef X
		KINDS_COUNT
};

/* With those that are other tables' words. */
#define NAME_OF(id, name)		 " " name
#define STATUS_OF(id, name, code, about) " " name
static const char *words_of(enum kind kind)
{
	static const char *const words[KINDS_COUNT] = {
#define X(kind, words) words,
		OPTION_KINDS(X)
#undef X
	};

	switch (kind) {
	case KIND_ENGINE:
		return &(POLICY_ENGINES(NAME_OF))[1];
	case KIND_MODE:
		return &(POLICY_MODES(NAME_OF))[1];
	case KIND_STATUS:
		return "running" STATUS_TABLE(STATUS_OF);
	default:
		return words[kind];
	}
}

struct option {
	char letter;
	const char *name, *arg;
	enum kind kind;
	const char *help;
};

#define OPTION(letter, name, arg, kind, help, member) \
	{letter, name, arg, KIND_##kind, help},

static const struct command {
	const char *name, *about;
	enum kind kind; /* of what is no option */
	struct option options[32];
} commands[] = {
#define X(name, synopsis, kind, about) \
	{#name, about, KIND_##kind, {name##_OPTIONS(OPTION){0}}},
	COMMANDS(X)
#undef X
};

static const struct command quodd = {"quodd", "", KIND_FLAG, {QUODD_OPTIONS(OPTION){0}}};

static const struct {
	const char *word;
	enum kind kind;
} policy_words[] = {
#define X(word, kind) {#word, KIND_##kind},
	POLICY_WORDS(X)
#undef X
};

/* Between single quotes of a shell; `special` has a backslash put before it. */
static void put_quoted(const char *text, const char *special)
{
	for (; *text; text++) {
		if (*text == '\'') {
			printf("'\\''");
			continue;
		}
		if (strchr(special, *text))
			putchar('\\');
		putchar(*text);
	}
}

static const char *kind_name(enum kind kind)
{
	static const char *const names[KINDS_COUNT] = {
#define X(kind, words) #kind,
		OPTION_KINDS(X)
#undef X
	};

	return names[kind];
}

/* --- bash --------------------------------------------------------------------- */

/* "--name KIND" and "-x KIND", one a line. */
static void bash_options(const struct command *command)
{
	printf("\t%s) echo '", command->name);
	for (const struct option *o = command->options; o->name; o++) {
		printf("--%s %s\n", o->name, kind_name(o->kind));
		if (o->letter)
			printf("-%c %s\n", o->letter, kind_name(o->kind));
	}
	printf("' ;;\n");
}

static void bash_words(void)
{
	printf("_quod_words() {\n\tcase $1 in\n");
	for (int kind = 0; kind < KINDS_COUNT; kind++)
		if (words_of((enum kind)kind))
			printf("\t%s) echo '%s' ;;\n", kind_name((enum kind)kind),
			       words_of((enum kind)kind));
	printf("\tcommands) echo '");
	for (size_t i = 0; i < ARRAY_LEN(commands); i++)
		printf("%s ", commands[i].name);
	printf("' ;;\n\tpolicy) echo '");
	for (size_t i = 0; i < ARRAY_LEN(policy_words); i++)
		printf("%s ", policy_words[i].word);
	printf("' ;;\n\tesac\n}\n");
}

/* What a command takes that is no option, as KIND. */
static void bash_operands(void)
{
	printf("_quod_operand() {\n\tcase $1 in\n");
	for (size_t i = 0; i < ARRAY_LEN(commands); i++)
		printf("\t%s) echo %s ;;\n", commands[i].name,
		       kind_name(commands[i].kind));
	for (size_t i = 0; i < ARRAY_LEN(policy_words); i++)
		printf("\tpolicy.%s) echo %s ;;\n", policy_words[i].word,
		       kind_name(policy_words[i].kind));
	printf("\tesac\n}\n");
}

static void bash(bool daemon)
{
	printf("_quod_options() {\n\tcase $1 in\n");
	for (size_t i = 0; i < ARRAY_LEN(commands); i++)
		bash_options(&commands[i]);
	bash_options(&quodd);
	printf("\tesac\n}\n");
	bash_words();
	bash_operands();
	printf(daemon ? "complete -F _quod_daemon quodd\n" : "complete -F _quod quod\n");
}

/* --- zsh ---------------------------------------------------------------------- */

static void zsh_action(enum kind kind)
{
	if (words_of(kind))
		printf("(%s)", words_of(kind));
	else if (kind == KIND_POLICY)
		printf("_quod_policies");
	else if (kind == KIND_FILE)
		printf("_files");
	else if (kind == KIND_DIRECTORY)
		printf("_directories");
	else if (kind == KIND_USER)
		printf("_users");
	else
		putchar(' ');
}

static void zsh_option(const struct option *o)
{
	printf(" \\\n\t\t");
	if (o->letter)
		printf("'(-%c --%s)'{-%c,--%s}'", o->letter, o->name, o->letter, o->name);
	else
		printf("'--%s", o->name);
	/* --name=VALUE is as good as --name VALUE. */
	if (o->letter && o->arg)
		printf("[");
	else
		printf(o->arg ? "=[" : "[");
	put_quoted(o->help, "[]\\");
	putchar(']');
	if (o->arg) {
		printf(":%s:", o->arg);
		zsh_action(o->kind);
	}
	putchar('\'');
}

static void zsh_command(const struct command *command)
{
	printf("_quod_command_%s() {\n\t_arguments -s", command->name);
	for (const struct option *o = command->options; o->name; o++)
		zsh_option(o);
	if (!strcmp(command->name, "exec"))
		printf(" \\\n\t\t'1:program:_files' '*:argument:_files'");
	else if (!strcmp(command->name, "policy")) {
		printf(" \\\n\t\t'1:what:(");
		for (size_t i = 0; i < ARRAY_LEN(policy_words); i++)
			printf("%s%s", i ? " " : "", policy_words[i].word);
		printf(")' '2:which:_quod_policy_operand'");
	} else if (command->kind == KIND_FILE)
		printf(" \\\n\t\t'1:file:_files'");
	printf("\n}\n");
}

static void zsh(bool daemon)
{
	if (daemon) {
		zsh_command(&quodd);
		printf("_quod_command_quodd \"$@\"\n");
		return;
	}
	for (size_t i = 0; i < ARRAY_LEN(commands); i++)
		zsh_command(&commands[i]);
	printf("_quod_commands=(");
	for (size_t i = 0; i < ARRAY_LEN(commands); i++) {
		printf("\n\t'%s:", commands[i].name);
		put_quoted(commands[i].about, "");
		putchar('\'');
	}
	printf(")\n_quod \"$@\"\n");
}

/* --- fish --------------------------------------------------------------------- */

static void fish_action(enum kind kind)
{
	if (words_of(kind))
		printf(" -x -a '%s'", words_of(kind));
	else if (kind == KIND_POLICY)
		printf(" -r -F -a '(__quod_policies)'");
	else if (kind == KIND_FILE)
		printf(" -r -F");
	else if (kind == KIND_DIRECTORY)
		printf(" -x -a '(__fish_complete_directories)'");
	else if (kind == KIND_USER)
		printf(" -x -a '(__fish_complete_users)'");
	else if (kind == KIND_TEXT)
		printf(" -x");
}

static void fish_options(const struct command *command, bool daemon)
{
	for (const struct option *o = command->options; o->name; o++) {
		if (daemon)
			printf("complete -c quodd");
		else
			printf("complete -c quod -n '__quod_command_is %s'",
			       command->name);
		if (o->letter)
			printf(" -s %c", o->letter);
		printf(" -l %s", o->name);
		fish_action(o->kind);
		printf(" -d '");
		/* Between its single quotes only these two are special, and mean this. */
		for (const char *c = o->help; *c; c++)
			*c == '\'' || *c == '\\' ? printf("\\%c", *c) : putchar(*c);
		printf("'\n");
	}
}

static void fish(bool daemon)
{
	if (daemon) {
		printf("complete -c quodd -f\n");
		fish_options(&quodd, true);
		return;
	}
	printf("complete -c quod -f\n");
	for (size_t i = 0; i < ARRAY_LEN(commands); i++) {
		printf("complete -c quod -n '__quod_command_is \"\"' -a %s -d '%s'\n",
		       commands[i].name, commands[i].about);
		fish_options(&commands[i], false);
		if (commands[i].kind == KIND_FILE)
			printf("complete -c quod -n '__quod_command_is %s' -F\n",
			       commands[i].name);
	}
	for (size_t i = 0; i < ARRAY_LEN(policy_words); i++) {
		printf("complete -c quod -n '__quod_command_is policy; and not "
		       "__fish_seen_subcommand_from list show test' -a %s\n",
		       policy_words[i].word);
		if (policy_words[i].kind != KIND_FLAG) {
			printf("complete -c quod -n '__quod_command_is policy; and "
			       "__fish_seen_subcommand_from %s'",
			       policy_words[i].word);
			fish_action(policy_words[i].kind);
			putchar('\n');
		}
	}
}

int main(int argc, char **argv)
{
	static const struct {
		const char *name;
		void (*put)(bool daemon);
	} shells[] = {{"bash", bash}, {"zsh", zsh}, {"fish", fish}};

	for (size_t i = 0; argc == 3 && i < ARRAY_LEN(shells); i++)
		if (!strcmp(shells[i].name, argv[1])) {
			shells[i].put(!strcmp(argv[2], "quodd"));
			return fflush(stdout) ? 1 : 0;
		}
	fprintf(stderr, "gen_completions: bash, zsh or fish; quod or quodd\n");
	return 2;
}
