/* SPDX-License-Identifier: MIT */
/*
 * Every system call of quod and of pid 1 of its jail fails once, with more than one
 * errno: one run each. Whatever comes of it, no program has run with a wall missing, quod
 * has read nothing hostile unconfined, no success is claimed that was none, and nothing
 * is left on the host: no process, leaf, lease, mount or descriptor. What else is asked,
 * and what may be tolerated, is in tolerated.c.
 *
 * Set-up is gone through call by call. Afterwards the two sides wake each other up in no
 * fixed order, so that calls are counted by name there.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "base/own.h"
#include "tests/escape/harness.h"
#include "tests/fault/host.h"
#include "tests/fault/subject.h"
#include "tests/fault/tolerated.h"
#include "tests/fault/walls.h"

#define ERRNOS_MOST 3

/* An errno that any call may give, then one that this call is known for. */
static const struct {
	const char *call;
	int errnums[ERRNOS_MOST];
} errnos[] = {
	/* clang-format off */
	{"read", {EPERM, EINTR}},      {"write", {EPERM, EINTR}},
	{"writev", {EPERM, EINTR}},    {"poll", {EPERM, EINTR}},
	{"ppoll", {EPERM, EINTR}},     {"waitid", {EPERM, EINTR}},
	{"open", {EPERM, EMFILE}},     {"openat", {EPERM, EMFILE, ENOENT}},
	{"pipe2", {EPERM, EMFILE}},    {"signalfd4", {EPERM, EMFILE}},
	{"fcntl", {EPERM, EAGAIN}},    {"flock", {EPERM, EAGAIN}},
	{"mkdir", {EPERM, EEXIST}},    {"mkdirat", {EPERM, EEXIST}},
	{"unlinkat", {EPERM, EBUSY}},  {"prctl", {EPERM, EINVAL}},
	{"clone3", {EPERM, EAGAIN}},   {"rt_sigaction", {EPERM, EINVAL}},
	{"pidfd_open", {EPERM, EMFILE}}, {"execveat", {EPERM, ENOENT}},
	{"clone", {EPERM, EAGAIN}},    {"wait4", {EPERM, EINTR}},
	{"sendfile", {EPERM, EINTR}},  {"memfd_create", {EPERM, EINVAL}},
	/* clang-format on */
};

static const struct {
	int number;
	const char *name;
} errno_names[] = {{EPERM, "EPERM"},   {ENOMEM, "ENOMEM"}, {EINTR, "EINTR"},
		   {EMFILE, "EMFILE"}, {ENOENT, "ENOENT"}, {EAGAIN, "EAGAIN"},
		   {EEXIST, "EEXIST"}, {EBUSY, "EBUSY"},   {EINVAL, "EINVAL"}};

static const char *errno_name(int number)
{
	for (size_t i = 0; i < ARRAY_LEN(errno_names); i++)
		if (errno_names[i].number == number)
			return errno_names[i].name;
	return "?";
}

/* 0: there are no more for this call. */
static int errno_for(const struct call *call, unsigned which)
{
	static const int others[ERRNOS_MOST] = {EPERM, ENOMEM};
	const char *name = tracer_call_name(call->number);

	if (which >= ERRNOS_MOST)
		return 0;
	for (size_t i = 0; i < ARRAY_LEN(errnos); i++)
		if (strcmp(errnos[i].call, name) == 0)
			return errnos[i].errnums[which];
	return others[which];
}

/* Nothing was to run before this part was through. */
static bool is_set_up(enum part part)
{
	return part == PART_START || part == PART_SETUP || part == PART_BEGIN;
}

/* What is said has to name the errno, where it is known from the call alone. */
static bool names_cause(const struct trial *trial, int errnum, const char *said)
{
	const char *call = tracer_call_name(trial->call.number);

	if (errnum != EPERM || trial->call.part == PART_BEGIN ||
	    trial->call.part == PART_GUEST)
		return true;
	/* malloc knows one errno; a report that cannot be written cannot say why. */
	if (strcmp(call, "mmap") == 0 || strcmp(call, "brk") == 0 ||
	    (trial->call.part == PART_SETUP && strcmp(call, "write") == 0))
		return true;
	return strstr(said, "Operation not permitted") != NULL;
}

/* The walls around the program, if it ran. */
static bool walls_stand(const struct subject *subject, const struct trial *trial,
			char *why, size_t size)
{
	const char *wanted = subject->reference.walls;

	why[0] = '\0';
	if (trial->walls[0] && strcmp(trial->walls, subject->walls_without_leaf) != 0)
		walls_difference(wanted, trial->walls, why, size);
	if (!why[0] && trial->own_walls[0])
		walls_difference(subject->reference.own_walls, trial->own_walls, why,
				 size);
	return !why[0];
}

/* A jail whose end quod could not bring about, or see, is left alone, and that is said:
 * it dies with quod, and the next start removes its leaf. */
static bool is_unkilled(enum ending ending, const char *said)
{
	return ending == END_REFUSED && strncmp(said, "kill: ", 6) == 0;
}

/* NULL, or what is wrong. May use `room`. */
static const char *fault_of(const struct subject *subject, const struct trial *trial,
			    int errnum, enum ending ending, const char *said, char *room,
			    size_t size)
{
	bool set_up = is_set_up(trial->call.part);

	if (trial->hung)
		return "it hangs";
	if (!(tolerated_endings(&trial->call, errnum) & (1u << ending)))
		return "it may not end so";
	if (!walls_stand(subject, trial, room, size))
		return room;
	if (set_up && ending != END_AS_EVER && ending != END_NO_LEAF &&
	    strstr(trial->out, "canary"))
		return "the program has run";
	if (ending == END_REFUSED && !names_cause(trial, errnum, said))
		return "the cause is not named";
	if (is_unkilled(ending, said))
		subject_run_plainly(subject);
	else if (trial->orphans)
		return "a child was left to others";
	else if (trial->open_fds > (trial->call.number == SYS_close))
		return "a descriptor was left open";
	return host_is_clean(room, size) ? NULL : room;
}

/* One run. False where there is no such call any more. */
static bool try_call(const struct subject *subject, const struct fault *fault,
		     struct trial *trial)
{
	char said[512], room[512], name[128];

	tracer_run(subject->argv, subject->runs_by, fault, trial);
	if (!trial->reached || trial->spared)
		return trial->reached;
	enum ending ending = subject_ending(subject, trial, said, sizeof(said));
	const char *wrong =
		fault_of(subject, trial, fault->errnum, ending, said, room, sizeof(room));
	snprintf(name, sizeof(name), "%s: %s %u, %s answers %s", subject->name,
		 part_names[fault->part], fault->at, tracer_call_name(trial->call.number),
		 errno_name(fault->errnum));
	if (check(!wrong, "%s: %s%s%.150s", name, ending_names[ending],
		  said[0] ? ": " : "", said))
		return true;
	note("%s (exit %d code %d signal %d orphans %u fds %u)", wrong, trial->exited,
	     trial->code, trial->signal, trial->orphans, trial->open_fds);
	note("stdout: %.1500s\nstderr: %.500s", trial->out, trial->err);
	return true;
}

/* One call, with each of its errnos. The first tells which call it is. */
static bool try_errnos(const struct subject *subject, struct fault fault, unsigned most)
{
	static struct trial trial;

	fault.errnum = EPERM;
	if (!try_call(subject, &fault, &trial))
		return false;
	for (unsigned which = 1; which < most && !trial.spared; which++) {
		fault.errnum = errno_for(&trial.call, which);
		if (!fault.errnum)
			break;
		/* A call of the second half may come once less often this time. */
		if (!try_call(subject, &fault, &trial))
			break;
	}
	return true;
}

/* All calls of one part, or all of one name in it. Returns how many there were. */
static unsigned try_all(const struct subject *subject, enum side side, enum part part,
			uint64_t number, enum pace pace, unsigned most)
{
	struct fault fault = {.kind = FAULT_ERRNO,
			      .side = side,
			      .part = part,
			      .number = number,
			      .may_fail = tolerated_may_fail,
			      .pace = pace};

	do
		fault.at++;
	while (try_errnos(subject, fault, most));
	return fault.at - 1;
}

static void check_count(const struct subject *subject, enum part part, unsigned count)
{
	check(count + SUBJECT_SLACK > subject->reference.calls[part],
	      "%s: %u calls of part '%s'", subject->name, count, part_names[part]);
}

static void try_part(const struct subject *subject, enum side side, enum part part,
		     enum pace pace, unsigned most)
{
	unsigned count = try_all(subject, side, part, ANY_CALL, pace, most);

	check_count(subject, part, count);
}

/* The part in which quod watches: its calls by name. */
static void try_watch(const struct subject *subject, unsigned most)
{
	unsigned count = 0;

	for (uint64_t number = 0; number < CALLS_MOST; number++)
		if (subject->reference.seen[PART_WATCH][number])
			count += try_all(subject, SIDE_QUOD, PART_WATCH, number,
					 PACE_FREE, most);
	check_count(subject, PART_WATCH, count);
}

/* The references themselves: that nothing is compared with a jail half open. */
static void check_reference(const struct subject *subject)
{
	static const char *const lines[] = {"status: CapPrm: 0000000000000000",
					    "status: CapBnd: 0000000000000000",
					    "status: NoNewPrivs: 1",
					    "status: Seccomp: 2",
					    "status: SigIgn: 0000000000000000",
					    "limits: Max file size 0 0 bytes ",
					    "oom_score_adj: 1000",
					    "namespace user: own",
					    "namespace pid: own",
					    "namespace net: own",
					    "namespace mnt: own",
					    "namespace ipc: own",
					    "namespace uts: own",
					    "namespace cgroup: own",
					    "root -> /"};
	const struct trial *reference = &subject->reference;
	const char *missing = NULL;

	for (size_t i = 0; i < ARRAY_LEN(lines); i++)
		if (!walls_have(reference->walls, lines[i]))
			missing = lines[i];
	/* Only root, or who may have its powers, sees the descriptors of an undumpable.
	 */
	if (!walls_have(reference->walls, "fd/0 -> pipe:") &&
	    !(geteuid() && walls_have(reference->walls, "fd: ?")))
		missing = "its descriptors";
	check(!missing, "%s: the walls are known%s%s", subject->name,
	      missing ? ", but not " : "", missing ? missing : "");
	check(walls_have(reference->own_walls, "status: CapEff: 0000000000000000") &&
		      walls_have(reference->own_walls, "status: Seccomp: 2"),
	      "%s: quod is confined when it reads what the program says", subject->name);
}

static void try_run(unsigned most)
{
	struct subject *subject;

	if (!subject_prepare(SUBJECT_RUN, &subject))
		return;
	check_reference(subject);
	try_part(subject, SIDE_QUOD, PART_START, PACE_FREE, most);
	try_part(subject, SIDE_JAIL, PART_SETUP, PACE_FREE, most);
	try_part(subject, SIDE_JAIL, PART_BEGIN, PACE_FREE, most);
	try_watch(subject, most);
	try_part(subject, SIDE_JAIL, PART_GUEST, PACE_FREE, most);
}

/* The program gets as far as it can before quod sees that its call has failed. */
static void try_exec(unsigned most)
{
	struct subject *subject;

	if (!subject_prepare(SUBJECT_EXEC, &subject))
		return;
	check_reference(subject);
	try_part(subject, SIDE_QUOD, PART_START, PACE_JAIL_FIRST, 1);
	try_part(subject, SIDE_JAIL, PART_SETUP, PACE_FREE, 1);
	try_watch(subject, most);
}

/* A program of many processes: its copy, and who counts them. Where the host's root would
 * be the guest nobody does, and tests/integration/tasks.sh has that. */
static void try_tasks(unsigned most)
{
	static const uint64_t own[] = {SYS_memfd_create, SYS_sendfile, SYS_fcntl,
				       SYS_sched_getaffinity};
	const char *mode = getenv("QUOD_TEST_MODE");
	struct subject *subject;

	if (mode && strcmp(mode, "userns") == 0)
		return;
	if (!subject_prepare(SUBJECT_TASKS, &subject))
		return;
	check_reference(subject);
	for (size_t i = 0; i < ARRAY_LEN(own); i++)
		check(try_all(subject, SIDE_QUOD, PART_START, own[i], PACE_JAIL_FIRST,
			      most) > 0,
		      "%s: %s is called", subject->name, tracer_call_name(own[i]));
	try_part(subject, SIDE_JAIL, PART_SETUP, PACE_FREE, most);
}

/* Calls of the kill and of what follows it. */
static void try_spin(void)
{
	struct subject *subject;

	if (subject_prepare(SUBJECT_SPIN, &subject))
		try_watch(subject, 1);
}

int main(void)
{
	const char *mode = getenv("QUOD_TEST_MODE"), *why;
	unsigned most = !mode || strcmp(mode, "caller") == 0 ? ERRNOS_MOST : 1;

	if (!tracer_works(&why)) {
		skip("system calls that fail", why);
		return tap_end();
	}
	host_enter();
	check(host_has_leases() || !in_root_mode(), "leases are looked at in root mode");
	try_run(most);
	try_exec(most);
	try_tasks(most);
	try_spin();
	host_leave();
	return tap_end();
}
