/* SPDX-License-Identifier: MIT */
/*
 * Runs the inmate in a jail through libjail, with chosen walls off, and speaks TAP.
 * The inmate is found below $QUOD_TEST_BUILD.
 */
#ifndef QUOD_TESTS_HARNESS_H
#define QUOD_TESTS_HARNESS_H

#include <stddef.h>

#include "jail/jail.h"

struct outcome {
	int r; /* of jail_start or jail_wait: 0, or a negative errno with err filled */
	struct jail_error err;
	struct jail_result result;
	char out[65536];
	enum jail_enforcer by_memory, by_processes;
};

/* The inmate's path. Static. */
const char *inmate_path(void);

/* A spec for the inmate: no filter, files allowed, 64 MiB: every other wall stands. The
 * arguments are static strings; argv is overwritten by the next call. */
struct jail_spec inmate_spec(const char *what, const char *arg);

/* Runs to its end and collects at most sizeof(out) - 1 bytes of output. */
struct outcome run_spec(const struct jail_spec *spec);
struct outcome run_inmate(const char *what, const char *arg);

/* The same in two halves: what is started and not yet finished runs beside the others. */
struct started {
	int r;
	struct jail_error err;
	struct jail *jail;
};
struct started begin_spec(const struct jail_spec *spec);
struct outcome finish_spec(struct started *started);

/* Starts and waits for the line "ready=1". NULL on failure, which is reported. */
struct jail *start_ready(const struct jail_spec *spec);
/* Waits for that line in one that was begun, and keeps what it said until then. False on
 * failure, which is reported. */
bool await_ready(struct jail *jail, char *out, size_t size);
/* Reads output until end of file; true if every writer is gone within the time. */
bool drained(struct jail *jail, int timeout_ms);

/* The pid of a jail's first process, by its pidfd. -1 when it is gone. */
long jail_pid(const struct jail *jail);

bool has_line(const struct outcome *outcome, const char *line);

/* TAP. check() prints one result and returns `passed`; the format names the test. */
bool check(bool passed, const char *format, ...) __attribute__((format(printf, 2, 3)));
/* check() that the output has this line; shows the output if not. */
bool check_line(const struct outcome *outcome, const char *what, const char *line);
/* Runs checks in a process of their own, which may spoil itself: ids, mounts, terminal.
 * Their count comes back; a child that does not end by itself is a failed check. */
void check_apart(const char *what, void (*checks)(void));
/* From here on this process gets an errno for one system call: with that first argument, or
 * with `mask` 0 whatever it is. False: it does not. */
bool deny_call(long number, unsigned mask, unsigned first, int errnum);
long count_mounts(long pid);
/* Our own. */
long count_fds(void);
void skip(const char *name, const char *why);
void note(const char *format, ...) __attribute__((format(printf, 1, 2)));
/* Prints the plan; the program's exit status. */
int tap_end(void);

/* Root mode, as libjail will decide it. */
bool in_root_mode(void);

#endif
