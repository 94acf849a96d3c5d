/* SPDX-License-Identifier: MIT */
/*
 * What this host can do, each thing tried for real and alone, so that the answer names
 * one cause. A probe changes nothing on the host that a run would not: what it makes ends
 * with a child that is reaped before it returns, but for the cgroup of runs, into whose
 * making this process may have to move.
 */
#include <errno.h>
#include <fcntl.h>
#include <linux/close_range.h>
#include <linux/sched.h>
#include <linux/seccomp.h>
#include <sched.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <sys/utsname.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/own.h"
#include "jail/internal.h"

static void works(struct jail_probe *probe, const char *format, ...)
	__attribute__((format(printf, 2, 3)));

static void works(struct jail_probe *probe, const char *format, ...)
{
	va_list args;

	probe->state = JAIL_PROBE_WORKS;
	va_start(args, format);
	vsnprintf(probe->found, sizeof(probe->found), format, args);
	va_end(args);
}

static void lacks(struct jail_probe *probe, enum jail_probe_state state, int errnum,
		  const char *remedy)
{
	probe->state = state;
	snprintf(probe->found, sizeof(probe->found), "%s", strerror(errnum));
	snprintf(probe->remedy, sizeof(probe->remedy), "%s", remedy ? remedy : "");
}

/* Runs `inside` (NULL: nothing) in a child that clone3(2) makes with these flags, and waits
 * for it. Returns 0, what `inside` returned as a positive errno, ECHILD if it was killed, or
 * a negative errno: there was no child. */
static int run_apart(uint64_t flags, int (*inside)(void *context), void *context)
{
	struct clone_args args = {.flags = flags, .exit_signal = SIGCHLD};
	long pid = syscall(SYS_clone3, &args, sizeof(args));
	int status = 0;

	if (pid < 0)
		return -errno;
	if (pid == 0) {
		int r = inside ? inside(context) : 0;
		_exit(r < 0 ? -r & 0xff : 0);
	}
	while (waitpid((pid_t)pid, &status, __WALL) < 0)
		if (errno != EINTR)
			return -errno;
	return WIFEXITED(status) ? WEXITSTATUS(status) : ECHILD;
}

static void probe_namespace(struct jail_probe *probe, uint64_t flag)
{
	int r = run_apart(CLONE_NEWUSER | flag, NULL, NULL);
	char why[200];

	if (r == 0) {
		works(probe, "made one");
		return;
	}
	jail_explain_clone(-r, false, why, sizeof(why));
	lacks(probe, JAIL_PROBE_FAILS, r < 0 ? -r : r, why);
}

static void probe_kernel(struct jail_probe *probe, uint64_t unused)
{
	struct utsname host;
	unsigned major = 0, minor = 0;

	(void)unused;
	if (uname(&host) < 0 || sscanf(host.release, "%u.%u", &major, &minor) != 2) {
		lacks(probe, JAIL_PROBE_FAILS, errno, "");
		return;
	}
	works(probe, "%s", host.release);
	if (major > KERNEL_MAJOR_LEAST ||
	    (major == KERNEL_MAJOR_LEAST && minor >= KERNEL_MINOR_LEAST))
		return;
	probe->state = JAIL_PROBE_FAILS;
	snprintf(probe->remedy, sizeof(probe->remedy), "quod needs Linux %d.%d or newer",
		 KERNEL_MAJOR_LEAST, KERNEL_MINOR_LEAST);
}

static int try_empty_root(void *unused)
{
	(void)unused;
	return child_empty_root(NULL);
}

static void probe_root(struct jail_probe *probe, uint64_t unused)
{
	int r = run_apart(CLONE_NEWUSER | CLONE_NEWNS, try_empty_root, NULL);
	char why[200];

	(void)unused;
	if (r == 0) {
		works(probe, "fsopen, fsmount, move_mount, pivot_root");
	} else if (r > 0) {
		lacks(probe, JAIL_PROBE_FAILS, r, jail_explain_root(r));
	} else {
		jail_explain_clone(-r, false, why, sizeof(why));
		lacks(probe, JAIL_PROBE_FAILS, -r, why);
	}
}

static void probe_clone3(struct jail_probe *probe, uint64_t unused)
{
	char why[200];
	int r = run_apart(0, NULL, NULL);

	(void)unused;
	if (r == 0) {
		works(probe, "made a process");
		return;
	}
	jail_explain_clone(-r, false, why, sizeof(why));
	lacks(probe, JAIL_PROBE_FAILS, abs(r), why);
}

static void probe_pidfd(struct jail_probe *probe, uint64_t unused)
{
	own_fd int fd = (int)syscall(SYS_pidfd_open, getpid(), 0);

	(void)unused;
	if (fd >= 0 && syscall(SYS_pidfd_send_signal, fd, 0, NULL, 0) == 0)
		works(probe, "pidfd_open, pidfd_send_signal");
	else
		lacks(probe, JAIL_PROBE_FAILS, errno,
		      jail_remedy(JAIL_STAGE_LIFELINE, errno));
}

static void probe_close_range(struct jail_probe *probe, uint64_t unused)
{
	(void)unused;
	/* The last possible descriptor alone: nothing is open there. */
	if (syscall(SYS_close_range, ~0u, ~0u, CLOSE_RANGE_CLOEXEC) == 0)
		works(probe, "close_range");
	else
		lacks(probe, JAIL_PROBE_FAILS, errno, jail_remedy(JAIL_STAGE_FDS, errno));
}

static void probe_seccomp(struct jail_probe *probe, uint64_t unused)
{
	uint32_t action = SECCOMP_RET_TRAP;

	(void)unused;
	if (syscall(SYS_seccomp, SECCOMP_GET_ACTION_AVAIL, 0, &action) == 0)
		works(probe, "filters that trap and kill");
	else
		lacks(probe, JAIL_PROBE_FAILS, errno,
		      jail_remedy(JAIL_STAGE_FILTER, errno));
}

/* What was found and what mends it are one sentence in an error, and two here. */
static void lacks_as_told(struct jail_probe *probe, const struct jail_error *err,
			  const char *instead)
{
	const char *remedy = jail_remedy((enum jail_stage)err->stage, err->errnum);
	int len = (int)strlen(err->text);

	if (remedy)
		len -= (int)strlen(remedy) + (int)strlen(" ()");
	probe->state = JAIL_PROBE_LESS;
	snprintf(probe->found, sizeof(probe->found), "%.*s", len, err->text);
	snprintf(probe->instead, sizeof(probe->instead), "%s", instead);
	snprintf(probe->remedy, sizeof(probe->remedy), "%s", remedy ? remedy : "");
}

static void probe_lease(struct jail_probe *probe)
{
	struct lease lease = {.fd = -1};
	struct jail_error err;

	if (lease_take(QUOD_UID_FIRST, QUOD_UID_COUNT, &lease, &err) < 0) {
		lacks_as_told(probe, &err, "");
		probe->state = JAIL_PROBE_FAILS;
		return;
	}
	lease_give_back(&lease);
	works(probe, "root mode: a host uid of its own for every jail, from %u on",
	      QUOD_UID_FIRST);
}

static void probe_ids(struct jail_probe *probe, uint64_t unused)
{
	struct jail_error err;
	bool root = false;
	int r = idmap_root_mode(QUOD_UID_FIRST, QUOD_UID_COUNT, &root, &err);

	(void)unused;
	if (r < 0) {
		lacks(probe, JAIL_PROBE_FAILS, -r, jail_remedy(JAIL_STAGE_IDMAP, -r));
	} else if (root) {
		probe_lease(probe);
	} else {
		probe->state = JAIL_PROBE_LESS;
		snprintf(probe->found, sizeof(probe->found),
			 "rootless: every jail has the caller's host uid, %u",
			 (unsigned)geteuid());
		snprintf(probe->instead, sizeof(probe->instead),
			 "jails are held apart by their namespaces and filters alone");
		snprintf(
			probe->remedy, sizeof(probe->remedy),
			"none is needed; run as root to give every jail a uid of its own");
	}
}

static int try_task_limit(void *unused)
{
	(void)unused;
	return tasks_try_rlimit();
}

/* What counts more than one process where no cgroup does. In root mode the guest has a
 * uid for which it holds; else it is the caller's. */
static void probe_task_limit(struct jail_probe *probe, uint64_t unused)
{
	bool root = false;
	int r = idmap_root_mode(QUOD_UID_FIRST, QUOD_UID_COUNT, &root, NULL);

	(void)unused;
	if (r == 0 && !root)
		r = run_apart(CLONE_NEWUSER, try_task_limit, NULL);
	if (r == 0)
		works(probe, "RLIMIT_NPROC holds, where no cgroup does");
	else
		lacks(probe, JAIL_PROBE_LESS, abs(r),
		      jail_remedy(JAIL_STAGE_RLIMITS, abs(r)));
	if (abs(r) == EOPNOTSUPP)
		snprintf(probe->found, sizeof(probe->found),
			 "RLIMIT_NPROC does not bind the caller, who is the host's root");
	if (r != 0)
		snprintf(probe->instead, sizeof(probe->instead),
			 "without a cgroup, a policy with more than one process has no "
			 "runs; one process is held by the system call filter");
}

static void probe_cgroup(struct jail_probe *probe, uint64_t unused)
{
	struct jail_error err;
	own_fd int fd = -1;

	(void)unused;
	if (jail_cgroup_open(NULL, false, &fd, &err) == 0)
		works(probe, "a leaf for every run, to be killed by");
	else
		lacks_as_told(probe, &err,
			      "a run is killed by its first process, with which the "
			      "kernel ends its pid namespace");
}

static void probe_controller(struct jail_probe *probe, uint64_t which)
{
	static const char *const instead[GROUP_CONTROLLERS] = {
		"memory is held by RLIMIT_DATA and the engine's own cap",
		("processes are held by the system call filter, which refuses a second "
		 "one; where a policy allows more, see 'task limit'"),
		("no share of the CPU is held by anything; CPU time is by quod, which "
		 "measures it, and by RLIMIT_CPU"),
	};
	struct jail_error err;
	const char *name;

	if (group_try_controller((unsigned)which, &name, &err) == 0)
		works(probe, "%s limits are held by the cgroup of each run", name);
	else
		lacks_as_told(probe, &err, instead[which]);
}

/* Where the list cannot be read there may be some. */
static bool swap_may_be_on(void)
{
	char text[256];
	own_fd int fd = open("/proc/swaps", O_RDONLY | O_CLOEXEC);
	ssize_t n = fd < 0 ? -1 : read(fd, text, sizeof(text) - 1);
	const char *line;

	text[n > 0 ? n : 0] = '\0';
	line = strchr(text, '\n');
	return n < 0 || (line && line[1]);
}

/* What is swapped out does not count as memory. */
static void probe_swap(struct jail_probe *probe, uint64_t unused)
{
	struct jail_error err;
	bool limited = false;

	(void)unused;
	if (!swap_may_be_on()) {
		works(probe, "no swap is on");
		return;
	}
	if (group_try_swap(&limited, &err) == 0 && limited) {
		works(probe, "memory.swap.max is 0 for every run");
		return;
	}
	probe->state = JAIL_PROBE_LESS;
	snprintf(probe->found, sizeof(probe->found),
		 "swap is on, and no cgroup of a run has memory.swap.max");
	snprintf(probe->instead, sizeof(probe->instead),
		 "the memory of a run is held, and its swap is not: it can be written to "
		 "the disk");
	snprintf(probe->remedy, sizeof(probe->remedy),
		 "swapoff -a; or mend the memory controller of cgroup v2, and boot with "
		 "swapaccount=1 where there is one");
}

static const struct {
	const char *name;
	void (*run)(struct jail_probe *probe, uint64_t argument);
	uint64_t argument;
	const char *tried;
} probes[] = {
	{"kernel", probe_kernel, 0, "uname"},
	{"clone3", probe_clone3, 0, "clone3"},
	{"user namespace", probe_namespace, 0, "clone3 with CLONE_NEWUSER"},
	{"pid namespace", probe_namespace, CLONE_NEWPID,
	 "clone3 with CLONE_NEWUSER and CLONE_NEWPID"},
	{"net namespace", probe_namespace, CLONE_NEWNET,
	 "clone3 with CLONE_NEWUSER and CLONE_NEWNET"},
	{"mount namespace", probe_namespace, CLONE_NEWNS,
	 "clone3 with CLONE_NEWUSER and CLONE_NEWNS"},
	{"ipc namespace", probe_namespace, CLONE_NEWIPC,
	 "clone3 with CLONE_NEWUSER and CLONE_NEWIPC"},
	{"uts namespace", probe_namespace, CLONE_NEWUTS,
	 "clone3 with CLONE_NEWUSER and CLONE_NEWUTS"},
	{"cgroup namespace", probe_namespace, CLONE_NEWCGROUP,
	 "clone3 with CLONE_NEWUSER and CLONE_NEWCGROUP"},
	{"empty root", probe_root, 0, "make one in a child"},
	{"pidfd", probe_pidfd, 0, "open our own and send no signal"},
	{"close_range", probe_close_range, 0, "close the last possible descriptor"},
	{"seccomp", probe_seccomp, 0, "ask for its actions"},
	{"ids", probe_ids, 0, "read our capabilities and our uid map"},
	{"task limit", probe_task_limit, 0, "set it in a child, which then forks"},
	{"cgroup v2", probe_cgroup, 0, "make a group in our own cgroup"},
	{"memory controller", probe_controller, 0, "hand it down to that group"},
	{"pids controller", probe_controller, 1, "hand it down to that group"},
	{"cpu controller", probe_controller, 2, "hand it down to that group"},
	{"swap", probe_swap, 0, "read /proc/swaps and look for memory.swap.max"},
};

JAIL_API unsigned jail_probe_count(void)
{
	return ARRAY_LEN(probes);
}

JAIL_API int jail_probe_run(unsigned index, struct jail_probe *ret_probe)
{
	if (index >= ARRAY_LEN(probes))
		return -EINVAL;
	*ret_probe = (struct jail_probe){.name = probes[index].name,
					 .tried = probes[index].tried};
	probes[index].run(ret_probe, probes[index].argument);
	return 0;
}
