/* SPDX-License-Identifier: MIT */
/*
 * The syntax is that of policy files, and so is the way in which what is wrong is told. A
 * file is judged by whose it is before a byte of it is read (policy/trust.h).
 *
 * quodd.conf comes first: its [Tenant] is what tenants begin from. A tenant is called as
 * its file is, so that no two have one name.
 */
#include "daemon/config.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>

#include "base/own.h"
#include "base/text.h"
#include "daemon/config_internal.h"
#include "daemon/http.h"
#include "policy/search.h"
#include "policy/trust.h"

#define PATH_ROOM 4096

static int read_file(struct reading *reading, const char *path)
{
	own_search_files struct search_files files = {.count = 0};
	const char *section = "";
	int r = search_one(path, &files, reading->report);

	if (r < 0)
		return r;
	reading->file = path;
	r = ini_open(&reading->ini, files.list[0].bytes, files.list[0].len);
	if (r < 0)
		return report_fault(reading->report, r, path, config_nowhere, "%s",
				    strerror(-r));
	while (ini_next(&reading->ini, &reading->item))
		config_take_item(reading, &section);
	ini_close(&reading->ini);
	return 0;
}

/* --- tenants ------------------------------------------------------------------ */

static struct roster_tenant *begin_tenant(struct reading *reading, const char *name)
{
	struct roster *roster = reading->roster;
	struct roster_tenant *tenant = roster_add_tenant(roster);

	if (!tenant) {
		(void)report_fault(
			reading->report, -E2BIG, NULL, config_nowhere,
			"there are more than %u tenants, or no memory for them",
			ROSTER_TENANTS_MOST);
		return NULL;
	}
	*tenant = reading->otherwise;
	snprintf(tenant->name, sizeof(tenant->name), "%s", name);
	reading->tenant = tenant;
	reading->number = roster->tenants_count - 1;
	return tenant;
}

static int read_tenant(struct reading *reading, const char *dir, const char *entry)
{
	char path[PATH_ROOM], name[POLICY_NAME_MOST + 1];
	size_t len = strlen(entry) - strlen(CONFIG_SUFFIX);
	uint32_t keys = reading->roster->keys_count;
	int r;

	if (snprintf(path, sizeof(path), "%s/%s", dir, entry) >= (int)sizeof(path))
		return report_fault(reading->report, -ENAMETOOLONG, dir, config_nowhere,
				    "%s", strerror(ENAMETOOLONG));
	snprintf(name, sizeof(name), "%.*s", (int)len, entry);
	if (len > POLICY_NAME_MOST || !search_is_name(name))
		return report_fault(
			reading->report, -EINVAL, path, config_nowhere,
			"a tenant's file is called NAME" CONFIG_SUFFIX
			", NAME being at most %u letters, digits, dots, - and _",
			POLICY_NAME_MOST);
	if (!begin_tenant(reading, name))
		return -E2BIG;
	r = read_file(reading, path);
	if (r == 0 && keys == reading->roster->keys_count && !reading->report->faults)
		return report_fault(reading->report, -EINVAL, path, config_nowhere,
				    "nobody can be this tenant: it has no User=, "
				    "Group= or TokenSHA256=");
	return r;
}

static int is_tenant_file(const struct dirent *entry)
{
	size_t len = strlen(entry->d_name), suffix = strlen(CONFIG_SUFFIX);

	return entry->d_name[0] != '.' && len > suffix &&
	       !strcmp(entry->d_name + len - suffix, CONFIG_SUFFIX);
}

/* Whatever has that name: what a link to nothing, or something that cannot be looked at,
 * would have said is not known, and without it there would be fewer limits. */
static bool is_there(const char *path)
{
	struct stat st;

	return lstat(path, &st) == 0 || errno != ENOENT;
}

/* All of them, so that one look shows all that is wrong. */
static int read_tenants(struct reading *reading, const char *dir)
{
	own_fd int fd = open(dir, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	int count = fd < 0 ? -errno : 0;
	const char *why = fd < 0 ? NULL : trust_directory(fd);
	struct dirent **entries = NULL;

	if (fd < 0 && !is_there(dir))
		return 0;
	if (fd < 0)
		return report_fault(reading->report, count, dir, config_nowhere, "%s",
				    strerror(-count));
	if (why)
		return report_fault(reading->report, -EPERM, dir, config_nowhere, "%s",
				    why);
	count = scandirat(fd, ".", &entries, is_tenant_file, alphasort);
	if (count < 0)
		return report_fault(reading->report, -errno, dir, config_nowhere, "%s",
				    strerror(errno));
	for (int i = 0; i < count; i++) {
		(void)read_tenant(reading, dir, entries[i]->d_name);
		free(entries[i]);
	}
	free(entries);
	return 0;
}

/* --- the whole ---------------------------------------------------------------- */

/* What tenants may use where nothing else is said. */
static int use_usual(struct reading *reading)
{
	static const char *const usual[] = {"default", "verify"};

	for (size_t i = 0; i < ARRAY_LEN(usual); i++) {
		int n = config_load_policy(reading, usual[i]);

		if (n < 0)
			return n;
		if (i == 0)
			reading->otherwise.policy = (uint32_t)n;
		reading->otherwise.policies |= UINT64_C(1) << n;
	}
	return 0;
}

/* Whoever writes the directory chooses which file of root's is read. */
static int check_dir(struct reading *reading, const char *dir)
{
	own_fd int fd = open(dir, O_PATH | O_DIRECTORY | O_CLOEXEC);
	const char *why = fd < 0 ? strerror(errno) : trust_directory(fd);

	/* QUOD_POLICY_PATH is a list. */
	if (!why && strchr(dir, ':'))
		why = "its name has a colon";
	return why ? report_fault(reading->report, -EINVAL, dir, config_nowhere, "%s",
				  why)
		   : 0;
}

static int read_all(struct reading *reading, const char *dir)
{
	char path[PATH_ROOM + 32];
	int r = check_dir(reading, dir);

	if (r < 0)
		return r;
	if (strcmp(dir, CONFIG_DIR) != 0) {
		snprintf(path, sizeof(path), "%s/policies", dir);
		setenv("QUOD_POLICY_PATH", path, 1);
	}
	snprintf(path, sizeof(path), "%s/quodd" CONFIG_SUFFIX, dir);
	if (is_there(path))
		r = read_file(reading, path);
	if (r < 0)
		return r;
	if (!reading->otherwise.policies)
		r = use_usual(reading);
	if (r < 0)
		return r;
	snprintf(path, sizeof(path), "%s/tenants.d", dir);
	return read_tenants(reading, path);
}

/* All that are built in, unless Policies= says which; with a configuration a file may
 * stand in the place of one. */
static int use_builtin(struct reading *reading, const char *dir,
		       struct roster_tenant *tenant)
{
	for (size_t i = 0; !reading->policies_said && policy_builtin(i); i++) {
		const struct policy *policy = policy_builtin(i);
		int n = dir ? config_load_policy(reading, policy->name)
			    : roster_add_policy(reading->roster, policy);

		if (n < 0)
			return n;
		tenant->policies |= UINT64_C(1) << n;
	}
	return 0;
}

/* The one who starts it, with as much as there is. Without a configuration he has what is
 * built in, and no file counts. */
static int add_own(struct reading *reading, const char *dir)
{
	struct roster_tenant *tenant;
	struct roster_key *key = roster_add_key(reading->roster);
	char name[POLICY_NAME_MOST];

	snprintf(name, sizeof(name), "uid-%u", (unsigned)geteuid());
	tenant = begin_tenant(reading, name);
	if (!tenant || !key)
		return -ENOMEM;
	if (use_builtin(reading, dir, tenant) < 0)
		return -EINVAL;
	if (!reading->runs_said)
		tenant->terms.value[TERM_RUNS] = TERMS_RUNS_MOST;
	tenant->terms.value[TERM_OPERATOR] = 1;
	*key = (struct roster_key){.kind = ROSTER_UID, .id = geteuid()};
	return 0;
}

/* Else a run would cost the server a connection that it has promised, or its life. */
static void check_files(const struct roster *roster, struct policy_report *report)
{
	uint64_t runs = roster->settings.value[SETTING_RUNS];
	struct rlimit files;

	if (getrlimit(RLIMIT_NOFILE, &files) < 0 ||
	    files.rlim_cur < http_files_least(runs))
		(void)report_fault(
			report, -EMFILE, NULL, config_nowhere,
			"Runs=%llu needs %llu descriptors, and so many may not "
			"be open (LimitNOFILE=, ulimit -n)",
			(unsigned long long)runs,
			(unsigned long long)http_files_least(runs));
}

int config_load(const char *dir, const struct config_options *options,
		struct policy_report *report, struct roster **ret_roster)
{
	own_roster struct roster *roster = roster_new();
	struct reading reading = {.roster = roster, .report = report};
	int r = 0;

	if (!roster)
		return report_fault(report, -ENOMEM, NULL, config_nowhere,
				    "there is no memory for a configuration");
	terms_init(&reading.otherwise.terms);
	reading.tenant = &reading.otherwise;
	if (dir && strlen(dir) > PATH_ROOM)
		r = report_fault(report, -ENAMETOOLONG, NULL, config_nowhere,
				 "%s: %.100s", strerror(ENAMETOOLONG), dir);
	else if (dir)
		r = read_all(&reading, dir);
	if (r == 0 && !report->faults && roster->tenants_count == 0)
		r = add_own(&reading, dir);
	for (int i = 0; i < SETTING_IDS; i++)
		if (options->given[i])
			roster->settings.value[i] = options->settings.value[i];
	check_files(roster, report);
	if (r < 0 || report->faults)
		return report->error ? report->error : r;
	*ret_roster = TAKE_PTR(roster);
	return 0;
}
