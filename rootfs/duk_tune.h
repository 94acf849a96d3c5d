/* SPDX-License-Identifier: MIT */
/*
 * Duktape's configuration: the distribution's, changed where the jail needs it. Only
 * duk_whole.h includes it, ahead of duktape.c.
 */
#ifndef QUOD_JS_DUK_TUNE_H
#define QUOD_JS_DUK_TUNE_H

#include "duk_config.h"
#include "rootfs/hooks.h"

/* Limits: frames are the job's; everything that recurses natively stops at the stack. */
#undef DUK_USE_CALLSTACK_LIMIT
#define DUK_USE_CALLSTACK_LIMIT hook_call_frames
#undef DUK_USE_NATIVE_STACK_CHECK
#define DUK_USE_NATIVE_STACK_CHECK() hook_stack_is_low()
#undef DUK_USE_NATIVE_CALL_RECLIMIT
#define DUK_USE_NATIVE_CALL_RECLIMIT 10000
#undef DUK_USE_COMPILER_RECLIMIT
#define DUK_USE_COMPILER_RECLIMIT hook_compile_depth()
#undef DUK_USE_REGEXP_EXECUTOR_RECLIMIT
#define DUK_USE_REGEXP_EXECUTOR_RECLIMIT 50000
#undef DUK_USE_JSON_DEC_RECLIMIT
#define DUK_USE_JSON_DEC_RECLIMIT 5000
#undef DUK_USE_JSON_ENC_RECLIMIT
#define DUK_USE_JSON_ENC_RECLIMIT 5000

/* A tail call would reuse its caller's frame: endless recursion would then be an endless
 * loop instead of a RangeError, and the frames of a trace would be missing. */
#undef DUK_USE_TAILCALL

/* Time and chance: ours, UTC, no file of the system is ever read. */
#undef DUK_USE_DATE_GET_NOW
#define DUK_USE_DATE_GET_NOW(ctx) hook_now_ms()
#undef DUK_USE_GET_MONOTONIC_TIME
#define DUK_USE_GET_MONOTONIC_TIME(ctx) hook_monotonic_ms()
#undef DUK_USE_DATE_GET_LOCAL_TZOFFSET
#define DUK_USE_DATE_GET_LOCAL_TZOFFSET(d) 0
#undef DUK_USE_DATE_PARSE_STRING
#define DUK_USE_DATE_PARSE_STRING(ctx, text) date_parse((ctx), (text))
#undef DUK_USE_DATE_FORMAT_STRING
#undef DUK_USE_GET_RANDOM_DOUBLE
#define DUK_USE_GET_RANDOM_DOUBLE(udata) hook_random()

/* Guest code runs when it is called, never while an error is being made. */
#undef DUK_USE_ERRCREATE
#undef DUK_USE_ERRTHROW

/* As the standard says, not as Duktape widens it: 32-bit code points in strings would
 * let a script forge the engine's hidden keys. */
#undef DUK_USE_NONSTD_STRING_FROMCHARCODE_32BIT

/* A script sees it in stacks: no path of the machine that built us. */
#define DUK_FILE_MACRO "engine"

/* No abort() and no allocator of libc. */
#undef DUK_USE_PROVIDE_DEFAULT_ALLOC_FUNCTIONS
#undef DUK_ABORT
#define DUK_ABORT __builtin_trap

/* peek.c notes where something is thrown before the stack that knows it is gone. */
#undef DUK_LONGJMP
#define DUK_LONGJMP(jb) (hook_throwing(thr), _longjmp((jb), 1))

#endif
