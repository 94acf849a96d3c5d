/* SPDX-License-Identifier: MIT */
/*
 * SystemCallFilter=: which system calls a policy takes away from the programs of
 * `quod exec`. It can only take away: what their filter does not let through
 * (policy/syscalls.c), no policy lets through.
 */
#ifndef QUOD_CALLS_H
#define QUOD_CALLS_H

#include <linux/filter.h>

#include "base/text.h"
#include "policy/policy.h"

struct value_fault;

/*
 * One line of it: names that stay, or, behind a ~, names that go. The first line says
 * what becomes of those that are not named; later ones add and take away. An empty line
 * begins again. Errors: -EINVAL with *fault filled.
 */
int calls_set(struct policy_calls *calls, const char *value, struct value_fault *fault);

/* Is this name, of a line that has been taken, one of a call that is refused anyway? */
bool calls_are_without(const char *name, size_t len);

/* The lines that give the same, the first of them empty. */
void calls_write(const struct policy_calls *calls, struct text *to);

/* A call that was named to stay, and is let through only where there may be several
 * processes; NULL: there is none. Static. */
const char *calls_for_tasks(const struct policy_calls *calls);

/*
 * The filter that answers ENOSYS to what was taken away and leaves all else, other ABIs
 * too, to the filters beside it. Returns its length, 0 if nothing was taken away.
 */
#define CALLS_FILTER_MOST (POLICY_CALLS_MOST + 5)
unsigned calls_filter(const struct policy_calls *calls,
		      struct sock_filter code[CALLS_FILTER_MOST]);

#endif
