/* SPDX-License-Identifier: MIT */
/*
 * The policy's table by itself, and what the README says of it: every name is that of a
 * call, every condition can be met, nothing is both allowed and dangerous; the inner
 * filter is as short as promised, and the README lists it.
 */
#include <fcntl.h>
#include <seccomp.h>
#include <string.h>

#include "base/file.h"
#include "base/own.h"
#include "base/text.h"
#include "policy/syscalls.h"
#include "tests/escape/harness.h"

#define INNER_MOST 10
#define LIST_START "Inner filter:"

/* Of a name that libseccomp does not know it makes no rule, and says nothing. */
static bool is_call(const char *name)
{
	bool known = seccomp_syscall_resolve_name(name) != __NR_SCMP_ERROR;

	if (!known)
		note("'%s' is no call", name);
	return known;
}

static bool can_be_met(const struct syscall_rule *rule)
{
	unsigned args = 0;

	for (unsigned i = 0; i < rule->conditions; i++) {
		const struct syscall_condition *when = &rule->when[i];

		/* libseccomp takes one condition on an argument. */
		if (when->arg >= 6 || (when->value & ~when->mask) ||
		    (args & 1u << when->arg))
			return false;
		args |= 1u << when->arg;
	}
	return rule->conditions <= SYSCALL_CONDITIONS_MOST;
}

static bool is_dangerous(const char *name)
{
	for (unsigned i = 0; i < syscall_dangerous_count; i++)
		if (strcmp(syscall_dangerous[i], name) == 0)
			return true;
	return false;
}

static void test_table(void)
{
	bool calls = true, met = true, apart = true;

	for (unsigned i = 0; i < syscall_rules_count; i++) {
		const struct syscall_rule *rule = &syscall_rules[i];

		calls = is_call(rule->name) && calls;
		if (rule->conditions)
			met = can_be_met(rule) && met;
		else if (rule->in & IN_EXEC)
			apart = !is_dangerous(rule->name) && apart;
	}
	for (unsigned i = 0; i < syscall_dangerous_count; i++)
		calls = is_call(syscall_dangerous[i]) && calls;
	check(calls, "the table: every name is that of a call");
	check(met, "the table: every condition can be met");
	check(apart, "the table: what is dangerous is not allowed as well");
}

/* Returns how many there are. */
static unsigned list_inner(struct text *to)
{
	unsigned count = 0;

	for (unsigned i = 0; i < syscall_rules_count; i++)
		if (syscall_rules[i].in & IN_INNER)
			text_addf(to, "%s`%s`", count++ ? ", " : "",
				  syscall_rules[i].name);
	return count;
}

/* What stands in backquotes up to the end of the paragraph. */
static void list_quoted(char *paragraph, struct text *to)
{
	char *end = strstr(paragraph, "\n\n");

	if (end)
		*end = '\0';
	for (char *open = strchr(paragraph, '`'); open;) {
		char *close = strchr(open + 1, '`');

		if (!close)
			return;
		text_add_str(to, to->len ? ", " : "");
		text_add(to, open, (size_t)(close + 1 - open));
		open = strchr(close + 1, '`');
	}
}

static void list_readme(struct text *to)
{
	const char *source = getenv("QUOD_TEST_SOURCE");
	own_text struct text path = TEXT_INIT(4096);
	own_free char *readme = NULL;
	size_t len;

	text_addf(&path, "%s/README.md", source ? source : ".");
	if (file_read_at(AT_FDCWD, text_str(&path), 1u << 20, &readme, &len) < 0)
		return;
	char *start = strstr(readme, "\n" LIST_START);
	if (start)
		list_quoted(start + 1, to);
}

static void test_inner(void)
{
	own_text struct text ours = TEXT_INIT(4096), readme = TEXT_INIT(4096);
	unsigned count = list_inner(&ours);

	list_readme(&readme);
	check(count <= INNER_MOST, "inner: %u calls, at most %d", count, INNER_MOST);
	if (!check(strcmp(text_str(&readme), text_str(&ours)) == 0,
		   "inner: the README lists them"))
		note("README.md must say: %s %s.\nit lists: %s", LIST_START,
		     text_str(&ours), text_str(&readme));
}

int main(void)
{
	test_table();
	test_inner();
	return tap_end();
}
