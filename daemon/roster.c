/* SPDX-License-Identifier: MIT */
/*
 * The bytes: a head, the tenants, the keys, and then each policy. A policy that is built in
 * goes by its name; one from files as the text that `quod policy show` gives, which read
 * again is the same policy: so there is one form of a policy outside of memory, and not two.
 *
 * Who writes them is the monitor, who reads them its own server: what is checked is what a
 * mistake could break, not what an attacker would try.
 */
#include "daemon/roster.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <fcntl.h>

#include "base/file.h"
#include "base/own.h"
#include "policy/load.h"
#include "policy/show.h"

#define ROSTER_VERSION 1u
/* All policies at their longest and more tenants than may be. */
#define BYTES_MOST (256u << 20)

struct head {
	uint32_t version, generation;
	uint32_t tenants_count, keys_count, policies_count, unused;
	struct settings settings;
};

struct policy_head {
	char name[POLICY_NAME_MOST + 8];
	uint32_t is_builtin, about_len, text_len, unused; /* about and text follow */
};

struct roster *roster_new(void)
{
	struct roster *roster = calloc(1, sizeof(*roster));

	if (!roster)
		return NULL;
	roster->references = 1;
	roster->generation = 1;
	settings_init(&roster->settings);
	return roster;
}

struct roster *roster_ref(struct roster *roster)
{
	roster->references++;
	return roster;
}

void roster_unref(struct roster *roster)
{
	if (!roster || --roster->references)
		return;
	for (uint32_t i = 0; i < roster->policies_count; i++)
		policy_free(roster->policies[i]);
	free(roster->policies);
	free(roster->tenants);
	free(roster->keys);
	free(roster);
}

/* The list with room for one more, NULL if there is none. By powers of two: whether there
 * is room already follows from the count. */
static void *with_room(void *list, uint32_t count, uint32_t most, size_t size)
{
	if (count == most)
		return NULL;
	if (count & (count - 1))
		return list;
	return reallocarray(list, count ? 2 * (size_t)count : 1, size);
}

struct roster_tenant *roster_add_tenant(struct roster *roster)
{
	struct roster_tenant *list = with_room(roster->tenants, roster->tenants_count,
					       ROSTER_TENANTS_MOST, sizeof(*list));

	if (!list)
		return NULL;
	roster->tenants = list;
	list += roster->tenants_count++;
	return memset(list, 0, sizeof(*list));
}

struct roster_key *roster_add_key(struct roster *roster)
{
	struct roster_key *list = with_room(roster->keys, roster->keys_count,
					    ROSTER_KEYS_MOST, sizeof(*list));

	if (!list)
		return NULL;
	roster->keys = list;
	list += roster->keys_count++;
	return memset(list, 0, sizeof(*list));
}

int roster_add_policy(struct roster *roster, const struct policy *policy)
{
	const struct policy **list = with_room(roster->policies, roster->policies_count,
					       ROSTER_POLICIES_MOST, sizeof(*list));

	if (!list) {
		policy_free(policy);
		return roster->policies_count == ROSTER_POLICIES_MOST ? -E2BIG : -ENOMEM;
	}
	roster->policies = list;
	list[roster->policies_count] = policy;
	return (int)roster->policies_count++;
}

uint32_t roster_find_tenant(const struct roster *roster, const char *name)
{
	uint32_t i = 0;

	while (i < roster->tenants_count && strcmp(roster->tenants[i].name, name) != 0)
		i++;
	return i;
}

uint32_t roster_find_policy(const struct roster *roster, const char *name)
{
	uint32_t i = 0;

	while (i < roster->policies_count && strcmp(roster->policies[i]->name, name) != 0)
		i++;
	return i;
}

/* --- out ---------------------------------------------------------------------- */

static void write_policy(const struct policy *policy, struct text *to)
{
	own_text struct text text = TEXT_INIT(INI_MOST);
	struct policy_head head = {.is_builtin = !policy->owner};

	strncpy(head.name, policy->name, sizeof(head.name) - 1);
	if (policy->owner) {
		show_policy(policy, &text);
		head.about_len = (uint32_t)strlen(policy->about) + 1;
		head.text_len = (uint32_t)text.len;
	}
	if (text_status(&text))
		to->error = text_status(&text);
	text_add(to, &head, sizeof(head));
	text_add(to, policy->about, head.about_len);
	text_add(to, text_str(&text), head.text_len);
}

static void write_roster(const struct roster *roster, struct text *to)
{
	const struct head head = {.version = ROSTER_VERSION,
				  .generation = roster->generation,
				  .tenants_count = roster->tenants_count,
				  .keys_count = roster->keys_count,
				  .policies_count = roster->policies_count,
				  .settings = roster->settings};

	text_add(to, &head, sizeof(head));
	text_add(to, roster->tenants, roster->tenants_count * sizeof(*roster->tenants));
	text_add(to, roster->keys, roster->keys_count * sizeof(*roster->keys));
	for (uint32_t i = 0; i < roster->policies_count; i++)
		write_policy(roster->policies[i], to);
}

int roster_send(const struct roster *roster, int *ret_fd)
{
	own_text struct text bytes = TEXT_INIT(BYTES_MOST);
	own_fd int fd = memfd_create("quodd-roster", MFD_CLOEXEC | MFD_ALLOW_SEALING);
	int r;

	if (fd < 0)
		return -errno;
	write_roster(roster, &bytes);
	r = text_status(&bytes);
	if (r == 0)
		r = file_write_all(fd, text_str(&bytes), bytes.len);
	if (r == 0 &&
	    (lseek(fd, 0, SEEK_SET) < 0 ||
	     fcntl(fd, F_ADD_SEALS,
		   F_SEAL_SHRINK | F_SEAL_GROW | F_SEAL_WRITE | F_SEAL_SEAL) < 0))
		r = -errno;
	if (r < 0)
		return r;
	*ret_fd = TAKE_FD(fd);
	return 0;
}

/* --- in ----------------------------------------------------------------------- */

struct bytes {
	const char *at;
	size_t left;
};

/* NULL: there are not so many. */
static const char *take(struct bytes *from, size_t len)
{
	const char *at = from->at;

	if (len > from->left)
		return NULL;
	from->at += len;
	from->left -= len;
	return at;
}

/* Aligned, which bytes need not be. */
static int take_copy(struct bytes *from, void *to, size_t len)
{
	const char *at = take(from, len);

	if (!at)
		return -EBADMSG;
	memcpy(to, at, len);
	return 0;
}

/* NULL, with *ret_error, for an empty list too. */
static void *take_list(struct bytes *from, uint32_t count, uint32_t most, size_t size,
		       int *ret_error)
{
	own_free void *list = NULL;

	*ret_error = count > most ? -EBADMSG : 0;
	if (count == 0 || *ret_error)
		return NULL;
	list = calloc(count, size);
	*ret_error = list ? take_copy(from, list, count * size) : -ENOMEM;
	return *ret_error ? NULL : TAKE_PTR(list);
}

static void ignore(void *context, const struct policy_fault *fault)
{
	(void)context;
	(void)fault;
}

/* Both strings with their NUL. */
static int read_text(struct bytes *from, const struct policy_head *head,
		     const struct policy **ret_policy)
{
	struct policy_report report = {.say = ignore, .faults_only = true};
	const char *about = take(from, head->about_len);
	const char *text = take(from, head->text_len);

	if (!about || !text || !head->about_len || about[head->about_len - 1])
		return -EBADMSG;
	return policy_from_text(head->name, about, text, head->text_len, &report,
				ret_policy);
}

static int take_policy(struct bytes *from, struct roster *roster)
{
	const struct policy *policy = NULL;
	struct policy_head head;
	int r = take_copy(from, &head, sizeof(head));

	if (r < 0 || head.name[sizeof(head.name) - 1])
		return -EBADMSG;
	if (head.is_builtin)
		policy = policy_find(head.name);
	else
		r = read_text(from, &head, &policy);
	if (!policy)
		return r < 0 ? r : -EBADMSG;
	r = roster_add_policy(roster, policy);
	return r < 0 ? r : 0;
}

static bool fits(const struct roster *roster)
{
	for (uint32_t i = 0; i < roster->tenants_count; i++) {
		const struct roster_tenant *tenant = &roster->tenants[i];

		if (tenant->policy >= roster->policies_count ||
		    tenant->name[sizeof(tenant->name) - 1])
			return false;
	}
	for (uint32_t i = 0; i < roster->keys_count; i++)
		if (roster->keys[i].tenant >= roster->tenants_count)
			return false;
	return true;
}

static int read_roster(struct bytes *from, struct roster *roster)
{
	struct head head;
	int r = take_copy(from, &head, sizeof(head));

	if (r < 0 || head.version != ROSTER_VERSION)
		return -EBADMSG;
	roster->generation = head.generation;
	roster->settings = head.settings;
	roster->tenants = take_list(from, head.tenants_count, ROSTER_TENANTS_MOST,
				    sizeof(*roster->tenants), &r);
	if (r < 0)
		return r;
	roster->tenants_count = head.tenants_count;
	roster->keys = take_list(from, head.keys_count, ROSTER_KEYS_MOST,
				 sizeof(*roster->keys), &r);
	if (r < 0)
		return r;
	roster->keys_count = head.keys_count;
	for (uint32_t i = 0; r == 0 && i < head.policies_count; i++)
		r = take_policy(from, roster);
	return r == 0 && !fits(roster) ? -EBADMSG : r;
}

int roster_receive(int fd, struct roster **ret_roster)
{
	own_roster struct roster *roster = roster_new();
	own_free char *bytes = NULL;
	struct bytes from = {0};
	int r = roster ? file_read_fd(fd, BYTES_MOST, &bytes, &from.left) : -ENOMEM;

	from.at = bytes;
	if (r == 0)
		r = read_roster(&from, roster);
	if (r < 0)
		return r;
	*ret_roster = TAKE_PTR(roster);
	return 0;
}
