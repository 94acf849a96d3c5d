/* SPDX-License-Identifier: MIT */
/*
 * Jails of a template, and the zygotes that clone them. All of it is judged by check().
 */
#ifndef QUOD_TESTS_ZYGOTES_H
#define QUOD_TESTS_ZYGOTES_H

#include <stdbool.h>
#include <sys/stat.h>
#include <sys/types.h>

#include "tests/escape/harness.h"

#define PIDS_MOST 64

/* The one that is tried now. */
extern struct jail_template *template;

struct jail_template *make_template(void);
/* inmate_spec(), of the template. */
struct jail_spec template_spec(const char *name, const char *arg);

/* What "/proc/PID/NAME" leads to; PID 0 is our own. */
struct stat look_at(long pid, const char *name);

/* A child of one has its name until it executes something, but another namespace. */
bool is_zygote(pid_t pid);
/* Children of ours that are zygotes, or that are not. */
unsigned find_children(pid_t found[PIDS_MOST], bool zygotes);
unsigned find_zygotes(pid_t found[PIDS_MOST]);
/* The first; without one the test ends. */
pid_t the_zygote(void);
/* Root may make mount namespaces; others may be able to as well. */
bool is_rooted(pid_t zygote);
bool has_children(void);

/* Exits with 7, as it was told. */
void check_it_runs(const char *what);
/* So long no zygote is started after one that had to go. */
void rest(void);

#endif
