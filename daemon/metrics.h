/* SPDX-License-Identifier: MIT */
/*
 * What is counted, and how it is told to Prometheus (text format 0.0.4).
 *
 * A label's value is a word of ours, or a name from the configuration: never a byte that a
 * client has sent, so that no client decides how many series there are. Runs are counted
 * in a series of their own for each tenant, policy, engine and status that has come up,
 * SERIES_MOST at most; what would be one more is counted without a tenant.
 *
 * The whole is the event loop's: no lock.
 */
#ifndef QUOD_METRICS_H
#define QUOD_METRICS_H

#include <stdint.h>

#include "base/text.h"
#include "supervisor/record.h"

struct server;

/* Upper bounds of the buckets, microseconds and seconds as text. */
#define METRICS_BUCKETS(X) \
	X(100, "0.0001")   \
	X(250, "0.00025")  \
	X(500, "0.0005")   \
	X(1000, "0.001")   \
	X(2500, "0.0025")  \
	X(5000, "0.005")   \
	X(10000, "0.01")   \
	X(25000, "0.025")  \
	X(50000, "0.05")   \
	X(100000, "0.1")   \
	X(250000, "0.25")  \
	X(500000, "0.5")   \
	X(1000000, "1")    \
	X(2500000, "2.5")  \
	X(5000000, "5")    \
	X(10000000, "10")  \
	X(30000000, "30")  \
	X(60000000, "60")  \
	X(UINT64_MAX, "+Inf")

enum metrics_bucket {
#define X(us, seconds) METRICS_BUCKET_##us,
	METRICS_BUCKETS(X)
#undef X
		METRICS_BUCKETS_COUNT
};

struct histogram {
	uint64_t counts[METRICS_BUCKETS_COUNT]; /* of each bucket alone */
	uint64_t sum_us;
};

/* Why a request was refused. The first of a status is what it is without a reason.
 * X(id, status, reason) */
#define REFUSALS(X)                        \
	X(MALFORMED, 400, "malformed")     \
	X(TOKEN, 401, "token")             \
	X(STRANGER, 403, "forbidden")      \
	X(MISSING, 404, "no_resource")     \
	X(METHOD, 405, "method")           \
	X(LARGE, 413, "too_large")         \
	X(TYPE, 415, "content_type")       \
	X(IMPOSSIBLE, 422, "impossible")   \
	X(RATE, 429, "rate")               \
	X(QUEUE, 429, "queue")             \
	X(BODIES, 429, "bodies")           \
	X(FAILED, 500, "failed")           \
	X(STOPPING, 503, "stopping")       \
	X(WAITED, 503, "waited")           \
	X(GONE, 503, "gone")               \
	X(HISTORY, 503, "history")         \
	X(CONNECTIONS, 503, "connections") \
	X(OTHER, 0, "other")

enum refusal_id {
#define X(id, status, reason) REFUSAL_##id,
	REFUSALS(X)
#undef X
		REFUSALS_COUNT
};

#define SERIES_MOST    10000u
#define SERIES_BUCKETS 1024u

struct series;

struct metrics {
	int64_t started_ms; /* wall clock */
	struct histogram queue, setup, run, total;
	uint64_t ends[STATUS_COUNT], memory_bytes;
	uint64_t gate[GATE_REJECTED + 1];
	uint64_t refusals[REFUSALS_COUNT];
	uint64_t connections;		       /* accepted since the start */
	unsigned jails, leaves_left;	       /* as the monitor has told */
	struct series *series[SERIES_BUCKETS]; /* owned */
	unsigned series_count;
};

void metrics_init(struct metrics *metrics);
void metrics_free(struct metrics *metrics);

/* A run is over, `total_us` after its job had come. Where there is no memory for a new
 * series, or no room, its tenant goes unnamed; with no memory at all it goes uncounted. */
void metrics_note_run(struct metrics *metrics, const struct record *record,
		      uint64_t total_us);

/* `reason` is one of REFUSALS, NULL or unknown: what its status says alone. */
void metrics_note_refusal(struct metrics *metrics, unsigned status, const char *reason);

/* Everything, with what the server knows of itself at this moment. */
void metrics_write(const struct server *server, struct text *to);

#endif
