/* SPDX-License-Identifier: MIT */
/*
 * Stands in for libFuzzer in `make check`: runs a fuzz target once over every file of its
 * corpus, tests/fuzz/corpus/NAME for the program fuzz_NAME, and speaks TAP. A finding of
 * the target is a crash of this program, and so a failed test.
 */
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/file.h"
#include "base/own.h"

#define INPUT_MOST (4u << 20)

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t len);

static int open_corpus(const char *program)
{
	const char *source = getenv("QUOD_TEST_SOURCE");
	const char *name = strstr(program, "fuzz_");
	char path[4096];

	for (const char *next = name; next; next = strstr(next + 1, "fuzz_"))
		name = next;
	if (!name)
		return -EINVAL;
	snprintf(path, sizeof(path), "%s/tests/fuzz/corpus/%s", source ? source : ".",
		 name + strlen("fuzz_"));
	int fd = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	return fd < 0 ? -errno : fd;
}

/* A copy of exactly the input's size, so that a sanitizer sees a read past its end. */
static int run_file(int dir_fd, const char *name)
{
	own_free char *data = NULL;
	size_t len;
	int r = file_read_at(dir_fd, name, INPUT_MOST, &data, &len);

	if (r < 0)
		return r;
	own_free uint8_t *exact = malloc(len ? len : 1);
	if (!exact)
		return -ENOMEM;
	memcpy(exact, data, len);
	LLVMFuzzerTestOneInput(exact, len);
	return 0;
}

static unsigned run_corpus(DIR *dir)
{
	struct dirent *entry;
	unsigned count = 0;

	while ((entry = readdir(dir))) {
		if (entry->d_name[0] == '.')
			continue;
		int r = run_file(dirfd(dir), entry->d_name);
		printf("%s %u - %s\n", r < 0 ? "not ok" : "ok", ++count, entry->d_name);
		fflush(stdout);
	}
	return count;
}

int main(int argc, char **argv)
{
	int fd = open_corpus(argc ? argv[0] : "");
	DIR *dir = fd < 0 ? NULL : fdopendir(fd);
	unsigned count = dir ? run_corpus(dir) : 0;

	if (count == 0)
		printf("not ok %u - no corpus for %s\n", ++count, argv[0]);
	printf("1..%u\n", count);
	if (dir)
		closedir(dir);
	return 0;
}
