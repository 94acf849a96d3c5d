/* SPDX-License-Identifier: MIT */
/*
 * The daemon may answer before it has read all, to refuse what is too large: so while the
 * request is being written the reply is listened for, and a write that fails is no error
 * if a reply comes all the same.
 *
 * Nothing here blocks but connect(2), and that for a bounded time. After it there are only
 * the calls that confine_self() leaves: read, write and poll.
 */
#include "supervisor/client.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/time.h>
#include <sys/un.h>
#include <unistd.h>

#include "base/own.h"
#include "supervisor/command_table.h"
#include "supervisor/confine.h"
#include "supervisor/json_value.h"
#include "supervisor/status.h"

/* A queue of connections that is full for so long is nobody's who serves. */
#define CONNECT_S 10
/* For a question that needs no run. */
#define ANSWER_MS 30000
#define BLOCK	  16384u

/* Source and input at their most, each byte as six. */
#define REQUEST_MOST (16u << 20)
/* Of what is no run. */
#define BODY_MOST (64u << 20)

const char *client_socket(const char *given)
{
	const char *named = getenv("QUOD_SOCKET");

	if (given)
		return given;
	return named && *named ? named : SOCKET_USUAL;
}

void client_init(struct client *client, const char *socket, size_t most)
{
	*client = (struct client){.socket = socket,
				  .fd = -1,
				  .request = TEXT_INIT(REQUEST_MOST),
				  .body = TEXT_INIT(most)};
	http_reply_init(&client->reply);
}

void client_close(struct client *client)
{
	client->fd = close_fd(client->fd);
	text_free(&client->request);
	text_free(&client->body);
}

static int cannot_connect(const struct client *client, int errnum, struct usage *why)
{
	const char *mend = "";

	if (errnum == ENOENT || errnum == ECONNREFUSED)
		mend = " (start it: systemctl start quodd.socket, or quodd --socket "
		       "PATH; --socket or QUOD_SOCKET names another path)";
	else if (errnum == EACCES || errnum == EPERM)
		mend = " (only those may connect whom the daemon's operator lets)";
	else if (errnum == EAGAIN)
		mend = " (it does not take connections: its queue is full)";
	return usage_fail(why, -errnum, "no daemon at '%.200s': %s%s", client->socket,
			  strerror(errnum), mend);
}

int client_open(struct client *client, struct usage *why)
{
	const struct timeval patience = {.tv_sec = CONNECT_S};
	struct sockaddr_un name = {.sun_family = AF_UNIX};
	size_t len = strlen(client->socket);

	if (len == 0 || len >= sizeof(name.sun_path))
		return usage_fail(why, -ENAMETOOLONG,
				  "the path of a socket has 1 to %zu bytes: '%.200s'",
				  sizeof(name.sun_path) - 1, client->socket);
	memcpy(name.sun_path, client->socket, len + 1);
	client->fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
	if (client->fd < 0 ||
	    setsockopt(client->fd, SOL_SOCKET, SO_SNDTIMEO, &patience, sizeof(patience)) <
		    0 ||
	    connect(client->fd, (const struct sockaddr *)&name, sizeof(name)) < 0 ||
	    fcntl(client->fd, F_SETFL, O_NONBLOCK) < 0)
		return cannot_connect(client, errno, why);
	return 0;
}

void client_ask(struct client *client, const char *method, const char *path,
		const char *accept, const struct text *json)
{
	struct text *to = &client->request;

	text_addf(to,
		  "%s %s HTTP/1.1\r\nHost: quodd\r\nConnection: close\r\nAccept: %s\r\n",
		  method, path, accept);
	if (json)
		text_addf(to, "Content-Type: application/json\r\nContent-Length: %zu\r\n",
			  json->len);
	text_add_str(to, "\r\n");
	if (json && text_status(json))
		to->error = text_status(json);
	if (json)
		text_add(to, text_str(json), json->len);
}

static bool is_sending(const struct client *client)
{
	return client->sent < client->request.len;
}

short client_events(const struct client *client)
{
	return (short)(POLLIN | (is_sending(client) ? POLLOUT : 0));
}

static int send_some(struct client *client, struct usage *why)
{
	ssize_t n = write(client->fd, client->request.data + client->sent,
			  client->request.len - client->sent);

	if (n >= 0)
		client->sent += (size_t)n;
	else if (errno == EPIPE || errno == ECONNRESET)
		client->sent = client->request.len;
	else if (errno != EAGAIN && errno != EINTR)
		return usage_fail(why, -errno, "cannot ask the daemon at '%.200s': %s",
				  client->socket, strerror(errno));
	return 0;
}

static int has_gone(const struct client *client, struct usage *why)
{
	return usage_fail(why, -EPIPE,
			  client->reply.status || client->reply.line_len
				  ? "the daemon at '%.200s' went away in the middle of "
				    "its answer"
				  : "the daemon at '%.200s' went away without an answer",
			  client->socket);
}

static int not_understood(const struct client *client, int r, struct usage *why)
{
	if (r == -ENOMEM)
		return usage_fail(why, r, "there is no memory for the daemon's answer");
	if (r == -E2BIG)
		return usage_fail(why, r,
				  "the daemon at '%.200s' answers with more than can be "
				  "meant",
				  client->socket);
	return usage_fail(why, r, "what listens at '%.200s' gives no answer of HTTP: %s",
			  client->socket, client->reply.fault);
}

static int receive_some(struct client *client, struct usage *why)
{
	char bytes[BLOCK];
	ssize_t n = read(client->fd, bytes, sizeof(bytes));
	int r;

	if (n < 0 && (errno == EAGAIN || errno == EINTR))
		return 0;
	if (n < 0 && errno != ECONNRESET)
		return usage_fail(why, -errno, "cannot hear the daemon at '%.200s': %s",
				  client->socket, strerror(errno));
	if (n <= 0)
		return n < 0 || http_reply_end(&client->reply) < 0 ? has_gone(client, why)
								   : 0;
	r = http_reply_take(&client->reply, bytes, (size_t)n, &client->body);
	return r < 0 ? not_understood(client, r, why) : 0;
}

int client_step(struct client *client, short revents, struct usage *why)
{
	int r = text_status(&client->request);

	if (r < 0)
		return usage_fail(why, r, "the request cannot be written down: %s",
				  strerror(-r));
	if (is_sending(client) && revents & POLLOUT)
		r = send_some(client, why);
	if (r == 0 && revents & (POLLIN | POLLHUP | POLLERR))
		r = receive_some(client, why);
	return r;
}

int client_exchange(struct client *client, struct usage *why)
{
	int r = 0;

	while (r == 0 && !client->reply.complete) {
		struct pollfd slot = {.fd = client->fd, .events = client_events(client)};
		int ready = poll(&slot, 1, ANSWER_MS);

		if (ready < 0 && errno != EINTR)
			return usage_fail(why, -errno, "poll: %s", strerror(errno));
		if (ready == 0)
			return usage_fail(why, -ETIMEDOUT,
					  "the daemon at '%.200s' does not answer",
					  client->socket);
		if (ready > 0)
			r = client_step(client, slot.revents, why);
	}
	return r;
}

bool client_problem(const struct client *client, struct text *detail, struct text *where)
{
	static const char *const names[] = {"detail", "where"};
	struct json_span body, values[2];

	if (!client_body(client, &body) || !json_pick(&body, names, values, 2) ||
	    !json_get_text(&values[0], detail))
		return false;
	(void)json_get_text(&values[1], where);
	return true;
}

/* A job that cannot be is the caller's fault; all else is not. */
static int code_of(unsigned status)
{
	return status == 400 || status == 413 || status == 415 || status == 422
		       ? EXIT_USAGE
		       : status_infos[STATUS_INTERNAL_ERROR].exit_code;
}

int client_refused(const struct client *client, struct usage *why)
{
	const struct http_reply *reply = &client->reply;
	own_text struct text detail = TEXT_INIT(400), where = TEXT_INIT(120);
	char again[64] = "";

	if (!client_problem(client, &detail, &where)) {
		text_clear(&detail);
		text_add_str(&detail, "it does not say why; is it quodd?");
	}
	if (reply->has_retry_after)
		snprintf(again, sizeof(again), " (try again in %u s)",
			 reply->retry_after_s);
	usage_fail(why, 0, "the daemon at '%.200s' refuses (%u): %s%s%s%s",
		   client->socket, reply->status, where.len ? text_str(&where) : "",
		   where.len ? ": " : "", text_str(&detail), again);
	return code_of(reply->status);
}

static int failed(int r)
{
	return r == -ENAMETOOLONG ? EXIT_USAGE
				  : status_infos[STATUS_INTERNAL_ERROR].exit_code;
}

static int open_all(struct client *clients, size_t count, struct usage *why)
{
	int r = 0;

	for (size_t i = 0; r == 0 && i < count; i++)
		r = client_open(&clients[i], why);
	return r;
}

static int exchange_all(struct client *clients, size_t count, struct usage *why)
{
	int r = confine_self();

	if (r < 0)
		return usage_fail(why, r, "cannot confine quod itself: %s", strerror(-r));
	for (size_t i = 0; r == 0 && i < count; i++)
		r = client_exchange(&clients[i], why);
	return r;
}

int client_get(struct client *clients, size_t count, const char *socket,
	       const char *method, const char *const *paths, struct usage *why)
{
	int r;

	signal(SIGPIPE, SIG_IGN);
	for (size_t i = 0; i < count; i++) {
		client_init(&clients[i], socket, BODY_MOST);
		client_ask(&clients[i], method, paths[i], "application/json", NULL);
	}
	r = open_all(clients, count, why);
	if (r == 0)
		r = exchange_all(clients, count, why);
	return r < 0 ? failed(r) : 0;
}

bool client_body(const struct client *client, struct json_span *ret_object)
{
	const struct text *body = &client->body;
	struct json_walk walk;
	bool valid = false;

	if (text_utf8_span(text_str(body), body->len) == body->len)
		json_check(text_str(body), body->len, 0, &valid);
	*ret_object = (struct json_span){text_str(body), body->len};
	return valid && json_walk_object(ret_object->at, ret_object->len, &walk);
}

int client_not_known(const struct client *client, struct usage *why)
{
	usage_fail(
		why, 0,
		"the daemon at '%.200s' answers with something that this quod does not "
		"know: is it of another version?",
		client->socket);
	return status_infos[STATUS_INTERNAL_ERROR].exit_code;
}
