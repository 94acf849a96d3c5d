/* SPDX-License-Identifier: MIT */
/* Names of system calls, for the one line that says which one was forbidden. */
#ifndef QUOD_SYSCALL_NAME_H
#define QUOD_SYSCALL_NAME_H

#include <stddef.h>
#include <stdint.h>

/* `arch` is an AUDIT_ARCH_*. A call of another machine or without a name is described
 * by its numbers. */
void syscall_name(uint32_t arch, uint32_t number, char *name, size_t size);

#endif
