/* SPDX-License-Identifier: MIT */
/* The short names of signals, which not every libc has. */
#ifndef QUOD_SIGNAL_NAME_H
#define QUOD_SIGNAL_NAME_H

/* "SIGSEGV"; "signal 47" is put into `room` where there is no name. */
#define SIGNAL_NAME_ROOM 24
const char *signal_name(int number, char room[SIGNAL_NAME_ROOM]);

#endif
