/* SPDX-License-Identifier: MIT */
/*
 * Makes a system call of a stopped process fail. At its entry it is turned into another
 * one that every filter of quod's lets pass and that changes nothing: clock_gettime of no
 * clock. (Number -1, the usual way, would meet the filters and be killed by them.) At its
 * exit the arguments are put back, because compilers count on them, and the answer given.
 */
#ifndef QUOD_TESTS_REGS_H
#define QUOD_TESTS_REGS_H

#include <stdint.h>
#include <sys/types.h>

#if defined(__x86_64__) || defined(__aarch64__)
#define REGS_KNOWN 1
#else
#define REGS_KNOWN 0
#endif

/* What was in the first two arguments. */
struct diverted {
	uint64_t args[2];
};

/* Both return 0 or a negative errno. */
int regs_divert(pid_t pid, struct diverted *ret_diverted);
int regs_answer(pid_t pid, const struct diverted *diverted, int errnum);

#endif
