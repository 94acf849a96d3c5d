/* SPDX-License-Identifier: MIT */
/*
 * Runs every case of the .cases files in quod-js and compares the report; TAP.
 *
 *	== name
 *	-- --option=value ... [escaped]     escaped: \xHH in the source are bytes
 *	source, any number of lines
 *	=> key JSON      the report has it, equal to this
 *	=~ key text      it is a string, or a list of strings, that contains this
 *	=< key number    it is a number and at most this
 *	=! key           it is not there
 *
 * Keys are paths: error.name. Whatever a case expects, no frame may be broken, and where
 * it says nothing of exit, signal or timeout the process must exit with 0.
 */
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tests/js/host.h"

#define LINES_MOST 64
#define TEXT_MOST  65536

struct test_case {
	char *name, *options;
	char *expectations[LINES_MOST];
	unsigned count;
	char source[TEXT_MOST];
	size_t source_len;
};

static const char *program;
static unsigned number, failures;

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

static bool equals(json_t *value, const char *text)
{
	json_t *wanted = json_loads(text, JSON_DECODE_ANY | JSON_ALLOW_NUL, NULL);
	bool same = wanted && json_equal(value, wanted);

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

static bool speaks_of_end(const struct test_case *test)
{
	for (unsigned i = 0; i < test->count; i++)
		if (strstr(test->expectations[i], " exit ") ||
		    strstr(test->expectations[i], " signal ") ||
		    strstr(test->expectations[i], " timeout "))
			return true;
	return false;
}

static bool judge(const struct test_case *test, json_t *report)
{
	bool good = true;

	for (unsigned i = 0; i < test->count; i++) {
		if (meets(report, test->expectations[i]))
			continue;
		printf("# not met: %s\n", test->expectations[i]);
		good = false;
	}
	if (!speaks_of_end(test) && !meets(report, "=> exit 0"))
		good = false;
	if (!meets(report, "=! fault") || !test->count)
		good = false;
	return good;
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

static void run(struct test_case *test)
{
	struct host_options options = HOST_OPTIONS_INIT;
	json_t *report;
	bool good;

	if (!test->name)
		return;
	if (test->source_len && test->source[test->source_len - 1] == '\n')
		test->source_len--;
	if (test->options)
		options_take(test, &options);
	report = host_run(program, &options, test->source, test->source_len);
	good = judge(test, report);
	printf("%s %u - %s\n", good ? "ok" : "not ok", ++number, test->name);
	if (!good) {
		char *text = json_dumps(report, JSON_SORT_KEYS | JSON_COMPACT);

		printf("# %s\n", text);
		free(text);
		failures++;
	}
	fflush(stdout);
	json_decref(report);
}

static void forget(struct test_case *test)
{
	free(test->name);
	free(test->options);
	for (unsigned i = 0; i < test->count; i++)
		free(test->expectations[i]);
	memset(test, 0, offsetof(struct test_case, source));
	test->source_len = 0;
}

static void line_take(struct test_case *test, const char *line, size_t n)
{
	if (!strncmp(line, "== ", 3)) {
		run(test);
		forget(test);
		test->name = strndup(line + 3, n - 4);
	} else if (!strncmp(line, "-- ", 3)) {
		test->options = strdup(line + 3);
	} else if (line[0] == '=' && strchr(">~<!", line[1]) &&
		   test->count < LINES_MOST) {
		test->expectations[test->count++] = strndup(line, n - 1);
	} else if (test->name && !test->count && test->source_len + n < TEXT_MOST) {
		memcpy(test->source + test->source_len, line, n);
		test->source_len += n;
	}
}

static void file_run(const char *path)
{
	static struct test_case test;
	FILE *file = fopen(path, "r");
	char *line = NULL;
	size_t room = 0;
	ssize_t n;

	if (!file) {
		printf("Bail out! cannot open %s\n", path);
		exit(1);
	}
	while ((n = getline(&line, &room, file)) > 0)
		line_take(&test, line, (size_t)n);
	run(&test);
	forget(&test);
	free(line);
	fclose(file);
}

int main(int argc, char **argv)
{
	if (argc < 3) {
		fprintf(stderr, "usage: cases QUOD-JS FILE...\n");
		return 2;
	}
	program = argv[1];
	for (int i = 2; i < argc; i++)
		file_run(argv[i]);
	printf("1..%u\n", number);
	return failures > 0;
}
