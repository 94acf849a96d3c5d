/* SPDX-License-Identifier: MIT */
/*
 * One shelf for each tenant and policy, its oldest jail taken first.
 *
 * How many a shelf wants follows demand: a run that finds it empty makes it want one more,
 * up to the most; of those that lay there untouched all through a window, which is as long
 * as a jail may become old, it wants that many less, down to the least. So a shelf comes to
 * hold what its busiest moment took before it could be filled up again, and a shelf that
 * nobody asks is empty after two windows.
 *
 * They are made one at a time, when a run has ended and its reply is on its way, or at the
 * next tick, and always after everything else that the event loop has to do: the monitor
 * makes one jail after the other, and nobody is to wait behind one that nobody waits for.
 * The shelf that has least is next, in turn with its equals, and where the pool is full
 * the one that has most gives: a tenant who takes many does not empty the shelves of
 * others.
 *
 * One that dies is dropped. After a failure or a death no other is made for a while, which
 * doubles until one was of use: a host that cannot make jails is not hammered.
 */
#include "daemon/pool.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <unistd.h>

#include "base/own.h"
#include "daemon/log.h"
#include "daemon/ward.h"
#include "supervisor/clock.h"

/* Of the monitor, beside those of jails. */
#define RESERVE_FDS 64u

#define TICK_US	       1000000u
#define PAUSE_LEAST_MS 100u
#define PAUSE_MOST_MS  10000u

struct warm {
	struct kept_cell kept;
	struct pool *pool;
	struct shelf *shelf; /* NULL: it is not wanted any more */
	uint64_t born_ns;
	sd_event_source *on_end;
	struct warm *next;
};

struct shelf {
	struct kept_place place;
	struct limits limits;
	struct warm *first; /* the oldest */
	unsigned held, wanted;
	unsigned untouched; /* fewest that were held since the window began */
	uint64_t window_end_ns;
	struct shelf *next;
};

/* --- one jail ----------------------------------------------------------------- */

static void unwatch(void *whose)
{
	struct warm *warm = whose;

	warm->on_end = sd_event_source_disable_unref(warm->on_end);
}

static void warm_free(struct warm *warm)
{
	warm->pool->count--;
	unwatch(warm);
	free(warm);
}

/* The jail is killed, if there is one. */
static void warm_drop(struct warm *warm)
{
	kept_cell_drop(&warm->kept);
	warm_free(warm);
}

static struct warm *shelf_take(struct shelf *shelf)
{
	struct warm *warm = shelf->first;

	if (!warm)
		return NULL;
	shelf->first = warm->next;
	shelf->held--;
	if (shelf->held < shelf->untouched)
		shelf->untouched = shelf->held;
	return warm;
}

static void shelf_remove(struct shelf *shelf, const struct warm *warm)
{
	struct warm **at = &shelf->first;

	while (*at != warm)
		at = &(*at)->next;
	*at = warm->next;
	shelf->held--;
}

static void shelf_put(struct shelf *shelf, struct warm *warm)
{
	struct warm **at = &shelf->first;

	while (*at)
		at = &(*at)->next;
	*at = warm;
	warm->next = NULL;
	shelf->held++;
}

static void shelf_empty(struct shelf *shelf)
{
	struct warm *warm;

	while ((warm = shelf_take(shelf)))
		warm_drop(warm);
}

static void note_failure(struct pool *pool, const char *why)
{
	uint64_t ms = pool->pause_ms ? 2 * pool->pause_ms : PAUSE_LEAST_MS;

	pool->pause_ms = ms < PAUSE_MOST_MS ? ms : PAUSE_MOST_MS;
	pool->retry_ns = clock_mono_ns() + pool->pause_ms * NS_PER_MS;
	log_say("a warm jail is lost: %s: the next is made in %llu ms at the earliest",
		why, (unsigned long long)pool->pause_ms);
}

static int on_end(sd_event_source *source, int fd, uint32_t events, void *userdata)
{
	struct warm *warm = userdata;
	struct pool *pool = warm->pool;

	(void)source;
	(void)fd;
	(void)events;
	shelf_remove(warm->shelf, warm);
	warm_drop(warm);
	note_failure(pool, "it has ended before it had a run");
	return 0;
}

/* --- shelves ------------------------------------------------------------------ */

static bool is_same(const struct kept_place *a, const struct kept_place *b)
{
	return a->generation == b->generation && a->tenant == b->tenant &&
	       a->policy == b->policy;
}

static struct shelf *find(const struct pool *pool, const struct kept_place *place)
{
	struct shelf *shelf = pool->shelves;

	while (shelf && !is_same(&shelf->place, place))
		shelf = shelf->next;
	return shelf;
}

static void shelf_append(struct pool *pool, struct shelf *shelf)
{
	struct shelf **at = &pool->shelves;

	while (*at)
		at = &(*at)->next;
	*at = shelf;
	shelf->next = NULL;
}

/* NULL: there is no memory for it, and the run does without. */
static struct shelf *find_or_make(struct pool *pool, const struct kept_place *place,
				  const struct limits *limits)
{
	struct shelf *shelf = find(pool, place);

	if (shelf)
		return shelf;
	shelf = calloc(1, sizeof(*shelf));
	if (!shelf)
		return NULL;
	shelf->place = *place;
	shelf->limits = *limits;
	shelf->wanted = (unsigned)pool->least;
	shelf->window_end_ns = clock_mono_ns() + pool->expire_ns;
	shelf_append(pool, shelf);
	sd_event_source_set_time_relative(pool->on_tick, TICK_US);
	sd_event_source_set_enabled(pool->on_tick, SD_EVENT_ONESHOT);
	return shelf;
}

static void shelf_free(struct pool *pool, struct shelf *shelf)
{
	struct shelf **at = &pool->shelves;

	while (*at != shelf)
		at = &(*at)->next;
	*at = shelf->next;
	if (pool->coming && pool->coming->shelf == shelf)
		pool->coming->shelf = NULL;
	shelf_empty(shelf);
	free(shelf);
}

static bool is_coming_to(const struct pool *pool, const struct shelf *shelf)
{
	return pool->coming && pool->coming->shelf == shelf;
}

static void close_window(struct pool *pool, struct shelf *shelf, uint64_t now)
{
	unsigned least = (unsigned)pool->least;

	if (now < shelf->window_end_ns)
		return;
	shelf->wanted -=
		shelf->untouched < shelf->wanted ? shelf->untouched : shelf->wanted;
	if (shelf->wanted < least)
		shelf->wanted = least;
	shelf->untouched = shelf->held;
	shelf->window_end_ns = now + pool->expire_ns;
}

static void expire(struct pool *pool, struct shelf *shelf, uint64_t now)
{
	struct warm *warm;

	while (shelf->first && now >= shelf->first->born_ns + pool->expire_ns) {
		warm = shelf->first;
		shelf_remove(shelf, warm);
		warm_drop(warm);
	}
}

/* --- filling ------------------------------------------------------------------ */

/* Of those that want more than they have the one that has least, the next in turn. */
static struct shelf *find_needy(const struct pool *pool)
{
	struct shelf *needy = NULL;

	for (struct shelf *shelf = pool->shelves; shelf; shelf = shelf->next)
		if (shelf->held < shelf->wanted && (!needy || shelf->held < needy->held))
			needy = shelf;
	return needy;
}

static struct shelf *find_fullest(const struct pool *pool)
{
	struct shelf *fullest = pool->shelves;

	for (struct shelf *shelf = fullest; shelf; shelf = shelf->next)
		if (shelf->held > fullest->held)
			fullest = shelf;
	return fullest;
}

/* One that would have as few then as the other has now gives nothing. */
static bool make_room(struct pool *pool, const struct shelf *needy)
{
	struct shelf *fullest;

	if (pool->count < pool->total)
		return true;
	fullest = find_fullest(pool);
	if (fullest->held < needy->held + 2)
		return false;
	warm_drop(shelf_take(fullest));
	return true;
}

/* In the place of a run that has ended. */
static void on_changed(void *whose)
{
	struct warm *warm = whose;
	struct pool *pool = warm->pool;
	struct shelf *shelf = warm->shelf;
	bool held = warm->kept.cell.state == CELL_HELD;
	int r = -1;

	pool->coming = NULL;
	if (held && shelf)
		r = sd_event_add_io(pool->event, &warm->on_end, warm->kept.cell.ended,
				    EPOLLIN, on_end, warm);
	if (r >= 0)
		shelf_put(shelf, warm);
	if (!held)
		note_failure(pool, warm->kept.cell.error.text);
	if (r < 0)
		warm_drop(warm);
	if (*pool->runs == 0)
		pool_tend(pool);
}

static int start(struct pool *pool, struct shelf *shelf, struct jail_error *err)
{
	static const struct kept_calls calls = {.changed = on_changed,
						.closing = unwatch};
	struct warm *warm = calloc(1, sizeof(*warm));
	int r;

	*err = (struct jail_error){.text = "there is no memory for it"};
	if (!warm)
		return -ENOMEM;
	*warm = (struct warm){.pool = pool, .shelf = shelf, .born_ns = clock_mono_ns()};
	kept_cell_init(&warm->kept, pool->keeper, &shelf->place, &calls, warm);
	pool->count++;
	pool->coming = warm;
	r = kept_cell_warm(&warm->kept, &shelf->limits, err);
	if (r < 0)
		warm_free(TAKE_PTR(pool->coming));
	return r;
}

static void fill(struct pool *pool)
{
	struct shelf *needy = find_needy(pool);
	struct jail_error err;

	if (!needy || pool->coming || clock_mono_ns() < pool->retry_ns ||
	    !make_room(pool, needy))
		return;
	if (start(pool, needy, &err) < 0)
		note_failure(pool, err.text);
	/* Its turn is over. */
	if (needy->next) {
		struct shelf **at = &pool->shelves;

		while (*at != needy)
			at = &(*at)->next;
		*at = needy->next;
		shelf_append(pool, needy);
	}
}

static int on_fill(sd_event_source *source, void *userdata)
{
	(void)source;
	fill(userdata);
	return 0;
}

void pool_tend(struct pool *pool)
{
	if (pool->shelves)
		sd_event_source_set_enabled(pool->on_fill, SD_EVENT_ONESHOT);
}

static int on_tick(sd_event_source *source, uint64_t usec, void *userdata)
{
	struct pool *pool = userdata;
	struct shelf *shelf = pool->shelves, *next;
	uint64_t now = clock_mono_ns();

	(void)usec;
	for (; shelf; shelf = next) {
		next = shelf->next;
		close_window(pool, shelf, now);
		expire(pool, shelf, now);
		if (!shelf->wanted && !shelf->held && !is_coming_to(pool, shelf))
			shelf_free(pool, shelf);
	}
	pool_tend(pool);
	if (!pool->shelves)
		return 0;
	sd_event_source_set_time_relative(source, TICK_US);
	return sd_event_source_set_enabled(source, SD_EVENT_ONESHOT);
}

/* --- runs --------------------------------------------------------------------- */

/* What only the start of a jail can set: the interpreter and the clock hold the rest, each
 * as low as the run wants it. */
static bool fits(const struct request *request)
{
	static const enum limit_id fixed[] = {LIMIT_ID_memory_bytes, LIMIT_ID_cpu_percent,
					      LIMIT_ID_processes};

	for (size_t i = 0; i < ARRAY_LEN(fixed); i++)
		if (request->limits.value[fixed[i]] !=
		    request->policy->limits.value[fixed[i]])
			return false;
	return true;
}

/* Its end may be told already and not yet seen. */
static bool is_alive(const struct warm *warm)
{
	char byte;

	return read(warm->kept.cell.ended, &byte, 1) < 0;
}

static void note_miss(struct pool *pool, struct shelf *shelf)
{
	pool->misses++;
	shelf->untouched = 0;
	if (shelf->wanted < pool->most)
		shelf->wanted++;
}

static bool hand_over(struct pool *pool, struct warm *warm, struct kept_cell *to)
{
	bool alive = is_alive(warm);

	if (!alive) {
		warm_drop(warm);
		note_failure(pool, "it has ended before it had a run");
		return false;
	}
	unwatch(warm);
	kept_cell_move(&warm->kept, to);
	warm_free(warm);
	pool->pause_ms = 0;
	pool->hits++;
	return true;
}

bool pool_take(struct pool *pool, const struct kept_place *place,
	       const struct request *request, struct kept_cell *to)
{
	struct shelf *shelf;
	struct warm *warm;

	if (!pool->most || !pool->total || !fits(request))
		return false;
	shelf = find_or_make(pool, place, &request->policy->limits);
	if (!shelf)
		return false;
	while ((warm = shelf_take(shelf)))
		if (hand_over(pool, warm, to))
			return true;
	note_miss(pool, shelf);
	return false;
}

/* Without demand, for each tenant and each policy that he has, until no more may be. */
static void expect_least(struct pool *pool, const struct roster *roster)
{
	uint64_t room = pool->least ? pool->total / pool->least : 0;

	for (uint32_t tenant = 0; tenant < roster->tenants_count; tenant++) {
		for (uint32_t policy = 0; room && policy < roster->policies_count;
		     policy++) {
			const struct kept_place place = {roster->generation, tenant,
							 policy};

			if (!(roster->tenants[tenant].policies >> policy & 1))
				continue;
			find_or_make(pool, &place, &roster->policies[policy]->limits);
			room--;
		}
	}
	pool_tend(pool);
}

/* The monitor has more files open for each jail than we, and may have no more. */
static uint64_t room_of(const struct roster *roster, uint64_t files_most)
{
	uint64_t jails =
		files_most > RESERVE_FDS ? (files_most - RESERVE_FDS) / WARD_FDS : 0;
	uint64_t runs = roster->settings.value[SETTING_RUNS];

	return jails > runs ? jails - runs : 0;
}

static uint64_t least_of(uint64_t a, uint64_t b)
{
	return a < b ? a : b;
}

void pool_adopt(struct pool *pool, const struct roster *roster, uint64_t files_most,
		uint64_t files_spare)
{
	const uint64_t *value = roster->settings.value;
	uint64_t room = least_of(room_of(roster, files_most), files_spare / POOL_FDS);

	pool_flush(pool);
	pool->most = value[SETTING_POOL_MOST];
	pool->least = least_of(value[SETTING_POOL_LEAST], pool->most);
	pool->total = least_of(value[SETTING_POOL_TOTAL], room);
	pool->expire_ns = value[SETTING_POOL_EXPIRE_MS] * NS_PER_MS;
	if (pool->most && pool->total < value[SETTING_POOL_TOTAL])
		log_say("there may be %llu warm jails and not %llu: so few files may be "
			"open (LimitNOFILE=, ulimit -n)",
			(unsigned long long)pool->total,
			(unsigned long long)value[SETTING_POOL_TOTAL]);
	if (pool->most)
		expect_least(pool, roster);
}

void pool_flush(struct pool *pool)
{
	while (pool->shelves)
		shelf_free(pool, pool->shelves);
}

int pool_init(struct pool *pool, sd_event *event, struct keeper *keeper,
	      const unsigned *runs)
{
	int r;

	*pool = (struct pool){.keeper = keeper, .event = event, .runs = runs};
	r = sd_event_add_defer(event, &pool->on_fill, on_fill, pool);
	if (r >= 0)
		r = sd_event_source_set_enabled(pool->on_fill, SD_EVENT_OFF);
	if (r >= 0)
		r = sd_event_source_set_priority(pool->on_fill, SD_EVENT_PRIORITY_IDLE);
	if (r >= 0)
		r = sd_event_add_time_relative(event, &pool->on_tick, CLOCK_MONOTONIC,
					       TICK_US, 1000, on_tick, pool);
	if (r >= 0)
		r = sd_event_source_set_enabled(pool->on_tick, SD_EVENT_OFF);
	return r < 0 ? r : 0;
}

void pool_free(struct pool *pool)
{
	pool_flush(pool);
	sd_event_source_disable_unref(pool->on_fill);
	sd_event_source_disable_unref(pool->on_tick);
}
