/* SPDX-License-Identifier: MIT */
/*
 * A reply is waited for a minute: what takes longer is not answered at all.
 */
#include "tests/daemon/crowd.h"

#include <errno.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include "base/own.h"
#include "tests/race/random.h"

#define REPLY_MS   60000
#define REPLY_MOST (8u << 20)
#define DEAF_US	   30000
#define PAUSE_US   3000
#define BUSY_US	   30000 /* told to come again */

#define JSON   "application/json"
#define STREAM "application/x-ndjson"
#define RUN    "POST /v1/run"
#define LOOP   "{\"source\":\"for (;;);\",\"limits\":{\"wall_ms\":10}}"
#define FLOOD  "{\"source\":\"for (;;) console.log('xxxxxxxxxxxxxxxxxxxxxxxx');\"}"
#define SPIN   "{\"source\":\"console.log(1); for (;;);\"}"
#define OK          \
	{           \
		200 \
	}

/* clang-format off */
static const struct crowd_kind kinds[] = {
	{"a line", 12, CROWD_ASKS, RUN, JSON, "{\"source\":\"6*7\"}", 0, OK, "ok"},
	{"a line, streamed", 6, CROWD_ONCE, RUN, STREAM, "{\"source\":\"console.log(1); 2\"}", 0, OK, "ok"},
	{"what QuickJS runs", 3, CROWD_ASKS, RUN, JSON, "{\"source\":\"[1].map(n => n)\",\"policy\":\"open\"}", 0, OK, "ok"},
	{"a verdict", 3, CROWD_ASKS, RUN, JSON, "{\"source\":\"true\",\"policy\":\"verify\"}", 0, OK, "ok"},
	{"an input", 2, CROWD_ASKS, RUN, JSON, "{\"source\":\"input[0]\",\"input\":[1]}", 0, OK, "ok"},
	{"a check", 3, CROWD_ASKS, "POST /v1/check", JSON, "{\"source\":\"1\"}", 0, OK, "ok"},
	{"throws", 3, CROWD_ASKS, RUN, JSON, "{\"source\":\"throw 1\"}", 0, OK, "error"},
	{"is rejected", 4, CROWD_ASKS, RUN, JSON, "{\"source\":\"eval('1')\"}", 0, OK, "rejected"},
	{"a loop", 5, CROWD_ASKS, RUN, JSON, LOOP, 0, OK, "timeout"},
	{"a timer", 3, CROWD_ONCE, RUN, STREAM, "{\"source\":\"setInterval(function () {}, 1)\",\"limits\":{\"wall_ms\":10}}", 0, OK, "timeout"},
	{"a hog", 3, CROWD_ASKS, RUN, JSON, "{\"source\":\"for (var a = []; ; ) a.push(new Uint8Array(100000))\",\"limits\":{\"memory_bytes\":4194304}}", 0, OK, "memory_limit"},
	{"a flood", 3, CROWD_ASKS, RUN, JSON, FLOOD, 0, OK, "output_limit"},
	{"a flood, streamed", 2, CROWD_ONCE, RUN, STREAM, FLOOD, 0, OK, "output_limit"},
	{"a large value", 2, CROWD_ASKS, RUN, JSON, "{\"source\":\"new Array(60000).join('x')\"}", 0, OK, "ok"},
	{"a long body", 1, CROWD_ASKS, RUN, JSON, "{\"source\":\"1\"}", 1000000, OK, "ok"},

	{"no JSON", 3, CROWD_ASKS, RUN, JSON, "{\"source\":", 0, {400}, NULL},
	{"no UTF-8", 2, CROWD_ASKS, RUN, JSON, "{\"source\":\"\xff\xfe\"}", 0, {400, 422}, NULL},
	{"no source", 2, CROWD_ASKS, RUN, JSON, "{}", 0, {422}, NULL},
	{"no such policy", 2, CROWD_ASKS, RUN, JSON, "{\"source\":\"1\",\"policy\":\"x\"}", 0, {422}, NULL},
	{"too much memory", 2, CROWD_ASKS, RUN, JSON, "{\"source\":\"1\",\"limits\":{\"memory_bytes\":99999999999}}", 0, {422}, NULL},
	{"too large", 1, CROWD_ONCE, RUN, JSON, "{\"source\":\"1\"}", 4200000, {413}, NULL},
	{"no such place", 2, CROWD_ASKS, "GET /x", JSON, NULL, 0, {404}, NULL},
	{"no such method", 2, CROWD_ASKS, "PUT /v1/run", JSON, NULL, 0, {405}, NULL},

	{"is it alive", 3, CROWD_ASKS, "GET /healthz", JSON, NULL, 0, OK, NULL},
	{"is it ready", 3, CROWD_ASKS, "GET /readyz", JSON, NULL, 0, OK, NULL},
	{"metrics", 1, CROWD_ASKS, "GET /metrics", JSON, NULL, 0, OK, NULL},
	{"policies", 1, CROWD_ASKS, "GET /v1/policies", JSON, NULL, 0, OK, NULL},

	{"slow", 3, CROWD_SLOW, RUN, JSON, "{\"source\":\"6*7\"}", 0, OK, "ok"},
	{"slow and wrong", 2, CROWD_SLOW, RUN, JSON, "[", 0, {400, 422}, NULL},
	{"leaves a line", 6, CROWD_LEAVES, RUN, JSON, "{\"source\":\"6*7\"}", 0, OK, NULL},
	{"leaves a loop", 6, CROWD_LEAVES, RUN, JSON, SPIN, 0, OK, NULL},
	{"leaves a stream", 6, CROWD_LEAVES, RUN, STREAM, SPIN, 0, OK, NULL},
	{"leaves a flood", 3, CROWD_LEAVES, RUN, STREAM, FLOOD, 0, OK, NULL},
	{"leaves a large body", 1, CROWD_LEAVES, RUN, JSON, "{\"source\":\"1\"}", 1000000, OK, NULL},
	{"deaf to a flood", 3, CROWD_DEAF, RUN, STREAM, FLOOD, 0, OK, NULL},
	{"deaf to a value", 2, CROWD_DEAF, RUN, JSON, "{\"source\":\"new Array(60000).join('x')\"}", 0, OK, NULL},

	{"nonsense", 2, CROWD_RAW, "nonsense\r\n\r\n", NULL, NULL, 0, {400}, NULL},
	{"another HTTP", 2, CROWD_RAW, "GET / HTTP/9.9\r\n\r\n", NULL, NULL, 0, {400}, NULL},
	{"a length below nothing", 2, CROWD_RAW, "POST /v1/run HTTP/1.1\r\nHost: x\r\nContent-Length: -1\r\n\r\n", NULL, NULL, 0, {400}, NULL},
	{"a chunk that is none", 2, CROWD_RAW, "POST /v1/run HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\nTransfer-Encoding: chunked\r\n\r\nzz\r\n\r\n", NULL, NULL, 0, {400}, NULL},
	{"bytes", 2, CROWD_RAW, "\x16\x03\x01\x02\xff\r\n\r\n\r\n", NULL, NULL, 0, {400}, NULL},
};
/* clang-format on */

/* --- bytes -------------------------------------------------------------------- */

static void pause_us(uint64_t us)
{
	usleep((useconds_t)us);
}

static int reach(const char *path)
{
	struct sockaddr_un name = {.sun_family = AF_UNIX};
	int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);

	snprintf(name.sun_path, sizeof(name.sun_path), "%s", path);
	if (fd >= 0 && connect(fd, (const struct sockaddr *)&name, sizeof(name)) < 0)
		fd = close_fd(fd);
	return fd;
}

/* What cannot be sent was not wanted: the answer says why. */
static void put(int fd, const char *bytes, size_t len)
{
	while (len) {
		ssize_t n = send(fd, bytes, len, MSG_NOSIGNAL);

		if (n < 0)
			return;
		bytes += n;
		len -= (size_t)n;
	}
}

static void build(const struct crowd_kind *kind, bool keep, struct text *to)
{
	size_t len = kind->body ? strlen(kind->body) + kind->pad : 0;

	if (kind->how == CROWD_RAW) {
		text_add_str(to, kind->line);
		return;
	}
	text_addf(to, "%s HTTP/1.1\r\nHost: quodd\r\nAccept: %s\r\n%s", kind->line,
		  kind->accept, keep ? "" : "Connection: close\r\n");
	if (kind->body)
		text_addf(to, "Content-Type: application/json\r\nContent-Length: %zu\r\n",
			  len);
	text_add_str(to, "\r\n");
	text_add_str(to, kind->body ? kind->body : "");
	for (unsigned i = 0; i < kind->pad; i++)
		text_add_char(to, ' ');
}

static bool is_whole(const struct text *reply)
{
	static const char key[] = "\r\nContent-Length: ";
	const char *bytes = text_str(reply), *end = strstr(bytes, "\r\n\r\n");
	const char *length = end ? strstr(bytes, key) : NULL;

	if (!length || length > end)
		return false;
	return reply->len >=
	       (size_t)(end - bytes) + 4 + strtoul(length + sizeof(key) - 1, NULL, 10);
}

static bool says_close(const struct text *reply)
{
	static const char key[] = "\r\nConnection: close\r\n";
	const char *bytes = text_str(reply), *end = strstr(bytes, "\r\n\r\n");

	return end &&
	       memmem(bytes, (size_t)(end - bytes) + 2, key, sizeof(key) - 1) != NULL;
}

/* Until it is whole, or the connection's end. NULL, or what is wrong. */
static const char *get(int fd, bool keep, struct text *reply)
{
	char bytes[16384];

	while (!keep || !is_whole(reply)) {
		struct pollfd slot = {.fd = fd, .events = POLLIN};
		ssize_t n;

		if (poll(&slot, 1, REPLY_MS) <= 0)
			return "it is not answered";
		n = recv(fd, bytes, sizeof(bytes), 0);
		if (n <= 0)
			break;
		text_add(reply, bytes, (size_t)n);
	}
	return text_status(reply) ? "the reply is too large" : NULL;
}

/* --- the answer --------------------------------------------------------------- */

/* The chunks of a stream in a row: a record may lie across two of them. False: they are not
 * whole. */
static bool join_chunks(struct text *reply)
{
	char *body = strstr(reply->data, "\r\n\r\n"), *to, *from;

	if (!body || !memmem(reply->data, (size_t)(body - reply->data), "chunked", 7))
		return body != NULL;
	to = from = body + 4;
	for (;;) {
		size_t left = (size_t)(reply->data + reply->len - from);
		char *end = memchr(from, '\n', left);
		size_t size = end ? strtoul(from, NULL, 16) : 0;

		if (!end || size == 0 ||
		    size > (size_t)(reply->data + reply->len - end - 1)) {
			*to = '\0';
			reply->len = (size_t)(to - reply->data);
			return end && size == 0;
		}
		memmove(to, end + 1, size);
		to += size;
		from = end + 1 + size + 2;
	}
}

static bool is_right_code(const struct crowd_kind *kind, int code)
{
	for (int i = 0; i < CROWD_CODES_MOST; i++)
		if (kind->codes[i] && kind->codes[i] == code)
			return true;
	return kind->how == CROWD_RAW && code >= 400 && code <= 599;
}

/* In a stream it is the last line that has a record. */
static const char *find_record(const char *reply)
{
	const char *found = NULL;

	for (const char *at = reply; (at = strstr(at, "{\"id\":\"")); at++)
		if (at[-1] == '\n')
			found = at;
	return found;
}

static void judge_record(struct crowd_did *did, const char *record)
{
	static const char key[] = "\"status\":\"";
	const char *status = strstr(record, key);
	size_t len = strlen(did->kind->status);

	did->has_record = true;
	snprintf(did->id, sizeof(did->id), "%s", record + strlen("{\"id\":\""));
	if (!status || strncmp(status + sizeof(key) - 1, did->kind->status, len) != 0)
		did->wrong = "another status";
	did->failed = status && !strncmp(status + sizeof(key) - 1, "internal_error", 14);
}

static void judge(struct crowd_did *did)
{
	const char *reply = text_str(&did->reply), *record;
	int code = 0;

	if (sscanf(reply, "HTTP/1.1 %d", &code) != 1 &&
	    sscanf(reply, "HTTP/1.0 %d", &code) != 1) {
		did->cut = did->reply.len == 0 && did->kind->how != CROWD_RAW;
		did->wrong = did->reply.len ? "no HTTP" : NULL;
		return;
	}
	did->busy = (code == 503 || code == 429) && did->kind->body;
	if (did->busy)
		return;
	if (!is_right_code(did->kind, code)) {
		did->wrong = "another HTTP status";
		return;
	}
	if (!did->kind->status)
		return;
	record = join_chunks(&did->reply) ? find_record(reply) : NULL;
	if (record)
		judge_record(did, record);
	else
		did->cut = true;
}

/* --- what they do ------------------------------------------------------------- */

static const struct crowd_kind *pick(struct crowd *crowd)
{
	unsigned at = (unsigned)(random_next(&crowd->random) % crowd->weights), i = 0;

	while (at >= kinds[i].weight)
		at -= kinds[i++].weight;
	return &kinds[i];
}

static void ask(struct crowd *crowd, struct crowd_did *did, const struct text *request)
{
	if (crowd->kept < 0)
		crowd->kept = reach(crowd->socket);
	if (crowd->kept < 0) {
		did->cut = true;
		return;
	}
	put(crowd->kept, text_str(request), request->len);
	did->wrong = get(crowd->kept, true, &did->reply);
	if (!did->wrong)
		judge(did);
	if (did->wrong || did->cut || says_close(&did->reply))
		crowd->kept = close_fd(crowd->kept);
}

static void put_slowly(struct crowd *crowd, int fd, const struct text *request)
{
	const char *bytes = text_str(request);

	for (size_t at = 0; at < request->len;) {
		size_t n = 1 + random_next(&crowd->random) % 60;

		n = n < request->len - at ? n : request->len - at;
		put(fd, bytes + at, n);
		at += n;
		pause_us(random_next(&crowd->random) % PAUSE_US);
	}
}

/* At any byte of the request, or some time after it, with or without having read. */
static void leave(struct crowd *crowd, int fd, const struct text *request)
{
	size_t len = random_next(&crowd->random) % (2 * request->len);
	char bytes[512];

	put(fd, text_str(request), len < request->len ? len : request->len);
	pause_us(random_next(&crowd->random) % DEAF_US / 3);
	if (random_next(&crowd->random) % 2)
		(void)!recv(fd, bytes, 1 + random_next(&crowd->random) % sizeof(bytes),
			    MSG_DONTWAIT);
}

static void visit(struct crowd *crowd, struct crowd_did *did, const struct text *request)
{
	own_fd int fd = reach(crowd->socket);

	if (fd < 0) {
		did->cut = true;
		return;
	}
	if (did->kind->how == CROWD_LEAVES) {
		leave(crowd, fd, request);
		return;
	}
	if (did->kind->how == CROWD_SLOW)
		put_slowly(crowd, fd, request);
	else
		put(fd, text_str(request), request->len);
	if (did->kind->how == CROWD_DEAF) {
		pause_us(random_next(&crowd->random) % DEAF_US);
		return;
	}
	did->wrong = get(fd, false, &did->reply);
	if (!did->wrong)
		judge(did);
}

void crowd_init(struct crowd *crowd, const char *socket, uint64_t random)
{
	*crowd = (struct crowd){.socket = socket, .kept = -1, .random = random};
	for (size_t i = 0; i < ARRAY_LEN(kinds); i++)
		crowd->weights += kinds[i].weight;
}

void crowd_end(struct crowd *crowd)
{
	crowd->kept = close_fd(crowd->kept);
}

void crowd_exchange(struct crowd *crowd, struct crowd_did *ret)
{
	own_text struct text request = TEXT_INIT(REPLY_MOST);

	*ret = (struct crowd_did){.kind = pick(crowd), .reply = TEXT_INIT(REPLY_MOST)};
	build(ret->kind, ret->kind->how == CROWD_ASKS, &request);
	if (ret->kind->how == CROWD_ASKS)
		ask(crowd, ret, &request);
	else
		visit(crowd, ret, &request);
	if (ret->busy)
		pause_us(random_next(&crowd->random) % BUSY_US);
}

void crowd_forget(struct crowd_did *did)
{
	text_free(&did->reply);
}

bool crowd_get(const char *socket, const char *path, struct text *to)
{
	own_text struct text request = TEXT_INIT(4096);
	own_fd int fd = reach(socket);

	if (fd < 0)
		return false;
	text_addf(&request, "GET %s HTTP/1.1\r\nHost: quodd\r\nConnection: close\r\n\r\n",
		  path);
	put(fd, text_str(&request), request.len);
	return get(fd, false, to) == NULL &&
	       strncmp(text_str(to), "HTTP/1.1 200", 12) == 0;
}
