/* SPDX-License-Identifier: MIT */
/*
 * What a run needs of the host beside the kernel's features: the interpreter as a file
 * that a stranger can execute, policies that parse.
 */
#include <errno.h>
#include <fcntl.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <stddef.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "base/own.h"
#include "policy/load.h"
#include "policy/search.h"
#include "supervisor/doctor_checks.h"
#include "supervisor/interp.h"

void check_interpreter(struct doctor *doctor)
{
	struct interp interp = INTERP_INIT;
	struct finding *finding;
	char why[400];

	interp_open(&interp);
	finding = doctor_add(doctor, "interpreter", "open and look at '%.100s'",
			     interp.path);
	interp_diagnose(&interp, why, sizeof(why));
	if (interp.fd < 0)
		finding_told(finding, JAIL_PROBE_FAILS, interp.why);
	else if (why[0])
		finding_told(finding, JAIL_PROBE_FAILS, why);
	else
		finding_is(finding, JAIL_PROBE_WORKS,
			   "a static program that strangers may execute");
	interp_close(&interp);
}

static void note_fault(void *context, const struct policy_fault *fault)
{
	struct finding *finding = context;

	if (!finding->found[0])
		report_spell(fault, finding->found, sizeof(finding->found));
}

/* What a policy that asks for a cgroup does not get here; NULL: nothing. */
static const struct finding *find_lack_of_cgroup(const struct doctor *doctor)
{
	for (unsigned i = 0; i < doctor->count; i++)
		if (doctor->findings[i].state != JAIL_PROBE_WORKS &&
		    (strstr(doctor->findings[i].name, " controller") ||
		     !strcmp(doctor->findings[i].name, "cgroup v2")))
			return &doctor->findings[i];
	return NULL;
}

static void judge_policies(const struct doctor *doctor, struct finding *finding,
			   size_t count, const char *needs_cgroup)
{
	const struct finding *lack = find_lack_of_cgroup(doctor);

	if (!needs_cgroup[0] || !lack) {
		finding_is(finding, JAIL_PROBE_WORKS, "%zu can be loaded", count);
		return;
	}
	finding_is(finding, JAIL_PROBE_LESS, "'%s' asks for a cgroup (RequireCgroup=)",
		   needs_cgroup);
	finding_instead(finding, "nothing: no run with this policy is made");
	finding_mend(finding, "see what mends '%s', or take RequireCgroup= out",
		     lack->name);
}

/* Every policy that there is: one that is wrong fails the runs that name it. */
void check_policies(struct doctor *doctor)
{
	own_policy_names struct policy_names names = {0};
	struct finding *finding =
		doctor_add(doctor, "policies", "read all in %.120s", search_path());
	struct policy_report report = {
		.say = note_fault, .context = finding, .faults_only = true};
	char needs_cgroup[POLICY_NAME_MOST + 1] = "";
	int r = policy_list(&names, &report);

	for (size_t i = 0; r == 0 && i < names.count; i++) {
		own_policy const struct policy *policy = NULL;

		if (policy_read(names.list[i], false, &report, &policy) == 0 &&
		    policy->require_cgroup)
			snprintf(needs_cgroup, sizeof(needs_cgroup), "%s", policy->name);
	}
	if (!report.faults) {
		judge_policies(doctor, finding, names.count, needs_cgroup);
		return;
	}
	finding->state = JAIL_PROBE_FAILS;
	finding_mend(finding,
		     "mend the file there, and look at it again: quod policy "
		     "test FILE (%u faults in all)",
		     report.faults);
}

/* Jails are mapped through it, so it has to be that of our pid namespace, and writable. */
void check_proc(struct doctor *doctor)
{
	struct finding *finding =
		doctor_add(doctor, "proc", "open /proc/self/uid_map for writing");
	own_fd int map = open("/proc/self/uid_map", O_WRONLY | O_CLOEXEC);
	int errnum = errno;

	if (map >= 0) {
		finding_is(finding, JAIL_PROBE_WORKS, "ids can be mapped");
		return;
	}
	finding_is(finding, JAIL_PROBE_FAILS, "%s", strerror(errnum));
	if (errnum == EROFS)
		finding_mend(finding, "/proc is read-only: mount -o remount,rw /proc, "
				      "there where quod runs");
	else
		finding_mend(finding, "mount -t proc proc /proc, in the pid namespace of "
				      "the process that starts jails");
}

/* Whether the vdso asks the kernel after all: in a child that may not. */
static _Noreturn void look_at_clock(void)
{
	struct sock_filter filter[] = {
		BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr)),
		BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_clock_gettime, 0, 1),
		BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | EPERM),
		BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
	};
	const struct sock_fprog program = {ARRAY_LEN(filter), filter};
	struct timespec now;

	if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) < 0 ||
	    syscall(SYS_seccomp, SECCOMP_SET_MODE_FILTER, 0, &program) < 0)
		_exit(2);
	_exit(clock_gettime(CLOCK_MONOTONIC, &now) < 0);
}

/* 0: the vdso tells the time; 1: the kernel has to; else it cannot be found out. */
static int try_clock(void)
{
	int status = 0;
	pid_t pid = fork();

	if (pid == 0)
		look_at_clock();
	while (pid > 0 && waitpid(pid, &status, 0) < 0)
		if (errno != EINTR)
			return -1;
	return pid > 0 && WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

#define CLOCK_DIR "/sys/devices/system/clocksource/clocksource0/"

void check_clock(struct doctor *doctor)
{
	char source[32], others[128];
	struct finding *finding;
	int outcome = try_clock();

	if (outcome != 0 && outcome != 1)
		return;
	finding = doctor_add(doctor, "clock", "tell the time without a system call");
	doctor_read_line(CLOCK_DIR "current_clocksource", source, sizeof(source));
	doctor_read_line(CLOCK_DIR "available_clocksource", others, sizeof(others));
	if (outcome == 0) {
		finding_is(finding, JAIL_PROBE_WORKS, "the clock source '%s' can",
			   source);
		return;
	}
	finding_is(
		finding, JAIL_PROBE_LESS,
		"the clock source '%s' cannot: each look at the clock is a system call "
		"(there are: %s)",
		source, others);
	finding_instead(finding,
			"no limit is held by less: scripts that look at the time "
			"are slower");
	if (strstr(others, "tsc"))
		finding_mend(finding, "echo tsc >" CLOCK_DIR "current_clocksource; to "
				      "stay: boot with clocksource=tsc tsc=reliable");
	else
		finding_mend(finding,
			     "boot with clocksource=tsc tsc=reliable, or give the "
			     "virtual machine kvm-clock; the kernel's log says why "
			     "it has no tsc: dmesg | grep -i clocksource");
}

/* A pipe takes the dump whatever RLIMIT_CORE says, but for 1. */
void check_core(struct doctor *doctor)
{
	char pattern[129];
	struct finding *finding;

	if (!doctor_read_line("/proc/sys/kernel/core_pattern", pattern, sizeof(pattern)))
		return;
	finding = doctor_add(doctor, "core dumps", "read kernel.core_pattern");
	if (pattern[0] == '|')
		finding_is(finding, JAIL_PROBE_WORKS,
			   "the kernel pipes them to '%s', but none of a jail: its "
			   "RLIMIT_CORE is 1, and it is not dumpable",
			   pattern + 1);
	else
		finding_is(
			finding, JAIL_PROBE_WORKS,
			"they are files, and there is none of a jail: its root is empty "
			"and read-only");
}
