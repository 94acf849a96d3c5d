/* SPDX-License-Identifier: MIT */
/*
 * The history: what is known of every run, in one SQLite database that the server alone
 * reads and writes.
 *
 * A run is written down before its script can run, as what it would be if the daemon
 * died at that moment, and again at its end, before anybody is told of it. What was under
 * way when a daemon died is therefore an internal_error after the next start, and no run
 * is lost. Both survive the death of the process at once; a power cut can take the last
 * seconds along, but leaves the database whole.
 *
 * A history that cannot be written takes no run on: store_trouble() says why. The ends of
 * those that are under way are kept and written as soon as that is possible again.
 */
#ifndef QUOD_STORE_H
#define QUOD_STORE_H

#include <stdbool.h>
#include <stdint.h>

#include "base/text.h"
#include "supervisor/record.h"

struct store;

struct store_settings {
	int64_t age_most_ms;	  /* older runs are forgotten */
	uint64_t size_most_bytes; /* and so are the oldest where there are too many */
	size_t record_most_bytes; /* larger ones are kept without value and log */
};

#define STORE_SETTINGS_DEFAULT                                                           \
	{                                                                                \
		.age_most_ms = INT64_C(30) * 24 * 3600 * 1000,                           \
		.size_most_bytes = UINT64_C(256) << 20, .record_most_bytes = 256u << 10, \
	}

/* Without a directory it is in memory, and so large at most. */
#define STORE_MEMORY_MOST (UINT64_C(8) << 20)

#define STORE_WHY_ROOM 320

/*
 * In the directory `dir`, which nobody else may write to; NULL: in memory. Files are opened
 * here and never again: afterwards the process can do without open(2), unlink(2) and
 * sockets. A database that is damaged is renamed and a new one begun. Errors, with `why`
 * filled: -EIO, -ENOMEM, and -EPROTONOSUPPORT: a newer quodd has written it.
 */
int store_open(const char *dir, const struct store_settings *settings,
	       struct store **ret_store, char why[STORE_WHY_ROOM]);
/* What could not be written is lost. NULL is fine. */
void store_free(struct store *store);

/* From now on. */
void store_configure(struct store *store, const struct store_settings *settings);

/* NULL: all is well; else why no run may begin, and what to do. The store's. */
const char *store_trouble(const struct store *store);

/* The file system that it is on, in bytes: all of it, and what the server's user may still
 * take. False: it is in memory, or the kernel does not say. */
bool store_space(const struct store *store, uint64_t *ret_all, uint64_t *ret_free);

/* The run has its id, and its script may not run yet. *ret_number is its place here. Errors: -EIO, and
 * there is trouble. */
int store_begin(struct store *store, const struct record *record, int64_t *ret_number);
/* It is over. Number 0: it was never begun, and only then this can fail: -EIO. */
int store_end(struct store *store, const struct record *record, int64_t number);

/* Whose runs are meant: NULL is everybody's. */
struct store_query {
	const char *tenant, *status; /* NULL: any */
	const char *before;	     /* an id; NULL: from the newest */
	unsigned limit;
};

/* So many are looked at for one query, however few of them are wanted. */
#define STORE_LOOK_MOST 2000u

/* {"runs":[...],"next":...}, newest first. Errors: -EIO. */
int store_list(struct store *store, const struct store_query *query, struct text *to);

enum store_found { STORE_NOTHING, STORE_RUNNING, STORE_WHOLE, STORE_ABRIDGED };

/* The run as a record, or while it is under way as a summary. Another tenant's is nothing.
 * Errors: -EIO. */
int store_find(struct store *store, const char *tenant, const char *id,
	       enum store_found *ret_found, struct text *to);

/* One small step of what is to be done beside: old runs deleted, the log of the database
 * carried over, what could not be written tried again. Returns in how many milliseconds
 * to come again. */
unsigned store_keep(struct store *store);

#endif
