/* SPDX-License-Identifier: MIT */
/*
 * What a run may leave on the host, in a corner of the host where only our own runs are:
 * a cgroup of our own, and in root mode a lease directory of our own.
 */
#ifndef QUOD_TESTS_HOST_H
#define QUOD_TESTS_HOST_H

#include <stdbool.h>
#include <stddef.h>

/* Moves us there. Who may make no cgroup has no leaves either: neither may quod. */
void host_enter(void);

/* Undoes what outlives us. */
void host_leave(void);

/* True: no leaf, no lease, no mount more than at host_enter(). Else the text says what
 * there is. */
bool host_is_clean(char *to, size_t size);

/* No cgroup can be made below ours, or it can again. False: there is none of ours. */
bool host_forbid_cgroups(bool forbid);

/* Is this the name of a run's leaf: 26 characters of an id, and perhaps a suffix? */
bool host_is_leaf(const char *name, size_t len);

/* Does quod have a cgroup to make leaves in? In root mode, are leases looked at? */
bool host_has_cgroup(void);
bool host_has_leases(void);

#endif
