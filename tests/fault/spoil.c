/* SPDX-License-Identifier: MIT */
/*
 * Linked into a quod whose allocations all come through here: with QUOD_SPOIL=N the N-th
 * of the process gives no memory, and a byte to descriptor 9 tells that there was one.
 * (A system call that fails covers only those for which libc asks the kernel.)
 */
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "jail/jail.h"

#define TOLD_FD 9

/* X(what it returns, name, parameters, arguments) */
#define ALLOCATORS(X)                                                     \
	X(void *, malloc, (size_t size), (size))                          \
	X(void *, calloc, (size_t count, size_t size), (count, size))     \
	X(void *, realloc, (void *old, size_t size), (old, size))         \
	X(void *, reallocarray, (void *old, size_t count, size_t size),   \
	  (old, count, size))                                             \
	X(char *, strdup, (const char *text), (text))                     \
	X(char *, strndup, (const char *text, size_t most), (text, most)) \
	X(DIR *, fdopendir, (int fd), (fd))

#define X(type, name, parameters, arguments) \
	type __real_##name parameters;       \
	type __wrap_##name parameters;
ALLOCATORS(X)
#undef X

static bool is_spoilt(void)
{
	static unsigned long left;
	static bool known;

	if (!known) {
		const char *text = getenv("QUOD_SPOIL");
		left = text ? strtoul(text, NULL, 10) : 0;
		known = true;
	}
	if (left == 0 || --left > 0)
		return false;
	if (write(TOLD_FD, "x", 1) < 0)
		_exit(99);
	errno = ENOMEM;
	return true;
}

/* quod closes what it was left open: but not this. */
int __real_jail_close_inherited(const int *ours, size_t count, struct jail_error *err);
int __wrap_jail_close_inherited(const int *ours, size_t count, struct jail_error *err);

int __wrap_jail_close_inherited(const int *ours, size_t count, struct jail_error *err)
{
	int kept[16];

	if (count + 1 > sizeof(kept) / sizeof(kept[0]))
		_exit(98);
	if (count)
		memcpy(kept, ours, count * sizeof(*kept));
	kept[count] = TOLD_FD;
	return __real_jail_close_inherited(kept, count + 1, err);
}

#define X(type, name, parameters, arguments)                         \
	type __wrap_##name parameters                                \
	{                                                            \
		return is_spoilt() ? NULL : __real_##name arguments; \
	}
ALLOCATORS(X)
#undef X
