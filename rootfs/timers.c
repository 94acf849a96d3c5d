/* SPDX-License-Identifier: MIT */
/*
 * Timers. What is to be called lies in the engine's heap, under its id, where the
 * collector sees it; when it is due lies in a binary heap of plain numbers next to it.
 * Clearing a timer takes away what would be called; its due time is found dead later. So
 * timers cost memory of the script, and nothing else bounds their number.
 */
#include "rootfs/timers.h"

#include <math.h>

#include "rootfs/machine.h"
#include "rootfs/run.h"

#define DELAY_MOST_MS 2147483647.0
#define DEAD_MOST     64u

struct timer {
	double due_ms, interval_ms; /* interval 0: once */
	uint32_t id;
	uint64_t order; /* of timers due at the same time */
};

static struct {
	const struct timer_calls *calls;
	struct timer *heap;
	uint32_t count, room, dead, last_id;
	uint64_t order;
} timers;

static bool is_before(const struct timer *a, const struct timer *b)
{
	return a->due_ms != b->due_ms ? a->due_ms < b->due_ms : a->order < b->order;
}

static void swap(uint32_t a, uint32_t b)
{
	struct timer t = timers.heap[a];

	timers.heap[a] = timers.heap[b];
	timers.heap[b] = t;
}

static void sift_up(uint32_t i)
{
	while (i && is_before(&timers.heap[i], &timers.heap[(i - 1) / 2])) {
		swap(i, (i - 1) / 2);
		i = (i - 1) / 2;
	}
}

static void sift_down(uint32_t i)
{
	for (;;) {
		uint32_t first = i, child = 2 * i + 1;

		for (uint32_t c = child; c < child + 2 && c < timers.count; c++)
			if (is_before(&timers.heap[c], &timers.heap[first]))
				first = c;
		if (first == i)
			return;
		swap(i, first);
		i = first;
	}
}

static void insert(const struct timer *timer)
{
	if (timers.count == timers.room) {
		uint32_t room = timers.room ? 2 * timers.room : 16;

		timers.heap =
			timers.calls->resize(timers.heap, room * sizeof(*timers.heap));
		timers.room = room;
	}
	timers.heap[timers.count] = *timer;
	timers.heap[timers.count].order = timers.order++;
	sift_up(timers.count++);
}

static struct timer take_first(void)
{
	struct timer first = timers.heap[0];

	timers.heap[0] = timers.heap[--timers.count];
	sift_down(0);
	return first;
}

/* Drops due times of cleared timers once they are the larger part. */
static void sweep(void)
{
	uint32_t kept = 0;

	if (timers.dead < DEAD_MOST || timers.dead < timers.count / 2)
		return;
	for (uint32_t i = 0; i < timers.count; i++)
		if (timers.calls->is_alive(timers.heap[i].id))
			timers.heap[kept++] = timers.heap[i];
	timers.count = kept;
	timers.dead = 0;
	for (uint32_t i = kept / 2; i-- > 0;)
		sift_down(i);
}

void timers_use(const struct timer_calls *calls)
{
	timers.calls = calls;
}

uint32_t timers_set(double delay_ms, bool repeats)
{
	struct timer timer = {.id = ++timers.last_id};

	delay_ms = delay_ms >= 1 && delay_ms <= DELAY_MOST_MS ? floor(delay_ms) : 1;
	timer.due_ms = hook_monotonic_ms() + delay_ms;
	timer.interval_ms = repeats ? delay_ms : 0;
	insert(&timer);
	return timer.id;
}

void timers_clear(uint32_t id)
{
	if (!timers.calls->is_alive(id))
		return;
	timers.calls->forget(id);
	timers.dead++;
	sweep();
}

static bool fire(struct timer *timer)
{
	if (!timers.calls->is_alive(timer->id)) {
		timers.dead -= timers.dead > 0;
		return true;
	}
	run_code_follows();
	machine_wait_until(timer->due_ms);
	if (!timers.calls->call(timer->id, timer->interval_ms > 0))
		return false;
	if (timer->interval_ms > 0 && timers.calls->is_alive(timer->id)) {
		timer->due_ms = hook_monotonic_ms() + timer->interval_ms;
		insert(timer);
	}
	return timers.calls->run_tasks();
}

bool timers_run(bool (*is_enough)(void))
{
	if (!timers.calls->run_tasks())
		return false;
	while (timers.count && !(is_enough && is_enough())) {
		struct timer first = take_first();

		if (!fire(&first))
			return false;
	}
	return true;
}
