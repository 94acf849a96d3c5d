/* SPDX-License-Identifier: MIT */
/* Names of system calls, for the one line that says which of them was forbidden. */
#ifndef QUOD_SYSCALL_NAME_H
#define QUOD_SYSCALL_NAME_H

#include <stddef.h>
#include <stdint.h>

/*
 * `arch` is an AUDIT_ARCH_*. A call of this machine is told by its name, one of another
 * ABI by that and its number there ("i386:20", "x32:0"): the same number is another call.
 */
#define SYSCALL_NAME_ROOM 40
void syscall_name(uint32_t arch, uint32_t number, char *name, size_t size);

#endif
