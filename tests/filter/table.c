/* SPDX-License-Identifier: MIT */
#include "tests/filter/table.h"

#include <assert.h>
#include <errno.h>
#include <seccomp.h>
#include <stdbool.h>

#define NO_SUCH_CALL (SECCOMP_RET_ERRNO | ENOSYS)
/* From here up the numbers of x86-64 are those of the x32 ABI. */
#define X32_FIRST 0x40000000u

const struct answers table_answers[FILTER_KINDS] = {
	[FILTER_INNER] = {SECCOMP_RET_TRAP, SECCOMP_RET_TRAP, SECCOMP_RET_TRAP},
	[FILTER_JS] = {SECCOMP_RET_TRAP, SECCOMP_RET_TRAP, SECCOMP_RET_TRAP},
	[FILTER_EXEC] = {NO_SUCH_CALL, SECCOMP_RET_KILL_PROCESS,
			 SECCOMP_RET_KILL_PROCESS},
	[FILTER_EXEC_NOTIFY] = {NO_SUCH_CALL, SECCOMP_RET_USER_NOTIF,
				SECCOMP_RET_USER_NOTIF},
	[FILTER_TASKS] = {NO_SUCH_CALL, SECCOMP_RET_KILL_PROCESS,
			  SECCOMP_RET_KILL_PROCESS},
	[FILTER_TASKS_NOTIFY] = {NO_SUCH_CALL, SECCOMP_RET_USER_NOTIF,
				 SECCOMP_RET_USER_NOTIF},
	[FILTER_SUPERVISOR] = {SECCOMP_RET_KILL_PROCESS, SECCOMP_RET_KILL_PROCESS,
			       SECCOMP_RET_KILL_PROCESS},
	[FILTER_SERVER] = {SECCOMP_RET_KILL_PROCESS, SECCOMP_RET_KILL_PROCESS,
			   SECCOMP_RET_KILL_PROCESS},
};

static int number_of(const char *name, uint32_t arch)
{
	int number = seccomp_syscall_resolve_name_arch(arch, name);

	/* For calls of other machines libseccomp makes up numbers below zero. */
	return number < 0 ? -1 : number;
}

void table_init(struct table *table, uint32_t arch)
{
	assert(syscall_rules_count <= TABLE_MOST &&
	       syscall_dangerous_count <= TABLE_MOST);
	table->arch = arch;
	for (unsigned i = 0; i < syscall_rules_count; i++)
		table->rules[i] = number_of(syscall_rules[i].name, arch);
	for (unsigned i = 0; i < syscall_dangerous_count; i++)
		table->dangerous[i] = number_of(syscall_dangerous[i], arch);
}

/* -1 is what a tracer writes to have no call at all: no ABI's number. */
static bool is_foreign(uint32_t arch, const struct seccomp_data *data)
{
	if (data->arch != arch)
		return true;
	return arch == SCMP_ARCH_X86_64 && data->nr != -1 &&
	       (uint32_t)data->nr >= X32_FIRST;
}

static bool meets(const struct syscall_rule *rule, const struct seccomp_data *data)
{
	for (unsigned i = 0; i < rule->conditions; i++) {
		const struct syscall_condition *when = &rule->when[i];

		if ((data->args[when->arg] & when->mask) != when->value)
			return false;
	}
	return true;
}

uint32_t table_answer(const struct table *table, enum filter_kind kind,
		      const struct seccomp_data *data)
{
	if (is_foreign(table->arch, data))
		return table_answers[kind].foreign;
	if (data->nr < 0)
		return table_answers[kind].unknown;
	for (unsigned i = 0; i < syscall_rules_count; i++)
		if (table->rules[i] == data->nr && (syscall_rules[i].in & (1u << kind)) &&
		    meets(&syscall_rules[i], data))
			return SECCOMP_RET_ALLOW;
	for (unsigned i = 0; i < syscall_dangerous_count; i++)
		if (table->dangerous[i] == data->nr)
			return table_answers[kind].dangerous;
	return table_answers[kind].unknown;
}
