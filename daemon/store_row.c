/* SPDX-License-Identifier: MIT */
/*
 * A run as it is kept: a row of the table, and its record as JSON. The record of a run that
 * has just begun says that the daemon died: should it die, only the status has to be
 * changed.
 */
#include <errno.h>
#include <sha256.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/own.h"
#include "daemon/store_internal.h"
#include "supervisor/clock.h"

/* What output_record() may have, and the history does not take. */
#define JSON_MOST (64u << 20)

#define ERROR_NAME_MOST	   64u
#define ERROR_MESSAGE_MOST 512u

#define DIED "the daemon ended while this run was under way"

struct row *row_new(void)
{
	struct row *row = calloc(1, sizeof(*row));

	if (!row)
		return NULL;
	row->error_name = (struct text)TEXT_INIT(ERROR_NAME_MOST);
	row->error_message = (struct text)TEXT_INIT(ERROR_MESSAGE_MOST);
	row->json = (struct text)TEXT_INIT(JSON_MOST);
	return row;
}

void row_free(struct row *row)
{
	if (!row)
		return;
	text_free(&row->error_name);
	text_free(&row->error_message);
	text_free(&row->json);
	free(row);
}

int64_t row_bytes(const struct row *row)
{
	return (int64_t)row->json.len + STORE_ROW_BYTES;
}

static void hash_source(const struct request *request,
			char hash[SHA256_DIGEST_STRING_LENGTH])
{
	SHA256Data((const uint8_t *)(request->source_len ? request->source : ""),
		   request->source_len, hash);
}

/* What a begin has written already is not worked out again. */
static void identify(struct row_facts *facts, const struct record *record)
{
	const struct request *request = record->request;

	if (facts->id[0])
		return;
	facts->started_ms = record->started_ms;
	facts->source_bytes = request->source_len;
	facts->flags = request->check_only ? ROW_CHECKED : 0;
	snprintf(facts->id, sizeof(facts->id), "%s", record->id);
	snprintf(facts->tenant, sizeof(facts->tenant), "%s",
		 record->tenant ? record->tenant : "");
	snprintf(facts->policy, sizeof(facts->policy), "%s", request->policy->name);
	hash_source(request, facts->source_sha256);
}

int row_begin(struct row *row, const struct record *record)
{
	struct record dead = *record;

	identify(&row->facts, record);
	dead.why = (struct text)TEXT_INIT(ERROR_TEXT_MOST);
	dead.status = STATUS_INTERNAL_ERROR;
	text_add_str(&dead.why, DIED);
	record_write(&dead, &row->json);
	text_free(&dead.why);
	return text_status(&row->json) ? -ENOMEM : 0;
}

/* Cut between two characters. */
static void add_most(struct text *to, const struct text *from)
{
	const char *bytes = text_str(from);
	size_t len = from->len < to->most ? from->len : to->most;

	text_add(to, bytes, text_utf8_span(bytes, len));
}

static void explain(struct row *row, const struct record *record)
{
	if (record->error.set) {
		add_most(&row->error_name, &record->error.name);
		add_most(&row->error_message, &record->error.message);
	} else {
		add_most(&row->error_message, &record->why);
	}
	if (record->error.set || record->why.len)
		row->facts.flags |= ROW_HAS_ERROR;
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
static void write_json(struct row *row, const struct record *record, size_t most)
{
	struct record less;

	text_clear(&row->json);
	record_write(record, &row->json);
	if (row->json.len <= most && !text_status(&row->json))
		return;
	less = without_words(record);
	text_free(&row->json); /* with its room: it may wait for long */
	record_write(&less, &row->json);
	row->facts.flags |= ROW_ABRIDGED;
	if (!text_status(&row->json))
		return;
	/* No memory. It must not keep the other rows out of the database. */
	text_clear(&row->json);
	text_addf(&row->json, "{\"id\":\"%s\",\"status\":\"%s\"}", row->facts.id,
		  status_infos[record->status].name);
}

void row_end(struct row *row, const struct record *record, size_t json_most)
{
	struct row_facts *facts = &row->facts;

	identify(facts, record);
	facts->flags |= ROW_ENDED | (record->passed ? ROW_PASSED : 0);
	facts->ended_ms = clock_real_ms();
	facts->status = record->status;
	facts->gate = record->gate;
	facts->engine = record->engine;
	facts->wall_us = record->wall_us;
	facts->cpu_us = record->cpu_us;
	facts->setup_us = record->setup_us;
	facts->queue_us = record->queue_us;
	facts->memory_peak_bytes = record->memory_peak_bytes;
	if (record->killer && record->kill_reason)
		snprintf(facts->killed, sizeof(facts->killed), "%s", record->kill_reason);
	explain(row, record);
	write_json(row, record, json_most);
}

/* --- to SQLite ---------------------------------------------------------------- */

static const char *name_of_gate(uint32_t gate)
{
	static const char *const names[GATE_DECISIONS] = {
		[GATE_ALLOWED] = "allowed", [GATE_REJECTED] = "rejected"};

	return names[gate];
}

/* NULL is NULL in the table. */
static void bind_text(sqlite3_stmt *statement, int at, const char *text)
{
	sqlite3_bind_text(statement, at, text, -1, SQLITE_STATIC);
}

/* A text without a byte is not the same as none. */
static void bind_bytes(sqlite3_stmt *statement, int at, const struct text *text)
{
	sqlite3_bind_text(statement, at, text_str(text), (int)text->len, SQLITE_STATIC);
}

static void bind_number(sqlite3_stmt *statement, int at, uint64_t number)
{
	sqlite3_bind_int64(statement, at, (int64_t)number);
}

static void bind_flag(sqlite3_stmt *statement, int at, uint32_t flag)
{
	sqlite3_bind_int(statement, at, flag != 0);
}

/* From the column after error_name on. */
static void bind_end(const struct row *row, sqlite3_stmt *statement, int at)
{
	const struct row_facts *facts = &row->facts;

	bind_text(statement, at++, name_of_gate(facts->gate));
	bind_text(statement, at++,
		  facts->engine ? policy_engine_names[facts->engine] : NULL);
	bind_text(statement, at++, facts->killed[0] ? facts->killed : NULL);
	if (row->error_name.len)
		bind_bytes(statement, at, &row->error_name);
	at++;
	if (facts->flags & ROW_HAS_ERROR)
		bind_bytes(statement, at, &row->error_message);
	at++;
	bind_number(statement, at++, facts->wall_us);
	bind_number(statement, at++, facts->cpu_us);
	bind_number(statement, at++, facts->setup_us);
	bind_number(statement, at++, facts->queue_us);
	bind_number(statement, at++, facts->memory_peak_bytes);
	sqlite3_bind_int64(statement, at, facts->ended_ms);
}

void row_bind(const struct row *row, sqlite3_stmt *statement)
{
	const struct row_facts *facts = &row->facts;
	bool ended = facts->flags & ROW_ENDED;
	int at = 1;

	sqlite3_bind_int64(statement, at++, facts->number);
	bind_text(statement, at++, facts->id);
	bind_text(statement, at++, facts->tenant);
	bind_text(statement, at++, facts->policy);
	bind_flag(statement, at++, facts->flags & ROW_CHECKED);
	bind_text(statement, at++, facts->source_sha256);
	bind_number(statement, at++, facts->source_bytes);
	sqlite3_bind_int64(statement, at++, facts->started_ms);
	bind_text(statement, at++,
		  ended ? status_infos[facts->status].name : STORE_RUNNING_NAME);
	bind_flag(statement, at++, facts->flags & ROW_PASSED);
	bind_flag(statement, at++, facts->flags & ROW_ABRIDGED);
	sqlite3_bind_int64(statement, at++, row_bytes(row));
	if (ended)
		bind_end(row, statement, at);
}
