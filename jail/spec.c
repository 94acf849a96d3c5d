/* SPDX-License-Identifier: MIT */
/* Is the specification one that we can keep? Checked in one place, before anything. */
#include <errno.h>
#include <signal.h>
#include <string.h>

#include "jail/internal.h"

/* Below these nothing can start: said before starting, not as a crash after it. */
#define MEMORY_LEAST_BYTES (1024u * 1024u)
#define STACK_LEAST_BYTES  (128u * 1024u)
#define CPU_PERCENT_MOST   100000u

/* Above the guest's own, and where every caller may have a descriptor. */
#define NOTIFY_FD_LEAST 3
#define NOTIFY_FD_MOST	63

static bool id_is_plain(const char *id)
{
	size_t len = id ? strlen(id) : 0;

	/* It becomes a file name: no '.', no '/'. */
	return len >= 1 && len <= 64 &&
	       strspn(id, "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz"
			  "0123456789_-") == len;
}

static bool filters_are_two(const struct jail_spec *spec)
{
	return spec->notify_filter.filter && spec->filter.len &&
	       spec->notify_fd >= NOTIFY_FD_LEAST && spec->notify_fd <= NOTIFY_FD_MOST;
}

static int limits_check(const struct jail_limits *limits, struct jail_error *err)
{
	if (limits->memory_bytes && limits->memory_bytes < MEMORY_LEAST_BYTES)
		return jail_fail(err, JAIL_STAGE_SPEC, EINVAL,
				 "a memory limit of %llu bytes is too small to start "
				 "anything; the least is %u",
				 (unsigned long long)limits->memory_bytes,
				 MEMORY_LEAST_BYTES);
	if (limits->stack_bytes && limits->stack_bytes < STACK_LEAST_BYTES)
		return jail_fail(err, JAIL_STAGE_SPEC, EINVAL,
				 "a stack of %llu bytes is too small; the least is %u",
				 (unsigned long long)limits->stack_bytes,
				 STACK_LEAST_BYTES);
	if (limits->cpu_percent > CPU_PERCENT_MOST)
		return jail_fail(err, JAIL_STAGE_SPEC, EINVAL,
				 "a CPU share of %u percent is more than %u",
				 limits->cpu_percent, CPU_PERCENT_MOST);
	return 0;
}

int spec_check(const struct jail_spec *spec, struct jail_error *err)
{
	struct sigaction chld;

	/* The kernel would reap the jail by itself and nobody could say how it ended. */
	if (sigaction(SIGCHLD, NULL, &chld) == 0 &&
	    (chld.sa_handler == SIG_IGN || (chld.sa_flags & SA_NOCLDWAIT)))
		return jail_fail(err, JAIL_STAGE_SPEC, EINVAL,
				 "the caller ignores SIGCHLD");
	if (!id_is_plain(spec->id))
		return jail_fail(err, JAIL_STAGE_SPEC, EINVAL,
				 "a jail's id is 1 to 64 of A-Z a-z 0-9 _ -");
	if (spec->exe_fd < 0 || !spec->exe_name)
		return jail_fail(err, JAIL_STAGE_SPEC, EINVAL, "no program to run");
	if ((spec->filter.len && !spec->filter.filter) ||
	    (spec->first_filter.len && !spec->first_filter.filter))
		return jail_fail(err, JAIL_STAGE_SPEC, EINVAL, "a filter without bytes");
	if (spec->notify_filter.len && !filters_are_two(spec))
		return jail_fail(err, JAIL_STAGE_SPEC, EINVAL,
				 "a notify_filter needs bytes, a filter to fall back to "
				 "and a notify_fd of %d to %d",
				 NOTIFY_FD_LEAST, NOTIFY_FD_MOST);
	if (spec->template && spec->limits.open_files)
		return jail_fail(
			err, JAIL_STAGE_SPEC, EINVAL,
			"jails of a template have one root in common: open_files "
			"must be 0");
	if (spec->template && spec->notify_filter.len)
		return jail_fail(err, JAIL_STAGE_SPEC, EINVAL,
				 "jails of a template have no notify_filter");
	if (spec->uid_inside > UINT32_MAX - 2)
		return jail_fail(err, JAIL_STAGE_SPEC, EINVAL, "uid %u means 'no uid'",
				 spec->uid_inside);
	/* Host uid 0 is never leased, and the range must not wrap round to it. */
	if (spec->uid_count &&
	    (spec->uid_first == 0 || spec->uid_first > UINT32_MAX - spec->uid_count))
		return jail_fail(err, JAIL_STAGE_SPEC, EINVAL,
				 "uid range %u+%u contains 0 or wraps", spec->uid_first,
				 spec->uid_count);
	return limits_check(&spec->limits, err);
}
