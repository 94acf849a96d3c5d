/* SPDX-License-Identifier: MIT */
/*
 * bench [-n ROUNDS] [-w WARM-UPS] [-g GAP-US] [-m MINUS-US] LIST: times whole processes,
 * interleaved. MINUS-US is taken off every time, for what is known to be waiting.
 *
 * LIST has one command a line, fields parted by tabs:
 *	name  expect  stdin  fd3  argv[0]  argv[1] ...
 * expect is "frames" (a VALUE frame of 2 and an END frame come out) or "text" (the line
 * "2") or "timeout" (exit status 124); stdin and fd3 are files, "-" for none. Every round
 * runs every command once, after a short pause, so that all of them see the same machine;
 * a command is compared with another by the median of the ratios within a round, because
 * absolute speed drifts.
 *
 * The first three commands are the yardsticks of the table's ratio columns.
 */
#include <errno.h>
#include <fcntl.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <sys/wait.h>

#include "base/number.h"
#include "base/own.h"
#include "rootfs/protocol.h"
#include "tests/bench/sample.h"

#define COMMANDS_MOST  16
#define ARGUMENTS_MOST 64
#define OUTPUT_MOST    4096
#define ROUNDS_MOST    100000
#define YARDSTICKS     3

struct command {
	const char *name, *expect, *in, *fd3;
	char *argv[ARGUMENTS_MOST + 1];
	double *us; /* one per round */
	unsigned good;
};

struct bench {
	struct command commands[COMMANDS_MOST];
	size_t count;
	uint32_t rounds, warm_ups, gap_us, minus_us;
};

/* Is there a VALUE that says 2, and then END? */
static int frames_are_good(const unsigned char *bytes, size_t len)
{
	int value = 0;

	while (len >= FRAME_HEADER_BYTES) {
		size_t payload = get_u32le(bytes + 1);
		if (payload > len - FRAME_HEADER_BYTES)
			return 0;
		if (bytes[0] == FRAME_VALUE)
			value = bytes[FRAME_HEADER_BYTES + payload - 1] == '2';
		if (bytes[0] == FRAME_END)
			return value;
		bytes += FRAME_HEADER_BYTES + payload;
		len -= FRAME_HEADER_BYTES + payload;
	}
	return 0;
}

static int end_is_good(const struct command *command, int status, const char *out,
		       size_t len)
{
	if (strcmp(command->expect, "timeout") == 0)
		return WIFEXITED(status) && WEXITSTATUS(status) == 124;
	if (status != 0)
		return 0;
	if (strcmp(command->expect, "frames") == 0)
		return frames_are_good((const unsigned char *)out, len);
	return len == 2 && memcmp(out, "2\n", 2) == 0;
}

static void add_file(posix_spawn_file_actions_t *actions, int fd, const char *path)
{
	if (strcmp(path, "-") != 0)
		posix_spawn_file_actions_addopen(actions, fd, path, O_RDONLY, 0);
	else if (fd == STDIN_FILENO)
		posix_spawn_file_actions_addopen(actions, fd, "/dev/null", O_RDONLY, 0);
}

static pid_t start(const struct command *command, int out)
{
	static char path[] = "PATH=/usr/sbin:/usr/bin:/sbin:/bin";
	static char interpreter[4096];
	char *const environment[] = {path, interpreter, NULL};
	posix_spawn_file_actions_t actions;
	pid_t pid = -1;

	snprintf(interpreter, sizeof(interpreter), "QUOD_JS=%s", getenv("QUOD_JS") ?: "");
	posix_spawn_file_actions_init(&actions);
	posix_spawn_file_actions_adddup2(&actions, out, STDOUT_FILENO);
	if (!getenv("BENCH_SHOW_ERRORS"))
		posix_spawn_file_actions_addopen(&actions, STDERR_FILENO, "/dev/null",
						 O_WRONLY, 0);
	add_file(&actions, STDIN_FILENO, command->in);
	add_file(&actions, 3, command->fd3);
	if (posix_spawnp(&pid, command->argv[0], &actions, NULL, command->argv,
			 environment) != 0)
		pid = -1;
	posix_spawn_file_actions_destroy(&actions);
	return pid;
}

/* Microseconds from before the start to after the end, and whether it did its work. */
static double run_once(const struct command *command, int *ret_good)
{
	char out[OUTPUT_MOST];
	size_t len = 0;
	ssize_t n;
	int ends[2], status = -1;

	*ret_good = 0;
	/* High numbers, so that the fd 3 of a command is free. */
	if (pipe2(ends, O_CLOEXEC) < 0)
		return 0;
	own_fd int from = fcntl(ends[0], F_DUPFD_CLOEXEC, 10);
	int to = fcntl(ends[1], F_DUPFD_CLOEXEC, 10);
	close(ends[0]);
	close(ends[1]);

	double begin = now_us();
	pid_t pid = start(command, to);
	close(to);
	while (len < sizeof(out) && (n = read(from, out + len, sizeof(out) - len)) > 0)
		len += (size_t)n;
	if (pid > 0)
		waitpid(pid, &status, 0);
	double us = now_us() - begin;
	*ret_good = end_is_good(command, status, out, len);
	return us;
}

static void run_rounds(struct bench *bench)
{
	struct timespec gap = {.tv_nsec = (long)bench->gap_us * 1000};
	uint32_t whole = bench->warm_ups + bench->rounds;

	for (uint32_t round = 0; round < whole; round++) {
		for (size_t i = 0; i < bench->count; i++) {
			struct command *command = &bench->commands[i];
			int good;

			nanosleep(&gap, NULL);
			double us = run_once(command, &good);
			if (round < bench->warm_ups)
				continue;
			command->us[round - bench->warm_ups] = us - bench->minus_us;
			command->good += (unsigned)good;
		}
	}
}

static double median_ratio(const struct bench *bench, const struct command *command,
			   const struct command *yardstick)
{
	own_free double *ratios = calloc(bench->rounds, sizeof(*ratios));

	if (!ratios)
		return 0;
	for (uint32_t i = 0; i < bench->rounds; i++)
		ratios[i] = command->us[i] / yardstick->us[i];
	return percentile(ratios, bench->rounds, 0.5);
}

static void print_command(const struct bench *bench, const struct command *command)
{
	size_t yardsticks = bench->count < YARDSTICKS ? bench->count : YARDSTICKS;
	own_free double *sorted = calloc(bench->rounds, sizeof(*sorted));
	double ratios[YARDSTICKS] = {0};

	if (!sorted)
		return;
	memcpy(sorted, command->us, bench->rounds * sizeof(*sorted));
	double p50 = percentile(sorted, bench->rounds, 0.5);
	double p99 = percentile(sorted, bench->rounds, 0.99);
	for (size_t i = 0; i < yardsticks; i++)
		ratios[i] = median_ratio(bench, command, &bench->commands[i]);
	printf("%-14s %8.0f %8.0f %8.0f", command->name, p50, p99, sorted[0]);
	for (size_t i = 0; i < yardsticks; i++)
		printf(" %9.2f", ratios[i]);
	printf("   %u/%u\n", command->good, bench->rounds);
	printf("#BENCH command=%s p50_us=%.0f p99_us=%.0f min_us=%.0f", command->name,
	       p50, p99, sorted[0]);
	for (size_t i = 0; i < yardsticks; i++)
		printf(" x_%s=%.3f", bench->commands[i].name, ratios[i]);
	printf(" good=%u of=%u\n", command->good, bench->rounds);
}

static void print_table(const struct bench *bench)
{
	printf("%-14s %8s %8s %8s", "command", "p50 us", "p99 us", "min us");
	for (size_t i = 0; i < bench->count && i < YARDSTICKS; i++)
		printf("  x %-6.6s", bench->commands[i].name);
	printf("   good\n");
	for (size_t i = 0; i < bench->count; i++)
		print_command(bench, &bench->commands[i]);
}

/* The line stays allocated: the command points into it. */
static int parse_line(char *line, struct command *command)
{
	char *fields[ARGUMENTS_MOST + 5] = {NULL};
	size_t count = 0;

	line[strcspn(line, "\n")] = '\0';
	for (char *field; count < ARRAY_LEN(fields) - 1 && (field = strsep(&line, "\t"));)
		fields[count++] = field;
	if (count < 5)
		return -EINVAL;
	command->name = fields[0];
	command->expect = fields[1];
	command->in = fields[2];
	command->fd3 = fields[3];
	memcpy(command->argv, fields + 4, sizeof(command->argv));
	return 0;
}

static int read_list(struct bench *bench, const char *path)
{
	FILE *file = fopen(path, "re");

	if (!file)
		return -errno;
	while (bench->count < COMMANDS_MOST) {
		struct command *command = &bench->commands[bench->count];
		char *line = NULL;
		size_t room = 0;

		if (getline(&line, &room, file) <= 0 || parse_line(line, command) < 0) {
			free(line);
			break;
		}
		command->us = calloc(bench->rounds, sizeof(*command->us));
		if (!command->us)
			break;
		bench->count++;
	}
	fclose(file);
	return bench->count ? 0 : -EINVAL;
}

static int parse_options(struct bench *bench, int argc, char **argv)
{
	int option;

	while ((option = getopt(argc, argv, "n:w:g:m:")) != -1) {
		enum number_error error = NUMBER_SYNTAX;
		if (option == 'n')
			error = number_parse_u32(optarg, 1, ROUNDS_MOST, &bench->rounds);
		else if (option == 'w')
			error = number_parse_u32(optarg, 0, ROUNDS_MOST,
						 &bench->warm_ups);
		else if (option == 'g')
			error = number_parse_u32(optarg, 0, 100000, &bench->gap_us);
		else if (option == 'm')
			error = number_parse_u32(optarg, 0, 10000000, &bench->minus_us);
		if (error != NUMBER_OK)
			return -EINVAL;
	}
	return optind == argc - 1 ? 0 : -EINVAL;
}

int main(int argc, char **argv)
{
	struct bench bench = {.rounds = 200, .warm_ups = 5, .gap_us = 2000};
	unsigned bad = 0;

	if (parse_options(&bench, argc, argv) < 0) {
		fprintf(stderr, "usage: bench [-n ROUNDS] [-w WARM-UPS] [-g GAP-US] [-m "
				"MINUS-US] LIST\n");
		return 2;
	}
	if (read_list(&bench, argv[optind]) < 0) {
		fprintf(stderr, "bench: no commands in '%s'\n", argv[optind]);
		return 2;
	}
	run_rounds(&bench);
	print_table(&bench);
	for (size_t i = 0; i < bench.count; i++)
		bad += bench.commands[i].good != bench.rounds;
	return bad ? 1 : 0;
}
