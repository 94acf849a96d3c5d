/* SPDX-License-Identifier: MIT */
/*
 * One table of what there is, in the order in which it is told. Counting touches memory
 * that is there from the start; only the first run of a series takes some.
 */
#include "daemon/metrics.h"

#include <errno.h>
#include <fcntl.h>
#include <malloc.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "base/own.h"
#include "daemon/server.h"
#include "supervisor/clock.h"

/* Above what runs, warm jails and connections may have together. */
#define FDS_MOST 8192u

struct series {
	struct series *next;
	enum policy_engine engine;
	enum status status;
	uint64_t runs;
	const char *policy; /* behind the tenant's name, in `names` */
	char names[];	    /* the tenant's, his being none is "" */
};

static const struct {
	uint64_t us;
	const char *seconds;
} buckets[METRICS_BUCKETS_COUNT] = {
#define X(us, seconds) {us, seconds},
	METRICS_BUCKETS(X)
#undef X
};

static const struct {
	unsigned status;
	const char *reason;
} refusals[REFUSALS_COUNT] = {
#define X(id, status, reason) {status, reason},
	REFUSALS(X)
#undef X
};

/* --- counting ----------------------------------------------------------------- */

void metrics_init(struct metrics *metrics)
{
	*metrics = (struct metrics){.started_ms = clock_real_ms()};
}

void metrics_free(struct metrics *metrics)
{
	for (size_t i = 0; i < SERIES_BUCKETS; i++)
		while (metrics->series[i]) {
			struct series *series = metrics->series[i];

			metrics->series[i] = series->next;
			free(series);
		}
}

static void observe(struct histogram *histogram, uint64_t us)
{
	unsigned i = 0;

	while (us > buckets[i].us)
		i++;
	histogram->counts[i]++;
	histogram->sum_us += us;
}

static uint32_t hash_name(uint32_t hash, const char *name)
{
	for (; *name; name++)
		hash = (hash ^ (unsigned char)*name) * 16777619u;
	return (hash ^ 0xff) * 16777619u;
}

static struct series **bucket_of(struct metrics *metrics, const char *tenant,
				 const struct record *record)
{
	uint32_t hash = hash_name(2166136261u, tenant);

	hash = hash_name(hash, record->request->policy->name);
	hash = (hash ^ ((uint32_t)record->engine * STATUS_COUNT + record->status)) *
	       16777619u;
	return &metrics->series[hash % SERIES_BUCKETS];
}

static struct series *find_series(struct series *first, const char *tenant,
				  const struct record *record)
{
	struct series *at = first;

	while (at && (at->engine != record->engine || at->status != record->status ||
		      strcmp(at->names, tenant) != 0 ||
		      strcmp(at->policy, record->request->policy->name) != 0))
		at = at->next;
	return at;
}

/* The names are copied: a configuration may go while its runs stay counted. */
static struct series *make_series(const char *tenant, const struct record *record)
{
	const char *policy = record->request->policy->name;
	size_t tenant_room = strlen(tenant) + 1, policy_room = strlen(policy) + 1;
	struct series *series = malloc(sizeof(*series) + tenant_room + policy_room);

	if (!series)
		return NULL;
	*series = (struct series){.engine = record->engine, .status = record->status};
	memcpy(series->names, tenant, tenant_room);
	memcpy(series->names + tenant_room, policy, policy_room);
	series->policy = series->names + tenant_room;
	return series;
}

static bool count_run(struct metrics *metrics, const char *tenant,
		      const struct record *record, unsigned most)
{
	struct series **bucket = bucket_of(metrics, tenant, record);
	struct series *series = find_series(*bucket, tenant, record);

	if (!series && metrics->series_count < most) {
		series = make_series(tenant, record);
		if (series) {
			metrics->series_count++;
			series->next = *bucket;
			*bucket = series;
		}
	}
	if (series)
		series->runs++;
	return series != NULL;
}

void metrics_note_run(struct metrics *metrics, const struct record *record,
		      uint64_t total_us)
{
	if (!count_run(metrics, record->tenant ? record->tenant : "", record,
		       SERIES_MOST))
		count_run(metrics, "", record, UINT_MAX);
	if (record->gate <= GATE_REJECTED)
		metrics->gate[record->gate]++;
	metrics->ends[record->status]++;
	metrics->memory_bytes += record->memory_peak_bytes;
	observe(&metrics->queue, record->queue_us);
	/* What was refused before there was a jail, or never ran, has no such time. */
	if (record->setup_us)
		observe(&metrics->setup, record->setup_us);
	if (record->wall_us)
		observe(&metrics->run, record->wall_us);
	observe(&metrics->total, total_us);
}

static enum refusal_id find_refusal(unsigned status, const char *reason)
{
	enum refusal_id found = REFUSAL_OTHER;

	for (int i = REFUSALS_COUNT - 1; i >= 0; i--) {
		if (refusals[i].status != status)
			continue;
		if (reason && strcmp(refusals[i].reason, reason) == 0)
			return (enum refusal_id)i;
		found = (enum refusal_id)i;
	}
	return found;
}

void metrics_note_refusal(struct metrics *metrics, unsigned status, const char *reason)
{
	metrics->refusals[find_refusal(status, reason)]++;
}

/* --- telling ------------------------------------------------------------------ */

struct metric {
	const char *name, *type, *help;
	void (*write)(const struct server *server, const char *name, struct text *to);
};

static void add_number(const char *name, uint64_t number, struct text *to)
{
	text_addf(to, "%s %llu\n", name, (unsigned long long)number);
}

static void add_us(uint64_t us, struct text *to)
{
	text_addf(to, "%llu.%06llu\n", (unsigned long long)(us / 1000000),
		  (unsigned long long)(us % 1000000));
}

static void add_label(const char *label, const char *value, struct text *to)
{
	text_addf(to, "%s=\"", label);
	for (; *value; value++)
		if (*value == '\n')
			text_add_str(to, "\\n");
		else if (*value == '"' || *value == '\\')
			text_addf(to, "\\%c", *value);
		else
			text_add_char(to, *value);
	text_add_char(to, '"');
}

static void add_histogram(const struct histogram *histogram, const char *name,
			  struct text *to)
{
	uint64_t below = 0;

	for (int i = 0; i < METRICS_BUCKETS_COUNT; i++) {
		below += histogram->counts[i];
		text_addf(to, "%s_bucket{le=\"%s\"} %llu\n", name, buckets[i].seconds,
			  (unsigned long long)below);
	}
	text_addf(to, "%s_sum ", name);
	add_us(histogram->sum_us, to);
	text_addf(to, "%s_count %llu\n", name, (unsigned long long)below);
}

static void write_build(const struct server *server, const char *name, struct text *to)
{
	(void)server;
	text_addf(to, "%s{", name);
	add_label("version", PACKAGE_VERSION, to);
	text_add_str(to, "} 1\n");
}

static void write_start(const struct server *server, const char *name, struct text *to)
{
	text_addf(to, "%s ", name);
	add_us((uint64_t)server->metrics.started_ms * 1000, to);
}

static void write_cpu(const struct server *server, const char *name, struct text *to)
{
	struct timespec t = {0};

	(void)server;
	clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
	text_addf(to, "%s ", name);
	add_us((uint64_t)t.tv_sec * 1000000 + (uint64_t)t.tv_nsec / 1000, to);
}

/* There is no /proc here. A new descriptor has the lowest free number, so that none is
 * above the most that there were at once. */
static void write_open_fds(const struct server *server, const char *name, struct text *to)
{
	uint64_t most =
		server->http.files_most < FDS_MOST ? server->http.files_most : FDS_MOST;
	unsigned count = 0;

	for (uint64_t fd = 0; fd < most; fd++)
		count += fcntl((int)fd, F_GETFL) >= 0;
	add_number(name, count, to);
}

static void write_max_fds(const struct server *server, const char *name, struct text *to)
{
	add_number(name, server->http.files_most, to);
}

static void write_runs(const struct server *server, const char *name, struct text *to)
{
	for (size_t i = 0; i < SERIES_BUCKETS; i++)
		for (const struct series *at = server->metrics.series[i]; at;
		     at = at->next) {
			text_addf(to, "%s{", name);
			add_label("tenant", at->names, to);
			text_add_char(to, ',');
			add_label("policy", at->policy, to);
			text_addf(to, ",engine=\"%s\",status=\"%s\"} %llu\n",
				  at->engine == POLICY_ENGINE_AUTO
					  ? "none"
					  : policy_engine_names[at->engine],
				  status_infos[at->status].name,
				  (unsigned long long)at->runs);
		}
}

static void write_ends(const struct server *server, const char *name, struct text *to)
{
	for (int i = 0; i < STATUS_COUNT; i++)
		text_addf(to, "%s{status=\"%s\"} %llu\n", name, status_infos[i].name,
			  (unsigned long long)server->metrics.ends[i]);
}

/* Of those that are gone there may be another one of the same name. */
static void write_tenants(const struct server *server, const char *name,
			  uint64_t (*number_of)(const struct tenant *tenant),
			  struct text *to)
{
	for (const struct tenant *at = server->tenants.list; at; at = at->next) {
		if (at->gone)
			continue;
		text_addf(to, "%s{", name);
		add_label("tenant", at->name, to);
		text_addf(to, "} %llu\n", (unsigned long long)number_of(at));
	}
}

static void write_gate(const struct server *server, const char *name, struct text *to)
{
	const uint64_t *gate = server->metrics.gate;

	text_addf(to, "%s{decision=\"allowed\"} %llu\n", name,
		  (unsigned long long)gate[GATE_ALLOWED]);
	text_addf(to, "%s{decision=\"rejected\"} %llu\n", name,
		  (unsigned long long)gate[GATE_REJECTED]);
}

static void write_refusals(const struct server *server, const char *name, struct text *to)
{
	for (int i = 0; i < REFUSALS_COUNT; i++)
		text_addf(to, "%s{status=\"%u\",reason=\"%s\"} %llu\n", name,
			  refusals[i].status, refusals[i].reason,
			  (unsigned long long)server->metrics.refusals[i]);
}

#define HISTOGRAM(id)                                                         \
	static void write_##id(const struct server *server, const char *name, \
			       struct text *to)                               \
	{                                                                     \
		add_histogram(&server->metrics.id, name, to);                 \
	}
#define NUMBER(id, expression)                                                \
	static void write_##id(const struct server *server, const char *name, \
			       struct text *to)                               \
	{                                                                     \
		add_number(name, (expression), to);                           \
	}

#define OF_TENANTS(id, field)                                                         \
	static uint64_t id##_of(const struct tenant *tenant)                          \
	{                                                                             \
		return tenant->field;                                                 \
	}                                                                             \
	static void write_tenants_##id(const struct server *server, const char *name, \
				       struct text *to)                               \
	{                                                                             \
		write_tenants(server, name, id##_of, to);                             \
	}

OF_TENANTS(live, running)
OF_TENANTS(queued, queued)
OF_TENANTS(refused, refused)

/* By its own counters: there is no /proc. */
static void write_heap(const struct server *server, const char *name, struct text *to)
{
	struct mallinfo2 heap = mallinfo2();

	(void)server;
	add_number(name, heap.uordblks + heap.hblkhd, to);
}

static uint64_t state_bytes(const struct server *server, bool free_only)
{
	uint64_t all = 0, left = 0;

	store_space(server->store, &all, &left);
	return free_only ? left : all;
}

static unsigned count_queued(const struct tenants *tenants)
{
	unsigned count = 0;

	for (const struct tenant *at = tenants->list; at; at = at->next)
		count += at->queued;
	return count;
}

HISTOGRAM(queue)
HISTOGRAM(setup)
HISTOGRAM(run)
HISTOGRAM(total)
NUMBER(runs_live, server->tenants.running)
NUMBER(runs_queued, count_queued(&server->tenants))
NUMBER(jails, server->metrics.jails)
NUMBER(leaves, server->metrics.leaves_left)
NUMBER(warm, server->pool.count)
NUMBER(hits, server->pool.hits)
NUMBER(misses, server->pool.misses)
NUMBER(connections, server->http.connections_count)
NUMBER(accepted, server->metrics.connections)
NUMBER(ready, ready_is(&server->ready))
NUMBER(memory, server->metrics.memory_bytes)
NUMBER(writable, !store_trouble(server->store))
NUMBER(state, state_bytes(server, false))
NUMBER(state_free, state_bytes(server, true))

static const struct metric metrics_table[] = {
	{"quod_build_info", "gauge", "Always 1; which quodd it is.", write_build},
	{"quod_ready", "gauge", "1 if /readyz has nothing missing.", write_ready},
	{"quod_runs_total", "counter",
	 "Runs and checks that are over. Without a tenant: there are too many series.",
	 write_runs},
	{"quod_run_ends_total", "counter",
	 "The same by status alone, of which each is there from the start.", write_ends},
	{"quod_run_memory_bytes_total", "counter",
	 "The peak memory of each run that is over, added up.", write_memory},
	{"quod_queue_seconds", "histogram", "From a job's arrival until its run begins.",
	 write_queue},
	{"quod_setup_seconds", "histogram",
	 "From a run's beginning until its interpreter is ready.", write_setup},
	{"quod_run_seconds", "histogram", "Wall time of scripts.", write_run},
	{"quod_total_seconds", "histogram",
	 "From a job's arrival until its run is over and its record written.",
	 write_total},
	{"quod_gate_decisions_total", "counter", "What the gate said to sources.",
	 write_gate},
	{"quod_refusals_total", "counter", "Requests and connections turned down.",
	 write_refusals},
	{"quod_pool_hits_total", "counter", "Runs that found a warm jail.", write_hits},
	{"quod_pool_misses_total", "counter", "Runs that had to have a jail made.",
	 write_misses},
	{"quod_jails_warm", "gauge", "Jails that wait for a job.", write_warm},
	{"quod_jails_live", "gauge",
	 "Jails that the monitor has, warm and ending ones included, a second ago.",
	 write_jails},
	{"quod_cgroup_leaves_left", "gauge",
	 "Cgroups of ended runs that the kernel does not give back.", write_leaves},
	{"quod_runs_live", "gauge", "Runs under way.", write_runs_live},
	{"quod_runs_queued", "gauge", "Jobs that wait for their turn.",
	 write_runs_queued},
	{"quod_tenant_runs_live", "gauge", "Runs under way, of each tenant.",
	 write_tenants_live},
	{"quod_tenant_runs_queued", "gauge",
	 "Jobs that wait for their turn, of each tenant.", write_tenants_queued},
	{"quod_tenant_refusals_total", "counter",
	 "Jobs turned down for a tenant's rate or his full queue.",
	 write_tenants_refused},
	{"quod_history_writable", "gauge",
	 "1 if the history can be written; if not, no run is taken on.", write_writable},
	{"quod_state_bytes", "gauge",
	 "Size of the file system of the history; 0: it is in memory.", write_state},
	{"quod_state_free_bytes", "gauge", "What of it may still be taken.",
	 write_state_free},
	{"quod_heap_bytes", "gauge", "Memory that the server has allocated.", write_heap},
	{"quod_connections", "gauge", "Connections that are open.", write_connections},
	{"quod_connections_total", "counter", "Connections that were taken.",
	 write_accepted},
	{"process_start_time_seconds", "gauge", "When the server began, since 1970.",
	 write_start},
	{"process_cpu_seconds_total", "counter", "CPU time of the server.", write_cpu},
	{"process_open_fds", "gauge", "Descriptors that the server has open.",
	 write_open_fds},
	{"process_max_fds", "gauge", "Descriptors that it may have open.", write_max_fds},
};

void metrics_write(const struct server *server, struct text *to)
{
	for (size_t i = 0; i < ARRAY_LEN(metrics_table); i++) {
		const struct metric *metric = &metrics_table[i];

		text_addf(to, "# HELP %s %s\n# TYPE %s %s\n", metric->name, metric->help,
			  metric->name, metric->type);
		metric->write(server, metric->name, to);
	}
}
