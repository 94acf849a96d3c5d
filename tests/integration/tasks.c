/* SPDX-License-Identifier: MIT */
/*
 * A static program that makes processes and threads in its jail, in the way that its
 * argument names, and says what came of it; for tasks.sh.
 */
#include <errno.h>
#include <limits.h>
#include <linux/futex.h>
#include <linux/sched.h>
#include <pthread.h>
#include <signal.h>
#include <spawn.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#define THREADS	  4
#define ROUNDS	  1000
#define TASKS	  4096
#define CHILDREN  3
#define WAKES	  300
#define DEADLINES 60 /* seconds, against a hang */

/* Of the program's own pages, which are read-only. */
static const _Alignas(4096) uint32_t page[1024] = {7};

static void say(const char *what)
{
	size_t len = strlen(what);

	if (write(STDOUT_FILENO, what, len) != (ssize_t)len)
		_exit(95);
}

static const char *error_name(int errnum)
{
	return errnum == EAGAIN	  ? "EAGAIN"
	       : errnum == ENOSYS ? "ENOSYS"
	       : errnum == EACCES ? "EACCES"
	       : errnum == 0	  ? "ok"
				  : strerror(errnum);
}

static void say_result(const char *what, long r)
{
	char text[128];

	snprintf(text, sizeof(text), "%s=%s\n", what, error_name(r < 0 ? errno : 0));
	say(text);
}

static _Noreturn void wait_for_ever(void)
{
	for (;;)
		sleep(1000);
}

static _Noreturn void burn_for_ever(void)
{
	for (volatile unsigned i = 0;; i++)
		continue;
}

static int pid_of(pid_t pid, int *status)
{
	while (waitpid(pid, status, 0) < 0)
		if (errno != EINTR)
			return -1;
	return 0;
}

/* --- what programs do ----------------------------------------------------------- */

static int go_fork(void)
{
	int sum = 0, status = 0;

	for (int i = 1; i <= CHILDREN; i++) {
		pid_t pid = fork();

		if (pid == 0)
			_exit(i);
		if (pid < 0 || pid_of(pid, &status) < 0)
			return 96;
		sum += WEXITSTATUS(status);
	}
	printf("sum=%d\n", sum);
	return 0;
}

static int go_vfork(void)
{
	int status = 0;
	pid_t pid = vfork();

	if (pid == 0)
		_exit(5);
	if (pid < 0 || pid_of(pid, &status) < 0)
		return 96;
	printf("status=%d\n", WEXITSTATUS(status));
	return 0;
}

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t all_there = PTHREAD_COND_INITIALIZER;
static int there, total;

static void *add(void *unused)
{
	(void)unused;
	pthread_mutex_lock(&lock);
	if (++there == THREADS)
		pthread_cond_broadcast(&all_there);
	while (there < THREADS)
		pthread_cond_wait(&all_there, &lock);
	pthread_mutex_unlock(&lock);
	for (int i = 0; i < ROUNDS; i++) {
		pthread_mutex_lock(&lock);
		total++;
		pthread_mutex_unlock(&lock);
	}
	return NULL;
}

/* Twice: a thread that has ended is no task any more. */
static int go_threads(void)
{
	pthread_t threads[THREADS];

	for (int round = 0; round < 2; round++) {
		there = 0;
		for (int i = 0; i < THREADS; i++)
			if (pthread_create(&threads[i], NULL, add, NULL) != 0)
				return 96;
		for (int i = 0; i < THREADS; i++)
			if (pthread_join(threads[i], NULL) != 0)
				return 96;
	}
	printf("total=%d\n", total);
	return 0;
}

static int go_kill(void)
{
	int status = 0;
	pid_t pid = fork();

	if (pid == 0)
		wait_for_ever();
	if (pid < 0 || kill(pid, SIGTERM) < 0 || pid_of(pid, &status) < 0)
		return 96;
	printf("signal=%d\n", WIFSIGNALED(status) ? WTERMSIG(status) : 0);
	return 0;
}

/* In memory that a child has in common with its parent: never private. */
static int go_shared(void)
{
	int *word = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS,
			 -1, 0);
	pid_t pid = word == MAP_FAILED ? -1 : fork();

	if (pid == 0) {
		__atomic_store_n(word, 1, __ATOMIC_SEQ_CST);
		syscall(SYS_futex, word, FUTEX_WAKE, 1, NULL, NULL, 0);
		wait_for_ever();
	}
	if (pid < 0)
		return 96;
	while (__atomic_load_n(word, __ATOMIC_SEQ_CST) == 0)
		if (syscall(SYS_futex, word, FUTEX_WAIT, 0, NULL, NULL, 0) < 0 &&
		    errno != EAGAIN && errno != EINTR)
			return 97;
	printf("woken\n");
	return 0;
}

/* --- how many ------------------------------------------------------------------- */

/* As many as there can be; they are left to die with us. */
static int go_count(void)
{
	int made = 0;
	pid_t pid = 0;

	while (made < TASKS && (pid = fork()) > 0)
		made++;
	if (pid == 0)
		wait_for_ever();
	printf("made=%d %s\n", made, error_name(errno));
	return 0;
}

static void *idle(void *unused)
{
	(void)unused;
	wait_for_ever();
}

static int go_count_threads(void)
{
	pthread_attr_t small;
	pthread_t thread;
	int made = 0, r = 0;

	pthread_attr_init(&small);
	pthread_attr_setstacksize(&small, 64 * 1024);
	while (made < TASKS && (r = pthread_create(&thread, &small, idle, NULL)) == 0)
		made++;
	printf("made=%d %s\n", made, error_name(r));
	return 0;
}

/* The same, and stays until it is told to go. */
static int go_hold(void)
{
	char byte;
	int r = go_count();

	fflush(stdout);
	return read(STDIN_FILENO, &byte, 1) < 0 ? 95 : r;
}

/* --- what must come to an end --------------------------------------------------- */

static int go_bomb(void)
{
	say("ready\n");
	while (getpid() > 0)
		fork();
	return 0;
}

/* A child that holds our pipes is still there when we go. */
static int go_early(void)
{
	pid_t pid = fork();

	if (pid == 0)
		wait_for_ever();
	say("gone\n");
	return pid < 0 ? 96 : 7;
}

/* All at once; without a cgroup their time is known when they have been waited for, and
 * each of them has a limit of its own. */
static int go_burn(void)
{
	for (int i = 0; i < CHILDREN; i++)
		if (fork() == 0)
			burn_for_ever();
	while (wait(NULL) > 0)
		continue;
	wait_for_ever();
}

/* One after another, each with little: only their sum is much. */
static int go_relay(void)
{
	for (;;) {
		int status;
		pid_t pid = fork();

		if (pid == 0)
			while (clock() < CLOCKS_PER_SEC / 20)
				continue;
		if (pid == 0)
			_exit(0);
		if (pid < 0 || pid_of(pid, &status) < 0)
			return 96;
	}
}

/* --- what stays refused --------------------------------------------------------- */

static void try_clone(const char *name, unsigned long flags)
{
	long r = syscall(SYS_clone, flags | SIGCHLD, 0, 0, 0, 0);

	if (r == 0)
		_exit(0);
	say_result(name, r);
}

static int go_refused(void)
{
	static const char *const nothing[] = {NULL};
	char *const *argv = (char *const *)(uintptr_t)nothing;
	struct clone_args args = {.exit_signal = SIGCHLD};
	pid_t pid;

	try_clone("newns", CLONE_NEWNS);
	try_clone("newcgroup", CLONE_NEWCGROUP);
	try_clone("newuts", CLONE_NEWUTS);
	try_clone("newipc", CLONE_NEWIPC);
	try_clone("newuser", CLONE_NEWUSER);
	try_clone("newpid", CLONE_NEWPID);
	try_clone("newnet", CLONE_NEWNET);
	try_clone("newtime", 0x80);
	try_clone("parent", CLONE_PARENT);
	try_clone("ptrace", CLONE_PTRACE);
	try_clone("pidfd", CLONE_PIDFD);
	try_clone("plain", 0);
	say_result("clone3", syscall(SYS_clone3, &args, sizeof(args)));
	say_result("execve", execve("/bin/true", argv, argv));
	say_result("execveat", syscall(SYS_execveat, 0, "", argv, argv, 0x1000));
	errno = posix_spawn(&pid, "/bin/true", NULL, NULL, argv, argv);
	say_result("spawn", errno ? -1 : 0);
	return 0;
}

static int go_violate(void)
{
	if (fork() == 0)
		socket(AF_INET, SOCK_STREAM, 0);
	wait_for_ever();
}

/* --- two jails ------------------------------------------------------------------ */

static const volatile uint32_t *page_word(void)
{
	return (const volatile uint32_t *)page;
}

static int go_page_wait(void)
{
	const struct timespec most = {.tv_sec = DEADLINES};

	say("ready\n");
	long r = syscall(SYS_futex, page_word(), FUTEX_WAIT, 7, &most, NULL, 0);
	say(r == 0 ? "woken\n" : "not woken\n");
	return 0;
}

static int go_page_wake(void)
{
	const struct timespec pause_ns = {.tv_nsec = 1000000};
	long woken = 0;

	for (int i = 0; i < WAKES; i++) {
		long r = syscall(SYS_futex, page_word(), FUTEX_WAKE, INT_MAX, NULL, NULL,
				 0);

		woken += r > 0 ? r : 0;
		nanosleep(&pause_ns, NULL);
	}
	printf("woke=%ld\n", woken);
	return 0;
}

/* Both in one jail: there it must be possible, or nothing is learned from two. */
static int go_page_both(void)
{
	if (fork() == 0)
		_exit(go_page_wait());
	return go_page_wake();
}

int main(int argc, char **argv)
{
	static const struct {
		const char *name;
		int (*go)(void);
	} ways[] = {
		{"fork", go_fork},
		{"vfork", go_vfork},
		{"threads", go_threads},
		{"kill", go_kill},
		{"shared", go_shared},
		{"count", go_count},
		{"count-threads", go_count_threads},
		{"hold", go_hold},
		{"bomb", go_bomb},
		{"early", go_early},
		{"burn", go_burn},
		{"relay", go_relay},
		{"refused", go_refused},
		{"violate", go_violate},
		{"page-wait", go_page_wait},
		{"page-wake", go_page_wake},
		{"page-both", go_page_both},
	};

	for (size_t i = 0; argc == 2 && i < sizeof(ways) / sizeof(ways[0]); i++)
		if (strcmp(argv[1], ways[i].name) == 0)
			return ways[i].go();
	return 98;
}
