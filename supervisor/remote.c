/* SPDX-License-Identifier: MIT */
/*
 * Events are asked for whatever the output is, because text too is shown as it happens:
 * a line of the log goes through our own log of the run, the record is read into our own
 * record, and from there on it is told like any other. As json and ndjson the daemon's
 * lines go on as the bytes that came, once they are known to be what they should be.
 *
 * A daemon that lies can choose what is shown. It cannot make us hold more than the limits
 * of the run allow, nor write to a terminal what a guest could not.
 */
#include "supervisor/remote.h"

#include <errno.h>
#include <inttypes.h>
#include <poll.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "base/own.h"
#include "supervisor/cmd_run.h"
#include "supervisor/confine.h"
#include "supervisor/guard.h"
#include "supervisor/json_value.h"
#include "supervisor/record_read.h"
#include "supervisor/run.h"

/* With more than that for our reader the daemon is not listened to. */
#define BACKLOG_MOST (1u << 20)
/* Beside lines of the log: findings, the value, an error, and what later versions add. */
#define OTHER_EVENTS (FINDINGS_MOST + 16u)
#define JOB_MOST     (12u << 20)
/* Of a record, beside value and log: findings, the error, and what JSON adds to each line
 * of the log. A byte of text becomes six where it is escaped. */
#define RECORD_MOST (4u << 20)
#define LINE_ADDS   80u
#define ESCAPED	    6u

struct remote {
	struct client client;
	struct request request; /* in the end with the limits that the daemon tells */
	struct record record;
	struct output output;
	int signal_fd;
	size_t scanned; /* of the body: no line ends before that */
	uint64_t events;
	bool recorded, cancelled;
	int code; /* exit code of a failure; 0: none */
	struct usage why;
};

/* --- the job ------------------------------------------------------------------ */

static void add_limits(const struct request *request, struct text *to)
{
	const char *lead = "";

	text_add_str(to, ",\"limits\":{");
	for (int i = 0; i < LIMIT_IDS; i++) {
		uint64_t value = request->limits.value[i];

		/* The interpreter is one process whatever the policy says. */
		if (i == LIMIT_ID_processes || value == request->policy->limits.value[i])
			continue;
		text_addf(to, "%s\"%s\":%" PRIu64, lead, limit_infos[i].name, value);
		lead = ",";
	}
	text_add_char(to, '}');
}

static void write_job(const struct request *request, struct text *to)
{
	text_add_str(to, "{\"source\":");
	json_add_string(to, request->source, request->source_len);
	text_add_str(to, ",\"filename\":");
	json_add_str(to, request->name);
	text_add_str(to, ",\"policy\":");
	json_add_str(to, request->policy->name);
	text_addf(to, ",\"engine\":\"%s\",\"mode\":\"%s\",\"verdict\":%s",
		  policy_engine_names[request->engine], policy_mode_names[request->mode],
		  request->judged ? "true" : "false");
	add_limits(request, to);
	if (request->seeded)
		text_addf(to, ",\"seed\":%" PRIu64, request->seed);
	if (request->frozen)
		text_addf(to, ",\"now_ms\":%" PRId64, request->now_ms);
	if (request->has_input) {
		text_add_str(to, ",\"input\":");
		text_add(to, request->input, request->input_len);
	}
	text_add_char(to, '}');
}

/* --- its events --------------------------------------------------------------- */

static int not_known(struct remote *remote, const char *what)
{
	return usage_fail(&remote->why, -EPROTO,
			  "the daemon at '%.200s' answers with %s: is it of another "
			  "version?",
			  remote->client.socket, what);
}

static int take_log(struct remote *remote, const struct json_span *level_name,
		    const struct json_span *json)
{
	struct runlog *log = &remote->record.log;
	own_text struct text text = TEXT_INIT(log->text.most);
	const struct log_line *line;
	unsigned level;
	int r;

	if (!json_get_choice(level_name, log_level_names, LOG_LEVELS, &level) ||
	    !json_get_text(json, &text))
		return not_known(remote, "a line of the log that is none");
	r = runlog_add(log, (enum log_level)level, text_str(&text), text.len, false, 0,
		       &line);
	if (r < 0)
		return usage_fail(&remote->why, r, "there is no memory for the log");
	if (log->truncated || !line)
		return not_known(remote, "more log than its limits allow");
	if (remote->output.kind == OUTPUT_TEXT)
		output_line(&remote->output, log, line);
	return 0;
}

/* As it came; of one case of many the record says which, after its id. */
static void pass_on(struct remote *remote, const struct json_span *line,
		    const struct json_span *id)
{
	const char *case_id = remote->request.case_id;
	own_text struct text json = TEXT_INIT(SINK_MOST);
	size_t lead = id ? (size_t)(id->at + id->len - line->at) : 0;

	text_add(&json, line->at, lead);
	if (id && case_id) {
		text_add_str(&json, ",\"case\":");
		json_add_str(&json, case_id);
	}
	text_add(&json, line->at + lead, line->len - lead);
	text_add_char(&json, '\n');
	output_json(&remote->output, &json);
}

static int take_event(struct remote *remote, const struct json_span *line,
		      const struct json_span *values)
{
	static const char *const log_event[] = {"log"};
	unsigned is_log;
	int r = 0;

	if (++remote->events >
	    remote->request.limits.value[LIMIT_ID_log_lines] + OTHER_EVENTS)
		return not_known(remote, "more events than a run has");
	if (json_get_choice(&values[0], log_event, 1, &is_log))
		r = take_log(remote, &values[1], &values[2]);
	if (r == 0 && remote->output.kind == OUTPUT_NDJSON)
		pass_on(remote, line, NULL);
	return r;
}

static int take_record(struct remote *remote, const struct json_span *line,
		       const struct json_span *id)
{
	if (record_read(line, &remote->record, &remote->request.limits) < 0)
		return not_known(remote, "a record that this quod does not know");
	remote->recorded = true;
	if (remote->output.kind == OUTPUT_TEXT)
		output_record(&remote->output, &remote->record);
	else
		pass_on(remote, line, id);
	return 0;
}

static int take_line(struct remote *remote, const struct json_span *line)
{
	static const char *const names[] = {"event", "level", "text", "id"};
	struct json_span values[ARRAY_LEN(names)];
	bool valid = false;

	if (text_utf8_span(line->at, line->len) == line->len)
		json_check(line->at, line->len, 0, &valid);
	if (!valid || !json_pick(line, names, values, ARRAY_LEN(names)))
		return not_known(remote, "a line that is no event");
	if (remote->recorded)
		return not_known(remote, "more after the record");
	return values[0].at ? take_event(remote, line, values)
			    : take_record(remote, line, &values[3]);
}

/* All that are whole; what is left of the body moves to its front. */
static int take_lines(struct remote *remote)
{
	struct text *body = &remote->client.body;
	size_t from = 0;
	const char *end;
	int r = 0;

	while (r == 0 && (end = memchr(text_str(body) + remote->scanned, '\n',
				       body->len - remote->scanned))) {
		size_t after = (size_t)(end - body->data) + 1;
		const struct json_span line = {body->data + from, after - from - 1};

		r = take_line(remote, &line);
		remote->scanned = from = after;
	}
	if (from) {
		memmove(body->data, body->data + from, body->len - from + 1);
		body->len -= from;
	}
	remote->scanned = body->len;
	return r;
}

/* --- the conversation --------------------------------------------------------- */

enum { SLOT_SOCKET, SLOT_SIGNAL, SLOT_STDOUT, SLOT_STDERR, SLOTS };

static void watch(struct remote *remote, struct pollfd slots[SLOTS])
{
	const struct sink *sink = &remote->output.sink;
	int out = sink_fd(sink);
	bool listens = sink->bytes.len < BACKLOG_MOST;

	slots[SLOT_SOCKET] = (struct pollfd){.fd = listens ? remote->client.fd : -1,
					     .events = client_events(&remote->client)};
	slots[SLOT_SIGNAL] = (struct pollfd){.fd = remote->signal_fd, .events = POLLIN};
	slots[SLOT_STDOUT] = (struct pollfd){
		.fd = STDOUT_FILENO, .events = out == STDOUT_FILENO ? POLLOUT : 0};
	slots[SLOT_STDERR] =
		(struct pollfd){.fd = out == STDERR_FILENO ? out : -1, .events = POLLOUT};
}

/* Nobody waits for the run any more. */
static bool is_over(const struct pollfd slots[SLOTS])
{
	return slots[SLOT_SIGNAL].revents ||
	       slots[SLOT_STDOUT].revents & (POLLERR | POLLHUP | POLLNVAL);
}

static int pump(struct remote *remote, const struct pollfd slots[SLOTS])
{
	struct sink *sink = &remote->output.sink;
	int r = sink->error;

	if (!r && (slots[SLOT_STDOUT].revents || slots[SLOT_STDERR].revents))
		r = sink_write(sink);
	if (r == -EPIPE)
		remote->cancelled = true;
	return r;
}

/* One round. A sink that has failed is told at the end, by what it has kept. */
static int turn(struct remote *remote)
{
	struct client *client = &remote->client;
	struct pollfd slots[SLOTS];
	int r;

	watch(remote, slots);
	r = poll(slots, SLOTS, -1);
	if (r < 0 && errno == EINTR)
		return 0;
	if (r < 0)
		return usage_fail(&remote->why, -errno, "poll: %s", strerror(errno));
	remote->cancelled = is_over(slots);
	if (remote->cancelled || pump(remote, slots) < 0)
		return 0;
	r = client_step(client, slots[SLOT_SOCKET].revents, &remote->why);
	if (client->reply.status == 200) {
		/* What came before it went away is shown. */
		int taken = take_lines(remote);

		r = taken < 0 ? taken : r;
	}
	return r;
}

static bool goes_on(const struct remote *remote)
{
	return !remote->client.reply.complete && !remote->cancelled &&
	       !remote->output.sink.error;
}

static int check_reply(struct remote *remote)
{
	if (remote->cancelled || remote->output.sink.error)
		return 0;
	if (remote->client.reply.status != 200) {
		remote->code = client_refused(&remote->client, &remote->why);
		return 0;
	}
	if (!remote->recorded || remote->client.body.len)
		return not_known(remote, "no record");
	return 0;
}

static int prepare(struct remote *remote)
{
	struct jail_error err;
	int r = client_open(&remote->client, &remote->why);

	/* All else that our caller left open is closed. */
	if (r == 0 && guard_prepare(&remote->client.fd, 1, &remote->signal_fd, &err) < 0)
		r = usage_fail(&remote->why, -err.errnum, "%s: %s",
			       jail_stage_name(err.stage), err.text);
	if (r < 0)
		return r;
	r = confine_self();
	return r < 0 ? usage_fail(&remote->why, r, "cannot confine quod itself: %s",
				  strerror(-r))
		     : 0;
}

/* Errors: with remote->why filled. */
static int converse(struct remote *remote)
{
	own_text struct text job = TEXT_INIT(JOB_MOST);
	int r;

	write_job(&remote->request, &job);
	client_ask(&remote->client, "POST",
		   remote->request.check_only ? "/v1/check" : "/v1/run",
		   "application/x-ndjson", &job);
	r = prepare(remote);
	while (r == 0 && goes_on(remote))
		r = turn(remote);
	return r < 0 ? r : check_reply(remote);
}

/* --- its end ------------------------------------------------------------------ */

static void say(struct remote *remote, const char *sentence)
{
	struct text *to = &remote->output.sink.bytes;

	text_add_str(to, "quod: ");
	text_add_escaped(to, sentence, strlen(sentence), 0);
	text_add_char(to, '\n');
	sink_commit(&remote->output.sink, STDERR_FILENO);
}

static void tell_end(struct remote *remote)
{
	own_text struct text why = TEXT_INIT(1024);

	if (remote->code) {
		say(remote, remote->why.text);
	} else if (remote->cancelled) {
		/* The daemon ends it, but we are not there when it does. */
		remote->record.status = STATUS_CANCELLED;
		output_explain(&remote->record, &why);
		say(remote, text_str(&why));
	}
}

static int finish(struct remote *remote)
{
	struct patience patience = PATIENCE_INIT(remote->signal_fd);
	const struct record *record = &remote->record;
	int r;

	tell_end(remote);
	/* To close it is to cancel, and need not wait for our reader. */
	remote->client.fd = close_fd(remote->client.fd);
	r = sink_flush(&remote->output.sink, &patience);
	if (r < 0)
		return cmd_run_write_failed(r, &patience);
	return remote->code ? remote->code
			    : status_exit_code(record->status, record->crash_signal,
					       remote->request.judged, record->passed);
}

/* The longest line that an honest daemon writes. */
static size_t line_most(const struct request *request)
{
	const uint64_t *limit = request->limits.value;

	return RECORD_MOST + (size_t)((ESCAPED + 1) * limit[LIMIT_ID_value_bytes] +
				      ESCAPED * limit[LIMIT_ID_log_bytes] +
				      LINE_ADDS * limit[LIMIT_ID_log_lines]);
}

int remote_run(const struct request *request, const char *socket, enum output_kind kind)
{
	struct remote remote = {.request = *request, .signal_fd = -1};
	struct refusal refusal;
	int code;

	client_init(&remote.client, socket, line_most(request));
	record_init(&remote.record, &remote.request);
	output_init(&remote.output, kind);
	if (!request_check_source(request, &refusal)) {
		/* What is no text cannot be sent. */
		run_refuse(&remote.record, &refusal);
		output_record(&remote.output, &remote.record);
	} else if (converse(&remote) < 0) {
		remote.code = status_infos[STATUS_INTERNAL_ERROR].exit_code;
	}
	code = finish(&remote);
	output_free(&remote.output);
	record_free(&remote.record);
	client_close(&remote.client);
	close_fd(remote.signal_fd);
	return code;
}
