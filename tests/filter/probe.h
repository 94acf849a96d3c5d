/* SPDX-License-Identifier: MIT */
/*
 * One system call tried in a jail of its own, under one of our filters.
 *
 * Three answers are told apart, and none of them depends on the kernel's version:
 *
 *	killed	by SIGSYS: refused
 *	ENOSYS	refused, where a filter answers that to what it does not know; under all
 *		others a call that comes back has got through, whatever it brings
 *	allowed	it came back with anything else, was the end of the process (exit_group),
 *		or did not come back within a bound
 *
 * A fourth stands apart: newer kernels show two calls to no filter at all (probe.c).
 */
#ifndef QUOD_TESTS_PROBE_H
#define QUOD_TESTS_PROBE_H

#include <stdbool.h>
#include <stdint.h>
#include <linux/filter.h>

#include "policy/syscalls.h"

enum answer { BROKEN, KILLED, NO_SYSCALL, ALLOWED, UNSEEN, ANSWERS };

/* As it stands in the table. Static. */
const char *answer_name(enum answer answer);

/* What stands between the prober and the kernel. */
struct wall {
	const char *name;
	enum filter_kind rules; /* whose conditions on arguments it has */
	const struct sock_filter *outer;
	unsigned short outer_len;
	const char *where; /* "inner": the prober puts the inner filter on as well */
	enum answer usual; /* to what is not allowed natively */
};

extern const struct wall walls[];
extern const unsigned walls_count;

struct abi {
	const char *name;
	uint32_t arch; /* for libseccomp's names */
	int first;     /* of its numbers */
};

/* The native one is the first. */
extern const struct abi abis[];
extern const unsigned abis_count;

struct probe {
	const struct wall *wall;
	const struct abi *abi;
	int number;
	bool with_argument; /* else all are zero */
	unsigned argument;
	uint64_t value;
};

/* Finds the program, and what this kernel lacks. Ends the test where it cannot. */
void probe_init(void);

/* What that wall answers to most calls of that ABI: foreign ones are killed. */
enum answer probe_usual(const struct wall *wall, const struct abi *abi);

/* BROKEN, which is also noted: the prober did not come to its try. */
enum answer probe_try(const struct probe *probe);

/* Whether it answers ENOSYS where no filter of ours is on: the kernel lacks the call, or
 * a filter of somebody else's says so. */
bool probe_is_absent(const struct probe *probe);

#endif
