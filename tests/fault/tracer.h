/* SPDX-License-Identifier: MIT */
/*
 * Runs a program under ptrace, follows what it clones, and spoils one system call of one
 * of them: the N-th of quod itself, or the N-th of its first child, which becomes pid 1
 * of the jail. A call that fails never reaches the kernel.
 */
#ifndef QUOD_TESTS_TRACER_H
#define QUOD_TESTS_TRACER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

enum side { SIDE_QUOD, SIDE_JAIL, SIDES };

/* Which stretch of a process's life a call belongs to. */
enum part {
	PART_START, /* quod, until its own filter is on */
	PART_WATCH, /* quod, afterwards */
	PART_SETUP, /* pid 1 of the jail, until its exec is done */
	PART_BEGIN, /* the program in the jail, until it begins its work */
	PART_GUEST, /* afterwards */
	PARTS
};

enum fault_kind {
	FAULT_NONE,
	FAULT_ERRNO,	 /* the call answers an errno and does nothing */
	FAULT_KILL_QUOD, /* SIGKILL to quod when the call has returned */
	FAULT_KILL_JAIL, /* SIGKILL to pid 1 of the jail when the call has returned */
	FAULT_HOLD,	 /* the process stands still until nobody else moves */
};

/* Who runs while both could. */
enum pace {
	PACE_FREE,
	PACE_JAIL_LAST,	 /* the child stays at its birth until quod waits or is dead */
	PACE_JAIL_FIRST, /* before the fault everybody else gets as far as he can */
};

struct call {
	enum side side;
	enum part part;
	uint64_t number;
	uint64_t args[6];
};

/* PARTS and ANY_CALL stand for all of them. */
#define ANY_CALL UINT64_MAX

struct fault {
	enum fault_kind kind;
	enum side side;
	enum part part;
	uint64_t number;
	unsigned at; /* which one of the calls that fit, from 1 */
	int errnum;  /* with FAULT_ERRNO */
	/* With FAULT_ERRNO: false spares the call. NULL: all may. */
	bool (*may_fail)(const struct call *call);
	enum pace pace;
};

#define TRIAL_OUT_ROOM	 8192
#define TRIAL_WALLS_ROOM 8192

/* Numbers of system calls are below this. */
#define CALLS_MOST 512

struct trial {
	bool reached; /* so many calls that fit were made: `call` is the one */
	bool spared;
	struct call call;
	bool hung;	   /* had to be ended by us */
	bool exited;	   /* quod by itself, `code` is its status; else by `signal` */
	int code, signal;  /* signal 0 and not exited: never started */
	unsigned orphans;  /* that were alive, or unreaped, when quod was gone */
	uint64_t guest_us; /* CPU time of what quod left to us to reap */
	unsigned open_fds; /* of quod above 2 when it was about to exit */
	bool seen[PARTS][CALLS_MOST]; /* which calls were made at all */
	unsigned calls[PARTS];	      /* and how many */
	char out[TRIAL_OUT_ROOM], err[TRIAL_OUT_ROOM];
	char walls[TRIAL_WALLS_ROOM];	  /* of the program: see walls.h; "": never ran */
	char own_walls[TRIAL_WALLS_ROOM]; /* of quod at its first hostile byte */
};

/* False: not on this machine or not in this place; *ret_why is static. */
bool tracer_works(const char **ret_why);

/* Runs argv[0] with an empty stdin to the end of all its descendants. The program in the
 * jail is looked at when it first makes the call `runs_by`, which begins its work. */
void tracer_run(char *const *argv, uint64_t runs_by, const struct fault *fault,
		struct trial *ret_trial);

/* The name of a call of this machine. Static, until the next call. */
const char *tracer_call_name(uint64_t number);

extern const char *const part_names[PARTS];

#endif
