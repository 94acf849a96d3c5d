/* SPDX-License-Identifier: MIT */
/*
 * The tables of acts and rivals, and how a round is made of them.
 *
 * A script waits by the clock as far as whole milliseconds go and counts for the rest, so
 * that its moment is as exact under load as it is on an idle machine. Where the rival is
 * an outsider, the script's moment is fixed and the outsider's is looked for; it counts
 * from the script's first line, which is known to have come.
 */
#include "tests/race/round.h"

#include <inttypes.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>

#include "base/own.h"
#include "tests/race/random.h"

#define KILLED(reason)                                                        \
	{                                                                     \
		"supervisor " reason " SIGKILL", "supervisor " reason " null" \
	}
#define BY(what)     \
	{            \
		what \
	}

#define SHORT_DEADLINE_MS 20
#define SLOW_DEADLINE_MS  60
#define PARSE_DEADLINE_MS 1
#define CPU_DEADLINE_MS	  3000
/* In a us, on the machines for which these are right; others get more time. */
#define LOOPS_USUAL 20

/* The guest's moment where an outsider's is looked for. */
#define GUEST_US 6000

static const struct act acts[] = {
	{"value", ACT_VALUE, "", {"ok", 0, BY("null")}, {0}},
	{"timer", ACT_VALUE | ACT_TIMER, "", {"ok", 0, BY("null")}, {0}},
	{"throw",
	 ACT_THROWS,
	 "throw new Error('thrown');",
	 {"error", 1, BY("null")},
	 {0}},
	{"heap",
	 ACT_HEAP,
	 "for(var s='xxxxxxxx';;)s+=s;",
	 {"memory_limit", 5, BY("null")},
	 {0}},
	{"memory",
	 ACT_LIES | ACT_HEAP | ACT_SLOW,
	 "eat",
	 {"memory_limit", 5, BY("kernel oom SIGKILL")},
	 {"crashed", 128, BY("null")}},
	{"flood",
	 ACT_FLOODS,
	 "for(;;)line(i++);",
	 {"output_limit", 6, KILLED("output_limit")},
	 {0}},
	{"cpu",
	 ACT_CPU | ACT_TIMER | ACT_VALUE,
	 "for(;;);",
	 {"cpu_limit", 7, KILLED("cpu_limit")},
	 {0}},
	{"crash",
	 ACT_LIES,
	 "crash:16",
	 {"crashed", 139, BY("kernel signal SIGSEGV")},
	 {0}},
	{"violation",
	 ACT_LIES,
	 "call:41",
	 {"violation", 4, BY("filter syscall SIGSYS")},
	 {0}},
	{"protocol", ACT_LIES, "raw:ff wait", {"crashed", 128, KILLED("protocol")}, {0}},
	{"quit", ACT_LIES, "exit:3", {"crashed", 128, BY("null")}, {0}},
	{"said", ACT_LIES | ACT_VALUE | ACT_SAID, "exit:0", {"ok", 0, BY("null")}, {0}},
	{"spin", ACT_ENDLESS, "for(;;);", {"timeout", 124, KILLED("timeout")}, {0}},
	{"parse", ACT_PARSE | ACT_VALUE, "", {"ok", 0, BY("null")}, {0}},
	{"start", ACT_START | ACT_VALUE, "", {"ok", 0, BY("null")}, {0}},
	{"over",
	 ACT_OVER | ACT_VALUE,
	 "",
	 {"output_limit", 6, KILLED("output_limit")},
	 {0}},
};

const struct rival rivals[RIVALS] = {
	[RIVAL_DEADLINE] = {"deadline", BLOW_NONE, {"timeout", 124, KILLED("timeout")}},
	[RIVAL_SIGNAL] = {"signal", BLOW_SIGNAL, {"cancelled", 130, KILLED("cancelled")}},
	[RIVAL_CLOSE] = {"close", BLOW_CLOSE, {"cancelled", 130, KILLED("cancelled")}},
	[RIVAL_EXIT] = {"exit", BLOW_NONE, {0}},
};

static bool is_pairing(const struct act *act, enum rival_id rival)
{
	if (act->flags & ACT_OVER)
		return rival == RIVAL_EXIT;
	if (act->flags & ACT_PARSE)
		return rival == RIVAL_DEADLINE;
	if (act->flags & (ACT_ENDLESS | ACT_START))
		return rival == RIVAL_SIGNAL || rival == RIVAL_CLOSE;
	return rival != RIVAL_EXIT;
}

static uint32_t deadline_of(const struct act *act, enum rival_id rival)
{
	if (act->flags & ACT_ENDLESS)
		return SHORT_DEADLINE_MS;
	if (rival != RIVAL_DEADLINE)
		return 0;
	if (act->flags & ACT_CPU)
		return CPU_DEADLINE_MS;
	if (act->flags & ACT_SLOW)
		return SLOW_DEADLINE_MS;
	return act->flags & ACT_PARSE ? PARSE_DEADLINE_MS : SHORT_DEADLINE_MS;
}

static int64_t first_moment(const struct pairing *p)
{
	unsigned flags = p->act->flags;

	if (flags & ACT_CPU)
		return p->steers_host ? 600000 : 2000000;
	if (flags & ACT_START)
		return 3000;
	if (flags & ACT_PARSE)
		return 4000;
	if (flags & ACT_OVER)
		return 100;
	return p->deadline_ms ? p->deadline_ms * 1000ll : GUEST_US;
}

static struct pairing pairing_make(const struct act *act, enum rival_id rival,
				   unsigned slow)
{
	bool dear = act->flags & ACT_CPU;
	bool parse = act->flags & ACT_PARSE;
	struct pairing p = {
		.act = act,
		.rival = rival,
		.weight = dear ? 1 : 10,
		.steers_host = rivals[rival].blow != BLOW_NONE,
		.deadline_ms = deadline_of(act, rival) * (dear || parse ? 1 : slow),
		.most = dear ? 2900000 : 60000 * slow,
		.step = dear ? 400000 : 2000 * slow,
		.step_least = dear ? 10000 : 50 * slow,
		.jitter = dear ? 10000 : 1000 * slow,
	};

	if (parse)
		p.most = 25000; /* what fits into a source */
	if (act->flags & ACT_OVER) {
		p.jitter = 100;
		p.step_least = 5;
	}
	p.first = first_moment(&p);
	return p;
}

unsigned pairings_list(struct pairing *pairings, const struct speed *speed)
{
	double slow = LOOPS_USUAL / speed->loops_per_us;
	unsigned count = 0;

	for (size_t a = 0; a < ARRAY_LEN(acts); a++)
		for (int rival = 0; rival < RIVALS; rival++)
			if (is_pairing(&acts[a], (enum rival_id)rival))
				pairings[count++] =
					pairing_make(&acts[a], (enum rival_id)rival,
						     slow < 1 ? 1 : (unsigned)slow);
	return count;
}

void pairing_name(const struct pairing *pairing, char *name, size_t size)
{
	snprintf(name, size, "%s against %s", pairing->act->name,
		 rivals[pairing->rival].name);
}

static unsigned random_below(uint64_t *state, unsigned most)
{
	return (unsigned)(random_next(state) % most);
}

int round_line(const struct round *round, unsigned index, char line[LINE_ROOM])
{
	static const char pad[] =
		"------------------------------------------------------"
		"------------------------------------------------------";

	return snprintf(line, LINE_ROOM, "line-%u%.*s", index, (int)round->pad, pad);
}

/* A source of JavaScript is written in one go; the numbers are the round's. */
static void add_value(struct round *round)
{
	struct text *to = &round->source;

	switch (round->value) {
	case VALUE_TRUE:
		text_add_str(to, "true");
		break;
	case VALUE_FALSE:
		text_add_str(to, "false");
		break;
	case VALUE_OBJECT:
		text_addf(to, "({round:%" PRIu64 ",list:[1,'two',null]})", round->number);
		break;
	case VALUE_LONG:
	case VALUE_KINDS:
		text_addf(to, "new Array(%u).join('v')", round->value_len + 1);
		break;
	}
}

static void add_head(struct round *round)
{
	char first[LINE_ROOM];

	round_line(round, 0, first);
	text_addf(&round->source,
		  "var i=0;function line(n){console.log('line-'+n+'%s')}"
		  "function burn(n){for(var k=0;k<n;k++);}"
		  "function lines(n){for(;i<n;)line(i++)}"
		  "function until(ms){for(var t=Date.now()+ms;Date.now()<t;);}"
		  "lines(%u);",
		  first + strlen("line-0"), round->before);
}

static void add_wait(struct round *round, const struct speed *speed, int64_t us)
{
	double rest = (double)(us % 1000) * speed->loops_per_us;

	if (round->pairing->act->flags & ACT_TIMER)
		text_addf(&round->source, "setTimeout(function(){burn(%.0f);", rest);
	else
		text_addf(&round->source, "until(%" PRId64 ");burn(%.0f);", us / 1000,
			  rest);
}

static void write_script(struct round *round, const struct speed *speed, int64_t us)
{
	const struct act *act = round->pairing->act;

	add_head(round);
	if (!(act->flags & (ACT_START | ACT_ENDLESS | ACT_OVER)))
		add_wait(round, speed, us);
	text_addf(&round->source, "lines(%u);", round->lines);
	if (act->flags & ACT_OVER)
		text_addf(&round->source, "burn(%.0f);",
			  (double)us * speed->loops_per_us);
	text_add_str(&round->source, act->tail);
	if (act->flags & ACT_TIMER)
		text_addf(&round->source, "},%" PRId64 ");", us / 1000);
	if (act->flags & ACT_VALUE)
		add_value(round);
}

/* The moment is how much there is to parse. */
static void write_long_source(struct round *round)
{
	for (int64_t i = 0; i < round->moment; i++)
		text_add_str(&round->source, "1;");
	add_value(round);
}

static void add_lies(struct round *round, unsigned from, unsigned to)
{
	char line[LINE_ROOM];

	for (unsigned i = from; i < to; i++) {
		round_line(round, i, line);
		text_addf(&round->source, "log:%s ", line);
	}
}

static void write_lies(struct round *round, int64_t us)
{
	const struct act *act = round->pairing->act;

	text_add_str(&round->source, "ready gate go ");
	add_lies(round, 0, round->before);
	if (act->flags & ACT_SAID)
		text_addf(&round->source, "value:%" PRIu64 " end ", round->number);
	text_addf(&round->source, "burn:%" PRId64 " ", us);
	add_lies(round, round->before, round->lines);
	text_add_str(&round->source, act->tail);
}

static void choose(struct round *round, uint64_t *random)
{
	unsigned flags = round->pairing->act->flags;

	round->ndjson = random_below(random, 2) || round->pairing->steers_host;
	round->before = 1 + random_below(random, 4);
	round->lines = round->before + random_below(random, 4);
	round->pad = random_below(random, 100);
	round->value = (enum value_kind)random_below(random, VALUE_KINDS);
	round->value_len = 1 + random_below(random, VALUE_LONG_MOST);
	if (flags & ACT_SAID)
		round->lines = round->before;
	if (flags & ACT_PARSE)
		round->before = round->lines = 0;
	if (flags & ACT_OVER) {
		/* Exactly as many as the limit allows is not too many. */
		round->lines = 1000 + (random_below(random, 4) > 0);
		round->pad = 0;
	}
}

static void choose_blow(struct round *round, uint64_t *random)
{
	static const int signals[] = {SIGINT, SIGTERM, SIGHUP, SIGQUIT};

	round->launch.blow = rivals[round->pairing->rival].blow;
	round->launch.signal = signals[random_below(random, ARRAY_LEN(signals))];
	round->launch.from_first_byte = !(round->pairing->act->flags & ACT_START);
	round->launch.delay_ns = (uint64_t)round->moment * NS_PER_US;
}

static void build_argv(struct round *round)
{
	unsigned flags = round->pairing->act->flags;
	static char run[] = "run", kind[] = "-o", json[] = "json", ndjson[] = "ndjson",
		    eval[] = "-e", timeout[] = "--timeout", memory[] = "--memory",
		    least[] = "1M", engine[] = "--engine", duktape[] = "duktape";
	char **to = round->argv + 1; /* argv[0] is the driver's */

	*to++ = run;
	*to++ = kind;
	*to++ = round->ndjson ? ndjson : json;
	/* Whose loops were measured. */
	*to++ = engine;
	*to++ = duktape;
	if (round->pairing->deadline_ms) {
		snprintf(round->timeout, sizeof(round->timeout), "%ums",
			 round->pairing->deadline_ms);
		*to++ = timeout;
		*to++ = round->timeout;
	}
	if (flags & ACT_HEAP) {
		*to++ = memory;
		*to++ = least;
	}
	*to++ = eval;
	*to++ = round->source.data;
	*to = NULL;
}

void round_make(struct round *round, const struct pairing *pairing,
		const struct speed *speed, uint64_t seed, uint64_t number, int64_t moment)
{
	uint64_t random = random_start(seed, number);
	int64_t us = pairing->steers_host ? GUEST_US : moment;

	*round = (struct round){.pairing = pairing,
				.number = number,
				.moment = moment,
				.source = TEXT_INIT(1u << 20)};
	choose(round, &random);
	choose_blow(round, &random);
	if (pairing->act->flags & ACT_CPU)
		round->launch.cpu_seconds = 1;
	if (pairing->act->flags & ACT_LIES)
		write_lies(round, us);
	else if (pairing->act->flags & ACT_PARSE)
		write_long_source(round);
	else
		write_script(round, speed, us);
	build_argv(round);
}

void round_free(struct round *round)
{
	text_free(&round->source);
}
