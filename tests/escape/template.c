/* SPDX-License-Identifier: MIT */
/*
 * Jails of a template: what they have in common, what they do not, what the zygotes are
 * that clone them, and that nothing that becomes of a zygote costs a jail. What such a jail
 * refuses is tried by attacks.c.
 */
#include <dirent.h>
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <poll.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mount.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/own.h"
#include "tests/escape/harness.h"
#include "tests/escape/outside.h"

/* More than there are zygotes. */
#define MANY 12

#define PIDS_MOST 64

static struct jail_template *template;

static struct jail_spec template_spec(const char *name, const char *arg)
{
	struct jail_spec spec = inmate_spec(name, arg);

	spec.limits.open_files = 0;
	spec.template = template;
	return spec;
}

static struct jail_template *make_template(void)
{
	struct jail_error err = {.errnum = 0};
	struct jail_template *made = NULL;
	int r = jail_template_make(&made, &err);

	check(r == 0 && made, "a template is made: %s", err.text);
	return made;
}

/* What "/proc/PID/NAME" leads to; PID 0 is our own. */
static struct stat look(long pid, const char *name)
{
	struct stat st = {.st_ino = 0};
	char path[64];

	if (pid)
		snprintf(path, sizeof(path), "/proc/%ld/%s", pid, name);
	else
		snprintf(path, sizeof(path), "/proc/self/%s", name);
	if (stat(path, &st) < 0)
		check(false, "look at %s: %s", path, strerror(errno));
	return st;
}

/* A child of one has its name until it executes something, but another namespace. */
static bool is_zygote(pid_t pid)
{
	char comm[32] = "";

	return proc_text(pid, "comm", comm, sizeof(comm)) &&
	       !strcmp(comm, "jail-zygote\n") &&
	       look(pid, "ns/user").st_ino == look(0, "ns/user").st_ino;
}

/* Children of ours that are zygotes, or that are not. */
static unsigned find_children(pid_t found[PIDS_MOST], bool zygotes)
{
	char path[64], text[4096] = "", *at = text, *end;
	unsigned count = 0;

	snprintf(path, sizeof(path), "task/%ld/children", (long)getpid());
	proc_text(getpid(), path, text, sizeof(text));
	for (long pid; (pid = strtol(at, &end, 10)) > 0 && count < PIDS_MOST; at = end)
		if (is_zygote((pid_t)pid) == zygotes)
			found[count++] = (pid_t)pid;
	return count;
}

static unsigned find_zygotes(pid_t found[PIDS_MOST])
{
	return find_children(found, true);
}

static pid_t the_zygote(void)
{
	pid_t found[PIDS_MOST];

	if (find_zygotes(found) >= 1)
		return found[0];
	check(false, "there is a zygote");
	exit(tap_end());
}

/* Root may make mount namespaces; others may be able to as well. */
static bool is_rooted(pid_t zygote)
{
	return count_mounts(zygote) == 1;
}

static bool has_children(void)
{
	return waitpid(-1, NULL, WNOHANG) >= 0 || errno != ECHILD;
}

static void check_it_runs(const char *what)
{
	struct jail_spec spec = template_spec("exit", "7");
	struct outcome outcome = run_spec(&spec);

	check(outcome.r == 0 && outcome.result.exit_code == 7, "%s: the jail runs: %s",
	      what, outcome.err.text);
}

/* --- what such jails are -------------------------------------------------------- */

static void look_together(long one, long other)
{
	check(look(one, "root").st_dev == look(other, "root").st_dev,
	      "in a template: the roots are one file system");
	check(look(one, "root/..").st_dev == look(one, "root").st_dev,
	      "in a template: the lid is as empty");
}

static void look_alone(long one, long other)
{
	check(look(one, "root").st_dev != look(other, "root").st_dev,
	      "two roots are two file systems");
}

static void look_at_process(long pid)
{
	char text[64] = "";

	check(proc_text(pid, "oom_score_adj", text, sizeof(text)) &&
		      !strcmp(text, "1000\n"),
	      "in a template: it goes first when memory runs out: %s", text);
	check(getpgid((pid_t)pid) == pid, "in a template: it leads a group of its own");
	check(getsid((pid_t)pid) != getsid(0), "in a template: its session is not ours");
	outside_descriptors("in a template", pid);
	outside_terminal("in a template", pid);
	outside_memory("in a template", pid);
	outside_capabilities("in a template", pid);
}

static void look_at_mounts(long one, long other)
{
	outside_mounts("in a template", one);
	outside_mounts("in a template, beside another", other);
	check(look(one, "ns/mnt").st_ino != look(other, "ns/mnt").st_ino &&
		      look(one, "ns/mnt").st_ino != look(0, "ns/mnt").st_ino,
	      "in a template: each has a mount namespace of its own");
	check(count_mounts(one) == 2,
	      "in a template: the root and its lid are all that is mounted");
	look_at_process(one);
}

/* Two that live at the same time: the number of a file system is used again. */
static void with_two(struct jail_spec (*make)(const char *name, const char *arg),
		     void (*judge)(long one, long other))
{
	struct jail_spec spec = make("pause", "");
	struct jail *one = start_ready(&spec), *other;

	spec = make("pause", "");
	other = start_ready(&spec);
	if (one && other)
		judge(jail_pid(one), jail_pid(other));
	jail_free(one);
	jail_free(other);
}

static void test_refusals(void)
{
	static struct sock_filter code[] = {{.code = 6, .k = 0x7fff0000}};
	struct jail_spec spec = template_spec("exit", "0");
	struct outcome outcome;

	spec.limits.open_files = 1;
	outcome = run_spec(&spec);
	check(outcome.r == -EINVAL && strstr(outcome.err.text, "open_files"),
	      "a template is not for a jail that may open files: %s", outcome.err.text);
	spec = template_spec("exit", "0");
	spec.filter = spec.notify_filter = (struct sock_fprog){1, code};
	spec.notify_fd = 3;
	outcome = run_spec(&spec);
	check(outcome.r == -EINVAL && strstr(outcome.err.text, "notify_filter"),
	      "nor for one with a filter that tells: %s", outcome.err.text);
}

/* An order has its bounds; who has more to say has his jail all the same. */
static void test_long_orders(void)
{
	static char big[40000];
	static char name[] = "inmate", what[] = "exit", code[] = "7", none[] = "";
	static char *many[] = {name, what, code, none, none,
			       none, none, none, none, NULL};
	struct jail_spec spec = template_spec("exit", "7");
	struct outcome outcome;

	spec.argv = many;
	outcome = run_spec(&spec);
	check(outcome.r == 0 && outcome.result.exit_code == 7,
	      "with many arguments the jail runs: %s", outcome.err.text);
	memset(big, 'x', sizeof(big) - 1);
	many[3] = big;
	many[4] = NULL;
	spec = template_spec("exit", "7");
	spec.argv = many;
	outcome = run_spec(&spec);
	check(outcome.r == 0 && outcome.result.exit_code == 7,
	      "with a long one it runs too: %s", outcome.err.text);
}

/* --- who makes them -------------------------------------------------------------- */

/* Who makes jails is where he was, and so is the host. */
static void test_maker(const char *dir)
{
	static char here[4096];
	struct stat before = look(0, "ns/mnt");
	long mounts = count_mounts(getpid());
	bool all = true;

	for (int i = 0; i < 50; i++) {
		struct jail_spec spec = template_spec("exit", "0");
		struct outcome outcome = run_spec(&spec);
		all = all && outcome.r == 0 && outcome.result.exit_code == 0;
	}
	check(all, "50 jails of one template ran");
	check(look(0, "ns/mnt").st_ino == before.st_ino,
	      "their maker has the mounts that he had");
	check(count_mounts(getpid()) == mounts, "no mount of the host came or went");
	check(getcwd(here, sizeof(here)) && !strcmp(here, dir),
	      "he stands where he stood: %s", here);
}

/* Without a user namespace between them a mount namespace still shares its events: the
 * empty root over "/" would be put over the maker's own. */
static void test_shared_here(void)
{
	long mounts;

	if (!check(unshare(CLONE_NEWNS) == 0 &&
			   mount(NULL, "/", NULL, MS_REC | MS_SHARED, NULL) == 0,
		   "shared: mounts that share their events: %s", strerror(errno)))
		return;
	mounts = count_mounts(getpid());
	template = make_template();
	check_it_runs("shared");
	check(count_mounts(getpid()) == mounts, "shared: no mount came or went");
	check(access("/proc/self", F_OK) == 0, "shared: the maker's root is his own");
	jail_template_free(template);
}

/* Who lives in a chroot may make no user namespace: the same with a template. */
static void test_chroot_here(void)
{
	const char *tmp = getenv("TMPDIR");
	struct jail_spec spec = inmate_spec("exit", "0");
	struct outcome without, with;

	if (chroot(tmp ? tmp : "/tmp") < 0) {
		check(false, "chroot: %s", strerror(errno));
		return;
	}
	spec.limits.open_files = 0;
	without = run_spec(&spec);
	if (jail_template_make(&spec.template, &with.err) < 0)
		spec.template = NULL;
	with = run_spec(&spec);
	check(with.r == without.r && with.r < 0 &&
		      !strcmp(with.err.text, without.err.text),
	      "chroot: why there is no jail is told: %s", with.err.text);
	jail_template_free(spec.template);
}

/* --- a zygote -------------------------------------------------------------------- */

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

/* So long none is started after one that had to go. */
static void rest(void)
{
	usleep(1100000);
}

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

/* --- in two halves ----------------------------------------------------------------- */

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

static void test_halves_here(void)
{
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
	check(!has_children(), "in two halves: nothing is left");
}

int main(void)
{
	static char dir[4096];
	const char *tmp = getenv("TMPDIR");
	long fds = count_fds();

	if (!dlopen("libm.so.6", RTLD_NOW) || chdir(tmp ? tmp : "/tmp") < 0 ||
	    !getcwd(dir, sizeof(dir)))
		return 99;
	template = make_template();
	with_two(template_spec, look_at_mounts);
	with_two(template_spec, is_rooted(the_zygote()) ? look_together : look_alone);
	with_two(inmate_spec, look_alone);
	test_refusals();
	test_long_orders();
	test_maker(dir);
	test_zygote();
	test_killed();
	test_stopped();
	check_apart("a fork", test_fork_here);
	check_it_runs("after a fork");
	test_owner_killed();
	jail_template_free(template);
	check(!has_children(), "no process is left");
	check_apart("untold", test_untold_here);
	check_apart("no clone3", test_no_clone_here);
	check_apart("in two halves", test_halves_here);
	if (in_root_mode()) {
		check_apart("shared", test_shared_here);
		check_apart("chroot", test_chroot_here);
	}
	/* That of the inmate stays open. */
	check(count_fds() == fds + 1, "no descriptor is left open");
	return tap_end();
}
