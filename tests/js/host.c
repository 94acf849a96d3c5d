/* SPDX-License-Identifier: MIT */
/*
 * The driver never trusts what it reads: a broken frame becomes "fault" in the report.
 */
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "rootfs/protocol.h"
#include "tests/js/host.h"

struct guest {
	const char *program;
	const struct host_options *options;
	pid_t pid;
	int in, out;
	unsigned char buf[65536]; /* read ahead from out */
	size_t from, to;
	unsigned writes; /* its own, so far */
};

static void die(const char *what)
{
	fprintf(stderr, "host: %s: %s\n", what, strerror(errno));
	exit(2);
}

static int number_parse(const char *text, unsigned long long *ret_number)
{
	unsigned long long number;
	char *end;

	errno = 0;
	number = strtoull(text, &end, 0);
	if (errno || !*text || *end || *text == '-')
		return -1;
	*ret_number = number;
	return 0;
}

/* The value of "--name=value" if it is that option, else NULL. */
static const char *option_value(const char *word, const char *name)
{
	size_t n = strlen(name);

	return !strncmp(word, name, n) && word[n] == '=' ? word + n + 1 : NULL;
}

int host_option_parse(struct host_options *options, const char *word)
{
	const char *value;

	if (strncmp(word, "--", 2))
		return -1;
	word += 2;
	if ((value = option_value(word, "input")))
		options->input = value;
	if ((value = option_value(word, "name")))
		options->name = value;
	if ((value = option_value(word, "globals")))
		options->globals = value;
	if (option_value(word, "input") || option_value(word, "globals") ||
	    option_value(word, "name"))
		return 0;
#define X(text, field)                          \
	if ((value = option_value(word, text))) \
		return number_parse(value, &options->field);
	HOST_NUMBERS(X)
#undef X
	return -1;
}

static void exec_guest(const struct guest *guest, const int in[2], const int out[2])
{
	struct rlimit stack = {guest->options->stack_bytes, guest->options->stack_bytes};
	char arena[32];
	char word[] = WORD_AHEAD, *envp[] = {NULL};
	char *argv[] = {(char[]){"quod-js"}, arena, guest->options->ahead ? word : NULL,
			NULL};

	snprintf(arena, sizeof(arena), "%llu",
		 guest->options->arena_bytes ? guest->options->arena_bytes
					     : guest->options->heap_bytes);
	setrlimit(RLIMIT_STACK, &stack);
	dup2(in[0], STDIN_FILENO);
	dup2(out[1], STDOUT_FILENO);
	close(in[0]);
	close(in[1]);
	close(out[0]);
	close(out[1]);
	execve(guest->program, argv, envp);
	_exit(127);
}

static void guest_start(struct guest *guest)
{
	int in[2], out[2];

	/* In packets: a read gives what one write has written. */
	if (pipe(in) || pipe2(out, O_DIRECT))
		die("pipe");
	guest->pid = fork();
	if (guest->pid < 0)
		die("fork");
	if (!guest->pid)
		exec_guest(guest, in, out);
	close(in[0]);
	close(out[1]);
	guest->in = in[1];
	guest->out = out[0];
}

static void feed(int fd, const void *bytes, size_t n)
{
	while (n) {
		ssize_t written = write(fd, bytes, n);

		if (written <= 0)
			return;
		bytes = (const char *)bytes + written;
		n -= (size_t)written;
	}
}

/* What quod-js itself refuses: rule 0 is "engine", rule 1 "input-json". */
static const char rules[] = "\0\5\6engine\1\5\12input-json";

static void put_head(unsigned char *job, const struct host_options *o, size_t source_len)
{
	unsigned flags = (unsigned)o->flags | (o->input ? JOB_HAS_INPUT : 0) |
			 (o->globals ? JOB_HAS_GLOBALS : 0);

	put_u32le(job, flags);
	put_u32le(job + 4, (uint32_t)o->engine);
	put_u64le(job + 8, o->heap_bytes);
	put_u64le(job + 16, o->seed);
	put_u64le(job + 24, o->now_ms);
	put_u32le(job + 32, (uint32_t)o->stack_frames);
	put_u32le(job + 36, (uint32_t)o->value_bytes);
	put_u32le(job + 40, (uint32_t)o->log_bytes);
	put_u32le(job + 44, 1000);
	put_u32le(job + 48, (uint32_t)source_len);
	put_u32le(job + 52, (uint32_t)(o->input ? strlen(o->input) : 0));
	put_u32le(job + 56, (uint32_t)strlen(o->name));
	put_u32le(job + 60, sizeof(rules) - 1);
	put_u32le(job + 64, (uint32_t)(o->globals ? strlen(o->globals) : 0));
}

/* An option is one word: the names in it have commas between them. */
static void feed_names(int fd, const char *names)
{
	char list[JOB_GLOBALS_MOST];
	size_t n = 0;

	for (; names && names[n] && n < sizeof(list); n++)
		list[n] = names[n] == ',' ? ' ' : names[n];
	feed(fd, list, n);
}

static void job_send(const struct guest *guest, const char *source, size_t source_len)
{
	const struct host_options *o = guest->options;
	unsigned char head[FRAME_HEADER_BYTES + JOB_HEAD_BYTES] = {FRAME_JOB};
	size_t input_len = o->input ? strlen(o->input) : 0, name_len = strlen(o->name);
	size_t globals_len = o->globals ? strlen(o->globals) : 0;

	put_u32le(head + 1, (uint32_t)(JOB_HEAD_BYTES + source_len + input_len +
				       name_len + sizeof(rules) - 1 + globals_len));
	put_head(head + FRAME_HEADER_BYTES, o, source_len);
	feed(guest->in, head, sizeof(head));
	feed(guest->in, source, source_len);
	feed(guest->in, o->input, input_len);
	feed(guest->in, o->name, name_len);
	feed(guest->in, rules, sizeof(rules) - 1);
	feed_names(guest->in, o->globals);
}

static long long now_ms(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return t.tv_sec * 1000LL + t.tv_nsec / 1000000;
}

/* 1: there is something in the buffer. 0: end of file. -1: the time is up. */
static int refill(struct guest *guest, long long deadline)
{
	struct pollfd p = {.fd = guest->out, .events = POLLIN};
	long long left = deadline - now_ms();
	ssize_t got;

	if (guest->from < guest->to)
		return 1;
	if (left <= 0 || poll(&p, 1, (int)left) <= 0)
		return -1;
	got = read(guest->out, guest->buf, sizeof(guest->buf));
	guest->from = 0;
	guest->to = got > 0 ? (size_t)got : 0;
	guest->writes += got > 0;
	return got > 0;
}

/* 1: n bytes came. Else as refill(). */
static int receive(struct guest *guest, void *to, size_t n, long long deadline)
{
	while (n) {
		int got = refill(guest, deadline);
		size_t part;

		if (got <= 0)
			return got;
		part = guest->to - guest->from < n ? guest->to - guest->from : n;
		memcpy(to, guest->buf + guest->from, part);
		guest->from += part;
		to = (char *)to + part;
		n -= part;
	}
	return 1;
}

static json_t *text_json(const unsigned char *at, size_t n)
{
	json_t *text = json_stringn((const char *)at, n);

	return text ? text : json_string("NOT UTF-8");
}

static void set_fault(json_t *result, const char *what)
{
	json_object_set_new(result, "fault", json_string(what));
}

static void take_log(json_t *result, const unsigned char *p, size_t n, size_t shown)
{
	static const char *const levels[LOG_LEVELS] = {"log", "info", "debug", "warn",
						       "error"};
	json_t *logs = json_object_get(result, "logs");
	json_int_t count = json_integer_value(json_object_get(result, "lines"));
	char prefix[32];
	json_t *line;

	json_object_set_new(result, "lines", json_integer(count + 1));
	if (n < 2 || p[0] >= LOG_LEVELS) {
		set_fault(result, "LOG");
		return;
	}
	if (json_array_size(logs) >= shown)
		return;
	snprintf(prefix, sizeof(prefix), "%s%s: ", levels[p[0]],
		 p[1] & LOG_FLAG_CUT ? " cut" : "");
	line = text_json(p + 2, n - 2);
	json_array_append_new(logs,
			      json_sprintf("%s%s", prefix, json_string_value(line)));
	json_decref(line);
}

static void take_value(json_t *result, const unsigned char *p, size_t n)
{
	size_t json_len = n < 5 ? 0 : get_u32le(p + 1);
	json_t *value = NULL;

	if (n < 5 || json_len > n - 5 || json_object_get(result, "text")) {
		set_fault(result, "VALUE");
		return;
	}
	json_object_set_new(result, "text",
			    text_json(p + 5 + json_len, n - 5 - json_len));
	json_object_set_new(result, "is_json", json_boolean(p[0] & VALUE_IS_JSON));
	json_object_set_new(result, "is_true", json_boolean(p[0] & VALUE_IS_TRUE));
	if (p[0] & VALUE_IS_JSON) {
		value = json_loadb((const char *)p + 5, json_len,
				   JSON_DECODE_ANY | JSON_ALLOW_NUL, NULL);
		json_object_set_new(result, "json", text_json(p + 5, json_len));
	}
	if (!value != !(p[0] & VALUE_IS_JSON))
		set_fault(result, "VALUE is not JSON");
	json_decref(value);
}

static void take_error(json_t *result, const unsigned char *p, size_t n)
{
	static const char *const phases[PHASES] = {"parse", "run", "result"};
	size_t name_len = n < 20 ? 0 : get_u32le(p + 12),
	       message_len = n < 20 ? 0 : get_u32le(p + 16);
	json_t *error = json_object();

	json_object_set_new(result, "error", error);
	if (n < 20 || get_u32le(p) >= PHASES || name_len + message_len > n - 20 ||
	    name_len > ERROR_TEXT_MOST || message_len > ERROR_TEXT_MOST) {
		set_fault(result, "ERROR");
		return;
	}
	json_object_set_new(error, "phase", json_string(phases[get_u32le(p)]));
	json_object_set_new(error, "line", json_integer(get_u32le(p + 4)));
	json_object_set_new(error, "column", json_integer(get_u32le(p + 8)));
	p += 20;
	n -= 20;
	json_object_set_new(error, "name", text_json(p, name_len));
	json_object_set_new(error, "message", text_json(p + name_len, message_len));
	json_object_set_new(
		error, "stack",
		text_json(p + name_len + message_len, n - name_len - message_len));
}

static void take_finding(json_t *result, const unsigned char *p, size_t n)
{
	static const char *const names[] = {"engine", "input-json"};

	if (n < 13 || p[0] >= sizeof(names) / sizeof(names[0])) {
		set_fault(result, "FINDING");
		return;
	}
	json_object_set_new(result, "finding",
			    json_sprintf("%s: %.*s", names[p[0]], (int)(n - 13),
					 (const char *)p + 13));
}

static void take_limit(json_t *result, const unsigned char *p, size_t n)
{
	static const char *const kinds[LIMIT_KINDS] = {"memory", "value"};
	static const char *const phases[PHASES] = {"parse", "run", "result"};

	if (n != 2 || p[0] >= LIMIT_KINDS || p[1] >= PHASES)
		set_fault(result, "LIMIT");
	else
		json_object_set_new(result, "limit",
				    json_sprintf("%s %s", kinds[p[0]], phases[p[1]]));
}

static void take_frame(json_t *result, const struct guest *guest, unsigned type,
		       const unsigned char *p, size_t n)
{
	unsigned char go[FRAME_HEADER_BYTES + 4] = {FRAME_GO, 4};

	put_u32le(go + FRAME_HEADER_BYTES, guest->options->compile_only ? GO_COMPILE : 0);
	switch (type) {
	case FRAME_READY:
		json_object_set_new(result, "ready",
				    json_integer(n == 8 ? get_u32le(p) : 0));
		break;
	case FRAME_FINDING:
		take_finding(result, p, n);
		break;
	case FRAME_GATE:
		json_object_set_new(result, "gate",
				    json_integer(n >= 24 ? get_u32le(p + 8) : 0));
		if (guest->options->no_go)
			dup2(guest->out, guest->in); /* closes the way in */
		else
			feed(guest->in, go, sizeof(go));
		break;
	case FRAME_LOG:
		take_log(result, p, n, (size_t)guest->options->lines_shown);
		break;
	case FRAME_VALUE:
		take_value(result, p, n);
		break;
	case FRAME_ERROR:
		take_error(result, p, n);
		break;
	case FRAME_LIMIT:
		take_limit(result, p, n);
		break;
	case FRAME_VIOLATION:
		json_object_set_new(result, "violation",
				    json_integer(n == 8 ? get_u32le(p + 4) : 0));
		break;
	case FRAME_END:
		json_object_set_new(result, "peak",
				    json_integer((json_int_t)get_u64le(p)));
		break;
	default:
		set_fault(result, "unknown type");
	}
}

/* Until end of file, a fault or the deadline. */
static void frames_take(json_t *result, struct guest *guest)
{
	long long deadline = now_ms() + (long long)guest->options->timeout_ms;
	unsigned char header[FRAME_HEADER_BYTES], *payload;
	int got;

	while ((got = receive(guest, header, sizeof(header), deadline)) > 0) {
		size_t n = get_u32le(header + 1);

		payload = malloc(n + 1);
		if (n > 64u << 20 || !payload) {
			set_fault(result, "length");
			free(payload);
			return;
		}
		got = receive(guest, payload, n, deadline);
		if (got > 0)
			take_frame(result, guest, header[0], payload, n);
		free(payload);
		if (got == 0)
			set_fault(result, "cut");
		if (got <= 0)
			break;
	}
	if (got < 0) {
		json_object_set_new(result, "timeout", json_true());
		kill(guest->pid, SIGKILL);
	}
}

static void end_take(json_t *result, const struct guest *guest)
{
	struct rusage usage;
	int status;

	if (wait4(guest->pid, &status, 0, &usage) != guest->pid)
		die("wait");
	if (WIFEXITED(status))
		json_object_set_new(result, "exit", json_integer(WEXITSTATUS(status)));
	else
		json_object_set_new(result, "signal", json_integer(WTERMSIG(status)));
	json_object_set_new(result, "writes", json_integer(guest->writes));
	json_object_set_new(result, "rss_kib", json_integer(usage.ru_maxrss));
}

json_t *host_run(const char *program, const struct host_options *options,
		 const char *source, size_t source_len)
{
	struct guest guest = {.program = program, .options = options};
	json_t *result = json_object();

	signal(SIGPIPE, SIG_IGN);
	json_object_set_new(result, "logs", json_array());
	guest_start(&guest);
	job_send(&guest, source, source_len);
	frames_take(result, &guest);
	end_take(result, &guest);
	close(guest.in);
	close(guest.out);
	return result;
}
