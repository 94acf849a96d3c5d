/* SPDX-License-Identifier: MIT */
/*
 * The table is written by libseccomp while we build (gen_syscall_names.c), so that quod
 * itself carries only the names of its own machine.
 */
#include "supervisor/syscall_name.h"

#include <linux/audit.h>
#include <stdio.h>

#include "base/own.h"
#include "supervisor/syscall_names.h"

#define X32_BIT	 0x40000000u
#define SIGN_BIT 0x80000000u

static const struct {
	uint32_t arch;
	const char *name;
} others[] = {
	{AUDIT_ARCH_I386, "i386"},
	{AUDIT_ARCH_ARM, "arm"},
};

/* The number without what belongs to the ABI; NULL if that is this machine's own. */
static const char *other_abi(uint32_t arch, uint32_t *number)
{
	/* x32 has the arch of x86-64 and a bit in the number; -1 is no call of anybody.
	 */
	if (arch == AUDIT_ARCH_X86_64 && (*number & (X32_BIT | SIGN_BIT)) == X32_BIT) {
		*number &= ~X32_BIT;
		return "x32";
	}
	for (size_t i = 0; i < ARRAY_LEN(others); i++)
		if (arch == others[i].arch)
			return others[i].name;
	return NULL;
}

void syscall_name(uint32_t arch, uint32_t number, char *name, size_t size)
{
	const char *abi = other_abi(arch, &number);

	if (abi)
		snprintf(name, size, "%s:%u", abi, number);
	else if (arch != SYSCALL_NAMES_ARCH)
		snprintf(name, size, "call %u of machine 0x%x", number, arch);
	else if (number < ARRAY_LEN(syscall_names) && syscall_names[number])
		snprintf(name, size, "%s", syscall_names[number]);
	else
		snprintf(name, size, "call %u", number);
}
