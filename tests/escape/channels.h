/* SPDX-License-Identifier: MIT */
/* What the tests of ways between two runs share. */
#ifndef QUOD_TESTS_CHANNELS_H
#define QUOD_TESTS_CHANNELS_H

#include "tests/escape/harness.h"

/* A bare jail; two at once have two host uids, one after another the same one. */
struct jail_spec channel_spec(const char *what, const char *arg);

/* channels_counts.c */
void channel_namespaces(void); /* each has one of each kind */
void channel_same_uid(void);   /* what works on all processes of a uid */
void channel_attributes(void); /* what a process changes of itself */
void channel_counts(void);     /* what the kernel counts by user */

#endif
