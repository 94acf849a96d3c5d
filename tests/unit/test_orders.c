/* SPDX-License-Identifier: MIT */
/*
 * What the monitor takes for an order: one that is right, and then each of its fields
 * wrong in every way that matters, each with its own fault.
 */
#include <criterion/criterion.h>
#include <string.h>

#include "base/own.h"
#include "daemon/orders.h"
#include "policy/policy.h"

/* Now there are two policies, of which the second tenant has the second; before it there
 * were one tenant and one policy. */
static const struct policy *policies[2];
static struct roster_tenant tenants[2] = {{.policies = 3}, {.policies = 2}};
static const struct roster before = {.generation = 4,
				     .tenants = tenants,
				     .tenants_count = 1,
				     .policies = policies,
				     .policies_count = 1};
static const struct roster now = {.generation = 5,
				  .tenants = tenants,
				  .tenants_count = 2,
				  .policies = policies,
				  .policies_count = 2};
static struct order_bounds bounds = {.now = &now, .last_run = 7};

static struct order spawn_order(void)
{
	struct order order = {.version = ORDERS_VERSION,
			      .kind = ORDER_SPAWN,
			      .run = 8,
			      .generation = 5,
			      .policy = 1,
			      .id = "01ARZ3NDEKTSV4RRFFQ69G5FAV"};

	policies[0] = policy_find("default");
	policies[1] = policy_find("verify");
	memcpy(order.limit, policies[1]->limits.value, sizeof(order.limit));
	return order;
}

static struct order kill_order(void)
{
	return (struct order){.version = ORDERS_VERSION, .kind = ORDER_KILL, .run = 7};
}

static enum order_fault judge(const struct order *order)
{
	struct order copy = {.version = 99};
	enum order_fault fault = order_check(order, sizeof(*order), &bounds, &copy);

	if (fault)
		cr_expect_eq(copy.version, 99, "nothing is written for what is none");
	else
		cr_expect_eq(memcmp(&copy, order, sizeof(copy)), 0);
	return fault;
}

static struct order clock_order(void)
{
	struct order order = kill_order();

	order.kind = ORDER_CLOCK;
	order.limit[LIMIT_ID_wall_ms] = 1000;
	order.limit[LIMIT_ID_cpu_ms] = 500;
	return order;
}

static struct order warm_order(void)
{
	struct order order = spawn_order();

	order.kind = ORDER_WARM;
	return order;
}

/* Each writes over one field. */
#define WRONG_AS(make, field, value, fault)                                       \
	do {                                                                      \
		struct order order_ = make();                                     \
		order_.field = (value);                                           \
		cr_expect_eq(judge(&order_), fault, #field " = " #value " is %s", \
			     order_fault_texts[judge(&order_)]);                  \
	} while (0)

#define WRONG(make, field, value, fault_id) \
	WRONG_AS(make, field, value, ORDER_FAULT_##fault_id)

/* A jail for a run that is yet to come is one like any other. */
#define WRONG_BOTH(field, value, fault_id)                                   \
	do {                                                                 \
		WRONG_AS(spawn_order, field, value, ORDER_FAULT_##fault_id); \
		WRONG_AS(warm_order, field, value, ORDER_FAULT_##fault_id);  \
	} while (0)

Test(orders, what_is_right_goes_through)
{
	struct order order = spawn_order();

	cr_expect_eq(judge(&order), ORDER_FAULT_NONE);
	order.run = UINT64_MAX;
	cr_expect_eq(judge(&order), ORDER_FAULT_NONE);
	for (int i = 0; i < LIMIT_IDS; i++)
		order.limit[i] = limit_infos[i].least;
	cr_expect_eq(judge(&order), ORDER_FAULT_NONE);
	order.kind = ORDER_WARM;
	cr_expect_eq(judge(&order), ORDER_FAULT_NONE);
	order = kill_order();
	cr_expect_eq(judge(&order), ORDER_FAULT_NONE);
	order = clock_order();
	order.run = 1;
	cr_expect_eq(judge(&order), ORDER_FAULT_NONE);
}

Test(orders, every_size_but_one_is_wrong)
{
	struct order order = spawn_order(), into;
	unsigned char bytes[2 * sizeof(order)] = {0};

	memcpy(bytes, &order, sizeof(order));
	for (size_t len = 0; len <= sizeof(bytes); len++)
		cr_expect_eq(order_check(bytes, len, &bounds, &into),
			     len == sizeof(order) ? ORDER_FAULT_NONE : ORDER_FAULT_SIZE);
}

Test(orders, a_jail_with_a_wrong_field)
{
	WRONG_BOTH(version, ORDERS_VERSION + 1, VERSION);
	WRONG_BOTH(version, 0, VERSION);
	WRONG_BOTH(kind, 0, KIND);
	WRONG_BOTH(kind, 7, KIND);
	WRONG_BOTH(unused, 1, EXCESS);
	WRONG_BOTH(generation, 4, GENERATION);
	WRONG_BOTH(generation, 6, GENERATION);
	WRONG_BOTH(generation, 0, GENERATION);
	WRONG_BOTH(kind, UINT32_MAX, KIND);
	WRONG_BOTH(run, 7, RUN);
	WRONG_BOTH(run, 0, RUN);
	WRONG_BOTH(policy, 2, POLICY);
	WRONG_BOTH(policy, UINT32_MAX, POLICY);
	WRONG_BOTH(tenant, 2, TENANT);
	WRONG_BOTH(tenant, UINT32_MAX, TENANT);
	WRONG_BOTH(id[0], '/', ID);
	WRONG_BOTH(id[0], '.', ID);
	WRONG_BOTH(id[25], 0, ID);
	WRONG_BOTH(id[3], 'I', ID);
	WRONG_BOTH(id[3], 'a', ID);
	WRONG_BOTH(id[26], '0', ID);
	WRONG_BOTH(id[31], 'x', ID);
}

Test(orders, a_limit_above_its_policy_or_below_its_least)
{
	for (int i = 0; i < LIMIT_IDS; i++) {
		spawn_order();
		WRONG_BOTH(limit[i], policies[1]->limits.value[i] + 1, LIMIT);
		WRONG_BOTH(limit[i], UINT64_MAX, LIMIT);
		if (limit_infos[i].least)
			WRONG_BOTH(limit[i], limit_infos[i].least - 1, LIMIT);
	}
}

Test(orders, a_policy_that_the_tenant_does_not_have)
{
	struct order order = spawn_order();

	order.tenant = 1;
	cr_expect_eq(judge(&order), ORDER_FAULT_NONE);
	memcpy(order.limit, policies[0]->limits.value, sizeof(order.limit));
	order.policy = 0;
	cr_expect_eq(judge(&order), ORDER_FAULT_POLICY);
	order.tenant = 0;
	cr_expect_eq(judge(&order), ORDER_FAULT_NONE);
}

static struct order adopt_order(void)
{
	return (struct order){
		.version = ORDERS_VERSION, .kind = ORDER_ADOPT, .generation = 5};
}

Test(orders, two_rosters_count_until_one_is_adopted)
{
	struct order order = spawn_order(), adopt = adopt_order();

	memcpy(order.limit, policies[0]->limits.value, sizeof(order.limit));
	order.generation = 4;
	order.policy = 0;
	cr_expect_eq(judge(&order), ORDER_FAULT_GENERATION);
	cr_expect_eq(judge(&adopt), ORDER_FAULT_GENERATION, "there is none to adopt");
	bounds.before = &before;
	cr_expect_eq(judge(&order), ORDER_FAULT_NONE);
	cr_expect_eq(judge(&adopt), ORDER_FAULT_NONE);
	order.policy = 1;
	cr_expect_eq(judge(&order), ORDER_FAULT_POLICY, "by the roster that it names");
	order.policy = 0;
	order.tenant = 1;
	cr_expect_eq(judge(&order), ORDER_FAULT_TENANT);
	WRONG(adopt_order, generation, 4, GENERATION);
	WRONG(adopt_order, generation, 6, GENERATION);
	WRONG(adopt_order, run, 1, EXCESS);
	WRONG(adopt_order, tenant, 1, EXCESS);
	WRONG(adopt_order, limit[0], 1, EXCESS);
	bounds.before = NULL;
}

Test(orders, about_a_run_nothing_else_is_said)
{
	WRONG(kill_order, run, 0, RUN);
	WRONG(kill_order, run, 8, RUN);
	WRONG(kill_order, generation, 5, EXCESS);
	WRONG(kill_order, unused, 1, EXCESS);
	WRONG(kill_order, policy, 1, EXCESS);
	WRONG(kill_order, tenant, 1, EXCESS);
	WRONG(kill_order, id[31], 1, EXCESS);
	for (int i = 0; i < LIMIT_IDS; i++)
		WRONG(kill_order, limit[i], 1, EXCESS);
}

Test(orders, a_clock_has_its_two_limits_and_no_others)
{
	for (int i = 0; i < LIMIT_IDS; i++) {
		if (i == LIMIT_ID_wall_ms || i == LIMIT_ID_cpu_ms) {
			WRONG(clock_order, limit[i], 0, LIMIT);
			WRONG(clock_order, limit[i], limit_infos[i].most + 1, LIMIT);
			WRONG(clock_order, limit[i], UINT64_MAX, LIMIT);
		} else {
			WRONG(clock_order, limit[i], 1, EXCESS);
		}
	}
	WRONG(clock_order, run, 0, RUN);
	WRONG(clock_order, run, 8, RUN);
	WRONG(clock_order, generation, 5, EXCESS);
	WRONG(clock_order, unused, 1, EXCESS);
	WRONG(clock_order, policy, 1, EXCESS);
	WRONG(clock_order, tenant, 1, EXCESS);
	WRONG(clock_order, id[0], '0', EXCESS);
}

Test(orders, a_clock_lowers_and_never_raises)
{
	struct limits run = {
		.value = {[LIMIT_ID_wall_ms] = 1000, [LIMIT_ID_cpu_ms] = 500}};
	struct order order = clock_order();

	cr_expect(order_lowers(&order, &run));
	run.value[LIMIT_ID_memory_bytes] = 1;
	cr_expect(order_lowers(&order, &run), "of the others it says nothing");
	order.limit[LIMIT_ID_wall_ms] = 1;
	order.limit[LIMIT_ID_cpu_ms] = 1;
	cr_expect(order_lowers(&order, &run));
	order.limit[LIMIT_ID_wall_ms] = 1001;
	cr_expect_not(order_lowers(&order, &run));
	order = clock_order();
	order.limit[LIMIT_ID_cpu_ms] = 501;
	cr_expect_not(order_lowers(&order, &run));
}

Test(orders, one_sign_of_life_is_due_at_a_time)
{
	struct order_bounds due = bounds;
	struct order order = {.version = ORDERS_VERSION, .kind = ORDER_ALIVE}, into;

	for (due.pings = 0; due.pings < 3; due.pings++) {
		due.alives = due.pings;
		for (order.run = 0; order.run < 5; order.run++)
			cr_expect_eq(order_check(&order, sizeof(order), &due, &into),
				     order.run == due.pings ? ORDER_FAULT_NONE
							    : ORDER_FAULT_ALIVE);
		due.alives++;
		for (order.run = 0; order.run < 5; order.run++)
			cr_expect_eq(order_check(&order, sizeof(order), &due, &into),
				     ORDER_FAULT_ALIVE);
	}
}

static struct order alive_order(void)
{
	return (struct order){.version = ORDERS_VERSION, .kind = ORDER_ALIVE};
}

Test(orders, with_a_sign_of_life_nothing_else_is_said)
{
	WRONG(alive_order, run, 1, ALIVE);
	WRONG(alive_order, policy, 1, EXCESS);
	WRONG(alive_order, tenant, 1, EXCESS);
	WRONG(alive_order, id[0], '0', EXCESS);
	for (int i = 0; i < LIMIT_IDS; i++)
		WRONG(alive_order, limit[i], 1, EXCESS);
}

Test(orders, an_ending_comes_back_as_it_went)
{
	const struct jail_result result = {.end = JAIL_SIGNALED,
					   .signal = 9,
					   .memory_limit_hit = true,
					   .oom_killed = true,
					   .cpu_us = 1234567,
					   .memory_peak_bytes = 1ull << 33,
					   .pids_peak = 3};
	struct ending ending = {.version = ORDERS_VERSION}, wrong;
	struct jail_result back;

	ending_encode(&result, &ending);
	cr_assert(ending_decode(&ending, &back));
	cr_expect_eq(back.end, result.end);
	cr_expect_eq(back.signal, 9);
	cr_expect(back.memory_limit_hit && back.oom_killed && !back.oom_in_group);
	cr_expect_eq(back.cpu_us, result.cpu_us);
	cr_expect_eq(back.memory_peak_bytes, result.memory_peak_bytes);
	cr_expect_eq(back.pids_peak, 3);
	wrong = ending;
	wrong.version++;
	cr_expect_not(ending_decode(&wrong, &back));
	wrong = ending;
	wrong.killed = KILL_REASONS_COUNT;
	cr_expect_not(ending_decode(&wrong, &back));
	wrong = ending;
	memset(wrong.error.text, 'x', sizeof(wrong.error.text));
	cr_expect_not(ending_decode(&wrong, &back));
}

Test(orders, answers_come_with_what_belongs_to_them)
{
	struct answer answer = {.version = ORDERS_VERSION, .kind = ANSWER_HELD};

	cr_expect(answer_is_valid(&answer, ANSWER_FDS));
	cr_expect_not(answer_is_valid(&answer, ANSWER_FDS - 1));
	answer.memory_by = JAIL_BY_FILTER + 1;
	cr_expect_not(answer_is_valid(&answer, ANSWER_FDS));
	answer = (struct answer){.version = ORDERS_VERSION, .kind = ANSWER_FAILED};
	cr_expect_not(answer_is_valid(&answer, 0), "a failure has a reason");
	answer.error.errnum = 1;
	cr_expect(answer_is_valid(&answer, 0));
	cr_expect_not(answer_is_valid(&answer, 1));
	answer.kind = ANSWER_STOP;
	cr_expect(answer_is_valid(&answer, 0));
	answer.kind = ANSWER_STATE;
	cr_expect(answer_is_valid(&answer, 0));
	cr_expect_not(answer_is_valid(&answer, 1));
	answer.kind = ANSWER_ROSTER;
	cr_expect(answer_is_valid(&answer, 1));
	cr_expect_not(answer_is_valid(&answer, 0));
	cr_expect_not(answer_is_valid(&answer, 2));
	answer.kind = ANSWER_FINDINGS;
	cr_expect(answer_is_valid(&answer, 1));
	cr_expect_not(answer_is_valid(&answer, 0));
	answer.kind = ANSWER_PING;
	cr_expect(answer_is_valid(&answer, 0));
	cr_expect_not(answer_is_valid(&answer, 1));
	answer.kind = 99;
	cr_expect_not(answer_is_valid(&answer, 0));
}
