/* SPDX-License-Identifier: MIT */
/*
 * An interpreter that lies. It stands in for quod-js ($QUOD_JS) and says what the source
 * of its job tells it to say: words, separated by spaces, done one after the other; see
 * the table at the end. It reads the whole job before its first word: quod sends that
 * before it has seen a greeting.
 */
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include "rootfs/protocol.h"

#define SOURCE_MOST 65536

static void write_all(int fd, const void *bytes, size_t len)
{
	const char *at = bytes;

	while (len) {
		ssize_t n = write(fd, at, len);
		if (n <= 0)
			_exit(90);
		at += n;
		len -= (size_t)n;
	}
}

static void read_all(void *bytes, size_t len)
{
	char *at = bytes;

	while (len) {
		ssize_t n = read(0, at, len);
		if (n <= 0)
			_exit(91);
		at += n;
		len -= (size_t)n;
	}
}

static void say_header(unsigned type, size_t len)
{
	unsigned char header[FRAME_HEADER_BYTES] = {(unsigned char)type};

	put_u32le(header + 1, (uint32_t)len);
	write_all(1, header, sizeof(header));
}

static void say_frame(unsigned type, const void *payload, size_t len)
{
	say_header(type, len);
	write_all(1, payload, len);
}

/* Hexadecimal digits to bytes, in place. */
static size_t unhex(char *text)
{
	char pair[3] = "";
	size_t len = 0;

	for (; text[2 * len] && text[2 * len + 1]; len++) {
		memcpy(pair, text + 2 * len, 2);
		text[len] = (char)strtoul(pair, NULL, 16);
	}
	return len;
}

static void say_version(char *arg)
{
	unsigned char payload[8] = {0};

	put_u32le(payload, (uint32_t)strtoul(arg, NULL, 10));
	say_frame(FRAME_READY, payload, sizeof(payload));
}

static void say_ready(char *arg)
{
	unsigned char payload[8] = {0};

	(void)arg;
	put_u32le(payload, PROTOCOL_VERSION);
	say_frame(FRAME_READY, payload, sizeof(payload));
}

static void say_gate_with(uint32_t flags)
{
	unsigned char payload[24] = {0};

	put_u32le(payload + 8, JOB_ENGINE_DUKTAPE);
	put_u32le(payload + 12, flags);
	say_frame(FRAME_GATE, payload, sizeof(payload));
}

static void say_gate(char *arg)
{
	(void)arg;
	say_gate_with(0);
}

static void say_unparsed(char *arg)
{
	(void)arg;
	say_gate_with(GATE_UNPARSED);
}

static void await_go(char *arg)
{
	char go[FRAME_HEADER_BYTES + 4];

	(void)arg;
	read_all(go, sizeof(go));
}

static void say_log(char *arg)
{
	char payload[256] = {LOG_LOG, 0};
	size_t len = strnlen(arg, sizeof(payload) - 2);

	memcpy(payload + 2, arg, len);
	say_frame(FRAME_LOG, payload, 2 + len);
}

/* A number, which is its own JSON and its own text. */
static void say_value(char *arg)
{
	unsigned char payload[256] = {VALUE_IS_JSON};
	size_t len = strnlen(arg, 100);

	put_u32le(payload + 1, (uint32_t)len);
	memcpy(payload + 5, arg, len);
	memcpy(payload + 5 + len, arg, len);
	say_frame(FRAME_VALUE, payload, 5 + 2 * len);
}

static void say_end(char *arg)
{
	unsigned char payload[16] = {0};

	(void)arg;
	say_frame(FRAME_END, payload, sizeof(payload));
}

/* arg: TYPE:PAYLOAD, both hexadecimal. */
static void say_any(char *arg)
{
	char *payload;
	unsigned type = (unsigned)strtoul(arg, &payload, 16);

	payload += *payload == ':';
	say_frame(type, payload, unhex(payload));
}

static void say_raw(char *arg)
{
	write_all(1, arg, unhex(arg));
}

/* arg: TYPE:LENGTH of a header whose payload never comes. */
static void say_claim(char *arg)
{
	char *len;
	unsigned type = (unsigned)strtoul(arg, &len, 16);

	say_header(type, strtoul(len + (*len == ':'), NULL, 10));
}

static void flood(char *arg)
{
	for (;;)
		say_log(arg);
}

static void fill(char *arg)
{
	static const char zeros[4096];
	int fd = (int)strtol(arg, NULL, 10);

	for (;;)
		write_all(fd, zeros, sizeof(zeros));
}

static void grumble(char *arg)
{
	write_all(2, arg, strlen(arg));
}

static void leave(char *arg)
{
	_exit((int)strtol(arg, NULL, 10));
}

static void call(char *arg)
{
	syscall(strtol(arg, NULL, 10), 0, 0, 0, 0, 0, 0);
}

static void crash(char *arg)
{
	(void)arg;
	*(volatile int *)(uintptr_t)strtoul(arg, NULL, 10) = 1;
}

/* Until the input ends, which it does not while quod lives. */
static void wait_for_ever(char *arg)
{
	(void)arg;
	for (char byte; read(0, &byte, 1) == 1;)
		continue;
}

/* arg: microseconds, busy. */
static void burn(char *arg)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	long long end =
		now.tv_sec * 1000000ll + now.tv_nsec / 1000 + strtoll(arg, NULL, 10);
	do
		clock_gettime(CLOCK_MONOTONIC, &now);
	while (now.tv_sec * 1000000ll + now.tv_nsec / 1000 < end);
}

/* Memory, until there is none. */
static void eat(char *arg)
{
	const size_t bite = 1u << 20;

	(void)arg;
	for (char *mouthful; (mouthful = malloc(bite));)
		memset(mouthful, 1, bite);
	_exit(94);
}

static void spin(char *arg)
{
	(void)arg;
	for (;;)
		__asm__ volatile("");
}

static void obey(char *word)
{
	static const struct {
		const char *name;
		void (*run)(char *arg);
	} words[] = {
		{"ready", say_ready},
		{"version", say_version},
		{"gate", say_gate},
		{"go", await_go},
		{"log", say_log},
		{"value", say_value},
		{"end", say_end},
		{"frame", say_any},
		{"raw", say_raw},
		{"claim", say_claim},
		{"flood", flood},
		{"fill", fill},
		{"grumble", grumble},
		{"exit", leave},
		{"call", call},
		{"crash", crash},
		{"wait", wait_for_ever},
		{"spin", spin},
		{"burn", burn},
		{"eat", eat},
		{"unparsed", say_unparsed},
	};
	char *arg = strchr(word, ':');

	if (arg)
		*arg++ = '\0';
	for (size_t i = 0; i < sizeof(words) / sizeof(words[0]); i++)
		if (strcmp(word, words[i].name) == 0) {
			words[i].run(arg ? arg : word + strlen(word));
			return;
		}
	_exit(92);
}

int main(void)
{
	static unsigned char job[FRAME_HEADER_BYTES + JOB_HEAD_BYTES];
	static char source[SOURCE_MOST + 1], rest[SOURCE_MOST];
	char *save = NULL;

	read_all(job, sizeof(job));
	const unsigned char *head = job + FRAME_HEADER_BYTES;
	size_t source_len = get_u32le(head + 48);
	size_t rest_len = get_u32le(head + 52) + get_u32le(head + 56) +
			  get_u32le(head + 60) + get_u32le(head + 64);
	if (source_len > SOURCE_MOST || rest_len > sizeof(rest))
		return 93;
	read_all(source, source_len);
	read_all(rest, rest_len);
	for (char *word = strtok_r(source, " \n", &save); word;
	     word = strtok_r(NULL, " \n", &save))
		obey(word);
	return 0;
}
