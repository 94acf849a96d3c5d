/* SPDX-License-Identifier: MIT */
/* The program that `quod exec` is given, as a descriptor to start it by. */
#ifndef QUOD_PROGRAM_H
#define QUOD_PROGRAM_H

#include <stdbool.h>

#include "policy/limits.h"

/* So large a program is copied at most. */
#define PROGRAM_COPY_MOST (64 * LIMITS_MIB)

/*
 * *ret_fd is the caller's. With `copy` it is a copy in memory that no other jail has,
 * sealed; then the program must be a regular file that the caller may read, of
 * PROGRAM_COPY_MOST bytes at most. Errors: those of open(2), EFBIG, EACCES (no regular
 * file, or not executable), ENOMEM, and what reading gives.
 */
int program_open(const char *path, bool copy, int *ret_fd);

#endif
