/* SPDX-License-Identifier: MIT */
/* What the counts of a leaf say of a run that has ended: plain files stand for them. */
#include <criterion/criterion.h>
#include <errno.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "base/own.h"
#include "jail/internal.h"

static struct leaf leaf;
static struct jail_result result;
static struct jail_error err;

static void put(enum knob knob, const char *text)
{
	close_fd(leaf.knob_fd[knob]);
	leaf.knob_fd[knob] = memfd_create("knob", MFD_CLOEXEC);
	cr_assert_eq(write(leaf.knob_fd[knob], text, strlen(text)),
		     (ssize_t)strlen(text));
}

static void setup(void)
{
	leaf_init(&leaf);
	put(KNOB_MEMORY_EVENTS, "low 0\nhigh 0\nmax 3\noom 0\noom_kill 0\n");
	put(KNOB_GROUP_EVENTS, "max 0\noom 0\noom_kill 0\n");
	put(KNOB_PLACE_EVENTS, "max 0\noom 2\noom_kill 0\n");
	put(KNOB_CPU_STAT, "usage_usec 7000\nuser_usec 1\n");
	leaf.oom_above = 2;
	memset(&result, 0, sizeof(result));
	memset(&err, 0, sizeof(err));
}

Test(leaf, nothing_ran_out)
{
	setup();
	cr_assert_eq(leaf_collect(&leaf, &result, &err), 0);
	cr_expect(!result.memory_limit_hit && !result.oom_killed && !result.oom_in_group);
	cr_expect_eq(result.cpu_us, 7000);
}

Test(leaf, its_own_memory_ran_out)
{
	setup();
	put(KNOB_MEMORY_EVENTS, "oom 1\noom_kill 1\n");
	cr_assert_eq(leaf_collect(&leaf, &result, &err), 0);
	cr_expect(result.memory_limit_hit && result.oom_killed && !result.oom_in_group);
}

Test(leaf, memory_above_ran_out)
{
	setup();
	put(KNOB_MEMORY_EVENTS, "oom 0\noom_kill 1\n");
	put(KNOB_GROUP_EVENTS, "oom 1\n");
	cr_assert_eq(leaf_collect(&leaf, &result, &err), 0);
	cr_expect(!result.memory_limit_hit && result.oom_killed && result.oom_in_group);
}

Test(leaf, without_memory_controller_nothing_is_read)
{
	setup();
	for (int i = 0; i < KNOB_COUNT; i++)
		leaf.knob_fd[i] = close_fd(leaf.knob_fd[i]);
	leaf.oom_above = 0;
	cr_assert_eq(leaf_collect(&leaf, &result, &err), 0);
	cr_expect(!result.memory_limit_hit && !result.oom_killed && !result.oom_in_group);
}

/* A count that is not there is no 0. */
Test(leaf, unreadable_counts_are_errors)
{
	static const enum knob counts[] = {KNOB_MEMORY_EVENTS, KNOB_GROUP_EVENTS,
					   KNOB_PLACE_EVENTS};

	for (size_t i = 0; i < ARRAY_LEN(counts); i++) {
		setup();
		put(counts[i], "low 0\n");
		cr_expect_eq(leaf_collect(&leaf, &result, &err), -EIO, "%zu", i);
		cr_expect_eq(err.stage, JAIL_STAGE_COLLECT);
	}
	setup();
	put(KNOB_MEMORY_EVENTS, "oom 1\n"); /* but who was killed for it? */
	cr_expect_eq(leaf_collect(&leaf, &result, &err), -EIO);
}
