/* SPDX-License-Identifier: MIT */
/*
 * Run at build time: a manual page from standard input to standard output, with what the
 * tables of the code say in place of each @verb@ and @verb argument@.
 *
 * A verb about one row of a table notes that the row was there. A page that has some rows
 * of a table has all of them, and names none that there is not: else there is no page.
 */
#include <inttypes.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/own.h"
#include "daemon/log.h"
#include "daemon/metrics.h"
#include "daemon/option_table.h"
#include "daemon/terms.h"
#include "jail/jail.h"
#include "policy/keys.h"
#include "supervisor/command_table.h"
#include "supervisor/doctor.h"
#include "supervisor/status.h"

enum table {
	TABLE_OPTIONS,
	TABLE_QUODD_OPTIONS,
	TABLE_TERMS,
	TABLE_KEYS,
	TABLE_EVENTS,
	TABLES_COUNT
};

/* All rows of all tables that are named one by one; a name may come several times. */
struct row {
	enum table table;
	const char *name;
	bool used;
	/* Of options. */
	char letter;
	const char *arg, *words;
	/* Of terms. */
	enum term_kind kind;
	uint64_t least, most, otherwise;
	const char *text; /* of events */
};

#define OPTION_KIND(kind, words) static const char *const words_##kind = words;
OPTION_KINDS(OPTION_KIND)
#undef OPTION_KIND

#define OPTION(letter, name, arg, kind, help, member) \
	{TABLE_OPTIONS, name, false, letter, arg, words_##kind, 0, 0, 0, 0, NULL},
#define QUODD_OPTION(letter, name, arg, kind, help, member) \
	{TABLE_QUODD_OPTIONS, name, false, letter, arg, words_##kind, 0, 0, 0, 0, NULL},
#define COMMAND(name, synopsis, kind, about) name##_OPTIONS(OPTION)
#define SETTING(id, section, key, kind, least, most, otherwise) \
	{TABLE_TERMS, key,   false, 0,	       NULL, NULL,      \
	 TERM_##kind, least, most,  otherwise, NULL},
#define TERM(id, key, kind, least, most, otherwise) \
	SETTING(id, "Tenant", key, kind, least, most, otherwise)
#define KEY(id, section, key, kind, field) \
	{TABLE_KEYS, key, false, 0, NULL, NULL, 0, 0, 0, 0, NULL},
#define EVENT(id, message_id, priority, what) \
	{TABLE_EVENTS, #id, false, 0, NULL, NULL, 0, 0, 0, 0, message_id},

static struct row rows[] = {COMMANDS(COMMAND) QUODD_OPTIONS(QUODD_OPTION) SETTINGS_TABLE(
	SETTING) TERMS_TABLE(TERM) POLICY_KEYS(KEY) LOG_EVENTS(EVENT)};

static void fail(const char *what, const char *name)
{
	fprintf(stderr, "gen_man: %s: %s\n", what, name);
	exit(1);
}

/* The first of them. */
static const struct row *find(enum table table, const char *name)
{
	for (size_t i = 0; i < ARRAY_LEN(rows); i++)
		if (rows[i].table == table && !strcmp(rows[i].name, name))
			return &rows[i];
	fail("the code has no such thing", name);
	return NULL;
}

static const struct row *use(enum table table, const char *name)
{
	for (size_t i = 0; i < ARRAY_LEN(rows); i++)
		if (rows[i].table == table && !strcmp(rows[i].name, name))
			rows[i].used = true;
	return find(table, name);
}

static void check_used(void)
{
	bool touched[TABLES_COUNT] = {false};

	for (size_t i = 0; i < ARRAY_LEN(rows); i++)
		touched[rows[i].table] |= rows[i].used;
	for (size_t i = 0; i < ARRAY_LEN(rows); i++)
		if (touched[rows[i].table] && !rows[i].used)
			fail("the page does not have", rows[i].name);
}

/* --- options ------------------------------------------------------------------ */

/* In a page there is room for the whole word. */
static void put_arg(const struct row *row)
{
	static const char *const words[][2] = {
		{"DUR", "duration"}, {"N", "number"}, {"DIR", "directory"}};

	if (row->words) {
		printf(" Cm ");
		for (const char *c = row->words; *c; c++)
			*c == ' ' ? printf(" | ") : putchar(*c);
		return;
	}
	printf(" Ar ");
	for (size_t i = 0; i < ARRAY_LEN(words); i++)
		if (!strcmp(words[i][0], row->arg)) {
			printf("%s", words[i][1]);
			return;
		}
	for (const char *c = row->arg; *c; c++)
		putchar(*c >= 'A' && *c <= 'Z' ? *c - 'A' + 'a' : *c);
}

static void put_option(const struct row *row)
{
	if (row->letter)
		printf("Fl %c , ", row->letter);
	printf("Fl -%s", row->name);
	if (row->arg)
		put_arg(row);
}

static void put_op(const struct row *row)
{
	printf(".Op Fl ");
	row->letter ? printf("%c", row->letter) : printf("-%s", row->name);
	if (row->arg)
		put_arg(row);
	putchar('\n');
}

/* What may stand behind it is not the same for every command: then only its kind. */
static void option(const char *name)
{
	struct row row = *use(TABLE_OPTIONS, name);

	for (size_t i = 0; i < ARRAY_LEN(rows); i++)
		if (rows[i].table == TABLE_OPTIONS && !strcmp(rows[i].name, name) &&
		    rows[i].words != row.words)
			row.words = NULL;
	put_option(&row);
}

static void quodd_option(const char *name)
{
	put_option(use(TABLE_QUODD_OPTIONS, name));
}

static void synopsis(const char *name)
{
	static const struct {
		const char *name;
		struct row options[32];
	} commands[] = {
#define X(name, synopsis, kind, about) {#name, {name##_OPTIONS(OPTION){0}}},
		COMMANDS(X)
#undef X
			{"quodd", {QUODD_OPTIONS(QUODD_OPTION){0}}},
	};

	for (size_t i = 0; i < ARRAY_LEN(commands); i++) {
		if (strcmp(commands[i].name, name) != 0)
			continue;
		for (const struct row *row = commands[i].options; row->name; row++)
			put_op(row);
		return;
	}
	fail("there is no such command", name);
}

/* --- how it ends -------------------------------------------------------------- */

static const struct {
	const char *name;
	int code;
	const char *about;
} statuses[] = {
#define X(id, name, code, about) {name, code, about},
	STATUS_TABLE(X)
#undef X
};

static void put_code(int code)
{
	for (size_t i = 0; i < ARRAY_LEN(statuses); i++)
		if (statuses[i].code == code)
			printf(".It %d%s\n.Sy %s :\n%s\n", code, code == 128 ? "+n" : "",
			       statuses[i].name, statuses[i].about);
	if (code == EXIT_USAGE)
		printf(".It %d\nwrong usage or configuration\n", code);
	if (code == EXIT_LESS)
		printf(".It %d\n.Nm Cm doctor :\nruns are possible, and a limit is held by "
		       "something weaker\n",
		       code);
}

/* 128+n is above all others. */
static void exit_codes(const char *none)
{
	(void)none;
	for (int code = 0; code < 256; code++)
		if (code != 128)
			put_code(code);
	put_code(128);
}

static void status_list(const char *none)
{
	(void)none;
	for (size_t i = 0; i < ARRAY_LEN(statuses); i++)
		printf(".It Sy %s\n%s\n", statuses[i].name, statuses[i].about);
}

static void reasons(const char *none)
{
	const char *before = ".Sy ";

	(void)none;
#define X(id, status, reason)           \
	printf("%s%s", before, reason); \
	before = " , ";
	REFUSALS(X)
#undef X
	putchar('\n');
}

static void stages(const char *none)
{
	const char *before = ".Sy ";

	(void)none;
#define X(name, text)                         \
	if (JAIL_STAGE_##name) {              \
		printf("%s%s", before, text); \
		before = " , ";               \
	}
	JAIL_STAGES(X)
#undef X
	putchar('\n');
}

/* --- files -------------------------------------------------------------------- */

static void limits(const char *none)
{
	char least[LIMIT_TEXT_MOST], most[LIMIT_TEXT_MOST];

	(void)none;
	for (int i = 0; i < LIMIT_IDS; i++) {
		limits_print((enum limit_id)i, limit_infos[i].least, least);
		limits_print((enum limit_id)i, limit_infos[i].most, most);
		printf(".It %s= Ta %s Ta %s Ta %s\n", limit_infos[i].key, least, most,
		       limit_infos[i].what);
	}
}

static void key(const char *name)
{
	printf("%s=", use(TABLE_KEYS, name)->name);
}

/* In the largest unit that leaves nothing over. */
static void put_value(enum term_kind kind, uint64_t value)
{
	static const struct unit {
		uint64_t size;
		const char *name;
	} durations[] = {{3600000, "h"}, {60000, "m"}, {1000, "s"}, {1, "ms"}},
	  sizes[] = {{1u << 30, "G"}, {1u << 20, "M"}, {1u << 10, "K"}, {1, ""}};
	const struct unit *unit = kind == TERM_DURATION ? durations : sizes;

	if (kind == TERM_COUNT || !value) {
		printf("%" PRIu64, value);
		return;
	}
	while (value % unit->size)
		unit++;
	printf("%" PRIu64 "%s", value / unit->size, unit->name);
}

static void bounds(const char *name)
{
	const struct row *row = find(TABLE_TERMS, name);

	put_value(row->kind, row->least);
	printf(" to ");
	put_value(row->kind, row->most);
}

/* "1 to 512; 16": and what it is if nobody says it. */
static void range(const char *name)
{
	const struct row *row = find(TABLE_TERMS, name);

	bounds(name);
	printf("; ");
	put_value(row->kind, row->otherwise);
}

static void otherwise(const char *name)
{
	const struct row *row = find(TABLE_TERMS, name);

	put_value(row->kind, row->otherwise);
}

static void term(const char *name)
{
	printf("%s=", use(TABLE_TERMS, name)->name);
}

static void event(const char *name)
{
	printf("%s", use(TABLE_EVENTS, name)->text);
}

/* --- the page ----------------------------------------------------------------- */

static const struct verb {
	const char *name;
	void (*put)(const char *argument);
	bool lines; /* it puts whole ones */
} verbs[] = {
	{"option", option, false},
	{"quodd-option", quodd_option, false},
	{"synopsis", synopsis, true},
	{"exit-codes", exit_codes, true},
	{"statuses", status_list, true},
	{"reasons", reasons, true},
	{"stages", stages, true},
	{"limits", limits, true},
	{"key", key, false},
	{"bounds", bounds, false},
	{"range", range, false},
	{"otherwise", otherwise, false},
	{"term", term, false},
	{"event", event, false},
};

/* Does it put whole lines? */
static bool put_verb(char *words)
{
	char *argument = strchr(words, ' ');

	if (argument)
		*argument++ = '\0';
	for (size_t i = 0; i < ARRAY_LEN(verbs); i++)
		if (!strcmp(verbs[i].name, words)) {
			verbs[i].put(argument ? argument : "");
			return verbs[i].lines;
		}
	fail("there is no such verb", words);
	return false;
}

static void put_line(char *line)
{
	char *at, *end;
	bool lines = false;

	while ((at = strchr(line, '@')) && (end = strchr(at + 1, '@'))) {
		*at = *end = '\0';
		printf("%s", line);
		lines = put_verb(at + 1);
		line = end + 1;
	}
	if (!lines)
		printf("%s", line);
}

int main(void)
{
	char line[4096];

	while (fgets(line, sizeof(line), stdin))
		put_line(line);
	check_used();
	return ferror(stdin) || fflush(stdout) ? 1 : 0;
}
