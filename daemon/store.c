/* SPDX-License-Identifier: MIT */
/*
 * Writing: a row is in the journal before its run may go on (store_journal.c), and waits
 * for its turn to go into the database, where many are one transaction. That is one write
 * to the log of the database, which is synced when it is carried over (store_keep.c).
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/vfs.h>

#include "base/own.h"
#include "daemon/log.h"
#include "daemon/store_internal.h"

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
	bool damage = store_is_damage(code);

	/* Damage has another end than a full disk. */
	if (!store->trouble[0] || (damage && !store->damaged)) {
		store_explain(code, store->errnum, store->trouble);
		log_say("no run is taken on: %s", store->trouble);
	}
	store->damaged |= damage;
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

/* --- rows that wait ----------------------------------------------------------- */

void store_wait(struct store *store, struct row *row)
{
	*store->waiting_end = row;
	store->waiting_end = &row->next;
}

void store_wait_again(struct store *store, struct row *row)
{
	struct row **at = &store->waiting;

	while (*at && strcmp((*at)->facts.id, row->facts.id) != 0)
		at = &(*at)->next;
	if (!*at) {
		store_wait(store, row);
		return;
	}
	row->next = (*at)->next;
	if (!row->next)
		store->waiting_end = &row->next;
	row_free(*at);
	*at = row;
}

/* Of a run that has begun and is not over; NULL: it is in the database already. */
static struct row *find_begun(const struct store *store, int64_t number)
{
	struct row *row = store->waiting;

	while (row && (row->facts.number != number || row->facts.flags & ROW_ENDED))
		row = row->next;
	return row;
}

/* Of the rows that wait, the last. */
static void drop_last(struct store *store)
{
	struct row **at = &store->waiting;

	while ((*at)->next)
		at = &(*at)->next;
	row_free(*at);
	*at = NULL;
	store->waiting_end = at;
}

void store_forget(struct store *store)
{
	while (store->waiting) {
		struct row *row = store->waiting;

		store->waiting = row->next;
		row_free(row);
	}
	store->waiting_end = &store->waiting;
}

static int put_record(struct store *store, const struct row *row)
{
	sqlite3_stmt *statement = store_reset(store, SQL_PUT_RECORD);

	sqlite3_bind_int64(statement, 1, row->facts.number);
	sqlite3_bind_blob64(statement, 2, text_str(&row->json), row->json.len,
			    SQLITE_STATIC);
	return store_step(store, SQL_PUT_RECORD);
}

/* A begin changes nothing where there is a row of that run: one that a death has left in
 * the journal, too. */
static int put_row(struct store *store, const struct row *row)
{
	enum store_statement id = row->facts.flags & ROW_ENDED ? SQL_PUT : SQL_INSERT;
	int code;

	row_bind(row, store_reset(store, id));
	code = store_step(store, id);
	return code == SQLITE_DONE && sqlite3_changes(store->db) ? put_record(store, row)
								 : code;
}

int store_write(struct store *store)
{
	int code;

	if (!store->waiting)
		return SQLITE_DONE;
	code = store_begin_change(store);
	for (struct row *row = store->waiting; code == SQLITE_DONE && row;
	     row = row->next)
		code = put_row(store, row);
	return store_end_change(store, code);
}

int store_flush(struct store *store)
{
	int code = store_write(store);

	if (code != SQLITE_DONE)
		return code;
	for (const struct row *row = store->waiting; row; row = row->next)
		if (row->facts.flags & ROW_ENDED)
			share_add(store, row->facts.tenant, row_bytes(row));
	store_forget(store);
	journal_reset(&store->journal);
	return SQLITE_DONE;
}

/* A row that waits survives us from here on. SQLite's code. */
static int make_safe(struct store *store, struct row *row)
{
	row->in_journal = journal_append(&store->journal, row) == 0;
	if (row->in_journal)
		return SQLITE_DONE;
	return store->damaged ? SQLITE_CORRUPT : store_flush(store);
}

/* A run that is new, which may still be refused: -EIO. The row is the store's, or gone. */
static int add_row(struct store *store, struct row *row)
{
	int code;

	row->facts.number = ++store->newest;
	store_wait(store, row);
	code = make_safe(store, row);
	if (code == SQLITE_DONE)
		return 0;
	drop_last(store);
	return store_note_trouble(store, code);
}

/* --- begin -------------------------------------------------------------------- */

int store_begin(struct store *store, const struct record *record, int64_t *ret_number)
{
	struct row *row;
	int code = SQLITE_DONE;

	if (store->trouble[0])
		return -EIO;
	if (!journal_has_room(&store->journal))
		code = store_flush(store);
	row = code == SQLITE_DONE ? row_new() : NULL;
	if (code == SQLITE_DONE && (!row || row_begin(row, record) < 0))
		code = SQLITE_NOMEM;
	if (code != SQLITE_DONE) {
		row_free(row);
		return store_note_trouble(store, code);
	}
	if (add_row(store, row) < 0)
		return -EIO;
	*ret_number = store->newest;
	return 0;
}

/* --- end ---------------------------------------------------------------------- */

int store_end(struct store *store, const struct record *record, int64_t number)
{
	struct row *begun = number ? find_begun(store, number) : NULL;
	struct row *row;
	int code;

	if (number == 0 && store->trouble[0])
		return -EIO;
	row = begun ? begun : row_new();
	if (!row)
		return store_note_trouble(store, SQLITE_NOMEM);
	row_end(row, record, store->settings.record_most_bytes);
	if (number == 0)
		return add_row(store, row);
	row->facts.number = number;
	if (!begun)
		store_wait(store, row);
	code = make_safe(store, row);
	if (code != SQLITE_DONE)
		store_note_trouble(store, code);
	return 0;
}

/* --- the end of it all -------------------------------------------------------- */

static bool is_lost(const struct store *store)
{
	for (const struct row *row = store->waiting; row; row = row->next)
		if (!row->in_journal || store->journal.fd < 0)
			return true;
	return false;
}

/* Those that are never closed. */
static struct store *left_open;

void store_free(struct store *store)
{
	if (!store)
		return;
	if (!store->damaged)
		store_flush(store);
	if (is_lost(store))
		log_say("ends of runs are not in the history: they will be "
			"internal_error there");
	store_forget(store);
	journal_close(&store->journal);
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
