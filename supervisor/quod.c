/* SPDX-License-Identifier: MIT */
/*
 * The command line: finds the subcommand and hands over to it.
 */
#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/file.h"
#include "base/own.h"
#include "supervisor/commands.h"
#include "supervisor/status.h"

static const struct row {
	const struct command *command;
	const char *synopsis; /* after the name */
	const char *about;    /* one line */
} rows[] = {
#define X(name, synopsis, kind, about) {&command_##name, synopsis, about},
	COMMANDS(X)
#undef X
};

static void say(const char *sentence)
{
	own_text struct text line = TEXT_INIT(8192);

	text_add_str(&line, "quod: ");
	/* Words of the command line are in it, and the user may be shown anything. */
	text_add_escaped(&line, sentence, strlen(sentence), 0);
	text_add_char(&line, '\n');
	if (text_status(&line) == -ENOMEM) {
		sentence = "quod: there is no memory to say what is wrong\n";
		(void)file_write_all(STDERR_FILENO, sentence, strlen(sentence));
		return;
	}
	(void)file_write_all(STDERR_FILENO, text_str(&line), line.len);
}

int command_misused(const struct command *command, int r, const struct usage *usage)
{
	char sentence[sizeof(usage->text) + 64];

	snprintf(sentence, sizeof(sentence), "%s (quod %s --help shows more)",
		 usage->text, command->name);
	say(r == -EINVAL ? sentence : usage->text);
	return EXIT_USAGE;
}

int command_failed(int code, const struct usage *why)
{
	say(why->text);
	return code;
}

int command_print(struct text *text)
{
	int r = text_status(text);
	char sentence[128];

	if (!r)
		r = file_write_all(STDOUT_FILENO, text->data, text->len);
	if (!r)
		return 0;
	snprintf(sentence, sizeof(sentence), "cannot write to stdout: %s", strerror(-r));
	say(sentence);
	return status_infos[STATUS_INTERNAL_ERROR].exit_code;
}

static int help_all(void)
{
	own_text struct text help = TEXT_INIT(65536);

	text_add_str(&help,
		     "quod runs untrusted JavaScript, each run in a Linux jail of its "
		     "own.\n\n");
	for (size_t i = 0; i < ARRAY_LEN(rows); i++)
		text_addf(&help, "  quod %-8s %s\n", rows[i].command->name,
			  rows[i].about);
	text_add_str(&help, "\nquod COMMAND --help shows the options of one.\n");
	return command_print(&help);
}

static int help_one(const struct row *row)
{
	const struct command *command = row->command;
	own_text struct text help = TEXT_INIT(65536);

	text_addf(&help, "quod %s %s\n%s\n", command->name, row->synopsis, row->about);
	if (command->options_count)
		text_add_char(&help, '\n');
	options_help(command->options, command->options_count, &help);
	return command_print(&help);
}

static int unknown_command(const char *name)
{
	struct nearest nearest = NEAREST_INIT(name);
	char sentence[256];

	for (size_t i = 0; i < ARRAY_LEN(rows); i++)
		nearest_offer(&nearest, rows[i].command->name);
	snprintf(sentence, sizeof(sentence), "unknown command '%.100s'%s%s%s", name,
		 nearest.best ? ": did you mean " : "", nearest.best ? nearest.best : "",
		 nearest.best ? "?" : " (quod --help lists them)");
	say(sentence);
	return EXIT_USAGE;
}

static const struct row *find_row(const char *name)
{
	for (size_t i = 0; i < ARRAY_LEN(rows); i++)
		if (!strcmp(rows[i].command->name, name))
			return &rows[i];
	return NULL;
}

static bool is_help(const char *word)
{
	return !strcmp(word, "--help") || !strcmp(word, "-h");
}

int main(int argc, char **argv)
{
	const struct row *row;

	int r = file_open_std_fds();

	/* Whoever started us may have ignored it: then no child's end could be known. */
	signal(SIGCHLD, SIG_DFL);
	/* A cgroup or a list of uids that nobody can enter would outlive this run. */
	umask(077);

	if (r < 0) {
		say(r == -EMFILE
			    ? "no file descriptor is left (raise the limit: ulimit -n)"
			    : "cannot open /dev/null, which stands in for a closed "
			      "stdin, stdout or stderr");
		return status_infos[STATUS_INTERNAL_ERROR].exit_code;
	}
	if (argc < 2) {
		say("a command is missing (quod --help lists them)");
		return EXIT_USAGE;
	}
	if (is_help(argv[1]) || !strcmp(argv[1], "help"))
		return help_all();
	if (!strcmp(argv[1], "--version"))
		return command_version.run(0, NULL);
	row = find_row(argv[1]);
	if (!row)
		return unknown_command(argv[1]);
	if (argc > 2 && is_help(argv[2]))
		return help_one(row);
	return row->command->run(argc - 2, argv + 2);
}
