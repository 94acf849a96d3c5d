/* SPDX-License-Identifier: MIT */
/*
 * Memory for the gate that is counted: how much there was at most, what is left, and a
 * refusal at the n-th time. After a refusal everything is taken back at once.
 */
#ifndef QUOD_TESTS_GATE_HEAP_H
#define QUOD_TESTS_GATE_HEAP_H

#include <setjmp.h>
#include <stddef.h>

#include "rootfs/gate.h"

struct heap_block;

struct heap {
	struct heap_block *blocks;
	size_t used, peak;
	unsigned long calls;
	unsigned long refuse_at; /* 0: never */
	size_t most;		 /* bytes; 0: no limit */
};

/* exhausted() jumps here. */
extern jmp_buf heap_exhausted;

struct gate_memory heap_memory(struct heap *heap);
void heap_clear(struct heap *heap);

#endif
