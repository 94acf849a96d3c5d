/* SPDX-License-Identifier: MIT */
/*
 * soak [-s SEED] [-j CLIENTS] [EXCHANGES]: clients of every kind, good and hostile, at one
 * quodd, and then: is each of them answered as it should be, and what is left of it all, in
 * quodd while it lives, and of quodd when it has ended?
 *
 * The clients draw numbers from one counter; what a number does depends on the seed alone.
 * Memory is measured once everything has been used for some time, and at the end.
 */
#include <errno.h>
#include <poll.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/number.h"
#include "base/own.h"
#include "tests/daemon/crowd.h"
#include "tests/daemon/host.h"
#include "tests/race/crew.h"
#include "tests/race/random.h"
#include "tests/race/tap.h"
#include "tests/soak/counts.h"

#define EXCHANGES_CHECK 1500
#define EXCHANGES_MOST	100000000
#define RUNS		"7" /* fewer than clients: some have to wait */
#define WRONG_SHOWN	20
#define SETTLE_MS	20000
/* Longer than the monitor takes to try a removal again. */
#define QUIET_LOOKS 40u
#define LOOK_MS	    20
#define IDS_ASKED   500

/* A heap has its high tide at another moment each time: what waits for the database may be
 * half a MiB, and so may its cache. A leak of eleven bytes an exchange is more than that in
 * a soak of 200,000. */
#define GROWTH_KIB 2048

struct shared {
	pthread_mutex_t lock;
	uint64_t next, wrong, cut, busy, answered, records;
	struct crew_ids ids;
};

struct soak {
	uint64_t seed, from, until;
	uint32_t clients, exchanges;
	struct host host;
	struct shared *shared;
};

struct state {
	uint64_t monitor_kib, server_kib;
	unsigned children, monitor_fds;
	uint64_t server_fds, runs_live;
};

/* --- clients ------------------------------------------------------------------ */

static void note(struct soak *soak, uint64_t number, const struct crowd_did *did)
{
	struct shared *shared = soak->shared;

	pthread_mutex_lock(&shared->lock);
	shared->answered += did->reply.len > 0;
	shared->busy += did->busy;
	shared->records += did->has_record;
	if (did->has_record)
		crew_ids_add(&shared->ids, did->id);
	if (did->cut)
		shared->cut++;
	if ((did->wrong || did->cut) && shared->wrong++ < WRONG_SHOWN) {
		printf("# %llu '%s': %s: %.600s\n", (unsigned long long)number,
		       did->kind->name, did->wrong ? did->wrong : "it was cut off",
		       text_str(&did->reply));
		fflush(stdout);
	}
	pthread_mutex_unlock(&shared->lock);
}

static void work(void *context)
{
	struct soak *soak = context;
	struct crowd crowd;

	crowd_init(&crowd, soak->host.socket, 0);
	for (;;) {
		struct crowd_did did;

		pthread_mutex_lock(&soak->shared->lock);
		uint64_t number = soak->shared->next++;
		pthread_mutex_unlock(&soak->shared->lock);
		if (number >= soak->until)
			break;
		crowd.random = random_start(soak->seed, number);
		crowd_exchange(&crowd, &did);
		note(soak, number, &did);
		crowd_forget(&did);
	}
	crowd_end(&crowd);
}

/* In a process between, because a crew waits for every child, and quodd is ours. */
static unsigned exchange_until(struct soak *soak, uint64_t until)
{
	int status = 1;
	pid_t pid;

	soak->until = until;
	fflush(stdout);
	pid = fork();
	if (pid == 0)
		_exit(crew_run(soak->clients, work, soak) ? 1 : 0);
	waitpid(pid, &status, 0);
	soak->shared->next = until;
	return status != 0;
}

/* --- quodd -------------------------------------------------------------------- */

static uint64_t metric(const struct text *metrics, const char *name)
{
	const char *at = text_str(metrics);
	size_t len = strlen(name);
	uint64_t sum = 0;

	for (; at; at = strchr(at, '\n')) {
		at += *at == '\n';
		if (strncmp(at, name, len) == 0 && strchr(" {", at[len])) {
			const char *end = strchr(at, '\n');

			while (end && end[-1] != ' ')
				end--;
			sum += end ? strtoull(end, NULL, 10) : 0;
		}
	}
	return sum;
}

static bool look(const struct soak *soak, struct state *ret, struct text *metrics)
{
	pid_t monitor = soak->host.monitor, server = host_server(&soak->host);
	unsigned zygotes, children = host_children(monitor, &zygotes);

	text_clear(metrics);
	if (!server || !crowd_get(soak->host.socket, "/metrics", metrics))
		return false;
	*ret = (struct state){
		.monitor_kib = host_rss_kib(monitor),
		.server_kib = host_rss_kib(server),
		.children = children,
		.monitor_fds = host_descriptors(monitor) - zygotes,
		.server_fds = metric(metrics, "process_open_fds"),
		.runs_live = metric(metrics, "quod_runs_live"),
	};
	return true;
}

/* What a jail has had is given back a moment after its process has ended. */
static bool is_quiet(const struct state *now, const struct state *last)
{
	return now->runs_live == 0 && now->children == 1 &&
	       now->monitor_fds == last->monitor_fds &&
	       now->server_fds == last->server_fds;
}

/* Who has gone away is noticed a moment later, and warm jails have their time: until the
 * server is the only child, and nothing has changed for a while. */
static bool settle(const struct soak *soak, unsigned connections, struct state *ret,
		   struct text *metrics)
{
	struct state last = {0};
	unsigned quiet = 0;

	for (int waited = 0; waited < SETTLE_MS && quiet < QUIET_LOOKS;
	     waited += LOOK_MS) {
		if (!look(soak, ret, metrics))
			return false;
		quiet = is_quiet(ret, &last) &&
					metric(metrics, "quod_connections") <= connections
				? quiet + 1
				: 0;
		last = *ret;
		poll(NULL, 0, LOOK_MS);
	}
	return true;
}

static void judge_state(const struct state *before, const struct state *after)
{
	printf("# monitor %llu to %llu KiB, server %llu to %llu KiB\n",
	       (unsigned long long)before->monitor_kib,
	       (unsigned long long)after->monitor_kib,
	       (unsigned long long)before->server_kib,
	       (unsigned long long)after->server_kib);
	tap_result(after->runs_live == 0, "no run is under way any more", "");
	tap_result(after->children == before->children, "no jail is left", "");
	tap_result(after->monitor_fds == before->monitor_fds,
		   "the monitor has no more descriptors", "");
	tap_result(after->server_fds == before->server_fds,
		   "the server has no more descriptors", "");
	tap_result(after->monitor_kib <= before->monitor_kib + GROWTH_KIB,
		   "the monitor has not grown", "");
	tap_result(after->server_kib <= before->server_kib + GROWTH_KIB,
		   "the server has not grown", "");
}

/* Of the records that clients got, as many as may be asked for in a moment. */
static bool are_in_history(const struct soak *soak)
{
	const struct crew_ids *ids = &soak->shared->ids;
	size_t step = ids->count / IDS_ASKED + 1;
	char path[64];

	for (size_t i = 0; i < ids->count; i += step) {
		own_text struct text reply = TEXT_INIT(1u << 20);

		snprintf(path, sizeof(path), "/v1/runs/%s", ids->list[i]);
		if (crowd_get(soak->host.socket, path, &reply))
			continue;
		printf("# %s: %.300s\n", path, text_str(&reply));
		return false;
	}
	return true;
}

static void judge_runs(const struct soak *soak, const struct text *metrics)
{
	struct shared *shared = soak->shared;
	uint64_t runs = metric(metrics, "quod_runs_total");
	/* Each status is there from the start, with 0. */
	bool failed = !strstr(text_str(metrics),
			      "quod_run_ends_total{status=\"internal_error\"} 0\n");

	printf("# seed %llu: %llu exchanges, %llu answered, %llu told to come again, "
	       "%llu runs, %llu records\n",
	       (unsigned long long)soak->seed, (unsigned long long)soak->exchanges,
	       (unsigned long long)shared->answered, (unsigned long long)shared->busy,
	       (unsigned long long)runs, (unsigned long long)shared->records);
	tap_result(shared->wrong == 0, "each is answered as it should be", "");
	tap_result(shared->records > 0 && crew_ids_doubles(&shared->ids) == 0,
		   "each run has an id of its own", "");
	tap_result(runs >= shared->records, "each run is counted", "");
	tap_result(are_in_history(soak), "each run is in the history", "");
	tap_result(!failed, "no run has failed by our fault", "");
}

static void soak_host(struct soak *soak)
{
	own_text struct text metrics = TEXT_INIT(1u << 20);
	struct state before = {0}, after = {0};
	uint64_t warm = soak->exchanges / 4 < 5000 ? soak->exchanges / 4 : 5000;
	unsigned bad = exchange_until(soak, warm);
	bool there = settle(soak, 1, &before, &metrics);

	bad += exchange_until(soak, soak->exchanges);
	there = there && settle(soak, 1, &after, &metrics);
	tap_result(there && !bad, "quodd is there to the end", "");
	if (!there)
		return;
	judge_runs(soak, &metrics);
	judge_state(&before, &after);
}

/* --- before and after --------------------------------------------------------- */

static void sweep(void *context)
{
	struct soak *soak = context;

	if (host_start(&soak->host, RUNS) == 0 && host_answers(&soak->host))
		host_stop(&soak->host);
}

static void judge_counts(const struct count *counts, unsigned count)
{
	for (unsigned i = 0; i < count; i++) {
		if (!counts[i].there || !counts[i].exact)
			continue;
		if (count_has_grown(&counts[i]))
			printf("# %s: %llu, %llu before\n", counts[i].name,
			       (unsigned long long)counts[i].after,
			       (unsigned long long)counts[i].before);
		tap_result(!count_has_grown(&counts[i]), "no growth: ", counts[i].name);
	}
}

static int parse_options(struct soak *soak, int argc, char **argv)
{
	enum number_error e = NUMBER_OK;
	int option;

	if (getrandom(&soak->seed, sizeof(soak->seed), 0) != sizeof(soak->seed))
		return -EIO;
	soak->seed %= 1000000000;
	while (!e && (option = getopt(argc, argv, "s:j:")) != -1) {
		if (option == 's')
			e = number_parse_u64(optarg, 0, UINT64_MAX, &soak->seed);
		else if (option == 'j')
			e = number_parse_u32(optarg, 1, 64, &soak->clients);
		else
			return -EINVAL;
	}
	if (!e && optind < argc)
		e = number_parse_u32(argv[optind], 100, EXCHANGES_MOST, &soak->exchanges);
	return e ? -EINVAL : 0;
}

static int share(struct soak *soak)
{
	struct shared *shared = crew_memory(sizeof(*shared));

	if (!shared)
		return -ENOMEM;
	crew_lock_init(&shared->lock);
	soak->shared = shared;
	return crew_ids_init(&shared->ids, (size_t)soak->exchanges + 1);
}

int main(int argc, char **argv)
{
	static struct soak soak = {.clients = 8, .exchanges = EXCHANGES_CHECK};
	struct count *counts;
	unsigned count;
	int code;

	if (parse_options(&soak, argc, argv) < 0) {
		fprintf(stderr, "usage: QUOD_TEST_BUILD=DIR soak [-s SEED] [-j CLIENTS] "
				"[EXCHANGES]\n");
		return 2;
	}
	if (host_init(&soak.host) < 0 || share(&soak) < 0) {
		printf("Bail out! no files to work with\n");
		return 1;
	}
	counts = counts_table(&count, soak.host.state);
	sweep(&soak); /* makes its files and its group */
	counts_before(counts, count);
	tap_result(host_start(&soak.host, RUNS) == 0 && host_answers(&soak.host),
		   "quodd starts", "");
	soak_host(&soak);
	code = host_stop(&soak.host);
	tap_result(code == 0, "and ends in order", "");
	counts_after(counts, count, sweep, &soak);
	judge_counts(counts, count);
	if (tap_failures && getenv("QUOD_TEST_KEEP"))
		printf("# the log is %s\n", soak.host.log);
	else
		host_remove(&soak.host);
	return tap_done();
}
