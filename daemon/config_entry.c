/* SPDX-License-Identifier: MIT */
/*
 * One entry of a file: which key it is, and what its value says. The keys whose values are
 * numbers stand in terms.h; what is left are lists of words.
 */
#include "daemon/config_internal.h"

#include <errno.h>
#include <grp.h>
#include <pwd.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "base/own.h"
#include "base/text.h"

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

/* What is wrong in its files is told. */
int config_load_policy(struct reading *reading, const char *name)
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
		(void)report_fault(reading->report, r, NULL, config_nowhere,
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
	r = config_load_policy(reading, name);
	return r >= 0 ? r
		      : fault_at(reading, reading->item.value,
				 "the policy '%.60s' cannot be used", name);
}

static bool find_id(enum roster_key_kind kind, const char *name, uint32_t *ret_id)
{
	const struct passwd *user = kind == ROSTER_UID ? getpwnam(name) : NULL;
	const struct group *group = kind == ROSTER_GID ? getgrnam(name) : NULL;

	if (user)
		*ret_id = user->pw_uid;
	else if (group)
		*ret_id = group->gr_gid;
	return user || group;
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

static int take_id(struct reading *reading, const char *word, enum roster_key_kind kind)
{
	struct roster_key key = {.kind = kind};
	int r;

	if (number_parse_u32(word, 0, UINT32_MAX - 1, &key.id) != NUMBER_OK &&
	    !find_id(kind, word, &key.id))
		return fault_at(reading, reading->item.value, "there is no %s '%.60s'",
				kind == ROSTER_UID ? "user" : "group", word);
	r = check_key(reading, word, &key);
	return r < 0 ? r : add_key(reading, &key);
}

static int take_user(struct reading *reading, const char *word)
{
	return take_id(reading, word, ROSTER_UID);
}

static int take_group(struct reading *reading, const char *word)
{
	return take_id(reading, word, ROSTER_GID);
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

/* --- entries ------------------------------------------------------------------ */

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
					"tenants.d/NAME" CONFIG_SUFFIX,
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

void config_take_item(struct reading *reading, const char **section)
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
