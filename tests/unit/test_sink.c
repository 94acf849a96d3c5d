/* SPDX-License-Identifier: MIT */
/* The queue in front of stdout and stderr. */
#include <criterion/criterion.h>
#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/own.h"
#include "supervisor/sink.h"

/* Writes until everything is out or nothing moves; what arrived is in `got`. */
static void pump(struct sink *sink, int read_fd, struct text *got)
{
	char bytes[8192];
	ssize_t n;

	while (sink_fd(sink) >= 0 && sink_write(sink) == 0) {
		n = read(read_fd, bytes, sizeof(bytes));
		if (n > 0)
			text_add(got, bytes, (size_t)n);
	}
}

Test(sink, keeps_order_and_pieces)
{
	own_text struct text got = TEXT_INIT(1u << 20);
	struct sink sink;
	int fds[2];

	cr_assert_eq(pipe2(fds, O_NONBLOCK), 0);
	sink_init(&sink);
	for (int i = 0; i < 3000; i++) {
		text_addf(&sink.bytes, "%d,", i);
		sink_commit(&sink, fds[1]);
	}
	cr_expect_eq(sink_fd(&sink), fds[1]);
	pump(&sink, fds[0], &got);
	cr_expect_eq(sink_fd(&sink), -1);
	cr_expect_eq(got.len, 10 * 2 + 90 * 3 + 900 * 4 + 2000 * 5);
	cr_expect_eq(strncmp(text_str(&got), "0,1,2,3,", 8), 0);
	cr_expect_eq(sink.bytes.len, 0, "starts over when all is out");
	sink_free(&sink);
}

Test(sink, one_queue_for_two_streams)
{
	struct sink sink;

	sink_init(&sink);
	text_add_str(&sink.bytes, "a");
	sink_commit(&sink, 1);
	sink_commit(&sink, 2);
	text_add_str(&sink.bytes, "b");
	sink_commit(&sink, 2);
	cr_expect_eq(sink.parts_len, 2, "nothing is committed for nothing");
	cr_expect_eq(sink_fd(&sink), 1);
	sink_free(&sink);
}

Test(sink, a_dead_stderr_is_dropped_and_a_dead_stdout_sticks)
{
	struct sink sink;
	int full = open("/dev/full", O_WRONLY);

	cr_assert_geq(full, 0);
	sink_init(&sink);
	text_add_str(&sink.bytes, "x");
	sink_commit(&sink, full);
	cr_expect_eq(sink_write(&sink), 0);
	cr_expect_eq(sink_fd(&sink), -1);
	cr_assert_eq(dup2(full, STDOUT_FILENO), STDOUT_FILENO);
	text_add_str(&sink.bytes, "x");
	sink_commit(&sink, STDOUT_FILENO);
	cr_expect_eq(sink_flush(&sink, &PATIENCE_INIT(-1)), -ENOSPC);
	cr_expect_eq(sink_fd(&sink), -1);
	sink_free(&sink);
}

#define FULL_BYTES 300000 /* more than any pipe holds */

/* A pipe that cannot take all of what the sink has, and a signal that is there already.
 */
static void fill(struct sink *sink, int fds[2], int stop[2])
{
	own_free char *bytes = calloc(1, FULL_BYTES);

	cr_assert(bytes);
	cr_assert_eq(pipe(fds), 0);
	cr_assert_eq(pipe(stop), 0);
	cr_assert_eq(write(stop[1], "x", 1), 1);
	sink_init(sink);
	text_add(&sink->bytes, bytes, FULL_BYTES);
	sink_commit(sink, fds[1]);
}

/* Slowly, until the end of file. The exit status says whether everything came. */
static _Noreturn void read_slowly(int fd)
{
	char bytes[20000];
	size_t all = 0;
	ssize_t n;

	while ((n = read(fd, bytes, sizeof(bytes))) > 0) {
		all += (size_t)n;
		usleep(5000);
	}
	_exit(all == FULL_BYTES ? 0 : 1);
}

Test(sink, a_late_signal_does_not_cut_off_a_slow_reader)
{
	struct sink sink;
	int fds[2], stop[2], status = -1;

	fill(&sink, fds, stop);
	pid_t reader = fork();
	if (reader == 0) {
		close(fds[1]);
		read_slowly(fds[0]);
	}
	cr_expect_eq(sink_flush(&sink, &PATIENCE_INIT(stop[0])), 0);
	close(fds[1]);
	cr_assert_eq(waitpid(reader, &status, 0), reader);
	cr_expect_eq(status, 0);
	sink_free(&sink);
}

Test(sink, a_signal_ends_the_wait_for_one_who_does_not_read)
{
	struct sink sink;
	int fds[2], stop[2];

	fill(&sink, fds, stop);
	cr_expect_eq(sink_flush(&sink, &PATIENCE_INIT(stop[0])), -EINTR);
	cr_expect_neq(sink_fd(&sink), -1);
	sink_free(&sink);
}

Test(sink, held_bytes_are_taken_in_order)
{
	struct sink sink;
	char to[4];

	sink_init(&sink);
	sink.held = true;
	cr_expect_eq(sink_take(&sink, to, sizeof(to)), 0);
	text_add_str(&sink.bytes, "abcde");
	cr_expect_eq(sink_take(&sink, to, sizeof(to)), 0, "not committed");
	sink_commit(&sink, STDOUT_FILENO);
	cr_expect_eq(sink_fd(&sink), -1);
	cr_expect_eq(sink_take(&sink, to, sizeof(to)), 4);
	cr_expect_eq(memcmp(to, "abcd", 4), 0);
	cr_expect_eq(sink_take(&sink, to, sizeof(to)), 1);
	cr_expect_eq(to[0], 'e');
	cr_expect_eq(sink.bytes.len, 0);
	sink_free(&sink);
}
