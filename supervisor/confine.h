/* SPDX-License-Identifier: MIT */
/*
 * quod against itself: before the first hostile byte is read it gives up every capability
 * and every system call that it will not need again. Whoever breaks the frame parser then
 * has a process that can read, write, and kill its own jail.
 */
#ifndef QUOD_CONFINE_H
#define QUOD_CONFINE_H

/*
 * For good. All files must be open and all calendars and ids made. No capability is kept:
 * killing what one's own user namespace holds needs none. Calls awake_start(), the
 * filter refusing it later. Errors: those of awake_start(), and what capset(2), prctl(2)
 * and seccomp(2) give.
 */
int confine_self(void);

/* What to say when it fails. */
#define CONFINE_FAILED                                                                \
	"quod cannot confine itself and will not read what a guest says (the kernel " \
	"lacks CONFIG_SECCOMP_FILTER, or a filter around quod forbids seccomp)"

#endif
