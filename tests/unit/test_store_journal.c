/* SPDX-License-Identifier: MIT */
/*
 * The journal of the history: what a death leaves in it comes into the database, once and
 * as it was; what cannot be true in it does not; and where the database has no room more,
 * it still has.
 */
#include <criterion/criterion.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/own.h"
#include "daemon/store_internal.h"
#include "supervisor/clock.h"
#include "tests/unit/stored.h"

/* cppcheck-suppress unknownMacro */
TestSuite(journal, .init = make_dir, .fini = remove_dir);

static int open_file(int flags)
{
	own_free char *path = NULL;
	int fd;

	cr_assert_geq(asprintf(&path, "%s/journal", dir), 0);
	fd = open(path, flags | O_CLOEXEC, 0600);
	cr_assert_geq(fd, 0);
	return fd;
}

static unsigned char *read_journal(void)
{
	own_fd int fd = open_file(O_RDONLY);
	unsigned char *bytes = malloc(JOURNAL_FILE_BYTES);

	cr_assert(bytes);
	cr_assert_eq(read(fd, bytes, JOURNAL_FILE_BYTES), (ssize_t)JOURNAL_FILE_BYTES);
	return bytes;
}

static void write_journal(const unsigned char *bytes)
{
	own_fd int fd = open_file(O_WRONLY | O_CREAT);

	cr_assert_eq(write(fd, bytes, JOURNAL_FILE_BYTES), (ssize_t)JOURNAL_FILE_BYTES);
}

static unsigned count_status(struct store *store, const char *status)
{
	const struct store_query query = {.status = status, .limit = UINT16_MAX};
	own_free char *found = list(store, &query);

	return count_of(found, "\"id\":");
}

static void die(void)
{
	kill(getpid(), SIGKILL);
}

/* Three that are over, one that was refused, one that is under way. */
static void leave_five(void)
{
	struct store *store = open_store();
	struct record record;

	keep_runs(store, "a", 3);
	make_record(&record, "b", clock_real_ms());
	record.status = STATUS_REJECTED;
	cr_assert_eq(store_end(store, &record, 0), 0);
	make_record(&record, "b", clock_real_ms());
	begin(store, &record);
	die();
}

static void expect_five(struct store *store)
{
	cr_expect_eq(count_runs(store, NULL), 5);
	cr_expect_eq(count_runs(store, "b"), 2);
	cr_expect_eq(count_status(store, "ok"), 3);
	cr_expect_eq(count_status(store, "rejected"), 1);
	cr_expect_eq(count_status(store, "internal_error"), 1);
}

Test(journal, what_a_death_leaves_comes_into_the_database)
{
	struct store *store;

	cr_assert(WIFSIGNALED(in_child(leave_five)));
	store = open_store();
	expect_five(store);
	store_free(store);
}

static void see_five(void)
{
	expect_five(open_store());
}

/* As if it had died between the commit and what follows. */
Test(journal, written_twice_it_is_there_once)
{
	own_free unsigned char *left = NULL;
	struct store *store;

	cr_assert(WIFSIGNALED(in_child(leave_five)));
	left = read_journal();
	cr_assert_eq(in_child(see_five), 0);
	write_journal(left);
	cr_assert_eq(in_child(see_five), 0);
	write_journal(left);
	store = open_store();
	expect_five(store);
	cr_expect_str_eq(share_largest(store), "a");
	cr_expect_eq(store->shares_count, 2);
	store_free(store);
}

/* What stands in the file is another start's, or nobody's. */
Test(journal, what_is_in_the_database_is_not_in_the_journal)
{
	own_free unsigned char *left = NULL;
	struct journal_head head;

	cr_assert(WIFSIGNALED(in_child(leave_five)));
	cr_assert_eq(in_child(see_five), 0);
	left = read_journal();
	memcpy(&head, left, sizeof(head));
	cr_expect_eq(head.facts.number, 0);
}

static void begin_and_end(void)
{
	own_free unsigned char *begun = NULL;
	struct store *store = open_store();
	struct record record;
	int64_t number;

	make_record(&record, "a", clock_real_ms());
	number = begin(store, &record);
	begun = read_journal();
	record.status = STATUS_TIMEOUT;
	store_end(store, &record, number);
	cr_assert_eq(count_status(store, "timeout"), 1);
	write_journal(begun);
	die();
}

Test(journal, a_begin_does_not_undo_an_end)
{
	struct store *store;

	cr_assert(WIFSIGNALED(in_child(begin_and_end)));
	store = open_store();
	cr_expect_eq(count_runs(store, NULL), 1);
	cr_expect_eq(count_status(store, "timeout"), 1);
	store_free(store);
}

/* A run that was longer under way than its begin was in the journal. */
static void end_late(void)
{
	struct store *store = open_store();
	struct record record;
	int64_t number;

	make_record(&record, "a", clock_real_ms());
	number = begin(store, &record);
	cr_assert_eq(count_status(store, "running"), 1);
	record.status = STATUS_ERROR;
	store_end(store, &record, number);
	die();
}

Test(journal, an_end_alone_is_enough)
{
	struct store *store;

	cr_assert(WIFSIGNALED(in_child(end_late)));
	store = open_store();
	cr_expect_eq(count_runs(store, NULL), 1);
	cr_expect_eq(count_status(store, "error"), 1);
	store_free(store);
}

/* The database is new, but what is in the journal is not lost with the old one. */
Test(journal, it_outlives_a_damaged_database)
{
	struct store *store;

	cr_assert(WIFSIGNALED(in_child(leave_five)));
	write_file("runs.db", 0, "this is no database at all, however long it may be");
	store = open_store();
	expect_five(store);
	store_free(store);
}

static void keep_ten(void)
{
	struct store *store = open_store();

	keep_runs(store, "c", 10);
	store_free(store);
}

/* What is wrong in it is seen before the rows of the journal are in it. */
Test(journal, it_outlives_numbers_that_cannot_be)
{
	static const char *const wrong[] = {
		"UPDATE runs SET number = number - 1000",
		"UPDATE runs SET number = 4503599627370497 WHERE number = 3",
		"UPDATE runs SET bytes = 9223372036854775807",
		"UPDATE runs SET bytes = 9223372036854775000 WHERE number = 3",
		"UPDATE runs SET bytes = -1",
	};

	for (size_t i = 0; i < ARRAY_LEN(wrong); i++) {
		cr_assert_eq(in_child(keep_ten), 0);
		cr_assert(WIFSIGNALED(in_child(leave_five)));
		change_database(wrong[i]);
		cr_assert_eq(in_child(see_five), 0);
		remove_dir();
		make_dir();
	}
}

/* An index that lacks a row, which the check of the pages does not see: SQLite does when the
 * row of the journal comes in, and that is when it is put aside. */
Test(journal, it_outlives_damage_that_is_seen_late)
{
	struct store *store;

	cr_assert(WIFSIGNALED(in_child(end_late)));
	change_database("PRAGMA writable_schema = ON;"
			"UPDATE sqlite_master SET sql = 'CREATE INDEX runs_of_tenant ON "
			"runs (tenant, id) WHERE 0' WHERE name = 'runs_of_tenant'");
	change_database("REINDEX runs_of_tenant");
	change_database("PRAGMA writable_schema = ON;"
			"UPDATE sqlite_master SET sql = 'CREATE INDEX runs_of_tenant ON "
			"runs (tenant, id)' WHERE name = 'runs_of_tenant'");
	store = open_store();
	cr_expect_null(store_trouble(store), "%s", store_trouble(store));
	cr_expect_eq(count_runs(store, NULL), 1);
	cr_expect_eq(count_status(store, "error"), 1);
	cr_expect_null(store_trouble(store), "%s", store_trouble(store));
	store_free(store);
}

/* Somebody has put another database in the place of that which it belongs to. */
Test(journal, no_row_takes_the_place_of_another_run)
{
	own_free unsigned char *left = NULL;
	own_free char *path = NULL;
	struct store *store;

	cr_assert(WIFSIGNALED(in_child(leave_five)));
	left = read_journal();
	cr_assert_geq(asprintf(&path, "%s/journal", dir), 0);
	unlink(path);
	cr_assert_eq(in_child(keep_ten), 0);
	write_journal(left);
	store = open_store();
	cr_expect_eq(count_runs(store, "c"), 10);
	cr_expect_eq(count_runs(store, NULL), 15);
	cr_expect_eq(count_status(store, "ok"), 13);
	store_free(store);
}

static void keep_large(void)
{
	struct store *store = open_store();
	struct record record;
	int64_t number;

	make_record(&record, "a", clock_real_ms());
	number = begin(store, &record);
	add_value(&record, 40000);
	record.status = STATUS_OK;
	store_end(store, &record, number);
	die();
}

Test(journal, what_is_too_large_for_it_is_as_safe)
{
	own_text struct text text = TEXT_INIT(1u << 20);
	struct store_query query = {.limit = 1};
	own_free char *found = NULL;
	struct store *store;
	char id[RUNID_LEN + 1];

	cr_assert(WIFSIGNALED(in_child(keep_large)));
	store = open_store();
	cr_expect_eq(count_status(store, "ok"), 1);
	found = list(store, &query);
	memcpy(id, strstr(found, "\"id\":\"") + 6, RUNID_LEN);
	id[RUNID_LEN] = '\0';
	cr_expect_eq(find(store, "a", id, &text), STORE_WHOLE);
	cr_expect_gt(text.len, 80000);
	store_free(store);
}

/* So many runs are one change of the database: what each of them costs is one write. */
Test(journal, many_runs_are_one_change)
{
	struct store *store = open_store();
	char id[RUNID_LEN + 1];
	off_t size = size_of("runs.db-wal");

	keep_runs(store, "a", 16);
	cr_expect_eq(size_of("runs.db-wal"), size, "nothing until somebody asks");
	cr_expect_eq(count_runs(store, "a"), 16);
	cr_expect_gt(size_of("runs.db-wal"), size);
	size = size_of("runs.db-wal");
	keep_run(store, "a", clock_real_ms(), id);
	store_keep(store);
	cr_expect_gt(size_of("runs.db-wal"), size, "nor forever");
	store_free(store);
}

/* --- what cannot be true ------------------------------------------------------ */

static void seal(unsigned char *page)
{
	struct journal_head head;

	memcpy(&head, page, sizeof(head));
	journal_digest(page, journal_entry_bytes(&head), page);
}

typedef void alter_fn(struct journal_head *head);

static void nothing(struct journal_head *head)
{
	(void)head;
}

static void number_none(struct journal_head *head)
{
	head->facts.number = 0;
}

static void number_last(struct journal_head *head)
{
	head->facts.number = INT64_MAX;
}

static void status_none(struct journal_head *head)
{
	head->facts.status = STATUS_COUNT;
}

static void gate_none(struct journal_head *head)
{
	head->facts.gate = GATE_DECISIONS;
}

static void engine_none(struct journal_head *head)
{
	head->facts.engine = UINT32_MAX;
}

static void id_bad(struct journal_head *head)
{
	head->facts.id[3] = '\'';
}

static void id_endless(struct journal_head *head)
{
	head->facts.id[RUNID_LEN] = '0';
}

static void tenant_endless(struct journal_head *head)
{
	memset(head->facts.tenant, 'a', sizeof(head->facts.tenant));
}

static void policy_endless(struct journal_head *head)
{
	memset(head->facts.policy, 'a', sizeof(head->facts.policy));
}

static void hash_endless(struct journal_head *head)
{
	memset(head->facts.source_sha256, 'a', sizeof(head->facts.source_sha256));
}

static void killed_endless(struct journal_head *head)
{
	memset(head->facts.killed, 'a', sizeof(head->facts.killed));
}

static void another_form(struct journal_head *head)
{
	head->form++;
}

static void another_pass(struct journal_head *head)
{
	head->pass++;
}

static void another_place(struct journal_head *head)
{
	head->page++;
}

static void put_first_pages(const unsigned char *left, alter_fn *alter, bool sealed)
{
	own_free unsigned char *bytes = malloc(JOURNAL_FILE_BYTES);
	struct journal_head head;
	unsigned char *second;

	cr_assert(bytes);
	memcpy(bytes, left, JOURNAL_FILE_BYTES);
	second = bytes + JOURNAL_PAGE_BYTES;
	memcpy(&head, second, sizeof(head));
	alter(&head);
	memcpy(second, &head, sizeof(head));
	if (sealed)
		seal(second);
	write_journal(bytes);
}

static unsigned expected;

static void see_expected(void)
{
	struct store *store = open_store();

	cr_expect_eq(count_runs(store, NULL), expected, "%u", count_runs(store, NULL));
}

static void expect_rows(const unsigned char *left, alter_fn *alter, bool sealed,
			unsigned count, const char *what)
{
	own_free char *path = NULL;

	cr_assert_geq(asprintf(&path, "%s/runs.db", dir), 0);
	unlink(path);
	put_first_pages(left, alter, sealed);
	expected = count;
	cr_expect_eq(in_child(see_expected), 0, "%s", what);
}

/* The first row is a begin, the second its end; what is behind a bad one is not read. */
Test(journal, what_cannot_be_true_is_not_believed)
{
	static const struct {
		alter_fn *alter;
		const char *what;
	} bad[] = {
		{status_none, "no status"},
		{gate_none, "no decision"},
		{engine_none, "no engine"},
		{id_bad, "no id"},
		{id_endless, "an id without an end"},
		{tenant_endless, "a tenant without an end"},
		{policy_endless, "a policy without an end"},
		{hash_endless, "a hash without an end"},
		{killed_endless, "a reason without an end"},
		{another_form, "another form"},
		{another_pass, "another pass"},
		{another_place, "another place"},
	};
	own_free unsigned char *left = NULL;

	cr_assert(WIFSIGNALED(in_child(leave_five)));
	left = read_journal();
	expect_rows(left, nothing, true, 5, "as it was");
	expect_rows(left, number_none, true, 5, "its number is not looked at");
	expect_rows(left, number_last, true, 5, "nor the last of all");
	for (size_t i = 0; i < ARRAY_LEN(bad); i++)
		expect_rows(left, bad[i].alter, true, 1, bad[i].what);
}

static void flip(struct journal_head *head)
{
	head->facts.wall_us ^= 1;
}

static void longer(struct journal_head *head)
{
	head->json_len = UINT32_MAX - 7;
	head->name_len = UINT32_MAX;
}

static void too_long(struct journal_head *head)
{
	head->json_len = JOURNAL_FILE_BYTES;
}

/* A write that a death or a power cut has broken off. */
Test(journal, what_is_not_whole_is_not_believed)
{
	own_free unsigned char *left = NULL;

	cr_assert(WIFSIGNALED(in_child(leave_five)));
	left = read_journal();
	expect_rows(left, flip, false, 1, "another bit");
	expect_rows(left, longer, false, 1, "lengths that overflow");
	expect_rows(left, too_long, false, 1, "beyond the end of the file");
}

Test(journal, it_has_to_be_a_file)
{
	const struct store_settings settings = STORE_SETTINGS_DEFAULT;
	own_free char *path = NULL, *target = NULL;
	char why[STORE_WHY_ROOM];
	struct store *store;

	cr_assert_geq(asprintf(&path, "%s/journal", dir), 0);
	cr_assert_geq(asprintf(&target, "%s/target", dir), 0);
	cr_assert_eq(symlink(target, path), 0);
	cr_expect_eq(store_open(dir, &settings, &store, why), -EIO);
	cr_expect(strstr(why, "history/journal"), "%s", why);
	cr_expect_eq(access(target, F_OK), -1, "nothing is made where it leads");
	unlink(path);
	cr_assert_eq(mkfifo(path, 0600), 0);
	cr_expect_eq(store_open(dir, &settings, &store, why), -EIO);
}

/* --- no room ------------------------------------------------------------------ */

static void fill_database(struct store *store)
{
	char id[RUNID_LEN + 1];

	signal(SIGXFSZ, SIG_IGN);
	while (size_of("runs.db-wal") < (off_t)JOURNAL_FILE_BYTES) {
		keep_run(store, "a", clock_real_ms(), id);
		store_keep(store);
	}
	limit_files(JOURNAL_FILE_BYTES);
}

static void expect_found(struct store *store, const char *tenant, const char *id,
			 enum store_found found, const char *status)
{
	own_text struct text text = TEXT_INIT(1u << 20);

	cr_expect_eq(find(store, tenant, id, &text), found, "%s", status);
	cr_expect(found == STORE_NOTHING || strstr(text_str(&text), status), "%s: %s",
		  status, text_str(&text));
}

/* Page by page, one run each: every run of b, the newest first, once. */
static unsigned count_pages(struct store *store, const char *newest)
{
	struct store_query query = {.tenant = "b", .limit = 1};
	char id[RUNID_LEN + 1] = "";
	unsigned pages = 0;
	bool more = true;

	while (more && pages < 9) {
		own_free char *page = list(store, &query);
		const char *next = strstr(page, "\"next\":\"");

		cr_expect_eq(count_of(page, "\"id\":"), 1);
		cr_expect(pages > 0 || strstr(page, newest));
		more = next != NULL;
		if (more)
			memcpy(id, next + 8, RUNID_LEN);
		query.before = id;
		pages++;
	}
	return pages;
}

/* What a client was told is there for him, although it can go nowhere yet. */
Test(journal, what_waits_can_be_read)
{
	struct store *store = open_store();
	struct record old, over, running;
	int64_t old_number, over_number;

	make_record(&old, "b", clock_real_ms() - 2000);
	old_number = begin(store, &old);
	cr_assert_eq(count_status(store, "running"), 1, "it is in the database");
	fill_database(store);
	make_record(&over, "b", clock_real_ms() - 1000);
	make_record(&running, "b", clock_real_ms());
	over_number = begin(store, &over);
	begin(store, &running);
	over.status = old.status = STATUS_TIMEOUT;
	store_end(store, &over, over_number);
	store_end(store, &old, old_number);
	cr_expect_eq(count_pages(store, running.id), 3);
	cr_expect(store_trouble(store));
	expect_found(store, "b", running.id, STORE_RUNNING, "\"status\":\"running\"");
	expect_found(store, "b", over.id, STORE_WHOLE, "\"status\":\"timeout\"");
	expect_found(store, NULL, old.id, STORE_WHOLE, "\"status\":\"timeout\"");
	expect_found(store, "a", over.id, STORE_NOTHING, "another's");
	expect_found(store, "a", running.id, STORE_NOTHING, "another's");
	cr_expect_eq(count_status(store, "running"), 1);
	cr_expect_eq(count_status(store, "timeout"), 2);
	limit_files(RLIM_INFINITY);
	store_keep(store);
	cr_expect_null(store_trouble(store));
	cr_expect_eq(count_pages(store, running.id), 3);
	cr_expect_eq(count_status(store, "timeout"), 2);
	store_free(store);
}

/* The database may not grow any more, but the journal has its room already: what fits is
 * taken on and not lost, what does not is refused, and it is told why. */
static void fill(void)
{
	struct store *store = open_store();
	struct record records[JOURNAL_PAGES];
	int64_t numbers[JOURNAL_PAGES];
	int begun = 0;

	fill_database(store);
	while (begun < (int)JOURNAL_PAGES) {
		make_record(&records[begun], "b", clock_real_ms());
		if (store_begin(store, &records[begun], &numbers[begun]) < 0)
			break;
		begun++;
	}
	cr_assert(begun > 10 && begun < (int)JOURNAL_PAGES, "%d", begun);
	cr_assert(strstr(store_trouble(store), "make room"));
	for (int i = 0; i < 10; i++) {
		records[i].status = STATUS_OK;
		cr_assert_eq(store_end(store, &records[i], numbers[i]), 0);
	}
	expected = (unsigned)begun;
	die();
}

Test(journal, on_a_full_disk_it_still_has_room)
{
	struct store *store;

	cr_assert(WIFSIGNALED(in_child(fill)));
	store = open_store();
	cr_expect_eq(count_of(store_trouble(store) ? "trouble" : "", "t"), 0);
	cr_expect_gt(count_runs(store, "b"), 10);
	cr_expect_eq(count_status(store, "internal_error"), count_runs(store, "b") - 10);
	store_free(store);
}
