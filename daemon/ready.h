/* SPDX-License-Identifier: MIT */
/*
 * Does the daemon take jobs and do they run? What is missing is noted part by part and
 * told by /readyz.
 *
 * What the host lacks is told beside it (examine.h), and is not what decides: a limit that
 * is held by something weaker does not make the daemon unready, and a trial knows better
 * than a probe.
 *
 * Whether runs work is not deduced: a script of ours is run, once with each policy, before
 * the server listens, by another configuration, and after a run has ended as
 * internal_error, until all of them work. Only these trials are judged: a tenant who can
 * make his own runs fail does not make the daemon unready by it.
 */
#ifndef QUOD_READY_H
#define QUOD_READY_H

#include <stdbool.h>
#include <systemd/sd-event.h>

#include "base/text.h"
#include "daemon/roster.h"
#include "supervisor/record.h"

struct finding;
struct server;

/* X(id, what the answer calls it) */
#define READY_PARTS(X)        \
	X(SERVICE, "service") \
	X(DESCRIPTORS, "descriptors")

enum ready_part {
#define X(id, what) READY_##id,
	READY_PARTS(X)
#undef X
		READY_PARTS_COUNT
};

struct ready_lack {
	bool is;
	char why[600];
	const char *mend; /* static; NULL: `why` says it */
};

struct ready {
	struct server *server;
	struct ready_lack parts[READY_PARTS_COUNT];
	struct ready_lack policies[ROSTER_POLICIES_MOST];
	/* While a round is under way: the policy, the number from which its next tenant is
	 * looked for, how many have been, and by which roster. */
	unsigned at, tenant, failed;
	uint32_t generation;
	bool trying, tried; /* a round is under way; one has been made */
	/* Of the host, made by the monitor; owned; NULL: none have come yet. */
	struct finding *findings;
	unsigned findings_count;
	sd_event_source *on_time;
};

/*
 * Runs the event loop until the first trials are over, whatever has come of them. To be
 * called once, before anything can be asked for. The loop may be told to end meanwhile: it
 * is then finished. Errors: what sd-event gives.
 */
int ready_begin(struct ready *ready, struct server *server);
void ready_free(struct ready *ready);

/* A part is missing, or is no more. `why` is copied, `mend` is static. */
void ready_lacks(struct ready *ready, enum ready_part part, const char *mend,
		 const char *format, ...) __attribute__((format(printf, 4, 5)));
void ready_has(struct ready *ready, enum ready_part part);

/* A run has ended as internal_error: trials come soon. */
void ready_doubt(struct ready *ready);
/* The monitor has had the host examined; fd is borrowed. */
void ready_take_findings(struct ready *ready, int fd);
/* Another roster counts. */
void ready_adopt(struct ready *ready);

bool ready_is(const struct ready *ready);
/* The body of the answer, for who may know of these policies: bit n is policy n. What of
 * the host is less or fails is for operators. */
void ready_write(const struct ready *ready, uint64_t shown, bool is_operator,
		 struct text *to);

#endif
