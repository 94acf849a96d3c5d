/* SPDX-License-Identifier: MIT */
/*
 * The guest's allocator against a model: every block keeps its bytes, blocks never
 * overlap, everything freed is one piece again. TAP. The numbers are pseudo-random from a
 * fixed start, so a failure comes back.
 */
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "rootfs/heap.h"

#define RANGE_BYTES ((size_t)4 << 20)
#define BLOCKS	    1000
#define ROUNDS	    200000

struct model {
	unsigned char *at;
	size_t size;
};

static struct model model[BLOCKS];
static unsigned number, failures;
static uint32_t chance_state = 1;

static void say(bool good, const char *what)
{
	printf("%s %u - %s\n", good ? "ok" : "not ok", ++number, what);
	failures += !good;
}

static uint32_t chance(uint32_t below)
{
	chance_state = chance_state * 1664525u + 1013904223u;
	return (chance_state >> 8) % below;
}

static size_t some_size(void)
{
	return chance(20) ? 1 + chance(300) : 1 + chance(60000);
}

static unsigned char mark(size_t i, size_t byte)
{
	return (unsigned char)(i * 7 + byte);
}

static void fill(size_t i)
{
	for (size_t byte = 0; byte < model[i].size; byte++)
		model[i].at[byte] = mark(i, byte);
}

static bool holds(size_t i, size_t size)
{
	for (size_t byte = 0; byte < size; byte++)
		if (model[i].at[byte] != mark(i, byte))
			return false;
	return (uintptr_t)model[i].at % 8 == 0;
}

static bool step_resize(struct heap *heap, size_t i)
{
	size_t size = some_size(), kept = size < model[i].size ? size : model[i].size;
	void *at = heap_resize(heap, model[i].at, size);

	if (!at)
		return true;
	model[i].at = at;
	model[i].size = size;
	if (!holds(i, kept))
		return false;
	fill(i);
	return true;
}

static bool step(struct heap *heap)
{
	size_t i = chance(BLOCKS);

	if (!model[i].at) {
		model[i].size = some_size();
		model[i].at = heap_take(heap, model[i].size);
		if (model[i].at)
			fill(i);
		return true;
	}
	if (!holds(i, model[i].size))
		return false;
	if (chance(2))
		return step_resize(heap, i);
	heap_free(heap, model[i].at);
	model[i].at = NULL;
	return true;
}

static void test_random(struct heap *heap)
{
	bool good = true;

	for (unsigned round = 0; good && round < ROUNDS; round++)
		good = step(heap);
	say(good, "blocks keep what was written to them");
	say(heap_peak(heap) <= RANGE_BYTES, "the peak stays inside of the range");
	for (size_t i = 0; i < BLOCKS; i++)
		heap_free(heap, model[i].at);
}

static void test_whole(struct heap *heap)
{
	void *all = heap_take(heap, RANGE_BYTES - heap_overhead() - 64);

	say(all, "what was freed is one piece again");
	heap_free(heap, all);
}

static void test_refusals(struct heap *heap)
{
	void *kept = heap_take(heap, 1000);

	say(!heap_take(heap, RANGE_BYTES), "more than the range is refused");
	say(!heap_take(heap, SIZE_MAX), "the largest size is refused");
	say(!heap_resize(heap, kept, SIZE_MAX - 8),
	    "growing to the largest size is refused");
	say(!heap_set_cap(heap, RANGE_BYTES / 2), "a cap above what is taken");
	say(!heap_take(heap, RANGE_BYTES / 2), "the cap holds");
	say(heap_set_cap(heap, 16), "a cap below what is taken is refused");
	heap_free(heap, kept);
	heap_free(heap, NULL);
}

/* A string that is built piece by piece: the block on top grows where it is. */
static void test_growth(struct heap *heap)
{
	char *at = heap_take(heap, 10), *first = at;

	for (size_t size = 20; at && size < 1000000; size += 1000)
		at = heap_resize(heap, at, size);
	say(at == first, "the block on top grows in place");
	heap_free(heap, at);
}

int main(void)
{
	void *range = aligned_alloc(4096, RANGE_BYTES);
	struct heap *heap;

	if (!range)
		return 1;
	memset(range, 0, RANGE_BYTES);
	heap = heap_init(range, RANGE_BYTES);
	test_random(heap);
	test_whole(heap);
	test_growth(heap);
	test_refusals(heap);
	free(range);
	printf("1..%u\n", number);
	return failures > 0;
}
