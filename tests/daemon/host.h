/* SPDX-License-Identifier: MIT */
/*
 * A quodd that a test starts, in a directory of its own, and what is known of it from
 * outside. Its log goes to DIR/log.
 */
#ifndef QUOD_TESTS_HOST_H
#define QUOD_TESTS_HOST_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#define HOST_PATH_ROOM 4200

struct host {
	char dir[HOST_PATH_ROOM - 100];
	char quodd[HOST_PATH_ROOM], interpreter[HOST_PATH_ROOM];
	char socket[HOST_PATH_ROOM], state[HOST_PATH_ROOM], log[HOST_PATH_ROOM];
	char config[HOST_PATH_ROOM];
	pid_t monitor; /* ours to wait for; 0: none */
};

/* Makes the directory, with a configuration in which warm jails soon grow old. Programs are found by $QUOD_TEST_BUILD. Errors: negative errnos. */
int host_init(struct host *host);
void host_remove(const struct host *host);

/* Starts it; the runs are its --runs. Errors: what fork(2) gives. */
int host_start(struct host *host, const char *runs);
/* Until it answers. False: it has ended, or is not there after some seconds. */
bool host_answers(const struct host *host);
/* By SIGTERM; its exit code, 128 + n for a signal. */
int host_stop(struct host *host);

/* Its server, the child by that name; 0: there is none. */
pid_t host_server(const struct host *host);
/* How many children a process has, without its zygotes: of these there come to be as many
 * as it could use at once, and they stay. */
unsigned host_children(pid_t pid, unsigned *ret_zygotes);
/* Descriptors that the monitor has open. */
unsigned host_descriptors(pid_t pid);
uint64_t host_rss_kib(pid_t pid);

#endif
