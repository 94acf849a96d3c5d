/* SPDX-License-Identifier: MIT */
/*
 * Any static program in a jail, its three streams relayed to ours: the
 * machinery of `quod exec`.
 */
#ifndef QUOD_JAILED_H
#define QUOD_JAILED_H

#include "jail/jail.h"
#include "policy/policy.h"
#include "supervisor/place.h"
#include "supervisor/status.h"

struct jailed_end {
	enum status status;
	int exit_code;	      /* of the program, with STATUS_OK; may be anything */
	int signal;	      /* with STATUS_CRASHED and STATUS_VIOLATION */
	bool violation_known; /* with STATUS_VIOLATION: which call it was */
	struct jail_violation violation;
	bool oom_in_group;     /* with STATUS_INTERNAL_ERROR and no error in err */
	struct jail_error err; /* with STATUS_INTERNAL_ERROR */
};

/* All of it is borrowed. */
struct jailed_job {
	const struct limits *limits;
	const struct policy_calls *calls; /* that the policy takes away */
	const struct run_place *place;
	int exe_fd; /* argv[0], opened */
	char *const *argv;
	int signal_fd; /* from guard_prepare(), or the negative errno that it gave: */
	const struct jail_error *unprepared; /* then */
};

/* Runs it and waits for its end. The process is confined on the way, once in its life. */
void jailed_run(const struct jailed_job *job, struct jailed_end *ret_end);

#endif
