/* SPDX-License-Identifier: MIT */
/*
 * A policy: everything that an operator decides about a kind of run. The built-in ones
 * are a table; nothing here touches a process or a socket.
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

struct policy {
	const char *name;
	const char *about; /* one line */
	struct limits limits;
	enum policy_engine engine;
	enum policy_mode mode;
	bool verdict;		  /* the run is judged: anything but true is a failure */
	bool timers;		  /* setTimeout and its kin exist */
	bool dynamic_code;	  /* eval and Function exist */
	bool require_cgroup;	  /* no run without a cgroup that holds its limits */
	const char *globals;	  /* the names that exist, one space between; NULL: all */
	const struct rule *rules; /* NULL: the built-in ones; see policy_rules() */
	size_t rules_count;
};

extern const char *const policy_mode_names[POLICY_MODES_COUNT];
extern const char *const policy_engine_names[POLICY_ENGINES_COUNT];

/* The built-in policies; the first is the one that a job gets if it names none. Static.
 */
const struct policy *policy_builtin(size_t index);  /* NULL past the last */
const struct policy *policy_find(const char *name); /* NULL if there is none */

/* A finding names its rule by the number in here. */
const struct rule *policy_rules(const struct policy *policy, size_t *ret_count);

#endif
