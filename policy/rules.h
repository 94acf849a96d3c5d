/* SPDX-License-Identifier: MIT */
/*
 * The rules of the gate: what a source must not do, as a table. The jail's analyser finds
 * places that match; what a finding is called, how grave it is and what is said of it
 * stays here, out of the reach of the source.
 */
#ifndef QUOD_RULES_H
#define QUOD_RULES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "rootfs/protocol.h"

#define RULE_SEVERITIES(X) \
	X(INFO, "info")    \
	X(WARN, "warn")    \
	X(DENY, "deny")

enum rule_severity {
#define X(id, name) RULE_SEVERITY_##id,
	RULE_SEVERITIES(X)
#undef X
		RULE_SEVERITIES_COUNT
};

struct rule_match {
	enum rule_kind kind;
	const char *pattern;
};

/* What else the severity depends on. */
enum rule_unless {
	RULE_UNLESS_NEVER,
	RULE_UNLESS_TIMERS, /* a policy that has timers: info */
};

struct rule {
	const char *name;
	enum rule_severity severity;
	enum rule_unless unless;
	/* No mode waves it through: a wrong answer would come out. */
	bool always;
	const char *message; /* a sentence without a full stop: what was found */
	const char *why;     /* why that matters; NULL: the message says it */
	const struct rule_match *matches;
	size_t matches_count;
};

extern const char *const rule_kind_names[RULE_KINDS_COUNT];
extern const char *const rule_severity_names[RULE_SEVERITIES_COUNT];

/* The table that every policy begins with. Static. */
extern const struct rule rules_builtin[];
extern const size_t rules_builtin_count;

/* NULL: none is called that. */
const struct rule *rules_find(const struct rule *rules, size_t count, const char *name);

#endif
