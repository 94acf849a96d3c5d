/* SPDX-License-Identifier: MIT */
/*
 * A history in a directory of its own, and runs in it, for unit tests.
 */
#ifndef QUOD_TESTS_STORED_H
#define QUOD_TESTS_STORED_H

#include <stdint.h>
#include <sys/resource.h>
#include <sys/types.h>

#include "daemon/store.h"

#define STORED_DIR_ROOM 4096
extern char dir[STORED_DIR_ROOM];

/* Before and after each test. */
void make_dir(void);
void remove_dir(void);

struct store *open_with(const struct store_settings *settings);
struct store *open_store(void);

/* A process has the database as long as it lives: what is about the next start is done by
 * two of them. Returns how the first has ended. */
int in_child(void (*what)(void));

void make_record(struct record *record, const char *tenant, int64_t started_ms);
void add_value(struct record *record, size_t len);
int64_t begin(struct store *store, const struct record *record);
/* One run from begin to end; its id is the caller's. */
void keep_run(struct store *store, const char *tenant, int64_t started_ms,
	      char id[RUNID_LEN + 1]);
void keep_runs(struct store *store, const char *tenant, unsigned count);

char *list(struct store *store, const struct store_query *query);
unsigned count_of(const char *text, const char *word);
unsigned count_runs(struct store *store, const char *tenant);
enum store_found find(struct store *store, const char *tenant, const char *id,
		      struct text *to);

/* -1: there is no such file. */
off_t size_of(const char *name);
void limit_files(rlim_t most);
void write_file(const char *name, off_t at, const char *bytes);
/* Of a database that nobody has open. */
void change_database(const char *sql);

#endif
