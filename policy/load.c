/* SPDX-License-Identifier: MIT */
/*
 * The order in which a policy comes about: what it begins from, its file, its drop-ins,
 * then what only the whole can be asked. Without a file it is the built-in one itself,
 * and nothing is allocated.
 */
#include "policy/load.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/own.h"
#include "base/text.h"
#include "policy/apply.h"
#include "policy/draft.h"
#include "policy/search.h"
#include "policy/warn.h"

static const struct ini_place nowhere;

static int no_memory(struct policy_report *report, const char *name)
{
	return report_fault(report, -ENOMEM, NULL, nowhere,
			    "there is no memory to read policy '%s'", name);
}

static int apply_file(struct policy_draft *draft, const struct search_file *file,
		      struct policy_report *report)
{
	struct policy_text text = {
		.file = draft_string(draft, file->path, strlen(file->path)),
		.bytes = file->bytes,
		.len = file->len,
		.drop_in = file->drop_in};

	if (!text.file)
		return no_memory(report, file->path);
	apply_text(draft, &text, report);
	if (!file->drop_in)
		draft->policy.about = text.file;
	return 0;
}

static const struct policy *find_base(const char *name, const struct search_file *file)
{
	const struct policy *named = policy_find(name);
	const struct policy *base = named ? named : policy_builtin(0);
	struct policy_text text = {.bytes = file->bytes, .len = file->len};

	if (!file->drop_in && apply_find_base(&text, base, &base) < 0)
		return NULL;
	return base;
}

static int build(const char *name, const struct search_files *files,
		 struct policy_report *report, const struct policy **ret_policy)
{
	const struct policy *base = find_base(name, &files->list[0]);
	struct policy_draft *draft = base ? draft_new(base) : NULL;
	int r = 0;

	if (!draft)
		return no_memory(report, name);
	draft->policy.name = draft_string(draft, name, strlen(name));
	if (!draft->policy.name)
		r = no_memory(report, name);
	for (size_t i = 0; r == 0 && i < files->count; i++)
		r = apply_file(draft, &files->list[i], report);
	if (r == 0)
		apply_check(draft, report);
	if (!report->faults)
		warn_policy(draft_finish(draft), report);
	if (report->faults) {
		draft_free(draft);
		return report->error == -EINVAL ? -EBADMSG : report->error;
	}
	*ret_policy = draft_finish(draft);
	return 0;
}

int policy_from_text(const char *name, const char *about, const char *bytes, size_t len,
		     struct policy_report *report, const struct policy **ret_policy)
{
	/* What is borrowed is not freed. */
	const struct search_files files = {.list = {{.path = (char *)(uintptr_t)about,
						     .bytes = (char *)(uintptr_t)bytes,
						     .len = len}},
					   .count = 1};

	return build(name, &files, report, ret_policy);
}

struct guess {
	struct nearest nearest;
	char best[POLICY_NAME_MOST + 1];
};

/* The names of files do not outlive the call. */
static void offer_name(void *context, const char *name)
{
	struct guess *guess = context;

	nearest_offer(&guess->nearest, name);
	if (guess->nearest.best == name) {
		snprintf(guess->best, sizeof(guess->best), "%s", name);
		guess->nearest.best = guess->best;
	}
}

static int unknown(const char *name, const struct search *search,
		   struct policy_report *report)
{
	struct guess guess = {.nearest = NEAREST_INIT(name)};
	own_text struct text known = TEXT_INIT(256);

	for (size_t i = 0; policy_builtin(i); i++) {
		offer_name(&guess, policy_builtin(i)->name);
		text_addf(&known, "%s%s", i ? ", " : "", policy_builtin(i)->name);
	}
	if (search_names(search, offer_name, &guess, report) < 0)
		return report->error;
	if (guess.nearest.best)
		return report_fault(report, -ENOENT, NULL, nowhere,
				    "no policy is called '%s': did you mean %s?", name,
				    guess.nearest.best);
	return report_fault(report, -ENOENT, NULL, nowhere,
			    "no policy is called '%s'; built in are: %s (quod policy "
			    "list shows all; a file is named with a slash, like ./FILE)",
			    name, text_str(&known));
}

static int read_named(const char *name, struct policy_report *report,
		      const struct policy **ret_policy)
{
	own_search struct search search = {.count = 0};
	own_search_files struct search_files files = {.count = 0};
	const struct policy *builtin = policy_find(name);
	int r = search_open(&search, report);

	if (r == 0)
		r = search_files(&search, name, &files, report);
	if (r < 0)
		return r;
	if (!builtin && (!files.count || files.list[0].drop_in))
		return unknown(name, &search, report);
	if (files.count)
		return build(name, &files, report, ret_policy);
	*ret_policy = builtin;
	return 0;
}

/* The file says what the policy is, its name what it is called. */
static int read_path(const char *path, struct policy_report *report,
		     const struct policy **ret_policy)
{
	own_search_files struct search_files files = {.count = 0};
	const char *base = strrchr(path, '/');
	char name[POLICY_NAME_MOST + 16];
	char *suffix;
	int r;

	snprintf(name, sizeof(name), "%s", base ? base + 1 : path);
	suffix = strstr(name, ".policy");
	if (suffix && !suffix[strlen(".policy")])
		*suffix = '\0';
	if (!search_is_name(name))
		return report_fault(report, -EINVAL, path, nowhere,
				    "a policy file is called NAME.policy, NAME being at "
				    "most %u letters, digits, dots, - and _",
				    POLICY_NAME_MOST);
	r = search_one(path, &files, report);
	return r < 0 ? r : build(name, &files, report, ret_policy);
}

int policy_read(const char *name, bool warn, struct policy_report *report,
		const struct policy **ret_policy)
{
	report->faults_only = !warn;
	if (!name)
		name = policy_builtin(0)->name;
	if (strchr(name, '/'))
		return read_path(name, report, ret_policy);
	if (!search_is_name(name))
		return report_fault(
			report, -EINVAL, NULL, nowhere,
			"'%.100s' cannot be a policy's name: letters, digits, "
			"dots, - and _ (a file is named with a slash: "
			"./FILE)",
			name);
	return read_named(name, report, ret_policy);
}

/* The first is what a run says. */
static void keep_first(void *context, const struct policy_fault *fault)
{
	struct policy_error *error = context;

	if (!fault->warning && !error->text[0])
		report_spell(fault, error->text, sizeof(error->text));
}

int policy_load(const char *name, const struct policy **ret_policy,
		struct policy_error *error)
{
	struct policy_report report = {.say = keep_first, .context = error};

	error->text[0] = '\0';
	return policy_read(name, false, &report, ret_policy);
}

void policy_free(const struct policy *policy)
{
	if (policy)
		draft_free(policy->owner);
}

/* --- what there is --- */

struct listing {
	struct policy_names *names;
	int error;
};

static void add_name(void *context, const char *name)
{
	struct listing *listing = context;
	struct policy_names *names = listing->names;
	char **grown, *copy;

	for (size_t i = 0; i < names->count; i++)
		if (!strcmp(names->list[i], name))
			return;
	grown = realloc(names->list, (names->count + 1) * sizeof(*grown));
	names->list = grown ? grown : names->list;
	copy = grown ? strdup(name) : NULL;
	if (copy)
		grown[names->count++] = copy;
	else
		listing->error = -ENOMEM;
}

static int compare(const void *a, const void *b)
{
	return strcmp(*(char *const *)a, *(char *const *)b);
}

int policy_list(struct policy_names *ret_names, struct policy_report *report)
{
	own_search struct search search = {.count = 0};
	struct listing listing = {.names = ret_names};
	size_t builtin;
	int r = search_open(&search, report);

	for (builtin = 0; policy_builtin(builtin); builtin++)
		add_name(&listing, policy_builtin(builtin)->name);
	if (r == 0)
		r = search_names(&search, add_name, &listing, report);
	if (listing.error)
		return report_fault(report, -ENOMEM, NULL, nowhere,
				    "there is no memory to list policies");
	if (ret_names->count > builtin)
		qsort(ret_names->list + builtin, ret_names->count - builtin,
		      sizeof(*ret_names->list), compare);
	return r;
}

void policy_names_free(struct policy_names *names)
{
	for (size_t i = 0; i < names->count; i++)
		free(names->list[i]);
	free(names->list);
	*names = (struct policy_names){0};
}
