/* SPDX-License-Identifier: MIT */
/*
 * Which system calls each of our filters lets through: one table, the source of the
 * filters, of their tests and of the list in the README.
 *
 *	INNER		quod-js once it reads the job: all hostile work happens here
 *	JS		quod-js from execveat until INNER is on; both stay on
 *	EXEC		any static program under `quod exec`
 *	EXEC_NOTIFY	the same, where quod can be told what EXEC kills for
 *	TASKS		EXEC, processes and threads: a policy may allow more than one
 *	TASKS_NOTIFY	the same, where quod can be told
 *	SUP		quod itself, once it reads what a guest wrote
 *	SERVER		quodd's server, before it reads what a client or a guest wrote
 *
 * The verdict of a filter on a call: another ABI's number gets `foreign`. A call that a
 * rule of the filter names gets through where its conditions hold; several rules for one
 * call are alternatives. What is left gets `dangerous` if it is on that list, else
 * `other`.
 */
#ifndef QUOD_POLICY_SYSCALLS_H
#define QUOD_POLICY_SYSCALLS_H

#include <stdint.h>

enum filter_kind {
	FILTER_INNER,
	FILTER_JS,
	FILTER_EXEC,
	FILTER_EXEC_NOTIFY,
	FILTER_TASKS,
	FILTER_TASKS_NOTIFY,
	FILTER_SUPERVISOR,
	FILTER_SERVER,
	FILTER_KINDS
};

enum filter_bit {
	IN_INNER = 1 << FILTER_INNER,
	IN_JS = 1 << FILTER_JS,
	IN_ALONE = 1 << FILTER_EXEC | 1 << FILTER_EXEC_NOTIFY,
	IN_TASKS = 1 << FILTER_TASKS | 1 << FILTER_TASKS_NOTIFY,
	IN_EXEC = IN_ALONE | IN_TASKS,
	IN_NOTIFY = 1 << FILTER_EXEC_NOTIFY | 1 << FILTER_TASKS_NOTIFY,
	IN_SUP = 1 << FILTER_SUPERVISOR,
	IN_SERVER = 1 << FILTER_SERVER,
	IN_OURS = IN_SUP | IN_SERVER,
};

/* (argument & mask) == value. */
struct syscall_condition {
	unsigned arg;
	uint64_t mask, value;
};

#define SYSCALL_CONDITIONS_MOST 2

/* Allowed where every condition holds. They are about different arguments. */
struct syscall_rule {
	const char *name;
	unsigned in; /* enum filter_bit */
	unsigned conditions;
	struct syscall_condition when[SYSCALL_CONDITIONS_MOST];
};

extern const struct syscall_rule syscall_rules[];
extern const unsigned syscall_rules_count;

/* What no honest program tries: EXEC and TASKS kill for it and answer ENOSYS to the
 * rest. */
extern const char *const syscall_dangerous[];
extern const unsigned syscall_dangerous_count;

/* Actions are SECCOMP_RET_*, with their data (an errno). */
struct filter_info {
	const char *name; /* as in the generated headers */
	uint32_t other, foreign, dangerous;
};

extern const struct filter_info filter_infos[FILTER_KINDS];

/*
 * The one descriptor on which the filters that tell let sendmsg through. The filter
 * brings its own listener, which has to be handed over after it is on; the jail puts the
 * socket for that here and the program never sees it.
 */
#define FILTER_HANDOVER_FD 3

/*
 * Compiles a filter with libseccomp for one architecture (SCMP_ARCH_*, 0 = this one) and
 * writes its struct sock_filter bytes to fd. Returns 0 or a negative errno.
 */
int filter_export(enum filter_kind kind, uint32_t arch, int fd);

#endif
