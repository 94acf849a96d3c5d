/* SPDX-License-Identifier: MIT */
/*
 * Opening, which is all that touches a name. Afterwards three files stay open, the journal,
 * the database and its write-ahead log, and under the server's filter SQLite only reads,
 * writes, syncs, measures and truncates its two:
 *
 * - locking_mode=EXCLUSIVE: the index of the log is in memory of our own, not in a file
 *   that is shared, and no lock is taken or given back later. (Another program that opens
 *   the database meanwhile is told that it is locked.)
 * - The log is written to and synced once here, because at its first sync SQLite opens
 *   its directory.
 * - temp_store=MEMORY: no temporary file. auto_vacuum=INCREMENTAL: the file shrinks in
 *   place; VACUUM would make a second one.
 * - It is never closed: that would unlink the log.
 *
 * Whoever had the server taken over could have written what he likes into the file. So it
 * is opened by the unprivileged user that the server is, checked page by page, and nothing
 * that is stored in it can act: no triggers, no views, and no table, index or column but
 * ours, whose expressions (a CHECK, a value that is generated) would be worked out by all
 * that touches them, the check of the pages first.
 */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "base/own.h"
#include "daemon/log.h"
#include "daemon/store_internal.h"
#include "supervisor/clock.h"

#define FILE_NAME    "runs.db"
#define LOG_NAME     FILE_NAME "-wal"
#define JOURNAL_NAME "journal"

/* "quod", and the form of the tables. */
#define APPLICATION 0x71756f64
#define FORM	    1

#define PATH_ROOM 4096

static const char schema[] =
	"CREATE TABLE IF NOT EXISTS runs ("
	"number INTEGER PRIMARY KEY, id TEXT NOT NULL UNIQUE, tenant TEXT NOT NULL, "
	"policy TEXT NOT NULL, checked INTEGER NOT NULL, source_sha256 TEXT NOT NULL, "
	"source_bytes INTEGER NOT NULL, status TEXT NOT NULL, passed INTEGER NOT NULL, "
	"gate TEXT, engine TEXT, killed TEXT, error_name TEXT, error_message TEXT, "
	"wall_us INTEGER, cpu_us INTEGER, setup_us INTEGER, queue_us INTEGER, "
	"memory_peak_bytes INTEGER, started_ms INTEGER NOT NULL, ended_ms INTEGER, "
	"abridged INTEGER NOT NULL, bytes INTEGER NOT NULL);"
	"CREATE INDEX IF NOT EXISTS runs_of_tenant ON runs (tenant, id);"
	"CREATE TABLE IF NOT EXISTS records (number INTEGER PRIMARY KEY, "
	"json BLOB NOT NULL);";

static const char *const statement_texts[SQL_COUNT] = {
#define X(id, sql) [SQL_##id] = sql,
	STORE_STATEMENTS(X)
#undef X
};

static const char *remedy_of(int code)
{
	switch (code & 0xff) {
	case SQLITE_FULL:
	case SQLITE_IOERR:
		return ": make room on the disk of the state directory, or mend it; runs "
		       "are taken on again by themselves";
	case SQLITE_CORRUPT:
	case SQLITE_NOTADB:
		return ": start the daemon anew, which puts the damaged file aside";
	case SQLITE_CANTOPEN:
	case SQLITE_PERM:
	case SQLITE_READONLY:
	case SQLITE_AUTH:
		return ": history/" FILE_NAME
		       " has to be a file that the server's user may write to";
	case SQLITE_BUSY:
		return ": another program has it open";
	default:
		return "";
	}
}

void store_explain(int code, int errnum, char why[STORE_WHY_ROOM])
{
	int kind = code & 0xff;
	bool by_system = errnum && (kind == SQLITE_IOERR || kind == SQLITE_CANTOPEN ||
				    kind == SQLITE_FULL);

	snprintf(why, STORE_WHY_ROOM, "the history cannot be used: %s%s%s%s",
		 sqlite3_errstr(code), by_system ? ": " : "",
		 by_system ? strerror(errnum) : "", remedy_of(code));
}

/* --- settings ----------------------------------------------------------------- */

static int run_sql(sqlite3 *db, const char *sql)
{
	return sqlite3_exec(db, sql, NULL, NULL, NULL);
}

/* A pragma's one number; -1: none. */
static int64_t number_of(sqlite3 *db, const char *sql)
{
	sqlite3_stmt *statement = NULL;
	int64_t number = -1;

	if (sqlite3_prepare_v2(db, sql, -1, &statement, NULL) == SQLITE_OK &&
	    sqlite3_step(statement) == SQLITE_ROW)
		number = sqlite3_column_int64(statement, 0);
	sqlite3_finalize(statement);
	return number;
}

static void disarm(sqlite3 *db)
{
	static const int off[] = {
		SQLITE_DBCONFIG_ENABLE_TRIGGER, SQLITE_DBCONFIG_ENABLE_VIEW,
		SQLITE_DBCONFIG_TRUSTED_SCHEMA, SQLITE_DBCONFIG_ENABLE_LOAD_EXTENSION,
		SQLITE_DBCONFIG_DQS_DDL,	SQLITE_DBCONFIG_DQS_DML};

	for (size_t i = 0; i < ARRAY_LEN(off); i++)
		sqlite3_db_config(db, off[i], 0, NULL);
	sqlite3_db_config(db, SQLITE_DBCONFIG_DEFENSIVE, 1, NULL);
	sqlite3_limit(db, SQLITE_LIMIT_ATTACHED, 0);
}

static int set_up(sqlite3 *db)
{
	return run_sql(db, "PRAGMA locking_mode = EXCLUSIVE;"
			   "PRAGMA temp_store = MEMORY;"
			   "PRAGMA mmap_size = 0;"
			   "PRAGMA cache_size = -512;"
			   "PRAGMA cell_size_check = ON;"
			   "PRAGMA auto_vacuum = INCREMENTAL;"
			   "PRAGMA journal_mode = WAL;"
			   "PRAGMA synchronous = NORMAL;"
			   "PRAGMA wal_autocheckpoint = 0;");
}

/* --- is it ours, and whole? --------------------------------------------------- */

static int check_pages(sqlite3 *db)
{
	sqlite3_stmt *statement = NULL;
	int code = sqlite3_prepare_v2(db, "PRAGMA quick_check(1)", -1, &statement, NULL);

	if (code == SQLITE_OK)
		code = sqlite3_step(statement);
	if (code == SQLITE_ROW)
		code = !strcmp(store_text(statement, 0), "ok") ? SQLITE_OK
							       : SQLITE_CORRUPT;
	sqlite3_finalize(statement);
	return code;
}

/* One that is new has neither number. */
static int check_form(sqlite3 *db, char why[STORE_WHY_ROOM])
{
	int64_t application = number_of(db, "PRAGMA application_id");
	int64_t form = number_of(db, "PRAGMA user_version");

	if (application == 0 && form == 0 && number_of(db, "PRAGMA page_count") <= 1)
		return SQLITE_OK;
	if (application == APPLICATION && form > FORM) {
		snprintf(
			why, STORE_WHY_ROOM,
			"the history was written by a newer quodd: install that one, or move "
			"history/" FILE_NAME " away");
		return SQLITE_MISMATCH;
	}
	return application == APPLICATION && form == FORM ? SQLITE_OK : SQLITE_NOTADB;
}

static int put_schema(sqlite3 *db, char **ret_text)
{
	static const char sql[] =
		"SELECT coalesce(group_concat(type || name || coalesce(sql, ''), ';'), '') "
		"FROM (SELECT type, name, sql FROM sqlite_master ORDER BY name)";
	sqlite3_stmt *statement = NULL;
	int code = sqlite3_prepare_v2(db, sql, -1, &statement, NULL);

	if (code == SQLITE_OK)
		code = sqlite3_step(statement);
	if (code == SQLITE_ROW) {
		*ret_text = strdup(store_text(statement, 0));
		code = *ret_text ? SQLITE_OK : SQLITE_NOMEM;
	}
	sqlite3_finalize(statement);
	return code;
}

static int put_our_schema(char **ret_text)
{
	sqlite3 *db = NULL;
	int code = sqlite3_open_v2(":memory:", &db,
				   SQLITE_OPEN_READWRITE | SQLITE_OPEN_NOMUTEX, NULL);

	if (code == SQLITE_OK)
		code = run_sql(db, schema);
	if (code == SQLITE_OK)
		code = put_schema(db, ret_text);
	sqlite3_close(db);
	return code;
}

/* Its words are compared as SQLite keeps them; one that is new has none. */
static int check_schema(sqlite3 *db)
{
	own_free char *ours = NULL, *theirs = NULL;
	int code = put_our_schema(&ours);

	if (code == SQLITE_OK)
		code = put_schema(db, &theirs);
	if (code != SQLITE_OK)
		return code;
	return !*theirs || !strcmp(ours, theirs) ? SQLITE_OK : SQLITE_CORRUPT;
}

static int make_tables(sqlite3 *db)
{
	char numbers[96];

	snprintf(numbers, sizeof(numbers),
		 "PRAGMA application_id = %d; PRAGMA user_version = %d;", APPLICATION,
		 FORM);
	int code = run_sql(db, "BEGIN IMMEDIATE");
	if (code == SQLITE_OK)
		code = run_sql(db, schema);
	if (code == SQLITE_OK)
		code = run_sql(db, numbers);
	return code == SQLITE_OK ? run_sql(db, "COMMIT") : code;
}

/* The tables have our names; with other columns they are not ours. */
static int prepare_statements(struct store *store)
{
	int code = SQLITE_OK;

	for (int i = 0; code == SQLITE_OK && i < SQL_COUNT; i++)
		code = sqlite3_prepare_v3(store->db, statement_texts[i], -1,
					  SQLITE_PREPARE_PERSISTENT,
					  &store->statements[i], NULL);
	return code == SQLITE_ERROR ? SQLITE_CORRUPT : code;
}

/* Their records have been saying so since they began. */
static int end_the_dead(struct store *store)
{
	char sql[256];
	int code, count;

	snprintf(sql, sizeof(sql),
		 "UPDATE runs SET status = 'internal_error', ended_ms = %lld, "
		 "error_message = 'the daemon ended while this run was under way' "
		 "WHERE status = '" STORE_RUNNING_NAME "'",
		 (long long)clock_real_ms());
	code = run_sql(store->db, sql);
	count = sqlite3_changes(store->db);
	if (code == SQLITE_OK && count)
		log_say("%d runs were under way when the daemon last ended: the history "
			"has them as internal_error",
			count);
	return code;
}

static int on_log_written(void *whose, sqlite3 *db, const char *name, int pages)
{
	struct store *store = whose;

	(void)db;
	(void)name;
	store->log_pages = pages;
	return SQLITE_OK;
}

/* How it is counted on from here. Where that cannot be it is damaged. */
static int find_newest(struct store *store)
{
	sqlite3_stmt *newest = store_reset(store, SQL_NEWEST);
	int code = sqlite3_step(newest);

	if (code == SQLITE_ROW)
		store->newest = sqlite3_column_int64(newest, 0);
	sqlite3_reset(newest);
	if (code != SQLITE_ROW)
		return code;
	return store->newest >= 0 && store->newest <= ROW_NUMBER_MOST ? SQLITE_OK
								      : SQLITE_CORRUPT;
}

/* The number that the row has in the database, else the next: the journal's own may be of
 * another database, or nobody's. */
static int number_row(struct store *store, struct row *row)
{
	sqlite3_stmt *found = store_reset(store, SQL_NUMBER);
	int code;

	sqlite3_bind_text(found, 1, row->facts.id, -1, SQLITE_STATIC);
	code = sqlite3_step(found);
	row->facts.number =
		code == SQLITE_ROW ? sqlite3_column_int64(found, 0) : ++store->newest;
	sqlite3_reset(found);
	return code == SQLITE_ROW || code == SQLITE_DONE ? SQLITE_OK : code;
}

/* What a death has left in the journal, and then those that died with it. The database is
 * ours alone by now: a server that is dying writes no more. The rows wait until all is well:
 * they are to come into the next database, if this one has to be put aside. */
static int take_rows(struct store *store)
{
	int r = journal_load(store);
	int code = r == 0	  ? find_newest(store)
		   : r == -ENOMEM ? SQLITE_NOMEM
				  : SQLITE_IOERR;

	for (struct row *row = store->waiting; code == SQLITE_OK && row; row = row->next)
		code = number_row(store, row);
	if (code == SQLITE_OK)
		code = store_write(store);
	if (code == SQLITE_DONE)
		code = end_the_dead(store);
	if (code == SQLITE_OK)
		code = share_count(store) == SQLITE_DONE ? SQLITE_OK : SQLITE_CORRUPT;
	return code;
}

static int take(struct store *store, const char *path, char why[STORE_WHY_ROOM])
{
	int code = sqlite3_open_v2(path, &store->db,
				   SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE |
					   SQLITE_OPEN_NOMUTEX | SQLITE_OPEN_NOFOLLOW |
					   SQLITE_OPEN_EXRESCODE,
				   NULL);

	if (code == SQLITE_OK) {
		disarm(store->db);
		code = set_up(store->db);
	}
	if (code == SQLITE_OK)
		code = check_form(store->db, why);
	if (code == SQLITE_OK)
		code = check_schema(store->db);
	if (code == SQLITE_OK)
		code = check_pages(store->db);
	if (code == SQLITE_OK)
		code = make_tables(store->db);
	if (code == SQLITE_OK)
		code = prepare_statements(store);
	if (code == SQLITE_OK)
		code = take_rows(store);
	if (code != SQLITE_OK)
		return code;
	sqlite3_wal_hook(store->db, on_log_written, store);
	code = sqlite3_wal_checkpoint_v2(store->db, NULL, SQLITE_CHECKPOINT_TRUNCATE,
					 NULL, NULL);
	if (code != SQLITE_OK)
		return code;
	/* The first write to an empty log is synced: not in a run's way. */
	code = store_step(store, SQL_PROBE);
	return code == SQLITE_DONE ? SQLITE_OK : code;
}

/* --- putting aside ------------------------------------------------------------ */

static int put_aside_one(const char *dir, const char *name, int64_t now_ms)
{
	char from[PATH_ROOM], to[PATH_ROOM];

	if (snprintf(from, sizeof(from), "%s/%s", dir, name) >= PATH_ROOM ||
	    snprintf(to, sizeof(to), "%s/damaged-%lld-%s", dir, (long long)now_ms,
		     name) >= PATH_ROOM)
		return -ENAMETOOLONG;
	return rename(from, to) < 0 && errno != ENOENT ? -errno : 0;
}

/* The log first: without its database it does no harm, but the new one must not find it. */
static int put_aside(const char *dir, int64_t now_ms)
{
	int r = put_aside_one(dir, LOG_NAME, now_ms);

	return r < 0 ? r : put_aside_one(dir, FILE_NAME, now_ms);
}

static void let_go(struct store *store)
{
	for (int i = 0; i < SQL_COUNT; i++) {
		sqlite3_finalize(store->statements[i]);
		store->statements[i] = NULL;
	}
	share_free(store);
	sqlite3_close(store->db);
	store->db = NULL;
}

bool store_is_damage(int code)
{
	code &= 0xff;
	return code == SQLITE_CORRUPT || code == SQLITE_NOTADB;
}

/* In memory it only counts. */
static int open_journal(struct store *store, const char *dir, char why[STORE_WHY_ROOM])
{
	char path[PATH_ROOM];
	int r;

	if (!dir)
		return 0;
	snprintf(path, sizeof(path), "%s/" JOURNAL_NAME, dir);
	r = journal_open(&store->journal, path);
	if (r < 0)
		snprintf(why, STORE_WHY_ROOM,
			 "the history cannot be used: history/" JOURNAL_NAME ": %s%s",
			 strerror(-r),
			 r == -ENOSPC ? ": make room on the disk of the state directory"
				      : "");
	return r;
}

static int open_at(struct store *store, const char *dir, char why[STORE_WHY_ROOM])
{
	char path[PATH_ROOM] = ":memory:";
	int64_t now_ms = clock_real_ms();
	int code;

	if (dir)
		snprintf(path, sizeof(path), "%s/" FILE_NAME, dir);
	code = take(store, path, why);
	if (!dir || !store_is_damage(code))
		return code;
	let_go(store);
	if (put_aside(dir, now_ms) < 0)
		return code;
	log_say("the history was damaged: it is now history/damaged-%lld-" FILE_NAME
		", and a new one is begun",
		(long long)now_ms);
	return take(store, path, why);
}

void store_configure(struct store *store, const struct store_settings *settings)
{
	store->settings = *settings;
	if (!store->on_disk && store->settings.size_most_bytes > STORE_MEMORY_MOST)
		store->settings.size_most_bytes = STORE_MEMORY_MOST;
}

int store_open(const char *dir, const struct store_settings *settings,
	       struct store **ret_store, char why[STORE_WHY_ROOM])
{
	own_free struct store *store = calloc(1, sizeof(*store));
	int code;

	why[0] = '\0';
	if (!store) {
		snprintf(why, STORE_WHY_ROOM, "%s", strerror(ENOMEM));
		return -ENOMEM;
	}
	store->on_disk = dir != NULL;
	store->dir = dir ? open(dir, O_PATH | O_DIRECTORY | O_CLOEXEC) : -1;
	store_configure(store, settings);
	store->waiting_end = &store->waiting;
	store->journal.fd = -1;
	umask(0077);
	code = open_journal(store, dir, why) < 0 ? SQLITE_IOERR
						 : open_at(store, dir, why);
	if (code == SQLITE_OK) {
		store_forget(store);
		journal_reset(&store->journal);
		*ret_store = TAKE_PTR(store);
		return 0;
	}
	if (!why[0])
		store_explain(code, sqlite3_system_errno(store->db), why);
	let_go(store);
	store_forget(store);
	journal_close(&store->journal);
	close_fd(store->dir);
	return code == SQLITE_MISMATCH ? -EPROTONOSUPPORT : -EIO;
}
