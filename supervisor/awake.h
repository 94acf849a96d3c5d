/* SPDX-License-Identifier: MIT */
/*
 * No read or write of ours sleeps for long on a descriptor that we have in common with
 * others, whatever poll has promised.
 */
#ifndef QUOD_AWAKE_H
#define QUOD_AWAKE_H

/* We are going to write to fd (1 or 2), or to read from it (0): as soon as possible,
 * while files may still be opened. */
void awake_at_writes(int fd);
void awake_at_reads(int fd);

/*
 * From here on, if one of them can sleep, any system call that waits may end with EINTR,
 * again and again: where all that follows expects it. Once in a process; children do not
 * have it. Errors: -EAGAIN, -ENOMEM.
 */
int awake_start(void);

#endif
