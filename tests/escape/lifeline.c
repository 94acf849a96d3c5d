/* SPDX-License-Identifier: MIT */
/*
 * A supervisor that is killed takes its jails along, whenever it happens: with a guest
 * that spins and would never notice a closed pipe, and at random moments of set-up.
 */
#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "base/own.h"
#include "tests/escape/harness.h"

#define ROUNDS 200

/* Waits until every writer of a pipe is gone. */
static bool ended(int fd, int timeout_ms)
{
	struct pollfd pfd = {.fd = fd, .events = POLLIN};
	char rest[4096];

	while (poll(&pfd, 1, timeout_ms) > 0)
		if (read(fd, rest, sizeof(rest)) == 0)
			return true;
	return false;
}

/*
 * Forks a supervisor that starts a spinning jail. Everything it makes inherits the write
 * end of `alive`... except that the jail closes what it inherits, so the jail's own
 * output pipe is handed over instead: it ends when the last process of the jail ends.
 */
static pid_t fork_supervisor(int *ret_pidfd)
{
	int to_us[2];

	if (pipe(to_us) < 0)
		return -1;
	pid_t pid = fork();
	if (pid == 0) {
		struct jail_spec spec = inmate_spec("spin", "");
		struct jail *jail = start_ready(&spec);
		long guest = jail ? jail_pid(jail) : -1;
		if (write(to_us[1], &guest, sizeof(guest)) < 0)
			_exit(1);
		for (;;)
			pause();
	}
	close(to_us[1]);
	long guest = -1;
	if (read(to_us[0], &guest, sizeof(guest)) != (ssize_t)sizeof(guest))
		guest = -1;
	close(to_us[0]);
	*ret_pidfd = guest > 0 ? (int)syscall(SYS_pidfd_open, guest, 0) : -1;
	return pid;
}

static void test_spinning_guest_dies_with_it(void)
{
	int guest = -1;
	pid_t supervisor = fork_supervisor(&guest);

	check(guest >= 0, "a supervisor of its own has a guest that spins");
	struct pollfd pfd = {.fd = guest, .events = POLLIN};
	check(poll(&pfd, 1, 0) == 0, "the guest lives while the supervisor does");
	kill(supervisor, SIGKILL);
	waitpid(supervisor, NULL, 0);
	check(poll(&pfd, 1, 10000) == 1, "SIGKILL of the supervisor ends the guest");
	close_fd(guest);
}

/* Set-up is killed after a random number of nanoseconds. The child has copies of a pipe's
 * write end until exec closes them; the guest, once started, must end as well: the
 * inmate writes to it no more, so orphans are found by adopting them as a subreaper. */
static void kill_at(long ns)
{
	pid_t pid = fork();

	if (pid == 0) {
		struct jail_spec spec = inmate_spec("spin", "");
		struct jail_error err;
		struct jail *jail = NULL;
		jail_start(&spec, &jail, &err);
		for (;;)
			pause();
	}
	nanosleep(&(struct timespec){.tv_nsec = ns}, NULL);
	kill(pid, SIGKILL);
	waitpid(pid, NULL, 0);
}

/* Orphans of killed supervisors come to us; all must end by themselves. */
static bool all_adopted_end(int timeout_ms)
{
	for (int waited = 0; waited <= timeout_ms; waited += 10) {
		pid_t pid;
		while ((pid = waitpid(-1, NULL, WNOHANG)) > 0)
			continue;
		if (pid < 0 && errno == ECHILD)
			return true;
		poll(NULL, 0, 10);
	}
	return false;
}

static void test_killed_at_any_moment(void)
{
	prctl(PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0);
	unsigned seed = 20260101;
	for (int i = 0; i < ROUNDS; i++)
		kill_at((long)(rand_r(&seed) % 4000000));
	check(all_adopted_end(10000),
	      "supervisor killed at %d random moments: nothing lives on", ROUNDS);
}

/* Two jails of one supervisor: the second's child holds a copy of the first's pipes. */
static void test_siblings_do_not_keep_each_other(void)
{
	struct jail_spec spec = inmate_spec("pause", "");
	struct jail *one = start_ready(&spec);
	struct jail_spec other = inmate_spec("pause", "");
	struct jail *two = start_ready(&other);

	if (!one || !two)
		return;
	jail_kill(one, NULL);
	check(ended(jail_fd(one, JAIL_FD_OUT), 10000),
	      "a jail's output ends though its sibling lives");
	jail_free(one);
	jail_free(two);
}

int main(void)
{
	test_spinning_guest_dies_with_it();
	test_siblings_do_not_keep_each_other();
	test_killed_at_any_moment();
	return tap_end();
}
