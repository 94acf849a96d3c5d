/* SPDX-License-Identifier: MIT */
/*
 * bpf_check() goes once over the code and refuses what seccomp(2) answers EINVAL: an
 * operation that is not on seccomp's list, a load from outside of struct seccomp_data or
 * across its words, a jump past the end (none goes backward: offsets have no sign), an
 * end that is no return, and scratch memory that is read before it was written on every
 * way there. So bpf_run() need not look where it steps: it comes to a return.
 */
#include "tests/filter/bpf.h"

#include <string.h>

#include "base/own.h"

struct machine {
	uint32_t a, x, memory[BPF_MEMWORDS];
};

static bool is_known(uint16_t code)
{
	static const uint16_t known[] = {
		BPF_LD | BPF_W | BPF_ABS,
		BPF_LD | BPF_W | BPF_LEN,
		BPF_LDX | BPF_W | BPF_LEN,
		BPF_LD | BPF_IMM,
		BPF_LDX | BPF_IMM,
		BPF_LD | BPF_MEM,
		BPF_LDX | BPF_MEM,
		BPF_ST,
		BPF_STX,
		BPF_MISC | BPF_TAX,
		BPF_MISC | BPF_TXA,
		BPF_RET | BPF_K,
		BPF_RET | BPF_A,
		BPF_ALU | BPF_ADD | BPF_K,
		BPF_ALU | BPF_ADD | BPF_X,
		BPF_ALU | BPF_SUB | BPF_K,
		BPF_ALU | BPF_SUB | BPF_X,
		BPF_ALU | BPF_MUL | BPF_K,
		BPF_ALU | BPF_MUL | BPF_X,
		BPF_ALU | BPF_DIV | BPF_K,
		BPF_ALU | BPF_DIV | BPF_X,
		BPF_ALU | BPF_AND | BPF_K,
		BPF_ALU | BPF_AND | BPF_X,
		BPF_ALU | BPF_OR | BPF_K,
		BPF_ALU | BPF_OR | BPF_X,
		BPF_ALU | BPF_XOR | BPF_K,
		BPF_ALU | BPF_XOR | BPF_X,
		BPF_ALU | BPF_LSH | BPF_K,
		BPF_ALU | BPF_LSH | BPF_X,
		BPF_ALU | BPF_RSH | BPF_K,
		BPF_ALU | BPF_RSH | BPF_X,
		BPF_ALU | BPF_NEG,
		BPF_JMP | BPF_JA,
		BPF_JMP | BPF_JEQ | BPF_K,
		BPF_JMP | BPF_JEQ | BPF_X,
		BPF_JMP | BPF_JGE | BPF_K,
		BPF_JMP | BPF_JGE | BPF_X,
		BPF_JMP | BPF_JGT | BPF_K,
		BPF_JMP | BPF_JGT | BPF_X,
		BPF_JMP | BPF_JSET | BPF_K,
		BPF_JMP | BPF_JSET | BPF_X,
	};

	for (size_t i = 0; i < ARRAY_LEN(known); i++)
		if (known[i] == code)
			return true;
	return false;
}

/* left: how many instructions follow this one. */
static bool operands_are_right(const struct sock_filter *at, unsigned left)
{
	switch (at->code) {
	case BPF_LD | BPF_W | BPF_ABS:
		return at->k < sizeof(struct seccomp_data) && at->k % 4 == 0;
	case BPF_LD | BPF_MEM:
	case BPF_LDX | BPF_MEM:
	case BPF_ST:
	case BPF_STX:
		return at->k < BPF_MEMWORDS;
	case BPF_ALU | BPF_DIV | BPF_K:
		return at->k != 0;
	case BPF_ALU | BPF_LSH | BPF_K:
	case BPF_ALU | BPF_RSH | BPF_K:
		return at->k < 32;
	case BPF_JMP | BPF_JA:
		return at->k < left;
	default:
		return BPF_CLASS(at->code) != BPF_JMP || (at->jt < left && at->jf < left);
	}
}

/* What is not written here is not written for those that come next. Ways lead forward
 * only, so all that lead to an instruction are known when it is looked at. A return
 * counts as one that goes on: the kernel is as strict. */
static void pass_on(uint16_t *written, const struct sock_filter *code, unsigned at)
{
	uint16_t now = written[at];

	switch (BPF_CLASS(code[at].code)) {
	case BPF_JMP:
		if (BPF_OP(code[at].code) == BPF_JA) {
			written[at + 1 + code[at].k] &= now;
			return;
		}
		written[at + 1 + code[at].jt] &= now;
		written[at + 1 + code[at].jf] &= now;
		return;
	case BPF_ST:
	case BPF_STX:
		now |= (uint16_t)(1u << code[at].k);
		break;
	default:
		break;
	}
	written[at + 1] &= now;
}

static bool memory_is_written_first(const struct sock_filter *code, unsigned len)
{
	uint16_t written[BPF_MAXINSNS + 1]; /* a bit for each word of scratch memory */

	memset(written, 0xff, sizeof(written));
	written[0] = 0;
	for (unsigned at = 0; at < len; at++) {
		bool reads = code[at].code == (BPF_LD | BPF_MEM) ||
			     code[at].code == (BPF_LDX | BPF_MEM);
		if (reads && !(written[at] & (1u << code[at].k)))
			return false;
		pass_on(written, code, at);
	}
	return true;
}

bool bpf_check(const struct sock_filter *code, unsigned len)
{
	if (len == 0 || len > BPF_MAXINSNS)
		return false;
	for (unsigned at = 0; at < len; at++)
		if (!is_known(code[at].code) ||
		    !operands_are_right(&code[at], len - 1 - at))
			return false;
	return BPF_CLASS(code[len - 1].code) == BPF_RET &&
	       memory_is_written_first(code, len);
}

/* What a load brings; the class says into which register. */
static uint32_t loaded(const struct machine *machine, const struct sock_filter *at,
		       const struct seccomp_data *data)
{
	uint32_t word;

	switch (BPF_MODE(at->code)) {
	case BPF_ABS:
		memcpy(&word, (const char *)data + at->k, sizeof(word));
		return word;
	case BPF_LEN:
		return sizeof(*data);
	case BPF_MEM:
		return machine->memory[at->k];
	default:
		return at->k;
	}
}

/* Shifts by a register take its low five bits; division by zero is dealt with before. */
static uint32_t calculated(uint16_t code, uint32_t a, uint32_t by)
{
	switch (BPF_OP(code)) {
	case BPF_ADD:
		return a + by;
	case BPF_SUB:
		return a - by;
	case BPF_MUL:
		return a * by;
	case BPF_DIV:
		return a / by;
	case BPF_AND:
		return a & by;
	case BPF_OR:
		return a | by;
	case BPF_XOR:
		return a ^ by;
	case BPF_LSH:
		return a << (by & 31);
	case BPF_RSH:
		return a >> (by & 31);
	default:
		return -a;
	}
}

static unsigned jumped(const struct sock_filter *at, uint32_t a, uint32_t with)
{
	switch (BPF_OP(at->code)) {
	case BPF_JA:
		return at->k;
	case BPF_JEQ:
		return a == with ? at->jt : at->jf;
	case BPF_JGT:
		return a > with ? at->jt : at->jf;
	case BPF_JGE:
		return a >= with ? at->jt : at->jf;
	default:
		return a & with ? at->jt : at->jf;
	}
}

uint32_t bpf_run(const struct sock_filter *code, const struct seccomp_data *data)
{
	struct machine m = {.a = 0};

	for (const struct sock_filter *at = code;; at++) {
		uint32_t operand = BPF_SRC(at->code) == BPF_X ? m.x : at->k;

		switch (BPF_CLASS(at->code)) {
		case BPF_LD:
			m.a = loaded(&m, at, data);
			break;
		case BPF_LDX:
			m.x = loaded(&m, at, data);
			break;
		case BPF_ST:
			m.memory[at->k] = m.a;
			break;
		case BPF_STX:
			m.memory[at->k] = m.x;
			break;
		case BPF_ALU:
			/* The kernel ends such a program with 0: the thread is killed. */
			if (BPF_OP(at->code) == BPF_DIV && operand == 0)
				return SECCOMP_RET_KILL_THREAD;
			m.a = calculated(at->code, m.a, operand);
			break;
		case BPF_JMP:
			at += jumped(at, m.a, operand);
			break;
		case BPF_RET:
			return BPF_RVAL(at->code) == BPF_A ? m.a : at->k;
		default:
			if (BPF_MISCOP(at->code) == BPF_TAX)
				m.x = m.a;
			else
				m.a = m.x;
		}
	}
}
