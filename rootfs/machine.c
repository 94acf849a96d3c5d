/* SPDX-License-Identifier: MIT */
/*
 * Only clock_gettime and clock_nanosleep are called once the filter is on. With frozen
 * time the script's monotonic clock is virtual and counts only what timers waited for;
 * real time still passes while they wait.
 */
#include <stdbool.h>
#include <string.h>
#include <sys/auxv.h>
#include <sys/resource.h>
#include <time.h>

#include "rootfs/machine.h"

#define STACK_MOST   ((uintptr_t)8 << 20)
#define STACK_MARGIN ((uintptr_t)256 << 10)

/* Native stack that one level of the compiler takes at most, with room to spare: measured
 * were 230 to 840 bytes. */
#define COMPILE_LEVEL 2048u
#define COMPILE_MOST  2500

int hook_call_frames = 1000;

static uintptr_t stack_floor;
static uint64_t random_state[4];

static struct {
	bool on;
	double now_ms, monotonic_ms;
} frozen;

int hook_stack_is_low(void)
{
	return (uintptr_t)__builtin_frame_address(0) < stack_floor;
}

size_t machine_stack_left(void)
{
	uintptr_t here = (uintptr_t)__builtin_frame_address(0);

	return here < stack_floor ? 0 : here - stack_floor;
}

int hook_compile_depth(void)
{
	size_t levels = machine_stack_left() / COMPILE_LEVEL;

	return levels < COMPILE_MOST ? (int)levels : COMPILE_MOST;
}

static void stack_measure(void)
{
	struct rlimit limit;
	uintptr_t size = STACK_MOST;

	if (!getrlimit(RLIMIT_STACK, &limit) && limit.rlim_cur < size)
		size = (uintptr_t)limit.rlim_cur;
	if (size < 2 * STACK_MARGIN)
		size = 2 * STACK_MARGIN;
	stack_floor = (uintptr_t)__builtin_frame_address(0) - size + STACK_MARGIN;
}

/* splitmix64: spreads one word over the state of the generator below. */
static uint64_t spread(uint64_t *x)
{
	uint64_t z = *x += 0x9E3779B97F4A7C15u;

	z = (z ^ z >> 30) * 0xBF58476D1CE4E5B9u;
	z = (z ^ z >> 27) * 0x94D049BB133111EBu;
	return z ^ z >> 31;
}

static uint64_t rotate(uint64_t x, unsigned by)
{
	return x << by | x >> (64 - by);
}

/* xoshiro256+ */
double hook_random(void)
{
	uint64_t *s = random_state;
	uint64_t result = s[0] + s[3], t = s[1] << 17;

	s[2] ^= s[0];
	s[3] ^= s[1];
	s[1] ^= s[2];
	s[0] ^= s[3];
	s[2] ^= t;
	s[3] = rotate(s[3], 45);
	return (double)(result >> 11) * 0x1p-53;
}

void machine_seed(uint64_t seed)
{
	for (unsigned i = 0; i < 4; i++)
		random_state[i] = spread(&seed);
}

static double clock_ms(clockid_t which)
{
	struct timespec now = {0};

	clock_gettime(which, &now);
	return (double)now.tv_sec * 1000 + (double)now.tv_nsec / 1e6;
}

void machine_init(void)
{
	const void *bytes = (const void *)getauxval(AT_RANDOM);
	uint64_t seed = 0;
	double now = clock_ms(CLOCK_MONOTONIC);

	stack_measure();
	memcpy(&seed, &now, sizeof(seed));
	machine_seed(seed);
	if (!bytes)
		return;
	for (unsigned i = 0; i < 2; i++) {
		memcpy(&seed, (const char *)bytes + i * sizeof(seed), sizeof(seed));
		random_state[i] ^= spread(&seed);
	}
}

void machine_freeze(int64_t now_ms)
{
	frozen.on = true;
	frozen.now_ms = (double)now_ms;
}

double hook_now_ms(void)
{
	if (frozen.on)
		return frozen.now_ms;
	return (double)(int64_t)clock_ms(
		CLOCK_REALTIME); /* a Date has whole milliseconds */
}

double hook_monotonic_ms(void)
{
	return frozen.on ? frozen.monotonic_ms : clock_ms(CLOCK_MONOTONIC);
}

/* Until a moment, not for a time: a relative sleep that is stopped and continued goes on
 * by restart_syscall(2), which the filters do not know. */
static void sleep_until(double ms)
{
	struct timespec moment = {
		.tv_sec = (time_t)(ms / 1000),
		.tv_nsec = (long)((ms - (double)(time_t)(ms / 1000) * 1000) * 1e6),
	};

	while (clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &moment, NULL))
		;
}

void machine_wait_until(double ms)
{
	double wait = ms - hook_monotonic_ms();

	if (wait <= 0)
		return;
	sleep_until(clock_ms(CLOCK_MONOTONIC) + wait);
	if (frozen.on)
		frozen.monotonic_ms = ms;
}
