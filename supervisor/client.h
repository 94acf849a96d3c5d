/* SPDX-License-Identifier: MIT */
/*
 * quod as a client of quodd: one connection to a unix socket, one request, one reply.
 *
 * Whoever reads a reply confines itself first (confine_self(), after client_open()): a
 * daemon that somebody has taken over can then make quod print what it likes, and no more.
 * Errors are told as a sentence, in which what the daemon said is yet to be escaped.
 */
#ifndef QUOD_CLIENT_H
#define QUOD_CLIENT_H

#include "supervisor/http_reply.h"
#include "supervisor/json.h"
#include "supervisor/options.h"

struct client {
	const char *socket; /* borrowed */
	int fd;		    /* -1: not connected */
	struct text request;
	size_t sent;
	struct http_reply reply;
	struct text body; /* what has come of it; its user may take from its front */
};

/* What was given, else what the environment says, else the usual one. */
const char *client_socket(const char *given);

/* `most`: of the body that is held at once. */
void client_init(struct client *client, const char *socket, size_t most);
void client_close(struct client *client);
#define own_client __attribute__((cleanup(client_close)))

/* Connects, and waits for that a few seconds at most. Errors: -ENAMETOOLONG, and what
 * connect(2) gives, with *why filled. */
int client_open(struct client *client, struct usage *why);

/*
 * Writes down the request; `json` is its body, NULL: it has none. Words that are not our
 * own do not belong into method and path. Failures stick in client->request.
 */
void client_ask(struct client *client, const char *method, const char *path,
		const char *accept, const struct text *json);

/* Of poll(2): what to wait for. */
short client_events(const struct client *client);

/* Reads and writes once, after poll said so, with SIGPIPE ignored; the end is reply.complete. Errors: -EPROTO,
 * -EPIPE (the daemon has gone), -E2BIG, -ENOMEM, and what read(2) gives, with *why
 * filled. */
int client_step(struct client *client, short revents, struct usage *why);

/* All of it, as long as something comes every half minute. Errors: those of client_step(),
 * -ETIMEDOUT, what poll(2) gives. */
int client_exchange(struct client *client, struct usage *why);

/* What a reply says that has another status than 200. Returns the exit code for it. */
int client_refused(const struct client *client, struct usage *why);

/* The daemon's own words of a refusal. False: it has none. */
bool client_problem(const struct client *client, struct text *detail, struct text *where);

/* It is answered, but not as this quod knows it. Returns the exit code for it. */
int client_not_known(const struct client *client, struct usage *why);

/*
 * For a command that only asks: opens a connection for each path, confines this process (it
 * can only print and exit afterwards), asks and gets the whole replies. The clients are made
 * here and are the caller's to close, whatever happens. Returns 0, or the exit code, with
 * *why filled; a reply of another status than 200 is 0 as well.
 */
int client_get(struct client *clients, size_t count, const char *socket,
	       const char *method, const char *const *paths, struct usage *why);

/* The body of a reply. False: it is no JSON object. */
bool client_body(const struct client *client, struct json_span *ret_object);

#endif
