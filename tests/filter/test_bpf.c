/* SPDX-License-Identifier: MIT */
/*
 * The interpreter of filters against the kernel: programs made at random, from a fixed
 * seed, are given to seccomp(2) in a child, which says whether it takes them and, by the
 * errno of a call, what they compute.
 */
#include <criterion/criterion.h>
#include <errno.h>
#include <signal.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/own.h"
#include "tests/filter/bpf.h"

#define MOST 32
/* The one call that a program for the kernel looks at: what ends the child must not be
 * left to chance. */
#define ASKED SYS_getpriority

struct program {
	struct sock_filter code[MOST];
	unsigned len;
};

static void add(struct program *to, uint16_t code, uint8_t jt, uint8_t jf, uint32_t k)
{
	cr_assert(to->len < MOST);
	to->code[to->len++] = (struct sock_filter){code, jt, jf, k};
}

/* --- the kernel's answers ------------------------------------------------------- */

/* What a child leaves behind; calls that could tell may be forbidden to it by then. */
struct seen {
	int load_errno; /* 0: taken */
	int call_errno; /* 0: none */
	bool returned;	/* from the call */
};

static void load(const struct program *program, struct seen *seen)
{
	struct sock_fprog fprog = {
		.len = (unsigned short)program->len,
		.filter = (struct sock_filter *)(uintptr_t)program->code,
	};

	prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0);
	seen->load_errno =
		prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &fprog) < 0 ? errno : 0;
}

static void call(const unsigned long args[6], struct seen *seen)
{
	long r = syscall(ASKED, args[0], args[1], args[2], args[3], args[4], args[5]);

	seen->call_errno = r < 0 ? errno : 0;
	seen->returned = true;
}

/* args NULL: only load. Returns how the child ended. */
static int ask_kernel(const struct program *program, const unsigned long args[6],
		      struct seen *ret_seen)
{
	struct seen *seen = mmap(NULL, sizeof(*seen), PROT_READ | PROT_WRITE,
				 MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	int status = 0;

	cr_assert(seen != MAP_FAILED);
	pid_t pid = fork();
	cr_assert(pid >= 0);
	if (pid == 0) {
		prctl(PR_SET_DUMPABLE, 0, 0, 0, 0);
		signal(SIGILL, SIG_DFL);
		load(program, seen);
		if (args)
			call(args, seen);
		/* An end that needs no system call. */
		__builtin_trap();
	}
	cr_assert(waitpid(pid, &status, 0) == pid);
	*ret_seen = *seen;
	munmap(seen, sizeof(*seen));
	return status;
}

static bool kernel_takes(const struct program *program)
{
	struct seen seen;

	ask_kernel(program, NULL, &seen);
	cr_assert(seen.load_errno == 0 || seen.load_errno == EINVAL, "errno %d",
		  seen.load_errno);
	return seen.load_errno == 0;
}

/* --- chance --------------------------------------------------------------------- */

static uint64_t state;

static uint32_t chance(uint32_t below)
{
	state ^= state << 13;
	state ^= state >> 7;
	state ^= state << 17;
	return (uint32_t)(state >> 32) % below;
}

static uint32_t some_number(void)
{
	static const uint32_t edges[] = {0, 1, 4, 16, 31, 32, 60, 64, 0x80000000u, ~0u};

	return chance(4) ? edges[chance(ARRAY_LEN(edges))]
			 : chance(1u << 16) << chance(17);
}

/* Anything at all, mostly near to what is right. */
static void any_program(struct program *program)
{
	static const uint8_t classes[] = {BPF_LD,  BPF_LDX, BPF_ST,  BPF_STX,
					  BPF_ALU, BPF_JMP, BPF_MISC};
	unsigned len = 1 + chance(8);

	program->len = 0;
	while (program->len < len - 1) {
		uint16_t code = classes[chance(ARRAY_LEN(classes))];

		if (code != BPF_ST && code != BPF_STX)
			code |= (uint16_t)(chance(32) << 3);
		add(program, code, (uint8_t)chance(5), (uint8_t)chance(5),
		    chance(3) ? chance(17) : some_number());
	}
	add(program, chance(8) ? BPF_RET | BPF_K : BPF_RET | BPF_A, 0, 0,
	    SECCOMP_RET_ALLOW);
}

static void add_operation(struct program *program)
{
	static const uint16_t codes[] = {
		BPF_ADD, BPF_SUB, BPF_MUL, BPF_DIV, BPF_AND, BPF_OR, BPF_XOR, BPF_NEG,
	};
	uint32_t word = chance(sizeof(struct seccomp_data) / 4) * 4;
	uint16_t source = chance(2) ? BPF_X : BPF_K;

	switch (chance(7)) {
	case 0:
		add(program, BPF_LD | BPF_W | BPF_ABS, 0, 0, word);
		break;
	case 1:
		add(program, chance(2) ? BPF_ST : BPF_STX, 0, 0, chance(4));
		break;
	case 2:
		add(program, (chance(2) ? BPF_LD : BPF_LDX) | BPF_MEM, 0, 0, chance(4));
		break;
	case 3:
		add(program, BPF_MISC | (chance(2) ? BPF_TAX : BPF_TXA), 0, 0, 0);
		break;
	case 4:
		add(program, BPF_ALU | (chance(2) ? BPF_LSH : BPF_RSH) | source, 0, 0,
		    chance(32));
		break;
	case 5:
		add(program,
		    (uint16_t)(BPF_JMP | ((1 + chance(4)) << 4) | source), /* JEQ..JSET */
		    (uint8_t)chance(3), (uint8_t)chance(3), some_number());
		break;
	default:
		add(program, (uint16_t)(BPF_ALU | codes[chance(8)] | source), 0, 0,
		    1 + chance(1u << 20));
	}
}

/* Computes something of the call's numbers, and answers its low twelve bits as errno. */
static void computing_program(struct program *program)
{
	program->len = 0;
	add(program, BPF_LD | BPF_W | BPF_ABS, 0, 0, offsetof(struct seccomp_data, nr));
	add(program, BPF_JMP | BPF_JEQ | BPF_K, 1, 0, ASKED);
	add(program, BPF_RET | BPF_K, 0, 0, SECCOMP_RET_ALLOW);
	add(program, (chance(4) ? BPF_LD : BPF_LDX) | BPF_W | BPF_LEN, 0, 0, 0);
	add(program, BPF_LDX | BPF_IMM, 0, 0, some_number());
	add(program, BPF_ST, 0, 0, 0);
	add(program, BPF_STX, 0, 0, 1);
	for (unsigned i = 4 + chance(12); i; i--)
		add_operation(program);
	/* Jumps of up to two must not skip what makes an errno of it. */
	add(program, BPF_LDX | BPF_IMM, 0, 0, 0);
	add(program, BPF_LDX | BPF_IMM, 0, 0, 0);
	add(program, BPF_ALU | BPF_AND | BPF_K, 0, 0, 0xfff);
	add(program, BPF_ALU | BPF_OR | BPF_K, 0, 0, SECCOMP_RET_ERRNO);
	add(program, BPF_RET | BPF_A, 0, 0, 0);
}

/* --- the tests ------------------------------------------------------------------ */

static void agree(const struct program *program, const char *what)
{
	bool ours = bpf_check(program->code, program->len);
	bool kernel = kernel_takes(program);

	cr_assert(ours == kernel, "%s: the kernel %s it", what,
		  kernel ? "takes" : "refuses");
}

Test(bpf, refuses_what_the_kernel_refuses)
{
	static const struct {
		const char *what;
		struct sock_filter at;
		bool taken;
	} cases[] = {
		{"a word of the data", {BPF_LD | BPF_W | BPF_ABS, 0, 0, 60}, true},
		{"a word after the data", {BPF_LD | BPF_W | BPF_ABS, 0, 0, 64}, false},
		{"across two words", {BPF_LD | BPF_W | BPF_ABS, 0, 0, 2}, false},
		{"half a word", {BPF_LD | BPF_H | BPF_ABS, 0, 0, 0}, false},
		{"an indirect load", {BPF_LD | BPF_W | BPF_IND, 0, 0, 0}, false},
		{"a remainder", {BPF_ALU | 0x90 | BPF_K, 0, 0, 3}, false},
		{"division by 0", {BPF_ALU | BPF_DIV | BPF_K, 0, 0, 0}, false},
		{"a shift by 32", {BPF_ALU | BPF_LSH | BPF_K, 0, 0, 32}, false},
		{"a jump to the end", {BPF_JMP | BPF_JA, 0, 0, 0}, true},
		{"a jump past the end", {BPF_JMP | BPF_JA, 0, 0, 1}, false},
		{"a jump backward", {BPF_JMP | BPF_JA, 0, 0, ~0u}, false},
		{"past the end if true", {BPF_JMP | BPF_JEQ | BPF_K, 1, 0, 0}, false},
		{"past the end if false", {BPF_JMP | BPF_JEQ | BPF_K, 0, 1, 0}, false},
		{"memory nobody wrote", {BPF_LD | BPF_MEM, 0, 0, 0}, false},
		{"memory past its end", {BPF_ST, 0, 0, BPF_MEMWORDS}, false},
	};

	for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
		struct program program = {.len = 0};

		add(&program, cases[i].at.code, cases[i].at.jt, cases[i].at.jf,
		    cases[i].at.k);
		add(&program, BPF_RET | BPF_K, 0, 0, SECCOMP_RET_ALLOW);
		agree(&program, cases[i].what);
		cr_assert(bpf_check(program.code, program.len) == cases[i].taken, "%s",
			  cases[i].what);
	}
}

Test(bpf, has_a_length_and_an_end)
{
	static struct sock_filter code[BPF_MAXINSNS + 1];
	struct program program = {.len = 0};

	agree(&program, "nothing");
	cr_assert(!bpf_check(code, 0));
	add(&program, BPF_LD | BPF_IMM, 0, 0, 0);
	agree(&program, "no return");
	cr_assert(!bpf_check(program.code, program.len));
	for (unsigned i = 0; i <= BPF_MAXINSNS; i++)
		code[i].code = BPF_RET | BPF_K;
	cr_assert(bpf_check(code, BPF_MAXINSNS));
	cr_assert(!bpf_check(code, BPF_MAXINSNS + 1));
}

Test(bpf, takes_what_the_kernel_takes)
{
	unsigned taken = 0, rounds = 1500;
	struct program program;
	char what[32];

	state = 1;
	for (unsigned i = 0; i < rounds; i++) {
		any_program(&program);
		snprintf(what, sizeof(what), "program %u", i);
		agree(&program, what);
		taken += bpf_check(program.code, program.len);
	}
	/* Or else little was compared. */
	cr_assert(taken > rounds / 20 && taken < rounds - rounds / 20, "%u", taken);
}

/* Only arguments: from where the call is made is not known here. */
static void look_at_arguments(struct program *program)
{
	for (unsigned at = 2; at < program->len; at++)
		if (program->code[at].code == (BPF_LD | BPF_W | BPF_ABS) &&
		    program->code[at].k < offsetof(struct seccomp_data, args))
			program->code[at].k += offsetof(struct seccomp_data, args);
}

/* Returns the verdict that both have come to. */
static uint32_t same_verdict(const struct program *program)
{
	struct seccomp_data data = {.nr = ASKED};
	unsigned long args[6];
	struct seen seen;

	for (int arg = 0; arg < 6; arg++)
		data.args[arg] = args[arg] = (unsigned long)some_number() << chance(33);
	uint32_t verdict = bpf_run(program->code, &data);
	int status = ask_kernel(program, args, &seen);
	cr_assert(seen.load_errno == 0);
	if (verdict == SECCOMP_RET_KILL_THREAD) {
		cr_assert(!seen.returned && WIFSIGNALED(status) &&
			  WTERMSIG(status) == SIGSYS);
		return verdict;
	}
	cr_assert(seen.returned);
	cr_assert((verdict & SECCOMP_RET_DATA) == (unsigned)seen.call_errno,
		  "%u, the kernel: %d", verdict & SECCOMP_RET_DATA, seen.call_errno);
	return verdict;
}

Test(bpf, computes_what_the_kernel_computes)
{
	unsigned compared = 0, killed = 0;
	struct program program;

	state = 2;
	for (unsigned i = 0; i < 800; i++) {
		computing_program(&program);
		look_at_arguments(&program);
		if (!bpf_check(program.code, program.len))
			continue;
		compared++;
		killed += same_verdict(&program) == SECCOMP_RET_KILL_THREAD;
	}
	cr_assert(compared > 200 && killed > 0, "%u, %u killed", compared, killed);
}
