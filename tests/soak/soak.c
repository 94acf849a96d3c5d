/* SPDX-License-Identifier: MIT */
/*
 * soak [-c] [-s SEED] [-j JOBS] [RUNS]: thousands of runs of every kind, several at a
 * time, and what they left behind: nothing, or the test fails. TAP, and a table of what
 * grew.
 *
 * Each worker is the parent of whatever loses its parent below it, so no process and no
 * zombie escapes the count.
 */
#include <errno.h>
#include <fcntl.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mount.h>
#include <sys/random.h>
#include <sys/stat.h>

#include "base/number.h"
#include "base/own.h"
#include "tests/race/crew.h"
#include "tests/race/random.h"
#include "tests/race/tap.h"
#include "tests/soak/counts.h"
#include "tests/soak/kinds.h"

#define RUNS_CHECK  1000
#define RUNS_MOST   10000000
#define WRONG_SHOWN 10u
#define PATH_ROOM   4200

struct shared {
	pthread_mutex_t lock;
	uint64_t next;
	unsigned wrong, orphans, left;
	uint64_t killed_orphans; /* that are right: their quod was killed */
	struct crew_ids ids;
};

struct soak {
	uint64_t seed;
	uint32_t runs, jobs;
	bool drop_caches;
	char dir[64];
	char quod[PATH_ROOM], quod_js[PATH_ROOM], liar[PATH_ROOM], inmate[PATH_ROOM],
		cases[PATH_ROOM];
	unsigned weights;
	struct shared *shared;
};

/* --- one run ----------------------------------------------------------------- */

static char *resolve(struct soak *soak, const char *word)
{
	const struct {
		const char *name;
		char *path;
	} paths[] = {{"@quod", soak->quod},
		     {"@inmate", soak->inmate},
		     {"@cases", soak->cases}};

	for (size_t i = 0; i < ARRAY_LEN(paths); i++)
		if (strcmp(paths[i].name, word) == 0)
			return paths[i].path;
	return (char *)word;
}

static const struct kind *pick(const struct soak *soak, uint64_t *random)
{
	unsigned at = (unsigned)(random_next(random) % soak->weights), i = 0;

	while (at >= kinds[i].weight)
		at -= kinds[i++].weight;
	return &kinds[i];
}

/* The ids of the records in what came out, alone or in a list; returns how many. */
static unsigned take_ids(struct shared *shared, const struct text *out)
{
	static const char head[] = "{\"id\":\"";
	unsigned count = 0;

	for (const char *at = text_str(out); (at = strstr(at, head)); at++) {
		bool starts = at == out->data || strchr("\n[,", at[-1]);

		if (!starts || strlen(at) < sizeof(head) + RUN_ID_LEN)
			continue;
		count++;
		crew_ids_add(&shared->ids, at + sizeof(head) - 1);
	}
	return count;
}

static bool is_right_code(const struct kind *kind, int code)
{
	for (int i = 0; i < KIND_CODES_MOST; i++)
		if (kind->codes[i] == code)
			return true;
	return false;
}

static const char *what_is_wrong(const struct kind *kind, const struct launched *launched,
				 unsigned records)
{
	if (launched->hung)
		return "it hung";
	if (!is_right_code(kind, launched_code(launched)))
		return "the exit code";
	if (records < kind->records)
		return "a record is missing";
	if (launched->err.len && !(kind->flags & (KIND_COMPLAINS | KIND_KILLED)))
		return "it complained";
	return NULL;
}

static void note(struct soak *soak, const struct kind *kind,
		 const struct launched *launched)
{
	struct shared *shared = soak->shared;
	bool left = false;
	unsigned orphans = crew_orphans(&left);

	pthread_mutex_lock(&shared->lock);
	const char *wrong =
		what_is_wrong(kind, launched, take_ids(shared, &launched->out));
	if (wrong && shared->wrong++ < WRONG_SHOWN)
		printf("# '%s': %s: exit code %d\n# %.300s%.1000s\n", kind->name, wrong,
		       launched_code(launched), text_str(&launched->err),
		       text_str(&launched->out));
	shared->left += left;
	if (kind->flags & KIND_KILLED)
		shared->killed_orphans += orphans;
	else
		shared->orphans += orphans;
	if (left || (orphans && !(kind->flags & KIND_KILLED)))
		printf("# '%s' left %u processes behind\n", kind->name, orphans + left);
	fflush(stdout);
	pthread_mutex_unlock(&shared->lock);
}

static void run_one(struct soak *soak, const struct kind *kind, uint64_t *random)
{
	char *argv[KIND_WORDS_MOST + 2] = {soak->quod};
	struct launch launch = {
		.argv = argv,
		.interpreter = kind->flags & KIND_LIES ? soak->liar : soak->quod_js,
		.blow = kind->blow,
		.signal = kind->signal,
		.from_first_byte = kind->flags & KIND_HEARD,
	};
	struct launched launched;

	for (int i = 0; i < KIND_WORDS_MOST && kind->words[i]; i++)
		argv[i + 1] = resolve(soak, kind->words[i]);
	if (kind->delay_most_us)
		launch.delay_ns = random_next(random) % (kind->delay_most_us * NS_PER_US);
	if (launch_run(&launch, &launched) < 0)
		exit(1);
	note(soak, kind, &launched);
	launched_free(&launched);
}

static void work(void *context)
{
	struct soak *soak = context;

	for (;;) {
		pthread_mutex_lock(&soak->shared->lock);
		uint64_t number = soak->shared->next++;
		pthread_mutex_unlock(&soak->shared->lock);
		if (number >= soak->runs)
			return;
		uint64_t random = random_start(soak->seed, number);
		run_one(soak, pick(soak, &random), &random);
	}
}

/* The start that sweeps what killed ones have left. */
static void sweep(void *context)
{
	static const struct kind plain = {.codes = {0, -1, -1},
					  .records = 1,
					  .words = {"run", "-o", "json", "-e", "1"}};
	struct soak *soak = context;
	uint64_t random = 0;

	run_one(soak, &plain, &random);
}

/* --- before and after -------------------------------------------------------- */

static int find_programs(struct soak *soak)
{
	const char *build = getenv("QUOD_TEST_BUILD"), *tmp = getenv("TMPDIR");

	if (!build || strlen(build) > 4000)
		return -ENOENT;
	snprintf(soak->quod, PATH_ROOM, "%s/quod", build);
	snprintf(soak->quod_js, PATH_ROOM, "%s/quod-js", build);
	snprintf(soak->liar, PATH_ROOM, "%s/tests/integration/liar", build);
	snprintf(soak->inmate, PATH_ROOM, "%s/tests/escape/inmate", build);
	if ((size_t)snprintf(soak->dir, sizeof(soak->dir), "%s/quod-soak.XXXXXX",
			     tmp ? tmp : "/tmp") >= sizeof(soak->dir))
		return -ENAMETOOLONG;
	return mkdtemp(soak->dir) ? 0 : -errno;
}

/* The directory for the runs' own files is below ours, which has the cases. */
static int make_files(struct soak *soak, char *runs_dir, size_t size)
{
	snprintf(soak->cases, PATH_ROOM, "%s/cases", soak->dir);
	FILE *file = fopen(soak->cases, "we");
	if (!file)
		return -errno;
	for (int i = 0; i < 3; i++)
		fprintf(file, "{\"id\":\"c%d\",\"input\":[%d]}\n", i, i);
	fclose(file);
	snprintf(runs_dir, size, "%s/tmp", soak->dir);
	setenv("TMPDIR", runs_dir, 1);
	return mkdir(runs_dir, 0700) < 0 ? -errno : 0;
}

static void remove_files(const struct soak *soak, const char *runs_dir)
{
	unlink(soak->cases);
	rmdir(runs_dir);
	rmdir(soak->dir);
}

static int share(struct soak *soak)
{
	struct shared *shared = crew_memory(sizeof(*shared));

	if (!shared)
		return -ENOMEM;
	crew_lock_init(&shared->lock);
	soak->shared = shared;
	for (unsigned i = 0; i < kinds_count; i++)
		soak->weights += kinds[i].weight;
	return crew_ids_init(&shared->ids, 3 * (size_t)soak->runs + 1000);
}

/* Mounts of others come and go: ours are looked for in a namespace of our own, if we may
 * have one. Who may not cannot mount either. */
static void part_mounts(void)
{
	if (unshare(CLONE_NEWNS) == 0)
		mount(NULL, "/", NULL, MS_REC | MS_PRIVATE, NULL);
}

/* The kernel remembers the files of removed cgroups until it needs the memory: some nodes
 * for each run, which are no leak. Whoever has the machine for himself asks for -c. */
static void drop_caches(const struct soak *soak)
{
	own_fd int fd = soak->drop_caches
				? open("/proc/sys/vm/drop_caches", O_WRONLY | O_CLOEXEC)
				: -1;

	if (soak->drop_caches && (fd < 0 || write(fd, "2", 1) != 1))
		printf("# caches cannot be dropped here\n");
}

static void print_growth(const struct soak *soak, const struct count *counts,
			 unsigned count)
{
	printf("# %-30s %12s %12s %10s %12s\n", "count", "before", "after", "growth",
	       "per run");
	for (unsigned i = 0; i < count; i++) {
		double growth = (double)counts[i].after - (double)counts[i].before;

		if (!counts[i].there)
			printf("# %-30s not to be read here\n", counts[i].name);
		else
			printf("# %-30s %12llu %12llu %10.0f %12.5f\n", counts[i].name,
			       (unsigned long long)counts[i].before,
			       (unsigned long long)counts[i].after, growth,
			       growth / soak->runs);
	}
}

static void print_results(struct soak *soak, const struct count *counts, unsigned count,
			  unsigned bad_workers)
{
	struct shared *shared = soak->shared;

	print_growth(soak, counts, count);
	printf("# %u runs, %u at a time, seed %llu; %zu records; %llu jails outlived a "
	       "killed quod for a moment\n",
	       soak->runs, soak->jobs, (unsigned long long)soak->seed, shared->ids.count,
	       (unsigned long long)shared->killed_orphans);
	tap_result(!bad_workers, "all runs were made", "");
	tap_result(!shared->wrong, "each ended as it should", "");
	tap_result(crew_ids_doubles(&shared->ids) == 0, "each has an id of its own", "");
	tap_result(!shared->orphans, "no process that quod had not waited for", "");
	tap_result(!shared->left, "no process that lives on", "");
	for (unsigned i = 0; i < count; i++)
		if (counts[i].exact && counts[i].there)
			tap_result(!count_has_grown(&counts[i]),
				   "no growth: ", counts[i].name);
}

static int parse_options(struct soak *soak, int argc, char **argv)
{
	enum number_error e = NUMBER_OK;
	int option;

	if (getrandom(&soak->seed, sizeof(soak->seed), 0) != sizeof(soak->seed))
		return -EIO;
	soak->seed %= 1000000000;
	while (!e && (option = getopt(argc, argv, "cs:j:")) != -1) {
		if (option == 's')
			e = number_parse_u64(optarg, 0, UINT64_MAX, &soak->seed);
		else if (option == 'j')
			e = number_parse_u32(optarg, 1, 64, &soak->jobs);
		else if (option == 'c')
			soak->drop_caches = true;
		else
			return -EINVAL;
	}
	if (!e && optind < argc)
		e = number_parse_u32(argv[optind], 1, RUNS_MOST, &soak->runs);
	return e ? -EINVAL : 0;
}

int main(int argc, char **argv)
{
	static struct soak soak = {.runs = RUNS_CHECK, .jobs = 8};
	char runs_dir[PATH_ROOM];
	struct count *counts;
	unsigned count;

	if (parse_options(&soak, argc, argv) < 0 || find_programs(&soak) < 0) {
		fprintf(stderr, "usage: QUOD_TEST_BUILD=DIR soak [-c] [-s SEED] "
				"[-j JOBS] [RUNS]\n");
		return 2;
	}
	if (make_files(&soak, runs_dir, sizeof(runs_dir)) < 0 || share(&soak) < 0) {
		printf("Bail out! no files to work with\n");
		return 1;
	}
	part_mounts();
	counts = counts_table(&count, runs_dir);
	drop_caches(&soak);
	counts_before(counts, count);
	unsigned bad_workers = crew_run(soak.jobs, work, &soak);
	drop_caches(&soak);
	counts_after(counts, count, sweep, &soak);
	print_results(&soak, counts, count, bad_workers);
	remove_files(&soak, runs_dir);
	return tap_done();
}
