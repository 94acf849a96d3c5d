/* SPDX-License-Identifier: MIT */
/*
 * Attacks on the supervisor by what it reads: too much, too little at a time, everything
 * that the pipe holds and then silence, and the pipe itself bent into something else.
 */
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/uio.h>
#include <unistd.h>

#include "tests/escape/inmate.h"

static void flood_both(const char *arg)
{
	static char block[65536];

	(void)arg;
	memset(block, 0x1b, sizeof(block));
	for (;;)
		if (write(1, block, sizeof(block)) < 0 ||
		    write(2, block, sizeof(block)) < 0)
			_exit(1);
}

/* arg: how many bytes, one write each. */
static void drip(const char *arg)
{
	for (long left = strtol(arg, NULL, 10); left > 0; left--)
		if (write(1, "x", 1) != 1)
			_exit(1);
}

static void spin_on(void)
{
	for (;;)
		continue;
}

/* What a pipe holds and no byte more, so that it is full when nobody reads. */
static void fill_and_spin(const char *arg)
{
	static char block[65536];

	(void)arg;
	memset(block, 'y', sizeof(block));
	if (write(1, block, sizeof(block)) < 0 || write(2, block, sizeof(block)) < 0)
		_exit(1);
	spin_on();
}

static void close_and_spin(const char *arg)
{
	(void)arg;
	for (int fd = 0; fd < 3; fd++)
		close(fd);
	spin_on();
}

/* Every byte there is: NUL, halves of characters, what a terminal would obey. */
static void all_bytes(const char *arg)
{
	unsigned char block[256];

	(void)arg;
	for (int i = 0; i < 256; i++)
		block[i] = (unsigned char)i;
	if (write(1, block, sizeof(block)) < 0)
		_exit(1);
}

const struct try_fn flood_tries[] = {
	{"flood-both", flood_both},	  {"drip", drip},
	{"fill-and-spin", fill_and_spin}, {"close-and-spin", close_and_spin},
	{"all-bytes", all_bytes},	  {NULL, NULL},
};

/* arg: a process that is not in our namespace: it would get signals for our pipe. */
static long own_by(const char *arg)
{
	return fcntl(1, F_SETOWN, atoi(arg));
}

static long give_itself_signals(const char *arg)
{
	(void)arg;
	return fcntl(1, F_SETFL, O_ASYNC | O_NONBLOCK);
}

/* Reads would then give one packet each, and lose what is longer. */
static long make_packets(const char *arg)
{
	(void)arg;
	return fcntl(1, F_SETFL, O_DIRECT);
}

/* The pages themselves, to be changed after they have been checked. */
static long give_pages(const char *arg)
{
	static char page[4096] __attribute__((aligned(4096)));
	struct iovec all = {page, sizeof(page)};

	(void)arg;
	memset(page, '\n', sizeof(page));
	return vmsplice(1, &all, 1, SPLICE_F_GIFT);
}

static long enlarge_pipe(const char *arg)
{
	return fcntl(1, F_SETPIPE_SZ, atoi(arg));
}

/* The other end of our pipes is not ours. */
static long read_own_output(const char *arg)
{
	char byte;

	(void)arg;
	return read(1, &byte, 1);
}

static long write_own_input(const char *arg)
{
	(void)arg;
	return write(0, "x", 1);
}

const struct attempt pipe_attempts[] = {
	{"own-by", own_by},
	{"give-itself-signals", give_itself_signals},
	{"make-packets", make_packets},
	{"give-pages", give_pages},
	{"enlarge-pipe", enlarge_pipe},
	{"read-own-output", read_own_output},
	{"write-own-input", write_own_input},
	{NULL, NULL},
};
