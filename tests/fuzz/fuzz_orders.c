/* SPDX-License-Identifier: MIT */
/*
 * The monitor's reader: whatever comes from a server that was taken over, what goes
 * through is a run of an existing policy within its limits, or is about a run that there
 * was. The first byte of the input says how many runs there were.
 */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "daemon/orders.h"
#include "policy/policy.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t len);

#define POLICIES 3

static void must(int holds)
{
	if (!holds)
		abort();
}

static void judge_spawn(const struct order *order, const struct limits *policies)
{
	must(order->policy < POLICIES && order->tenant == 0);
	for (int i = 0; i < LIMIT_IDS; i++)
		must(order->limit[i] >= limit_infos[i].least &&
		     order->limit[i] <= policies[order->policy].value[i]);
	must(strlen(order->id) == RUNID_LEN && !strpbrk(order->id, "/.\\"));
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t len)
{
	struct limits policies[POLICIES];
	struct order_bounds bounds = {.policies = policies,
				      .policies_count = POLICIES,
				      .tenants_count = 1,
				      .last_run = len ? data[0] : 0};
	struct order order;

	for (unsigned i = 0; i < POLICIES; i++)
		policies[i] = policy_builtin(i)->limits;
	if (len == 0 || order_check(data + 1, len - 1, &bounds, &order))
		return 0;
	must(len - 1 == sizeof(order) && order.version == ORDERS_VERSION);
	if (order.kind == ORDER_SPAWN) {
		must(order.run > bounds.last_run);
		judge_spawn(&order, policies);
		return 0;
	}
	must(order.kind == ORDER_CLOCK || order.kind == ORDER_KILL);
	must(order.run > 0 && order.run <= bounds.last_run);
	return 0;
}
