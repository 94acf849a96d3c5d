/* SPDX-License-Identifier: MIT */
/* What the parts of the store know of each other. */
#ifndef QUOD_STORE_INTERNAL_H
#define QUOD_STORE_INTERNAL_H

#include <sqlite3.h>

#include "daemon/store.h"

#define STORE_RUNNING_NAME "running"

#define STORE_ERROR_NAME_MOST	 64u
#define STORE_ERROR_MESSAGE_MOST 512u
/* With longer names than that there are no tenants. */
#define STORE_TENANT_ROOM 256
/* Of a run beside its record: for the sum of a tenant. */
#define STORE_ROW_BYTES 512

/* What the statements after their names give: see store_statements. */
#define SUMMARY_COLUMNS                                                              \
	"id, tenant, policy, checked, source_sha256, source_bytes, status, passed, " \
	"gate, engine, killed, error_name, error_message, wall_us, cpu_us, "         \
	"setup_us, queue_us, memory_peak_bytes, started_ms, ended_ms, abridged"

/* X(id, SQL) */
#define STORE_STATEMENTS(X)                                                             \
	X(BEGIN, "BEGIN IMMEDIATE")                                                     \
	X(COMMIT, "COMMIT")                                                             \
	X(ROLLBACK, "ROLLBACK")                                                         \
	X(PROBE, "PRAGMA user_version = 1")                                             \
	X(INSERT, "INSERT INTO runs (id, tenant, policy, checked, source_sha256, "      \
		  "source_bytes, status, passed, started_ms, abridged, bytes) "         \
		  "VALUES (?, ?, ?, ?, ?, ?, '" STORE_RUNNING_NAME "', 0, ?, 0, ?)")    \
	X(INSERT_RECORD, "INSERT OR REPLACE INTO records (number, json) VALUES (?, ?)") \
	X(UPDATE,                                                                       \
	  "UPDATE runs SET status = ?, passed = ?, gate = ?, engine = ?, killed = ?, "  \
	  "error_name = ?, error_message = ?, wall_us = ?, cpu_us = ?, setup_us = ?, "  \
	  "queue_us = ?, memory_peak_bytes = ?, ended_ms = ?, abridged = ?, "           \
	  "bytes = ? WHERE number = ?")                                                 \
	X(FIND, "SELECT " SUMMARY_COLUMNS ", number FROM runs WHERE id = ?1 "           \
		"AND (?2 IS NULL OR tenant = ?2)")                                      \
	X(FIND_RECORD, "SELECT json FROM records WHERE number = ?")                     \
	X(LIST, "SELECT " SUMMARY_COLUMNS " FROM runs WHERE id < ? "                    \
		"ORDER BY id DESC LIMIT ?")                                             \
	X(LIST_OF, "SELECT " SUMMARY_COLUMNS " FROM runs WHERE id < ? AND tenant = ? "  \
		   "ORDER BY id DESC LIMIT ?")                                          \
	X(OLD, "SELECT number, tenant, bytes FROM runs WHERE id < ? "                   \
	       "AND status <> '" STORE_RUNNING_NAME "' ORDER BY id LIMIT ?")            \
	X(OLD_OF, "SELECT number, tenant, bytes FROM runs WHERE tenant = ? "            \
		  "AND status <> '" STORE_RUNNING_NAME "' ORDER BY id LIMIT ?")         \
	X(DELETE, "DELETE FROM runs WHERE number = ?")                                  \
	X(DELETE_RECORD, "DELETE FROM records WHERE number = ?")                        \
	X(SHARES, "SELECT tenant, sum(bytes) FROM runs GROUP BY tenant")                \
	X(PAGES, "PRAGMA page_count")                                                   \
	X(FREE_PAGES, "PRAGMA freelist_count")                                          \
	X(SHRINK, "PRAGMA incremental_vacuum(256)")

enum store_statement {
#define X(id, sql) SQL_##id,
	STORE_STATEMENTS(X)
#undef X
		SQL_COUNT
};

/* A run's end, apart from its record, which does not live so long. */
struct ending_row {
	struct ending_row *next; /* of those that wait */
	int64_t number, ended_ms;
	char tenant[STORE_TENANT_ROOM];
	const char *status, *gate, *engine, *killed; /* static */
	bool passed, abridged, has_error;
	struct text error_name, error_message, json;
	uint64_t wall_us, cpu_us, setup_us, queue_us, memory_peak_bytes;
};

/* How much of the history is whose: of runs that are over. */
struct share {
	char *tenant; /* owned */
	int64_t bytes;
};

struct store {
	sqlite3 *db;
	sqlite3_stmt *statements[SQL_COUNT];
	struct store_settings settings;
	bool on_disk;
	int dir;		      /* O_PATH; -1: in memory */
	char trouble[STORE_WHY_ROOM]; /* "": none */
	bool damaged;		      /* trouble that ends only with the process */
	int errnum;		      /* of the last failure, where the system has one */
	struct ending_row *waiting, **waiting_end;
	int log_pages; /* in the write-ahead log */
	struct share *shares;
	size_t shares_count;
	struct store *next_left; /* of those that are given back and cannot be closed */
};

/* store.c. Runs a statement to its end and resets it; SQLite's code. */
int store_step(struct store *store, enum store_statement id);
sqlite3_stmt *store_reset(struct store *store, enum store_statement id);
/* Several statements, all or none: SQLite's code. */
int store_begin_change(struct store *store);
int store_end_change(struct store *store, int code);
/* Returns -EIO; what SQLite says is the trouble from now on. */
int store_note_trouble(struct store *store, int code);
/* Those that waited, oldest first, until one cannot be written. SQLite's code. */
int store_write_waiting(struct store *store);
/* "" for none, and where there is no memory for it. SQLite's, until the next step. */
const char *store_text(sqlite3_stmt *statement, int column);

/* store_open.c */
void store_explain(int code, int errnum, char why[STORE_WHY_ROOM]);

/* store_share.c */
void share_add(struct store *store, const char *tenant, int64_t bytes);
/* Who has the most; NULL: nobody has anything. */
const char *share_largest(const struct store *store);
int share_count(struct store *store);
void share_free(struct store *store);

#endif
