/* SPDX-License-Identifier: MIT */
/*
 * quod is killed after each of its system calls, and after each of those of pid 1 of its
 * jail; so is pid 1; and each of the two stands still for a while after each call. Every
 * row of the table below goes through all calls of a side, one run each.
 *
 * Killed, quod leaves nothing that runs on: who is left ends by himself, which needs no
 * guest that looks: some wait for ever, some spin. After its next start there is nothing
 * left at all. A jail that is killed from outside is told as that.
 */
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/own.h"
#include "tests/escape/harness.h"
#include "tests/fault/host.h"
#include "tests/fault/subject.h"
#include "tests/fault/walls.h"

/* Far less than the CPU time after which the kernel would end a spinning guest. */
#define GUEST_US_MOST 2000000u

#define GUEST_CALLS_MOST 15

static const struct row {
	enum subject_id subject;
	enum fault_kind kind;
	enum side side;
	enum pace pace;
	bool always; /* not only as the one who runs the tests */
	const char *name;
} rows[] = {
	{SUBJECT_RUN, FAULT_KILL_QUOD, SIDE_QUOD, PACE_FREE, true,
	 "SIGKILL of quod after each of its calls"},
	{SUBJECT_RUN, FAULT_KILL_QUOD, SIDE_QUOD, PACE_JAIL_LAST, false,
	 "SIGKILL of quod after each of its calls, the jail slow"},
	{SUBJECT_RUN, FAULT_KILL_QUOD, SIDE_QUOD, PACE_JAIL_FIRST, false,
	 "SIGKILL of quod after each of its calls, the jail fast"},
	{SUBJECT_RUN, FAULT_KILL_QUOD, SIDE_JAIL, PACE_FREE, true,
	 "SIGKILL of quod after each of the jail's calls"},
	{SUBJECT_RUN, FAULT_KILL_JAIL, SIDE_JAIL, PACE_FREE, true,
	 "SIGKILL of the jail after each of its calls"},
	{SUBJECT_RUN, FAULT_HOLD, SIDE_QUOD, PACE_FREE, false,
	 "quod stands still after each of its calls"},
	{SUBJECT_RUN, FAULT_HOLD, SIDE_JAIL, PACE_FREE, false,
	 "the jail stands still after each of its calls"},
	{SUBJECT_WAIT, FAULT_KILL_QUOD, SIDE_QUOD, PACE_FREE, false,
	 "SIGKILL of quod after each of its calls"},
	{SUBJECT_WAIT, FAULT_KILL_QUOD, SIDE_JAIL, PACE_FREE, true,
	 "SIGKILL of quod after each of the jail's calls"},
	{SUBJECT_SPIN, FAULT_KILL_QUOD, SIDE_JAIL, PACE_FREE, false,
	 "SIGKILL of quod after each of the jail's calls"},
	{SUBJECT_EXEC, FAULT_KILL_QUOD, SIDE_QUOD, PACE_JAIL_FIRST, false,
	 "SIGKILL of quod after each of its calls, the jail fast"},
	{SUBJECT_EXEC, FAULT_KILL_JAIL, SIDE_JAIL, PACE_FREE, false,
	 "SIGKILL of the jail after each of its calls"},
	{SUBJECT_PAUSE, FAULT_KILL_QUOD, SIDE_JAIL, PACE_FREE, true,
	 "SIGKILL of quod after each of the jail's calls"},
	{SUBJECT_CASES, FAULT_KILL_QUOD, SIDE_QUOD, PACE_FREE, false,
	 "SIGKILL of quod after each of its calls"},
	{SUBJECT_CASES, FAULT_KILL_QUOD, SIDE_JAIL, PACE_FREE, false,
	 "SIGKILL of quod after each of the case's calls"},
};

/* The same for all rows of a subject. */
static struct subject *prepared[SUBJECT_COUNT];

static const char *fault_of_killed_quod(const struct trial *trial, enum ending ending)
{
	if (trial->exited && ending != END_AS_EVER)
		return "it ended by itself, but not as ever";
	if (!trial->exited && trial->signal != SIGKILL)
		return "another signal has ended it";
	if (trial->guest_us > GUEST_US_MOST)
		return "the program ran on";
	return subject_run_plainly(prepared[SUBJECT_RUN]) == 0
		       ? NULL
		       : "the next start does not work";
}

/* In set-up that is our failure, later the program's end. Between its last report and
 * its exec nobody can tell, unless the program greets, as quod-js does. */
static const char *fault_of_killed_jail(const struct subject *subject,
					const struct trial *trial, enum ending ending,
					const char *said)
{
	bool set_up = trial->call.part == PART_SETUP && !subject->exec;

	if (trial->orphans || trial->open_fds)
		return "something was left to others";
	if (ending == END_AS_EVER && trial->call.part == PART_GUEST)
		return NULL;
	if (set_up ? ending != END_REFUSED
		   : ending != END_REFUSED && ending != END_CRASHED)
		return "it may not end so";
	return strstr(said, "kill") || strstr(said, "SIGKILL")
		       ? NULL
		       : "that it was killed is not told";
}

static const char *fault_of_held(const struct trial *trial, enum ending ending)
{
	if (ending != END_AS_EVER)
		return "it may not end so";
	return trial->orphans || trial->open_fds ? "something was left to others" : NULL;
}

/* NULL, or what is wrong. May use `room`. */
static const char *fault_of(const struct row *row, const struct trial *trial,
			    enum ending ending, const char *said, char *room, size_t size)
{
	const struct subject *subject = prepared[row->subject];
	const char *wrong;

	if (trial->hung)
		return "something runs on for ever";
	if (row->kind == FAULT_KILL_QUOD)
		wrong = fault_of_killed_quod(trial, ending);
	else if (row->kind == FAULT_KILL_JAIL)
		wrong = fault_of_killed_jail(subject, trial, ending, said);
	else
		wrong = fault_of_held(trial, ending);
	if (wrong)
		return wrong;
	room[0] = '\0';
	if (trial->walls[0])
		walls_difference(subject->reference.walls, trial->walls, room, size);
	return room[0] || !host_is_clean(room, size) ? room : NULL;
}

/* One run. True: the side made that many calls and all was well. */
static bool try_one(const struct row *row, unsigned at, struct trial *trial)
{
	const struct subject *subject = prepared[row->subject];
	const struct fault fault = {.kind = row->kind,
				    .side = row->side,
				    .part = PARTS,
				    .number = ANY_CALL,
				    .at = at,
				    .pace = row->pace};
	char said[512], room[512];

	tracer_run(subject->argv, subject->runs_by, &fault, trial);
	if (!trial->reached)
		return false;
	enum ending ending = subject_ending(subject, trial, said, sizeof(said));
	const char *wrong = fault_of(row, trial, ending, said, room, sizeof(room));
	if (!wrong)
		return true;
	check(false, "%s: %s: %u, %s", subject->name, row->name, at,
	      tracer_call_name(trial->call.number));
	note("%s: %s (%s; exit %d code %d signal %d orphans %u fds %u)", wrong,
	     ending_names[ending], said, trial->exited, trial->code, trial->signal,
	     trial->orphans, trial->open_fds);
	note("stdout: %.1500s\nstderr: %.500s", trial->out, trial->err);
	return false;
}

static unsigned calls_of(const struct row *row)
{
	const unsigned *calls = prepared[row->subject]->reference.calls;

	if (row->side == SIDE_QUOD)
		return calls[PART_START] + calls[PART_WATCH];
	return calls[PART_SETUP] + calls[PART_BEGIN];
}

/* A program that waits may do so by one call after the other: some of them will do. */
static void try_row(const struct row *row)
{
	static struct trial trial;
	unsigned count = 0, in_guest = 0;

	if (!prepared[row->subject] &&
	    !subject_prepare(row->subject, &prepared[row->subject]))
		return;
	while (in_guest < GUEST_CALLS_MOST && try_one(row, count + 1, &trial)) {
		count++;
		in_guest += trial.call.part == PART_GUEST;
	}
	/* One that went wrong has been told. */
	if (trial.reached && in_guest < GUEST_CALLS_MOST)
		return;
	check(count + SUBJECT_SLACK > calls_of(row), "%s: %s: %u of them",
	      prepared[row->subject]->name, row->name, count);
}

int main(void)
{
	const char *mode = getenv("QUOD_TEST_MODE"), *why;
	bool caller = !mode || strcmp(mode, "caller") == 0;

	if (!tracer_works(&why)) {
		skip("killed after each system call", why);
		return tap_end();
	}
	host_enter();
	check(host_has_leases() || !in_root_mode(), "leases are looked at in root mode");
	for (size_t i = 0; i < ARRAY_LEN(rows); i++)
		if (rows[i].always || caller)
			try_row(&rows[i]);
	host_leave();
	return tap_end();
}
