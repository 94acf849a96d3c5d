/* SPDX-License-Identifier: MIT */
/*
 * Descriptors that our caller left open and that nobody meant us to have.
 */
#ifndef QUOD_INHERITED_H
#define QUOD_INHERITED_H

/*
 * Closes every descriptor above 2 that is not close-on-exec: all of ours are, and one
 * that came to us through exec cannot be. Not before all files are read that the caller
 * may have named by descriptor, as a shell's <(...) does. Where there is no /proc nothing
 * is closed; no jail can be made there. Errors: EMFILE, ENFILE, ENOMEM, EPERM.
 */
int close_inherited(void);

#endif
