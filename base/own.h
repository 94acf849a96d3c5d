/* SPDX-License-Identifier: MIT */
/*
 * Ownership made visible: destructors that run when a variable leaves its scope, and
 * macros that show at the call where something is handed over.
 *
 *	own_fd int fd = open(...);           closed at every return
 *	own_free char *text = malloc(...);   freed at every return
 *	*ret_fd = TAKE_FD(fd);               not ours any more
 */
#ifndef QUOD_OWN_H
#define QUOD_OWN_H

#include <stdlib.h>
#include <unistd.h>

/* Takes -1. Returns -1, so that `fd = close_fd(fd)` forgets what it closed. */
static inline int close_fd(int fd)
{
	if (fd >= 0)
		close(fd);
	return -1;
}

static inline void own_close_fd(int *fd)
{
	close_fd(*fd);
}

static inline void own_free_ptr(void *p)
{
	free(*(void **)p);
}

#define own_fd	 __attribute__((cleanup(own_close_fd)))
#define own_free __attribute__((cleanup(own_free_ptr)))

#define TAKE_FD(fd)                       \
	__extension__({                   \
		int *take_from_ = &(fd);  \
		int taken_ = *take_from_; \
		*take_from_ = -1;         \
		taken_;                   \
	})

#define TAKE_PTR(p)                                 \
	__extension__({                             \
		__typeof__(p) *take_from_ = &(p);   \
		__typeof__(p) taken_ = *take_from_; \
		*take_from_ = NULL;                 \
		taken_;                             \
	})

#define ARRAY_LEN(a) (sizeof(a) / sizeof((a)[0]))

#endif
