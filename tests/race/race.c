/* SPDX-License-Identifier: MIT */
/*
 * race [-s SEED] [-j JOBS] [-p PAIRING] [-v] [ROUNDS]: lets two ends of a run race each
 * other, thousands of times, and judges every record that comes of it. TAP, and the
 * matrix of what each pairing came to.
 *
 * Several processes take rounds from one counter in shared memory and steer together.
 * What a round does follows from the seed and its number, but for the moment, which is
 * looked for while the race runs. A race that one side always wins tests nothing: a
 * pairing goes on until both have won, and fails if that does not come about.
 */
#include <errno.h>
#include <jansson.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>

#include "base/number.h"
#include "base/own.h"
#include "tests/race/crew.h"
#include "tests/race/oracle.h"
#include "tests/race/random.h"
#include "tests/race/round.h"
#include "tests/race/steer.h"
#include "tests/race/tap.h"

#define ROUNDS_CHECK 500
#define ROUNDS_MOST  1000000
#define EXTRA_MOST   200u /* rounds on top, for a pairing that one side won so far */
#define FAULTS_SHOWN 20u
#define SHOWN_MOST   1000u
#define DECK_MOST    1024

struct score {
	struct steer steer;
	unsigned outcomes[OUTCOME_IDS], sides[SIDE_HOST + 1];
	unsigned rounds, extra, faults;
};

struct shared {
	pthread_mutex_t lock;
	struct score scores[PAIRINGS_MOST];
	uint64_t next;
	unsigned faults, orphans, left;
	struct crew_ids ids;
};

struct race {
	uint64_t seed;
	uint32_t rounds, jobs;
	const char *only; /* NULL: all pairings */
	bool verbose;

	char quod[4096], quod_js[4096], liar[4096];
	struct pairing pairings[PAIRINGS_MOST];
	unsigned pairings_count;
	unsigned deck[DECK_MOST]; /* pairings, by weight, shuffled */
	unsigned deck_count;
	struct speed speed;
	struct shared *shared;
};

static void lock(struct race *race)
{
	pthread_mutex_lock(&race->shared->lock);
}

static void unlock(struct race *race)
{
	pthread_mutex_unlock(&race->shared->lock);
}

/* --- one round --------------------------------------------------------------- */

static void show_fault(const struct round *round, const struct launched *launched,
		       const struct verdict *verdict)
{
	size_t len = launched->out.len;
	size_t cut = len > SHOWN_MOST ? len - SHOWN_MOST : 0; /* the record is last */
	char name[80];

	pairing_name(round->pairing, name, sizeof(name));
	printf("# FAULT in round %llu, %s, moment %lld: %s\n#   exit code %d, blow %d, "
	       "QUOD_JS=%s",
	       (unsigned long long)round->number, name, (long long)round->moment,
	       verdict->fault, launched_code(launched), launched->blown,
	       round->launch.interpreter);
	for (char *const *arg = round->argv; *arg; arg++)
		printf(" '%.300s'", *arg);
	printf("\n#   ...%s\n", text_str(&launched->out) + cut);
}

static void note(struct race *race, const struct round *round,
		 const struct launched *launched, const struct verdict *verdict)
{
	struct score *score = &race->shared->scores[round->pairing - race->pairings];
	bool bad = verdict->fault[0];

	lock(race);
	score->rounds++;
	score->outcomes[verdict->outcome]++;
	score->sides[verdict->side]++;
	score->faults += bad;
	steer_note(&score->steer, round->pairing, verdict->side);
	if (verdict->id[0])
		crew_ids_add(&race->shared->ids, verdict->id);
	if (bad && race->shared->faults++ < FAULTS_SHOWN)
		show_fault(round, launched, verdict);
	if (race->verbose)
		printf("# %s %lld: %s\n", round->pairing->act->name,
		       (long long)round->moment, outcome_names[verdict->outcome]);
	fflush(stdout);
	unlock(race);
}

static void note_orphans(struct race *race, const struct round *round)
{
	bool left = false;
	unsigned orphans = crew_orphans(&left);

	if (orphans == 0 && !left)
		return;
	lock(race);
	race->shared->orphans += orphans;
	race->shared->left += left;
	printf("# round %llu, %s: %u orphans, %s\n", (unsigned long long)round->number,
	       round->pairing->act->name, orphans, left ? "one still runs" : "all ended");
	fflush(stdout);
	unlock(race);
}

static void play(struct race *race, unsigned which, uint64_t number)
{
	const struct pairing *pairing = &race->pairings[which];
	uint64_t random = random_start(~race->seed, number);
	struct launched launched;
	struct verdict verdict;
	struct round round;

	lock(race);
	int64_t moment = steer_moment(&race->shared->scores[which].steer, pairing,
				      random_next(&random));
	unlock(race);
	round_make(&round, pairing, &race->speed, race->seed, number, moment);
	round.argv[0] = race->quod;
	round.launch.argv = round.argv;
	round.launch.interpreter =
		pairing->act->flags & ACT_LIES ? race->liar : race->quod_js;
	if (launch_run(&round.launch, &launched) < 0)
		exit(1);
	oracle_judge(&round, &launched, &verdict);
	note(race, &round, &launched, &verdict);
	note_orphans(race, &round);
	launched_free(&launched);
	round_free(&round);
}

/* --- the workers ------------------------------------------------------------- */

static bool both_won(const struct score *score)
{
	return score->sides[SIDE_GUEST] && score->sides[SIDE_HOST];
}

/* The next round: which pairing, and its number. False: there is none. */
static bool take_round(struct race *race, unsigned *ret_which, uint64_t *ret_number)
{
	struct shared *shared = race->shared;
	bool any = false;

	lock(race);
	*ret_number = shared->next;
	if (shared->next < race->rounds) {
		*ret_which = race->deck[shared->next % race->deck_count];
		any = true;
	}
	for (unsigned i = 0; !any && i < race->pairings_count; i++) {
		unsigned which = (unsigned)((i + shared->next) % race->pairings_count);
		struct score *score = &shared->scores[which];

		if (both_won(score) || score->extra == EXTRA_MOST)
			continue;
		score->extra++;
		*ret_which = which;
		any = true;
	}
	shared->next += any;
	unlock(race);
	return any;
}

static void work(void *context)
{
	struct race *race = context;
	unsigned which = 0;
	uint64_t number = 0;

	while (take_round(race, &which, &number))
		play(race, which, number);
}

/* --- before ------------------------------------------------------------------ */

static void build_deck(struct race *race)
{
	uint64_t random = race->seed;

	for (unsigned i = 0; i < race->pairings_count; i++)
		for (unsigned n = 0; n < race->pairings[i].weight; n++)
			race->deck[race->deck_count++] = i;
	for (unsigned i = race->deck_count - 1; i > 0; i--) {
		unsigned other = (unsigned)(random_next(&random) % (i + 1));
		unsigned card = race->deck[i];

		race->deck[i] = race->deck[other];
		race->deck[other] = card;
	}
}

static int list_pairings(struct race *race)
{
	struct pairing all[PAIRINGS_MOST];
	unsigned count = pairings_list(all, &race->speed);
	char name[80];

	for (unsigned i = 0; i < count; i++) {
		pairing_name(&all[i], name, sizeof(name));
		if (!race->only || strncmp(name, race->only, strlen(race->only)) == 0)
			race->pairings[race->pairings_count++] = all[i];
	}
	return race->pairings_count ? 0 : -EINVAL;
}

/* CPU time of counting to a million, by quod's own account. */
static double measure_loop(struct race *race)
{
	static char run[] = "run", o[] = "-o", json[] = "json", e[] = "-e",
		    source[] = "function burn(n){for(var k=0;k<n;k++);}burn(1e6)";
	char *argv[] = {race->quod, run, o, json, e, source, NULL};
	struct launch launch = {.argv = argv, .interpreter = race->quod_js};
	struct launched launched;
	double ms = 0;

	if (launch_run(&launch, &launched) < 0)
		return 0;
	json_t *record = json_loadb(text_str(&launched.out), launched.out.len, 0, NULL);
	ms = json_number_value(
		json_object_get(json_object_get(record, "usage"), "cpu_ms"));
	if (ms <= 0)
		printf("# %s%s", text_str(&launched.out), text_str(&launched.err));
	json_decref(record);
	launched_free(&launched);
	return ms;
}

static int measure_speed(struct race *race)
{
	double best = 0;

	for (int i = 0; i < 5; i++) {
		double ms = measure_loop(race);
		if (ms > 0 && (best <= 0 || ms < best))
			best = ms;
	}
	if (best <= 0)
		return -EIO;
	race->speed.loops_per_us = 1e6 / (best * 1000);
	return 0;
}

static int share(struct race *race)
{
	struct shared *shared = crew_memory(sizeof(*shared));

	if (!shared)
		return -ENOMEM;
	crew_lock_init(&shared->lock);
	for (unsigned i = 0; i < race->pairings_count; i++)
		steer_init(&shared->scores[i].steer, &race->pairings[i]);
	race->shared = shared;
	return crew_ids_init(&shared->ids,
			     race->rounds + (size_t)race->pairings_count * EXTRA_MOST);
}

/* --- after ------------------------------------------------------------------- */

static void print_matrix(const struct race *race)
{
	printf("# %-24s %6s", "pairing", "rounds");
	for (int i = 0; i < OUTCOME_IDS; i++)
		printf(" %9.9s", outcome_names[i]);
	printf(" %6s %6s %9s\n", "guest", "host", "moment");
	for (unsigned p = 0; p < race->pairings_count; p++) {
		const struct score *score = &race->shared->scores[p];
		char name[80], count[16];

		pairing_name(&race->pairings[p], name, sizeof(name));
		printf("# %-24s %6u", name, score->rounds);
		for (int i = 0; i < OUTCOME_IDS; i++) {
			snprintf(count, sizeof(count), "%u", score->outcomes[i]);
			printf(" %9s", score->outcomes[i] ? count : ".");
		}
		printf(" %6u %6u %9lld\n", score->sides[SIDE_GUEST],
		       score->sides[SIDE_HOST], (long long)score->steer.centre);
	}
}

static void print_results(struct race *race, unsigned bad_workers)
{
	struct shared *shared = race->shared;
	char name[80];

	print_matrix(race);
	for (unsigned i = 0; i < race->pairings_count; i++) {
		const struct score *score = &shared->scores[i];

		pairing_name(&race->pairings[i], name, sizeof(name));
		tap_result(score->faults == 0, "legal in every round: ", name);
		tap_result(both_won(score), "each side won some: ", name);
	}
	tap_result(crew_ids_doubles(&shared->ids) == 0, "no id came twice", "");
	tap_result(!shared->orphans && !shared->left, "no process was left", "");
	tap_result(!bad_workers, "all rounds were played", "");
	printf("# %llu rounds, seed %llu: %u faults\n", (unsigned long long)shared->next,
	       (unsigned long long)race->seed, shared->faults);
}

static int find_programs(struct race *race)
{
	const char *build = getenv("QUOD_TEST_BUILD");

	if (!build || strlen(build) > 4000)
		return -ENOENT;
	snprintf(race->quod, sizeof(race->quod), "%s/quod", build);
	snprintf(race->quod_js, sizeof(race->quod_js), "%s/quod-js", build);
	snprintf(race->liar, sizeof(race->liar), "%s/tests/integration/liar", build);
	return 0;
}

static int parse_options(struct race *race, int argc, char **argv)
{
	enum number_error e = NUMBER_OK;
	int option;

	if (getrandom(&race->seed, sizeof(race->seed), 0) != sizeof(race->seed))
		return -EIO;
	race->seed %= 1000000000;
	while (!e && (option = getopt(argc, argv, "s:j:p:v")) != -1) {
		if (option == 's')
			e = number_parse_u64(optarg, 0, UINT64_MAX, &race->seed);
		else if (option == 'j')
			e = number_parse_u32(optarg, 1, 64, &race->jobs);
		else if (option == 'p')
			race->only = optarg;
		else if (option == 'v')
			race->verbose = true;
		else
			return -EINVAL;
	}
	if (!e && optind < argc)
		e = number_parse_u32(argv[optind], 1, ROUNDS_MOST, &race->rounds);
	return e ? -EINVAL : 0;
}

int main(int argc, char **argv)
{
	static struct race race = {.rounds = ROUNDS_CHECK, .jobs = 4};

	if (find_programs(&race) < 0 || parse_options(&race, argc, argv) < 0) {
		fprintf(stderr, "usage: QUOD_TEST_BUILD=DIR race [-s SEED] [-j JOBS] "
				"[-p PAIRING] [-v] [ROUNDS]\n");
		return 2;
	}
	if (measure_speed(&race) < 0) {
		printf("Bail out! quod does not run\n");
		return 1;
	}
	if (list_pairings(&race) < 0 || share(&race) < 0) {
		printf("Bail out! no such pairing, or no memory\n");
		return 1;
	}
	build_deck(&race);
	printf("# seed %llu, %u rounds, %u at a time, %.1f loops in a us\n",
	       (unsigned long long)race.seed, race.rounds, race.jobs,
	       race.speed.loops_per_us);
	fflush(stdout);
	print_results(&race, crew_run(race.jobs, work, &race));
	return tap_done();
}
