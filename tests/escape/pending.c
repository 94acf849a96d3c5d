/* SPDX-License-Identifier: MIT */
/*
 * A jail that is made in two halves, jail_begin() and jail_finish(), and what may come
 * between them.
 */
#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include "tests/escape/zygotes.h"

/* More than there are zygotes. */
#define MANY 12

static struct jail *begin(const char *code, bool *pending)
{
	struct jail_spec spec = template_spec("exit", code);
	struct jail_error err = {.errnum = 0};
	struct jail *jail = NULL;

	if (jail_begin(&spec, &jail, &err) < 0)
		check(false, "begin: %s", err.text);
	*pending = jail && jail_pending_fd(jail) >= 0;
	return jail;
}

static bool finish(struct jail *jail)
{
	struct pollfd due = {.fd = jail_pending_fd(jail), .events = POLLIN};
	struct jail_error err = {.errnum = 0};

	if (poll(&due, 1, 10000) == 1 && jail_finish(jail, &err) == 0 &&
	    jail_pending_fd(jail) < 0)
		return true;
	check(false, "finish: %s", err.text);
	return false;
}

static bool ends_well(struct jail *jail, int code)
{
	struct jail_result result;
	struct jail_error err = {.errnum = 0};

	if (jail_wait(jail, &result, &err) == 0 && result.exit_code == code)
		return true;
	check(false, "wait: %s", err.text);
	return false;
}

/* The last first: none waits for another. */
static void test_many(void)
{
	struct jail *jails[MANY];
	bool pending[MANY], all = true;
	unsigned count = 0;

	for (unsigned i = 0; i < MANY; i++) {
		jails[i] = begin("7", &pending[i]);
		count += pending[i];
	}
	check(pending[0] && count > 1 && count < MANY,
	      "many are pending at once, and those beyond are not: %u", count);
	for (unsigned i = MANY; i-- > 0; jail_free(jails[i])) {
		all = all && jails[i] && (!pending[i] || finish(jails[i]));
		all = all && ends_well(jails[i], 7);
	}
	check(all, "all of them run");
}

static void test_pending_freed(void)
{
	long fds = count_fds();
	bool pending;
	struct jail *jail = begin("0", &pending);

	check(pending, "a jail is pending");
	jail_free(jail);
	check(count_fds() <= fds, "freed while it was pending: no descriptor is left");
}

static void test_pending_zygote_killed(unsigned after_us)
{
	struct jail_error err = {.errnum = 0};
	bool pending;
	struct jail *jail = begin("0", &pending);
	pid_t found[PIDS_MOST];

	usleep(after_us);
	for (unsigned i = find_zygotes(found); i-- > 0;)
		kill(found[i], SIGKILL);
	int r = pending ? jail_finish(jail, &err) : 0;
	check(r == 0 || r == -ECHILD, "pending, and its zygote is killed: %s", err.text);
	jail_free(jail);
	check_it_runs("after that");
}

static void test_pending_child_killed(void)
{
	struct jail_error err = {.errnum = 0};
	bool pending;
	struct jail *jail = begin("0", &pending);
	struct pollfd due = {.fd = jail_pending_fd(jail), .events = POLLIN};
	struct jail_result result;
	pid_t found[PIDS_MOST];
	siginfo_t info;

	check(pending && poll(&due, 1, 10000) == 1, "a child is there");
	check(find_children(found, false) == 1 && kill(found[0], SIGKILL) == 0 &&
		      waitid(P_PID, (id_t)found[0], &info, WEXITED | WNOWAIT) == 0,
	      "and killed");
	int r = jail_finish(jail, &err);
	if (r == 0)
		r = jail_wait(jail, &result, &err);
	check(r == -ECHILD, "that is told, there or at its end: %s", err.text);
	check(jail_finish(jail, &err) == -EINVAL, "it is not pending twice: %s",
	      err.text);
	jail_free(jail);
}

int main(void)
{
	long fds = count_fds();

	template = make_template();
	test_many();
	test_pending_freed();
	test_pending_child_killed();
	jail_template_free(template);
	for (unsigned us = 0; us < 2000; us += 100) {
		template = make_template();
		test_pending_zygote_killed(us);
		jail_template_free(template);
	}
	check(!has_children(), "no process is left");
	/* That of the inmate stays open. */
	check(count_fds() == fds + 1, "no descriptor is left open");
	return tap_end();
}
