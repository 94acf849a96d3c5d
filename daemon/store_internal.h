/* SPDX-License-Identifier: MIT */
/* What the parts of the store know of each other. */
#ifndef QUOD_STORE_INTERNAL_H
#define QUOD_STORE_INTERNAL_H

#include <sha256.h>
#include <sqlite3.h>

#include "daemon/store.h"

#define STORE_RUNNING_NAME "running"

/* With longer names than that there are no tenants. */
#define STORE_TENANT_ROOM 256
/* Of a run beside its record: for the sum of a tenant. */
#define STORE_ROW_BYTES 512

/* What the statements after their names give: see store_statements. */
#define SUMMARY_COLUMNS                                                              \
	"id, tenant, policy, checked, source_sha256, source_bytes, status, passed, " \
	"gate, engine, killed, error_name, error_message, wall_us, cpu_us, "         \
	"setup_us, queue_us, memory_peak_bytes, started_ms, ended_ms, abridged"

/* In the order in which row_bind() has them. */
#define ROW_COLUMNS                                                           \
	"number, id, tenant, policy, checked, source_sha256, source_bytes, "  \
	"started_ms, status, passed, abridged, bytes, gate, engine, killed, " \
	"error_name, error_message, wall_us, cpu_us, setup_us, queue_us, "    \
	"memory_peak_bytes, ended_ms"
#define ROW_PLACES "?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?"

/* What row_bind() has bound, as SUMMARY_COLUMNS gives it. */
#define ROW_SUMMARY                                                            \
	"?2, ?3, ?4, ?5, ?6, ?7, ?9, ?10, ?13, ?14, ?15, ?16, ?17, ?18, ?19, " \
	"?20, ?21, ?22, ?8, ?23, ?11"

/* X(id, SQL) */
#define STORE_STATEMENTS(X)                                                             \
	X(BEGIN, "BEGIN IMMEDIATE")                                                     \
	X(COMMIT, "COMMIT")                                                             \
	X(ROLLBACK, "ROLLBACK")                                                         \
	X(PROBE, "PRAGMA user_version = 1")                                             \
	X(INSERT,                                                                       \
	  "INSERT OR IGNORE INTO runs (" ROW_COLUMNS ") VALUES (" ROW_PLACES ")")       \
	X(PUT, "INSERT OR REPLACE INTO runs (" ROW_COLUMNS ") VALUES (" ROW_PLACES ")") \
	X(PUT_RECORD, "INSERT OR REPLACE INTO records (number, json) VALUES (?, ?)")    \
	X(NEWEST, "SELECT coalesce(max(number), 0) FROM runs")                          \
	X(NUMBER, "SELECT number FROM runs WHERE id = ?")                               \
	X(SHOW, "SELECT " ROW_SUMMARY)                                                  \
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

/* Runs are counted from 1 on; no honest server comes so far, and from there to the last
 * number of all it is as far again. */
#define ROW_NUMBER_MOST (INT64_C(1) << 52)

#define ROW_KILLED_ROOM 24

/* What is known of a run, apart from its record, which does not live so long. It goes to
 * the journal as it lies in memory. */
struct row_facts {
	int64_t number, started_ms, ended_ms;
	uint64_t source_bytes;
	uint64_t wall_us, cpu_us, setup_us, queue_us, memory_peak_bytes;
	uint32_t flags; /* ROW_... */
	uint32_t status, gate, engine;
	char id[RUNID_LEN + 1];
	char tenant[STORE_TENANT_ROOM];
	char policy[POLICY_NAME_MOST + 1];
	char source_sha256[SHA256_DIGEST_STRING_LENGTH];
	char killed[ROW_KILLED_ROOM]; /* "": nobody has */
};

#define ROW_CHECKED   1u
#define ROW_ENDED     2u
#define ROW_PASSED    4u
#define ROW_ABRIDGED  8u
#define ROW_HAS_ERROR 16u

struct row {
	struct row *next; /* of those that are not yet in the database */
	struct row_facts facts;
	struct text error_name, error_message, json;
	bool in_journal;
};

/* The journal's file, and what is at the begin of a page in it. A pass is what is written
 * between two resets: what an earlier one has left behind its own rows is not taken for
 * theirs. */
#define JOURNAL_PAGE_BYTES 4096u
#define JOURNAL_PAGES	   64u
#define JOURNAL_FILE_BYTES ((size_t)JOURNAL_PAGES * JOURNAL_PAGE_BYTES)
/* Rises with every change of what follows, of struct row_facts and of the numbers of
 * statuses, decisions and engines: another quodd may have written it. */
#define JOURNAL_FORM	   1u
#define JOURNAL_HEAD_BYTES 592u

struct journal_head {
	unsigned char digest[SHA256_DIGEST_LENGTH]; /* of what follows */
	uint64_t pass;
	uint32_t form; /* JOURNAL_FORM */
	uint32_t page; /* its own place */
	uint32_t name_len, message_len, json_len;
	struct row_facts facts;
};
_Static_assert(sizeof(struct journal_head) == JOURNAL_HEAD_BYTES,
	       "another head is another JOURNAL_FORM");

/* Where rows are from when they are known until they are in the database; see
 * store_journal.c. */
struct journal {
	int fd;	       /* -1: none; then the rows are in memory alone */
	uint32_t used; /* pages */
	uint64_t pass;
	unsigned char *entry; /* owned */
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
	struct row *waiting, **waiting_end;
	int64_t newest; /* number */
	struct journal journal;
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
/* Into the database goes what is not yet there, all or nothing: with the first it goes on to
 * wait. SQLite's code. */
int store_write(struct store *store);
int store_flush(struct store *store);
/* The store's from now on. */
void store_wait(struct store *store, struct row *row);
/* From the journal: it takes the place of an earlier one of the same run. */
void store_wait_again(struct store *store, struct row *row);
/* Nothing waits any more, whether it is in the database or not. */
void store_forget(struct store *store);
/* "" for none, and where there is no memory for it. SQLite's, until the next step. */
const char *store_text(sqlite3_stmt *statement, int column);

/* store_row.c. Owned; NULL: no memory. */
struct row *row_new(void);
void row_free(struct row *row);
/* As what it is if the daemon dies now. Errors: -ENOMEM. */
int row_begin(struct row *row, const struct record *record);
void row_end(struct row *row, const struct record *record, size_t json_most);
/* In the order of ROW_COLUMNS; borrowed until the statement is reset. */
void row_bind(const struct row *row, sqlite3_stmt *statement);
int64_t row_bytes(const struct row *row);

/* store_journal.c. Errors: of the system, negative. */
int journal_open(struct journal *journal, const char *path);
/* What a death has left in it waits from now on, and nothing else does. */
int journal_load(struct store *store);
/* The rows of the whole file, as many as are sound, wait from now on. Errors: -ENOMEM. */
int journal_read(struct store *store, const unsigned char *file);
void journal_close(struct journal *journal);
/* Errors: -ENOSPC where it does not fit, or what the system says. */
int journal_append(struct journal *journal, const struct row *row);
/* Begins leave some room to ends. What does not fit all the same goes into the database at
 * once, and waits in memory alone where that cannot be written. */
bool journal_has_room(const struct journal *journal);
/* Of a head and what follows it, and what has to stand before all that. */
size_t journal_entry_bytes(const struct journal_head *head);
void journal_digest(const unsigned char *entry, size_t bytes,
		    unsigned char to[SHA256_DIGEST_LENGTH]);
/* All of it is in the database. */
void journal_reset(struct journal *journal);

/* store_open.c */
bool store_is_damage(int code);
void store_explain(int code, int errnum, char why[STORE_WHY_ROOM]);

/* store_share.c */
void share_add(struct store *store, const char *tenant, int64_t bytes);
/* Who has the most; NULL: nobody has anything. */
const char *share_largest(const struct store *store);
int share_count(struct store *store);
void share_free(struct store *store);

#endif
