/* SPDX-License-Identifier: MIT */
/* Whose turn it is, by itself: places, weights, queues, a roster that changes. */
#include <criterion/criterion.h>
#include <errno.h>
#include <string.h>

#include "base/own.h"
#include "daemon/tenants.h"
#include "policy/policy.h"

static struct tenants tenants;
static struct waiter waiters[64], *started[64];
static unsigned started_count;

static void note(struct waiter *waiter)
{
	started[started_count++] = waiter;
}

static struct roster *make_roster(unsigned places, const char *const *names)
{
	struct roster *roster = roster_new();

	roster_add_policy(roster, policy_builtin(0));
	roster->settings.value[SETTING_RUNS] = places;
	for (; *names; names++) {
		struct roster_tenant *tenant = roster_add_tenant(roster);

		strcpy(tenant->name, *names);
		tenant->policies = 1;
		terms_init(&tenant->terms);
		tenant->terms.value[TERM_RUNS] = 64;
	}
	return roster;
}

static struct tenant *get(const char *name)
{
	return tenants_find_name(&tenants, name);
}

static void begin(unsigned places, const char *const *names)
{
	tenants = (struct tenants){.start = note};
	started_count = 0;
	cr_assert_eq(tenants_adopt(&tenants, make_roster(places, names)), 0);
}

static int enter(unsigned i, const char *name)
{
	struct problem problem = {0};
	int r = tenants_enter(&tenants, get(name), 1, &waiters[i], &problem);

	cr_expect_eq(r < 0, problem.status != 0);
	return r;
}

static void leave(unsigned i)
{
	tenants_leave(&tenants, &waiters[i]);
}

static const char *const three[] = {"a", "b", "c", NULL};

Test(tenants, who_comes_first_is_first_within_one)
{
	begin(1, three);
	cr_assert_eq(enter(0, "a"), 1);
	for (unsigned i = 1; i < 4; i++)
		cr_assert_eq(enter(i, "a"), 0);
	for (unsigned i = 0; i < 4; i++)
		leave(i);
	cr_assert_eq(started_count, 3);
	for (unsigned i = 0; i < 3; i++)
		cr_expect_eq(started[i], &waiters[i + 1]);
	cr_expect_eq(tenants.running, 0);
	tenants_free(&tenants);
}

Test(tenants, places_are_shared_by_weight)
{
	unsigned of_a = 0;

	begin(12, three);
	get("a")->terms.value[TERM_WEIGHT] = 300;
	for (unsigned i = 0; i < 12; i++)
		cr_assert_eq(enter(i, "c"), 1);
	for (unsigned i = 12; i < 36; i++)
		cr_assert_eq(enter(i, i % 2 ? "a" : "b"), 0);
	for (unsigned i = 0; i < 12; i++)
		leave(i);
	cr_assert_eq(started_count, 12);
	for (unsigned i = 0; i < started_count; i++)
		of_a += started[i]->tenant == get("a");
	cr_expect_eq(of_a, 9, "three for each of b's: %u", of_a);
	tenants_free(&tenants);
}

Test(tenants, nobody_has_more_than_his_own_bound)
{
	begin(12, three);
	get("a")->terms.value[TERM_RUNS] = 2;
	get("a")->terms.value[TERM_QUEUE] = 1;
	cr_expect_eq(enter(0, "a"), 1);
	cr_expect_eq(enter(1, "a"), 1);
	cr_expect_eq(enter(2, "a"), 0);
	cr_expect_eq(enter(3, "a"), -EAGAIN);
	cr_expect_eq(enter(4, "b"), 1, "others have room");
	cr_expect_eq(get("a")->refused, 1);
	leave(2);
	cr_expect_eq(get("a")->queued, 0, "who waits may go");
	leave(0);
	cr_expect_eq(started_count, 0);
	tenants_free(&tenants);
}

Test(tenants, the_next_of_many_waits_like_everybody)
{
	begin(1, three);
	cr_assert_eq(enter(0, "a"), 1);
	cr_assert_eq(enter(1, "a"), 0);
	cr_assert_eq(enter(2, "b"), 0);
	tenants_again(&tenants, &waiters[0]);
	leave(2);
	leave(1);
	cr_assert_eq(started_count, 3);
	cr_expect_eq(started[0], &waiters[2], "another's turn");
	cr_expect_eq(started[1], &waiters[1], "who waited before");
	cr_expect_eq(started[2], &waiters[0]);
	leave(0);
	cr_expect_eq(tenants.running, 0);
	tenants_free(&tenants);
}

Test(tenants, many_runs_are_paid_at_once)
{
	struct problem problem = {0};

	begin(1, three);
	get("a")->terms.value[TERM_RATE_BURST] = 5;
	get("a")->terms.value[TERM_RATE_MS] = 3600000;
	cr_expect_eq(tenants_enter(&tenants, get("a"), 6, &waiters[0], &problem),
		     -EINVAL);
	cr_expect_eq(problem.status, 422);
	cr_expect_eq(tenants_enter(&tenants, get("a"), 3, &waiters[0], &problem), 1);
	cr_expect_eq(tenants_enter(&tenants, get("a"), 3, &waiters[1], &problem),
		     -EAGAIN);
	cr_expect_eq(problem.status, 429);
	cr_expect_geq(problem.retry_after, 600);
	cr_expect_eq(tenants_enter(&tenants, get("a"), 2, &waiters[1], &problem), 0);
	tenants_free(&tenants);
}

/* Those that fail as they start must not make a stack of the queue. */
static unsigned depth, deepest;

static void fail_at_once(struct waiter *waiter)
{
	depth++;
	deepest = depth > deepest ? depth : deepest;
	started_count++;
	tenants_leave(&tenants, waiter);
	depth--;
}

Test(tenants, a_start_that_ends_at_once)
{
	begin(1, three);
	tenants.start = fail_at_once;
	cr_assert_eq(enter(0, "a"), 1);
	for (unsigned i = 1; i < 60; i++)
		cr_assert_eq(enter(i, "a"), 0);
	leave(0);
	cr_expect_eq(started_count, 59);
	cr_expect_eq(deepest, 1);
	cr_expect_eq(tenants.running, 0);
	tenants_free(&tenants);
}

Test(tenants, another_roster)
{
	static const char *const others[] = {"b", "d", NULL};
	struct tenant *a;

	begin(1, three);
	a = get("a");
	cr_assert_eq(enter(0, "a"), 1);
	cr_assert_eq(enter(1, "b"), 0);
	cr_assert_eq(tenants_adopt(&tenants, make_roster(3, others)), 0);
	cr_expect(a->gone);
	cr_expect_null(get("a"));
	cr_expect_null(get("c"));
	cr_expect_eq(get("b")->number, 0);
	cr_expect_eq(get("b")->queued, 1, "who waits keeps his turn");
	cr_expect_not_null(get("d"));
	leave(0);
	cr_expect_eq(started_count, 1);
	cr_expect_eq(started[0], &waiters[1]);
	cr_assert_eq(tenants_adopt(&tenants, make_roster(3, three)), 0);
	cr_expect_not_null(get("a"), "and comes back as a new one");
	cr_expect_eq(get("a")->started, 0);
	tenants_free(&tenants);
}

Test(tenants, what_is_held_in_memory_is_bounded)
{
	size_t held = 0;

	begin(1, three);
	while (tenant_hold(get("a"), 1u << 20))
		held++;
	cr_expect_eq(held, 64);
	cr_expect(tenant_hold(get("b"), 1u << 20), "each for himself");
	tenant_let_go(get("a"), 1u << 20);
	cr_expect(tenant_hold(get("a"), 1u << 20));
	tenants_free(&tenants);
}
