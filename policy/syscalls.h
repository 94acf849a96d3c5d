/* SPDX-License-Identifier: MIT */
/*
 * Which system calls each of our filters lets through: one table, the source of the
 * filters, of their tests and of the list in the README.
 *
 *	INNER	quod-js once it reads the job: all hostile work happens under this
 *	JS	quod-js from execveat until INNER is on (both stay on: the stricter
 *counts) EXEC	any static program under `quod exec`
 *	SUP	quod itself, once it reads what a guest wrote
 *
 * What is in no column of a filter gets that filter's default (syscalls.c).
 */
#ifndef QUOD_POLICY_SYSCALLS_H
#define QUOD_POLICY_SYSCALLS_H

#include <stdbool.h>
#include <stdint.h>

enum filter_kind {
	FILTER_INNER,
	FILTER_JS,
	FILTER_EXEC,
	FILTER_SUPERVISOR,
	FILTER_KINDS
};

enum filter_bit {
	IN_INNER = 1 << FILTER_INNER,
	IN_JS = 1 << FILTER_JS,
	IN_EXEC = 1 << FILTER_EXEC,
	IN_SUP = 1 << FILTER_SUPERVISOR,
};

/* A condition on one argument: allowed if (argument & mask) == value. */
struct syscall_rule {
	const char *name;
	unsigned in; /* enum filter_bit */
	bool conditional;
	unsigned arg;
	uint64_t mask, value;
};

extern const struct syscall_rule syscall_rules[];
extern const unsigned syscall_rules_count;

/* Killed at once by EXEC, and so named in the record; the rest answers ENOSYS. */
extern const char *const syscall_dangerous[];
extern const unsigned syscall_dangerous_count;

/* Name as in the generated headers: "inner", "js", "exec", "supervisor". */
const char *filter_name(enum filter_kind kind);

/*
 * Compiles a filter with libseccomp for one architecture (SCMP_ARCH_*, 0 = this one) and
 * writes its struct sock_filter bytes to fd. Returns 0 or a negative errno.
 */
int filter_export(enum filter_kind kind, uint32_t arch, int fd);

#endif
