/* SPDX-License-Identifier: MIT */
/*
 * Statuses and their precedence.
 *
 * A killed guest always shows SIGKILL: it says something about the guest only if we did
 * not send it. A protocol fault is found by us and answered with a kill, but it is what
 * the guest did, and the weakest evidence of all: whatever else is known comes first. So
 * is a forbidden call of which the kernel told us: it ranks as if the filter had killed.
 */
#include "supervisor/status.h"

#include <signal.h>

const struct status_info status_infos[STATUS_COUNT] = {
#define X(id, name, code, about) [STATUS_##id] = {name, code, about},
	STATUS_TABLE(X)
#undef X
};

const struct kill_info kill_infos[KILL_REASONS_COUNT] = {
#define X(id, name, status) [KILL_##id] = {name, STATUS_##status},
	KILL_REASONS(X)
#undef X
};

static enum status status_of_outcome(enum outcome outcome)
{
	switch (outcome) {
	case OUTCOME_VALUE:
		return STATUS_OK;
	case OUTCOME_ERROR:
		return STATUS_ERROR;
	case OUTCOME_MEMORY:
		return STATUS_MEMORY_LIMIT;
	case OUTCOME_LARGE:
		return STATUS_OUTPUT_LIMIT;
	case OUTCOME_COMPILED:
		return STATUS_OK;
	case OUTCOME_UNEXAMINED:
		return STATUS_REJECTED;
	case OUTCOME_NONE:
		break;
	}
	return STATUS_CRASHED;
}

/* A limit or a wish of ours, not an answer to what the guest did. */
static bool is_own_reason(enum kill_reason reason)
{
	return reason != KILL_NONE && reason != KILL_PROTOCOL && reason != KILL_VIOLATION;
}

void facts_note_cpu(struct facts *facts, uint64_t used_us, uint64_t limit_ms)
{
	if (facts->signal == SIGKILL && !facts->memory_limit_hit && !facts->oom_killed &&
	    used_us / 1000 >= limit_ms)
		facts->killed = KILL_CPU;
}

enum status status_decide(const struct facts *facts)
{
	if (facts->setup_failed)
		return STATUS_INTERNAL_ERROR;
	if (facts->complete)
		return status_of_outcome(facts->outcome);
	if (is_own_reason(facts->killed))
		return kill_infos[facts->killed].status;
	if (facts->memory_limit_hit)
		return STATUS_MEMORY_LIMIT;
	if (facts->oom_killed)
		return STATUS_INTERNAL_ERROR;
	if (facts->signal == SIGSYS || facts->killed == KILL_VIOLATION)
		return STATUS_VIOLATION;
	return STATUS_CRASHED;
}

const char *explain_foreign_oom(bool in_group)
{
	return in_group ? "the kernel killed the run because the memory limit of the "
			  "cgroup that its runs share was reached: not the run's own "
			  "limit"
			: "the kernel killed the run because the memory of the host, or "
			  "of a cgroup further above, was used up: not the run's own "
			  "limit";
}

int status_exit_code(enum status status, int signal, bool judged, bool passed)
{
	if (status == STATUS_CRASHED)
		return status_infos[status].exit_code + signal;
	if (status == STATUS_OK && judged && !passed)
		return EXIT_NOT_PASSED;
	return status_infos[status].exit_code;
}
