/* SPDX-License-Identifier: MIT */
/*
 * kills [-n KILLS] [-j JAILS] QUOD: how long after its deadline a spinning jail is gone,
 * with so many of them spinning at once, all the time.
 *
 * Two times are told. "dead" is quod's own: from the deadline until it knew that the jail
 * is dead, the wall time of the record less the limit. "gone" is ours: until quod itself
 * has ended, which it does after its cgroup is empty and removed. For that the deadline
 * has to be known: each log line tells when it came since the start of the clock, so the
 * earliest start that any of them tells is the nearest to it.
 *
 * We watch with real-time priority where we may, because on a machine full of spinning
 * jails we would measure how long we ourselves wait; what we start has it not.
 */
#include <errno.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/number.h"
#include "base/own.h"
#include "tests/race/crew.h"
#include "tests/race/launch.h"

#define KILLS_MOST  100000
#define DEADLINE_MS 100
#define TIMEOUT	    "100ms"

/* A line every other millisecond for a while, then nothing but heat. */
#define SCRIPT                                                           \
	"var start = Date.now(), last = start, now;"                     \
	"while ((now = Date.now()) - start < 60)"                        \
	" if (now - last >= 2) { last = now; console.log(now - start) }" \
	"for (;;);"

struct kill_times {
	double dead_ms, gone_ms;
};

struct shared {
	pthread_mutex_t lock;
	uint32_t next, bad;
	bool plain; /* a watcher could not become real-time */
	struct kill_times times[KILLS_MOST];
};

struct kills {
	uint32_t kills, jails;
	char *quod;
	struct shared *shared;
};

static double field_ms(const char *from, const char *key)
{
	const char *at = strstr(from, key);

	return at ? strtod(at + strlen(key), NULL) : -1;
}

/* The start of the guest's clock is not later than what this line says. */
static void note_start(void *context, const struct text *out, uint64_t now_ns)
{
	uint64_t *start_ns = context;
	const char *last = NULL, *text = text_str(out);

	for (const char *at = text; (at = strstr(at, "{\"event\":\"log\"")); at++)
		last = at;
	double ms = last ? field_ms(last, "\"t_ms\":") : -1;
	uint64_t start = ms < 0 ? UINT64_MAX : now_ns - (uint64_t)(ms * 1e6);
	if (start < *start_ns)
		*start_ns = start;
}

static bool measure(struct kills *kills, struct kill_times *ret)
{
	static char run[] = "run", o[] = "-o", ndjson[] = "ndjson", t[] = "--timeout",
		    timeout[] = TIMEOUT, e[] = "-e", script[] = SCRIPT;
	char *argv[] = {kills->quod, run, o, ndjson, t, timeout, e, script, NULL};
	uint64_t start_ns = UINT64_MAX;
	struct launch launch = {.argv = argv, .heard = note_start, .context = &start_ns};
	struct launched launched;

	if (launch_run(&launch, &launched) < 0)
		return false;
	const char *usage = strstr(text_str(&launched.out), "\"usage\":");
	double wall_ms = usage ? field_ms(usage, "\"wall_ms\":") : -1;
	bool good =
		launched_code(&launched) == 124 && wall_ms > 0 && start_ns != UINT64_MAX;
	ret->dead_ms = wall_ms - DEADLINE_MS;
	ret->gone_ms = ((double)launched.end_ns - (double)start_ns) / 1e6 - DEADLINE_MS;
	launched_free(&launched);
	return good;
}

static void work(void *context)
{
	struct kills *kills = context;
	struct shared *shared = kills->shared;

	for (;;) {
		struct kill_times times = {0};
		bool good = measure(kills, &times);

		pthread_mutex_lock(&shared->lock);
		bool more = shared->next < kills->kills;
		shared->bad += more && !good;
		if (more)
			shared->times[shared->next++] = times;
		pthread_mutex_unlock(&shared->lock);
		if (!more)
			return;
	}
}

static int by_value(const void *a, const void *b)
{
	double x = *(const double *)a, y = *(const double *)b;

	return (x > y) - (x < y);
}

static double percentile(const double *sorted, uint32_t count, double part)
{
	return sorted[(uint32_t)(part * (count - 1) + 0.5)];
}

static void print_times(const struct kills *kills, const char *name,
			double (*take)(const struct kill_times *))
{
	own_free double *ms = calloc(kills->kills, sizeof(*ms));

	for (uint32_t i = 0; ms && i < kills->kills; i++)
		ms[i] = take(&kills->shared->times[i]);
	if (!ms)
		return;
	qsort(ms, kills->kills, sizeof(*ms), by_value);
	double p50 = percentile(ms, kills->kills, 0.5);
	double p99 = percentile(ms, kills->kills, 0.99);
	double most = ms[kills->kills - 1];
	printf("  deadline to %-30s %7.2f %7.2f %7.2f\n", name, p50, p99, most);
	printf("#BENCH kill=%.4s jails=%u p50_ms=%.2f p99_ms=%.2f max_ms=%.2f of=%u\n",
	       name, kills->jails, p50, p99, most, kills->kills);
}

static double take_dead(const struct kill_times *times)
{
	return times->dead_ms;
}

static double take_gone(const struct kill_times *times)
{
	return times->gone_ms;
}

static bool become_real_time(void)
{
	const struct sched_param least = {.sched_priority = 1};

	return sched_setscheduler(0, SCHED_FIFO | SCHED_RESET_ON_FORK, &least) == 0;
}

static void watch(void *context)
{
	struct kills *kills = context;

	if (!become_real_time())
		kills->shared->plain = true;
	work(context);
}

static int parse_options(struct kills *kills, int argc, char **argv)
{
	enum number_error e = NUMBER_OK;
	int option;

	while (!e && (option = getopt(argc, argv, "n:j:")) != -1) {
		if (option == 'n')
			e = number_parse_u32(optarg, 1, KILLS_MOST, &kills->kills);
		else if (option == 'j')
			e = number_parse_u32(optarg, 1, 256, &kills->jails);
		else
			return -EINVAL;
	}
	if (e || optind != argc - 1)
		return -EINVAL;
	kills->quod = argv[optind];
	return 0;
}

int main(int argc, char **argv)
{
	struct kills kills = {.kills = 400, .jails = 8};

	if (parse_options(&kills, argc, argv) < 0) {
		fprintf(stderr, "usage: kills [-n KILLS] [-j JAILS] QUOD\n");
		return 2;
	}
	kills.shared = crew_memory(sizeof(*kills.shared));
	if (!kills.shared)
		return 1;
	crew_lock_init(&kills.shared->lock);
	unsigned bad = crew_run(kills.jails, watch, &kills);
	if (bad || kills.shared->bad) {
		fprintf(stderr, "kills: %u runs did not end by their deadline\n",
			kills.shared->bad);
		return 1;
	}
	printf("  %-42s %7s %7s %7s\n", "ms", "p50", "p99", "max");
	print_times(&kills, "dead, as quod sees it", take_dead);
	print_times(&kills, "gone: cgroup, and quod itself", take_gone);
	if (kills.shared->plain)
		printf("  (no real-time priority for the watchers: their own waiting is in "
		       "it)\n");
	return 0;
}
