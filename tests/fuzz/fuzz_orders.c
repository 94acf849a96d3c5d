/* SPDX-License-Identifier: MIT */
/*
 * The monitor's reader: whatever comes from a server that was taken over, what goes
 * through is a run of an existing policy within its limits, is about a run that there
 * was, or is the sign of life that is due. The first byte of the input says how many runs
 * there were and which sign that is, and its highest bit whether a roster is yet to be
 * adopted.
 */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "daemon/orders.h"
#include "policy/policy.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t len);

#define POLICIES   3
#define GENERATION 2u

static void must(int holds)
{
	if (!holds)
		abort();
}

static void judge_spawn(const struct order *order)
{
	const struct policy *policy = policy_builtin(order->policy);

	must(order->generation == GENERATION || order->generation == GENERATION - 1);
	must(policy && order->tenant == 0 && order->unused == 0);
	must(order->generation == GENERATION || order->policy == 0);
	for (int i = 0; i < LIMIT_IDS; i++)
		must(order->limit[i] >= limit_infos[i].least &&
		     order->limit[i] <= policy->limits.value[i]);
	must(strlen(order->id) == RUNID_LEN && !strpbrk(order->id, "/.\\"));
}

/* Two limits of a clock, none of a kill; and what is let through lowers. */
static void judge_clock(const struct order *order, const struct limits *run)
{
	bool lowers = order_lowers(order, run);

	for (int i = 0; i < LIMIT_IDS; i++) {
		bool measured = order->kind == ORDER_CLOCK &&
				(i == LIMIT_ID_wall_ms || i == LIMIT_ID_cpu_ms);

		must(measured ? order->limit[i] >= limit_infos[i].least &&
					order->limit[i] <= limit_infos[i].most
			      : order->limit[i] == 0);
		must(!lowers || order->limit[i] <= run->value[i]);
	}
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t len)
{
	const struct policy *policies[POLICIES];
	/* Before, the tenant had the first policy alone. */
	struct roster_tenant one = {.policies = 1},
			     all = {.policies = (1 << POLICIES) - 1};
	struct roster before = {.generation = GENERATION - 1,
				.tenants = &one,
				.tenants_count = 1,
				.policies = policies,
				.policies_count = POLICIES};
	struct roster now = before;
	struct order_bounds bounds = {.now = &now,
				      .last_run = len ? data[0] & 0x7f : 0,
				      .pings = len ? (data[0] & 0x7f) / 16 : 0,
				      .alives = len ? data[0] % 16 : 0};
	struct order order;

	now.generation = GENERATION;
	now.tenants = &all;
	if (len && data[0] & 0x80)
		bounds.before = &before;
	for (unsigned i = 0; i < POLICIES; i++)
		policies[i] = policy_builtin(i);
	if (len == 0 || order_check(data + 1, len - 1, &bounds, &order))
		return 0;
	must(len - 1 == sizeof(order) && order.version == ORDERS_VERSION);
	if (order.kind == ORDER_SPAWN || order.kind == ORDER_WARM) {
		must(order.run > bounds.last_run);
		must(bounds.before || order.generation == GENERATION);
		judge_spawn(&order);
		return 0;
	}
	if (order.kind == ORDER_ADOPT) {
		must(bounds.before && order.generation == GENERATION && !order.run);
		return 0;
	}
	if (order.kind == ORDER_ALIVE) {
		must(order.run == bounds.alives && order.run <= bounds.pings);
		return 0;
	}
	must(order.kind == ORDER_CLOCK || order.kind == ORDER_KILL);
	must(order.run > 0 && order.run <= bounds.last_run);
	judge_clock(&order, &policies[0]->limits);
	return 0;
}
