/* SPDX-License-Identifier: MIT */
/*
 * libmicrohttpd runs in our event loop: its epoll descriptor is one of our sources, and
 * what it has yet to do without waiting is asked for afterwards. Connections are accepted
 * here, because only here the peer's uid is known before a byte of his is read.
 */
#include "daemon/http.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include "base/own.h"
#include "daemon/job.h"
#include "daemon/log.h"
#include "daemon/routes.h"
#include "daemon/server.h"
#include "supervisor/clock.h"

#define CONNECTIONS_MOST 1024u
/* Of one who is no tenant: enough to be told so. */
#define STRANGER_MOST 4u
/* So many of all are kept for others than a single tenant. */
#define STRANGERS_RESERVE 8u
/* Of several tenants one user may have this part of all. */
#define USER_PART 4u

/* What a run has open, and what the process has beside runs and connections. */
#define RUN_FDS	    4u
#define RESERVE_FDS 32u

/* For a whole request, from the accept or from the first byte that may come. */
#define REQUEST_MS 10000
/* Between two requests of one connection, the second included. */
#define IDLE_MS 60000
/* For taking a whole reply. */
#define REPLY_MS 30000
#define SWEEP_US 500000u

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
	server->http.exchanges++;
	return exchange;
}

/* Nobody may fill our memory with what he sends at the same time. */
static void take_body(struct exchange *exchange, const char *data, size_t len)
{
	if (!exchange->account || exchange->too_much)
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
		return;
	}
	while (*at != connection)
		at = &(*at)->next;
	*at = connection->next;
	free(connection);
	if (http->connections_count-- == http->connections_most && http->on_listen)
		sd_event_source_set_enabled(http->on_listen, SD_EVENT_ON);
}

static unsigned count_of(const struct http *http, uid_t uid)
{
	unsigned count = 0;

	for (const struct connection *at = http->connections; at; at = at->next)
		count += at->peer.uid == uid;
	return count;
}

static unsigned most_of(const struct http *http, const struct peer *peer)
{
	const struct server *server = http->server;

	if (!tenants_find_peer(&server->tenants, peer) && peer->uid != server->owner)
		return STRANGER_MOST;
	if (server->tenants.roster->tenants_count == 1)
		return http->connections_most - STRANGERS_RESERVE;
	return http->connections_most / USER_PART;
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

static int add_connection(struct http *http, int *fd, const struct peer *peer)
{
	const struct sockaddr_un nobody = {.sun_family = AF_UNIX};

	http->arriving = calloc(1, sizeof(*http->arriving));
	if (!http->arriving)
		return -ENOMEM;
	http->arriving->fd = *fd;
	http->arriving->peer = *peer;
	set_deadline(http->arriving, REQUEST_MS);
	if (MHD_add_connection(http->daemon, TAKE_FD(*fd),
			       (const struct sockaddr *)&nobody,
			       sizeof(sa_family_t)) == MHD_YES)
		return 0;
	free(TAKE_PTR(http->arriving));
	return -EIO;
}

/* In a user namespace of ours we know nobody but our own user, and him by another number;
 * all the others look like one. */
static uid_t name_uid(const struct server *server, uid_t seen)
{
	if (seen == server->owner_seen)
		return server->owner;
	return seen == PEER_OVERFLOW || seen == server->owner ? PEER_UNKNOWN : seen;
}

/* Of more groups than there is room for none counts but the first. */
static int read_peer(const struct server *server, int fd, struct peer *ret_peer)
{
	struct ucred cred;
	socklen_t len = sizeof(cred), room = sizeof(ret_peer->gids);

	if (getsockopt(fd, SOL_SOCKET, SO_PEERCRED, &cred, &len) < 0)
		return -errno;
	ret_peer->uid = name_uid(server, cred.uid);
	if (getsockopt(fd, SOL_SOCKET, SO_PEERGROUPS, ret_peer->gids, &room) < 0)
		room = 0;
	ret_peer->gids_count = room / sizeof(gid_t);
	if (ret_peer->gids_count < ARRAY_LEN(ret_peer->gids))
		ret_peer->gids[ret_peer->gids_count++] = cred.gid;
	return 0;
}

static int on_listen(sd_event_source *source, int listen_fd, uint32_t events,
		     void *userdata)
{
	struct http *http = userdata;
	struct peer peer = {0};
	own_fd int fd = accept4(listen_fd, NULL, NULL, SOCK_CLOEXEC | SOCK_NONBLOCK);
	int r = 0;

	(void)events;
	if (fd < 0 || read_peer(http->server, fd, &peer) < 0)
		return 0;
	if (count_of(http, peer.uid) >= most_of(http, &peer))
		turn_away(fd);
	else
		r = add_connection(http, &fd, &peer);
	if (r < 0)
		log_say("a connection is lost: %s", strerror(-r));
	/* Who comes now waits in the kernel's queue. */
	if (http->connections_count >= http->connections_most)
		sd_event_source_set_enabled(source, SD_EVENT_OFF);
	return 0;
}

static int on_sweep(sd_event_source *source, uint64_t usec, void *userdata)
{
	struct http *http = userdata;
	uint64_t now = clock_mono_ns();

	for (struct connection *at = http->connections; at; at = at->next)
		if (at->deadline_ns && now >= at->deadline_ns)
			shutdown(at->fd, SHUT_RDWR);
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
	uint64_t taken = runs * RUN_FDS + RESERVE_FDS;

	http->files_spare = 0;
	if (http->files_most < taken + 2 * STRANGERS_RESERVE)
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
		r = sd_event_add_io(event, &http->on_listen, http->listen_fd, EPOLLIN,
				    on_listen, http);
	if (r >= 0)
		r = sd_event_add_time_relative(event, &http->on_time, CLOCK_MONOTONIC,
					       SWEEP_US, SWEEP_US, on_sweep, http);
	if (r >= 0)
		r = sd_event_add_defer(event, &http->on_more, on_more, http);
	if (r >= 0)
		r = sd_event_source_set_enabled(http->on_more, SD_EVENT_OFF);
	return r;
}

int http_init(struct http *http, struct server *server, int listen_fd)
{
	struct rlimit files;
	int r;

	if (getrlimit(RLIMIT_NOFILE, &files) < 0)
		return -errno;
	*http = (struct http){
		.server = server, .listen_fd = listen_fd, .files_most = files.rlim_cur};
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
}

void http_stop_listening(struct http *http)
{
	http->on_listen = sd_event_source_disable_unref(http->on_listen);
	http->listen_fd = close_fd(http->listen_fd);
}

/* With a connection that is suspended libmicrohttpd cannot stop: none is, where no
 * exchange is left. */
void http_free(struct http *http)
{
	sd_event_source_disable_unref(http->on_listen);
	sd_event_source_disable_unref(http->on_ready);
	sd_event_source_disable_unref(http->on_time);
	sd_event_source_disable_unref(http->on_more);
	if (http->daemon && http->exchanges == 0)
		MHD_stop_daemon(http->daemon);
}
