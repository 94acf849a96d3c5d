/* SPDX-License-Identifier: MIT */
/*
 * tree-sitter's library, compiled as a part of this file: so its memory is the run's, and
 * what it has for debugging (graphs, logs, a clock) is nothing. That needs files, formats
 * and system calls that the jail has not.
 *
 * Its allocators never fail: without memory the run ends. An assertion that does not hold
 * ends it too, by a trap: abort() would need system calls.
 */
#include "rootfs/gate_tree.h"

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#define REQUEST_STEPS 8u

static struct gate_memory gate_tree_memory;
static struct gate_tree_budget *gate_tree_counted;

static inline void *gate_tree_must(void *at)
{
	if (!at)
		gate_tree_memory.exhausted();
	return at;
}

void gate_tree_use(const struct gate_memory *memory)
{
	gate_tree_memory = *memory;
	gate_tree_counted = NULL;
}

void gate_tree_count(struct gate_tree_budget *budget)
{
	gate_tree_counted = budget;
}

void *gate_tree_malloc(size_t size)
{
	if (gate_tree_counted)
		gate_tree_spend(gate_tree_counted, REQUEST_STEPS);
	return gate_tree_must(
		gate_tree_memory.take(gate_tree_memory.heap, size ? size : 1));
}

void *gate_tree_calloc(size_t count, size_t size)
{
	size_t bytes;
	void *at;

	if (__builtin_mul_overflow(count, size, &bytes))
		gate_tree_memory.exhausted();
	at = gate_tree_malloc(bytes);
	return memset(at, 0, bytes);
}

void *gate_tree_realloc(void *at, size_t size)
{
	if (!at)
		return gate_tree_malloc(size);
	return gate_tree_must(
		gate_tree_memory.resize(gate_tree_memory.heap, at, size ? size : 1));
}

void gate_tree_free(void *at)
{
	if (at)
		gate_tree_memory.give_back(gate_tree_memory.heap, at);
}

/* What the two libcs call the type of a line. */
#ifdef __GLIBC__
typedef unsigned int gate_tree_line;
#else
typedef int gate_tree_line;
#endif

_Noreturn void gate_tree_broken(const char *what, const char *file, gate_tree_line line,
				const char *function);
_Noreturn void gate_tree_broken(const char *what, const char *file, gate_tree_line line,
				const char *function)
{
	(void)what, (void)file, (void)line, (void)function;
	__builtin_trap();
}

static inline int gate_tree_nothing(void)
{
	return 0;
}

#define ts_malloc  gate_tree_malloc
#define ts_calloc  gate_tree_calloc
#define ts_realloc gate_tree_realloc
#define ts_free	   gate_tree_free
#define TS_PUBLIC
#define __assert_fail(...) gate_tree_broken(__VA_ARGS__)
#define fdopen(...)	   NULL
#define fclose(...)	   gate_tree_nothing()
#define fprintf(...)	   gate_tree_nothing()
#define fputs(...)	   gate_tree_nothing()
#define snprintf(...)	   gate_tree_nothing()
#define sprintf(...)	   gate_tree_nothing()
#define vsnprintf(...)	   gate_tree_nothing()
#define clock_gettime(...) gate_tree_nothing()
#define dup(...)	   (-1)

/* Its lib.c without queries and without allocators that end in libc. */
#include "src/get_changed_ranges.c"
#include "src/language.c"
#include "src/lexer.c"
#include "src/node.c"
#include "src/parser.c"
#include "src/stack.c"
#include "src/subtree.c"
#include "src/tree_cursor.c"
#include "src/tree.c"
#include "src/wasm_store.c"
