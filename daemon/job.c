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
	struct server *server;
	struct exchange *exchange; /* NULL: abandoned */
	bool stream, suspended, over;
	struct text json; /* the body: inputs are borrowed from it */
	struct job_body body;
	struct kept_cell cell;
	struct run_means means;
	struct output output;
	struct record record;
	struct run *run;
	sd_event_source *slots[WATCH_COUNT], *on_time, *on_hangup;
};

static void unwatch(void *whose)
{
	struct job *job = whose;

	for (int i = 0; i < WATCH_COUNT; i++)
		job->slots[i] = sd_event_source_disable_unref(job->slots[i]);
}

static void job_free(struct job *job)
{
	unwatch(job);
	sd_event_source_disable_unref(job->on_time);
	sd_event_source_disable_unref(job->on_hangup);
	run_free(job->run);
	record_free(&job->record);
	output_free(&job->output);
	job_body_free(&job->body);
	text_free(&job->json);
	free(job);
}

static void wake(struct job *job)
{
	if (!job->suspended || !job->exchange)
		return;
	if (job->over || (job->stream && job->output.sink.parts_len)) {
		job->suspended = false;
		http_wake(job->exchange);
	}
}

static void sleep_on(struct job *job)
{
	job->suspended = true;
	MHD_suspend_connection(job->exchange->mhd);
}

/* --- the run ------------------------------------------------------------------ */

static void go_on(struct job *job);

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
	(void)source;
	(void)usec;
	go_on(userdata);
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

static int watch_time(struct job *job)
{
	uint64_t moment = guard_moment(run_guard(job->run));
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
	int r = watch_time(job);

	for (int i = 0; r >= 0 && i < WATCH_COUNT; i++)
		r = watch_slot(job, i);
	return r;
}

static void finish(struct job *job)
{
	job->over = true;
	job->server->runs--;
	unwatch(job);
	job->on_time = sd_event_source_disable_unref(job->on_time);
	job->on_hangup = sd_event_source_disable_unref(job->on_hangup);
	output_record(&job->output, &job->record);
	if (job->exchange)
		http_hurry(job->exchange);
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
	if (job->over && !job->exchange)
		job_free(job);
	else
		wake(job);
}

static void on_changed(void *whose)
{
	go_on(whose);
}

static void cancel(struct job *job)
{
	log_say("run %s is cancelled: its client has gone", job->record.id);
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
	cancel(job);
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

static struct job *job_new(struct exchange *exchange)
{
	struct job *job = calloc(1, sizeof(*job));

	if (!job)
		return NULL;
	job->server = exchange->server;
	job->exchange = exchange;
	job->stream = wants_stream(exchange);
	job->body = (struct job_body)JOB_BODY_INIT;
	job->json = exchange->body;
	exchange->body = (struct text)TEXT_INIT(0);
	output_init_held(&job->output, job->stream ? OUTPUT_NDJSON : OUTPUT_JSON);
	return job;
}

static int start(struct job *job)
{
	static const struct kept_calls calls = {.changed = on_changed,
						.closing = unwatch};
	struct server *server = job->server;

	record_init(&job->record, &job->body.request);
	job->record.tenant = job->exchange->tenant;
	kept_cell_init(&job->cell, &server->keeper, job->body.policy, &calls, job);
	job->means = (struct run_means){.cell = &job->cell.cell,
					.interp = &server->interp,
					.output = &job->output};
	job->run = run_new(&job->body.request, &job->means, &job->record);
	if (!job->run)
		return -ENOMEM;
	server->runs++;
	go_on(job);
	if (job->over)
		return 0;
	return sd_event_add_io(server->event, &job->on_hangup,
			       job->exchange->connection->fd, 0, on_hangup, job);
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

	if (job->stream)
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

static int check_room(const struct server *server, struct problem *problem)
{
	if (server->stopping)
		problem_set(problem, 503, NULL, "the daemon is stopping");
	else if (server->runs >= server->runs_most)
		problem_set(problem, 503, NULL,
			    "%u runs are under way, and no more may be",
			    server->runs_most);
	problem->retry_after = 1;
	return problem->status ? -EAGAIN : 0;
}

enum MHD_Result job_begin(struct exchange *exchange, bool check_only)
{
	struct problem problem = {0};
	struct job *job;

	if (check_room(exchange->server, &problem) < 0)
		return http_refuse(exchange, &problem);
	job = job_new(exchange);
	if (!job) {
		problem_set(&problem, 500, NULL, "there is no memory for a job");
		return http_refuse(exchange, &problem);
	}
	if (job_body_parse(&job->body, text_str(&job->json), job->json.len, &problem) <
	    0) {
		job_free(job);
		return http_refuse(exchange, &problem);
	}
	job->body.request.check_only = check_only;
	job->body.request.judged = job->body.request.judged && !check_only;
	exchange->job = job;
	if (start(job) < 0)
		return MHD_NO;
	return job_reply(job, exchange);
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
	if (job->over || !job->run) {
		job_free(job);
		return;
	}
	cancel(job);
}
