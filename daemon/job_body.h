/* SPDX-License-Identifier: MIT */
/*
 * From the body of POST /v1/run or /v1/check to a request. The JSON is checked as a whole
 * and then walked: no tree is built, and an input goes on as the very bytes that were
 * sent.
 */
#ifndef QUOD_JOB_BODY_H
#define QUOD_JOB_BODY_H

#include "daemon/problem.h"
#include "daemon/roster.h"
#include "supervisor/json.h"
#include "supervisor/request.h"

/* Source and input at their most, with what JSON adds to ordinary text. */
#define JOB_BODY_MOST (4u << 20)

#define JOB_CASES_MOST 1000u

/* One of the inputs of a job; the id is owned, the input borrowed. */
struct job_case {
	char *id;
	struct json_span input;
};

struct job_body {
	struct request request; /* of one with cases: all that they have in common */
	uint32_t policy;	/* its number in the roster */
	struct text source;
	char name[JOB_NAME_MOST + 1];
	struct job_case *cases; /* owned */
	size_t cases_count;	/* 0: a job without cases */
};

#define JOB_BODY_INIT                              \
	{                                          \
		.source = TEXT_INIT(JOB_BODY_MOST) \
	}

/* Which policies there are for it, and which it has if it names none. */
struct job_choice {
	const struct roster *roster;
	uint64_t policies; /* bit n: policy n */
	uint32_t policy;
};

/* The request borrows from the body, from `json` and from the roster. Errors: -EINVAL,
 * with problem filled. */
int job_body_parse(struct job_body *body, const struct job_choice *choice,
		   const char *json, size_t len, struct problem *problem);

/* The request becomes that of one case. */
void job_body_take_case(struct job_body *body, size_t number);

void job_body_free(struct job_body *body);

#endif
