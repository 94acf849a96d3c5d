/* SPDX-License-Identifier: MIT */
/*
 * What the kernel counts by user, across jails: one guest can take of it and another can
 * tell how much is left. And what a process carries that could stay behind it.
 */
#include <errno.h>
#include <fcntl.h>
#include <linux/keyctl.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/fanotify.h>
#include <sys/inotify.h>
#include <sys/personality.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <unistd.h>

#include "tests/escape/inmate.h"

static long take_inotify(long number)
{
	(void)number;
	return inotify_init1(IN_CLOEXEC);
}

static long take_fanotify(long number)
{
	(void)number;
	return fanotify_init(FAN_CLASS_NOTIF | FAN_REPORT_FID | FAN_CLOEXEC, O_RDONLY);
}

static long take_key(long number)
{
	char name[32];

	snprintf(name, sizeof(name), "quod-count-%ld", number);
	return syscall(SYS_add_key, "user", name, "x", 1, KEY_SPEC_PROCESS_KEYRING);
}

/* Blocked, so that it stays pending. */
static long take_signal(long number)
{
	sigset_t set;
	union sigval value = {.sival_int = (int)number};

	sigemptyset(&set);
	sigaddset(&set, SIGRTMIN);
	sigprocmask(SIG_BLOCK, &set, NULL);
	return sigqueue(getpid(), SIGRTMIN, value);
}

/* 256 KiB at a time; the first is the pipe that we were given. */
static long take_pipe(long number)
{
	int fd[2] = {0, 1};

	if (number > 0 && pipe2(fd, O_CLOEXEC) < 0)
		return -1;
	return fcntl(fd[1], F_SETPIPE_SZ, 1 << 18);
}

static long take_process(long number)
{
	pid_t parent = getpid(), pid = fork();

	(void)number;
	if (pid == 0) {
		end_with(parent);
		for (;;)
			pause();
	}
	return pid;
}

static const struct {
	const char *name;
	long (*take)(long number);
} counts[] = {
	{"inotify", take_inotify}, {"fanotify", take_fanotify}, {"key", take_key},
	{"signal", take_signal},   {"pipe", take_pipe},		{"process", take_process},
};

static long take_up_to(const char *name, long most)
{
	for (size_t i = 0; i < COUNT(counts); i++)
		if (strcmp(counts[i].name, name) == 0) {
			long taken = 0;
			while (taken < most && counts[i].take(taken) >= 0)
				taken++;
			return taken;
		}
	_exit(98);
}

/* arg: NAME:HOW-MANY. Takes them, says how many it got, and why there were no more. */
static void take(const char *arg)
{
	char name[32] = "";
	long most = 0;

	if (sscanf(arg, "%31[^:]:%ld", name, &most) != 2)
		_exit(97);
	say("trying", name);
	long taken = take_up_to(name, most);
	if (taken < most)
		say_result("stopped", -1);
	say_number("taken", taken);
}

static void take_and_keep(const char *arg)
{
	take(arg);
	say("ready", "1");
	for (;;)
		pause();
}

/* Everything about a process that it can change and that is not memory or a file. */
static void attributes(const char *arg)
{
	struct itimerval timer;
	cpu_set_t cpus;
	sigset_t mask, pending;
	mode_t old = umask(022);

	(void)arg;
	CPU_ZERO(&cpus);
	sched_getaffinity(0, sizeof(cpus), &cpus);
	getitimer(ITIMER_REAL, &timer);
	sigprocmask(SIG_SETMASK, NULL, &mask);
	sigpending(&pending);
	say_number("umask", (long)old);
	say_number("nice", getpriority(PRIO_PROCESS, 0));
	say_number("policy", syscall(SYS_sched_getscheduler, 0));
	say_number("ioprio", syscall(SYS_ioprio_get, 1, 0));
	say_number("cpus", CPU_COUNT(&cpus));
	say_number("personality", personality(0xffffffff));
	say_number("slack", prctl(PR_GET_TIMERSLACK, 0, 0, 0, 0));
	say_number("timer", timer.it_value.tv_sec);
	say_number("blocked", sigismember(&mask, SIGUSR1));
	say_number("pending", sigismember(&pending, SIGUSR1));
	say_number("keepcaps", prctl(PR_GET_KEEPCAPS, 0, 0, 0, 0));
}

/* All of them changed. */
static void spoil_attributes(const char *arg)
{
	const struct itimerval hour = {.it_value.tv_sec = 3600};
	const struct sched_param plain = {.sched_priority = 0};
	cpu_set_t first;
	sigset_t user;

	(void)arg;
	CPU_ZERO(&first);
	CPU_SET(0, &first);
	sigemptyset(&user);
	sigaddset(&user, SIGUSR1);
	umask(0777);
	setpriority(PRIO_PROCESS, 0, 10);
	syscall(SYS_sched_setscheduler, 0, SCHED_BATCH, &plain);
	syscall(SYS_ioprio_set, 1, 0, 3 << 13);
	sched_setaffinity(0, sizeof(first), &first);
	personality(ADDR_NO_RANDOMIZE);
	prctl(PR_SET_TIMERSLACK, 777777, 0, 0, 0);
	setitimer(ITIMER_REAL, &hour, NULL);
	sigprocmask(SIG_BLOCK, &user, NULL);
	raise(SIGUSR1);
	attributes("");
}

const struct try_fn count_tries[] = {
	{"take", take},
	{"take-and-keep", take_and_keep},
	{"attributes", attributes},
	{"spoil-attributes", spoil_attributes},
	{NULL, NULL},
};
