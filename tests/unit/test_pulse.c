/* SPDX-License-Identifier: MIT */
/*
 * When a server hangs: not before it has begun to serve, and then after so many beats in
 * which it says nothing.
 */
#include <criterion/criterion.h>
#include <stdlib.h>

#include "daemon/pulse.h"

/* Of the watchdog: a beat is a tenth of it. */
#define WATCHDOG_US "20000"

static struct pulse pulse;
static struct order_bounds bounds;
static sd_event *event;
static unsigned pings, hangs, beats;

static void on_ping(void *whose, uint64_t number)
{
	(void)whose;
	cr_expect_eq(number, bounds.pings);
	pings++;
}

static void on_hung(void *whose)
{
	(void)whose;
	hangs++;
}

static void on_beat(void *whose)
{
	(void)whose;
	beats++;
}

static void begin(void)
{
	static const struct pulse_calls calls = {
		.ping = on_ping, .hung = on_hung, .beat = on_beat};

	setenv("WATCHDOG_USEC", WATCHDOG_US, 1);
	cr_assert_geq(sd_event_new(&event), 0);
	cr_assert_geq(pulse_init(&pulse, event, &bounds, &calls, NULL), 0);
}

static void end(void)
{
	pulse_free(&pulse);
	sd_event_unref(event);
}

/* cppcheck-suppress unknownMacro */
TestSuite(pulse, .init = begin, .fini = end);

static void let_beat(unsigned count)
{
	unsigned until = beats + count;

	while (beats < until)
		cr_assert_geq(sd_event_run(event, UINT64_MAX), 0);
}

Test(pulse, a_start_may_take_long)
{
	let_beat(20);
	cr_expect_eq(hangs, 0);
	cr_expect_eq(pings, 0);
	cr_expect(pulse_alive(&pulse), "the first sign of life");
	let_beat(1);
	cr_expect_eq(pings, 1);
}

Test(pulse, who_served_and_says_nothing_hangs)
{
	cr_expect(pulse_alive(&pulse), "the first sign of life");
	let_beat(20);
	cr_expect_eq(pings, 1, "one at a time");
	cr_expect_eq(hangs, 1, "once");
}

Test(pulse, who_answers_does_not_hang)
{
	cr_expect(pulse_alive(&pulse), "the first sign of life");
	for (unsigned i = 1; i <= 10; i++) {
		let_beat(2);
		cr_expect_eq(pings, i);
		cr_expect_not(pulse_alive(&pulse));
	}
	cr_expect_eq(hangs, 0);
}
