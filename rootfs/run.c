/* SPDX-License-Identifier: MIT */
/*
 * Out of memory ends a run at once, from wherever it is noticed: no exception that the
 * script could catch, no unwinding that would need memory. The frame says it all.
 */
#include <string.h>

#include "rootfs/end.h"
#include "rootfs/gate.h"
#include "rootfs/run.h"

struct run run;

bool run_set_caps(void)
{
	return !heap_set_cap(run.heap, (size_t)run.job.heap_bytes) &&
	       !heap_set_cap(run.gate_heap, (size_t)run.job.heap_bytes);
}

/* What grows over it must not be asked. */
static void close_gate_heap(void)
{
	run.gate_peak = heap_peak(run.gate_heap);
	run.gate_heap = NULL;
}

static size_t gate_peak(void)
{
	return run.gate_heap ? heap_peak(run.gate_heap) : run.gate_peak;
}

size_t run_heap_peak(void)
{
	size_t gate = gate_peak(), engine = heap_peak(run.heap);

	return gate > engine ? gate : engine;
}

size_t run_heap_dirty(void)
{
	return run.built ? heap_peak(run.heap) + 15 + gate_peak() : run_heap_peak();
}

/* A rule that the host does not have is told by the denial alone. */
static const unsigned char *find_signal(const char *signal)
{
	const unsigned char *at = (const unsigned char *)run.job.rules;
	const unsigned char *end = at + run.job.rules_len;

	for (; at < end; at += 3 + at[2])
		if (at[1] == RULE_SIGNAL && at[2] == strlen(signal) &&
		    !memcmp(at + 3, signal, at[2]))
			return at;
	return NULL;
}

static void send_finding(void *unused, const struct gate_finding *finding)
{
	struct out *out = &run.out;

	(void)unused;
	run_frame_begin(FRAME_FINDING, 13 + finding->detail_len);
	out_u8(out, finding->rule);
	out_u32(out, finding->line);
	out_u32(out, finding->column);
	out_u32(out, finding->span);
	out_bytes(out, finding->detail, finding->detail_len);
	run_frame_end();
}

void run_deny(const char *signal, const char *detail)
{
	const unsigned char *rule = find_signal(signal);
	struct gate_finding finding = {.detail = detail, .detail_len = strlen(detail)};

	run.denied = true;
	if (!rule)
		return;
	finding.rule = *rule;
	send_finding(NULL, &finding);
}

static void gate_exhausted(void)
{
	run_end_limit(LIMIT_MEMORY);
}

static void *gate_take(void *heap, size_t size)
{
	return heap_take(heap, size);
}

static void *gate_resize(void *heap, void *at, size_t size)
{
	return heap_resize(heap, at, size);
}

static void gate_give_back(void *heap, void *at)
{
	heap_free(heap, at);
}

static void forget_finding(void *unused, const struct gate_finding *finding)
{
	(void)unused;
	(void)finding;
}

/* So that the pages of its code and tables are there when the job comes: these few words go
 * through nearly all that more of them would. Of what it wrote nothing is left. */
static void try_gate(void)
{
	static const char source[] = "var a = b[0]";
	struct gate_summary summary = {0};
	struct gate_job job = {
		.source = source,
		.source_len = sizeof(source) - 1,
		.duktape = true,
		.memory = {gate_take, gate_resize, gate_give_back, run.gate_heap,
			   gate_exhausted},
		.found = forget_finding,
	};

	gate_analyse(&job, &summary);
	memset(run.gate_heap, 0, heap_peak(run.gate_heap));
}

/*
 * Without it the gate works in the empty heap, gives all back, and Duktape is built there.
 * Ahead Duktape is built first, and the gate works behind it, in a heap of its own that is
 * as large as the other: so each finds what it would have found, and a limit of memory is
 * reached by the same jobs at the same place. Afterwards the gate's heap is forgotten and
 * Duktape's grows over it.
 */
void run_build_ahead(void)
{
	if (heap_set_cap(run.heap, RUN_AHEAD_BYTES))
		end_now(END_NO_MEMORY);
	engine_duktape.build();
	run.built = true;
	run.gate_heap = heap_init(heap_beyond(run.heap), RUN_AHEAD_BYTES);
	try_gate();
	heap_init(run.gate_heap, RUN_AHEAD_BYTES);
}

static void analyse(bool by_duktape, struct gate_summary *summary)
{
	size_t len;
	const char *source = job_plain_source(&run.job, &len);
	struct gate_job job = {
		.source = source,
		.source_len = len,
		.rules = (const unsigned char *)run.job.rules,
		.rules_len = run.job.rules_len,
		.duktape = by_duktape,
		.memory = {gate_take, gate_resize, gate_give_back, run.gate_heap,
			   gate_exhausted},
		.found = send_finding,
	};

	gate_analyse(&job, summary);
}

static void send_gate(enum job_engine engine, const struct gate_summary *summary)
{
	unsigned char payload[24 + GATE_REASON_MOST];

	put_u32le(payload, summary->complexity);
	put_u32le(payload + 4, summary->nesting);
	put_u32le(payload + 8, engine);
	put_u32le(payload + 12, (summary->unparsed ? GATE_UNPARSED : 0) |
					(summary->modern ? GATE_MODERN : 0));
	put_u32le(payload + 16, summary->reason_line);
	put_u32le(payload + 20, summary->reason_column);
	memcpy(payload + 24, summary->reason, summary->reason_len);
	run.stage = RUN_GATED;
	out_small_frame(&run.out, FRAME_GATE, payload, 24 + summary->reason_len);
}

static uint32_t wait_go(void)
{
	uint32_t flags;

	if (!job_wait_go(&flags) || run.denied)
		end_now(END_DONE);
	run.stage = RUN_GOING;
	return flags;
}

#ifdef WITH_QUICKJS
#define WHY_NO_QUICKJS "quickjs: no address space for its guard (ulimit -v)"
#else
#define WHY_NO_QUICKJS "quickjs: not built"
#endif

/* What needs more than Duktape has, or what it would run with another meaning. What could
 * not be read is for the engine that knows more of the language. */
static const struct engine *choose(bool has_quickjs, const struct gate_summary *summary)
{
#ifdef WITH_QUICKJS
	if (has_quickjs && (run.job.engine == JOB_ENGINE_QUICKJS ||
			    (run.job.engine == JOB_ENGINE_AUTO &&
			     (summary->modern || summary->unparsed))))
		return &engine_quickjs;
#endif
	(void)has_quickjs;
	(void)summary;
	return &engine_duktape;
}

uint32_t run_gate(bool has_quickjs)
{
	struct gate_summary summary = {0};

	if (run.job.engine == JOB_ENGINE_QUICKJS && !has_quickjs)
		run_deny("engine", WHY_NO_QUICKJS);
	run.phase = PHASE_PARSE;
	analyse(run.job.engine == JOB_ENGINE_DUKTAPE || !has_quickjs, &summary);
	close_gate_heap();
	run.engine = choose(has_quickjs, &summary);
	run.awaits = summary.awaits;
	if (!run.built || run.engine != &engine_duktape)
		run.engine->build();
	run.engine->prepare();
	send_gate(run.engine->id, &summary);
	return wait_go();
}

void run_tell_begin(void)
{
	if (run.telling)
		end_because(END_ENGINE, "code ran while a value was told");
	run.telling = true;
}

void run_tell_end(void)
{
	run.telling = false;
}

void run_frame_begin(enum frame_type type, uint64_t payload_bytes)
{
	run.engine->reserve(true);
	out_frame(&run.out, type, payload_bytes);
}

/* Where the reserve was touched the cap stays raised: by no more than the reserve. */
void run_frame_end(void)
{
	out_flush(&run.out);
	run.engine->reserve(false);
}

void run_frame_last(void)
{
	out_hold(&run.out);
	run.engine->reserve(false);
}

void run_code_follows(void)
{
	out_release(&run.out);
}

void run_end(void)
{
	unsigned char payload[16] = {0};

	put_u64le(payload, run.engine->peak());
	out_small_frame(&run.out, FRAME_END, payload, sizeof(payload));
	end_now(END_DONE);
}

/* The one that was asked for, also where it was not come to yet: the host knows it. */
static enum job_engine engine_of_job(void)
{
	return run.job.engine == JOB_ENGINE_QUICKJS ? JOB_ENGINE_QUICKJS : run.engine->id;
}

void run_end_limit(enum limit_kind kind)
{
	unsigned char payload[2] = {(unsigned char)kind, (unsigned char)run.phase};

	if (run.out.writing || run.stage < RUN_WAITING)
		end_now(END_NO_MEMORY);
	if (run.stage < RUN_GATED)
		send_gate(engine_of_job(), &(struct gate_summary){.unparsed = true});
	if (run.stage < RUN_GOING)
		wait_go();
	out_small_frame(&run.out, FRAME_LIMIT, payload, sizeof(payload));
	run_end();
}
