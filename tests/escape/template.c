/* SPDX-License-Identifier: MIT */
/*
 * Jails that begin in a template: what they have in common, what they do not, and what
 * becomes of the one who makes them. What such a jail refuses is tried by attacks.c.
 */
#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/own.h"
#include "tests/escape/harness.h"
#include "tests/escape/outside.h"

static struct jail_template *template;

static struct jail_spec template_spec(const char *name, const char *arg)
{
	struct jail_spec spec = inmate_spec(name, arg);

	spec.limits.open_files = 0;
	spec.template = template;
	return spec;
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

static void look_together(long one, long other)
{
	outside_mounts("in a template", one);
	outside_mounts("in a template, beside another", other);
	check(look(one, "root").st_dev == look(other, "root").st_dev,
	      "in a template: the roots are one file system");
	check(look(one, "ns/mnt").st_ino != look(other, "ns/mnt").st_ino &&
		      look(one, "ns/mnt").st_ino != look(0, "ns/mnt").st_ino,
	      "in a template: each has a mount namespace of its own");
	check(count_mounts(one) == 2,
	      "in a template: the root and its lid are all that is mounted");
	check(look(one, "root/..").st_dev == look(one, "root").st_dev,
	      "in a template: the lid is as empty");
}

static void look_alone(long one, long other)
{
	check(look(one, "root").st_dev != look(other, "root").st_dev,
	      "without a template: two file systems");
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

static void test_files(void)
{
	struct jail_spec spec = template_spec("exit", "0");
	struct outcome outcome;

	spec.limits.open_files = 1;
	outcome = run_spec(&spec);
	check(outcome.r == -EINVAL && strstr(outcome.err.text, "open_files"),
	      "a template is not for a jail that may open files: %s", outcome.err.text);
}

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

static void test_chroot_here(void)
{
	const char *tmp = getenv("TMPDIR");
	struct jail_template *made = NULL;
	struct jail_error err = {.errnum = 0};
	int r;

	if (chroot(tmp ? tmp : "/tmp") < 0) {
		check(false, "chroot: %s", strerror(errno));
		return;
	}
	r = jail_template_make(&made, &err);
	check(r < 0 && !made, "no template for who lives in a chroot: %s", err.text);
}

/* The descriptor of the mount namespace that we live in. */
static unsigned way_home(void)
{
	ino_t home = look(0, "ns/mnt").st_ino;
	struct stat st;
	unsigned fd = 0;

	while (fd < 1024 && (fstat((int)fd, &st) < 0 || st.st_ino != home))
		fd++;
	return fd;
}

/* Who stayed in the template would see no host, and nothing would tell him so. */
static void test_no_way_back(void)
{
	const struct rlimit no_core = {0, 0};
	struct jail_spec spec = template_spec("pause", "");
	struct jail_error err;
	struct jail *jail;
	int status = 0;
	pid_t pid = fork();

	if (pid == 0) {
		if (setrlimit(RLIMIT_CORE, &no_core) < 0 ||
		    !deny_call(SYS_setns, ~0u, way_home(), ENOMEM))
			_exit(99);
		(void)jail_start(&spec, &jail, &err);
		_exit(1);
	}
	waitpid(pid, &status, 0);
	check(WIFSIGNALED(status) && WTERMSIG(status) == SIGABRT,
	      "a maker who cannot come back is aborted: wait status %d", status);
}

static void check_it_runs(const char *what)
{
	struct jail_spec spec = template_spec("exit", "7");
	struct outcome outcome = run_spec(&spec);

	check(outcome.r == 0 && outcome.result.exit_code == 7, "%s: the jail runs: %s",
	      what, outcome.err.text);
}

static void test_no_way_in_here(void)
{
	check(deny_call(SYS_setns, 0, 0, EPERM), "no way in: a filter is on");
	check_it_runs("no way in");
}

/* The directory may be another's, who closes it. */
static void test_closed_here(void)
{
	char here[16] = "";

	check(deny_call(SYS_fchdir, 0, 0, EACCES),
	      "a directory that is closed: a filter is on");
	check_it_runs("a directory that is closed");
	check(getcwd(here, sizeof(here)) && !strcmp(here, "/"),
	      "a directory that is closed: he stands in '/'");
}

/* Who may not enter mount namespaces is told, and has his jails without one. */
static void test_unprivileged(int r, const struct jail_error *err)
{
	struct outcome outcome;

	check(!in_root_mode() && r == -EPERM, "no template: %s", err->text);
	outcome = run_inmate("exit", "7");
	check(outcome.r == 0 && outcome.result.exit_code == 7,
	      "without one there are jails all the same");
}

int main(void)
{
	static char dir[4096];
	const char *tmp = getenv("TMPDIR");
	struct jail_error err = {.errnum = 0};
	long fds = count_fds();
	int r;

	if (chdir(tmp ? tmp : "/tmp") < 0 || !getcwd(dir, sizeof(dir)))
		return 99;
	r = jail_template_make(&template, &err);
	if (r < 0) {
		test_unprivileged(r, &err);
	} else {
		with_two(template_spec, look_together);
		with_two(inmate_spec, look_alone);
		test_files();
		test_maker(dir);
		check_apart("chroot", test_chroot_here);
		check_apart("no way in", test_no_way_in_here);
		check_apart("a directory that is closed", test_closed_here);
		test_no_way_back();
		jail_template_free(template);
	}
	/* That of the inmate stays open. */
	check(count_fds() == fds + 1, "no descriptor is left open");
	return tap_end();
}
