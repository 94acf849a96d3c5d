/* SPDX-License-Identifier: MIT */
/*
 * The reader of orders. One check after the other, the cheap and general ones first; no
 * state, no allocation, no loop but over tables.
 */
#include "daemon/orders.h"

#include <limits.h>
#include <string.h>

_Static_assert(sizeof(struct order) == 2 * 4 + 8 + 4 * 4 + ORDER_ID_ROOM + 8 * LIMIT_IDS,
	       "an order has no hole that could carry anything");
_Static_assert(sizeof(struct ending) <= PIPE_BUF, "an ending is written at once");
_Static_assert(ORDER_ID_ROOM > RUNID_LEN, "an id fits");

const char *const order_fault_texts[ORDER_FAULTS_COUNT] = {
#define X(id, text) [ORDER_FAULT_##id] = text,
	ORDER_FAULTS(X)
#undef X
};

static bool is_zero(const void *bytes, size_t len)
{
	const unsigned char *at = bytes;
	unsigned char any = 0;

	for (size_t i = 0; i < len; i++)
		any |= at[i];
	return any == 0;
}

/* It names a directory of the cgroup tree, so that no other byte may be in it. */
static bool is_id(const char id[ORDER_ID_ROOM])
{
	static const char digits[] = "0123456789ABCDEFGHJKMNPQRSTVWXYZ";

	for (unsigned i = 0; i < RUNID_LEN; i++)
		if (!id[i] || !strchr(digits, id[i]))
			return false;
	return is_zero(id + RUNID_LEN, ORDER_ID_ROOM - RUNID_LEN);
}

static bool limits_fit(const struct order *order, const struct limits *policy)
{
	for (int i = 0; i < LIMIT_IDS; i++)
		if (order->limit[i] < limit_infos[i].least ||
		    order->limit[i] > policy->value[i])
			return false;
	return true;
}

/* NULL: it does not count. */
static const struct roster *roster_of(const struct order *order,
				      const struct order_bounds *bounds)
{
	if (order->generation == bounds->now->generation)
		return bounds->now;
	return bounds->before && order->generation == bounds->before->generation
		       ? bounds->before
		       : NULL;
}

static enum order_fault check_spawn(const struct order *order,
				    const struct order_bounds *bounds)
{
	const struct roster *roster = roster_of(order, bounds);

	if (order->run <= bounds->last_run)
		return ORDER_FAULT_RUN;
	if (order->unused)
		return ORDER_FAULT_EXCESS;
	if (!roster)
		return ORDER_FAULT_GENERATION;
	if (order->tenant >= roster->tenants_count)
		return ORDER_FAULT_TENANT;
	if (order->policy >= roster->policies_count ||
	    !(roster->tenants[order->tenant].policies >> order->policy & 1))
		return ORDER_FAULT_POLICY;
	if (!is_id(order->id))
		return ORDER_FAULT_ID;
	if (!limits_fit(order, &roster->policies[order->policy]->limits))
		return ORDER_FAULT_LIMIT;
	return ORDER_FAULT_NONE;
}

static bool names_nothing(const struct order *order)
{
	return !order->policy && !order->tenant && !order->unused &&
	       is_zero(order->id, sizeof(order->id));
}

static bool says_no_more(const struct order *order)
{
	return names_nothing(order) && is_zero(order->limit, sizeof(order->limit));
}

/* The run may be over: both sides were on their way. */
static enum order_fault check_about_run(const struct order *order,
					const struct order_bounds *bounds)
{
	if (order->run == 0 || order->run > bounds->last_run)
		return ORDER_FAULT_RUN;
	return order->generation || !names_nothing(order) ? ORDER_FAULT_EXCESS
							  : ORDER_FAULT_NONE;
}

static enum order_fault check_kill(const struct order *order,
				   const struct order_bounds *bounds)
{
	enum order_fault fault = check_about_run(order, bounds);

	return fault == ORDER_FAULT_NONE && !says_no_more(order) ? ORDER_FAULT_EXCESS
								 : fault;
}

/* What a clock can measure. */
static bool is_of_clock(int limit)
{
	return limit == LIMIT_ID_wall_ms || limit == LIMIT_ID_cpu_ms;
}

static enum order_fault check_clock(const struct order *order,
				    const struct order_bounds *bounds)
{
	enum order_fault fault = check_about_run(order, bounds);

	for (int i = 0; fault == ORDER_FAULT_NONE && i < LIMIT_IDS; i++) {
		if (!is_of_clock(i) && order->limit[i])
			fault = ORDER_FAULT_EXCESS;
		else if (is_of_clock(i) && (order->limit[i] < limit_infos[i].least ||
					    order->limit[i] > limit_infos[i].most))
			fault = ORDER_FAULT_LIMIT;
	}
	return fault;
}

bool order_lowers(const struct order *clock, const struct limits *run)
{
	for (int i = 0; i < LIMIT_IDS; i++)
		if (is_of_clock(i) && clock->limit[i] > run->value[i])
			return false;
	return true;
}

/* Once for each that it was given. */
static enum order_fault check_adopt(const struct order *order,
				    const struct order_bounds *bounds)
{
	if (!bounds->before || order->generation != bounds->now->generation)
		return ORDER_FAULT_GENERATION;
	return order->run || !says_no_more(order) ? ORDER_FAULT_EXCESS : ORDER_FAULT_NONE;
}

/* One for the start and one for each ping, in their order. */
static enum order_fault check_alive(const struct order *order,
				    const struct order_bounds *bounds)
{
	if (order->run != bounds->alives || order->run > bounds->pings)
		return ORDER_FAULT_ALIVE;
	return order->generation || !says_no_more(order) ? ORDER_FAULT_EXCESS
							 : ORDER_FAULT_NONE;
}

static enum order_fault check_kind(const struct order *order,
				   const struct order_bounds *bounds)
{
	switch (order->kind) {
	case ORDER_SPAWN:
	case ORDER_WARM:
		return check_spawn(order, bounds);
	case ORDER_CLOCK:
		return check_clock(order, bounds);
	case ORDER_KILL:
		return check_kill(order, bounds);
	case ORDER_ADOPT:
		return check_adopt(order, bounds);
	case ORDER_ALIVE:
		return check_alive(order, bounds);
	default:
		return ORDER_FAULT_KIND;
	}
}

enum order_fault order_check(const void *bytes, size_t len,
			     const struct order_bounds *bounds, struct order *ret_order)
{
	enum order_fault fault;
	struct order order;

	if (len != sizeof(order))
		return ORDER_FAULT_SIZE;
	memcpy(&order, bytes, sizeof(order));
	if (order.version != ORDERS_VERSION)
		return ORDER_FAULT_VERSION;
	fault = check_kind(&order, bounds);
	if (fault == ORDER_FAULT_NONE)
		*ret_order = order;
	return fault;
}

bool answer_is_valid(const struct answer *answer, unsigned fds)
{
	if (answer->version != ORDERS_VERSION ||
	    memchr(answer->error.text, 0, sizeof(answer->error.text)) == NULL)
		return false;
	switch (answer->kind) {
	case ANSWER_HELD:
		return fds == ANSWER_FDS && answer->memory_by <= JAIL_BY_FILTER &&
		       answer->cpu_by <= JAIL_BY_FILTER &&
		       answer->processes_by <= JAIL_BY_FILTER;
	case ANSWER_FAILED:
		return fds == 0 && answer->error.errnum > 0;
	case ANSWER_STOP:
	case ANSWER_PING:
	case ANSWER_STATE:
		return fds == 0;
	case ANSWER_ROSTER:
	case ANSWER_FINDINGS:
		return fds == 1;
	default:
		return false;
	}
}

void ending_encode(const struct jail_result *result, struct ending *to)
{
	to->end = result->end;
	to->exit_code = (uint32_t)result->exit_code;
	to->signal = (uint32_t)result->signal;
	to->cgroup_used = result->cgroup_used;
	to->memory_limit_hit = result->memory_limit_hit;
	to->oom_killed = result->oom_killed;
	to->oom_in_group = result->oom_in_group;
	to->pids_peak = result->pids_peak;
	to->cpu_us = result->cpu_us;
	to->memory_peak_bytes = result->memory_peak_bytes;
}

bool ending_decode(const struct ending *ending, struct jail_result *ret_result)
{
	if (ending->version != ORDERS_VERSION || ending->killed >= KILL_REASONS_COUNT ||
	    ending->end > JAIL_SIGNALED || ending->exit_code > 255 ||
	    ending->signal > 64 ||
	    memchr(ending->error.text, 0, sizeof(ending->error.text)) == NULL)
		return false;
	*ret_result = (struct jail_result){
		.end = (enum jail_end)ending->end,
		.exit_code = (int)ending->exit_code,
		.signal = (int)ending->signal,
		.cgroup_used = ending->cgroup_used,
		.memory_limit_hit = ending->memory_limit_hit,
		.oom_killed = ending->oom_killed,
		.oom_in_group = ending->oom_in_group,
		.pids_peak = ending->pids_peak,
		.cpu_us = ending->cpu_us,
		.memory_peak_bytes = ending->memory_peak_bytes,
	};
	return true;
}
