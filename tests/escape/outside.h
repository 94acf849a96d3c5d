/* SPDX-License-Identifier: MIT */
/* Looks at a jail from outside, through /proc: what its guest has in hand. */
#ifndef QUOD_TESTS_OUTSIDE_H
#define QUOD_TESTS_OUTSIDE_H

#include <stdbool.h>
#include <stddef.h>

/* The text of /proc/PID/NAME; false if it cannot be read. */
bool proc_text(long pid, const char *name, char *to, size_t size);
/* The value of a "Key:" in /proc/PID/status, without the space before it. Static. */
const char *proc_status(long pid, const char *key);

/* 0, 1, 2 alone, and pipes: read from the first, written to the others. */
void outside_descriptors(const char *what, long pid);
/* No terminal that it could type at. */
void outside_terminal(const char *what, long pid);
/* Every mount read-only, nosuid, nodev, noexec; the root empty. */
void outside_mounts(const char *what, long pid);
/* No memory shared with anybody, no file that is mapped to be written. */
void outside_memory(const char *what, long pid);
/* The kernel would not dump it, nor let others of its uid look into it. */
void outside_undumpable(const char *what, long pid);
/* No capability in any of the five sets. */
void outside_capabilities(const char *what, long pid);

#endif
