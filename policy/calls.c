/* SPDX-License-Identifier: MIT */
/*
 * The set of calls that are taken away, bit by bit, over the table of those that there
 * are; and the filter that follows from it. It is put on below the filters that are made
 * while we build, and the kernel takes the strictest answer of all: so whatever it says,
 * it gives nothing back. It compares the number alone, with one jump for each, and only
 * where the ABI is ours: of others the filters above say what becomes of them.
 */
#include "policy/calls.h"

#include <errno.h>
#include <linux/seccomp.h>
#include <stddef.h>
#include <string.h>

#include "base/own.h"
#include "policy/exec_calls.h"
#include "policy/ini.h"
#include "policy/keys.h"

#define CALLS ARRAY_LEN(exec_calls)
#define NONE  UINT32_MAX

_Static_assert(CALLS <= POLICY_CALLS_MOST, "there is a bit for each");
/* A jump of the filter goes over as many as 255. */
_Static_assert(POLICY_CALLS_MOST < 255, "the last is reached from the first");

/* The jail makes these itself once the filter is on: it says what failed, starts the
 * program, or ends. */
static const char *const kept[] = {"execveat", "exit_group", "prlimit64", "write"};

static bool bit_of(const uint64_t *bits, unsigned call)
{
	return bits[call / 64] >> call % 64 & 1;
}

static void set_bit(uint64_t *bits, unsigned call, bool value)
{
	uint64_t bit = (uint64_t)1 << call % 64;

	bits[call / 64] = value ? bits[call / 64] | bit : bits[call / 64] & ~bit;
}

static bool is_kept(unsigned call)
{
	for (size_t i = 0; i < ARRAY_LEN(kept); i++)
		if (strcmp(kept[i], exec_calls[call].name) == 0)
			return true;
	return false;
}

static bool is_word(const char *name, const char *word, size_t len)
{
	return strlen(name) == len && memcmp(name, word, len) == 0;
}

static unsigned find_call(const char *word, size_t len)
{
	for (unsigned i = 0; i < CALLS; i++)
		if (is_word(exec_calls[i].name, word, len))
			return i;
	return NONE;
}

bool calls_are_without(const char *name, size_t len)
{
	for (size_t i = 0; i < ARRAY_LEN(other_calls); i++)
		if (is_word(other_calls[i], name, len))
			return true;
	return false;
}

static int unknown(const char *word, size_t len, struct value_fault *fault)
{
	char name[32];
	struct nearest nearest = NEAREST_INIT(name);
	int shown = len < sizeof(name) ? (int)len : (int)sizeof(name) - 1;

	if (*word == '@')
		return value_fault(fault, word,
				   "'%.*s': there are no groups here, each call is named",
				   shown, word);
	if (memchr(word, ':', len))
		return value_fault(fault, word,
				   "'%.*s': a call that is taken away answers ENOSYS and "
				   "nothing else",
				   shown, word);
	memcpy(name, word, (size_t)shown);
	name[shown] = '\0';
	for (unsigned i = 0; i < CALLS; i++)
		nearest_offer(&nearest, exec_calls[i].name);
	return value_fault(fault, word, "no system call is called '%s'%s%s%s", name,
			   nearest.best ? ": did you mean " : "",
			   nearest.best ? nearest.best : "", nearest.best ? "?" : "");
}

static int take_away(struct policy_calls *calls, const char *word, size_t len,
		     struct value_fault *fault)
{
	unsigned call = find_call(word, len);

	if (call == NONE)
		return calls_are_without(word, len) ? 0 : unknown(word, len, fault);
	if (is_kept(call))
		return value_fault(fault, word,
				   "%s cannot be taken away: the jail itself needs it to "
				   "start the program",
				   exec_calls[call].name);
	set_bit(calls->removed, call, true);
	set_bit(calls->named, call, false);
	return 0;
}

static int leave(struct policy_calls *calls, const char *word, size_t len,
		 struct value_fault *fault)
{
	unsigned call = find_call(word, len);

	if (call == NONE && calls_are_without(word, len))
		return value_fault(fault, word,
				   "'%.*s' is not in the list of quod exec, which is "
				   "never widened",
				   (int)len, word);
	if (call == NONE)
		return unknown(word, len, fault);
	set_bit(calls->removed, call, false);
	set_bit(calls->named, call, true);
	return 0;
}

int calls_set(struct policy_calls *calls, const char *value, struct value_fault *fault)
{
	bool away = *value == '~';
	const char *at = value + away, *word;
	struct policy_calls next = *calls;
	size_t len;
	int r = 0;

	if (!*value) {
		*calls = (struct policy_calls){0};
		return 0;
	}
	for (unsigned i = 0; !away && !next.said && i < CALLS; i++)
		set_bit(next.removed, i, !is_kept(i));
	next.said = true;
	if (!(len = ini_word(&at, &word)))
		return value_fault(fault, value, "a system call is missing behind the ~");
	for (; r == 0 && len; len = ini_word(&at, &word))
		r = (away ? take_away : leave)(&next, word, len, fault);
	if (r == 0)
		*calls = next;
	return r;
}

void calls_write(const struct policy_calls *calls, struct text *to)
{
	const char *before = "SystemCallFilter=~";

	text_add_str(to, "SystemCallFilter=\n");
	for (unsigned i = 0; i < CALLS; i++)
		if (bit_of(calls->removed, i)) {
			text_addf(to, "%s%s", before, exec_calls[i].name);
			before = " ";
		}
	if (*before == ' ')
		text_add_char(to, '\n');
}

const char *calls_for_tasks(const struct policy_calls *calls)
{
	for (unsigned i = 0; i < CALLS; i++)
		if (exec_calls[i].tasks_only && bit_of(calls->named, i))
			return exec_calls[i].name;
	return NULL;
}

#define LOAD(field) \
	BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, field))
#define IF_EQUAL(value, skip_then, skip_else) \
	BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, value, skip_then, skip_else)
#define ANSWER(action) BPF_STMT(BPF_RET | BPF_K, action)

unsigned calls_filter(const struct policy_calls *calls,
		      struct sock_filter code[CALLS_FILTER_MOST])
{
	unsigned numbers[CALLS], count = 0, at = 0;

	for (unsigned i = 0; i < CALLS; i++)
		if (bit_of(calls->removed, i) && exec_calls[i].number >= 0)
			numbers[count++] = (unsigned)exec_calls[i].number;
	if (!count)
		return 0;
	code[at++] = (struct sock_filter)LOAD(arch);
	code[at++] = (struct sock_filter)IF_EQUAL(EXEC_CALLS_ARCH, 0,
						  (unsigned char)(count + 1));
	code[at++] = (struct sock_filter)LOAD(nr);
	for (unsigned i = 0; i < count; i++)
		code[at++] = (struct sock_filter)IF_EQUAL(numbers[i],
							  (unsigned char)(count - i), 0);
	code[at++] = (struct sock_filter)ANSWER(SECCOMP_RET_ALLOW);
	code[at++] = (struct sock_filter)ANSWER(SECCOMP_RET_ERRNO | ENOSYS);
	return at;
}
