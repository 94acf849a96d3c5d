/* SPDX-License-Identifier: MIT */
/*
 * Which status wins: every pair of causes that can be true at once, against the order
 * that the documentation promises, written down here a second time on purpose.
 */
#include <criterion/criterion.h>
#include <signal.h>

#include "base/own.h"
#include "supervisor/status.h"

/* One cause alone, in order of precedence. */
enum cause {
	CAUSE_SETUP,
	CAUSE_COMPLETE,
	CAUSE_TIMEOUT,
	CAUSE_CPU,
	CAUSE_OUTPUT,
	CAUSE_CANCELLED,
	CAUSE_REJECTED,
	CAUSE_FAILURE,
	CAUSE_OWN_OOM,
	CAUSE_FOREIGN_OOM,
	CAUSE_SYSCALL,
	CAUSE_NOTIFIED, /* the same, told by the kernel before the filter killed */
	CAUSE_SIGNAL,
	CAUSE_PROTOCOL,
	CAUSES
};

/* The kills exclude each other: only one reason is ever written down. */
static bool is_kill(enum cause cause)
{
	return (cause >= CAUSE_TIMEOUT && cause <= CAUSE_FAILURE) ||
	       cause == CAUSE_NOTIFIED || cause == CAUSE_PROTOCOL;
}

static void apply(struct facts *facts, enum cause cause)
{
	static const enum kill_reason kills[CAUSES] = {
		[CAUSE_TIMEOUT] = KILL_TIMEOUT,	  [CAUSE_CPU] = KILL_CPU,
		[CAUSE_OUTPUT] = KILL_OUTPUT,	  [CAUSE_CANCELLED] = KILL_CANCELLED,
		[CAUSE_REJECTED] = KILL_REJECTED, [CAUSE_FAILURE] = KILL_FAILURE,
		[CAUSE_PROTOCOL] = KILL_PROTOCOL, [CAUSE_NOTIFIED] = KILL_VIOLATION,
	};

	facts->setup_failed |= cause == CAUSE_SETUP;
	facts->complete |= cause == CAUSE_COMPLETE;
	facts->memory_limit_hit |= cause == CAUSE_OWN_OOM;
	facts->oom_killed |= cause == CAUSE_OWN_OOM || cause == CAUSE_FOREIGN_OOM;
	if (cause == CAUSE_SYSCALL)
		facts->signal = SIGSYS;
	if (cause == CAUSE_SIGNAL)
		facts->signal = SIGSEGV;
	if (kills[cause] != KILL_NONE)
		facts->killed = kills[cause];
}

static enum status expected(enum cause cause)
{
	static const enum status status[CAUSES] = {
		[CAUSE_SETUP] = STATUS_INTERNAL_ERROR,
		[CAUSE_COMPLETE] = STATUS_OK,
		[CAUSE_TIMEOUT] = STATUS_TIMEOUT,
		[CAUSE_CPU] = STATUS_CPU_LIMIT,
		[CAUSE_OUTPUT] = STATUS_OUTPUT_LIMIT,
		[CAUSE_CANCELLED] = STATUS_CANCELLED,
		[CAUSE_REJECTED] = STATUS_REJECTED,
		[CAUSE_FAILURE] = STATUS_INTERNAL_ERROR,
		[CAUSE_OWN_OOM] = STATUS_MEMORY_LIMIT,
		[CAUSE_FOREIGN_OOM] = STATUS_INTERNAL_ERROR,
		[CAUSE_SYSCALL] = STATUS_VIOLATION,
		[CAUSE_NOTIFIED] = STATUS_VIOLATION,
		[CAUSE_SIGNAL] = STATUS_CRASHED,
		[CAUSE_PROTOCOL] = STATUS_CRASHED,
	};

	return status[cause];
}

Test(status, every_pair_is_decided_by_the_first)
{
	for (int a = 0; a < CAUSES; a++) {
		for (int b = a; b < CAUSES; b++) {
			struct facts facts = {.outcome = OUTCOME_VALUE};
			bool both_signals = a == CAUSE_SYSCALL && b == CAUSE_SIGNAL;
			bool both_kills = is_kill(a) && is_kill(b);

			if (a != b && (both_signals || both_kills))
				continue;
			apply(&facts, b);
			apply(&facts, a);
			cr_expect_eq(status_decide(&facts), expected(a),
				     "causes %d and %d: %s", a, b,
				     status_infos[status_decide(&facts)].name);
		}
	}
}

Test(status, a_complete_run_is_what_it_says)
{
	static const struct {
		enum outcome outcome;
		enum status status;
	} cases[] = {
		{OUTCOME_VALUE, STATUS_OK},
		{OUTCOME_ERROR, STATUS_ERROR},
		{OUTCOME_MEMORY, STATUS_MEMORY_LIMIT},
		{OUTCOME_LARGE, STATUS_OUTPUT_LIMIT},
		{OUTCOME_NONE, STATUS_CRASHED},
	};

	for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
		struct facts facts = {.complete = true, .outcome = cases[i].outcome};

		cr_expect_eq(status_decide(&facts), cases[i].status, "outcome %zu", i);
		facts.complete = false;
		cr_expect_eq(status_decide(&facts), STATUS_CRASHED,
			     "an incomplete outcome %zu proves nothing", i);
	}
}

Test(status, a_kill_that_is_nobodys_is_the_kernels_limit_on_cpu_time)
{
	static const struct {
		struct facts facts;
		uint64_t used_us;
		enum status status;
	} cases[] = {
		{{.signal = SIGKILL}, 500000, STATUS_CPU_LIMIT},
		{{.signal = SIGKILL}, 499999, STATUS_CRASHED},
		{{.signal = SIGSEGV}, 500000, STATUS_CRASHED},
		{{.signal = 0, .killed = KILL_TIMEOUT}, 500000, STATUS_TIMEOUT},
		{{.signal = SIGKILL, .memory_limit_hit = true},
		 500000,
		 STATUS_MEMORY_LIMIT},
		{{.signal = SIGKILL, .oom_killed = true}, 500000, STATUS_INTERNAL_ERROR},
	};

	for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
		struct facts facts = cases[i].facts;

		facts_note_cpu(&facts, cases[i].used_us, 500);
		cr_expect_eq(status_decide(&facts), cases[i].status, "case %zu", i);
	}
}

Test(status, exit_codes_have_one_meaning)
{
	for (int a = 0; a < STATUS_COUNT; a++)
		for (int b = a + 1; b < STATUS_COUNT; b++)
			cr_expect_neq(status_infos[a].exit_code,
				      status_infos[b].exit_code, "%s and %s",
				      status_infos[a].name, status_infos[b].name);
	cr_expect_eq(status_exit_code(STATUS_CRASHED, SIGSEGV, false, false), 139);
	cr_expect_eq(status_exit_code(STATUS_CRASHED, 0, false, false), 128);
	cr_expect_eq(status_exit_code(STATUS_TIMEOUT, SIGKILL, true, false), 124);
}

Test(status, a_judged_run_has_to_pass)
{
	cr_expect_eq(status_exit_code(STATUS_OK, 0, false, false), 0);
	cr_expect_eq(status_exit_code(STATUS_OK, 0, true, true), 0);
	cr_expect_eq(status_exit_code(STATUS_OK, 0, true, false), 1);
	cr_expect_eq(status_exit_code(STATUS_REJECTED, 0, true, false), 3);
}
