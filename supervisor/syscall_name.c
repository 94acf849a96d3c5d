/* SPDX-License-Identifier: MIT */
/*
 * The table is written by libseccomp while we build (gen_syscall_names.c), so that quod
 * itself carries only the names of its own machine.
 */
#include "supervisor/syscall_name.h"

#include <stdio.h>

#include "base/own.h"
#include "supervisor/syscall_names.h"

void syscall_name(uint32_t arch, uint32_t number, char *name, size_t size)
{
	if (arch != SYSCALL_NAMES_ARCH)
		snprintf(name, size, "call %u of machine 0x%x", number, arch);
	else if (number < ARRAY_LEN(syscall_names) && syscall_names[number])
		snprintf(name, size, "%s", syscall_names[number]);
	else
		snprintf(name, size, "call %u", number);
}
