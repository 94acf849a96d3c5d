/* SPDX-License-Identifier: MIT */
/* The queue in front of stdout and stderr. */
#include <criterion/criterion.h>
#include <errno.h>
#include <fcntl.h>
#include <string.h>
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
	cr_expect_eq(sink_flush(&sink, -1), -ENOSPC);
	cr_expect_eq(sink_fd(&sink), -1);
	sink_free(&sink);
}
