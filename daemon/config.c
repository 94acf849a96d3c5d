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
#include <grp.h>
#include <pwd.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>

#include "base/own.h"
#include "base/text.h"
#include "daemon/http.h"
#include "policy/load.h"
#include "policy/search.h"
#include "policy/trust.h"

#define SUFFIX	  ".conf"
#define PATH_ROOM 4096

struct reading {
	struct roster *roster;
	struct policy_report *report;
	const char *file;
	struct ini ini;
	struct ini_item item;
	struct roster_tenant otherwise; /* what tenants begin from */
	struct roster_tenant *tenant;	/* whom the keys of [Tenant] are about */
	uint32_t number;		/* his; in quodd.conf there is none */
	bool policies_said, runs_said;	/* in quodd.conf */
};

static const struct ini_place nowhere;

static int fault_at(struct reading *reading, const char *at, const char *format, ...)
	__attribute__((format(printf, 3, 4)));

/* Where in the file: the value's own place, or that of the whole line. */
static int fault_at(struct reading *reading, const char *at, const char *format, ...)
{
	struct ini_place place = at ? ini_place(&reading->ini, at) : reading->item.place;
	char text[320];
	va_list args;

	va_start(args, format);
	vsnprintf(text, sizeof(text), format, args);
	va_end(args);
	return report_fault(reading->report, -EINVAL, reading->file, place, "%s", text);
}

/* --- values ------------------------------------------------------------------- */

static int set_number(struct reading *reading, const struct term_info *info,
		      uint64_t *value)
{
	char range[TERM_RANGE_ROOM];
	const char *said = reading->item.value;
	const char *wrong = term_parse(info, said, value, range);

	return wrong ? fault_at(reading, said, "%s='%.60s' %s%s", info->key, said, wrong,
				range)
		     : 0;
}

/* Each policy is loaded when it is first named. What is wrong in its files is told. */
static int load_policy(struct reading *reading, const char *name)
{
	struct roster *roster = reading->roster;
	/* Faults that there were before are not the policy's. */
	struct policy_report report = {.say = reading->report->say,
				       .context = reading->report->context};
	const struct policy *policy;
	uint32_t i = roster_find_policy(roster, name);
	int r;

	if (i < roster->policies_count)
		return (int)i;
	r = policy_read(name, false, &report, &policy);
	if (report.faults && !reading->report->faults)
		reading->report->error = report.error;
	reading->report->faults += report.faults;
	if (r == 0)
		r = roster_add_policy(roster, policy);
	if (r == -E2BIG)
		(void)report_fault(reading->report, r, NULL, nowhere,
				   "there are more than %u policies",
				   ROSTER_POLICIES_MOST);
	return r;
}

static int use_policy(struct reading *reading, const char *name)
{
	int r;

	if (strchr(name, '/'))
		return fault_at(reading, reading->item.value,
				"'%.60s': policies are named, not paths", name);
	r = load_policy(reading, name);
	return r >= 0 ? r
		      : fault_at(reading, reading->item.value,
				 "the policy '%.60s' cannot be used", name);
}

static int find_user(struct reading *reading, const char *name, uint32_t *ret_id)
{
	const struct passwd *found;

	if (number_parse_u32(name, 0, UINT32_MAX - 1, ret_id) == NUMBER_OK)
		return 0;
	found = getpwnam(name);
	if (!found)
		return fault_at(reading, reading->item.value, "there is no user '%.60s'",
				name);
	*ret_id = found->pw_uid;
	return 0;
}

static int find_group(struct reading *reading, const char *name, uint32_t *ret_id)
{
	const struct group *found;

	if (number_parse_u32(name, 0, UINT32_MAX - 1, ret_id) == NUMBER_OK)
		return 0;
	found = getgrnam(name);
	if (!found)
		return fault_at(reading, reading->item.value, "there is no group '%.60s'",
				name);
	*ret_id = found->gr_gid;
	return 0;
}

static bool parse_hash(const char *hex, unsigned char hash[ROSTER_HASH_BYTES])
{
	static const char digits[] = "0123456789abcdef";

	if (strlen(hex) != 2 * (size_t)ROSTER_HASH_BYTES)
		return false;
	for (size_t i = 0; hex[i]; i++) {
		const char *digit = strchr(digits, hex[i] | 0x20);

		if (!digit)
			return false;
		hash[i / 2] = (unsigned char)(hash[i / 2] << 4 | (digit - digits));
	}
	return true;
}

static bool is_same_key(const struct roster_key *a, const struct roster_key *b)
{
	return a->kind == b->kind && a->id == b->id &&
	       memcmp(a->hash, b->hash, sizeof(a->hash)) == 0;
}

/* Whoever could be two tenants would be one of them by chance. */
static int add_key(struct reading *reading, const struct roster_key *key)
{
	struct roster *roster = reading->roster;
	struct roster_key *added;

	for (uint32_t i = 0; i < roster->keys_count; i++)
		if (is_same_key(&roster->keys[i], key))
			return fault_at(reading, reading->item.value,
					"that is the tenant '%s' already",
					roster->tenants[roster->keys[i].tenant].name);
	added = roster_add_key(roster);
	if (!added)
		return fault_at(reading, NULL,
				"there are more than %u users, groups "
				"and tokens, or no memory for them",
				ROSTER_KEYS_MOST);
	*added = *key;
	added->tenant = reading->number;
	return 0;
}

/* --- lists -------------------------------------------------------------------- */

static int take_policy(struct reading *reading, const char *word)
{
	int i = use_policy(reading, word);

	if (i < 0)
		return i;
	if (!reading->tenant->policies)
		reading->tenant->policy = (uint32_t)i;
	reading->tenant->policies |= UINT64_C(1) << i;
	return 0;
}

/* By that number the kernel names whom it cannot name, so that nobody is known by it. In a
 * user namespace of ours, as others than root have one, that is everybody but us. */
static int check_key(struct reading *reading, const char *word,
		     const struct roster_key *key)
{
	bool own = key->id == (key->kind == ROSTER_UID ? geteuid() : getegid());

	if (geteuid() != 0 && own)
		return 0;
	if (key->id == PEER_OVERFLOW)
		return fault_at(reading, reading->item.value,
				"'%.60s' is %u, which may be anybody", word, key->id);
	if (geteuid() != 0)
		return fault_at(reading, reading->item.value,
				"'%.60s': a daemon that is not root's cannot tell users "
				"apart: give a token (TokenSHA256=)",
				word);
	return 0;
}

static int take_user(struct reading *reading, const char *word)
{
	struct roster_key key = {.kind = ROSTER_UID};
	int r = find_user(reading, word, &key.id);

	if (r == 0)
		r = check_key(reading, word, &key);
	return r < 0 ? r : add_key(reading, &key);
}

static int take_group(struct reading *reading, const char *word)
{
	struct roster_key key = {.kind = ROSTER_GID};
	int r = find_group(reading, word, &key.id);

	if (r == 0)
		r = check_key(reading, word, &key);
	return r < 0 ? r : add_key(reading, &key);
}

static int take_token(struct reading *reading, const char *word)
{
	struct roster_key key = {.kind = ROSTER_TOKEN};

	if (!parse_hash(word, key.hash))
		return fault_at(reading, reading->item.value,
				"a token's SHA-256 has 64 hexadecimal digits (printf %%s "
				"TOKEN | sha256sum)");
	return add_key(reading, &key);
}

static const struct list {
	const char *key;
	int (*take)(struct reading *reading, const char *word);
	bool of_one; /* not for all tenants at once */
} lists[] = {
	{"Policies", take_policy, false},
	{"User", take_user, true},
	{"Group", take_group, true},
	{"TokenSHA256", take_token, true},
};

/* Each word of it; a list of policies stands for what was said before. */
static int take_list(struct reading *reading, const struct list *list)
{
	const char *at = reading->item.value, *word;
	char copy[256];
	size_t len;
	int r = 0;

	if (!list->of_one) {
		reading->tenant->policies = 0;
		reading->policies_said = true;
	}
	while (r == 0 && (len = ini_word(&at, &word))) {
		snprintf(copy, sizeof(copy), "%.*s", (int)len, word);
		r = list->take(reading, copy);
	}
	if (r == 0 && word == reading->item.value && len == 0)
		return fault_at(reading, NULL, "%s= says nothing", list->key);
	return r;
}

/* --- files -------------------------------------------------------------------- */

static bool is_of_one(const struct reading *reading)
{
	return reading->tenant != &reading->otherwise;
}

static const char *const sections[] = {"Daemon", "Pool", "History", "Tenant"};

static int check_section(struct reading *reading, const char *name)
{
	for (size_t i = 0; i < ARRAY_LEN(sections); i++)
		if (!strcmp(sections[i], name))
			return is_of_one(reading) && i + 1 < ARRAY_LEN(sections)
				       ? fault_at(reading, NULL,
						  "[%s] is for quodd.conf: a tenant's "
						  "file has [Tenant]",
						  name)
				       : 0;
	return fault_at(reading, NULL,
			"there is no section [%.60s], but [Daemon], [Pool], [History] "
			"and [Tenant]",
			name);
}

static int unknown_key(struct reading *reading, const char *section)
{
	struct nearest nearest = NEAREST_INIT(reading->item.name);

	for (int i = 0; i < SETTING_IDS; i++)
		if (!strcmp(setting_infos[i].section, section))
			nearest_offer(&nearest, setting_infos[i].key);
	for (int i = 0; !strcmp(section, "Tenant") && i < TERM_IDS; i++)
		nearest_offer(&nearest, term_infos[i].key);
	for (size_t i = 0; !strcmp(section, "Tenant") && i < ARRAY_LEN(lists); i++)
		nearest_offer(&nearest, lists[i].key);
	return fault_at(reading, NULL, "[%s] has no key %.60s%s%s", section,
			reading->item.name, nearest.best ? ": did you mean " : "",
			nearest.best ? nearest.best : "");
}

static int take_entry_of_tenant(struct reading *reading)
{
	const char *key = reading->item.name;

	for (int i = 0; i < TERM_IDS; i++)
		if (!strcmp(term_infos[i].key, key)) {
			reading->runs_said = reading->runs_said || i == TERM_RUNS;
			return set_number(reading, &term_infos[i],
					  &reading->tenant->terms.value[i]);
		}
	for (size_t i = 0; i < ARRAY_LEN(lists); i++) {
		if (strcmp(lists[i].key, key) != 0)
			continue;
		if (lists[i].of_one && !is_of_one(reading))
			return fault_at(reading, NULL,
					"%s= is for a tenant's own file, "
					"tenants.d/NAME" SUFFIX,
					key);
		return take_list(reading, &lists[i]);
	}
	return unknown_key(reading, "Tenant");
}

static int take_entry(struct reading *reading, const char *section)
{
	if (!strcmp(section, "Tenant"))
		return take_entry_of_tenant(reading);
	for (int i = 0; i < SETTING_IDS; i++)
		if (!strcmp(setting_infos[i].section, section) &&
		    !strcmp(setting_infos[i].key, reading->item.name))
			return set_number(reading, &setting_infos[i],
					  &reading->roster->settings.value[i]);
	return unknown_key(reading, section);
}

/* `section`: "" before the first, NULL in one that was told already. */
static void take_item(struct reading *reading, const char **section)
{
	const struct ini_item *item = &reading->item;

	switch (item->kind) {
	case INI_SECTION:
		*section = check_section(reading, item->name) == 0 ? item->name : NULL;
		break;
	case INI_ENTRY:
		if (*section && !**section)
			(void)fault_at(reading, NULL, "%.60s= is in no section",
				       item->name);
		else if (*section)
			(void)take_entry(reading, *section);
		break;
	case INI_FAULT:
		(void)fault_at(reading, NULL, "%s", item->name);
		break;
	}
}

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
		return report_fault(reading->report, r, path, nowhere, "%s",
				    strerror(-r));
	while (ini_next(&reading->ini, &reading->item))
		take_item(reading, &section);
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
			reading->report, -E2BIG, NULL, nowhere,
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
	size_t len = strlen(entry) - strlen(SUFFIX);
	uint32_t keys = reading->roster->keys_count;
	int r;

	if (snprintf(path, sizeof(path), "%s/%s", dir, entry) >= (int)sizeof(path))
		return report_fault(reading->report, -ENAMETOOLONG, dir, nowhere, "%s",
				    strerror(ENAMETOOLONG));
	snprintf(name, sizeof(name), "%.*s", (int)len, entry);
	if (len > POLICY_NAME_MOST || !search_is_name(name))
		return report_fault(
			reading->report, -EINVAL, path, nowhere,
			"a tenant's file is called NAME" SUFFIX
			", NAME being at most %u letters, digits, dots, - and _",
			POLICY_NAME_MOST);
	if (!begin_tenant(reading, name))
		return -E2BIG;
	r = read_file(reading, path);
	if (r == 0 && keys == reading->roster->keys_count && !reading->report->faults)
		return report_fault(reading->report, -EINVAL, path, nowhere,
				    "nobody can be this tenant: it has no User=, "
				    "Group= or TokenSHA256=");
	return r;
}

static int is_tenant_file(const struct dirent *entry)
{
	size_t len = strlen(entry->d_name), suffix = strlen(SUFFIX);

	return entry->d_name[0] != '.' && len > suffix &&
	       !strcmp(entry->d_name + len - suffix, SUFFIX);
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
		return report_fault(reading->report, count, dir, nowhere, "%s",
				    strerror(-count));
	if (why)
		return report_fault(reading->report, -EPERM, dir, nowhere, "%s", why);
	count = scandirat(fd, ".", &entries, is_tenant_file, alphasort);
	if (count < 0)
		return report_fault(reading->report, -errno, dir, nowhere, "%s",
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
		int n = load_policy(reading, usual[i]);

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
	return why ? report_fault(reading->report, -EINVAL, dir, nowhere, "%s", why) : 0;
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
	snprintf(path, sizeof(path), "%s/quodd" SUFFIX, dir);
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
		int n = dir ? load_policy(reading, policy->name)
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
			report, -EMFILE, NULL, nowhere,
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
		return report_fault(report, -ENOMEM, NULL, nowhere,
				    "there is no memory for a configuration");
	terms_init(&reading.otherwise.terms);
	reading.tenant = &reading.otherwise;
	if (dir && strlen(dir) > PATH_ROOM)
		r = report_fault(report, -ENAMETOOLONG, NULL, nowhere, "%s: %.100s",
				 strerror(ENAMETOOLONG), dir);
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
