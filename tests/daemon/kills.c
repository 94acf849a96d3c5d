/* SPDX-License-Identifier: MIT */
/*
 * kills [-s SEED] [-j CLIENTS] [ROUNDS]: quodd with clients of every kind at it, of which the
 * monitor, the server or both are killed by SIGKILL at some moment, from their start on. Then
 * nothing of it is left but its files, and the same daemon started again serves.
 *
 * Each round is played in a process that adopts what loses its parent: so the jails of a dead
 * monitor are seen, and seen to end.
 */
#include <errno.h>
#include <poll.h>
#include <signal.h>
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

#define ROUNDS_CHECK 12
#define ROUNDS_MOST  1000000
#define CLIENTS_MOST 64
#define RUNS	     "6"

/* A start takes some 20 ms; then there is load for a while. */
#define DELAY_MOST_US 250000

/* X(id, what) */
#define VICTIMS(X)            \
	X(MONITOR, "monitor") \
	X(SERVER, "server")   \
	X(BOTH, "both")

enum victim {
#define X(id, what) VICTIM_##id,
	VICTIMS(X)
#undef X
		VICTIMS_COUNT
};

static const char *const victim_names[VICTIMS_COUNT] = {
#define X(id, what) [VICTIM_##id] = what,
	VICTIMS(X)
#undef X
};

struct shared {
	uint64_t early, under_load, left, wrong, dead, served;
};

struct kills {
	uint64_t seed;
	uint32_t clients, rounds;
	struct host host;
	struct shared *shared;
};

/* Until the connection cannot be made any more. What was cut off is nobody's fault here, nor
 * is a run whose monitor was killed; another wrong answer is. */
static _Noreturn void be_client(struct kills *kills, uint64_t random)
{
	struct crowd crowd;

	crowd_init(&crowd, kills->host.socket, random);
	for (;;) {
		struct crowd_did did;

		crowd_exchange(&crowd, &did);
		if (did.wrong && !did.cut && !did.failed) {
			__atomic_add_fetch(&kills->shared->wrong, 1, __ATOMIC_RELAXED);
			printf("# '%s': %s: %.600s\n", did.kind->name, did.wrong,
			       text_str(&did.reply));
			fflush(stdout);
		}
		if (did.cut)
			_exit(0);
		crowd_forget(&did);
	}
}

/* Killed with a signal that both get before either can act on the other's death. */
static void strike(struct kills *kills, enum victim victim)
{
	pid_t server = host_server(&kills->host);

	if (victim != VICTIM_SERVER || !server)
		kill(kills->host.monitor, SIGKILL);
	if (victim != VICTIM_MONITOR && server)
		kill(server, SIGKILL);
	__atomic_add_fetch(server ? &kills->shared->under_load : &kills->shared->early, 1,
			   __ATOMIC_RELAXED);
}

/* The monitor's end is ours to wait for; a deadlock would be one of its own. */
static bool await_monitor(struct kills *kills)
{
	for (int waited = 0; waited < 20000; waited++) {
		if (waitpid(kills->host.monitor, NULL, WNOHANG) == kills->host.monitor)
			return true;
		poll(NULL, 0, 1);
	}
	kill(kills->host.monitor, SIGKILL);
	return false;
}

static void start_clients(struct kills *kills, uint64_t *random, pid_t *clients)
{
	fflush(stdout);
	for (uint32_t i = 0; i < kills->clients; i++) {
		uint64_t theirs = random_next(random);

		clients[i] = fork();
		if (clients[i] == 0)
			be_client(kills, theirs);
	}
}

static void play(struct kills *kills, uint64_t number)
{
	uint64_t random = random_start(kills->seed, number);
	enum victim victim = (enum victim)(random_next(&random) % VICTIMS_COUNT);
	uint64_t delay_us = random_next(&random) % DELAY_MOST_US;
	pid_t clients[CLIENTS_MOST];
	bool left = false, ended;

	if (host_start(&kills->host, RUNS) < 0)
		return;
	/* A quarter dies while it starts. */
	if (random_next(&random) % 4) {
		if (!host_answers(&kills->host)) {
			printf("# round %llu: quodd does not come\n",
			       (unsigned long long)number);
			kills->shared->dead++;
		}
		start_clients(kills, &random, clients);
	} else {
		delay_us /= 10;
		memset(clients, 0, sizeof(clients));
	}
	usleep((useconds_t)delay_us);
	strike(kills, victim);
	ended = await_monitor(kills);
	for (uint32_t i = 0; i < kills->clients; i++)
		if (clients[i] > 0)
			kill(clients[i], SIGKILL);
	crew_orphans(&left);
	if (left || !ended) {
		printf("# round %llu, %s killed after %llu us: %s\n",
		       (unsigned long long)number, victim_names[victim],
		       (unsigned long long)delay_us,
		       left ? "something lives on" : "the monitor lives on");
		kills->shared->left++;
	}
	fflush(stdout);
}

/* The start after a death, as it would be by systemd. */
static void serve(struct kills *kills)
{
	own_text struct text reply = TEXT_INIT(65536);
	struct crowd crowd;
	struct crowd_did did;

	if (host_start(&kills->host, RUNS) < 0 || !host_answers(&kills->host))
		return;
	crowd_init(&crowd, kills->host.socket, 1);
	do {
		crowd_exchange(&crowd, &did);
		crowd_forget(&did);
	} while (!did.has_record && !did.cut);
	crowd_end(&crowd);
	if (did.has_record && crowd_get(kills->host.socket, "/readyz", &reply) &&
	    host_stop(&kills->host) == 0)
		kills->shared->served++;
}

static void work(void *context)
{
	struct kills *kills = context;

	for (uint64_t number = 0; number < kills->rounds; number++) {
		play(kills, number);
		serve(kills);
	}
}

static void sweep(void *context)
{
	struct kills *kills = context;

	if (host_start(&kills->host, RUNS) == 0 && host_answers(&kills->host))
		host_stop(&kills->host);
}

static void print_results(const struct kills *kills, unsigned bad,
			  const struct count *counts, unsigned count)
{
	const struct shared *shared = kills->shared;

	printf("# seed %llu: %u rounds, %llu killed before there was a server\n",
	       (unsigned long long)kills->seed, kills->rounds,
	       (unsigned long long)shared->early);
	tap_result(!bad && shared->early + shared->under_load == kills->rounds,
		   "all rounds were played", "");
	tap_result(!shared->dead, "what was killed comes again", "");
	tap_result(shared->served == kills->rounds, "and serves", "");
	tap_result(!shared->left, "nothing lives on", "");
	tap_result(!shared->wrong, "no answer was wrong", "");
	for (unsigned i = 0; i < count; i++)
		if (counts[i].exact && counts[i].there)
			tap_result(!count_has_grown(&counts[i]),
				   "no growth: ", counts[i].name);
}

static int parse_options(struct kills *kills, int argc, char **argv)
{
	enum number_error e = NUMBER_OK;
	int option;

	if (getrandom(&kills->seed, sizeof(kills->seed), 0) != sizeof(kills->seed))
		return -EIO;
	kills->seed %= 1000000000;
	while (!e && (option = getopt(argc, argv, "s:j:")) != -1) {
		if (option == 's')
			e = number_parse_u64(optarg, 0, UINT64_MAX, &kills->seed);
		else if (option == 'j')
			e = number_parse_u32(optarg, 1, CLIENTS_MOST, &kills->clients);
		else
			return -EINVAL;
	}
	if (!e && optind < argc)
		e = number_parse_u32(argv[optind], 1, ROUNDS_MOST, &kills->rounds);
	return e ? -EINVAL : 0;
}

int main(int argc, char **argv)
{
	static struct kills kills = {.clients = 6, .rounds = ROUNDS_CHECK};
	struct count *counts;
	unsigned count;

	if (parse_options(&kills, argc, argv) < 0) {
		fprintf(stderr, "usage: QUOD_TEST_BUILD=DIR kills [-s SEED] [-j CLIENTS] "
				"[ROUNDS]\n");
		return 2;
	}
	kills.shared = crew_memory(sizeof(*kills.shared));
	if (!kills.shared || host_init(&kills.host) < 0) {
		printf("Bail out! no files to work with\n");
		return 1;
	}
	counts = counts_table(&count, kills.host.state);
	sweep(&kills);
	counts_before(counts, count);
	unsigned bad = crew_run(1, work, &kills);
	counts_after(counts, count, sweep, &kills);
	print_results(&kills, bad, counts, count);
	if (tap_failures && getenv("QUOD_TEST_KEEP"))
		printf("# the log is %s\n", kills.host.log);
	else
		host_remove(&kills.host);
	return tap_done();
}
