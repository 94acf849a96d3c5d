/* SPDX-License-Identifier: MIT */
/*
 * HTTP: connections and exchanges. libmicrohttpd reads and writes them; whom it gets, how
 * many, and for how long is decided here.
 *
 * A connection that has not brought a whole request, or not taken its whole reply, in time
 * is closed, however busy it seems. While a run is under way nobody need hurry.
 */
#ifndef QUOD_HTTP_H
#define QUOD_HTTP_H

#include <microhttpd.h>
#include <netinet/in.h>
#include <stdbool.h>
#include <sys/types.h>
#include <systemd/sd-event.h>

#include "daemon/listen.h"
#include "daemon/problem.h"
#include "daemon/tenants.h"

struct server;
struct route;
struct job;

struct connection {
	int fd; /* libmicrohttpd's */
	struct peer peer;
	struct tenant *account; /* by peer or by token; a reference, or NULL */
	bool was_used;		/* a request has begun on it */
	uint64_t deadline_ns;	/* monotonic; 0: none */
	struct connection *next;
};

/* One request and its reply; libmicrohttpd says when it is over. */
struct exchange {
	struct server *server;
	struct MHD_Connection *mhd;
	struct connection *connection;
	const struct route *route;
	const char *id; /* what the path has for {id}; libmicrohttpd's */
	/* Whose request it is, once its route is found; NULL: nobody's who may run. */
	const char *tenant;
	struct tenant *account; /* he; a reference */
	bool is_operator;	/* sees what all tenants do */
	struct text body;
	size_t held; /* of it, that his account has */
	bool too_much;
	struct job *job; /* NULL: none; job_abandon() at the end */
};

struct listener {
	struct http *http;
	int fd; /* owned */
	enum peer_kind kind;
	sd_event_source *on_listen;
};

struct http {
	struct server *server;
	struct MHD_Daemon *daemon;
	struct listener listeners[LISTENERS_MOST];
	unsigned listeners_count;
	sd_event_source *on_ready, *on_time, *on_more;
	struct connection *connections, *arriving;
	uint64_t files_most;  /* that may be open */
	uint64_t files_spare; /* of them: what runs and connections leave */
	unsigned connections_count, connections_most, exchanges;
};

/* Listens on `count` descriptors from first_fd on, which become its own. Errors: -EMFILE
 * (too few descriptors may be open), what sd-event gives, -EIO. */
int http_init(struct http *http, struct server *server, int first_fd, unsigned count);
/* Another roster counts. */
void http_adopt(struct http *http);
/* Connections are taken from now on. Errors: what sd-event gives. */
int http_listen(struct http *http);
/* What a run has open, what the process has beside runs and connections, and connections. */
#define RUN_FDS		  4u
#define RESERVE_FDS	  32u /* KEEPER_LEFT_MOST among them */
#define CONNECTIONS_LEAST 16u

/* So many descriptors must be open to the server of a daemon with so many runs at once. */
static inline uint64_t http_files_least(uint64_t runs)
{
	return runs * RUN_FDS + RESERVE_FDS + CONNECTIONS_LEAST;
}

/* Lets go of its sockets, which others may hold, and hurries those who are connected. */
void http_stop_listening(struct http *http);

/* After that: nobody is connected who has asked for something or may be about to. */
bool http_is_done(const struct http *http);
void http_free(struct http *http);

/* Each returns what libmicrohttpd wants of its handler. */
enum MHD_Result http_reply(struct exchange *exchange, unsigned status, const char *type,
			   const void *bytes, size_t len);
enum MHD_Result http_refuse(struct exchange *exchange, const struct problem *problem);
/* A reply that was begun long ago has from now on only so much time. */
void http_hurry(struct exchange *exchange);
/* One that was suspended goes on. */
void http_wake(struct exchange *exchange);
/* Takes over the response. */
enum MHD_Result http_respond(struct exchange *exchange, unsigned status,
			     struct MHD_Response *response);

#endif
