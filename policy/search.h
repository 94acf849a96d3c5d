/* SPDX-License-Identifier: MIT */
/*
 * Where policy files are: NAME.policy in the first directory that has one, and with it
 * the drop-ins, NAME.policy.d/WORD.conf in all of them, in the order of their names. A
 * drop-in hides those of the same name in later directories.
 */
#ifndef QUOD_SEARCH_H
#define QUOD_SEARCH_H

#include <stdbool.h>
#include <stddef.h>

#include "policy/report.h"

#define SEARCH_DIRS_MOST     8u
#define SEARCH_DROP_INS_MOST 100u

struct search {
	struct search_dir {
		int fd;
		char *path;
	} dirs[SEARCH_DIRS_MOST];
	size_t count;
};

struct search_file {
	char *path;
	char *bytes;
	size_t len;
	bool drop_in;
};

/* All files of one policy, in the order in which they apply. */
struct search_files {
	struct search_file list[1 + SEARCH_DROP_INS_MOST];
	size_t count;
};

/*
 * Opens those directories that there are. QUOD_POLICY_PATH (separated by colons) stands
 * for the usual ones, but not for a program that has more rights than who started it.
 * Errors: told.
 */
int search_open(struct search *search, struct policy_report *report);
void search_close(struct search *search);
#define own_search __attribute__((cleanup(search_close)))

/* The directories of the search path, separated by colons. */
const char *search_path(void);

/* Can this be a policy's name: a letter or digit, then also - _ and dots. */
bool search_is_name(const char *name);

/* Adds the policy's files, which may be none. Errors: told. */
int search_files(const struct search *search, const char *name, struct search_files *to,
		 struct policy_report *report);

/* Adds one file, by its path. Errors: told. */
int search_one(const char *path, struct search_files *to, struct policy_report *report);
void search_files_free(struct search_files *files);
#define own_search_files __attribute__((cleanup(search_files_free)))

/* Calls with the name of every policy that has a file of its own, once for each file.
 * Errors: told. */
int search_names(const struct search *search,
		 void (*each)(void *context, const char *name), void *context,
		 struct policy_report *report);

#endif
