/* SPDX-License-Identifier: MIT */
/* The checks of quod doctor, by the file that has them; doctor.c has their table. */
#ifndef QUOD_DOCTOR_CHECKS_H
#define QUOD_DOCTOR_CHECKS_H

#include <stdio.h>

#include "supervisor/doctor.h"

/* doctor_jail.c: what libjail is made of. */
void check_jail(struct doctor *doctor);

/* doctor_host.c: what else of the host a run needs. */
void check_interpreter(struct doctor *doctor);
void check_policies(struct doctor *doctor);

/* doctor_container.c: what a container takes away. */
bool doctor_in_container(void);
void check_container(struct doctor *doctor);

/* doctor.c. The first line of a file, without its end; empty if it cannot be read, and
 * false. */
bool doctor_read_line(const char *path, char *line, size_t size);
/* The number that a file begins with, or `missing`: also of "max". */
long doctor_read_number(const char *path, long missing);

#endif
