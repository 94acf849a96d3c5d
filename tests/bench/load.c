/* SPDX-License-Identifier: MIT */
/*
 * A client that measures quodd:
 *
 *	load [-r RATE] [-n ROUNDS] [-g GAP-US] NAME=SOCKET... [-- COMMAND...]
 *		each round asks every daemon once, on a kept connection, and runs the command
 *		once, if there is one; RATE rounds a second, or with a gap between two. Rows of
 *		percentiles, and of ratios within a round to the first.
 *	load -c CLIENTS -s MS SOCKET
 *		as many as that at once, each one run after the other: how many were made.
 *
 * Every reply is looked at: a run whose value is not 2 is not counted as good, and ends in
 * exit status 1. At a rate, time begins when the request was due, not when it could be sent.
 */
#include <errno.h>
#include <fcntl.h>
#include <spawn.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/number.h"
#include "base/own.h"
#include "tests/bench/sample.h"

#define TARGETS_MOST 8
#define ROUNDS_MOST  1000000
#define CLIENTS_MOST 64
#define REPLY_MOST   65536

#define BODY "{\"source\":\"1+1\",\"engine\":\"duktape\"}"

struct target {
	const char *name;
	int fd;		   /* owned; -1: a command */
	char *const *argv; /* of the command */
	double *us;	   /* one a round */
	unsigned good;
};

struct load {
	struct target targets[TARGETS_MOST];
	size_t count;
	uint32_t rounds, rate, gap_us, clients, ms;
};

static int reach(const char *path)
{
	struct sockaddr_un name = {.sun_family = AF_UNIX};
	int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);

	snprintf(name.sun_path, sizeof(name.sun_path), "%s", path);
	if (fd < 0 || connect(fd, (const struct sockaddr *)&name, sizeof(name)) < 0) {
		fprintf(stderr, "load: cannot connect to '%s': %s\n", path,
			strerror(errno));
		exit(2);
	}
	return fd;
}

/* How long the reply is, once its headers are there; 0: they are not. */
static size_t reply_len(const char *reply)
{
	static const char key[] = "\r\nContent-Length: ";
	const char *end = strstr(reply, "\r\n\r\n");
	const char *length = end ? strstr(reply, key) : NULL;

	if (!length || length > end)
		return 0;
	return (size_t)(end - reply) + 4 + strtoul(length + sizeof(key) - 1, NULL, 10);
}

static bool ask(int fd)
{
	static const char request[] = "POST /v1/run HTTP/1.1\r\nHost: quodd\r\n"
				      "Content-Type: application/json\r\n"
				      "Content-Length: %zu\r\n\r\n%s";
	char reply[REPLY_MOST];
	size_t len = 0, whole = 0;
	int n = snprintf(reply, sizeof(reply), request, sizeof(BODY) - 1, BODY);

	if (send(fd, reply, (size_t)n, MSG_NOSIGNAL) != n)
		return false;
	while (whole == 0 || len < whole) {
		ssize_t got = recv(fd, reply + len, sizeof(reply) - 1 - len, 0);

		if (got <= 0)
			return false;
		len += (size_t)got;
		reply[len] = '\0';
		whole = reply_len(reply);
	}
	return strstr(reply, "\"status\":\"ok\"") && strstr(reply, "\"value\":2,");
}

static bool run_command(char *const *argv)
{
	extern char **environ;
	posix_spawn_file_actions_t actions;
	char out[16] = "";
	size_t len = 0;
	ssize_t n;
	pid_t pid = -1;
	int ends[2], status = -1;

	if (pipe2(ends, O_CLOEXEC) < 0)
		return false;
	posix_spawn_file_actions_init(&actions);
	posix_spawn_file_actions_adddup2(&actions, ends[1], STDOUT_FILENO);
	if (posix_spawnp(&pid, argv[0], &actions, NULL, argv, environ) != 0)
		pid = -1;
	posix_spawn_file_actions_destroy(&actions);
	close(ends[1]);
	while (len < sizeof(out) && (n = read(ends[0], out + len, sizeof(out) - len)) > 0)
		len += (size_t)n;
	close(ends[0]);
	if (pid > 0)
		waitpid(pid, &status, 0);
	return status == 0 && len == 2 && memcmp(out, "2\n", 2) == 0;
}

/* --- rounds ------------------------------------------------------------------- */

static void sleep_until(double us)
{
	struct timespec t = {.tv_sec = (time_t)(us / 1e6)};

	t.tv_nsec = (long)((us - (double)t.tv_sec * 1e6) * 1e3);
	while (clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &t, NULL) == EINTR)
		continue;
}

static void run_rounds(struct load *load)
{
	double start = now_us();

	for (uint32_t round = 0; round < load->rounds; round++) {
		double due = load->rate ? start + round * 1e6 / load->rate
					: now_us() + load->gap_us;

		for (size_t i = 0; i < load->count; i++) {
			struct target *target = &load->targets[i];

			if (i == 0)
				sleep_until(due);
			else
				sleep_until(now_us() + load->gap_us);
			double begin = i == 0 && load->rate ? due : now_us();
			target->good += target->fd >= 0 ? ask(target->fd)
							: run_command(target->argv);
			target->us[round] = now_us() - begin;
		}
	}
}

static double ratio_to_first(const struct load *load, const struct target *target)
{
	own_free double *ratios = calloc(load->rounds, sizeof(*ratios));

	if (!ratios)
		return 0;
	for (uint32_t i = 0; i < load->rounds; i++)
		ratios[i] = target->us[i] / load->targets[0].us[i];
	return percentile(ratios, load->rounds, 0.5);
}

static void print_target(const struct load *load, const struct target *target)
{
	double ratio = ratio_to_first(load, target);
	own_free double *sorted = calloc(load->rounds, sizeof(*sorted));

	if (!sorted)
		return;
	memcpy(sorted, target->us, load->rounds * sizeof(*sorted));
	double p50 = percentile(sorted, load->rounds, 0.5);
	double p90 = percentile(sorted, load->rounds, 0.9);
	double p99 = percentile(sorted, load->rounds, 0.99);
	printf("%-14s %8.0f %8.0f %8.0f %8.0f %9.2f   %u/%u\n", target->name, p50, p90,
	       p99, sorted[0], ratio, target->good, load->rounds);
	printf("#BENCH load=%s rate=%u p50_us=%.0f p90_us=%.0f p99_us=%.0f min_us=%.0f "
	       "x_%s=%.3f good=%u of=%u\n",
	       target->name, load->rate, p50, p90, p99, sorted[0], load->targets[0].name,
	       ratio, target->good, load->rounds);
}

static int measure_rounds(struct load *load)
{
	unsigned bad = 0;

	run_rounds(load);
	printf("%-14s %8s %8s %8s %8s  x %-6.6s   good\n", "target", "p50 us", "p90 us",
	       "p99 us", "min us", load->targets[0].name);
	for (size_t i = 0; i < load->count; i++) {
		print_target(load, &load->targets[i]);
		bad += load->targets[i].good != load->rounds;
	}
	return bad ? 1 : 0;
}

/* --- many at once ------------------------------------------------------------- */

static _Noreturn void work(const char *socket, double end, int tell)
{
	int fd = reach(socket);
	unsigned count = 0;

	for (; now_us() < end; count++)
		if (!ask(fd))
			_exit(1);
	_exit(write(tell, &count, sizeof(count)) == sizeof(count) ? 0 : 1);
}

static int measure_many(const struct load *load, const char *socket)
{
	double end = now_us() + load->ms * 1e3;
	unsigned long total = 0;
	unsigned count;
	int ends[2], status, bad = 0;

	if (pipe2(ends, O_CLOEXEC) < 0)
		return 2;
	for (uint32_t i = 0; i < load->clients; i++)
		if (fork() == 0)
			work(socket, end, ends[1]);
	close(ends[1]);
	while (read(ends[0], &count, sizeof(count)) == sizeof(count))
		total += count;
	while (wait(&status) > 0)
		bad |= status;
	printf("%lu\n", total);
	return bad ? 1 : 0;
}

/* --- words -------------------------------------------------------------------- */

static int add_target(struct load *load, const char *name, int fd, char *const *argv)
{
	struct target *target = &load->targets[load->count];

	if (load->count == TARGETS_MOST)
		return -E2BIG;
	*target = (struct target){.name = name, .fd = fd, .argv = argv};
	target->us = calloc(load->rounds, sizeof(*target->us));
	load->count++;
	return target->us ? 0 : -ENOMEM;
}

static int add_daemon(struct load *load, char *word)
{
	char *path = strchr(word, '=');

	if (!path)
		return -EINVAL;
	*path++ = '\0';
	return add_target(load, word, reach(path), NULL);
}

static int parse_options(struct load *load, int argc, char **argv)
{
	enum number_error error = NUMBER_OK;
	int option;

	while (!error && (option = getopt(argc, argv, "+r:n:g:c:s:")) != -1) {
		if (option == 'r')
			error = number_parse_u32(optarg, 1, 10000, &load->rate);
		else if (option == 'n')
			error = number_parse_u32(optarg, 1, ROUNDS_MOST, &load->rounds);
		else if (option == 'g')
			error = number_parse_u32(optarg, 0, 1000000, &load->gap_us);
		else if (option == 'c')
			error = number_parse_u32(optarg, 1, CLIENTS_MOST, &load->clients);
		else if (option == 's')
			error = number_parse_u32(optarg, 1, 3600000, &load->ms);
		else
			return -EINVAL;
	}
	return error || optind >= argc ? -EINVAL : 0;
}

int main(int argc, char **argv)
{
	struct load load = {.rounds = 200, .gap_us = 2000};
	int r = parse_options(&load, argc, argv);

	if (r == 0 && load.clients && load.ms && argc - optind == 1)
		return measure_many(&load, argv[optind]);
	for (int i = optind; r == 0 && i < argc; i++) {
		if (strcmp(argv[i], "--") == 0) {
			r = i + 1 < argc ? add_target(&load, "quod run", -1, argv + i + 1)
					 : -EINVAL;
			break;
		}
		r = add_daemon(&load, argv[i]);
	}
	if (r < 0) {
		fprintf(stderr, "usage: load [-r RATE] [-n ROUNDS] [-g GAP-US] "
				"NAME=SOCKET... [-- COMMAND...]\n"
				"       load -c CLIENTS -s MS SOCKET\n");
		return 2;
	}
	return measure_rounds(&load);
}
