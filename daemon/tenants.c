/* SPDX-License-Identifier: MIT */
/*
 * Whose turn it is: a place goes to the tenant that has the fewest for its weight, and
 * among equals to the one that got its last place longest ago. Whoever floods the queue
 * waits for its own runs alone: it never has more than its share while others wait, and all
 * that there is while nobody does. Within one tenant who came first is first.
 *
 * The rate is a bucket that holds RateLimitBurst= runs and is filled anew in the interval.
 * It is counted in nanoseconds times runs, so that nothing is lost by rounding.
 */
#include "daemon/tenants.h"

#include <errno.h>
#include <sha256.h>
#include <stdlib.h>
#include <string.h>

#include "base/own.h"
#include "supervisor/clock.h"

/* A few of the largest bodies, and many of the usual. */
#define HELD_MOST (64u << 20)

/* --- who is who --------------------------------------------------------------- */

struct tenant *tenants_find_name(const struct tenants *tenants, const char *name)
{
	for (struct tenant *at = tenants->list; at; at = at->next)
		if (!at->gone && !strcmp(at->name, name))
			return at;
	return NULL;
}

static struct tenant *find_number(const struct tenants *tenants, uint32_t number)
{
	for (struct tenant *at = tenants->list; at; at = at->next)
		if (!at->gone && at->number == number)
			return at;
	return NULL;
}

static struct tenant *find_id(const struct tenants *tenants, enum roster_key_kind kind,
			      uint32_t id)
{
	const struct roster *roster = tenants->roster;

	for (uint32_t i = 0; i < roster->keys_count; i++)
		if (roster->keys[i].kind == kind && roster->keys[i].id == id)
			return find_number(tenants, roster->keys[i].tenant);
	return NULL;
}

struct tenant *tenants_find_peer(const struct tenants *tenants, const struct peer *peer)
{
	struct tenant *found = NULL;

	if (peer->uid != PEER_UNKNOWN)
		found = find_id(tenants, ROSTER_UID, peer->uid);
	for (unsigned i = 0; !found && i < peer->gids_count; i++)
		if (peer->gids[i] != PEER_UNKNOWN)
			found = find_id(tenants, ROSTER_GID, peer->gids[i]);
	return found;
}

/* Takes as long wherever they differ. */
static bool is_same(const unsigned char *a, const unsigned char *b, size_t len)
{
	unsigned char differ = 0;

	for (size_t i = 0; i < len; i++)
		differ |= a[i] ^ b[i];
	return differ == 0;
}

/* Every token is compared, whichever it is. */
struct tenant *tenants_find_token(const struct tenants *tenants, const char *token)
{
	const struct roster *roster = tenants->roster;
	unsigned char hash[ROSTER_HASH_BYTES];
	struct tenant *found = NULL;
	SHA2_CTX context;

	SHA256Init(&context);
	SHA256Update(&context, (const unsigned char *)token, strlen(token));
	SHA256Final(hash, &context);
	for (uint32_t i = 0; i < roster->keys_count; i++)
		if (roster->keys[i].kind == ROSTER_TOKEN &&
		    is_same(roster->keys[i].hash, hash, sizeof(hash)))
			found = find_number(tenants, roster->keys[i].tenant);
	return found;
}

/* --- whose turn it is --------------------------------------------------------- */

static unsigned places(const struct tenants *tenants)
{
	return (unsigned)tenants->roster->settings.value[SETTING_RUNS];
}

static bool may_start(const struct tenant *tenant)
{
	return tenant->running < tenant->terms.value[TERM_RUNS];
}

static bool goes_before(const struct tenant *a, const struct tenant *b)
{
	uint64_t a_has = a->running * b->terms.value[TERM_WEIGHT];
	uint64_t b_has = b->running * a->terms.value[TERM_WEIGHT];

	return a_has != b_has ? a_has < b_has : a->served < b->served;
}

static struct tenant *next_tenant(const struct tenants *tenants)
{
	struct tenant *best = NULL;

	for (struct tenant *at = tenants->list; at; at = at->next)
		if (at->first && may_start(at) && (!best || goes_before(at, best)))
			best = at;
	return best;
}

static void take_place(struct tenants *tenants, struct waiter *waiter)
{
	waiter->placed = true;
	waiter->tenant->running++;
	tenants->running++;
}

static void give_place(struct tenants *tenants, struct waiter *waiter)
{
	struct tenant *tenant = waiter->tenant;

	take_place(tenants, waiter);
	tenant->started++;
	tenant->served = ++tenants->served;
}

static void push(struct tenant *tenant, struct waiter *waiter)
{
	if (tenant->last)
		tenant->last->next = waiter;
	else
		tenant->first = waiter;
	tenant->last = waiter;
	tenant->queued++;
}

static void unlink_waiter(struct tenant *tenant, struct waiter *waiter)
{
	struct waiter **at = &tenant->first, *before = NULL;

	for (; *at != waiter; at = &(*at)->next)
		before = *at;
	*at = waiter->next;
	if (tenant->last == waiter)
		tenant->last = before;
	waiter->next = NULL;
	tenant->queued--;
}

/* A start may end at once and come back here, which is left to the turn that is under way:
 * a queue must not become a stack. */
void tenants_dispatch(struct tenants *tenants)
{
	struct tenant *tenant;

	if (tenants->dispatching)
		return;
	tenants->dispatching = true;
	while (tenants->running < places(tenants) && (tenant = next_tenant(tenants))) {
		struct waiter *waiter = tenant->first;

		unlink_waiter(tenant, waiter);
		give_place(tenants, waiter);
		tenants->start(waiter);
	}
	tenants->dispatching = false;
}

/* --- the rate ----------------------------------------------------------------- */

/* A million runs times an hour is far below 2^64. */
static uint64_t price_ns(const struct tenant *tenant)
{
	return tenant->terms.value[TERM_RATE_MS] * NS_PER_MS;
}

static void fill(struct tenant *tenant, uint64_t now)
{
	uint64_t burst = tenant->terms.value[TERM_RATE_BURST], price = price_ns(tenant);
	uint64_t last = tenant->credit_ns, passed = now - last;

	tenant->credit_ns = now;
	if (!last || passed >= price || tenant->credit + passed * burst > burst * price)
		tenant->credit = burst * price;
	else
		tenant->credit += passed * burst;
}

static int pay(struct tenant *tenant, unsigned runs, uint64_t now,
	       struct problem *problem)
{
	uint64_t burst = tenant->terms.value[TERM_RATE_BURST];
	uint64_t price = price_ns(tenant) * runs, missing;

	if (!burst)
		return 0;
	if (runs > burst)
		return problem_set(problem, 422, "/cases",
				   "the rate of tenant '%s' never allows more than %llu "
				   "runs at once",
				   tenant->name, (unsigned long long)burst);
	fill(tenant, now);
	if (tenant->credit >= price) {
		tenant->credit -= price;
		return 0;
	}
	missing = (price - tenant->credit) / burst;
	problem_set(problem, 429, NULL,
		    "the rate of tenant '%s' is used up: %llu runs in %llu ms",
		    tenant->name, (unsigned long long)burst,
		    (unsigned long long)tenant->terms.value[TERM_RATE_MS]);
	problem->retry_after = (unsigned)(missing / NS_PER_SEC + 1);
	return -EAGAIN;
}

/* --- in and out --------------------------------------------------------------- */

static int check_queue(const struct tenant *tenant, struct problem *problem)
{
	if (tenant->queued < tenant->terms.value[TERM_QUEUE])
		return 0;
	problem_set(problem, 429, NULL,
		    "tenant '%s' has %u runs under way and %u that wait, and no more may",
		    tenant->name, tenant->running, tenant->queued);
	problem->retry_after = 1;
	problem->reason = "queue";
	return -EAGAIN;
}

int tenants_enter(struct tenants *tenants, struct tenant *tenant, unsigned runs,
		  struct waiter *waiter, struct problem *problem)
{
	uint64_t now = clock_mono_ns();
	bool at_once = !tenant->queued && may_start(tenant) &&
		       tenants->running < places(tenants);
	int r = at_once ? 0 : check_queue(tenant, problem);

	if (r == 0)
		r = pay(tenant, runs, now, problem);
	if (r < 0) {
		tenant->refused++;
		return r;
	}
	*waiter = (struct waiter){.tenant = tenant_ref(tenant),
				  .since_ns = now,
				  .until_ns = now + tenant->terms.value[TERM_QUEUE_MS] *
							    NS_PER_MS};
	if (at_once)
		give_place(tenants, waiter);
	else
		push(tenant, waiter);
	return at_once;
}

bool tenants_try(struct tenants *tenants, struct tenant *tenant, struct waiter *waiter)
{
	if (tenant->queued || !may_start(tenant) || tenants->running >= places(tenants))
		return false;
	*waiter = (struct waiter){.tenant = tenant_ref(tenant),
				  .since_ns = clock_mono_ns()};
	take_place(tenants, waiter);
	return true;
}

static bool is_needed(const struct tenant *tenant)
{
	return !tenant->gone || tenant->references;
}

static void drop_gone(struct tenants *tenants)
{
	struct tenant **at = &tenants->list;

	while (*at) {
		struct tenant *tenant = *at;

		if (is_needed(tenant)) {
			at = &tenant->next;
		} else {
			*at = tenant->next;
			free(tenant);
		}
	}
}

struct tenant *tenant_ref(struct tenant *tenant)
{
	if (tenant)
		tenant->references++;
	return tenant;
}

void tenant_unref(struct tenants *tenants, struct tenant *tenant)
{
	if (tenant && --tenant->references == 0 && tenant->gone)
		drop_gone(tenants);
}

static void give_back(struct tenants *tenants, struct tenant *tenant)
{
	tenant->running--;
	tenants->running--;
}

void tenants_leave(struct tenants *tenants, struct waiter *waiter)
{
	struct tenant *tenant = TAKE_PTR(waiter->tenant);

	if (!tenant)
		return;
	if (waiter->placed)
		give_back(tenants, tenant);
	else
		unlink_waiter(tenant, waiter);
	tenant_unref(tenants, tenant);
	tenants_dispatch(tenants);
}

void tenants_again(struct tenants *tenants, struct waiter *waiter)
{
	struct tenant *tenant = waiter->tenant;

	give_back(tenants, tenant);
	waiter->placed = false;
	waiter->since_ns = clock_mono_ns();
	push(tenant, waiter);
	tenants_dispatch(tenants);
}

bool tenant_hold(struct tenant *tenant, size_t bytes)
{
	if (tenant->held_bytes + bytes > HELD_MOST)
		return false;
	tenant->held_bytes += bytes;
	return true;
}

void tenant_let_go(struct tenant *tenant, size_t bytes)
{
	tenant->held_bytes -= bytes;
}

/* --- a roster ----------------------------------------------------------------- */

static void take_terms(struct tenant *tenant, const struct roster_tenant *from,
		       uint32_t number)
{
	memcpy(tenant->name, from->name, sizeof(tenant->name));
	tenant->number = number;
	tenant->gone = false;
	tenant->terms = from->terms;
	tenant->policies = from->policies;
	tenant->policy = from->policy;
}

/* Those that it does not know yet, in order. Errors: -ENOMEM. */
static int make_new(const struct tenants *tenants, const struct roster *roster,
		    struct tenant **end)
{
	for (uint32_t i = 0; i < roster->tenants_count; i++) {
		struct tenant *tenant;

		if (tenants_find_name(tenants, roster->tenants[i].name))
			continue;
		tenant = calloc(1, sizeof(*tenant));
		if (!tenant)
			return -ENOMEM;
		take_terms(tenant, &roster->tenants[i], i);
		*end = tenant;
		end = &tenant->next;
	}
	return 0;
}

static void free_list(struct tenant *list)
{
	while (list) {
		struct tenant *next = list->next;

		free(list);
		list = next;
	}
}

static void update(struct tenants *tenants, const struct roster *roster)
{
	for (struct tenant *at = tenants->list; at; at = at->next) {
		uint32_t i = roster_find_tenant(roster, at->name);

		if (at->gone || i == roster->tenants_count)
			at->gone = true;
		else
			take_terms(at, &roster->tenants[i], i);
	}
}

/* A tenant keeps its places, its queue and its credit. */
int tenants_adopt(struct tenants *tenants, struct roster *roster_consume)
{
	own_roster struct roster *roster = roster_consume;
	struct tenant *list = NULL, **end = &tenants->list;

	if (make_new(tenants, roster, &list) < 0) {
		free_list(list);
		return -ENOMEM;
	}
	update(tenants, roster);
	while (*end)
		end = &(*end)->next;
	*end = list;
	roster_unref(tenants->roster);
	tenants->roster = TAKE_PTR(roster);
	drop_gone(tenants);
	return 0;
}

void tenants_free(struct tenants *tenants)
{
	free_list(tenants->list);
	roster_unref(tenants->roster);
	*tenants = (struct tenants){0};
}
