/* SPDX-License-Identifier: MIT */
/*
 * What is done beside: rows that wait go into the database, and then comes the rest, in
 * steps so small that a request behind one of them does not notice:
 * a few rows deleted, a few pages given back. Only the sync of a log that has grown is
 * larger, and that comes seldom.
 */
#include <stdio.h>

#include "daemon/log.h"
#include "daemon/store_internal.h"
#include "supervisor/clock.h"

#define STEP_ROWS 32
/* Large rows go in smaller steps: what there is room for stays. */
#define STEP_BYTES 65536

#define BUSY_MS	  20u
#define IDLE_MS	  1000u
#define RETRY_MS  500u
#define LOG_PAGES 4000

/* Below the bound by this part, so that it is not touched by every run. */
#define SPARE_PART 32u

/* --- trouble ------------------------------------------------------------------ */

/* The first write to a log that begins anew is synced: here, and not in a run's way. */
static int carry_over(struct store *store)
{
	int code = sqlite3_wal_checkpoint_v2(store->db, NULL, SQLITE_CHECKPOINT_RESTART,
					     NULL, NULL);

	return code == SQLITE_OK ? store_step(store, SQL_PROBE) : code;
}

/* A write of a page says whether there can be more of them. */
static void try_again(struct store *store)
{
	int code = carry_over(store);

	if (code == SQLITE_DONE)
		code = store_flush(store);
	if (code != SQLITE_DONE) {
		store_note_trouble(store, code);
		return;
	}
	store->trouble[0] = '\0';
	log_say("the history can be written again: runs are taken on");
}

/* --- retention ---------------------------------------------------------------- */

struct old_row {
	int64_t number, bytes;
	char tenant[STORE_TENANT_ROOM];
};

static int read_old(sqlite3_stmt *statement, struct old_row rows[STEP_ROWS],
		    unsigned *ret_count)
{
	unsigned count = 0;
	int64_t bytes = 0;
	int code = SQLITE_DONE;

	while (count < STEP_ROWS && bytes < STEP_BYTES &&
	       (code = sqlite3_step(statement)) == SQLITE_ROW) {
		struct old_row *row = &rows[count++];

		row->number = sqlite3_column_int64(statement, 0);
		row->bytes = sqlite3_column_int64(statement, 2);
		bytes += row->bytes;
		snprintf(row->tenant, sizeof(row->tenant), "%s",
			 store_text(statement, 1));
	}
	sqlite3_reset(statement);
	*ret_count = count;
	return code == SQLITE_ROW ? SQLITE_DONE : code;
}

static int delete_number(struct store *store, enum store_statement id, int64_t number)
{
	sqlite3_bind_int64(store_reset(store, id), 1, number);
	return store_step(store, id);
}

static int delete_rows(struct store *store, const struct old_row *rows, unsigned count)
{
	int code = store_begin_change(store);

	for (unsigned i = 0; code == SQLITE_DONE && i < count; i++) {
		code = delete_number(store, SQL_DELETE_RECORD, rows[i].number);
		if (code == SQLITE_DONE)
			code = delete_number(store, SQL_DELETE, rows[i].number);
	}
	code = store_end_change(store, code);
	for (unsigned i = 0; code == SQLITE_DONE && i < count; i++)
		share_add(store, rows[i].tenant, -rows[i].bytes);
	return code;
}

/* Returns SQLite's code; *ret_count: how many have gone. */
static int delete_step(struct store *store, sqlite3_stmt *statement, unsigned *ret_count)
{
	struct old_row rows[STEP_ROWS];
	int code = read_old(statement, rows, ret_count);

	return code == SQLITE_DONE && *ret_count ? delete_rows(store, rows, *ret_count)
						 : code;
}

/* An id begins with its time. */
static int delete_aged(struct store *store, unsigned *ret_count)
{
	static const unsigned char none[10];
	int64_t oldest_ms = clock_real_ms() - store->settings.age_most_ms;
	sqlite3_stmt *statement = store_reset(store, SQL_OLD);
	char id[RUNID_LEN + 1];

	runid_format(oldest_ms > 0 ? oldest_ms : 0, none, id);
	sqlite3_bind_text(statement, 1, id, -1, SQLITE_STATIC);
	sqlite3_bind_int(statement, 2, STEP_ROWS);
	return delete_step(store, statement, ret_count);
}

static uint64_t pages(struct store *store, enum store_statement id)
{
	sqlite3_stmt *statement = store_reset(store, id);
	int64_t count = 0;

	if (sqlite3_step(statement) == SQLITE_ROW)
		count = sqlite3_column_int64(statement, 0);
	sqlite3_reset(statement);
	return count > 0 ? (uint64_t)count : 0;
}

#define PAGE_BYTES 4096u

static int delete_surplus(struct store *store, unsigned *ret_count)
{
	uint64_t most = store->settings.size_most_bytes;
	uint64_t used = pages(store, SQL_PAGES) - pages(store, SQL_FREE_PAGES);
	const char *tenant = share_largest(store);
	sqlite3_stmt *statement = store_reset(store, SQL_OLD_OF);

	*ret_count = 0;
	if (used * PAGE_BYTES <= most - most / SPARE_PART || !tenant)
		return SQLITE_DONE;
	sqlite3_bind_text(statement, 1, tenant, -1, SQLITE_STATIC);
	sqlite3_bind_int(statement, 2, STEP_ROWS);
	return delete_step(store, statement, ret_count);
}

/* Free pages that will be used again soon are left. */
static int shrink(struct store *store)
{
	uint64_t most = store->settings.size_most_bytes;
	uint64_t all = pages(store, SQL_PAGES), unused = pages(store, SQL_FREE_PAGES);

	if (all * PAGE_BYTES <= most && unused * PAGE_BYTES <= most / SPARE_PART)
		return SQLITE_DONE;
	return unused ? store_step(store, SQL_SHRINK) : SQLITE_DONE;
}

unsigned store_keep(struct store *store)
{
	unsigned aged = 0, surplus = 0;
	int code;

	if (store->damaged)
		return IDLE_MS;
	if (store->trouble[0]) {
		try_again(store);
		return RETRY_MS;
	}
	code = store_flush(store);
	if (code == SQLITE_DONE)
		code = delete_aged(store, &aged);
	if (code == SQLITE_DONE)
		code = delete_surplus(store, &surplus);
	if (code == SQLITE_DONE)
		code = shrink(store);
	if (code == SQLITE_DONE && store->log_pages > LOG_PAGES)
		code = carry_over(store);
	if (code != SQLITE_DONE)
		store_note_trouble(store, code);
	return aged == STEP_ROWS || surplus ? BUSY_MS : IDLE_MS;
}
