/* SPDX-License-Identifier: MIT */
/*
 * Runs the rows of the attack classes: one jail for each row and each set of walls, so
 * that a kill hides nothing.
 */
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include "base/own.h"
#include "base/signal_name.h"
#include "policy/filter_exec.h"
#include "policy/filter_js.h"
#include "tests/escape/attacks.h"

struct walls {
	const char *name;
	const struct sock_filter *filter;
	unsigned short filter_len;
	bool no_files;
};

static const struct walls bare = {.name = "filter off"},
			  no_files = {.name = "filter off, no file allowed",
				      .no_files = true},
			  exec_filter = {.name = "exec filter",
					 .filter = filter_exec,
					 .filter_len = ARRAY_LEN(filter_exec)},
			  js_filter = {.name = "js filter",
				       .filter = filter_js,
				       .filter_len = ARRAY_LEN(filter_js)};

struct jail_spec bare_spec(const char *name, const char *arg)
{
	struct jail_spec spec = inmate_spec(name, arg);

	spec.uid_inside = 0;
	return spec;
}

static void put_filter(struct jail_spec *spec, const struct walls *walls)
{
	spec->filter.filter = (struct sock_filter *)(uintptr_t)walls->filter;
	spec->filter.len = walls->filter_len;
}

void put_exec_filter(struct jail_spec *spec)
{
	put_filter(spec, &exec_filter);
}

void put_js_filter(struct jail_spec *spec)
{
	put_filter(spec, &js_filter);
}

static struct outcome run_within(const struct walls *walls, const struct attack *attack)
{
	struct jail_spec spec = bare_spec(attack->name, attack->arg);

	put_filter(&spec, walls);
	if (walls->no_files)
		spec.limits.open_files = 0;
	return run_spec(&spec);
}

/* The value of the line "NAME=value", if there is one. */
static bool find_value(const char *text, const char *name, char *to, size_t size)
{
	size_t len = strlen(name);

	for (const char *at = text; at; at = strchr(at, '\n')) {
		at += *at == '\n';
		if (!strncmp(at, name, len) && at[len] == '=') {
			snprintf(to, size, "%.*s", (int)strcspn(at + len + 1, "\n"),
				 at + len + 1);
			return true;
		}
	}
	return false;
}

const char *attempt_outcome(const struct outcome *outcome, const char *name)
{
	static char value[64], room[SIGNAL_NAME_ROOM];

	if (outcome->r < 0)
		return "no jail";
	if (find_value(outcome->out, name, value, sizeof(value)))
		return value;
	/* A signal before the attempt began would be none of its refusals. */
	if (outcome->result.end == JAIL_SIGNALED &&
	    find_value(outcome->out, "trying", value, sizeof(value)))
		return signal_name(outcome->result.signal, room);
	return "nothing said";
}

bool is_among(const char *words, const char *word)
{
	size_t len = strlen(word);

	for (const char *at = words; (at = strstr(at, word)); at += len)
		if ((at == words || at[-1] == ' ') && (at[len] == ' ' || !at[len]))
			return true;
	return false;
}

static void try_within(const char *class, const struct attack *attack,
		       const struct walls *walls, const char *wanted)
{
	struct outcome outcome = run_within(walls, attack);
	const char *got = attempt_outcome(&outcome, attack->name);

	if (!check(is_among(wanted, got), "%s: %s, %s: %s", class, attack->what,
		   walls->name, is_among(wanted, got) ? got : wanted))
		note("it was %s: %s%s", got, outcome.out, outcome.err.text);
}

/* What depends on the host is told, for the reader. */
static void tell_within(const struct attack *attack, const struct walls *walls)
{
	struct outcome outcome = run_within(walls, attack);

	note("%s, %s: this kernel says %s", attack->what, walls->name,
	     attempt_outcome(&outcome, attack->name));
}

static bool is_refused_by_filter(const char *wanted)
{
	return is_among(wanted, "SIGSYS") || is_among(wanted, "ENOSYS");
}

void attacks_try(const char *class, const struct attack *attacks, size_t count)
{
	for (size_t i = 0; i < count; i++) {
		const struct attack *attack = &attacks[i];
		if (attack->bare)
			try_within(class, attack, &bare, attack->bare);
		else
			tell_within(attack, &bare);
		if (attack->no_files)
			try_within(class, attack, &no_files, attack->no_files);
		if (!attack->filtered)
			continue;
		try_within(class, attack, &exec_filter, attack->filtered);
		if (is_refused_by_filter(attack->filtered))
			try_within(class, attack, &js_filter, "SIGSYS");
	}
}
