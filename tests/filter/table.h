/* SPDX-License-Identifier: MIT */
/*
 * What policy/syscalls.c promises of a call, found by looking it up row by row: no
 * filter, and of libseccomp only the numbers of names. The filters are judged by it.
 */
#ifndef QUOD_TESTS_TABLE_H
#define QUOD_TESTS_TABLE_H

#include <stdint.h>
#include <linux/seccomp.h>

#include "policy/syscalls.h"

/* The answers of a filter to what its rules do not allow. */
struct answers {
	uint32_t unknown;   /* to any other call */
	uint32_t dangerous; /* to those of syscall_dangerous */
	uint32_t foreign;   /* to the numbers of another ABI */
};

extern const struct answers table_answers[FILTER_KINDS];

#define TABLE_MOST 256

/* The numbers of the rows on one machine; -1: it has no such call. */
struct table {
	uint32_t arch; /* SCMP_ARCH_*, which is the kernel's AUDIT_ARCH_* */
	int rules[TABLE_MOST], dangerous[TABLE_MOST];
};

void table_init(struct table *table, uint32_t arch);

/* What the filter made for that machine must answer: SECCOMP_RET_*. */
uint32_t table_answer(const struct table *table, enum filter_kind kind,
		      const struct seccomp_data *data);

#endif
