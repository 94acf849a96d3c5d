/* SPDX-License-Identifier: MIT */
/*
 * What a zygote is, and that nothing that becomes of it costs a jail.
 */
#include <dirent.h>
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/own.h"
#include "tests/escape/outside.h"
#include "tests/escape/zygotes.h"

static void look_at_descriptors(pid_t pid)
{
	char path[64], link[64];
	unsigned sockets = 0, others = 0;
	struct dirent *entry;

	snprintf(path, sizeof(path), "/proc/%ld/fd", (long)pid);
	DIR *dir = opendir(path);
	while (dir && (entry = readdir(dir))) {
		ssize_t n = readlinkat(dirfd(dir), entry->d_name, link, sizeof(link) - 1);
		link[n > 0 ? n : 0] = '\0';
		sockets += !strncmp(link, "socket:", 7);
		others += n > 0 && strncmp(link, "socket:", 7) != 0;
	}
	if (dir)
		closedir(dir);
	check(sockets == 3 && others == 0,
	      "a zygote has its socket open and nothing of its owner's: %u, %u", sockets,
	      others);
}

static unsigned count_libraries(pid_t pid)
{
	static char maps[1 << 18];
	unsigned count = 0;

	proc_text(pid, "maps", maps, sizeof(maps));
	for (const char *at = maps; (at = strstr(at, " r-xp ")); at++)
		count += strcspn(at, "/") < strcspn(at, "\n");
	return count;
}

/* Signals that are for the owner, or for all of his group or his cgroup, do not end it. */
static void look_at_signals(pid_t pid)
{
	kill(pid, SIGTERM);
	kill(pid, SIGINT);
	kill(pid, SIGHUP);
	check_it_runs("after SIGTERM, SIGINT and SIGHUP");
	check(kill(pid, 0) == 0 && is_zygote(pid), "they do not end a zygote");
	check(getsid(pid) == pid, "it has a session of its own");
}

static void test_zygote(void)
{
	pid_t pid = the_zygote();
	unsigned ours = count_libraries(getpid()), its = count_libraries(pid);

	look_at_descriptors(pid);
	/* But for libm, which it does not call. Under a sanitizer it may call anything. */
	check(its + !QUOD_SANITIZED == ours, "of %u modules it has %u", ours, its);
	check(is_rooted(pid) || !in_root_mode(),
	      "where it may, an empty root is all that it has mounted");
	look_at_signals(pid);
}

/* --- what becomes of it ---------------------------------------------------------- */

static void test_killed(void)
{
	pid_t pid = the_zygote(), found[PIDS_MOST];

	kill(pid, SIGKILL);
	check_it_runs("its zygote was killed");
	rest();
	check_it_runs("a moment later");
	check(find_zygotes(found) == 1 && found[0] != pid, "and there is another");
}

static void test_stopped(void)
{
	pid_t pid = the_zygote();

	kill(pid, SIGSTOP);
	check_it_runs("its zygote was stopped");
	check(kill(pid, 0) < 0 && errno == ESRCH, "that zygote is gone");
	rest();
	check_it_runs("after it");
}

/* What it cloned and did not tell of is nobody's otherwise: a process that waits, or one
 * that is never reaped. Its answers go to its descriptor 1. */
static void test_untold_here(void)
{
	pid_t found[PIDS_MOST];

	if (!check(deny_call(SYS_sendto, ~0u, 1, EIO), "untold: a filter is on"))
		return;
	template = make_template();
	check_it_runs("untold");
	check(find_zygotes(found) == 0, "untold: the zygote has gone");
	check(!has_children(), "untold: nothing that it cloned is left");
	check_it_runs("untold, and again");
	jail_template_free(template);
	check(!has_children(), "untold: nothing is left");
}

/* None is born; and why no jail can be cloned is what cloning without a zygote says. */
static void test_no_clone_here(void)
{
	struct jail_error err = {.errnum = 0};
	struct jail_spec spec = template_spec("exit", "0");
	struct outcome outcome;

	template = make_template();
	if (!check(deny_call(SYS_clone3, 0, 0, EPERM), "no clone3: a filter is on"))
		return;
	check(jail_template_make(&spec.template, &err) == -EPERM,
	      "no clone3: no template: %s", err.text);
	kill(the_zygote(), SIGKILL);
	spec.template = template;
	outcome = run_spec(&spec);
	check(outcome.r == -EPERM && strstr(outcome.err.text, "namespaces"),
	      "no clone3: no jail, and why: %s", outcome.err.text);
	jail_template_free(template);
}

/* A fork has no part in its parent's zygotes: their children would not be its own. */
static void test_fork_here(void)
{
	pid_t found[PIDS_MOST];

	check_it_runs("in a fork");
	jail_template_free(template);
	check(find_zygotes(found) == 0 && !has_children(), "in a fork: none is its own");
}

/* Of an owner who closes what he does not know the template has lost all it had. */
static void test_closed_here(void)
{
	int first = dup(STDIN_FILENO);

	close(first);
	template = make_template();
	check(syscall(SYS_close_range, first, ~0u, 0) == 0,
	      "closed: nothing is left open of a template");
	check_it_runs("closed");
	check_it_runs("closed, and again");
}

/* Reported with its number, killed, and gone with its zygote. */
static void test_owner_killed(void)
{
	struct pollfd ended = {.events = POLLIN};
	pid_t told[PIDS_MOST] = {0}, pid;
	int back[2];

	if (pipe2(back, O_CLOEXEC) < 0)
		return;
	pid = fork();
	if (pid == 0) {
		struct jail_template *made = NULL;
		if (jail_template_make(&made, NULL) < 0 || find_zygotes(told) != 1 ||
		    write(back[1], told, sizeof(told[0])) != (ssize_t)sizeof(told[0]))
			_exit(1);
		for (;;)
			pause();
	}
	close(back[1]);
	bool heard = read(back[0], told, sizeof(told[0])) == (ssize_t)sizeof(told[0]);
	close(back[0]);
	ended.fd = heard ? (int)syscall(SYS_pidfd_open, told[0], 0) : -1;
	check(ended.fd >= 0, "its owner has a zygote");
	kill(pid, SIGKILL);
	check(poll(&ended, 1, 10000) == 1, "its owner is killed: it ends with him");
	waitpid(pid, NULL, 0);
	close_fd(ended.fd);
}

int main(void)
{
	long fds = count_fds();

	if (!dlopen("libm.so.6", RTLD_NOW))
		return 99;
	template = make_template();
	test_zygote();
	test_killed();
	test_stopped();
	check_apart("a fork", test_fork_here);
	check_it_runs("after a fork");
	test_owner_killed();
	jail_template_free(template);
	check(!has_children(), "no process is left");
	check_apart("closed", test_closed_here);
	check_apart("untold", test_untold_here);
	check_apart("no clone3", test_no_clone_here);
	/* That of the inmate stays open. */
	check(count_fds() == fds + 1, "no descriptor is left open");
	return tap_end();
}
