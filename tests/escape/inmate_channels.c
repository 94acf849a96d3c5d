/* SPDX-License-Identifier: MIT */
/*
 * Leaves and finds. Each is told "CHANNEL:TOKEN:HANDLE"; `within` does both in one jail,
 * by two processes: what is found there and not in another jail was kept apart by the
 * jail.
 */
#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "tests/escape/inmate.h"

static const struct channel *find_in(const struct channel *channels, const char *name)
{
	while (channels->name && strcmp(channels->name, name) != 0)
		channels++;
	return channels->name ? channels : NULL;
}

static const struct channel *find_channel(const char *arg, struct mark *ret_mark)
{
	char name[64] = "";

	*ret_mark = (struct mark){0};
	if (sscanf(arg, "%63[^:]:%ld:%ld", name, &ret_mark->token, &ret_mark->handle) < 2)
		_exit(97);
	const struct channel *channel = find_in(object_channels, name);
	if (!channel)
		channel = find_in(message_channels, name);
	if (!channel)
		channel = find_in(process_channels, name);
	if (!channel)
		_exit(98);
	say("trying", name);
	return channel;
}

static void live_on(const struct channel *channel, const struct mark *mark)
{
	if (channel->wait)
		channel->wait(mark);
	for (;;)
		pause();
}

static void leave(const char *arg)
{
	struct mark mark;
	const struct channel *channel = find_channel(arg, &mark);
	long handle = channel->leave(&mark);

	say_result("leave", handle);
	say_number("handle", handle);
	say("ready", "1");
	live_on(channel, &mark);
}

static void find(const char *arg)
{
	struct mark mark;
	const struct channel *channel = find_channel(arg, &mark);

	say_result("find", channel->find(&mark));
}

/* The leaver is a child of ours, in our own session and namespaces. */
static void within(const char *arg)
{
	struct mark mark;
	const struct channel *channel = find_channel(arg, &mark);
	int told[2];

	if (pipe(told) < 0)
		_exit(96);
	pid_t parent = getpid(), pid = fork();
	if (pid == 0) {
		end_with(parent);
		long handle = channel->leave(&mark);
		int errnum = errno;
		if (handle < 0)
			handle = -errnum;
		if (write(told[1], &handle, sizeof(handle)) < 0)
			_exit(95);
		live_on(channel, &mark);
	}
	if (read(told[0], &mark.handle, sizeof(mark.handle)) != sizeof(mark.handle))
		_exit(94);
	say_result("leave", mark.handle < 0 ? failed_with((int)-mark.handle) : 0);
	/* Channels by number know the other process by its pid. */
	if (find_in(process_channels, channel->name))
		mark.handle = pid;
	say_result("find", channel->find(&mark));
	kill(pid, SIGKILL);
	waitpid(pid, NULL, 0);
}

const struct try_fn channel_tries[] = {
	{"leave", leave},
	{"find", find},
	{"within", within},
	{NULL, NULL},
};
