/* SPDX-License-Identifier: MIT */
/*
 * The ways in which quod-js ends other than by a signal. All of them are one system call,
 * exit_group, which the inner filter allows: abort() and exit handlers need more.
 */
#ifndef QUOD_JS_END_H
#define QUOD_JS_END_H

/* X(id, exit status, what is said on fd 2) */
#define END_CODES(X)                                                                                                  \
	X(DONE, 0, "")                                                                                                \
	X(USAGE, 64, "started without a sensible ARENA argument: quod-js is no command")                              \
	X(NO_FILTER, 65, "cannot put on the inner system call filter: refusing to run")                               \
	X(DUMPABLE, 69, "cannot make itself undumpable: refusing to run")                                             \
	X(NO_MEMORY, 66,                                                                                              \
	  "cannot reserve the arena: the caller's own limits (ulimit -v, ulimit -d) are lower than the memory limit") \
	X(BAD_JOB, 67, "the job breaks the protocol")                                                                 \
	X(PIPE, 68, "cannot write a frame")                                                                           \
	X(ENGINE, 70, "the engine gave up")                                                                           \
	X(TRAP, 71, "the engine did what it must not")

enum end_code {
#define X(id, status, text) END_##id = (status),
	END_CODES(X)
#undef X
};

/* Says why on fd 2, except for END_DONE. */
_Noreturn void end_now(enum end_code code);

/* Says more. */
_Noreturn void end_because(enum end_code code, const char *why);

#endif
