/* SPDX-License-Identifier: MIT */
/*
 * What our caller left open is closed by ranges of numbers: the kernel walks its own
 * table, and neither how many there are nor how high they lie makes a difference.
 */
#include <errno.h>
#include <limits.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "jail/internal.h"

/* The lowest of ours that is not below `from`; INT_MAX: none. */
static int next_of(const int *ours, size_t count, int from)
{
	int next = INT_MAX;

	for (size_t i = 0; i < count; i++)
		if (ours[i] >= from && ours[i] < next)
			next = ours[i];
	return next;
}

JAIL_API int jail_close_inherited(const int *ours, size_t count, struct jail_error *err)
{
	int from = STDERR_FILENO + 1;

	for (;;) {
		int next = next_of(ours, count, from);
		unsigned last = next == INT_MAX ? UINT_MAX : (unsigned)next - 1;

		if (next > from && syscall(SYS_close_range, from, last, 0) < 0)
			return jail_fail(err, JAIL_STAGE_FDS, errno, "close_range");
		if (next == INT_MAX)
			return 0;
		from = next + 1;
	}
}
