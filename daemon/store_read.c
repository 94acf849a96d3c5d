/* SPDX-License-Identifier: MIT */
/*
 * Reading: one run, or a page of summaries, after what waits went into the database. A page ends after so many rows were looked at,
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

/* Where the database cannot be written, what is in it can still be read. */
static void flush(struct store *store)
{
	int code = store->damaged ? SQLITE_DONE : store_flush(store);

	if (code != SQLITE_DONE)
		store_note_trouble(store, code);
}

static int read_failed(struct store *store, int code)
{
	log_say("the history cannot be read: %s", sqlite3_errstr(code));
	if ((code & 0xff) == SQLITE_CORRUPT)
		store_note_trouble(store, code);
	return -EIO;
}

int store_list(struct store *store, const struct store_query *query, struct text *to)
{
	sqlite3_stmt *rows;
	char last[RUNID_LEN + 1] = "";
	unsigned looked = 0, added = 0;
	int code;

	flush(store);
	rows = begin_list(store, query);
	text_add_str(to, "{\"runs\":[");
	while ((code = sqlite3_step(rows)) == SQLITE_ROW) {
		if (looked++ == STORE_LOOK_MOST || added == query->limit)
			break;
		snprintf(last, sizeof(last), "%s", store_text(rows, COLUMN_ID));
		if (query->status &&
		    strcmp(query->status, store_text(rows, COLUMN_STATUS)) != 0)
			continue;
		text_add_str(to, added++ ? "," : "");
		add_summary(to, rows);
	}
	sqlite3_reset(rows);
	if (code != SQLITE_ROW && code != SQLITE_DONE)
		return read_failed(store, code);
	text_add_str(to, "],\"next\":");
	json_add_str(to, code == SQLITE_ROW ? last : NULL);
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

int store_find(struct store *store, const char *tenant, const char *id,
	       enum store_found *ret_found, struct text *to)
{
	sqlite3_stmt *row;
	int code;

	flush(store);
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
