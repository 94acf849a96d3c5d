/* SPDX-License-Identifier: MIT */
#ifndef QUOD_TESTS_FOLLOW_H
#define QUOD_TESTS_FOLLOW_H

#include "tests/fault/tracer.h"

/* Sends on a tracee of ours, which is stopped and has not yet executed quod, and follows
 * it and all that it clones to their ends. Fills the trial but for what was printed. */
void follow(pid_t quod, uint64_t runs_by, const struct fault *fault, struct trial *trial);

#endif
