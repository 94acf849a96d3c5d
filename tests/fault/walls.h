/* SPDX-License-Identifier: MIT */
/*
 * What stands around a process, looked at from outside through /proc: one line a wall,
 * written so that two jails which are walled in alike give the same text, whatever their
 * pids, leases and ids are.
 */
#ifndef QUOD_TESTS_WALLS_H
#define QUOD_TESTS_WALLS_H

#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

/* The process must be stopped, and a descendant of ours. */
void walls_of(pid_t pid, char *to, size_t size);

/* Only what a process puts on itself: capabilities, no_new_privs, filter. */
void walls_of_own(pid_t pid, char *to, size_t size);

/* Is this line in it? */
bool walls_have(const char *walls, const char *line);

/* The first line of `got` that is not the one of `wanted`; "" if there is none. */
void walls_difference(const char *wanted, const char *got, char *to, size_t size);

#endif
