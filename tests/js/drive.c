/* SPDX-License-Identifier: MIT */
/*
 * drive [--NAME=VALUE...] PROGRAM: runs the source on standard input in PROGRAM, without
 * a jail, and prints the report of host.h.
 */
#include <stdio.h>
#include <stdlib.h>

#include "tests/js/host.h"

#define SOURCE_MOST ((size_t)2 << 20)

int main(int argc, char **argv)
{
	struct host_options options = HOST_OPTIONS_INIT;
	char *source = malloc(SOURCE_MOST);
	json_t *result;

	for (int i = 1; i < argc - 1; i++)
		if (host_option_parse(&options, argv[i])) {
			fprintf(stderr, "drive: '%s' is no option\n", argv[i]);
			return 2;
		}
	if (argc < 2 || !source)
		return 2;
	result = host_run(argv[argc - 1], &options, source,
			  fread(source, 1, SOURCE_MOST, stdin));
	json_dumpf(result, stdout, JSON_SORT_KEYS | JSON_COMPACT);
	putchar('\n');
	json_decref(result);
	free(source);
	return 0;
}
