/* SPDX-License-Identifier: MIT */
/*
 * What the two processes of quodd say to each other, over one SOCK_SEQPACKET socket pair
 * and, for the end of each run, a pipe of its own.
 *
 *	server		monitor
 *	SPAWN run	->
 *	WARM run	->	the same, for a run that is yet to come
 *			<-	HELD run, with four descriptors: the guest's 0, 1 and 2, and the
 *				pipe on which its ending comes; or FAILED run
 *	CLOCK run	->	its wall time begins: at READY for the parser, at GO for the script if
 *				that is much later; with the first a warm jail becomes a run
 *	KILL run	->
 *			<-	ROSTER, with one descriptor: another generation of it counts
 *	ADOPT		->	it counts from here on: until then both do; a server that
 *				does not say so in time is ended
 *			<-	one struct ending on the pipe, then its end of file
 *	ALIVE 0		->	once: it listens, and nothing more can be taken from it
 *			<-	PING n
 *	ALIVE n		->	its event loop still turns
 *			<-	STATE: for the metrics, a second after something has changed
 *			<-	STOP: take no more work and leave
 *
 * An order is one fixed-size packet without a pointer, a length or a byte that a tenant
 * wrote. Orders come from a process that may have been taken over: order_check() is all
 * that looks at their bytes, it is pure, and what it lets through is a run of an existing
 * policy for an existing tenant within that policy's limits, is about a run that there
 * was, or is the one sign of life that is due. Anything else is a fault, and a server that commits one is not served any more.
 *
 * Both sides are the same program, so that the version can differ only in a bug or while
 * it is replaced.
 */
#ifndef QUOD_ORDERS_H
#define QUOD_ORDERS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "daemon/roster.h"
#include "jail/jail.h"
#include "policy/limits.h"
#include "supervisor/runid.h"
#include "supervisor/status.h"

#define ORDERS_VERSION 3u

/* X(id, number) */
#define ORDER_KINDS(X) \
	X(SPAWN, 1)    \
	X(CLOCK, 2)    \
	X(KILL, 3)     \
	X(ADOPT, 4)    \
	X(WARM, 5)     \
	X(ALIVE, 6)

enum order_kind {
#define X(id, number) ORDER_##id = (number),
	ORDER_KINDS(X)
#undef X
};

/* The monitor's deadlines are so much later than they are asked for: the server sees to
 * them first, and a clock that begins anew within half of it need not be told. */
#define CLOCK_GRACE_MS 200u

/* Room for a run's id, in whole words. */
#define ORDER_ID_ROOM 32

/* Where only SPAWN has a field, it is zero in the others; WARM has all that SPAWN has. */
struct order {
	uint32_t version;	/* ORDERS_VERSION */
	uint32_t kind;		/* enum order_kind */
	uint64_t run;		/* SPAWN: above all before it; ALIVE: the ping it answers;
				   ADOPT: 0; others: not above */
	uint32_t generation;	/* SPAWN, ADOPT: of the roster */
	uint32_t policy;	/* SPAWN: its number there, one that the tenant has */
	uint32_t tenant;	/* SPAWN: his number there */
	uint32_t unused;	/* 0 */
	char id[ORDER_ID_ROOM]; /* SPAWN: a ULID, zeros after it */
	/* SPAWN: from its least to the policy's own. CLOCK: wall_ms and cpu_ms alone, from
	 * the least to what the run has now, see order_lowers(). */
	uint64_t limit[LIMIT_IDS];
};

/* X(id, what the log says) */
#define ORDER_FAULTS(X)                                            \
	X(NONE, "none")                                            \
	X(SIZE, "not of an order's size")                          \
	X(VERSION, "of another version")                           \
	X(KIND, "of an unknown kind")                              \
	X(RUN, "about a run that cannot be")                       \
	X(GENERATION, "for a roster that does not count")          \
	X(POLICY, "for a policy that the tenant does not have")    \
	X(TENANT, "for a tenant that there is not")                \
	X(ID, "with an id that is none, or another run's")         \
	X(LIMIT, "with a limit outside of what its policy allows") \
	X(ALIVE, "that says it is alive when nobody asks")         \
	X(EXCESS, "with something where nothing belongs")          \
	X(BAGGAGE, "with descriptors or other baggage")

enum order_fault {
#define X(id, text) ORDER_FAULT_##id,
	ORDER_FAULTS(X)
#undef X
		ORDER_FAULTS_COUNT
};

extern const char *const order_fault_texts[ORDER_FAULTS_COUNT];

/* What the monitor knows. */
struct order_bounds {
	const struct roster *now;
	const struct roster *before; /* NULL: the server has adopted the one of now */
	uint64_t last_run;	     /* highest number that a SPAWN had; 0: none yet */
	uint64_t pings;		     /* sent so far; they are numbered from 1 */
	uint64_t alives;	     /* signs of life so far */
};

/* ret_order is written only with ORDER_FAULT_NONE. The bytes need no alignment. */
enum order_fault order_check(const void *bytes, size_t len,
			     const struct order_bounds *bounds, struct order *ret_order);

/* Of a CLOCK that went through: is no limit in it above those of its run? If one is, the
 * order is a fault (LIMIT). Pure. */
bool order_lowers(const struct order *clock, const struct limits *run);

/* X(id, number) */
#define ANSWER_KINDS(X) \
	X(HELD, 1)      \
	X(FAILED, 2)    \
	X(STOP, 3)      \
	X(ROSTER, 4)    \
	X(PING, 5)      \
	X(STATE, 6)     \
	X(FINDINGS, 7) /* one descriptor: see examine.h */

enum answer_kind {
#define X(id, number) ANSWER_##id = (number),
	ANSWER_KINDS(X)
#undef X
};

/* The descriptors of HELD, in this order. */
enum answer_fd {
	ANSWER_FD_IN,
	ANSWER_FD_OUT,
	ANSWER_FD_ERR,
	ANSWER_FD_ENDED,
	ANSWER_FDS
};

struct answer {
	uint32_t version, kind;
	uint64_t run; /* 0 in STOP, ROSTER, STATE and FINDINGS; PING: its number */
	uint32_t memory_by, cpu_by, processes_by; /* HELD: enum jail_enforcer */
	uint32_t jails, leaves_left;		  /* STATE */
	struct jail_error error;		  /* FAILED */
};

struct ending {
	uint32_t version;
	uint32_t killed; /* enum kill_reason for which the monitor killed it */
	uint32_t failed; /* error instead of a result */
	uint32_t end, exit_code, signal; /* as in struct jail_result, all the rest too */
	uint32_t cgroup_used, memory_limit_hit, oom_killed, oom_in_group;
	uint32_t pids_peak, unused;
	uint64_t cpu_us, memory_peak_bytes;
	struct jail_error error;
};

/* The result; version and the rest are the caller's. */
void ending_encode(const struct jail_result *result, struct ending *to);

/* False: it is not what a monitor of this version writes. */
bool ending_decode(const struct ending *ending, struct jail_result *ret_result);

/* The same question of an answer, once its size is right. */
bool answer_is_valid(const struct answer *answer, unsigned fds);

#endif
