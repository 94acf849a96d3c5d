/* SPDX-License-Identifier: MIT */
/*
 * Jails of a template: what they have in common, what they do not, and what becomes of who
 * makes them, which is nothing. What such a jail refuses is tried by attacks.c.
 */
#include <errno.h>
#include <sched.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mount.h>
#include <unistd.h>

#include "tests/escape/outside.h"
#include "tests/escape/zygotes.h"

/* --- what such jails are -------------------------------------------------------- */

static void look_together(long one, long other)
{
	check(look_at(one, "root").st_dev == look_at(other, "root").st_dev,
	      "in a template: the roots are one file system");
	check(look_at(one, "root/..").st_dev == look_at(one, "root").st_dev,
	      "in a template: the lid is as empty");
}

static void look_alone(long one, long other)
{
	check(look_at(one, "root").st_dev != look_at(other, "root").st_dev,
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
	check(look_at(one, "ns/mnt").st_ino != look_at(other, "ns/mnt").st_ino &&
		      look_at(one, "ns/mnt").st_ino != look_at(0, "ns/mnt").st_ino,
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
	struct stat before = look_at(0, "ns/mnt");
	long mounts = count_mounts(getpid());
	bool all = true;

	for (int i = 0; i < 50; i++) {
		struct jail_spec spec = template_spec("exit", "0");
		struct outcome outcome = run_spec(&spec);
		all = all && outcome.r == 0 && outcome.result.exit_code == 0;
	}
	check(all, "50 jails of one template ran");
	check(look_at(0, "ns/mnt").st_ino == before.st_ino,
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

int main(void)
{
	static char dir[4096];
	const char *tmp = getenv("TMPDIR");
	long fds = count_fds();

	if (chdir(tmp ? tmp : "/tmp") < 0 || !getcwd(dir, sizeof(dir)))
		return 99;
	template = make_template();
	with_two(template_spec, look_at_mounts);
	with_two(template_spec, is_rooted(the_zygote()) ? look_together : look_alone);
	with_two(inmate_spec, look_alone);
	test_refusals();
	test_long_orders();
	test_maker(dir);
	jail_template_free(template);
	check(!has_children(), "no process is left");
	if (in_root_mode()) {
		check_apart("shared", test_shared_here);
		check_apart("chroot", test_chroot_here);
	}
	/* That of the inmate stays open. */
	check(count_fds() == fds + 1, "no descriptor is left open");
	return tap_end();
}
