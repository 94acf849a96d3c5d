/* SPDX-License-Identifier: MIT */
/*
 * Two-level segregated fit: free blocks hang in lists by size class, two bitmaps find the
 * first list that fits, neighbours that are free are joined at once. Every operation is
 * O(1), and a large block is whole again as soon as its parts are free, which strings that
 * are built piece by piece need.
 *
 *	block   word: size | BLOCK_FREE | BLOCK_PREV_FREE, then the user's bytes
 *	free    word, next, prev, ..., size again in its last 8 bytes (for the block after)
 *	top     what lies above the last block; never in a list, only moved
 *
 * No free block ever borders on another one or on top.
 */
#include <errno.h>
#include <stdbool.h>
#include <stdint.h>
#include <string.h>

#include "rootfs/heap.h"

#define GRAIN	   8u
#define BLOCK_MIN  32u /* word, two links, size again */
#define LINEAR_MAX 256u
#define SECOND	   32u
#define FIRST	   28u

#define BLOCK_FREE	1u
#define BLOCK_PREV_FREE 2u
#define BLOCK_FLAGS	3u

/* A size that no range can have: keeps the arithmetic on sizes free of overflow. */
#define SIZE_ABSURD ((size_t)1 << 33)

struct block {
	size_t word;
	struct block *next, *prev; /* only while free */
};

struct heap {
	unsigned char *start, *top, *end;
	unsigned char *peak;
	uint64_t first_map;
	uint32_t second_map[FIRST];
	struct block *lists[FIRST][SECOND];
};

static size_t block_size(const struct block *b)
{
	return b->word & ~(size_t)BLOCK_FLAGS;
}

static struct block *block_after(struct block *b)
{
	return (struct block *)((unsigned char *)b + block_size(b));
}

static struct block *block_of(void *user)
{
	return (struct block *)((unsigned char *)user - sizeof(size_t));
}

static void *block_user(struct block *b)
{
	return (unsigned char *)b + sizeof(size_t);
}

static size_t *block_tail(struct block *b)
{
	return (size_t *)((unsigned char *)b + block_size(b) - sizeof(size_t));
}

static struct block *block_before(struct block *b)
{
	size_t size = *(size_t *)((unsigned char *)b - sizeof(size_t));

	return (struct block *)((unsigned char *)b - size);
}

static bool is_top(const struct heap *heap, const struct block *b)
{
	return (const unsigned char *)b == heap->top;
}

static unsigned top_bit(size_t size)
{
	return 63u - (unsigned)__builtin_clzll(size);
}

static void class_of(size_t size, unsigned *ret_first, unsigned *ret_second)
{
	if (size < LINEAR_MAX) {
		*ret_first = 0;
		*ret_second = (unsigned)(size / GRAIN);
		return;
	}
	*ret_first = top_bit(size) - 7;
	*ret_second = (unsigned)(size >> (top_bit(size) - 5)) & (SECOND - 1);
}

static void list_add(struct heap *heap, struct block *b)
{
	unsigned first, second;
	struct block **head;

	class_of(block_size(b), &first, &second);
	head = &heap->lists[first][second];
	b->prev = NULL;
	b->next = *head;
	if (*head)
		(*head)->prev = b;
	*head = b;
	heap->second_map[first] |= (uint32_t)1 << second;
	heap->first_map |= (uint64_t)1 << first;
}

static void list_remove(struct heap *heap, struct block *b)
{
	unsigned first, second;

	if (b->next)
		b->next->prev = b->prev;
	if (b->prev) {
		b->prev->next = b->next;
		return;
	}
	class_of(block_size(b), &first, &second);
	heap->lists[first][second] = b->next;
	if (b->next)
		return;
	heap->second_map[first] &= ~((uint32_t)1 << second);
	if (!heap->second_map[first])
		heap->first_map &= ~((uint64_t)1 << first);
}

/* The first block of a class whose every member is large enough. */
static struct block *list_find(struct heap *heap, size_t size)
{
	unsigned first, second;
	uint64_t firsts;
	uint32_t seconds;

	if (size >= LINEAR_MAX)
		size += ((size_t)1 << (top_bit(size) - 5)) - 1;
	class_of(size, &first, &second);
	if (first >= FIRST)
		return NULL;
	seconds = heap->second_map[first] & (~(uint32_t)0 << second);
	if (!seconds) {
		firsts = heap->first_map & (~(uint64_t)0 << first << 1);
		if (!firsts)
			return NULL;
		first = (unsigned)__builtin_ctzll(firsts);
		seconds = heap->second_map[first];
	}
	return heap->lists[first][__builtin_ctz(seconds)];
}

/* Makes [b, b + size) a free block in its list, or part of top. b borders on no other
 * free block. */
static void release(struct heap *heap, struct block *b, size_t size)
{
	struct block *after = (struct block *)((unsigned char *)b + size);

	if (is_top(heap, after)) {
		heap->top = (unsigned char *)b;
		return;
	}
	b->word = size | BLOCK_FREE;
	*block_tail(b) = size;
	after->word |= BLOCK_PREV_FREE;
	list_add(heap, b);
}

/* Joins the free block above b, if there is one, to b, which is taken. */
static void absorb(struct heap *heap, struct block *b)
{
	struct block *after = block_after(b);

	if (is_top(heap, after) || !(after->word & BLOCK_FREE))
		return;
	list_remove(heap, after);
	b->word += block_size(after);
	block_after(b)->word &= ~(size_t)BLOCK_PREV_FREE;
}

/* Cuts a taken block down to size and gives back the rest, where it makes a block. */
static void trim(struct heap *heap, struct block *b, size_t size)
{
	size_t rest;

	absorb(heap, b);
	rest = block_size(b) - size;
	if (!rest || (rest < BLOCK_MIN && !is_top(heap, block_after(b))))
		return;
	b->word -= rest;
	release(heap, block_after(b), rest);
}

static bool top_grow(struct heap *heap, size_t by)
{
	if (by > (size_t)(heap->end - heap->top))
		return false;
	heap->top += by;
	if (heap->top > heap->peak)
		heap->peak = heap->top;
	return true;
}

static struct block *take_from_top(struct heap *heap, size_t size)
{
	struct block *b = (struct block *)heap->top;

	if (!top_grow(heap, size))
		return NULL;
	b->word = size;
	return b;
}

static struct block *take_from_list(struct heap *heap, size_t size)
{
	struct block *b = list_find(heap, size);

	if (!b)
		return NULL;
	list_remove(heap, b);
	b->word &= ~(size_t)BLOCK_FREE;
	block_after(b)->word &= ~(size_t)BLOCK_PREV_FREE;
	if (block_size(b) - size >= BLOCK_MIN)
		trim(heap, b, size);
	return b;
}

static size_t size_for(size_t user)
{
	size_t size = (user + sizeof(size_t) + GRAIN - 1) & ~(size_t)(GRAIN - 1);

	return size < BLOCK_MIN ? BLOCK_MIN : size;
}

void *heap_take(struct heap *heap, size_t user)
{
	struct block *b;

	if (user >= SIZE_ABSURD)
		return NULL;
	b = take_from_list(heap, size_for(user));
	if (!b)
		b = take_from_top(heap, size_for(user));
	return b ? block_user(b) : NULL;
}

void heap_free(struct heap *heap, void *at)
{
	struct block *b, *before;
	size_t size;

	if (!at)
		return;
	b = block_of(at);
	absorb(heap, b);
	size = block_size(b);
	if (b->word & BLOCK_PREV_FREE) {
		before = block_before(b);
		list_remove(heap, before);
		size += block_size(before);
		b = before;
	}
	release(heap, b, size);
}

/* Grows into a free neighbour above or into top. */
static bool grow_in_place(struct heap *heap, struct block *b, size_t size)
{
	struct block *after = block_after(b);
	size_t have = block_size(b);

	if (is_top(heap, after)) {
		if (!top_grow(heap, size - have))
			return false;
		b->word = size | (b->word & BLOCK_FLAGS);
		return true;
	}
	if (!(after->word & BLOCK_FREE) || have + block_size(after) < size)
		return false;
	trim(heap, b, size);
	return true;
}

void *heap_resize(struct heap *heap, void *at, size_t user)
{
	struct block *b;
	void *moved;

	if (!at)
		return heap_take(heap, user);
	if (user >= SIZE_ABSURD)
		return NULL;
	b = block_of(at);
	if (size_for(user) <= block_size(b)) {
		trim(heap, b, size_for(user));
		return at;
	}
	if (grow_in_place(heap, b, size_for(user)))
		return at;
	moved = heap_take(heap, user);
	if (!moved)
		return NULL;
	memcpy(moved, at, block_size(b) - sizeof(size_t));
	heap_free(heap, at);
	return moved;
}

size_t heap_overhead(void)
{
	return sizeof(struct heap);
}

struct heap *heap_init(void *range, size_t bytes)
{
	struct heap *heap = range;

	heap->start = range;
	heap->end = heap->start + (bytes & ~(size_t)15);
	heap->top = heap->start + ((sizeof(*heap) + 15) & ~(size_t)15);
	heap->peak = heap->top;
	return heap;
}

int heap_set_cap(struct heap *heap, size_t bytes)
{
	bytes &= ~(size_t)15;
	if (heap->start + bytes < heap->top)
		return -ENOMEM;
	heap->end = heap->start + bytes;
	return 0;
}

size_t heap_peak(const struct heap *heap)
{
	return (size_t)(heap->peak - heap->start);
}

void *heap_beyond(const struct heap *heap)
{
	return heap->start + ((heap_peak(heap) + 15) & ~(size_t)15);
}
