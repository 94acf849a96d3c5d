/* SPDX-License-Identifier: MIT */
/*
 * From the body of POST /v1/run or /v1/check to a request. The JSON is checked as a whole
 * and then walked: no tree is built, and an input goes on as the very bytes that were
 * sent.
 */
#ifndef QUOD_JOB_BODY_H
#define QUOD_JOB_BODY_H

#include "daemon/problem.h"
#include "supervisor/request.h"

/* Source and input at their most, with what JSON adds to ordinary text. */
#define JOB_BODY_MOST (4u << 20)

struct job_body {
	struct request request;
	uint32_t policy; /* its number */
	struct text source;
	char name[JOB_NAME_MOST + 1];
};

#define JOB_BODY_INIT                              \
	{                                          \
		.source = TEXT_INIT(JOB_BODY_MOST) \
	}

/* The request borrows from the body and from `json`. Errors: -EINVAL, with problem
 * filled. */
int job_body_parse(struct job_body *body, const char *json, size_t len,
		   struct problem *problem);

static inline void job_body_free(struct job_body *body)
{
	text_free(&body->source);
}

#endif
