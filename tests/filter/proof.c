/* SPDX-License-Identifier: MIT */
/*
 * The filters against the table that they were made of, without a kernel: every one of
 * them, those in the programs and those for the other machine, is asked for its answer to
 * every number, under its own ABI and under others, with arguments at every corner. What
 * it says must be what tests/filter/table.c finds in the table: no allowed call missing,
 * no other allowed, each refusal of the promised kind.
 *
 * All 2^32 numbers are judged by few. A filter compares the number with constants and
 * does nothing else with it, which is checked; so its answer can change only at such a
 * constant, and each of them is tried with its neighbours.
 */
#include <seccomp.h>
#include <stddef.h>
#include <string.h>
#include <sys/mman.h>

#include "base/file.h"
#include "base/own.h"
#include "policy/filter_exec.h"
#include "policy/filter_exec_notify.h"
#include "policy/filter_inner.h"
#include "policy/filter_js.h"
#include "policy/filter_server.h"
#include "policy/filter_supervisor.h"
#include "policy/filter_tasks.h"
#include "policy/filter_tasks_notify.h"
#include "tests/escape/harness.h"
#include "tests/filter/bpf.h"
#include "tests/filter/table.h"

#define X32_BIT	   0x40000000u
#define NUMBERS	   1024u
#define CODE_MOST  1024
#define SHOWN_MOST 8 /* of the wrong answers */
#define ALL_BITS   UINT64_MAX
#define HIGH_BITS  (UINT64_MAX << 32)
#define PROGRAM(of)               \
	{                         \
		of, ARRAY_LEN(of) \
	}

/* What is in our programs: the filters for the machine that we build on. */
static const struct {
	const struct sock_filter *code;
	unsigned len;
} built[FILTER_KINDS] = {
	[FILTER_INNER] = PROGRAM(filter_inner),
	[FILTER_JS] = PROGRAM(filter_js),
	[FILTER_EXEC] = PROGRAM(filter_exec),
	[FILTER_EXEC_NOTIFY] = PROGRAM(filter_exec_notify),
	[FILTER_TASKS] = PROGRAM(filter_tasks),
	[FILTER_TASKS_NOTIFY] = PROGRAM(filter_tasks_notify),
	[FILTER_SUPERVISOR] = PROGRAM(filter_supervisor),
	[FILTER_SERVER] = PROGRAM(filter_server),
};

struct trial {
	enum filter_kind kind;
	const struct table *table;
	struct sock_filter code[CODE_MOST];
	unsigned len;
	unsigned long tried, allowed, wrong;
};

/* --- one question --------------------------------------------------------------- */

static void ask(struct trial *trial, const struct seccomp_data *data)
{
	uint32_t says = bpf_run(trial->code, data);
	uint32_t must = table_answer(trial->table, trial->kind, data);

	trial->tried++;
	trial->allowed += says == SECCOMP_RET_ALLOW;
	if (says == must)
		return;
	if (trial->wrong++ < SHOWN_MOST)
		note("arch %#x number %#x arguments %#llx %#llx %#llx %#llx %#llx %#llx: "
		     "the filter says %#x, the table %#x",
		     data->arch, (unsigned)data->nr, data->args[0], data->args[1],
		     data->args[2], data->args[3], data->args[4], data->args[5], says,
		     must);
}

/* One argument, the others all zeros, then all ones. */
static void ask_with(struct trial *trial, struct seccomp_data *data, unsigned arg,
		     uint64_t value)
{
	for (int byte = 0; byte <= 0xff; byte += 0xff) {
		memset(data->args, byte, sizeof(data->args));
		data->args[arg] = value;
		ask(trial, data);
	}
}

/* --- the arguments -------------------------------------------------------------- */

/* For any number: what nobody looks at must not matter, and what one call is allowed
 * with must not let another through. */
static void ask_corners(struct trial *trial, struct seccomp_data *data)
{
	static const uint64_t corners[] = {
		0,	    1,		0x7fffffff, 0x80000000, UINT32_MAX,
		1ull << 32, 1ull << 63, HIGH_BITS,  ALL_BITS,
	};

	for (unsigned arg = 0; arg < 6; arg++)
		for (size_t i = 0; i < ARRAY_LEN(corners); i++)
			ask_with(trial, data, arg, corners[i]);
	for (unsigned i = 0; i < syscall_rules_count; i++) {
		const struct syscall_rule *rule = &syscall_rules[i];

		for (unsigned j = 0; j < rule->conditions; j++) {
			const struct syscall_condition *when = &rule->when[j];

			ask_with(trial, data, when->arg, when->value);
			ask_with(trial, data, when->arg, when->value | when->mask);
			ask_with(trial, data, when->arg, when->value | HIGH_BITS);
		}
	}
}

/* One argument, the others what the rule wants: else a second condition hides behind the
 * first. */
static void ask_within(struct trial *trial, struct seccomp_data *data,
		       const struct syscall_rule *rule, unsigned arg, uint64_t value)
{
	ask_with(trial, data, arg, value);
	for (int byte = 0; byte <= 0xff; byte += 0xff) {
		memset(data->args, byte, sizeof(data->args));
		for (unsigned i = 0; i < rule->conditions; i++)
			data->args[rule->when[i].arg] = rule->when[i].value;
		data->args[arg] = value;
		ask(trial, data);
	}
}

/* What a rule wants, and every value that is one bit away from it. */
static void ask_around(struct trial *trial, struct seccomp_data *data,
		       const struct syscall_rule *rule,
		       const struct syscall_condition *when)
{
	for (unsigned arg = 0; arg < 6; arg++) {
		ask_within(trial, data, rule, arg, when->value);
		ask_within(trial, data, rule, arg, when->value | HIGH_BITS);
		ask_within(trial, data, rule, arg, ~when->value);
		ask_within(trial, data, rule, arg, ~when->mask | when->value);
		for (int bit = 0; bit < 64; bit++)
			ask_within(trial, data, rule, arg, when->value ^ 1ull << bit);
	}
}

/* Each half of an argument is compared with constants: the answer can change at those. */
static void ask_at_constants(struct trial *trial, struct seccomp_data *data,
			     const struct syscall_rule *rule,
			     const struct syscall_condition *when)
{
	const uint64_t low = when->value & UINT32_MAX, high = when->value & HIGH_BITS;

	for (unsigned at = 0; at < trial->len; at++)
		for (uint32_t near = trial->code[at].k - 1; near != trial->code[at].k + 2;
		     near++) {
			ask_within(trial, data, rule, when->arg, high | near);
			ask_within(trial, data, rule, when->arg,
				   (uint64_t)near << 32 | low);
		}
}

static void ask_number(struct trial *trial, uint32_t arch, uint32_t number)
{
	struct seccomp_data data = {.nr = (int)number, .arch = arch};

	ask_corners(trial, &data);
	for (unsigned i = 0; i < syscall_rules_count; i++) {
		const struct syscall_rule *rule = &syscall_rules[i];

		for (unsigned j = 0;
		     trial->table->rules[i] == data.nr && j < rule->conditions; j++) {
			ask_around(trial, &data, rule, &rule->when[j]);
			ask_at_constants(trial, &data, rule, &rule->when[j]);
		}
	}
	/* Where the call was made from does not matter. */
	data.instruction_pointer = ALL_BITS;
	ask_corners(trial, &data);
}

/* --- the numbers ---------------------------------------------------------------- */

static void ask_near(struct trial *trial, uint32_t arch, uint32_t number)
{
	for (uint32_t near = number - 1; near != number + 2; near++)
		ask_number(trial, arch, near);
}

static void ask_abi(struct trial *trial, uint32_t arch)
{
	static const uint32_t edges[] = {0, 0x80000000u, 0xc0000000u, UINT32_MAX};

	for (uint32_t number = 0; number < NUMBERS; number++) {
		ask_number(trial, arch, number);
		ask_number(trial, arch, X32_BIT | number);
	}
	for (size_t i = 0; i < ARRAY_LEN(edges); i++)
		ask_near(trial, arch, edges[i]);
	for (unsigned at = 0; at < trial->len; at++)
		ask_near(trial, arch, trial->code[at].k);
}

/* --- the code ------------------------------------------------------------------- */

static bool loads_argument(const struct sock_filter *at)
{
	return at->code == (BPF_LD | BPF_W | BPF_ABS) &&
	       at->k >= offsetof(struct seccomp_data, args);
}

static bool is_jumped_to(const struct trial *trial, unsigned to)
{
	for (unsigned at = 0; at < to; at++) {
		const struct sock_filter *jump = &trial->code[at];

		if (BPF_CLASS(jump->code) != BPF_JMP)
			continue;
		if (BPF_OP(jump->code) == BPF_JA
			    ? at + 1 + jump->k == to
			    : at + 1 + jump->jt == to || at + 1 + jump->jf == to)
			return true;
	}
	return false;
}

/* Loads, compares with constants, returns; masks what was just loaded of an argument. */
static bool only_compares(const struct trial *trial)
{
	for (unsigned at = 0; at < trial->len; at++) {
		switch (trial->code[at].code) {
		case BPF_LD | BPF_W | BPF_ABS:
		case BPF_JMP | BPF_JA:
		case BPF_JMP | BPF_JEQ | BPF_K:
		case BPF_JMP | BPF_JGT | BPF_K:
		case BPF_JMP | BPF_JGE | BPF_K:
		case BPF_RET | BPF_K:
			break;
		case BPF_ALU | BPF_AND | BPF_K:
			if (at > 0 && loads_argument(&trial->code[at - 1]) &&
			    !is_jumped_to(trial, at))
				break;
			return false;
		default:
			return false;
		}
	}
	return true;
}

/* --- the filters ---------------------------------------------------------------- */

/* As libseccomp makes it of the table now. */
static bool export(struct trial *trial)
{
	own_fd int fd = memfd_create("filter", MFD_CLOEXEC);
	own_free char *bytes = NULL;
	size_t len = 0;

	if (fd < 0 || filter_export(trial->kind, trial->table->arch, fd) < 0 ||
	    lseek(fd, 0, SEEK_SET) < 0 ||
	    file_read_fd(fd, sizeof(trial->code), &bytes, &len) < 0)
		return false;
	memcpy(trial->code, bytes, len);
	trial->len = (unsigned)(len / sizeof(trial->code[0]));
	return true;
}

static void check_filter(struct trial *trial, const char *machine)
{
	static const uint32_t machines[] = {
		SCMP_ARCH_X86_64,
		SCMP_ARCH_X86,
		SCMP_ARCH_AARCH64,
		SCMP_ARCH_ARM,
		SCMP_ARCH_RISCV64,
		0x12345678,
		0,
		UINT32_MAX,
	};
	const char *name = filter_infos[trial->kind].name;

	if (!check(bpf_check(trial->code, trial->len), "%s for %s: the kernel takes it",
		   name, machine))
		return;
	check(only_compares(trial), "%s for %s: it only compares", name, machine);
	for (size_t i = 0; i < ARRAY_LEN(machines); i++)
		ask_abi(trial, machines[i]);
	check(trial->wrong == 0,
	      "%s for %s: %lu answers, %lu of them no, are the table's", name, machine,
	      trial->tried, trial->tried - trial->allowed);
}

static void test_machine(const char *machine, uint32_t arch)
{
	static struct table table;
	static struct trial trial;

	table_init(&table, arch);
	for (int kind = 0; kind < FILTER_KINDS; kind++) {
		trial = (struct trial){.kind = (enum filter_kind)kind, .table = &table};
		if (!check(export(&trial), "%s for %s is made",
			   filter_infos[trial.kind].name, machine))
			continue;
		if (arch == seccomp_arch_native())
			check(trial.len == built[kind].len &&
				      memcmp(trial.code, built[kind].code,
					     trial.len * sizeof(trial.code[0])) == 0,
			      "%s: the same is in the programs",
			      filter_infos[trial.kind].name);
		check_filter(&trial, machine);
	}
}

int main(void)
{
	test_machine("x86_64", SCMP_ARCH_X86_64);
	test_machine("aarch64", SCMP_ARCH_AARCH64);
	return tap_end();
}
