/* SPDX-License-Identifier: MIT */
/*
 * The record of a run: everything that is known about it, and its JSON form, in which
 * every key is always there.
 */
#ifndef QUOD_RECORD_H
#define QUOD_RECORD_H

#include <stdbool.h>
#include <stdint.h>

#include "supervisor/request.h"
#include "supervisor/runid.h"
#include "supervisor/runlog.h"
#include "supervisor/status.h"

/* Who holds a limit. X(id, name) */
#define ENFORCERS(X)        \
	X(CGROUP, "cgroup") \
	X(RLIMIT, "rlimit") \
	X(ENGINE, "engine") \
	X(FILTER, "filter") \
	X(SUPERVISOR, "supervisor")

enum enforcer {
#define X(id, name) ENFORCER_##id,
	ENFORCERS(X)
#undef X
};

struct record_finding {
	enum rule_severity severity;
	uint32_t line, column, span; /* 0: none */
	bool blocks;
	char *rule, *message; /* owned */
	char *why;	      /* owned; NULL: the message says it */
};

struct record_error {
	bool set;
	uint32_t line, column; /* 0: not known */
	enum error_phase phase;
	struct text name, message, stack;
};

enum record_killer {
	KILLER_NOBODY,
	KILLER_SUPERVISOR,
	KILLER_KERNEL,
	KILLER_FILTER,
	RECORD_KILLERS
};

enum gate_decision { GATE_OPEN, GATE_ALLOWED, GATE_REJECTED, GATE_DECISIONS };

/* As the JSON has them; NULL: null stands there. */
extern const char *const record_phase_names[PHASES];
extern const char *const record_killer_names[RECORD_KILLERS];
extern const char *const record_decision_names[GATE_DECISIONS];

#define RECORD_SYSCALL_ROOM 40

struct record {
	const struct request *request; /* borrowed */
	const char *tenant;	       /* borrowed; NULL: none */
	char id[RUNID_LEN + 1];
	int64_t started_ms;
	enum status status;
	bool passed;

	bool has_value, value_is_json;
	struct text value_json, value_text;
	struct runlog log;
	struct record_error error; /* of the script */
	struct text why; /* what quod has to say of a crash or of its own failure */

	enum gate_decision gate;
	struct record_finding *findings; /* owned */
	unsigned findings_count;
	bool has_complexity;
	uint32_t complexity, nesting;
	/* The source needs more than ECMAScript 5; what does so first, and where. */
	bool modern;
	uint32_t modern_line, modern_column;
	struct text modern_text;
	enum policy_engine engine; /* that ran; AUTO: none has */

	enum enforcer wall_by, cpu_by, memory_by, processes_by;

	uint64_t wall_us, cpu_us, setup_us, queue_us, memory_peak_bytes;
	uint32_t processes_peak; /* 0: not known */

	int crash_signal; /* that ended a crashed run; 0: it exited */
	enum record_killer killer;
	const char *kill_reason;		/* static */
	int kill_signal;			/* 0: none */
	char kill_syscall[RECORD_SYSCALL_ROOM]; /* "": none */
};

void record_init(struct record *record, const struct request *request);
void record_free(struct record *record);

/* Takes the strings over, also where it fails; rule or message NULL: there was no memory
 * for them. Errors: -ENOMEM. */
int record_add_finding(struct record *record, const struct record_finding *finding);

/* One object on one line, without the line feed. Failures stick in `to`. */
void record_write(const struct record *record, struct text *to);

/* Its parts, which are events of their own in ndjson. */
void record_write_finding(const struct record_finding *finding, struct text *to);
void record_write_error(const struct record *record, struct text *to);
void record_write_value(const struct record *record, struct text *to);
void record_write_ms(uint64_t us, struct text *to);
void record_write_line(const struct runlog *log, const struct log_line *line,
		       struct text *to);

#endif
