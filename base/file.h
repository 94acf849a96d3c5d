/* SPDX-License-Identifier: MIT */
/*
 * Whole files in, whole buffers out: short transfers, EINTR and non-blocking descriptors
 * are dealt with here and nowhere else.
 */
#ifndef QUOD_FILE_H
#define QUOD_FILE_H

#include <stdbool.h>
#include <stddef.h>

/*
 * Reads from where the descriptor stands to its end. On success *ret_data is the
 * caller's (free), with a NUL after its *ret_len bytes. Reads at most one byte more than
 * `most`. Errors: -EFBIG (longer than `most`), -EISDIR, -ENOMEM, and what read(2) gives.
 */
int file_read_fd(int fd, size_t most, char **ret_data, size_t *ret_len);

/* The same for a path relative to dir_fd (or AT_FDCWD); symbolic links are followed. */
int file_read_at(int dir_fd, const char *path, size_t most, char **ret_data,
		 size_t *ret_len);

/* Writes all of it or fails; a non-blocking descriptor is waited for. Errors: what
 * write(2) gives; some bytes may have been written. */
int file_write_all(int fd, const void *bytes, size_t len);

/*
 * Opens /dev/null on those of fds 0, 1 and 2 that are closed, so that no later open
 * lands there and is taken for a standard stream. First thing in main(). Errors: what
 * open(2) gives.
 */
int file_open_std_fds(void);

/* True for a pipe, a terminal or a socket, where a read or write may wait for somebody
 * for as long as he likes; a file waits for no more than its disk. */
bool file_may_sleep(int fd);

/*
 * Gives fd (1 or 2) a description of its own that never blocks, if it is a pipe or a
 * terminal: poll says that there is some room, not that a whole write fits, and one that
 * sleeps would hold up whatever else has to happen in time. The flag on the description
 * that we share with others is not touched. False where a write may sleep all the same:
 * a socket, or what we may not open anew, like the terminal of another user.
 */
bool file_unblock(int fd);

#endif
