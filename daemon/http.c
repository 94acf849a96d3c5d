/* SPDX-License-Identifier: MIT */
/*
 * libmicrohttpd runs in our event loop: its epoll descriptor is one of our sources, and
 * what it has yet to do without waiting is asked for afterwards. Connections are accepted
 * here, because only here the peer is known before a byte of his is read.
 *
 * Told to stop, nobody is turned away who was taken in: a connection that was accepted and
 * has not brought its first request yet gets a little time to do so. Who is not accepted
 * waits in the kernel's queue, for the next daemon where systemd holds the socket.
 */
#include "daemon/http.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <unistd.h>

#include "base/own.h"
#include "daemon/admission.h"
#include "daemon/job.h"
#include "daemon/log.h"
#include "daemon/peer.h"
#include "daemon/routes.h"
#include "daemon/server.h"
#include "supervisor/clock.h"

#define CONNECTIONS_MOST 1024u
/* For a whole request, from the accept or from the first byte that may come. */
#define REQUEST_MS 10000
/* Between two requests of one connection, the second included. */
#define IDLE_MS 60000
/* For taking a whole reply. */
#define REPLY_MS 30000
#define SWEEP_US 500000u
/* For the first request of a connection, once we are told to stop. */
#define LAST_REQUEST_MS 2000

/* Of one connection: its headers have to fit. */
#define CONNECTION_MEMORY 32768u

static void set_deadline(struct connection *connection, uint64_t ms)
{
	connection->deadline_ns = ms ? clock_mono_ns() + ms * NS_PER_MS : 0;
}

/* --- replies ------------------------------------------------------------------ */

enum MHD_Result http_respond(struct exchange *exchange, unsigned status,
			     struct MHD_Response *response)
{
	enum MHD_Result r;

	if (!response)
		return MHD_NO;
	if (exchange->server->stopping)
		MHD_add_response_header(response, MHD_HTTP_HEADER_CONNECTION, "close");
	r = MHD_queue_response(exchange->mhd, status, response);
	MHD_destroy_response(response);
	/* A stream has time until its run is over. */
	set_deadline(exchange->connection,
		     exchange->job && !job_is_over(exchange->job) ? 0 : REPLY_MS);
	return r;
}

void http_hurry(struct exchange *exchange)
{
	set_deadline(exchange->connection, REPLY_MS);
}

/* libmicrohttpd takes it up at its next run. */
void http_wake(struct exchange *exchange)
{
	MHD_resume_connection(exchange->mhd);
	sd_event_source_set_enabled(exchange->server->http.on_more, SD_EVENT_ONESHOT);
}

static struct MHD_Response *make_response(const char *type, const void *bytes, size_t len)
{
	struct MHD_Response *response = MHD_create_response_from_buffer(
		len, (void *)(uintptr_t)bytes, MHD_RESPMEM_MUST_COPY);

	if (response)
		MHD_add_response_header(response, MHD_HTTP_HEADER_CONTENT_TYPE, type);
	return response;
}

enum MHD_Result http_reply(struct exchange *exchange, unsigned status, const char *type,
			   const void *bytes, size_t len)
{
	return http_respond(exchange, status, make_response(type, bytes, len));
}

enum MHD_Result http_refuse(struct exchange *exchange, const struct problem *problem)
{
	own_text struct text json = TEXT_INIT(8192);
	struct MHD_Response *response;
	char seconds[16];

	metrics_note_refusal(&exchange->server->metrics, problem->status,
			     problem->reason);
	problem_write(problem, &json);
	response = make_response("application/problem+json", text_str(&json), json.len);
	if (response && problem->allow[0])
		MHD_add_response_header(response, MHD_HTTP_HEADER_ALLOW, problem->allow);
	if (response && problem->status == MHD_HTTP_UNAUTHORIZED)
		MHD_add_response_header(response, MHD_HTTP_HEADER_WWW_AUTHENTICATE,
					"Bearer");
	if (response && problem->retry_after) {
		snprintf(seconds, sizeof(seconds), "%u", problem->retry_after);
		MHD_add_response_header(response, MHD_HTTP_HEADER_RETRY_AFTER, seconds);
	}
	return http_respond(exchange, problem->status, response);
}

/* --- exchanges ---------------------------------------------------------------- */

static struct exchange *exchange_new(struct server *server, struct MHD_Connection *mhd)
{
	const union MHD_ConnectionInfo *info =
		MHD_get_connection_info(mhd, MHD_CONNECTION_INFO_SOCKET_CONTEXT);
	struct exchange *exchange = calloc(1, sizeof(*exchange));

	if (!exchange)
		return NULL;
	*exchange = (struct exchange){.server = server,
				      .mhd = mhd,
				      .connection = info->socket_context,
				      .body = TEXT_INIT(JOB_BODY_MOST)};
	exchange->connection->was_used = true;
	server->http.exchanges++;
	return exchange;
}

/* Nobody may fill our memory with what he sends at the same time. */
static void take_body(struct exchange *exchange, const char *data, size_t len)
{
	if (!exchange->account || exchange->too_much || text_status(&exchange->body))
		return;
	exchange->too_much = !tenant_hold(exchange->account, len);
	if (exchange->too_much)
		return;
	exchange->held += len;
	text_add(&exchange->body, data, len);
}

/* What does not fit is read and thrown away: the answer is given when all has come. */
static enum MHD_Result on_request(void *cls, struct MHD_Connection *mhd, const char *url,
				  const char *method, const char *version,
				  const char *data, size_t *len, void **context)
{
	struct exchange *exchange = *context;

	(void)version;
	if (!exchange) {
		exchange = exchange_new(cls, mhd);
		*context = exchange;
		return exchange ? routes_begin(exchange, method, url) : MHD_NO;
	}
	if (*len) {
		take_body(exchange, data, *len);
		*len = 0;
		return MHD_YES;
	}
	set_deadline(exchange->connection, 0);
	return exchange->job ? job_reply(exchange->job, exchange)
			     : routes_answer(exchange);
}

static void on_completed(void *cls, struct MHD_Connection *mhd, void **context,
			 enum MHD_RequestTerminationCode code)
{
	struct server *server = cls;
	struct exchange *exchange = *context;

	(void)mhd;
	(void)code;
	if (!exchange)
		return;
	*context = NULL;
	set_deadline(exchange->connection, IDLE_MS);
	job_abandon(exchange->job);
	text_free(&exchange->body);
	if (exchange->account)
		tenant_let_go(exchange->account, exchange->held);
	tenant_unref(&server->tenants, exchange->account);
	free(exchange);
	server->http.exchanges--;
	server_leave_if_done(server);
}

/* --- connections -------------------------------------------------------------- */

/* Those that there are: none after a stop. */
static void enable_listeners(struct http *http, int enabled)
{
	for (unsigned i = 0; i < http->listeners_count; i++)
		if (http->listeners[i].on_listen)
			sd_event_source_set_enabled(http->listeners[i].on_listen,
						    enabled);
}

/* Who waits in the kernel's queue is taken, if there is room. */
static void listen_again(struct http *http)
{
	if (http->connections_count < http->connections_most)
		enable_listeners(http, SD_EVENT_ON);
}

static void on_connection(void *cls, struct MHD_Connection *mhd, void **context,
			  enum MHD_ConnectionNotificationCode code)
{
	struct http *http = cls;
	struct connection *connection = *context, **at = &http->connections;

	(void)mhd;
	if (code == MHD_CONNECTION_NOTIFY_STARTED) {
		connection = TAKE_PTR(http->arriving);
		*context = connection;
		connection->next = http->connections;
		http->connections = connection;
		http->connections_count++;
		http->server->metrics.connections++;
		return;
	}
	while (*at != connection)
		at = &(*at)->next;
	*at = connection->next;
	tenant_unref(&http->server->tenants, connection->account);
	free(connection);
	http->connections_count--;
	listen_again(http);
	server_leave_if_done(http->server);
}

/* Without reading what was asked: it would have to be read from each of them. */
static void turn_away(int fd)
{
	static const char reply[] =
		"HTTP/1.1 503 Service Unavailable\r\nRetry-After: 1\r\n"
		"Content-Type: application/problem+json\r\nConnection: close\r\n\r\n"
		"{\"type\":\"about:blank\",\"title\":\"Not now\",\"status\":503,"
		"\"detail\":\"you have too many connections\",\"where\":null}\n";

	if (send(fd, reply, sizeof(reply) - 1, MSG_DONTWAIT | MSG_NOSIGNAL) < 0)
		return;
	shutdown(fd, SHUT_WR);
}

static int add_connection(struct http *http, int *fd, const struct peer *peer,
			  const union peer_address *address, struct tenant *tenant)
{
	http->arriving = calloc(1, sizeof(*http->arriving));
	if (!http->arriving)
		return -ENOMEM;
	http->arriving->fd = *fd;
	http->arriving->peer = *peer;
	http->arriving->account = tenant_ref(tenant);
	set_deadline(http->arriving, REQUEST_MS);
	if (MHD_add_connection(http->daemon, TAKE_FD(*fd), &address->any,
			       peer_address_len(address)) == MHD_YES)
		return 0;
	tenant_unref(&http->server->tenants, tenant);
	free(TAKE_PTR(http->arriving));
	return -EIO;
}

/* Whoever cannot be taken stays in the kernel's queue, which would wake us at once again:
 * the next sweep looks after him. A client that has gone is no reason. */
static void hold_off(struct http *http, int errnum)
{
	if (errnum == EAGAIN || errnum == EINTR || errnum == ECONNABORTED)
		return;
	ready_lacks(&http->server->ready, READY_DESCRIPTORS,
		    errnum == EMFILE ? "raise the limit on open files: ulimit -n, or "
				       "LimitNOFILE= in the unit"
				     : NULL,
		    "a connection cannot be taken: %s", strerror(errnum));
	enable_listeners(http, SD_EVENT_OFF);
}

static int on_listen(sd_event_source *source, int listen_fd, uint32_t events,
		     void *userdata)
{
	const struct listener *listener = userdata;
	struct http *http = listener->http;
	union peer_address address = {.any = {.sa_family = AF_UNIX}};
	socklen_t len = sizeof(address);
	own_fd int fd =
		accept4(listen_fd, &address.any, &len, SOCK_CLOEXEC | SOCK_NONBLOCK);
	struct tenant *tenant = NULL;
	struct peer peer;
	int r = 0;

	(void)source;
	(void)events;
	if (fd < 0) {
		hold_off(http, errno);
		return 0;
	}
	ready_has(&http->server->ready, READY_DESCRIPTORS);
	if (peer_read(http->server, listener->kind, fd, &address, &peer) < 0)
		return 0;
	if (peer.kind == PEER_UNIX)
		tenant = tenants_find_peer(&http->server->tenants, &peer);
	if (admission_may_come(http, &peer, tenant)) {
		r = add_connection(http, &fd, &peer, &address, tenant);
	} else {
		turn_away(fd);
		metrics_note_refusal(&http->server->metrics, 503, "connections");
	}
	if (r < 0)
		log_say("a connection is lost: %s", strerror(-r));
	/* Who comes now waits in the kernel's queue. */
	if (http->connections_count >= http->connections_most)
		enable_listeners(http, SD_EVENT_OFF);
	return 0;
}

static int on_sweep(sd_event_source *source, uint64_t usec, void *userdata)
{
	struct http *http = userdata;
	uint64_t now = clock_mono_ns();

	for (struct connection *at = http->connections; at; at = at->next)
		if (at->deadline_ns && now >= at->deadline_ns)
			shutdown(at->fd, SHUT_RDWR);
	listen_again(http);
	server_leave_if_done(http->server);
	sd_event_source_set_time(source, usec + SWEEP_US);
	return sd_event_source_set_enabled(source, SD_EVENT_ONESHOT);
}

/* --- the loop ----------------------------------------------------------------- */

static void go_on(struct http *http)
{
	MHD_UNSIGNED_LONG_LONG ms;
	bool more;

	MHD_run(http->daemon);
	more = MHD_get_timeout(http->daemon, &ms) == MHD_YES && ms == 0;
	sd_event_source_set_enabled(http->on_more,
				    more ? SD_EVENT_ONESHOT : SD_EVENT_OFF);
}

static int on_ready(sd_event_source *source, int fd, uint32_t events, void *userdata)
{
	(void)source;
	(void)fd;
	(void)events;
	go_on(userdata);
	return 0;
}

static int on_more(sd_event_source *source, void *userdata)
{
	(void)source;
	go_on(userdata);
	return 0;
}

static void on_log(void *cls, const char *format, va_list args)
	__attribute__((format(printf, 2, 0)));

/* What a client did wrong is between him and libmicrohttpd. */
static void on_log(void *cls, const char *format, va_list args)
{
	(void)cls;
	(void)format;
	(void)args;
}

static int bound_connections(struct http *http)
{
	uint64_t runs = http->server->tenants.roster->settings.value[SETTING_RUNS];
	uint64_t taken = http_files_least(runs) - CONNECTIONS_LEAST;

	http->files_spare = 0;
	if (http->files_most < http_files_least(runs))
		return -EMFILE;
	http->connections_most = http->files_most - taken < CONNECTIONS_MOST
					 ? (unsigned)(http->files_most - taken)
					 : CONNECTIONS_MOST;
	http->files_spare = http->files_most - taken - http->connections_most;
	return 0;
}

static int start_daemon(struct http *http)
{
	http->daemon = MHD_start_daemon(
		MHD_USE_EPOLL | MHD_ALLOW_SUSPEND_RESUME | MHD_USE_NO_LISTEN_SOCKET |
			MHD_USE_ERROR_LOG,
		0, NULL, NULL, on_request, http->server, MHD_OPTION_EXTERNAL_LOGGER,
		on_log, NULL, MHD_OPTION_NOTIFY_COMPLETED, on_completed, http->server,
		MHD_OPTION_NOTIFY_CONNECTION, on_connection, http,
		MHD_OPTION_CONNECTION_MEMORY_LIMIT, (size_t)CONNECTION_MEMORY,
		MHD_OPTION_CONNECTION_LIMIT, CONNECTIONS_MOST,
		MHD_OPTION_CONNECTION_TIMEOUT, 0u, MHD_OPTION_END);
	return http->daemon ? 0 : -EIO;
}

static int watch_listener(struct listener *listener)
{
	return sd_event_add_io(listener->http->server->event, &listener->on_listen,
			       listener->fd, EPOLLIN, on_listen, listener);
}

static int watch(struct http *http)
{
	const union MHD_DaemonInfo *info =
		MHD_get_daemon_info(http->daemon, MHD_DAEMON_INFO_EPOLL_FD);
	sd_event *event = http->server->event;
	int r = info ? 0 : -EIO;

	if (r >= 0)
		r = sd_event_add_io(event, &http->on_ready, info->epoll_fd, EPOLLIN,
				    on_ready, http);
	if (r >= 0)
		r = sd_event_add_time_relative(event, &http->on_time, CLOCK_MONOTONIC,
					       SWEEP_US, SWEEP_US, on_sweep, http);
	if (r >= 0)
		r = sd_event_add_defer(event, &http->on_more, on_more, http);
	if (r >= 0)
		r = sd_event_source_set_enabled(http->on_more, SD_EVENT_OFF);
	return r;
}

int http_init(struct http *http, struct server *server, int first_fd, unsigned count)
{
	struct rlimit files;
	int r;

	if (getrlimit(RLIMIT_NOFILE, &files) < 0)
		return -errno;
	*http = (struct http){
		.server = server, .listeners_count = count, .files_most = files.rlim_cur};
	for (int i = 0; i < (int)count; i++)
		http->listeners[i] = (struct listener){
			.http = http,
			.fd = first_fd + i,
			.kind = listener_is_tcp(first_fd + i) ? PEER_TCP : PEER_UNIX};
	r = bound_connections(http);
	if (r == 0)
		r = start_daemon(http);
	return r < 0 ? r : watch(http);
}

/* Where there is too little room for more runs, their jails will fail, and say so. */
void http_adopt(struct http *http)
{
	if (bound_connections(http) < 0)
		log_say("too few descriptors may be open for so many runs (raise the "
			"limit on open files: LimitNOFILE=, ulimit -n)");
	listen_again(http);
}

/* Closed, never shut down: the next daemon goes on with the same socket. */
static void leave_listeners(struct http *http)
{
	for (unsigned i = 0; i < http->listeners_count; i++) {
		struct listener *listener = &http->listeners[i];

		listener->on_listen = sd_event_source_disable_unref(listener->on_listen);
		listener->fd = close_fd(listener->fd);
	}
	http->listeners_count = 0;
}

int http_listen(struct http *http)
{
	int r = 0;

	for (unsigned i = 0; r >= 0 && i < http->listeners_count; i++)
		r = watch_listener(&http->listeners[i]);
	return r;
}

void http_stop_listening(struct http *http)
{
	leave_listeners(http);
	for (struct connection *at = http->connections; at; at = at->next)
		if (!at->was_used)
			set_deadline(at, LAST_REQUEST_MS);
}

/* One who is between two requests has his answer; what he sends now he may send again, as
 * HTTP says of connections that are kept. But he may have sent it already. */
static bool is_awaited(const struct connection *connection)
{
	char byte;

	return !connection->was_used ||
	       recv(connection->fd, &byte, 1, MSG_PEEK | MSG_DONTWAIT) > 0;
}

bool http_is_done(const struct http *http)
{
	if (http->exchanges)
		return false;
	for (const struct connection *at = http->connections; at; at = at->next)
		if (is_awaited(at))
			return false;
	return true;
}

/* With a connection that is suspended libmicrohttpd cannot stop: none is, where no
 * exchange is left. */
void http_free(struct http *http)
{
	leave_listeners(http);
	sd_event_source_disable_unref(http->on_ready);
	sd_event_source_disable_unref(http->on_time);
	sd_event_source_disable_unref(http->on_more);
	if (http->daemon && http->exchanges == 0)
		MHD_stop_daemon(http->daemon);
}
