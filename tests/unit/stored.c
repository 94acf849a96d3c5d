/* SPDX-License-Identifier: MIT */
#include "tests/unit/stored.h"

#include <criterion/criterion.h>
#include <dirent.h>
#include <fcntl.h>
#include <sqlite3.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/own.h"
#include "supervisor/clock.h"
#include "supervisor/json.h"

char dir[STORED_DIR_ROOM];
static struct request request;

void make_dir(void)
{
	const char *tmp = getenv("TMPDIR");
	const struct policy *policy = policy_builtin(0);

	snprintf(dir, sizeof(dir), "%s/quod-store.XXXXXX", tmp ? tmp : "/tmp");
	cr_assert(mkdtemp(dir));
	request_begin(&request, policy, &policy->limits);
	request.source = "6*7";
	request.source_len = 3;
}

void remove_dir(void)
{
	DIR *open_dir = opendir(dir);
	struct dirent *entry;

	while (open_dir && (entry = readdir(open_dir)))
		unlinkat(dirfd(open_dir), entry->d_name, 0);
	if (open_dir)
		closedir(open_dir);
	rmdir(dir);
}

struct store *open_with(const struct store_settings *settings)
{
	char why[STORE_WHY_ROOM];
	struct store *store = NULL;

	cr_assert_eq(store_open(dir, settings, &store, why), 0, "%s", why);
	return store;
}

struct store *open_store(void)
{
	const struct store_settings settings = STORE_SETTINGS_DEFAULT;

	return open_with(&settings);
}

/* A process has the database as long as it lives: what is about the next start is done by
 * two of them. Returns how the first has ended. */
int in_child(void (*what)(void))
{
	int status = 0;
	pid_t pid = fork();

	if (pid == 0) {
		what();
		_exit(0);
	}
	cr_assert_eq(waitpid(pid, &status, 0), pid);
	return status;
}

void make_record(struct record *record, const char *tenant, int64_t started_ms)
{
	record_init(record, &request);
	record->tenant = tenant;
	record->started_ms = started_ms;
	cr_assert_eq(runid_make(started_ms, record->id), 0);
}

int64_t begin(struct store *store, const struct record *record)
{
	int64_t number = 0;

	cr_assert_eq(store_begin(store, record, &number), 0, "%s", store_trouble(store));
	cr_assert_neq(number, 0);
	return number;
}

/* One run from begin to end; its id is the caller's. */
void keep_run(struct store *store, const char *tenant, int64_t started_ms,
	      char id[RUNID_LEN + 1])
{
	struct record record;
	int64_t number;

	make_record(&record, tenant, started_ms);
	number = begin(store, &record);
	record.status = STATUS_OK;
	cr_assert_eq(store_end(store, &record, number), 0);
	memcpy(id, record.id, RUNID_LEN + 1);
	record_free(&record);
}

void keep_runs(struct store *store, const char *tenant, unsigned count)
{
	char id[RUNID_LEN + 1];

	for (unsigned i = 0; i < count; i++)
		keep_run(store, tenant, clock_real_ms(), id);
}

char *list(struct store *store, const struct store_query *query)
{
	struct text text = TEXT_INIT(16u << 20);
	bool valid;

	cr_assert_eq(store_list(store, query, &text), 0);
	cr_assert_eq(text_status(&text), 0);
	json_check(text_str(&text), text.len - 1, 0, &valid);
	cr_assert(valid, "%s", text_str(&text));
	return text_take(&text);
}

unsigned count_of(const char *text, const char *word)
{
	unsigned count = 0;

	while ((text = strstr(text, word))) {
		count++;
		text += strlen(word);
	}
	return count;
}

unsigned count_runs(struct store *store, const char *tenant)
{
	const struct store_query query = {.tenant = tenant, .limit = UINT16_MAX};
	own_free char *found = list(store, &query);

	return count_of(found, "\"id\":");
}

enum store_found find(struct store *store, const char *tenant, const char *id,
		      struct text *to)
{
	enum store_found found;

	text_clear(to);
	cr_assert_eq(store_find(store, tenant, id, &found, to), 0);
	return found;
}

void add_value(struct record *record, size_t len)
{
	own_free char *bytes = malloc(len);

	cr_assert(bytes);
	memset(bytes, '1', len);
	text_add(&record->value_json, bytes, len);
	text_add(&record->value_text, bytes, len);
	record->has_value = record->value_is_json = true;
}

off_t size_of(const char *name)
{
	own_free char *path = NULL;
	struct stat st;

	cr_assert_geq(asprintf(&path, "%s/%s", dir, name), 0);
	return stat(path, &st) == 0 ? st.st_size : -1;
}

void limit_files(rlim_t most)
{
	struct rlimit limit;

	cr_assert_eq(getrlimit(RLIMIT_FSIZE, &limit), 0);
	limit.rlim_cur = most;
	cr_assert_eq(setrlimit(RLIMIT_FSIZE, &limit), 0);
}

void write_file(const char *name, off_t at, const char *bytes)
{
	own_free char *path = NULL;

	cr_assert_geq(asprintf(&path, "%s/%s", dir, name), 0);
	own_fd int fd = open(path, O_WRONLY | O_CREAT | O_CLOEXEC, 0600);
	cr_assert_geq(fd, 0);
	cr_assert_eq(pwrite(fd, bytes, strlen(bytes), at), (ssize_t)strlen(bytes));
}

void change_database(const char *sql)
{
	own_free char *path = NULL;
	sqlite3 *db;

	cr_assert_geq(asprintf(&path, "%s/runs.db", dir), 0);
	cr_assert_eq(sqlite3_open(path, &db), SQLITE_OK);
	cr_assert_eq(sqlite3_exec(db, sql, NULL, NULL, NULL), SQLITE_OK);
	sqlite3_close(db);
}
