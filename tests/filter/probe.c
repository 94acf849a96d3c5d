/* SPDX-License-Identifier: MIT */
#include "tests/filter/probe.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <seccomp.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>

#include "base/own.h"
#include "policy/filter_exec.h"
#include "policy/filter_js.h"
#include "policy/filter_tasks.h"
#include "tests/escape/harness.h"

/* No call that is tried takes any time; what waits for ever is ended. */
#define HANG_MS	    10000
#define PROGRAM(of) of, ARRAY_LEN(of)

const struct wall walls[] = {
	{"exec", FILTER_EXEC, PROGRAM(filter_exec), "outer", NO_SYSCALL},
	{"tasks", FILTER_TASKS, PROGRAM(filter_tasks), "outer", NO_SYSCALL},
	{"js", FILTER_JS, PROGRAM(filter_js), "outer", KILLED},
	{"inner", FILTER_INNER, PROGRAM(filter_js), "inner", KILLED},
};
const unsigned walls_count = ARRAY_LEN(walls);

const struct abi abis[] = {
	{"native", SCMP_ARCH_NATIVE, 0},
	{"i386", SCMP_ARCH_X86, 0},
	{"x32", SCMP_ARCH_X32, 0x40000000},
};
const unsigned abis_count = ARRAY_LEN(abis);

/*
 * On x86-64, newer kernels pass these by every filter: uprobes, set from outside on a
 * process, make the process call them. Made from anywhere but the kernel's own
 * trampolines they are refused, in the one way that is taken for that here.
 */
static const struct {
	int number, signal, errnum;
} unseen[] = {
	{335, SIGILL, 0}, /* uretprobe */
	{336, 0, ENXIO},  /* uprobe */
};

struct seen {
	char said[16];
	bool hung;
	struct jail_result result;
};

static int prober = -1; /* the program */
static bool no_i386;	/* this kernel has no int 0x80: SIGSEGV refuses it */

const char *answer_name(enum answer answer)
{
	static const char *const names[ANSWERS] = {
		[BROKEN] = "broken",   [KILLED] = "killed", [NO_SYSCALL] = "ENOSYS",
		[ALLOWED] = "allowed", [UNSEEN] = "unseen",
	};

	return names[answer];
}

enum answer probe_usual(const struct wall *wall, const struct abi *abi)
{
	return abi == &abis[0] ? wall->usual : KILLED;
}

/* Where no jail can be made nothing is learned of filters. */
static _Noreturn void give_up(const char *what, const char *why)
{
	printf("Bail out! %s: %s\n", what, why);
	exit(1);
}

static bool has_ended(const struct jail *jail)
{
	struct pollfd end = {.fd = jail_fd(jail, JAIL_FD_PIDFD), .events = POLLIN};

	return poll(&end, 1, HANG_MS) > 0;
}

static void run_jail(const struct jail_spec *spec, struct seen *seen)
{
	struct jail_error err;
	struct jail *jail;

	*seen = (struct seen){.hung = false};
	if (jail_start(spec, &jail, &err) < 0)
		give_up(jail_stage_name(err.stage), err.text);
	jail_close_input(jail);
	seen->hung = !has_ended(jail);
	if (seen->hung)
		jail_kill(jail, NULL);
	if (jail_wait(jail, &seen->result, &err) < 0)
		give_up(jail_stage_name(err.stage), err.text);
	if (read(jail_fd(jail, JAIL_FD_OUT), seen->said, sizeof(seen->said) - 1) < 0)
		seen->said[0] = '\0';
	jail_free(jail);
}

static struct jail_spec prober_spec(const struct probe *probe, bool filtered)
{
	struct jail_spec spec = JAIL_SPEC_INIT;

	spec.id = "prober";
	spec.exe_fd = prober;
	spec.exe_name = "prober";
	spec.limits.memory_bytes = 64u << 20;
	spec.limits.stack_bytes = 8u << 20;
	spec.limits.cpu_seconds = 20;
	if (filtered) {
		spec.filter.filter = (struct sock_filter *)(uintptr_t)probe->wall->outer;
		spec.filter.len = probe->wall->outer_len;
	}
	return spec;
}

static void run_probe(const struct probe *probe, bool filtered, struct seen *seen)
{
	struct jail_spec spec = prober_spec(probe, filtered);
	const char *where = filtered ? probe->wall->where : "outer";
	char number[16], argument[16], value[32];
	char *argv[] = {(char *)(uintptr_t) "prober",
			(char *)(uintptr_t)where,
			(char *)(uintptr_t)probe->abi->name,
			number,
			probe->with_argument ? argument : NULL,
			value,
			NULL};

	snprintf(number, sizeof(number), "%d", probe->number);
	snprintf(argument, sizeof(argument), "%u", probe->argument);
	snprintf(value, sizeof(value), "%llx", (unsigned long long)probe->value);
	spec.argv = argv;
	run_jail(&spec, seen);
}

static bool died_by(const struct seen *seen, int signal_number)
{
	return !seen->hung && seen->result.end == JAIL_SIGNALED &&
	       seen->result.signal == signal_number;
}

static bool came_back(const struct seen *seen)
{
	return seen->said[0] == 'T' && seen->said[1] != '\0';
}

/* The errno that it came back with, 0: none. */
static bool answered(const struct seen *seen, int errnum)
{
	return came_back(seen) && strtol(seen->said + 1, NULL, 10) == errnum;
}

static bool is_unseen(const struct probe *probe, const struct seen *seen)
{
	if (probe->abi->arch != SCMP_ARCH_NATIVE ||
	    seccomp_arch_native() != SCMP_ARCH_X86_64)
		return false;
	for (size_t i = 0; i < ARRAY_LEN(unseen); i++)
		if (unseen[i].number == probe->number)
			return unseen[i].signal ? died_by(seen, unseen[i].signal)
						: answered(seen, unseen[i].errnum);
	return false;
}

static enum answer answer_of(const struct probe *probe, const struct seen *seen)
{
	bool foreign = probe->abi->arch == SCMP_ARCH_X86 && no_i386;

	if (seen->said[0] != 'T')
		return BROKEN;
	if (is_unseen(probe, seen))
		return UNSEEN;
	if (answered(seen, ENOSYS) && probe_usual(probe->wall, probe->abi) == NO_SYSCALL)
		return NO_SYSCALL;
	if (!came_back(seen) && died_by(seen, foreign ? SIGSEGV : SIGSYS))
		return KILLED;
	return ALLOWED;
}

enum answer probe_try(const struct probe *probe)
{
	struct seen seen;

	run_probe(probe, true, &seen);
	enum answer answer = answer_of(probe, &seen);
	if (answer == BROKEN)
		note("%s %s %d: the prober said '%s', exit %d, signal %d",
		     probe->wall->name, probe->abi->name, probe->number, seen.said,
		     seen.result.exit_code, seen.result.signal);
	return answer;
}

bool probe_is_absent(const struct probe *probe)
{
	struct seen seen;

	run_probe(probe, false, &seen);
	return answered(&seen, ENOSYS);
}

static void look_for_i386(void)
{
	const struct probe getpid_i386 = {
		.wall = &walls[0], .abi = &abis[1], .number = 20};
	struct seen seen;

	run_probe(&getpid_i386, false, &seen);
	no_i386 = died_by(&seen, SIGSEGV);
	if (no_i386)
		note("this kernel has no int 0x80: the processor refuses it");
}

void probe_init(void)
{
	const char *build = getenv("QUOD_TEST_BUILD");
	char path[4096];

	snprintf(path, sizeof(path), "%s/tests/filter/prober", build ? build : ".");
	prober = open(path, O_PATH | O_CLOEXEC);
	if (prober < 0)
		give_up(path, strerror(errno));
	if (seccomp_arch_native() == SCMP_ARCH_X86_64)
		look_for_i386();
}
