/* SPDX-License-Identifier: MIT */
/*
 * A write to a description of our own that does not block never sleeps. Where there is no
 * such description, because the terminal or pipe belongs to somebody else or is a socket,
 * poll is not enough: a terminal is writable with less room than the write needs, and
 * whoever shares a pipe may have filled or emptied it since. Asleep in there we would see
 * neither deadline nor signal, and the guest could choose the moment.
 *
 * There a timer sends us a signal whose handler does nothing: the call ends with EINTR or
 * with what it has done, and the loop comes round. It comes again and again, because one
 * that arrives just before the call wakes nobody. Who needs no timer has none.
 *
 * Not alarm(2): our caller may have set that one for us, for it survives execve. SIGURG
 * is a signal that does nothing to those who know nothing of it.
 */
#include "supervisor/awake.h"

#include <errno.h>
#include <signal.h>
#include <stdbool.h>
#include <time.h>

#include "base/file.h"

/* By so much a deadline may be missed. */
#define ROUND_NS 20000000

/* Of this process, as its signals are. */
static bool may_sleep;

void awake_at_writes(int fd)
{
	if (!file_unblock(fd))
		may_sleep = true;
}

/* Not opened anew: of a FIFO that has no writer left a new description sees no end. */
void awake_at_reads(int fd)
{
	if (file_may_sleep(fd))
		may_sleep = true;
}

static void wake(int sig)
{
	(void)sig;
}

/* Without SA_RESTART, which would send us back to sleep. */
static void catch_signal(void)
{
	const struct sigaction action = {.sa_handler = wake};
	sigset_t set;

	sigaction(SIGURG, &action, NULL);
	sigemptyset(&set);
	sigaddset(&set, SIGURG);
	sigprocmask(SIG_UNBLOCK, &set, NULL);
}

int awake_start(void)
{
	const struct itimerspec rounds = {.it_interval = {.tv_nsec = ROUND_NS},
					  .it_value = {.tv_nsec = ROUND_NS}};
	struct sigevent event = {.sigev_notify = SIGEV_SIGNAL, .sigev_signo = SIGURG};
	timer_t timer;

	if (!may_sleep)
		return 0;
	catch_signal();
	if (timer_create(CLOCK_MONOTONIC, &event, &timer) < 0 ||
	    timer_settime(timer, 0, &rounds, NULL) < 0)
		return -errno;
	return 0;
}
