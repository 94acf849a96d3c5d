/* SPDX-License-Identifier: MIT */
/*
 * One loop over wait4(). Every process stops at the entry and the exit of each of its
 * system calls and is sent on at once, unless it is held: until nothing has happened for
 * a while (everybody else waits for something), or until quod is dead.
 *
 * We are a subreaper, and so the new parent of whatever quod leaves behind: what is
 * reported dead after quod itself is an orphan. (A child that quod does wait for is
 * reported to us before quod can see it.) After a SIGKILL of ours the others are no
 * longer stopped at their calls: what becomes of them is their own doing.
 */
#include "tests/fault/follow.h"

#include <dirent.h>
#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ptrace.h>
#include <sys/resource.h>
#include <linux/ptrace.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <time.h>

#include "jail/jail.h"
#include "tests/fault/regs.h"
#include "tests/fault/walls.h"

#define TASKS_MOST 16

/* Against a hang, not a measure: nothing here takes a second. */
#define PATIENCE_SECONDS 30

/* So long nothing may happen before all are taken to wait. */
#define QUIET_ROUNDS   10
#define QUIET_ROUND_NS 300000

#define OPTIONS                                                             \
	(PTRACE_O_TRACESYSGOOD | PTRACE_O_TRACEFORK | PTRACE_O_TRACEVFORK | \
	 PTRACE_O_TRACECLONE | PTRACE_O_TRACEEXEC | PTRACE_O_EXITKILL)

enum held { HELD_NOT, HELD_UNTIL_QUIET, HELD_UNTIL_QUOD_IS_DEAD };

struct task {
	pid_t pid;
	enum side side; /* SIDES: neither of the two */
	enum part part;
	bool begun;    /* its first stop is behind it */
	bool executed; /* quod: calls before its exec are ours */
	bool at_fault; /* in the call that the fault is about */
	bool diverted;
	struct diverted saved;
	uint64_t number; /* of the call that it is in */
	enum held held;
	bool kill_after_hold;
};

struct trace {
	const struct fault *fault;
	uint64_t runs_by;
	unsigned fitting; /* calls so far that the fault could be about */
	struct trial *trial;
	struct task tasks[TASKS_MOST];
	unsigned count;
	bool unstopped; /* nobody stops at calls any more */
	bool quod_gone;
};

static volatile sig_atomic_t late;

static void on_alarm(int sig)
{
	(void)sig;
	late = 1;
}

/* Comes again every second, so that none is lost before a wait. */
static void watchdog(int seconds)
{
	struct sigaction action = {.sa_handler = on_alarm};
	struct itimerval timer = {{seconds ? 1 : 0, 0}, {seconds, 0}};

	late = 0;
	sigaction(SIGALRM, &action, NULL);
	setitimer(ITIMER_REAL, &timer, NULL);
}

static struct task *task_find(struct trace *trace, pid_t pid)
{
	for (unsigned i = 0; i < trace->count; i++)
		if (trace->tasks[i].pid == pid)
			return &trace->tasks[i];
	return NULL;
}

/* The first child of quod's is pid 1 of the jail; there are no others in a run. */
static struct task *task_new(struct trace *trace, pid_t pid)
{
	struct task *task = task_find(trace, pid);

	if (task || trace->count == TASKS_MOST)
		return task;
	task = &trace->tasks[trace->count++];
	*task = (struct task){
		.pid = pid,
		.side = trace->count <= SIDES ? (enum side)(trace->count - 1) : SIDES,
		.part = trace->count == 1 ? PART_START : PART_SETUP};
	return task;
}

static struct task *task_of(struct trace *trace, enum side side)
{
	return trace->count > (unsigned)side ? &trace->tasks[side] : NULL;
}

static void resume(struct trace *trace, struct task *task, int sig)
{
	task->held = HELD_NOT;
	ptrace(trace->unstopped ? PTRACE_CONT : PTRACE_SYSCALL, task->pid, NULL,
	       (void *)(intptr_t)sig);
}

/* What was held is sent on. */
static void release(struct trace *trace, enum held held)
{
	for (unsigned i = 0; i < trace->count; i++)
		if (trace->tasks[i].held == held)
			resume(trace, &trace->tasks[i], 0);
}

/* The reports of a child that is still ours have this size; frames are read by more. */
static bool is_hostile_read(const uint64_t *args, uint64_t number)
{
	return number == SYS_read && args[2] > sizeof(struct jail_error);
}

static unsigned count_open_fds(pid_t pid)
{
	char path[64];
	unsigned count = 0;

	snprintf(path, sizeof(path), "/proc/%d/fd", (int)pid);
	DIR *dir = opendir(path);
	for (struct dirent *entry; dir && (entry = readdir(dir));)
		count += entry->d_name[0] != '.' && strtol(entry->d_name, NULL, 10) > 2;
	if (dir)
		closedir(dir);
	return count;
}

/*
 * Looks at who is about to make a call, where that tells something. Not once somebody has
 * been killed: a stop that was reported before is over when the others die of that, and
 * half of what is read then is a dead process's.
 */
static void observe(struct trace *trace, struct task *task, const uint64_t *args)
{
	struct trial *trial = trace->trial;

	if (trace->unstopped)
		return;
	if (task->side == SIDE_JAIL && task->part == PART_BEGIN &&
	    task->number == trace->runs_by) {
		task->part = PART_GUEST;
		walls_of(task->pid, trial->walls, sizeof(trial->walls));
	}
	if (task->side != SIDE_QUOD)
		return;
	if (trace->count > 1 && !trial->own_walls[0] &&
	    is_hostile_read(args, task->number))
		walls_of_own(task->pid, trial->own_walls, sizeof(trial->own_walls));
	if (task->number == SYS_exit_group)
		trial->open_fds = count_open_fds(task->pid);
}

static bool fits(const struct fault *fault, const struct task *task)
{
	return fault->kind != FAULT_NONE && task->side == fault->side &&
	       (fault->part == PARTS || task->part == fault->part) &&
	       (fault->number == ANY_CALL || task->number == fault->number);
}

static void spoil(struct trace *trace, struct task *task, const uint64_t *args)
{
	const struct fault *fault = trace->fault;
	struct trial *trial = trace->trial;

	trial->reached = task->at_fault = true;
	trial->call = (struct call){
		.side = task->side, .part = task->part, .number = task->number};
	memcpy(trial->call.args, args, sizeof(trial->call.args));
	trial->spared = fault->kind == FAULT_ERRNO && fault->may_fail &&
			!fault->may_fail(&trial->call);
	if (fault->kind == FAULT_ERRNO && !trial->spared)
		task->diverted = regs_divert(task->pid, &task->saved) == 0;
}

static void on_entry(struct trace *trace, struct task *task,
		     const struct ptrace_syscall_info *info)
{
	uint64_t args[6];

	memcpy(args, info->entry.args, sizeof(args));
	task->number = info->entry.nr;
	if (task->side == SIDE_QUOD && !task->executed)
		return;
	observe(trace, task, args);
	if (task->side < SIDES && task->number < CALLS_MOST) {
		trace->trial->seen[task->part][task->number] = true;
		trace->trial->calls[task->part]++;
	}
	if (fits(trace->fault, task) && ++trace->fitting == trace->fault->at)
		spoil(trace, task, args);
}

static void kill_task(struct trace *trace, enum side side)
{
	struct task *task = task_of(trace, side);

	if (task)
		kill(task->pid, SIGKILL);
	trace->unstopped = true;
}

/* The call that the fault is about has returned. Says how long the task is held. */
static enum held commit(struct trace *trace, struct task *task)
{
	const struct fault *fault = trace->fault;
	bool kills = fault->kind == FAULT_KILL_QUOD || fault->kind == FAULT_KILL_JAIL;
	enum side victim = fault->kind == FAULT_KILL_QUOD ? SIDE_QUOD : SIDE_JAIL;

	if (fault->kind == FAULT_HOLD ||
	    (fault->kind == FAULT_ERRNO && fault->pace == PACE_JAIL_FIRST))
		return HELD_UNTIL_QUIET;
	if (!kills)
		return HELD_NOT;
	if (fault->pace == PACE_JAIL_FIRST) {
		task->kill_after_hold = true;
		return HELD_UNTIL_QUIET;
	}
	kill_task(trace, victim);
	return victim == SIDE_QUOD && task->side != SIDE_QUOD ? HELD_UNTIL_QUOD_IS_DEAD
							      : HELD_NOT;
}

static enum held on_exit_of_call(struct trace *trace, struct task *task,
				 const struct ptrace_syscall_info *info)
{
	if (task->diverted)
		regs_answer(task->pid, &task->saved, trace->fault->errnum);
	else if (task->side == SIDE_QUOD && task->number == SYS_seccomp &&
		 !info->exit.is_error)
		task->part = PART_WATCH;
	task->diverted = false;
	if (!task->at_fault)
		return HELD_NOT;
	task->at_fault = false;
	return commit(trace, task);
}

static enum held on_call(struct trace *trace, struct task *task)
{
	struct ptrace_syscall_info info = {.op = PTRACE_SYSCALL_INFO_NONE};

	ptrace(PTRACE_GET_SYSCALL_INFO, task->pid, (void *)sizeof(info), &info);
	if (info.op == PTRACE_SYSCALL_INFO_ENTRY)
		on_entry(trace, task, &info);
	else if (info.op == PTRACE_SYSCALL_INFO_EXIT)
		return on_exit_of_call(trace, task, &info);
	return HELD_NOT;
}

static void on_event(struct trace *trace, struct task *task, int event)
{
	unsigned long pid = 0;

	if (event == PTRACE_EVENT_EXEC) {
		task->executed = true;
		if (task->side == SIDE_JAIL)
			task->part = PART_BEGIN;
	} else if (ptrace(PTRACE_GETEVENTMSG, task->pid, NULL, &pid) == 0) {
		task_new(trace, (pid_t)pid);
	}
}

static void on_stop(struct trace *trace, struct task *task, int status)
{
	enum held held = HELD_NOT;
	int sig = 0;

	if (WSTOPSIG(status) == (SIGTRAP | 0x80)) {
		held = on_call(trace, task);
	} else if (status >> 16) {
		on_event(trace, task, status >> 16);
	} else if (!task->begun && WSTOPSIG(status) == SIGSTOP) {
		task->begun = true;
		if (trace->fault->pace == PACE_JAIL_LAST && !trace->quod_gone &&
		    task->side == SIDE_JAIL)
			held = HELD_UNTIL_QUIET;
	} else {
		sig = WSTOPSIG(status);
	}
	if (held == HELD_NOT)
		resume(trace, task, sig);
	else
		task->held = held;
}

static uint64_t cpu_us(const struct rusage *usage)
{
	return (uint64_t)(usage->ru_utime.tv_sec + usage->ru_stime.tv_sec) * 1000000u +
	       (uint64_t)(usage->ru_utime.tv_usec + usage->ru_stime.tv_usec);
}

static void on_end(struct trace *trace, struct task *task, int status,
		   const struct rusage *usage)
{
	struct trial *trial = trace->trial;

	task->held = HELD_NOT;
	if (task->side != SIDE_QUOD) {
		trial->orphans += trace->quod_gone;
		trial->guest_us += trace->quod_gone ? cpu_us(usage) : 0;
		return;
	}
	trace->quod_gone = true;
	trial->exited = WIFEXITED(status);
	trial->code = WIFEXITED(status) ? WEXITSTATUS(status) : 0;
	trial->signal = WIFSIGNALED(status) ? WTERMSIG(status) : 0;
	release(trace, HELD_UNTIL_QUIET);
	release(trace, HELD_UNTIL_QUOD_IS_DEAD);
}

static bool somebody_is_held(const struct trace *trace)
{
	for (unsigned i = 0; i < trace->count; i++)
		if (trace->tasks[i].held == HELD_UNTIL_QUIET)
			return true;
	return false;
}

/* wait4(), or 0 when there was nothing for a while and somebody is held until then. */
static pid_t next_event(const struct trace *trace, int *ret_status,
			struct rusage *ret_usage)
{
	const struct timespec round = {.tv_nsec = QUIET_ROUND_NS};

	if (!somebody_is_held(trace))
		return wait4(-1, ret_status, __WALL, ret_usage);
	for (int i = 0; i < QUIET_ROUNDS; i++) {
		pid_t pid = wait4(-1, ret_status, __WALL | WNOHANG, ret_usage);
		if (pid != 0)
			return pid;
		nanosleep(&round, NULL);
	}
	return 0;
}

static void on_quiet(struct trace *trace)
{
	for (unsigned i = 0; i < trace->count; i++) {
		struct task *task = &trace->tasks[i];
		if (task->held != HELD_UNTIL_QUIET)
			continue;
		if (task->kill_after_hold)
			kill_task(trace, trace->fault->kind == FAULT_KILL_QUOD
						 ? SIDE_QUOD
						 : SIDE_JAIL);
		task->kill_after_hold = false;
		resume(trace, task, 0);
	}
}

static void end_all(struct trace *trace)
{
	trace->trial->hung = true;
	trace->unstopped = true;
	for (unsigned i = 0; i < trace->count; i++)
		kill(trace->tasks[i].pid, SIGKILL);
	watchdog(PATIENCE_SECONDS);
}

static void loop(struct trace *trace)
{
	struct rusage usage;
	int status;

	for (;;) {
		pid_t pid = next_event(trace, &status, &usage);
		if (pid < 0 && errno == ECHILD)
			return;
		if (pid < 0 && late)
			end_all(trace);
		if (pid == 0)
			on_quiet(trace);
		if (pid <= 0)
			continue;
		struct task *task = task_new(trace, pid);
		if (!task)
			kill(pid, SIGKILL);
		else if (WIFSTOPPED(status))
			on_stop(trace, task, status);
		else
			on_end(trace, task, status, &usage);
	}
}

void follow(pid_t quod, uint64_t runs_by, const struct fault *fault, struct trial *trial)
{
	struct trace trace = {.fault = fault, .runs_by = runs_by, .trial = trial};

	task_new(&trace, quod)->begun = true;
	ptrace(PTRACE_SETOPTIONS, quod, NULL, (void *)(intptr_t)OPTIONS);
	watchdog(PATIENCE_SECONDS);
	resume(&trace, &trace.tasks[0], 0);
	loop(&trace);
	watchdog(0);
}
