/* SPDX-License-Identifier: MIT */
/*
 * Runs the rows of the attack classes: one jail for each row and each set of walls, so
 * that a kill hides nothing. Most of a jail's time is waiting for the kernel to make and
 * unmake its namespaces, so a number of them run beside each other.
 */
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
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
	bool no_files, in_template;
};

static const struct walls bare = {.name = "filter off"},
			  no_files = {.name = "filter off, no file allowed",
				      .no_files = true},
			  template = {.name = "filter off, the root of a template",
				      .no_files = true,
				      .in_template = true},
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

/* Made once; NULL where there can be none, which template.c looks into. */
static struct jail_template *the_template(void)
{
	static struct jail_template *made;
	static bool tried;
	struct jail_error err;

	if (!tried && jail_template_make(&made, &err) < 0)
		note("no template: %s", err.text);
	tried = true;
	return made;
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

/* One jail: a row within some walls. `wanted` NULL: depends on the host, and is told. */
struct trial {
	const struct attack *attack;
	const struct walls *walls;
	const char *wanted;
	struct started started;
};

static struct started begin(const struct attack *attack, const struct walls *walls)
{
	struct jail_spec spec = bare_spec(attack->name, attack->arg);

	put_filter(&spec, walls);
	if (walls->no_files)
		spec.limits.open_files = 0;
	if (walls->in_template)
		spec.template = the_template();
	return begin_spec(&spec);
}

/* Without a descriptor some attempts end before what refuses them elsewhere. */
static bool is_right(const struct trial *trial, const char *got)
{
	return is_among(trial->wanted, got) ||
	       (trial->walls->in_template && !strcmp(got, "EMFILE"));
}

static void finish(const char *class, struct trial *trial)
{
	struct outcome outcome = finish_spec(&trial->started);
	const char *got = attempt_outcome(&outcome, trial->attack->name);
	bool right = trial->wanted && is_right(trial, got);

	if (!trial->wanted)
		note("%s, %s: this kernel says %s", trial->attack->what,
		     trial->walls->name, got);
	else if (!check(right, "%s: %s, %s: %s", class, trial->attack->what,
			trial->walls->name, right ? got : trial->wanted))
		note("it was %s: %s%s", got, outcome.out, outcome.err.text);
}

static bool is_refused_by_filter(const char *wanted)
{
	return is_among(wanted, "SIGSYS") || is_among(wanted, "ENOSYS");
}

/* The trials of one row. The filter of quod-js traps a call whatever its arguments are:
 * of rows that make the same call the first is enough. */
static size_t list_trials(const struct attack *attack, bool first, struct trial *to)
{
	size_t n = 0;

	to[n++] = (struct trial){attack, &bare, attack->bare, {0}};
	if (attack->no_files)
		to[n++] = (struct trial){attack, &no_files, attack->no_files, {0}};
	if (the_template())
		to[n++] =
			(struct trial){attack,
				       &template,
				       attack->no_files ? attack->no_files : attack->bare,
				       {0}};
	if (attack->filtered)
		to[n++] = (struct trial){attack, &exec_filter, attack->filtered, {0}};
	if (first && attack->filtered && is_refused_by_filter(attack->filtered))
		to[n++] = (struct trial){attack, &js_filter, "SIGSYS", {0}};
	return n;
}

#define PER_ROW 5
#define AT_ONCE 16

static void run_trials(const char *class, struct trial *trials, size_t count)
{
	size_t begun = 0;

	for (size_t i = 0; i < count; i++) {
		for (; begun < count && begun < i + AT_ONCE; begun++)
			trials[begun].started =
				begin(trials[begun].attack, trials[begun].walls);
		finish(class, &trials[i]);
	}
}

void attacks_try(const char *class, const struct attack *attacks, size_t count)
{
	own_free struct trial *trials = calloc(count * PER_ROW, sizeof(*trials));
	size_t n = 0;

	if (!trials) {
		check(false, "%s: no memory", class);
		return;
	}
	for (size_t i = 0; i < count; i++) {
		bool first = i == 0 || strcmp(attacks[i].name, attacks[i - 1].name) != 0;
		n += list_trials(&attacks[i], first, trials + n);
	}
	run_trials(class, trials, n);
}
