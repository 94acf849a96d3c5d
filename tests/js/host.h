/* SPDX-License-Identifier: MIT */
/*
 * Plays the host for one quod-js without a jail: sends a job, takes every frame, says GO,
 * and reports what came back and how the process ended as one JSON object.
 */
#ifndef QUOD_TESTS_HOST_H
#define QUOD_TESTS_HOST_H

#include <jansson.h>
#include <stddef.h>

/* X(option, field): numbers of a run that an option sets */
#define HOST_NUMBERS(X)           \
	X("heap", heap_bytes)     \
	X("arena", arena_bytes)   \
	X("frames", stack_frames) \
	X("value", value_bytes)   \
	X("log", log_bytes)       \
	X("seed", seed)           \
	X("now", now_ms)          \
	X("engine", engine)       \
	X("timeout", timeout_ms)  \
	X("flags", flags)         \
	X("stack", stack_bytes)   \
	X("lines", lines_shown)   \
	X("no-go", no_go)         \
	X("ahead", ahead)         \
	X("compile", compile_only)

struct host_options {
#define X(name, field) unsigned long long field;
	HOST_NUMBERS(X)
#undef X
	const char *input, *name, *globals; /* globals: NULL: all */
};

#define HOST_OPTIONS_INIT                                                            \
	{                                                                            \
		.heap_bytes = 32u << 20, .stack_frames = 1000, .value_bytes = 65536, \
		.log_bytes = 65536, .timeout_ms = 60000, .stack_bytes = 8u << 20,    \
		.lines_shown = 20, .name = "script.js"                               \
	}

/* One word "--name=value"; borrows from it. 0 or -1. */
int host_option_parse(struct host_options *options, const char *word);

/* The caller's object. Keys are there only where something came:
 *	ready, gate, finding, logs, lines, text, json, is_json, is_true, error, limit,
 *	violation, peak; fault (a broken frame), timeout, exit, signal, writes, rss_kib */
json_t *host_run(const char *program, const struct host_options *options,
		 const char *source, size_t source_len);

#endif
