/* SPDX-License-Identifier: MIT */
/* The checks of quod doctor, by the file that has them; doctor.c has their table. */
#ifndef QUOD_DOCTOR_CHECKS_H
#define QUOD_DOCTOR_CHECKS_H

#include <stdio.h>
#include <sys/types.h>

#include "supervisor/doctor.h"

/* doctor_jail.c: what libjail is made of. */
void check_jail(struct doctor *doctor);

/* doctor_host.c: what else of the host a run needs. */
void check_interpreter(struct doctor *doctor);
void check_policies(struct doctor *doctor);
void check_proc(struct doctor *doctor);
void check_clock(struct doctor *doctor);
void check_core(struct doctor *doctor);

/* doctor_limits.c */
void check_files(struct doctor *doctor);
void check_processes(struct doctor *doctor);

/* doctor_rootless.c: what a user is given by others. */
void check_caller(struct doctor *doctor);
void check_manager(struct doctor *doctor);
void check_linger(struct doctor *doctor);
void check_delegated(struct doctor *doctor);

/* doctor_daemon.c: what quodd needs before anybody can ask it. */
void check_operator(struct doctor *doctor);
void check_program(struct doctor *doctor);
void check_config(struct doctor *doctor);
void check_server_user(struct doctor *doctor);
void check_state(struct doctor *doctor);
void check_units(struct doctor *doctor);
void check_host_controllers(struct doctor *doctor);

/* doctor_ask.c: what it says. */
void check_socket(struct doctor *doctor);
void check_daemon(struct doctor *doctor);

/* doctor_container.c: what a container takes away. */
bool doctor_in_container(void);
void check_container(struct doctor *doctor);

/* doctor.c. The first line of a file, without its end; empty if it cannot be read, and
 * false. */
bool doctor_read_line(const char *path, char *line, size_t size);
/* The same with all lines, as far as they fit. */
bool doctor_read_text(const char *path, char *text, size_t size);
/* Which of memory, pids and cpu a list of controllers lacks, a blank before each. False: it
 * cannot be read. */
bool doctor_missing_controllers(const char *path, char *missing, size_t size);
/* The number that a file begins with, or `missing`: also of "max". */
long doctor_read_number(const char *path, long missing);

/* doctor_daemon.c. What comes until the end, for so long at most: how many bytes.
 * Errors: -ETIMEDOUT, what read(2) gives. */
int doctor_listen(int fd, char *to, size_t size, int ms);
/* Its exit status; `hung`: it is killed first. Errors: -EINTR (a signal ended it). */
int doctor_reap(pid_t pid, bool hung);

#endif
