/* SPDX-License-Identifier: MIT */
/*
 * A policy: everything that an operator decides about a kind of run. The built-in ones
 * are a table, the others come from files (quod.policy(5)); once loaded, none changes.
 */
#ifndef QUOD_POLICY_H
#define QUOD_POLICY_H

#include <stdbool.h>
#include <stddef.h>

#include "policy/limits.h"
#include "policy/rules.h"

/* What findings of the gate may block. */
#define POLICY_MODES(X)                                            \
	X(STRICT, "strict")	/* any finding of warn or above */ \
	X(STANDARD, "standard") /* a finding of deny */            \
	X(OFF, "off")		/* none; all are reported */

enum policy_mode {
#define X(id, name) POLICY_MODE_##id,
	POLICY_MODES(X)
#undef X
		POLICY_MODES_COUNT
};

/* In the order of enum job_engine of the protocol. */
#define POLICY_ENGINES(X)                                    \
	X(AUTO, "auto")	      /* by what the source needs */ \
	X(DUKTAPE, "duktape") /* the smallest */             \
	X(QUICKJS, "quickjs") /* today's JavaScript */

enum policy_engine {
#define X(id, name) POLICY_ENGINE_##id,
	POLICY_ENGINES(X)
#undef X
		POLICY_ENGINES_COUNT
};

/* What a policy's name may be; it becomes a path and is shown. */
#define POLICY_NAME_MOST 64u

/* What SystemCallFilter= takes away, see policy/calls.h. Bits are of its table. */
#define POLICY_CALLS_MOST 128
struct policy_calls {
	uint64_t removed[POLICY_CALLS_MOST / 64];
	uint64_t named[POLICY_CALLS_MOST / 64]; /* to stay */
	bool said;
};

struct policy_origins; /* where each value comes from, see policy/keys.h */
struct policy_draft;

struct policy {
	const char *name;
	const char *about; /* one line; of a policy from a file: the file */
	const char *base;  /* the built-in policy that it begins from */
	struct limits limits;
	enum policy_engine engine;
	enum policy_mode mode;
	bool verdict;	     /* the run is judged: anything but true is a failure */
	bool timers;	     /* setTimeout and its kin exist */
	bool dynamic_code;   /* eval and Function exist */
	bool deterministic;  /* the same job gives the same record: seed and time fixed */
	bool require_cgroup; /* no run without a cgroup that holds its limits */
	struct policy_calls calls;
	const char *globals; /* the only names there are, one space between; NULL: all */
	const struct rule *rules; /* NULL: the built-in ones; see policy_rules() */
	size_t rules_count;
	const struct policy_origins *origins; /* NULL: all is built in */
	struct policy_draft *owner;	      /* of all its memory; NULL: static */
};

extern const char *const policy_mode_names[POLICY_MODES_COUNT];
extern const char *const policy_engine_names[POLICY_ENGINES_COUNT];

/* Is it in the interpreter that was built with this quod? Auto always is. */
bool policy_engine_is_built(enum policy_engine engine);

/* The built-in policies; the first is the one that a job gets if it names none. Static.
 */
const struct policy *policy_builtin(size_t index);  /* NULL past the last */
const struct policy *policy_find(const char *name); /* NULL if there is none */

/* A finding names its rule by the number in here. */
const struct rule *policy_rules(const struct policy *policy, size_t *ret_count);

/* One sentence, with FILE:LINE:COLUMN before it where a file is at fault. */
struct policy_error {
	char text[512];
};

/*
 * The policy of that name, from its file, its drop-ins and what is built in, or, if there
 * is a slash in the name, from that file alone. NULL: the first one. To be given to
 * policy_free(). Errors, with *error filled: -EINVAL (a name that cannot be one),
 * -ENOENT, -EBADMSG (a file is malformed), -EPERM (root would use a file that others can
 * write), and what reading gives.
 */
int policy_load(const char *name, const struct policy **ret_policy,
		struct policy_error *error);

/* NULL and a built-in policy are fine. */
void policy_free(const struct policy *policy);

static inline void own_policy_free(const struct policy **policy)
{
	policy_free(*policy);
}
#define own_policy __attribute__((cleanup(own_policy_free)))

#endif
