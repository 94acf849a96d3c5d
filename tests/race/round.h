/* SPDX-License-Identifier: MIT */
/*
 * A round: one run of quod in which two things happen at nearly the same moment. One is
 * the guest's act (it returns, throws, uses up its memory, dies...), the other its rival
 * (the deadline, a signal to quod, the reader that goes). Act and rival are a pairing.
 */
#ifndef QUOD_TESTS_ROUND_H
#define QUOD_TESTS_ROUND_H

#include <stdbool.h>
#include <stdint.h>

#include "base/text.h"
#include "tests/race/launch.h"

/* How a run may end, complete: nothing else may stand in its record. */
struct ending {
	const char *status;
	int exit_code;
	/* "by reason signal" of the record's kill. The second, if any, is as good. */
	const char *kills[2];
};

enum act_flag {
	ACT_LIES = 1 << 0,  /* by tests/integration/liar, else JavaScript */
	ACT_TIMER = 1 << 1, /* it sleeps until its moment, else it spins */
	ACT_VALUE = 1 << 2, /* there is a value before or at its end */
	ACT_THROWS = 1 << 3,
	ACT_ENDLESS = 1 << 4, /* nothing happens unless the rival comes */
	ACT_FLOODS = 1 << 5,  /* more log than the limits allow */
	ACT_HEAP = 1 << 6,    /* under the least memory limit */
	ACT_CPU = 1 << 7,     /* under half a second of CPU time: dear rounds */
	ACT_START = 1 << 8,   /* the race is about the start of quod itself */
	ACT_PARSE = 1 << 9,   /* the race is about parsing, by the length of the source */
	ACT_OVER = 1 << 10,   /* one line too many, then the end: who comes first? */
	ACT_SAID = 1 << 11,   /* END is said at once, only the exit is missing */
	ACT_SLOW = 1 << 12,   /* takes some ms even when nothing is in its way */
};

struct act {
	const char *name;
	unsigned flags;
	const char *tail; /* what the script does at its moment */
	struct ending end;
	/* Where the kernel has no memory controller for us; status NULL: the same. */
	struct ending end_without_cgroup;
};

enum rival_id { RIVAL_DEADLINE, RIVAL_SIGNAL, RIVAL_CLOSE, RIVAL_EXIT, RIVALS };

struct rival {
	const char *name;
	enum launch_blow blow;
	struct ending end; /* status NULL: there is no other ending */
};

extern const struct rival rivals[RIVALS];

/* Where the moment is looked for, and how. */
struct pairing {
	const struct act *act;
	enum rival_id rival;
	unsigned weight;
	bool steers_host;     /* the moment is the rival's, else the guest's */
	uint32_t deadline_ms; /* 0: the policy's */
	int64_t first, most;  /* of the moment, in us (ACT_PARSE: statements) */
	int64_t step, step_least, jitter;
};

#define PAIRINGS_MOST	64
#define LINES_ALL_MOST	1001u
#define VALUE_LONG_MOST 60000u

/* How fast the engine counts; measured first, the same for all rounds. */
struct speed {
	double loops_per_us;
};

/* All there are, with time enough for this machine. Returns their number. */
unsigned pairings_list(struct pairing *pairings, const struct speed *speed);
/* "value against deadline" */
void pairing_name(const struct pairing *pairing, char *name, size_t size);

enum value_kind { VALUE_TRUE, VALUE_FALSE, VALUE_OBJECT, VALUE_LONG, VALUE_KINDS };

struct round {
	const struct pairing *pairing;
	uint64_t number;
	int64_t moment;
	bool ndjson;
	unsigned before,
		lines; /* log lines before the moment, and all; the liar's are few */
	unsigned pad;  /* makes lines longer */
	enum value_kind value;
	unsigned value_len; /* of VALUE_LONG */

	struct text source;
	char timeout[16];
	char *argv[16];
	struct launch launch;
};

/* Everything but the moment follows from the seed. round_free() in any case. */
void round_make(struct round *round, const struct pairing *pairing,
		const struct speed *speed, uint64_t seed, uint64_t number,
		int64_t moment);
void round_free(struct round *round);

/* The text of a log line. Returns its length. */
#define LINE_ROOM 300
int round_line(const struct round *round, unsigned index, char line[LINE_ROOM]);

#endif
