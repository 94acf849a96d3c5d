/* SPDX-License-Identifier: MIT */
/*
 * The history by itself: what is kept, for how long, whose it is, what a death leaves,
 * and what happens where it cannot be written.
 */
#include <criterion/criterion.h>
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sqlite3.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/own.h"
#include "daemon/confined.h"
#include "daemon/store.h"
#include "supervisor/clock.h"
#include "supervisor/json.h"
#include "tests/unit/stored.h"

#ifdef __SANITIZE_ADDRESS__
#define SANITIZED true
#else
#define SANITIZED false
#endif

/* cppcheck-suppress unknownMacro */
TestSuite(store, .init = make_dir, .fini = remove_dir);

Test(store, a_run_is_there_from_its_begin)
{
	own_text struct text text = TEXT_INIT(1u << 20);
	struct store *store = open_store();
	struct record record;
	int64_t number;

	make_record(&record, "a", clock_real_ms());
	number = begin(store, &record);
	cr_expect_eq(find(store, "a", record.id, &text), STORE_RUNNING);
	cr_expect(strstr(text_str(&text), "\"status\":\"running\""), "%s",
		  text_str(&text));
	cr_expect(strstr(text_str(&text), "be20d9eabd5e664b327bb5e311f295ae535b18dee2a5f0"
					  "b764b0e2d7da913cbe"),
		  "the hash of 6*7");
	record.status = STATUS_TIMEOUT;
	cr_expect_eq(store_end(store, &record, number), 0);
	cr_expect_eq(find(store, NULL, record.id, &text), STORE_WHOLE);
	cr_expect(strstr(text_str(&text), "\"status\":\"timeout\""));
	cr_expect_eq(count_runs(store, NULL), 1);
	record_free(&record);
	store_free(store);
}

Test(store, a_run_that_never_began_is_kept_too)
{
	own_text struct text text = TEXT_INIT(1u << 20);
	struct store *store = open_store();
	struct record record;

	make_record(&record, "a", clock_real_ms());
	record.status = STATUS_REJECTED;
	cr_expect_eq(store_end(store, &record, 0), 0);
	cr_expect_eq(find(store, "a", record.id, &text), STORE_WHOLE);
	record_free(&record);
	store_free(store);
}

Test(store, another_tenant_sees_nothing)
{
	own_text struct text text = TEXT_INIT(1u << 20);
	struct store *store = open_store();
	char id[RUNID_LEN + 1];

	keep_run(store, "a", clock_real_ms(), id);
	keep_run(store, "ab", clock_real_ms(), id);
	cr_expect_eq(find(store, "a", id, &text), STORE_NOTHING);
	cr_expect_eq(text.len, 0);
	cr_expect_eq(find(store, "ab", id, &text), STORE_WHOLE);
	cr_expect_eq(find(store, "", id, &text), STORE_NOTHING);
	cr_expect_eq(count_runs(store, "a"), 1);
	cr_expect_eq(count_runs(store, "ab"), 1);
	cr_expect_eq(count_runs(store, ""), 0);
	cr_expect_eq(count_runs(store, NULL), 2);
	store_free(store);
}

/* The id that "next" names; false: null. */
static bool next_of(const char *found, char id[RUNID_LEN + 1])
{
	const char *next = strstr(found, "\"next\":");

	cr_assert(next);
	if (next[7] != '"')
		return false;
	memcpy(id, next + 8, RUNID_LEN);
	id[RUNID_LEN] = '\0';
	return true;
}

Test(store, pages_end_after_so_many_were_looked_at)
{
	struct store *store = open_store();
	char id[RUNID_LEN + 1], oldest[RUNID_LEN + 1];
	struct store_query query = {.status = "error", .limit = 10, .tenant = "a"};
	struct record record;
	unsigned found = 0, pages = 0;
	bool more = true;

	make_record(&record, "a", 1000);
	record.status = STATUS_ERROR;
	cr_assert_eq(store_end(store, &record, 0), 0);
	memcpy(oldest, record.id, sizeof(oldest));
	keep_runs(store, "a", 2 * STORE_LOOK_MOST);
	while (more) {
		own_free char *page = list(store, &query);

		pages++;
		found += count_of(page, oldest) && count_of(page, "\"runs\":[{");
		more = next_of(page, id);
		query.before = id;
	}
	cr_expect_eq(found, 1);
	cr_expect_eq(pages, 3, "%u pages", pages);
	record_free(&record);
	store_free(store);
}

static void leave_running(void)
{
	struct store *store = open_store();
	struct record record;
	char id[RUNID_LEN + 1];

	keep_run(store, "a", clock_real_ms(), id);
	make_record(&record, "a", clock_real_ms());
	begin(store, &record);
	kill(getpid(), SIGKILL);
}

Test(store, what_was_under_way_at_a_death_is_an_internal_error)
{
	int status = in_child(leave_running);
	struct store *store = open_store();
	own_text struct text text = TEXT_INIT(1u << 20);
	struct store_query query = {.status = "internal_error", .limit = 9};
	own_free char *dead = list(store, &query);
	char id[RUNID_LEN + 1];

	cr_expect(WIFSIGNALED(status));
	cr_expect_eq(count_runs(store, NULL), 2);
	cr_expect_eq(count_of(dead, "\"id\":"), 1);
	memcpy(id, strstr(dead, "\"id\":\"") + 6, RUNID_LEN);
	id[RUNID_LEN] = '\0';
	cr_expect_eq(find(store, "a", id, &text), STORE_WHOLE);
	cr_expect(strstr(text_str(&text), "the daemon ended while"), "%s",
		  text_str(&text));
	store_free(store);
}

Test(store, too_large_a_record_is_kept_without_its_value)
{
	const struct store_settings settings = {.age_most_ms = INT64_MAX,
						.size_most_bytes = 64u << 20,
						.record_most_bytes = 4096};
	own_text struct text text = TEXT_INIT(1u << 20);
	struct store *store = open_with(&settings);
	struct record record;
	bool valid;

	make_record(&record, "a", clock_real_ms());
	add_value(&record, 5000);
	record.passed = true;
	cr_expect_eq(store_end(store, &record, 0), 0);
	cr_expect_eq(find(store, "a", record.id, &text), STORE_ABRIDGED);
	json_check(text_str(&text), text.len - 1, 0, &valid);
	cr_expect(valid && text.len < 4096);
	cr_expect(strstr(text_str(&text), "\"value\":null"));
	cr_expect(strstr(text_str(&text), "\"logs_truncated\":true"));
	cr_expect(strstr(text_str(&text), "\"passed\":true"));
	cr_expect(strstr(text_str(&text), "\"value_bytes\":5000"), "how large it was");
	record_free(&record);
	store_free(store);
}

/* Housekeeping until it has nothing to do. */
static void keep_all(struct store *store)
{
	while (store_keep(store) < 1000)
		;
}

Test(store, old_runs_are_forgotten)
{
	const struct store_settings settings = {.age_most_ms = 60000,
						.size_most_bytes = 64u << 20,
						.record_most_bytes = 65536};
	own_text struct text text = TEXT_INIT(1u << 20);
	struct store *store = open_with(&settings);
	int64_t now = clock_real_ms();
	char id[RUNID_LEN + 1], young[RUNID_LEN + 1];
	struct record record;

	make_record(&record, "a", now - 70000);
	begin(store, &record);
	for (int i = 0; i < 100; i++)
		keep_run(store, "a", now - 61000, id);
	keep_run(store, "a", now - 30000, young);
	keep_all(store);
	cr_expect_eq(count_runs(store, NULL), 2);
	cr_expect_eq(find(store, "a", id, &text), STORE_NOTHING);
	cr_expect_eq(find(store, "a", young, &text), STORE_WHOLE);
	cr_expect_eq(find(store, "a", record.id, &text), STORE_RUNNING,
		     "while it is under way it is not forgotten");
	record_free(&record);
	store_free(store);
}

/* In a process with the server's filter: what opens, removes or locks a file there dies. */
static void work_sealed(void)
{
	const struct store_settings settings = {.age_most_ms = INT64_MAX,
						.size_most_bytes = 2u << 20,
						.record_most_bytes = 65536};
	struct store *store = open_with(&settings);
	struct record record;
	char id[RUNID_LEN + 1];
	struct jail_error err;
	int64_t number;

	/* A sanitizer has system calls of its own. */
	if (!SANITIZED &&
	    (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) < 0 || server_seal(&err) < 0))
		_exit(9);
	for (int i = 0; i < 6000; i++) {
		make_record(&record, i % 50 ? "loud" : "quiet", clock_real_ms());
		if (i % 100 == 7)
			add_value(&record, 30000);
		if (store_begin(store, &record, &number) < 0)
			_exit(10);
		record.status = STATUS_OK;
		store_end(store, &record, number);
		memcpy(id, record.id, sizeof(id));
		record_free(&record);
		if (i % 10 == 0)
			store_keep(store);
	}
	while (store_keep(store) < 1000)
		;
	if (store_trouble(store))
		_exit(11);
	store_free(store);
}

Test(store, under_the_filter_it_grows_and_shrinks, .timeout = 60)
{
	int status = in_child(work_sealed);
	struct store *store;
	unsigned loud, quiet;

	cr_assert_eq(status, 0, "status %#x (0x1f: a forbidden call)", status);
	cr_expect_leq(size_of("runs.db"), 3 << 20, "%lld", (long long)size_of("runs.db"));
	cr_expect_leq(size_of("runs.db-wal"), 64 << 20);
	store = open_store();
	loud = count_runs(store, "loud");
	quiet = count_runs(store, "quiet");
	cr_expect_eq(quiet, 120, "whoever has little loses nothing: %u", quiet);
	cr_expect(loud > 100 && loud < STORE_LOOK_MOST, "%u", loud);
	store_free(store);
}

Test(store, what_cannot_be_written_is_refused_and_made_up_for)
{
	own_text struct text text = TEXT_INIT(1u << 20);
	struct store *store = open_store();
	struct record first, second;
	int64_t number = 0, none = 0;

	signal(SIGXFSZ, SIG_IGN);
	make_record(&first, "a", clock_real_ms());
	make_record(&second, "a", clock_real_ms());
	number = begin(store, &first);
	limit_files(1);
	cr_expect_eq(store_begin(store, &second, &none), -EIO);
	cr_expect(store_trouble(store));
	cr_expect(strstr(store_trouble(store), "File too large: make room"), "%s",
		  store_trouble(store));
	cr_expect_eq(store_end(store, &second, 0), -EIO);
	first.status = STATUS_OK;
	cr_expect_eq(store_end(store, &first, number), 0, "it is kept");
	store_keep(store);
	cr_expect(store_trouble(store), "still");
	limit_files(RLIM_INFINITY);
	cr_expect_eq(store_begin(store, &second, &none), -EIO, "until it was tried");
	store_keep(store);
	cr_expect_null(store_trouble(store));
	cr_expect_eq(find(store, "a", first.id, &text), STORE_WHOLE);
	cr_expect(strstr(text_str(&text), "\"status\":\"ok\""));
	cr_expect_eq(find(store, "a", second.id, &text), STORE_NOTHING);
	begin(store, &second);
	record_free(&first);
	record_free(&second);
	store_free(store);
}

static unsigned count_damaged(void)
{
	DIR *open_dir = opendir(dir);
	struct dirent *entry;
	unsigned count = 0;

	while ((entry = readdir(open_dir)))
		count += !strncmp(entry->d_name, "damaged-", 8) &&
			 strstr(entry->d_name, "-runs.db") != NULL;
	closedir(open_dir);
	return count;
}

static void keep_some(void)
{
	struct store *store = open_store();

	keep_runs(store, "a", 500);
	store_free(store);
}

static void open_and_leave(void)
{
	store_free(open_store());
}

Test(store, what_is_no_database_is_put_aside)
{
	struct store *store;

	write_file("runs.db", 0, "this is no database at all, however long it may be");
	store = open_store();
	cr_expect_eq(count_damaged(), 1);
	cr_expect_eq(count_runs(store, NULL), 0);
	store_free(store);
}

Test(store, what_is_damaged_is_put_aside)
{
	struct store *store;

	cr_assert_eq(in_child(keep_some), 0);
	cr_assert_eq(in_child(open_and_leave), 0, "the log is carried over");
	for (int page = 4; page < 40; page++)
		write_file("runs.db", page * 4096, "damaged damaged damaged damaged");
	store = open_store();
	cr_expect_geq(count_damaged(), 1);
	cr_expect_eq(count_runs(store, NULL), 0);
	store_free(store);
}

Test(store, somebody_elses_database_is_put_aside)
{
	sqlite3 *db;
	own_free char *path = NULL;
	struct store *store;

	cr_assert_geq(asprintf(&path, "%s/runs.db", dir), 0);
	cr_assert_eq(sqlite3_open(path, &db), SQLITE_OK);
	sqlite3_exec(db, "CREATE TABLE runs (x)", NULL, NULL, NULL);
	sqlite3_close(db);
	store = open_store();
	cr_expect_eq(count_damaged(), 1);
	store_free(store);
}

/* Ours, and more: what stands in it would be worked out whenever a row is touched, and a
 * start would never come to its end. */
static void alter_runs(void)
{
	change_database("ALTER TABLE runs ADD COLUMN more INTEGER "
			"GENERATED ALWAYS AS (length(zeroblob(9))) VIRTUAL "
			"CHECK (more = 9)");
}

static void add_index(void)
{
	change_database("CREATE INDEX more ON runs (hex(tenant))");
}

static void expect_put_aside(void (*alter)(void))
{
	struct store *store;

	cr_assert_eq(in_child(keep_some), 0);
	alter();
	store = open_store();
	cr_expect_eq(count_damaged(), 1);
	cr_expect_eq(count_runs(store, NULL), 0);
	store_free(store);
}

Test(store, tables_that_work_something_out_are_put_aside)
{
	expect_put_aside(alter_runs);
}

Test(store, an_index_that_works_something_out_is_put_aside)
{
	expect_put_aside(add_index);
}

static void number_high(void)
{
	change_database("UPDATE runs SET number = 9223372036854775807 "
			"WHERE number = 7");
}

/* After it there would be none for the next run. */
Test(store, the_last_number_of_all_is_put_aside)
{
	expect_put_aside(number_high);
}

Test(store, a_newer_form_is_left_alone)
{
	const struct store_settings settings = STORE_SETTINGS_DEFAULT;
	char why[STORE_WHY_ROOM];
	struct store *store;

	cr_assert_eq(in_child(keep_some), 0);
	change_database("PRAGMA user_version = 2");
	cr_expect_eq(store_open(dir, &settings, &store, why), -EPROTONOSUPPORT);
	cr_expect(strstr(why, "newer"), "%s", why);
	cr_expect_eq(count_damaged(), 0);
}

static void hold(void)
{
	struct store *store = open_store();
	const struct store_settings settings = STORE_SETTINGS_DEFAULT;
	char why[STORE_WHY_ROOM];
	pid_t pid = fork();
	int status;

	if (pid == 0)
		_exit(store_open(dir, &settings, &store, why) == -EIO &&
				      strstr(why, "another program")
			      ? 0
			      : 1);
	waitpid(pid, &status, 0);
	_exit(status != 0);
}

Test(store, two_cannot_have_it)
{
	cr_expect_eq(in_child(hold), 0);
}

Test(store, in_memory_it_is_the_same_and_small)
{
	struct store_settings settings = STORE_SETTINGS_DEFAULT;
	char why[STORE_WHY_ROOM], id[RUNID_LEN + 1];
	struct store *store = NULL;
	unsigned count;

	cr_assert_eq(store_open(NULL, &settings, &store, why), 0, "%s", why);
	for (int i = 0; i < 9000; i++) {
		keep_run(store, i % 2 ? "a" : "b", clock_real_ms(), id);
		if (i % 10 == 0)
			store_keep(store);
	}
	keep_all(store);
	cr_expect_null(store_trouble(store));
	count = count_runs(store, "a");
	cr_expect(count > 500 && count < 4500, "%u", count);
	store_free(store);
}
