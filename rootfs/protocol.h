/* SPDX-License-Identifier: MIT */
/*
 * What quod and quod-js say to each other: the only header that both sides share.
 *
 * The host writes on the guest's fd 0, the guest on its fd 1. Everything is frames:
 *
 *	type   1 byte
 *	length 4 bytes, little endian, of the payload alone
 *	payload
 *
 * One run, in order:
 *
 *	guest  READY                      greeting, before any byte of the job was read
 *	host   JOB                        may be written before READY is seen
 *	guest  FINDING*, GATE             what the source is about to do
 *	host   GO                         or the jail is killed: nothing has run yet
 *	                                  (GO_COMPILE: an ERROR of phase parse or nothing)
 *	guest  LOG*, VALUE | ERROR | LIMIT
 *	guest  LOG*, [ERROR | LIMIT]      timers and promise jobs, after the value is fixed
 *	guest  END                        complete; exit status 0 follows
 *
 * The host believes nothing of it: after GO the guest may be an attacker who owns the
 * interpreter and forges every byte. All integers are little endian and unaligned; use
 * the functions below. Strings are UTF-8 without a terminator.
 */
#ifndef QUOD_PROTOCOL_H
#define QUOD_PROTOCOL_H

#include <stdint.h>

/* Rises whenever a frame or the argument vector changes its meaning. */
#define PROTOCOL_VERSION 4u

#define FRAME_HEADER_BYTES 5u

/* One table: name, byte on the wire, most bytes of payload that do not depend on a
 * limit of the job (a limit's own bytes come on top, see frames.c). */
#define FRAME_TYPES(X)        \
	X(READY, 0x01, 8)     \
	X(FINDING, 0x02, 141) \
	X(GATE, 0x03, 72)     \
	X(LOG, 0x04, 2)       \
	X(VALUE, 0x05, 5)     \
	X(ERROR, 0x06, 20)    \
	X(LIMIT, 0x07, 2)     \
	X(VIOLATION, 0x08, 8) \
	X(END, 0x09, 16)      \
	X(JOB, 0x41, 72)      \
	X(GO, 0x42, 4)

enum frame_type {
#define X(name, byte, most) FRAME_##name = (byte),
	FRAME_TYPES(X)
#undef X
};

/*
 * argv of quod-js: { "quod-js", ARENA }, ARENA = decimal bytes of address space for the
 * largest heap that any job may be given. It has to be known before the job is read,
 * because after the inner filter no memory can be mapped. With a third word, WORD_AHEAD,
 * the job may be long in coming: what does not depend on it is done before READY. Nothing
 * that is said of the job changes by that.
 */
#define WORD_AHEAD "ahead"

/* READY: u32 protocol version, u32 reserved (0). */

/*
 * JOB: this head, then source, input (JSON text), file name, rules and globals, in that
 * order.
 *	u32 flags        enum job_flag
 *	u32 engine       enum job_engine
 *	u64 heap_bytes   cap of the JavaScript heap, at most ARENA
 *	u64 seed         of Math.random, with JOB_SEEDED
 *	i64 now_ms       the frozen time, with JOB_FROZEN_TIME (milliseconds since 1970)
 *	u32 stack_frames depth of calls
 *	u32 value_bytes  most bytes of the value, of its JSON and of its text each
 *	u32 log_bytes    most bytes of one log line (the host counts the sum)
 *	u32 log_lines    most lines (the host counts)
 *	u32 source_len, u32 input_len, u32 name_len, u32 rules_len, u32 globals_len
 *	u32 reserved (0)
 *
 * Rules: what the gate looks for. For each match: u8 rule, u8 enum rule_kind, u8 length,
 * pattern. A rule may have several; its number is the policy's, and its name, severity
 * and message stay with the host.
 * Globals: with JOB_HAS_GLOBALS the only names that the script finds, one space between.
 */
#define JOB_HEAD_BYTES	     72u
#define JOB_SOURCE_MOST	     (1024u * 1024u)
#define JOB_INPUT_MOST	     (1024u * 1024u)
#define JOB_NAME_MOST	     255u
#define JOB_RULES_MOST	     16384u
#define JOB_GLOBALS_MOST     4096u
#define JOB_RULES_COUNT_MOST 255u

/* X(id, name in a policy file, what its pattern is) */
#define RULE_KINDS(X)                                                                    \
	X(GLOBAL, "global", "a free name, however it is reached: eval")                  \
	X(CALL, "call", "a path that is called: JSON.parse")                             \
	X(NEW, "new", "a path that is constructed: Date")                                \
	X(MEMBER, "member", "a path or, as *.name, a property of anything: *.__proto__") \
	X(SYNTAX, "syntax", "a node of the grammar: with_statement")                     \
	X(SIGNAL, "signal", "a shape that the gate knows by name: unbounded-loop")

enum rule_kind {
#define X(id, name, what) RULE_##id,
	RULE_KINDS(X)
#undef X
		RULE_KINDS_COUNT
};

enum job_flag {
	JOB_HAS_INPUT = 1 << 0, /* else the global `input` is undefined */
	JOB_NO_DYNAMIC_CODE =
		1 << 1, /* eval, Function and every way to a constructor of code */
	JOB_NO_TIMERS = 1 << 2, /* setTimeout and its kin do not exist */
	JOB_SEEDED = 1 << 3,
	JOB_FROZEN_TIME = 1 << 4,
	JOB_HAS_GLOBALS = 1 << 5,
	JOB_FLAGS_ALL = (1 << 6) - 1,
};

enum job_engine { JOB_ENGINE_AUTO, JOB_ENGINE_DUKTAPE, JOB_ENGINE_QUICKJS };

/* FINDING: u8 rule, u32 line, u32 column (1-based, in characters; 0: the source as a
 * whole), u32 characters that it spans on that line, detail: what was found, in the
 * source's words or as it was worked out ("globalThis.eval"). */
#define FINDING_DETAIL_MOST 128u

/* Findings that one source may have. The last is of the signal `too-many-findings` where
 * there were more: one that blocks must not be hidden by many that do not. */
#define FINDINGS_MOST 256u

/* GATE: u32 complexity, u32 nesting, u32 engine that will run (enum job_engine, never
 * AUTO), u32 flags; with GATE_MODERN what needs it, else 0 and nothing: u32 line, u32
 * column (1-based, in characters), text of the source. */
#define GATE_REASON_MOST 48u
enum gate_flag {
	GATE_UNPARSED = 1 << 0, /* parts of the source were not understood */
	GATE_MODERN = 1 << 1,	/* it needs more than ECMAScript 5 */
	GATE_FLAGS_ALL = (1 << 2) - 1,
};

/* GO: u32 flags. */
enum go_flag {
	GO_COMPILE = 1 << 0, /* compile and end: say what the engine thinks of it */
	GO_FLAGS_ALL = (1 << 1) - 1,
};

/* LOG: u8 level, u8 flags, text. */
enum log_level { LOG_LOG, LOG_INFO, LOG_DEBUG, LOG_WARN, LOG_ERROR, LOG_LEVELS };
#define LOG_FLAG_CUT 1u /* the line was longer than log_bytes: this is its first part */

/* VALUE: u8 flags, u32 json length, json, text. Sent once, when the last statement ran.
 */
enum value_flag {
	VALUE_IS_JSON = 1 << 0, /* JSON can say it: json holds compact JSON */
	VALUE_IS_TRUE = 1 << 1, /* the boolean true, nothing else */
};

/* ERROR: u32 phase, u32 line, u32 column (1-based, 0 = not known), u32 name length,
 * u32 message length, name, message, stack. Each string at most ERROR_TEXT_MOST. */
enum error_phase { PHASE_PARSE, PHASE_RUN, PHASE_RESULT, PHASES };
#define ERROR_TEXT_MOST 8192u

/* LIMIT: u8 which, u8 phase. The run ends here: END follows, no value after it. */
enum limit_kind { LIMIT_MEMORY, LIMIT_VALUE, LIMIT_KINDS };

/* VIOLATION: u32 AUDIT_ARCH of the call, u32 its number. Death by SIGSYS follows. */

/* END: u64 peak of the JavaScript heap in bytes, u64 reserved (0). */

static inline void put_u32le(unsigned char *to, uint32_t v)
{
	to[0] = (unsigned char)v;
	to[1] = (unsigned char)(v >> 8);
	to[2] = (unsigned char)(v >> 16);
	to[3] = (unsigned char)(v >> 24);
}

static inline void put_u64le(unsigned char *to, uint64_t v)
{
	put_u32le(to, (uint32_t)v);
	put_u32le(to + 4, (uint32_t)(v >> 32));
}

static inline uint32_t get_u32le(const unsigned char *from)
{
	return (uint32_t)from[0] | (uint32_t)from[1] << 8 | (uint32_t)from[2] << 16 |
	       (uint32_t)from[3] << 24;
}

static inline uint64_t get_u64le(const unsigned char *from)
{
	return (uint64_t)get_u32le(from) | (uint64_t)get_u32le(from + 4) << 32;
}

#endif
