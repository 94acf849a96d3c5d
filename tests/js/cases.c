/* SPDX-License-Identifier: MIT */
/*
 * cases ENGINES DIFFERENCES QUOD-JS FILE...: runs every case of the .cases files in
 * quod-js, once on each engine, and compares the report; TAP. ENGINES is a list of words:
 * "duktape quickjs".
 *
 *	== name
 *	-- --option=value ... [escaped]     escaped: \xHH in the source are bytes
 *	source, any number of lines
 *	=> key JSON      the report has it, equal to this
 *	=~ key text      it is a string, or a list of strings, that contains this
 *	=< key number    it is a number and at most this
 *	=! key           it is not there
 *	duktape: =...    the same, of one engine alone
 *	quickjs: =...
 *	why: id          why they differ: a row of DIFFERENCES, whose lines begin "id | "
 *
 * Keys are paths: error.name. Whatever a case expects, no frame may be broken, the engine
 * that runs must be the one that was asked for, and where a case says nothing of exit,
 * signal or timeout the process must exit with 0. What is expected of one engine alone
 * needs a reason that is in the list; a reason without such a line is an error too.
 */
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "rootfs/protocol.h"
#include "tests/js/host.h"

#define LINES_MOST 64
#define TEXT_MOST  65536
#define IDS_MOST   64

static const char *const engine_names[] = {
	[JOB_ENGINE_DUKTAPE] = "duktape", [JOB_ENGINE_QUICKJS] = "quickjs"};
#define ENGINES (sizeof(engine_names) / sizeof(engine_names[0]))

struct expectation {
	unsigned engine; /* enum job_engine; AUTO: both */
	char *text;
};

struct test_case {
	char *name, *options, *why;
	struct expectation expectations[LINES_MOST];
	unsigned count;
	char source[TEXT_MOST];
	size_t source_len;
};

static const char *program;
static bool engine_runs[ENGINES];
static char *ids[IDS_MOST]; /* of differences that have a reason */
static unsigned ids_count, number, failures;

static json_t *look_up(json_t *report, const char *path)
{
	char key[64];
	const char *dot = strchr(path, '.');

	if (!dot)
		return json_object_get(report, path);
	snprintf(key, sizeof(key), "%.*s", (int)(dot - path), path);
	return look_up(json_object_get(report, key), dot + 1);
}

static bool contains(const json_t *value, const char *text)
{
	size_t i;
	json_t *item;

	if (json_is_string(value))
		return strstr(json_string_value(value), text);
	json_array_foreach(value, i, item) if (contains(item, text)) return true;
	return false;
}

/* The text of a native function, which each engine lays out in its own way. */
static json_t *on_one_line(const json_t *value)
{
	static const char many[] = "{\n    [native code]\n}", one[] = "{ [native code] }";
	static char text[TEXT_MOST];
	size_t n = 0;

	if (!json_is_string(value) || json_string_length(value) >= sizeof(text))
		return json_deep_copy(value);
	for (const char *at = json_string_value(value),
			*end = at + json_string_length(value);
	     at < end;) {
		bool is_native = !strncmp(at, many, sizeof(many) - 1);

		if (is_native)
			memcpy(text + n, one, sizeof(one) - 1);
		else
			text[n] = *at;
		at += is_native ? sizeof(many) - 1 : 1;
		n += is_native ? sizeof(one) - 1 : 1;
	}
	return json_stringn(text, n);
}

static bool equals(const json_t *value, const char *text)
{
	json_t *wanted = json_loads(text, JSON_DECODE_ANY | JSON_ALLOW_NUL, NULL);
	json_t *got = on_one_line(value);
	bool same = wanted && json_equal(got, wanted);

	json_decref(got);
	json_decref(wanted);
	return same;
}

static bool meets(json_t *report, const char *expectation)
{
	char path[64] = "";
	int at = 0;
	json_t *value;

	sscanf(expectation + 2, " %63s %n", path, &at);
	value = look_up(report, path);
	switch (expectation[1]) {
	case '>':
		return equals(value, expectation + 2 + at);
	case '~':
		return contains(value, expectation + 2 + at);
	case '<':
		return json_is_number(value) &&
		       json_number_value(value) <= strtod(expectation + 2 + at, NULL);
	case '!':
		return !value;
	default:
		return false;
	}
}

static bool is_of(const struct expectation *expectation, unsigned engine)
{
	return expectation->engine == JOB_ENGINE_AUTO || expectation->engine == engine;
}

static bool speaks_of_end(const struct test_case *test, unsigned engine)
{
	for (unsigned i = 0; i < test->count; i++) {
		const char *text = test->expectations[i].text;

		if (is_of(&test->expectations[i], engine) &&
		    (strstr(text, " exit ") || strstr(text, " signal ") ||
		     strstr(text, " timeout ")))
			return true;
	}
	return false;
}

static bool ran_on(json_t *report, unsigned long long engine)
{
	json_t *gate = json_object_get(report, "gate");

	return !gate || (unsigned long long)json_integer_value(gate) == engine;
}

static bool complain(const char *what)
{
	printf("# %s\n", what);
	return false;
}

static bool judge(const struct test_case *test, unsigned engine, json_t *report)
{
	bool good = true;
	unsigned judged = 0;

	for (unsigned i = 0; i < test->count; i++) {
		if (!is_of(&test->expectations[i], engine))
			continue;
		judged++;
		if (meets(report, test->expectations[i].text))
			continue;
		printf("# not met: %s\n", test->expectations[i].text);
		good = false;
	}
	if (!judged)
		good = complain("nothing is expected of this engine");
	if (!speaks_of_end(test, engine) && !meets(report, "=> exit 0"))
		good = complain("it did not exit with 0");
	return meets(report, "=! fault") ? good : complain("a frame is broken");
}

/* Engines may differ only where the list says why. */
static bool reason_is_given(const struct test_case *test)
{
	bool differs = false;

	for (unsigned i = 0; i < test->count; i++)
		differs = differs || test->expectations[i].engine != JOB_ENGINE_AUTO;
	if (!test->why)
		return !differs || complain("engines differ here: why?");
	if (!differs)
		return complain("a reason, but the engines do not differ");
	for (unsigned i = 0; i < ids_count; i++)
		if (!strcmp(ids[i], test->why))
			return true;
	return complain("the reason is not in the list of differences");
}

static int hex(char c)
{
	return c >= '0' && c <= '9' ? c - '0' : (c | 32) - 'a' + 10;
}

static size_t unescape(char *text, size_t n)
{
	size_t to = 0;

	for (size_t i = 0; i < n; i++) {
		if (i + 3 < n && text[i] == '\\' && text[i + 1] == 'x') {
			text[to++] = (char)(hex(text[i + 2]) * 16 + hex(text[i + 3]));
			i += 3;
		} else {
			text[to++] = text[i];
		}
	}
	return to;
}

static void options_take(struct test_case *test, struct host_options *options)
{
	char *rest = test->options;

	for (char *word; (word = strtok_r(rest, " \n", &rest));) {
		if (!strcmp(word, "escaped")) {
			test->source_len = unescape(test->source, test->source_len);
		} else if (host_option_parse(options, word)) {
			printf("Bail out! '%s' is no option\n", word);
			exit(1);
		}
	}
}

/* The report stays the caller's. */
static void tell(const char *name, unsigned engine, bool good, json_t *report)
{
	printf("%s %u - %s (%s)\n", good ? "ok" : "not ok", ++number, name,
	       engine_names[engine]);
	if (!good) {
		char *text = json_dumps(report, JSON_SORT_KEYS | JSON_COMPACT);

		printf("# %s\n", text);
		free(text);
		failures++;
	}
	fflush(stdout);
}

static void run_on(const struct test_case *test, unsigned engine,
		   const struct host_options *options)
{
	json_t *report = host_run(program, options, test->source, test->source_len);
	bool good = judge(test, engine, report);

	if (!ran_on(report, options->engine) && !meets(report, "=~ finding engine: "))
		good = complain("another engine ran");
	tell(test->name, engine, good && reason_is_given(test), report);
	json_decref(report);
}

static void run(struct test_case *test)
{
	struct host_options options = HOST_OPTIONS_INIT;

	options.ahead = getenv("QUOD_TEST_AHEAD") != NULL;
	if (!test->name)
		return;
	if (test->source_len && test->source[test->source_len - 1] == '\n')
		test->source_len--;
	if (test->options)
		options_take(test, &options);
	for (unsigned engine = 1; engine < ENGINES; engine++) {
		struct host_options on_engine = options;

		if (!engine_runs[engine])
			continue;
		if (!options.engine)
			on_engine.engine = engine;
		run_on(test, engine, &on_engine);
	}
}

static void forget(struct test_case *test)
{
	free(test->name);
	free(test->options);
	free(test->why);
	for (unsigned i = 0; i < test->count; i++)
		free(test->expectations[i].text);
	memset(test, 0, offsetof(struct test_case, source));
	test->source_len = 0;
}

/* False: the line is no expectation. */
static bool expectation_take(struct test_case *test, const char *line, size_t n)
{
	struct expectation *to = &test->expectations[test->count];
	const char *start = line;

	to->engine = JOB_ENGINE_AUTO;
	for (unsigned engine = 1; engine < ENGINES; engine++) {
		size_t name_len = strlen(engine_names[engine]);

		if (strncmp(line, engine_names[engine], name_len) ||
		    strncmp(line + name_len, ": ", 2))
			continue;
		to->engine = engine;
		start = line + name_len + 2;
	}
	if (start[0] != '=' || !start[1] || !strchr(">~<!", start[1]) ||
	    test->count == LINES_MOST)
		return false;
	to->text = strndup(start, n - (size_t)(start - line) - 1);
	test->count++;
	return true;
}

static void line_take(struct test_case *test, const char *line, size_t n)
{
	if (!strncmp(line, "== ", 3)) {
		run(test);
		forget(test);
		test->name = strndup(line + 3, n - 4);
	} else if (!strncmp(line, "-- ", 3)) {
		test->options = strdup(line + 3);
	} else if (!strncmp(line, "why: ", 5)) {
		test->why = strndup(line + 5, n - 6);
	} else if (!expectation_take(test, line, n) && test->name && !test->count &&
		   test->source_len + n < TEXT_MOST) {
		memcpy(test->source + test->source_len, line, n);
		test->source_len += n;
	}
}

static FILE *file_open(const char *path)
{
	FILE *file = fopen(path, "r");

	if (!file) {
		printf("Bail out! cannot open %s\n", path);
		exit(1);
	}
	return file;
}

static void file_run(const char *path)
{
	static struct test_case test;
	FILE *file = file_open(path);
	char *line = NULL;
	size_t room = 0;
	ssize_t n;

	while ((n = getline(&line, &room, file)) > 0)
		line_take(&test, line, (size_t)n);
	run(&test);
	forget(&test);
	free(line);
	fclose(file);
}

static void differences_read(const char *path)
{
	FILE *file = file_open(path);
	char *line = NULL;
	size_t room = 0;

	while (getline(&line, &room, file) > 0) {
		char *bar = strstr(line, " | ");

		if (line[0] != '#' && bar && ids_count < IDS_MOST)
			ids[ids_count++] = strndup(line, (size_t)(bar - line));
	}
	free(line);
	fclose(file);
}

/* One that this quod-js does not have fails once and loudly. */
static void engine_probe(unsigned engine)
{
	struct host_options options = HOST_OPTIONS_INIT;
	json_t *report;

	options.engine = engine;
	report = host_run(program, &options, "1", 1);
	engine_runs[engine] = meets(report, "=> text \"1\"") && ran_on(report, engine);
	tell("the engine is there", engine, engine_runs[engine], report);
	json_decref(report);
}

static void engine_take(const char *name)
{
	for (unsigned engine = 1; engine < ENGINES; engine++)
		if (!strcmp(name, engine_names[engine])) {
			engine_probe(engine);
			return;
		}
	printf("Bail out! there is no engine '%s'\n", name);
	exit(1);
}

int main(int argc, char **argv)
{
	if (argc < 5) {
		fprintf(stderr, "usage: cases ENGINES DIFFERENCES QUOD-JS FILE...\n");
		return 2;
	}
	program = argv[3];
	differences_read(argv[2]);
	for (char *word, *rest = argv[1]; (word = strtok_r(rest, " ", &rest));)
		engine_take(word);
	for (int i = 4; i < argc; i++)
		file_run(argv[i]);
	printf("1..%u\n", number);
	while (ids_count)
		free(ids[--ids_count]);
	return failures > 0;
}
