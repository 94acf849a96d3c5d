/* SPDX-License-Identifier: MIT */
/*
 * What a guest could inherit from its caller: the terminal, capabilities, groups, a place
 * outside of a chroot. Each caller is a process of its own that gets itself into the
 * state in question.
 */
#include <errno.h>
#include <fcntl.h>
#include <grp.h>
#include <linux/capability.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "base/own.h"
#include "tests/escape/attacks.h"
#include "tests/escape/outside.h"
#include "tests/escape/programs.h"

static bool write_file(const char *path, const char *text)
{
	own_fd int fd = open(path, O_WRONLY | O_CLOEXEC);

	return fd >= 0 && write(fd, text, strlen(text)) == (ssize_t)strlen(text);
}

bool become_namespace_root(int also)
{
	char uid_map[64], gid_map[64];

	snprintf(uid_map, sizeof(uid_map), "0 %u 1", (unsigned)geteuid());
	snprintf(gid_map, sizeof(gid_map), "0 %u 1", (unsigned)getegid());
	return unshare(CLONE_NEWUSER | also) == 0 &&
	       write_file("/proc/self/setgroups", "deny") &&
	       write_file("/proc/self/gid_map", gid_map) &&
	       write_file("/proc/self/uid_map", uid_map);
}

/* clang-format off */
static const struct attack on_terminal[] = {
	{"open of /dev/tty",		"open-to-write", "/dev/tty", "ENOENT", "ENOSYS", NULL},
	{"TIOCSTI",			"type-at-terminal", "x", "ENOTTY", "ENOSYS", NULL},
	{"TIOCSTI | 1 << 32, CVE-2019-10063", "type-at-terminal-high", "x", "ENOTTY", "ENOSYS", NULL},
	{"TIOCLINUX: paste",		"paste-at-terminal", "", "ENOTTY", "ENOSYS", NULL},
	{"TIOCSCTTY",			"take-terminal", "",	"ENOTTY", "ENOSYS", NULL},
	{"TIOCGWINSZ",			"ask-terminal", "",	"ENOTTY", "ENOSYS", NULL},
};
/* clang-format on */

/* A terminal of our own, whose session we lead; on 0 and 2, since 1 is what we report by.
 */
static int take_own_terminal(void)
{
	int master = posix_openpt(O_RDWR | O_NOCTTY);
	int slave =
		master < 0 || setsid() < 0 || grantpt(master) < 0 || unlockpt(master) < 0
			? -1
			: open(ptsname(master), O_RDWR);

	if (slave < 0 || ioctl(slave, TIOCSCTTY, 0) < 0 || dup2(slave, 0) < 0 ||
	    dup2(slave, 2) < 0)
		return -1;
	return slave;
}

static void at_a_terminal(void)
{
	int waiting = -1, slave = take_own_terminal();

	check(slave >= 0, "terminal: the caller leads the session of one");
	attacks_try("terminal", on_terminal, ARRAY_LEN(on_terminal));
	struct jail_spec spec = bare_spec("pause", "");
	struct jail *jail = start_ready(&spec);
	if (jail) {
		outside_terminal("terminal: a bare jail", jail_pid(jail));
		outside_descriptors("terminal: a bare jail", jail_pid(jail));
	}
	jail_free(jail);
	check(slave >= 0 && ioctl(slave, FIONREAD, &waiting) == 0 && waiting == 0,
	      "terminal: nothing was typed at it");
}

static void quod_at_a_terminal(const char *what, const char *const *argv,
			       const char *until)
{
	struct running running;

	if (!program_start(argv, until, true, &running))
		return;
	outside_terminal(what, running.guest);
	outside_descriptors(what, running.guest);
	program_stop(&running);
}

void attack_terminal(void)
{
	const char *const exec[] = {built("quod"), "exec",  "--",
				    inmate_path(), "pause", NULL};
	const char *const run[] = {built("quod"), "run", "-e",
				   "console.log('ready=1'); for (;;);", NULL};

	check_apart("terminal", at_a_terminal);
	quod_at_a_terminal("terminal: quod exec on one", exec, "ready=1");
	quod_at_a_terminal("terminal: quod run on one", run, "ready=1");
}

/* Permitted and effective as they are; the same inheritable and ambient. */
static bool spread_capabilities(uint64_t *ret_ambient)
{
	struct __user_cap_header_struct head = {_LINUX_CAPABILITY_VERSION_3, 0};
	struct __user_cap_data_struct data[2];

	if (syscall(SYS_capget, &head, data) < 0)
		return false;
	for (int i = 0; i < 2; i++)
		data[i].inheritable = data[i].effective = data[i].permitted;
	if (syscall(SYS_capset, &head, data) < 0)
		return false;
	*ret_ambient = 0;
	for (int cap = 0; cap < 64; cap++)
		if (prctl(PR_CAP_AMBIENT, PR_CAP_AMBIENT_RAISE, cap, 0, 0) == 0)
			*ret_ambient |= (uint64_t)1 << cap;
	return *ret_ambient != 0;
}

static void full_of_capabilities(void)
{
	struct jail_spec spec = bare_spec("pause", "");
	uint64_t ambient = 0;

	/* Who has none gets them from a namespace of his own. */
	if (!spread_capabilities(&ambient) && become_namespace_root(0))
		spread_capabilities(&ambient);
	check(ambient != 0, "inheritable capabilities: the caller has some, ambient too");
	struct jail *jail = start_ready(&spec);
	if (!jail)
		return;
	outside_capabilities("inheritable capabilities: uid 0 of a bare jail",
			     jail_pid(jail));
	jail_free(jail);
}

static void quod_full_of_capabilities(void)
{
	const char *const argv[] = {built("quod"), "run", "-e",
				    "console.log('ready=1'); for (;;);", NULL};
	struct running running;
	uint64_t ambient = 0;

	if (!spread_capabilities(&ambient) && become_namespace_root(0))
		spread_capabilities(&ambient);
	if (!program_start(argv, "ready=1", false, &running))
		return;
	outside_capabilities("inheritable capabilities: quod-js", running.guest);
	program_stop(&running);
}

void attack_capabilities(void)
{
	check_apart("inheritable capabilities", full_of_capabilities);
	check_apart("inheritable capabilities", quod_full_of_capabilities);
}

/* Root mode: a caller whose groups are worth having, and whose effective gid differs. */
static void with_groups(void)
{
	const gid_t groups[] = {0, 4, 6, 42, 4242};
	struct jail_spec spec = bare_spec("pause", "");

	check(setgroups(ARRAY_LEN(groups), groups) == 0 && setresgid(0, 6, 42) == 0,
	      "front end: the caller has groups, and three different gids");
	struct jail *jail = start_ready(&spec);
	if (!jail)
		return;
	const char *ids = proc_status(jail_pid(jail), "Groups");
	check(strspn(ids, " ") == strlen(ids), "front end: no group is kept (%s)", ids);
	static const char *const keys[] = {"Uid", "Gid"};
	for (size_t i = 0; i < ARRAY_LEN(keys); i++) {
		unsigned id[4] = {0, 1, 2, 3};
		ids = proc_status(jail_pid(jail), keys[i]);
		check(sscanf(ids, "%u %u %u %u", &id[0], &id[1], &id[2], &id[3]) == 4 &&
			      id[0] && id[0] == id[1] && id[1] == id[2] && id[2] == id[3],
		      "front end: one %s for all four purposes, and not 0 (%s)", keys[i],
		      ids);
	}
	jail_free(jail);
}

/* Rootless, the kernel lets nobody drop groups; the gid is the caller's own, all four. */
static void without_privilege(void)
{
	struct jail_spec spec = bare_spec("pause", "");
	struct jail *jail = start_ready(&spec);
	unsigned id[4] = {0};
	const char *ids;

	if (!jail)
		return;
	ids = proc_status(jail_pid(jail), "Gid");
	check(sscanf(ids, "%u %u %u %u", &id[0], &id[1], &id[2], &id[3]) == 4 &&
		      id[0] == getegid() && id[0] == id[1] && id[1] == id[2] &&
		      id[2] == id[3],
	      "front end: rootless, the caller's own gid for all four purposes (%s)",
	      ids);
	jail_free(jail);
}

void attack_groups(void)
{
	check_apart("front end", in_root_mode() ? with_groups : without_privilege);
}

/* In a chroot that it stands outside of: the kernel makes no user namespace then, and a
 * jail that is not made holds nobody. */
static void attack_from_chroot_here(void)
{
	const char *tmp = getenv("TMPDIR");
	struct jail_spec spec = bare_spec("leave-by-cwd", "..");
	struct outcome outcome;

	bool outside = (chroot(tmp ? tmp : "/tmp") == 0 ||
			(become_namespace_root(0) && chroot(tmp ? tmp : "/tmp") == 0));
	check(outside, "leaked cwd: the caller stands outside of its own chroot");
	outcome = run_spec(&spec);
	check(outcome.r < 0, "leaked cwd: no jail from there: %s: %s",
	      jail_stage_name(outcome.err.stage), outcome.err.text);
}

void attack_from_chroot(void)
{
	check_apart("leaked cwd", attack_from_chroot_here);
}
