/* SPDX-License-Identifier: MIT */
/*
 * The gate: what a source is about to do, found in its syntax tree before an engine sees
 * it. Reads hostile bytes and works in the jail, under the inner filter; all memory comes
 * from the heap of the run.
 *
 * It knows nothing of severities: the host's rules say what to look for, and the host
 * decides. The one exception is what it could not understand, which is told as that.
 */
#ifndef QUOD_JS_GATE_H
#define QUOD_JS_GATE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "rootfs/protocol.h"

struct gate_finding {
	uint8_t rule;		     /* its number in the rules */
	uint32_t line, column, span; /* 1-based, in characters */
	const char *detail;	     /* UTF-8, at most FINDING_DETAIL_MOST bytes */
	size_t detail_len;
};

struct gate_memory {
	void *(*take)(void *heap, size_t size);
	void *(*resize)(void *heap, void *at, size_t size);
	void (*give_back)(void *heap, void *at);
	void *heap;
	/* Called when one of them has refused; does not return. */
	void (*exhausted)(void);
};

struct gate_job {
	const char *source; /* UTF-8 without a byte order mark, any bytes else */
	size_t source_len;
	const unsigned char
		*rules; /* as in the JOB frame; checked by gate_check_rules() */
	size_t rules_len;
	/* Will run it, or QuickJS: tell what that runs with another meaning. */
	bool duktape;
	struct gate_memory memory;
	void (*found)(void *context, const struct gate_finding *finding);
	void *context;
};

struct gate_summary {
	uint32_t complexity; /* cyclomatic: 1 and the decisions in it */
	uint32_t nesting;    /* deepest block, function or branch in another */
	bool unparsed;	     /* there are errors in the tree */
	bool modern;	     /* needs more than ECMAScript 5 */
	bool awaits;	     /* outside of functions: read as a program that may */
	/* What needs it first, if `modern`: in the source, on one line, and where. */
	char reason[GATE_REASON_MOST]; /* UTF-8 */
	size_t reason_len;
	uint32_t reason_line, reason_column;
};

/* Do they follow the format of the JOB frame, to the last byte? */
bool gate_check_rules(const unsigned char *rules, size_t len);

/* The names of signals, of the analysis and of others in quod-js, from 0; NULL past the
 * last. */
const char *gate_signal_name(size_t index);

/* Finds all, at most FINDINGS_MOST, in the order of the source; gives all memory back. */
void gate_analyse(const struct gate_job *job, struct gate_summary *ret_summary);

#endif
