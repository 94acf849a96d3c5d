/* SPDX-License-Identifier: MIT */
/*
 * Writing: the begin and the end of a run, each one transaction, which is one write to the
 * log of the database and no more: it is synced when it is carried over (store_keep.c).
 *
 * The record of a run that has just begun says that the daemon died: should it die, only
 * the status has to be changed.
 */
#include <errno.h>
#include <sha256.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/vfs.h>

#include "base/own.h"
#include "daemon/log.h"
#include "daemon/store_internal.h"
#include "supervisor/clock.h"

/* What output_record() may have, and the history does not take. */
#define JSON_MOST (64u << 20)

#define DIED "the daemon ended while this run was under way"

/* --- statements --------------------------------------------------------------- */

sqlite3_stmt *store_reset(struct store *store, enum store_statement id)
{
	sqlite3_stmt *statement = store->statements[id];

	sqlite3_reset(statement);
	sqlite3_clear_bindings(statement);
	return statement;
}

/* sqlite3_system_errno() knows nothing of what goes wrong within a statement. */
int store_step(struct store *store, enum store_statement id)
{
	int code;

	errno = 0;
	do
		code = sqlite3_step(store->statements[id]);
	while (code == SQLITE_ROW);
	if (code != SQLITE_DONE)
		store->errnum = errno;
	sqlite3_reset(store->statements[id]);
	return code;
}

int store_begin_change(struct store *store)
{
	return store_step(store, SQL_BEGIN);
}

/* After some failures the change is undone already: then there is nothing to roll back. */
int store_end_change(struct store *store, int code)
{
	if (code == SQLITE_DONE)
		code = store_step(store, SQL_COMMIT);
	if (code != SQLITE_DONE && !sqlite3_get_autocommit(store->db)) {
		int errnum = store->errnum;

		store_step(store, SQL_ROLLBACK);
		store->errnum = errnum;
	}
	return code;
}

int store_note_trouble(struct store *store, int code)
{
	if (!store->trouble[0]) {
		store_explain(code, store->errnum, store->trouble);
		log_say("no run is taken on: %s", store->trouble);
	}
	code &= 0xff;
	store->damaged |= code == SQLITE_CORRUPT || code == SQLITE_NOTADB;
	return -EIO;
}

const char *store_text(sqlite3_stmt *statement, int column)
{
	const unsigned char *text = sqlite3_column_text(statement, column);

	return text ? (const char *)text : "";
}

const char *store_trouble(const struct store *store)
{
	return store->trouble[0] ? store->trouble : NULL;
}

bool store_space(const struct store *store, uint64_t *ret_all, uint64_t *ret_free)
{
	struct statfs space;

	if (store->dir < 0 || fstatfs(store->dir, &space) < 0)
		return false;
	*ret_all = (uint64_t)space.f_blocks * (uint64_t)space.f_bsize;
	*ret_free = (uint64_t)space.f_bavail * (uint64_t)space.f_bsize;
	return true;
}

static void bind_text(sqlite3_stmt *statement, int at, const char *text)
{
	sqlite3_bind_text(statement, at, text, -1, SQLITE_STATIC);
}

/* A text without a byte is not the same as none. */
static void bind_bytes(sqlite3_stmt *statement, int at, const struct text *text)
{
	sqlite3_bind_text(statement, at, text_str(text), (int)text->len, SQLITE_STATIC);
}

/* --- a run as it is kept ------------------------------------------------------ */

static const char *tenant_of(const struct record *record)
{
	return record->tenant ? record->tenant : "";
}

static void hash_source(const struct request *request,
			char hash[SHA256_DIGEST_STRING_LENGTH])
{
	SHA256Data((const uint8_t *)(request->source_len ? request->source : ""),
		   request->source_len, hash);
}

/* Cut between two characters. */
static void add_most(struct text *to, const struct text *from, size_t most)
{
	const char *bytes = text_str(from);
	size_t len = from->len < most ? from->len : most;

	text_add(to, bytes, text_utf8_span(bytes, len));
}

static void explain(struct ending_row *row, const struct record *record)
{
	row->has_error = record->error.set || record->why.len;
	if (record->error.set) {
		add_most(&row->error_name, &record->error.name, STORE_ERROR_NAME_MOST);
		add_most(&row->error_message, &record->error.message,
			 STORE_ERROR_MESSAGE_MOST);
	} else {
		add_most(&row->error_message, &record->why, STORE_ERROR_MESSAGE_MOST);
	}
}

/* The same record with less in it. Its texts are borrowed. */
static struct record without_words(const struct record *record)
{
	struct record less = *record;

	less.has_value = less.value_is_json = false;
	less.log.count = 0;
	less.log.truncated = true;
	return less;
}

/* What is left has bounds of its own: texts of an error, findings. */
static void write_json(struct ending_row *row, const struct store *store,
		       const struct record *record)
{
	struct record less;

	record_write(record, &row->json);
	if (row->json.len <= store->settings.record_most_bytes &&
	    !text_status(&row->json))
		return;
	less = without_words(record);
	text_clear(&row->json);
	record_write(&less, &row->json);
	row->abridged = true;
}

static void ending_free(struct ending_row *row)
{
	if (!row)
		return;
	text_free(&row->error_name);
	text_free(&row->error_message);
	text_free(&row->json);
	free(row);
}

static void ending_cleanup(struct ending_row **row)
{
	ending_free(*row);
}

static const char *name_of_gate(enum gate_decision gate)
{
	static const char *const names[] = {
		[GATE_ALLOWED] = "allowed", [GATE_REJECTED] = "rejected"};

	return names[gate];
}

static struct ending_row *ending_new(const struct store *store,
				     const struct record *record, int64_t number)
{
	struct ending_row *row = calloc(1, sizeof(*row));

	if (!row)
		return NULL;
	*row = (struct ending_row){
		.number = number,
		.ended_ms = clock_real_ms(),
		.status = status_infos[record->status].name,
		.gate = name_of_gate(record->gate),
		.engine = record->engine ? policy_engine_names[record->engine] : NULL,
		.killed = record->killer ? record->kill_reason : NULL,
		.passed = record->passed,
		.error_name = TEXT_INIT(STORE_ERROR_NAME_MOST),
		.error_message = TEXT_INIT(STORE_ERROR_MESSAGE_MOST),
		.json = TEXT_INIT(JSON_MOST),
		.wall_us = record->wall_us,
		.cpu_us = record->cpu_us,
		.setup_us = record->setup_us,
		.queue_us = record->queue_us,
		.memory_peak_bytes = record->memory_peak_bytes,
	};
	snprintf(row->tenant, sizeof(row->tenant), "%s", tenant_of(record));
	explain(row, record);
	write_json(row, store, record);
	return row;
}

static int64_t bytes_of(const struct text *json)
{
	return (int64_t)json->len + STORE_ROW_BYTES;
}

/* --- begin -------------------------------------------------------------------- */

static int insert(struct store *store, const struct record *record, int64_t bytes)
{
	sqlite3_stmt *statement = store_reset(store, SQL_INSERT);
	char hash[SHA256_DIGEST_STRING_LENGTH];
	int at = 1;

	hash_source(record->request, hash);
	bind_text(statement, at++, record->id);
	bind_text(statement, at++, tenant_of(record));
	bind_text(statement, at++, record->request->policy->name);
	sqlite3_bind_int(statement, at++, record->request->check_only);
	bind_text(statement, at++, hash);
	sqlite3_bind_int64(statement, at++, (int64_t)record->request->source_len);
	sqlite3_bind_int64(statement, at++, record->started_ms);
	sqlite3_bind_int64(statement, at++, bytes);
	return store_step(store, SQL_INSERT);
}

static int keep_json(struct store *store, int64_t number, const struct text *json)
{
	sqlite3_stmt *statement = store_reset(store, SQL_INSERT_RECORD);

	sqlite3_bind_int64(statement, 1, number);
	sqlite3_bind_blob64(statement, 2, text_str(json), json->len, SQLITE_STATIC);
	return store_step(store, SQL_INSERT_RECORD);
}

static void write_death(const struct record *record, struct text *to)
{
	struct record dead = *record;

	dead.why = (struct text)TEXT_INIT(ERROR_TEXT_MOST);
	dead.status = STATUS_INTERNAL_ERROR;
	text_add_str(&dead.why, DIED);
	record_write(&dead, to);
	text_free(&dead.why);
}

int store_begin(struct store *store, const struct record *record, int64_t *ret_number)
{
	own_text struct text json = TEXT_INIT(JSON_MOST);
	int code;

	if (store->trouble[0])
		return -EIO;
	write_death(record, &json);
	code = text_status(&json) ? SQLITE_NOMEM : store_begin_change(store);
	if (code == SQLITE_DONE)
		code = insert(store, record, bytes_of(&json));
	if (code == SQLITE_DONE) {
		*ret_number = sqlite3_last_insert_rowid(store->db);
		code = keep_json(store, *ret_number, &json);
	}
	code = store_end_change(store, code);
	return code == SQLITE_DONE ? 0 : store_note_trouble(store, code);
}

/* --- end ---------------------------------------------------------------------- */

static int update(struct store *store, const struct ending_row *row)
{
	sqlite3_stmt *statement = store_reset(store, SQL_UPDATE);
	int at = 1;

	bind_text(statement, at++, row->status);
	sqlite3_bind_int(statement, at++, row->passed);
	bind_text(statement, at++, row->gate);
	bind_text(statement, at++, row->engine);
	bind_text(statement, at++, row->killed);
	if (row->has_error && row->error_name.len)
		bind_bytes(statement, at, &row->error_name);
	at++;
	if (row->has_error)
		bind_bytes(statement, at, &row->error_message);
	at++;
	sqlite3_bind_int64(statement, at++, (int64_t)row->wall_us);
	sqlite3_bind_int64(statement, at++, (int64_t)row->cpu_us);
	sqlite3_bind_int64(statement, at++, (int64_t)row->setup_us);
	sqlite3_bind_int64(statement, at++, (int64_t)row->queue_us);
	sqlite3_bind_int64(statement, at++, (int64_t)row->memory_peak_bytes);
	sqlite3_bind_int64(statement, at++, row->ended_ms);
	sqlite3_bind_int(statement, at++, row->abridged);
	sqlite3_bind_int64(statement, at++, bytes_of(&row->json));
	sqlite3_bind_int64(statement, at, row->number);
	return store_step(store, SQL_UPDATE);
}

/* Within a change that the caller has begun. */
static int write_end(struct store *store, const struct ending_row *row)
{
	int code = text_status(&row->json) ? SQLITE_NOMEM : update(store, row);

	return code == SQLITE_DONE ? keep_json(store, row->number, &row->json) : code;
}

int store_write_waiting(struct store *store)
{
	int code = SQLITE_DONE;

	while (code == SQLITE_DONE && store->waiting) {
		struct ending_row *row = store->waiting;

		code = store_begin_change(store);
		if (code == SQLITE_DONE)
			code = write_end(store, row);
		code = store_end_change(store, code);
		if (code != SQLITE_DONE)
			break;
		share_add(store, row->tenant, bytes_of(&row->json));
		store->waiting = row->next;
		ending_free(row);
	}
	if (!store->waiting)
		store->waiting_end = &store->waiting;
	return code;
}

/* What was never begun is both at once. */
static int write_whole(struct store *store, const struct record *record,
		       struct ending_row *row)
{
	int code = store_begin_change(store);

	if (code == SQLITE_DONE)
		code = insert(store, record, bytes_of(&row->json));
	row->number = sqlite3_last_insert_rowid(store->db);
	if (code == SQLITE_DONE)
		code = write_end(store, row);
	code = store_end_change(store, code);
	if (code != SQLITE_DONE)
		return store_note_trouble(store, code);
	share_add(store, row->tenant, bytes_of(&row->json));
	return 0;
}

int store_end(struct store *store, const struct record *record, int64_t number)
{
	__attribute__((cleanup(ending_cleanup))) struct ending_row *row =
		ending_new(store, record, number);
	int code;

	if (!row)
		return store_note_trouble(store, SQLITE_NOMEM);
	if (number == 0)
		return store->trouble[0] ? -EIO : write_whole(store, record, row);
	*store->waiting_end = row;
	store->waiting_end = &row->next;
	TAKE_PTR(row);
	if (store->damaged)
		return 0;
	code = store_write_waiting(store);
	if (code != SQLITE_DONE)
		store_note_trouble(store, code);
	return 0;
}

/* Those that are never closed. */
static struct store *left_open;

void store_free(struct store *store)
{
	if (!store)
		return;
	if (store->waiting && !store->damaged)
		store_write_waiting(store);
	if (store->waiting)
		log_say("ends of runs are not in the history: they will be "
			"internal_error there");
	while (store->waiting) {
		struct ending_row *row = store->waiting;

		store->waiting = row->next;
		ending_free(row);
	}
	for (int i = 0; i < SQL_COUNT; i++)
		sqlite3_finalize(store->statements[i]);
	share_free(store);
	close_fd(store->dir);
	if (!store->on_disk) {
		sqlite3_close(store->db);
		free(store);
		return;
	}
	/* To close the database would be to unlink its log, which nobody may any more: the
	 * next start finds it and carries it over. */
	store->next_left = left_open;
	left_open = store;
}
