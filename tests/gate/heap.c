/* SPDX-License-Identifier: MIT */
/* Blocks in a ring of two directions, so that each can be taken back by itself or all. */
#include "tests/gate/heap.h"

#include <stdint.h>
#include <stdlib.h>

struct heap_block {
	struct heap_block *prev, *next;
	size_t size;
	max_align_t bytes[];
};

jmp_buf heap_exhausted;

static bool refuses(struct heap *heap, size_t size)
{
	heap->calls++;
	return heap->calls == heap->refuse_at ||
	       (heap->most && size > heap->most - heap->used);
}

static void link_block(struct heap *heap, struct heap_block *block, size_t size)
{
	block->size = size;
	block->prev = NULL;
	block->next = heap->blocks;
	if (block->next)
		block->next->prev = block;
	heap->blocks = block;
	heap->used += size;
	if (heap->used > heap->peak)
		heap->peak = heap->used;
}

static void unlink_block(struct heap *heap, struct heap_block *block)
{
	if (block->prev)
		block->prev->next = block->next;
	else
		heap->blocks = block->next;
	if (block->next)
		block->next->prev = block->prev;
	heap->used -= block->size;
}

static void *take(void *context, size_t size)
{
	struct heap *heap = context;
	struct heap_block *block;

	if (refuses(heap, size))
		return NULL;
	block = malloc(sizeof(*block) + size);
	if (!block)
		return NULL;
	link_block(heap, block, size);
	return block->bytes;
}

static struct heap_block *block_of(void *at)
{
	return (struct heap_block *)((char *)at - offsetof(struct heap_block, bytes));
}

static void *resize(void *context, void *at, size_t size)
{
	struct heap *heap = context;
	struct heap_block *block = block_of(at), *moved;

	if (refuses(heap, size))
		return NULL;
	unlink_block(heap, block);
	moved = realloc(block, sizeof(*block) + size);
	if (!moved) {
		link_block(heap, block, block->size);
		return NULL;
	}
	link_block(heap, moved, size);
	return moved->bytes;
}

static void give_back(void *context, void *at)
{
	struct heap_block *block = block_of(at);

	unlink_block(context, block);
	free(block);
}

static void exhausted(void)
{
	longjmp(heap_exhausted, 1);
}

struct gate_memory heap_memory(struct heap *heap)
{
	return (struct gate_memory){take, resize, give_back, heap, exhausted};
}

void heap_clear(struct heap *heap)
{
	while (heap->blocks)
		give_back(heap, heap->blocks->bytes);
}
