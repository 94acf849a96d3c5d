/* SPDX-License-Identifier: MIT */
/*
 * tree-sitter, as the gate has it: its memory is the run's, and its grammar is
 * JavaScript.
 */
#ifndef QUOD_JS_GATE_TREE_H
#define QUOD_JS_GATE_TREE_H

#include <tree_sitter/api.h>

#include "rootfs/gate.h"

/* Whose memory tree-sitter takes from now on. It lives as long as any tree of it. */
void gate_tree_use(const struct gate_memory *memory);

void *gate_tree_malloc(size_t size);
void *gate_tree_calloc(size_t count, size_t size);
void *gate_tree_realloc(void *at, size_t size);
void gate_tree_free(void *at);

const TSLanguage *tree_sitter_javascript(void);

/* What a parser has done: steps and requests for memory. */
struct gate_tree_budget {
	uint64_t left;
	size_t spent; /* 1: nothing is left */
};

static inline void gate_tree_spend(struct gate_tree_budget *budget, uint64_t steps)
{
	if (budget->left > steps) {
		budget->left -= steps;
	} else {
		budget->left = 0;
		budget->spent = 1;
	}
}

/* From here on requests for memory are counted there; NULL: nowhere. */
void gate_tree_count(struct gate_tree_budget *budget);

#endif
