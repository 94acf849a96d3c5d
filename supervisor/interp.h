/* SPDX-License-Identifier: MIT */
/*
 * quod-js, the interpreter that runs in the jail: where it is, and, only if it would not
 * start, what is wrong with it.
 */
#ifndef QUOD_INTERP_H
#define QUOD_INTERP_H

#include <stddef.h>
#include <sys/stat.h>

struct interp {
	int fd; /* owned; -1: it could not be opened, and `why` says what to do */
	const char *path;
	int errnum;
	struct stat st; /* of then: later nothing may be asked about any file */
	char why[512];
};

#define INTERP_INIT      \
	{                \
		.fd = -1 \
	}

/* The installed one, or what the environment's QUOD_JS names (never for a process that
 * runs with somebody else's privileges). Static or the environment's. */
const char *interp_path(void);

/* A failure is kept in it, to become the record of the run that needs it. */
void interp_open(struct interp *ret_interp);
void interp_close(struct interp *interp);

/*
 * Looks for the reason why the jail could not start it or it died at once; `why` is
 * one sentence, or empty if nothing is wrong with the file. Opens nothing.
 */
void interp_diagnose(const struct interp *interp, char *why, size_t size);

#endif
