/* SPDX-License-Identifier: MIT */
/*
 * One job as it was asked for: opaque bytes and numbers that are already checked. The
 * supervisor looks at the source only to count it and to see that it is UTF-8.
 */
#ifndef QUOD_REQUEST_H
#define QUOD_REQUEST_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "policy/policy.h"
#include "rootfs/protocol.h"

/* The year 2262: in nanoseconds it has to fit into what an engine counts with. */
#define REQUEST_NOW_MOST_MS INT64_C(9223372036854)

struct request {
	const struct policy *policy;
	struct limits limits; /* the policy's, lowered */
	enum policy_engine engine;
	enum policy_mode mode;
	bool judged;	 /* ok is not enough: the value has to be true */
	bool check_only; /* the gate and the compiler look at it; nothing runs */
	bool seeded, frozen;
	uint64_t seed;
	int64_t now_ms;	    /* 0 to REQUEST_NOW_MOST_MS */
	const char *source; /* borrowed, like all below */
	size_t source_len;
	const char *input; /* JSON text */
	size_t input_len;
	bool has_input;
	const char *name; /* of the source, for stacks; short enough for the protocol */
	const char *case_id; /* NULL: not one of many */
};

/* A job without a source yet, as the policy has it; `limits` are those of the policy,
 * lowered. */
void request_begin(struct request *request, const struct policy *policy,
		   const struct limits *limits);

/* A job may ask for less than its policy allows. Errors: -EPERM, it asks for something
 * else (engine), or for a looser mode. */
int request_set_engine(struct request *request, enum policy_engine engine);
int request_set_mode(struct request *request, enum policy_mode mode);

/* Why a source is refused before any process exists. */
struct refusal {
	const char *rule;      /* static; NULL: it is not */
	uint32_t line, column; /* 0: the source as a whole */
	char message[160];
};

/* Size and encoding. True if the source may go on; else *ret_refusal says why not. */
bool request_check_source(const struct request *request, struct refusal *ret_refusal);

/* The rules of the policy for the JOB frame. Returns how many bytes; a policy with more
 * than fit cannot be loaded. */
size_t request_encode_rules(const struct request *request,
			    unsigned char rules[JOB_RULES_MOST]);

/* The frame header and the head of the JOB frame; source, input, name, rules and globals
 * follow it. */
#define REQUEST_HEAD_BYTES (FRAME_HEADER_BYTES + JOB_HEAD_BYTES)
void request_encode(const struct request *request, size_t rules_len,
		    unsigned char head[REQUEST_HEAD_BYTES]);

/* Of the policy; 0 where it has no list. */
size_t request_globals_len(const struct request *request);

/* Time stands still at this moment, as timestamp_parse() reads it. Errors: -EINVAL,
 * -ERANGE. */
int request_set_now(struct request *request, const char *text);

#endif
