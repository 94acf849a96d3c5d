/* SPDX-License-Identifier: MIT */
/*
 * The run's guard says what to wait for; here its slots become sources of the event loop,
 * and after each event the run goes on as far as it can.
 *
 * The exchange is suspended meanwhile: libmicrohttpd then looks at its socket no more, so
 * that we watch it for its client's going away. For a stream it is woken whenever there is
 * something to send, and sleeps again when all is sent.
 *
 * Two owners: the exchange until job_abandon(), the event loop until the run is over. The
 * last of them frees it.
 */
#include "daemon/job.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/epoll.h>

#include "base/own.h"
#include "daemon/log.h"
#include "daemon/server.h"
#include "supervisor/clock.h"
#include "supervisor/run.h"

#define STREAM_TYPE  "application/x-ndjson"
#define STREAM_BLOCK 16384u

struct job {
	struct waiter waiter; /* its first member */
	struct server *server;
	struct exchange *exchange; /* NULL: abandoned */
	struct tenant *account;	   /* a reference */
	struct job *next;	   /* among the runs that are not over */
	bool check_only, stream, suspended, over;
	int64_t number;	       /* in the history; 0: not there yet */
	bool unrecorded;       /* the history does not take it */
	struct text json;      /* the body: inputs are borrowed from it */
	size_t held;	       /* of it, that his account has */
	struct roster *roster; /* the one by which the body was read; a reference */
	struct job_body body;
	size_t case_now;	/* of its cases */
	bool gone;		/* its client: no further case begins */
	struct problem refusal; /* it waited in vain */
	struct kept_cell cell;
	struct run_means means;
	struct output output;
	struct record record;
	struct run *run;
	sd_event_source *slots[WATCH_COUNT], *on_time, *on_hangup;
	uint64_t begin_ns;
	/* A trial has no exchange, but this. */
	void (*tried)(const struct record *record, void *whose);
	void *whose;
};

static void unwatch(void *whose)
{
	struct job *job = whose;

	for (int i = 0; i < WATCH_COUNT; i++)
		job->slots[i] = sd_event_source_disable_unref(job->slots[i]);
}

static void unwatch_all(struct job *job)
{
	unwatch(job);
	job->on_time = sd_event_source_disable_unref(job->on_time);
	job->on_hangup = sd_event_source_disable_unref(job->on_hangup);
}

static void job_free(struct job *job)
{
	unwatch_all(job);
	run_free(job->run);
	record_free(&job->record);
	output_free(&job->output);
	job_body_free(&job->body);
	text_free(&job->json);
	roster_unref(job->roster);
	tenants_leave(&job->server->tenants, &job->waiter);
	tenant_let_go(job->account, job->held);
	tenant_unref(&job->server->tenants, job->account);
	free(job);
}

static void wake(struct job *job)
{
	if (!job->suspended || !job->exchange)
		return;
	if (job->over || job->refusal.status ||
	    (job->stream && job->output.sink.parts_len)) {
		job->suspended = false;
		http_wake(job->exchange);
	}
}

static void sleep_on(struct job *job)
{
	job->suspended = true;
	MHD_suspend_connection(job->exchange->mhd);
}

/* --- its turn ----------------------------------------------------------------- */

/* What waited for its turn will not have it, and why is in `refusal`. */
static void refuse_waiting(struct job *job)
{
	unwatch_all(job);
	tenants_leave(&job->server->tenants, &job->waiter);
	wake(job);
}

static void waited_in_vain(struct job *job)
{
	job->account->refused++;
	problem_set(&job->refusal, 503, NULL,
		    "the run has waited for %llu ms, and its turn did not come",
		    (unsigned long long)job->account->terms.value[TERM_QUEUE_MS]);
	job->refusal.retry_after = 1;
	job->refusal.reason = "waited";
	refuse_waiting(job);
}

/* --- the run ------------------------------------------------------------------ */

static void go_on(struct job *job);
static int on_hangup(sd_event_source *source, int fd, uint32_t events, void *userdata);

static int on_slot(sd_event_source *source, int fd, uint32_t events, void *userdata)
{
	struct job *job = userdata;
	struct guard *guard = run_guard(job->run);

	(void)fd;
	for (int i = 0; i < WATCH_COUNT; i++)
		if (job->slots[i] == source)
			guard->slots[i].revents = (short)events;
	go_on(job);
	return 0;
}

static int on_time(sd_event_source *source, uint64_t usec, void *userdata)
{
	struct job *job = userdata;

	(void)source;
	(void)usec;
	if (job->run)
		go_on(job);
	else
		waited_in_vain(job);
	return 0;
}

static int watch_slot(struct job *job, int i)
{
	const struct guard *guard = run_guard(job->run);
	const struct pollfd *slot = &guard->slots[i];
	bool wanted = slot->fd >= 0 && i < (int)guard_slots(guard);

	if (!wanted) {
		job->slots[i] = sd_event_source_disable_unref(job->slots[i]);
		return 0;
	}
	if (job->slots[i])
		return 0;
	return sd_event_add_io(job->server->event, &job->slots[i], slot->fd,
			       (uint32_t)slot->events, on_slot, job);
}

/* 0: not at all. */
static int watch_time(struct job *job, uint64_t moment)
{
	int r = 0;

	if (!job->on_time)
		r = sd_event_add_time(job->server->event, &job->on_time, CLOCK_MONOTONIC,
				      0, 1, on_time, job);
	if (r < 0)
		return r;
	sd_event_source_set_time(job->on_time, moment / NS_PER_US + 1);
	return sd_event_source_set_enabled(job->on_time,
					   moment ? SD_EVENT_ONESHOT : SD_EVENT_OFF);
}

/* What cannot be watched is told to the run as what poll gives for a failure. */
static int watch_run(struct job *job)
{
	int r = watch_time(job, guard_moment(run_guard(job->run)));

	for (int i = 0; r >= 0 && i < WATCH_COUNT; i++)
		r = watch_slot(job, i);
	return r;
}

/* A TCP client that closes looks like one that has only said all: it has gone. */
static int watch_hangup(struct job *job)
{
	const struct connection *connection;

	if (job->on_hangup || !job->exchange)
		return 0;
	connection = job->exchange->connection;
	return sd_event_add_io(job->server->event, &job->on_hangup, connection->fd,
			       connection->peer.kind == PEER_TCP ? EPOLLRDHUP : 0,
			       on_hangup, job);
}

static void leave_list(struct job *job)
{
	struct job **at = &job->server->jobs;

	while (*at != job)
		at = &(*at)->next;
	*at = job->next;
}

static void refuse_unrecorded(const struct server *server, struct problem *problem)
{
	problem_set(problem, 503, NULL, "%s", store_trouble(server->store));
	problem->retry_after = 1;
	problem->reason = "history";
}

/* None of it is a tenant's own word, but for a name that an operator gave him. */
static void log_run(const struct record *record)
{
	const struct log_field fields[] = {
		{"TENANT", record->tenant},
		{"RUN_ID", record->id},
		{"STATUS", status_infos[record->status].name},
		{"POLICY", record->request->policy->name},
	};

	log_event(LOG_RUN_OVER, fields, ARRAY_LEN(fields), "run %s is over: %s",
		  record->id, status_infos[record->status].name);
}

/* The history knows it before its client does. */
static void tell_end(struct job *job)
{
	struct server *server = job->server;

	if (!job->unrecorded)
		job->unrecorded = store_end(server->store, &job->record, job->number) < 0;
	if (job->unrecorded)
		refuse_unrecorded(server, &job->refusal);
	metrics_note_run(&server->metrics, &job->record,
			 (clock_mono_ns() - job->begin_ns) / NS_PER_US);
	if (job->record.status == STATUS_INTERNAL_ERROR)
		ready_doubt(&server->ready);
}

static bool has_more(const struct job *job)
{
	return job->case_now + 1 < job->body.cases_count && !job->gone &&
	       !job->refusal.status;
}

/* One record, or an array of those of all cases. */
static void put_record(struct job *job)
{
	struct text *to = &job->output.sink.bytes;
	bool array = job->body.cases_count && !job->stream;

	if (array)
		text_add_char(to, job->case_now ? ',' : '[');
	output_record(&job->output, &job->record);
	if (array && !has_more(job))
		text_add_str(to, "]\n");
}

/* Its place goes round: the next case waits for its turn like everybody's runs. */
static void begin_next(struct job *job)
{
	struct server *server = job->server;

	job->on_time = sd_event_source_disable_unref(job->on_time);
	run_free(TAKE_PTR(job->run));
	record_free(&job->record);
	job->number = 0;
	job->case_now++;
	job_body_take_case(&job->body, job->case_now);
	job->begin_ns = clock_mono_ns();
	if (watch_hangup(job) < 0) {
		problem_set(&job->refusal, 500, NULL, "there is no memory for a run");
		refuse_waiting(job);
		return;
	}
	tenants_again(&server->tenants, &job->waiter);
}

static void finish(struct job *job)
{
	bool more;

	leave_list(job);
	unwatch(job);
	if (!job->tried)
		tell_end(job);
	more = has_more(job);
	job->over = !more;
	put_record(job);
	log_run(&job->record);
	if (more) {
		begin_next(job);
		pool_tend(&job->server->pool);
		return;
	}
	unwatch_all(job);
	if (job->exchange)
		http_hurry(job->exchange);
	/* Another may begin with it at once: nothing of ours is needed for that. */
	tenants_leave(&job->server->tenants, &job->waiter);
	pool_tend(&job->server->pool);
	if (job->tried)
		job->tried(&job->record, job->whose);
}

static void go_on(struct job *job)
{
	run_advance(job->run);
	while (!run_is_over(job->run)) {
		int r = watch_run(job);

		if (r >= 0)
			break;
		/* Once it is killed only its end counts, and that much has to work. */
		if (run_guard(job->run)->killed) {
			log_say("a run cannot be watched: %s", strerror(-r));
			sd_event_exit(job->server->event, r);
			return;
		}
		run_guard(job->run)->error = r;
		run_advance(job->run);
	}
	if (run_is_over(job->run) && !job->over)
		finish(job);
	/* A further case may be under way already. */
	if (job->over && !job->exchange)
		job_free(job);
	else
		wake(job);
}

static void on_changed(void *whose)
{
	go_on(whose);
}

static void cancel(struct job *job, const char *why)
{
	log_say("run %s is cancelled: %s", job->record.id, why);
	job->on_hangup = sd_event_source_disable_unref(job->on_hangup);
	run_cancel(job->run);
	go_on(job);
}

static int on_hangup(sd_event_source *source, int fd, uint32_t events, void *userdata)
{
	struct job *job = userdata;

	(void)source;
	(void)fd;
	(void)events;
	job->gone = true;
	if (job->run) {
		cancel(job, "its client has gone");
		return 0;
	}
	problem_set(&job->refusal, 503, NULL, "its client has gone");
	job->refusal.reason = "gone";
	refuse_waiting(job);
	return 0;
}

/* --- its exchange ------------------------------------------------------------- */

/* Of a list of types only that it names ours counts. */
static bool wants_stream(struct exchange *exchange)
{
	const char *accept = MHD_lookup_connection_value(exchange->mhd, MHD_HEADER_KIND,
							 MHD_HTTP_HEADER_ACCEPT);

	return accept && strcasestr(accept, STREAM_TYPE);
}

static struct job *job_new(struct server *server, struct tenant *account, bool stream)
{
	struct job *job = calloc(1, sizeof(*job));

	if (!job)
		return NULL;
	job->server = server;
	job->account = tenant_ref(account);
	job->begin_ns = clock_mono_ns();
	job->stream = stream;
	job->body = (struct job_body)JOB_BODY_INIT;
	output_init_held(&job->output, stream ? OUTPUT_NDJSON : OUTPUT_JSON);
	return job;
}

static struct job *job_of(struct exchange *exchange, bool check_only)
{
	struct job *job =
		job_new(exchange->server, exchange->account, wants_stream(exchange));

	if (!job)
		return NULL;
	job->exchange = exchange;
	job->check_only = check_only;
	job->json = exchange->body;
	exchange->body = (struct text)TEXT_INIT(0);
	job->held = exchange->held;
	exchange->held = 0;
	return job;
}

/* By the roster that counts now, which may be another one when its turn comes. */
static int read_body(struct job *job, struct problem *problem)
{
	const struct tenant *account = job->account;
	struct roster *roster = job->server->tenants.roster;
	const struct job_choice choice = {.roster = roster,
					  .policies = account->policies,
					  .policy = account->policy};

	if (account->gone)
		return problem_set(problem, 403, NULL, "there is no tenant '%s' any more",
				   account->name);
	if (job->roster == roster)
		return 0;
	job_body_free(&job->body);
	job->body = (struct job_body)JOB_BODY_INIT;
	roster_unref(job->roster);
	job->roster = roster_ref(roster);
	if (job_body_parse(&job->body, &choice, text_str(&job->json), job->json.len,
			   problem) < 0)
		return -EINVAL;
	job->body.request.check_only = job->check_only;
	job->body.request.judged = job->body.request.judged && !job->check_only;
	if (job->body.cases_count)
		job_body_take_case(&job->body, job->case_now);
	return 0;
}

static int note(void *whose, struct jail_error *err)
{
	struct job *job = whose;
	int r = store_begin(job->server->store, &job->record, &job->number);

	job->unrecorded = r < 0;
	if (r < 0)
		*err = (struct jail_error){
			.stage = JAIL_STAGE_SPEC,
			.errnum = -r,
			.text = "it cannot be written into the history"};
	return r;
}

static int start(struct job *job)
{
	static const struct kept_calls calls = {.changed = on_changed,
						.closing = unwatch};
	struct server *server = job->server;
	const struct kept_place place = {.generation = job->roster->generation,
					 .tenant = job->account->number,
					 .policy = job->body.policy};

	record_init(&job->record, &job->body.request);
	job->record.tenant = job->account->name;
	job->record.queue_us = (clock_mono_ns() - job->waiter.since_ns) / NS_PER_US;
	kept_cell_init(&job->cell, &server->keeper, &place, &calls, job);
	if (!job->tried)
		pool_take(&server->pool, &place, &job->body.request, &job->cell);
	job->means = (struct run_means){.cell = &job->cell.cell,
					.interp = &server->interp,
					.output = &job->output,
					.note = job->tried ? NULL : note,
					.whose = job};
	job->run = run_new(&job->body.request, &job->means, &job->record);
	if (!job->run)
		return -ENOMEM;
	job->next = server->jobs;
	server->jobs = job;
	go_on(job);
	return 0;
}

void job_start_waiting(struct waiter *waiter)
{
	struct job *job = (struct job *)waiter; /* its first member */
	int r = read_body(job, &job->refusal);

	if (r == 0 && start(job) < 0)
		problem_set(&job->refusal, 500, NULL, "there is no memory for a run");
	if (job->refusal.status)
		refuse_waiting(job);
	else
		wake(job);
}

static ssize_t read_stream(void *cls, uint64_t at, char *to, size_t most)
{
	struct job *job = cls;
	ssize_t n = sink_take(&job->output.sink, to, most);

	(void)at;
	if (n > 0)
		return n;
	if (n < 0)
		return MHD_CONTENT_READER_END_WITH_ERROR;
	if (job->over)
		return MHD_CONTENT_READER_END_OF_STREAM;
	/* Of a further case: what came before was sent. */
	if (job->refusal.status)
		return MHD_CONTENT_READER_END_WITH_ERROR;
	sleep_on(job);
	return 0;
}

static enum MHD_Result reply_stream(struct job *job, struct exchange *exchange)
{
	struct MHD_Response *response = MHD_create_response_from_callback(
		MHD_SIZE_UNKNOWN, STREAM_BLOCK, read_stream, job, NULL);

	if (response)
		MHD_add_response_header(response, MHD_HTTP_HEADER_CONTENT_TYPE,
					STREAM_TYPE);
	return http_respond(exchange, 200, response);
}

enum MHD_Result job_reply(struct job *job, struct exchange *exchange)
{
	const struct sink *sink = &job->output.sink;
	struct problem problem = {0};

	if (job->refusal.status)
		return http_refuse(exchange, &job->refusal);
	if (job->stream && (job->run || job->case_now))
		return reply_stream(job, exchange);
	if (!job->over) {
		sleep_on(job);
		return MHD_YES;
	}
	if (!sink->error)
		return http_reply(exchange, 200, "application/json",
				  text_str(&sink->bytes), sink->bytes.len);
	problem_set(&problem, 500, NULL, "the record cannot be written: %s",
		    strerror(-sink->error));
	return http_refuse(exchange, &problem);
}

/* The client's going away ends it, wherever it is. */
static int enter(struct job *job, struct problem *problem)
{
	struct server *server = job->server;
	size_t runs = job->body.cases_count ? job->body.cases_count : 1;
	int r, placed = tenants_enter(&server->tenants, job->account, (unsigned)runs,
				      &job->waiter, problem);

	if (placed < 0)
		return placed;
	r = placed ? start(job) : watch_time(job, job->waiter.until_ns);
	return r >= 0 && !job->over ? watch_hangup(job) : r;
}

/* Who is connected while we are told to stop is still served: only then nobody is refused
 * by a restart. */
static int begin(struct job *job, struct problem *problem)
{
	int r = read_body(job, problem);

	if (r == 0 && store_trouble(job->server->store)) {
		refuse_unrecorded(job->server, problem);
		return -EAGAIN;
	}
	return r < 0 ? r : enter(job, problem);
}

enum MHD_Result job_begin(struct exchange *exchange, bool check_only)
{
	struct problem problem = {0};
	struct job *job = job_of(exchange, check_only);

	if (!job) {
		problem_set(&problem, 500, NULL, "there is no memory for a job");
		return http_refuse(exchange, &problem);
	}
	if (begin(job, &problem) == 0) {
		exchange->job = job;
		return job_reply(job, exchange);
	}
	/* What has begun ends with its exchange. */
	exchange->job = job->run ? job : NULL;
	if (!job->run)
		job_free(job);
	return problem.status ? http_refuse(exchange, &problem) : MHD_NO;
}

int job_try(struct server *server, struct tenant *tenant, uint32_t policy,
	    void (*done)(const struct record *record, void *whose), void *whose)
{
	static const char source[] = "true";
	struct roster *roster = server->tenants.roster;
	struct job *job = job_new(server, tenant, false);
	struct request *request;

	if (!job)
		return -ENOMEM;
	if (!tenants_try(&server->tenants, tenant, &job->waiter)) {
		job_free(job);
		return -EAGAIN;
	}
	job->tried = done;
	job->whose = whose;
	job->roster = roster_ref(roster);
	job->body.policy = policy;
	request = &job->body.request;
	request_begin(request, roster->policies[policy],
		      &roster->policies[policy]->limits);
	request->source = source;
	request->source_len = sizeof(source) - 1;
	request->name = "trial";
	if (start(job) == 0) /* and may have freed it */
		return 0;
	job_free(job);
	return -ENOMEM;
}

bool job_is_over(const struct job *job)
{
	return job->over;
}

void job_abandon(struct job *job)
{
	if (!job)
		return;
	job->exchange = NULL;
	job->gone = true;
	if (job->over || !job->run) {
		job_free(job);
		return;
	}
	cancel(job, "its client has gone");
}

bool job_cancel(struct server *server, const char *tenant, const char *id)
{
	struct job *job = server->jobs;

	while (job && (strcmp(job->record.id, id) != 0 ||
		       (tenant && strcmp(job->record.tenant, tenant) != 0)))
		job = job->next;
	if (job)
		cancel(job, "somebody asked for that");
	return job != NULL;
}
