/* SPDX-License-Identifier: MIT */
/*
 * console, as both engines have it. An engine gives the object these methods, each with
 * its number, and calls back with the arguments as the values of the stack.
 */
#ifndef QUOD_JS_CONSOLE_H
#define QUOD_JS_CONSOLE_H

/* X(name) */
#define CONSOLE_METHODS(X) \
	X(log)             \
	X(info)            \
	X(debug)           \
	X(warn)            \
	X(error)           \
	X(trace)           \
	X(assert)

enum console_method {
#define X(name) CONSOLE_##name,
	CONSOLE_METHODS(X)
#undef X
		CONSOLE_METHODS_COUNT
};

extern const char *const console_names[CONSOLE_METHODS_COUNT];

/* Writes the values on the stack, from place 0 to the top, as one LOG frame. What
 * `assert` is to test is no longer among them, and it has failed. */
void console_write(enum console_method method);

#endif
