/* SPDX-License-Identifier: MIT */
/*
 * Reading: one run, or a page of summaries, after what waits went into the database; what
 * cannot go there is read where it waits. A page ends after so many rows were looked at,
 * so that nobody makes the server search for long; where it then goes on stands in "next".
 */
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "daemon/log.h"
#include "daemon/store_internal.h"
#include "supervisor/json.h"
#include "supervisor/timestamp.h"

/* In the order of SUMMARY_COLUMNS. */
enum column {
	COLUMN_ID,
	COLUMN_TENANT,
	COLUMN_POLICY,
	COLUMN_CHECKED,
	COLUMN_SHA256,
	COLUMN_SOURCE_BYTES,
	COLUMN_STATUS,
	COLUMN_PASSED,
	COLUMN_GATE,
	COLUMN_ENGINE,
	COLUMN_KILLED,
	COLUMN_ERROR_NAME,
	COLUMN_ERROR_MESSAGE,
	COLUMN_WALL,
	COLUMN_CPU,
	COLUMN_SETUP,
	COLUMN_QUEUE,
	COLUMN_MEMORY,
	COLUMN_STARTED,
	COLUMN_ENDED,
	COLUMN_ABRIDGED,
	COLUMN_NUMBER, /* of FIND alone */
};

/* Above every id. */
#define LAST_ID "~"

static bool is_null(sqlite3_stmt *row, enum column column)
{
	return sqlite3_column_type(row, (int)column) == SQLITE_NULL;
}

static void add_text(struct text *to, const char *key, sqlite3_stmt *row,
		     enum column column)
{
	const char *text = store_text(row, (int)column);

	text_addf(to, "\"%s\":", key);
	if (is_null(row, column))
		text_add_str(to, "null");
	else
		json_add_string(to, text, (size_t)sqlite3_column_bytes(row, (int)column));
	text_add_char(to, ',');
}

/* The members before it end with a comma. */
static void close_object(struct text *to)
{
	if (text_status(to) == 0 && to->len)
		to->data[to->len - 1] = '}';
}

static void add_bool(struct text *to, const char *key, sqlite3_stmt *row,
		     enum column column)
{
	text_addf(to, "\"%s\":%s,", key,
		  sqlite3_column_int(row, (int)column) ? "true" : "false");
}

static uint64_t number_at(sqlite3_stmt *row, enum column column)
{
	int64_t number = sqlite3_column_int64(row, (int)column);

	return number > 0 ? (uint64_t)number : 0;
}

static void add_error(struct text *to, sqlite3_stmt *row)
{
	text_add_str(to, "\"error\":");
	if (is_null(row, COLUMN_ERROR_MESSAGE)) {
		text_add_str(to, "null,");
		return;
	}
	text_add_char(to, '{');
	add_text(to, "name", row, COLUMN_ERROR_NAME);
	add_text(to, "message", row, COLUMN_ERROR_MESSAGE);
	close_object(to);
	text_add_char(to, ',');
}

static void add_usage(struct text *to, sqlite3_stmt *row)
{
	static const struct {
		const char *key;
		enum column column;
	} times[] = {{"wall_ms", COLUMN_WALL},
		     {"cpu_ms", COLUMN_CPU},
		     {"setup_ms", COLUMN_SETUP},
		     {"queue_ms", COLUMN_QUEUE}};

	text_add_str(to, "\"usage\":{");
	for (size_t i = 0; i < sizeof(times) / sizeof(times[0]); i++) {
		text_addf(to, "\"%s\":", times[i].key);
		record_write_ms(number_at(row, times[i].column), to);
		text_add_char(to, ',');
	}
	text_addf(to, "\"memory_peak_bytes\":%" PRIu64 "},",
		  number_at(row, COLUMN_MEMORY));
}

static void add_time(struct text *to, const char *key, sqlite3_stmt *row,
		     enum column column)
{
	char time[TIMESTAMP_ROOM];

	if (is_null(row, column)) {
		text_addf(to, "\"%s\":null,", key);
		return;
	}
	timestamp_print(sqlite3_column_int64(row, (int)column), time);
	text_addf(to, "\"%s\":\"%s\",", key, time);
}

static void add_summary(struct text *to, sqlite3_stmt *row)
{
	text_add_char(to, '{');
	add_text(to, "id", row, COLUMN_ID);
	add_text(to, "tenant", row, COLUMN_TENANT);
	add_text(to, "policy", row, COLUMN_POLICY);
	add_bool(to, "check", row, COLUMN_CHECKED);
	add_text(to, "source_sha256", row, COLUMN_SHA256);
	text_addf(to, "\"source_bytes\":%" PRIu64 ",",
		  number_at(row, COLUMN_SOURCE_BYTES));
	add_text(to, "status", row, COLUMN_STATUS);
	add_bool(to, "passed", row, COLUMN_PASSED);
	add_text(to, "decision", row, COLUMN_GATE);
	add_text(to, "engine", row, COLUMN_ENGINE);
	add_text(to, "killed", row, COLUMN_KILLED);
	add_error(to, row);
	add_usage(to, row);
	add_time(to, "started_at", row, COLUMN_STARTED);
	add_time(to, "ended_at", row, COLUMN_ENDED);
	add_bool(to, "abridged", row, COLUMN_ABRIDGED);
	close_object(to);
}

static sqlite3_stmt *begin_list(struct store *store, const struct store_query *query)
{
	sqlite3_stmt *rows = store_reset(store, query->tenant ? SQL_LIST_OF : SQL_LIST);
	int at = 1;

	sqlite3_bind_text(rows, at++, query->before ? query->before : LAST_ID, -1,
			  SQLITE_STATIC);
	if (query->tenant)
		sqlite3_bind_text(rows, at++, query->tenant, -1, SQLITE_STATIC);
	sqlite3_bind_int(rows, at, (int)STORE_LOOK_MOST + 1);
	return rows;
}

/* Where the database cannot be written, what is in it can still be read, and so can what
 * waits. */
static void flush(struct store *store)
{
	int code = store->damaged ? SQLITE_DONE : store_flush(store);

	if (code != SQLITE_DONE)
		store_note_trouble(store, code);
}

static bool is_whose(const struct row *row, const char *tenant)
{
	return !tenant || !strcmp(row->facts.tenant, tenant);
}

static const char *status_of(const struct row *row)
{
	return row->facts.flags & ROW_ENDED ? status_infos[row->facts.status].name
					    : STORE_RUNNING_NAME;
}

/* As if it were in the database already. */
static void add_waiting(struct store *store, const struct row *row, struct text *to)
{
	sqlite3_stmt *shown = store_reset(store, SQL_SHOW);

	row_bind(row, shown);
	if (sqlite3_step(shown) == SQLITE_ROW)
		add_summary(to, shown);
	else
		to->error = -EIO;
	sqlite3_reset(shown);
}

/* Of those that wait and match, the newest before `id`; NULL: there is none. */
static const struct row *next_waiting(const struct store *store,
				      const struct store_query *query, const char *id)
{
	const struct row *newest = NULL;

	for (const struct row *row = store->waiting; row; row = row->next)
		if (strcmp(row->facts.id, id) < 0 && is_whose(row, query->tenant) &&
		    (!newest || strcmp(row->facts.id, newest->facts.id) > 0))
			newest = row;
	return newest;
}

static int read_failed(struct store *store, int code)
{
	log_say("the history cannot be read: %s", sqlite3_errstr(code));
	if ((code & 0xff) == SQLITE_CORRUPT)
		store_note_trouble(store, code);
	return -EIO;
}

/* One as it is made. */
struct page {
	const struct store_query *query;
	struct text *to;
	char last[RUNID_LEN + 1]; /* that was looked at */
	unsigned looked, added;
};

static bool is_full(const struct page *page)
{
	return page->looked == STORE_LOOK_MOST || page->added == page->query->limit;
}

/* False: it is not wanted. */
static bool look_at(struct page *page, const char *id, const char *status)
{
	page->looked++;
	snprintf(page->last, sizeof(page->last), "%s", id);
	if (page->query->status && strcmp(page->query->status, status) != 0)
		return false;
	text_add_str(page->to, page->added++ ? "," : "");
	return true;
}

/* Those of the database and those that wait, by their ids; of a run that is both, what waits
 * is newer. */
int store_list(struct store *store, const struct store_query *query, struct text *to)
{
	struct page page = {.query = query, .to = to};
	sqlite3_stmt *rows;
	bool more;
	int code;

	snprintf(page.last, sizeof(page.last), "%s",
		 query->before ? query->before : LAST_ID);
	flush(store);
	rows = begin_list(store, query);
	text_add_str(to, "{\"runs\":[");
	code = sqlite3_step(rows);
	for (;;) {
		const char *id = code == SQLITE_ROW ? store_text(rows, COLUMN_ID) : "";
		const struct row *waiting = next_waiting(store, query, page.last);
		int order = waiting ? strcmp(waiting->facts.id, id) : -1;

		more = waiting || code == SQLITE_ROW;
		if (!more || is_full(&page))
			break;
		if (order < 0 && look_at(&page, id, store_text(rows, COLUMN_STATUS)))
			add_summary(to, rows);
		else if (order >= 0 &&
			 look_at(&page, waiting->facts.id, status_of(waiting)))
			add_waiting(store, waiting, to);
		if (order <= 0)
			code = sqlite3_step(rows);
	}
	sqlite3_reset(rows);
	if (code != SQLITE_ROW && code != SQLITE_DONE)
		return read_failed(store, code);
	text_add_str(to, "],\"next\":");
	json_add_str(to, more ? page.last : NULL);
	text_add_str(to, "}\n");
	return 0;
}

static int add_record(struct store *store, int64_t number, struct text *to)
{
	sqlite3_stmt *row = store_reset(store, SQL_FIND_RECORD);
	int code;

	sqlite3_bind_int64(row, 1, number);
	code = sqlite3_step(row);
	if (code == SQLITE_ROW) {
		text_add(to, sqlite3_column_blob(row, 0),
			 (size_t)sqlite3_column_bytes(row, 0));
		text_add_char(to, '\n');
	}
	sqlite3_reset(row);
	return code == SQLITE_DONE ? SQLITE_CORRUPT : code;
}

static bool find_waiting(struct store *store, const char *tenant, const char *id,
			 enum store_found *ret_found, struct text *to)
{
	const struct row *row = store->waiting;

	while (row && (strcmp(row->facts.id, id) != 0 || !is_whose(row, tenant)))
		row = row->next;
	if (!row)
		return false;
	if (row->facts.flags & ROW_ENDED) {
		*ret_found =
			row->facts.flags & ROW_ABRIDGED ? STORE_ABRIDGED : STORE_WHOLE;
		text_add(to, text_str(&row->json), row->json.len);
	} else {
		*ret_found = STORE_RUNNING;
		add_waiting(store, row, to);
	}
	text_add_char(to, '\n');
	return true;
}

int store_find(struct store *store, const char *tenant, const char *id,
	       enum store_found *ret_found, struct text *to)
{
	sqlite3_stmt *row;
	int code;

	flush(store);
	if (find_waiting(store, tenant, id, ret_found, to))
		return 0;
	row = store_reset(store, SQL_FIND);
	*ret_found = STORE_NOTHING;
	sqlite3_bind_text(row, 1, id, -1, SQLITE_STATIC);
	sqlite3_bind_text(row, 2, tenant, -1, SQLITE_STATIC);
	code = sqlite3_step(row);
	if (code == SQLITE_ROW &&
	    !strcmp(store_text(row, COLUMN_STATUS), STORE_RUNNING_NAME)) {
		*ret_found = STORE_RUNNING;
		add_summary(to, row);
		text_add_char(to, '\n');
	} else if (code == SQLITE_ROW) {
		*ret_found = sqlite3_column_int(row, COLUMN_ABRIDGED) ? STORE_ABRIDGED
								      : STORE_WHOLE;
		code = add_record(store, sqlite3_column_int64(row, COLUMN_NUMBER), to);
	}
	sqlite3_reset(row);
	return code == SQLITE_ROW || code == SQLITE_DONE ? 0 : read_failed(store, code);
}
