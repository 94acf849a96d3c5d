/* SPDX-License-Identifier: MIT */
/*
 * The guest's heap: an allocator inside one reserved range of addresses.
 *
 * What a script has taken is the distance from the start of the range to the end of the
 * highest block that ever lived, headers, rounding and holes included: never more pages
 * than that can be touched. The cap is on the same number, so the memory limit means
 * what the kernel would count. All state lies in the range itself.
 */
#ifndef QUOD_JS_HEAP_H
#define QUOD_JS_HEAP_H

#include <stddef.h>

struct heap;

/* Bytes that building the smallest heap takes for its own tables. */
size_t heap_overhead(void);

/* The range is the heap's from here on; it must be zero, aligned to 16 bytes and larger
 * than heap_overhead(). The cap is all of it. */
struct heap *heap_init(void *range, size_t bytes);

/* Cap in bytes of the range. 0 or -ENOMEM: more than that is already taken. */
int heap_set_cap(struct heap *heap, size_t bytes);

/* NULL: refused. Alignment 8. heap_free() and heap_resize() take NULL. */
void *heap_take(struct heap *heap, size_t size);
void *heap_resize(struct heap *heap, void *at, size_t size);
void heap_free(struct heap *heap, void *at);

/* Most bytes that were ever taken. */
size_t heap_peak(const struct heap *heap);

/* Behind those, aligned as a range has to be: of zero bytes there, where the heap's own
 * range was of zero bytes. */
void *heap_beyond(const struct heap *heap);

#endif
