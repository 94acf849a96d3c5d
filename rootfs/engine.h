/* SPDX-License-Identifier: MIT */
/*
 * An engine behind the protocol. Each part of a run belongs to one call; all of them
 * happen under the inner filter, with memory from the arena alone.
 */
#ifndef QUOD_JS_ENGINE_H
#define QUOD_JS_ENGINE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "rootfs/protocol.h"

/* Bytes of address space that an engine needs around run.heap. */
struct engine_room {
	size_t before, after; /* that can be written */
	size_t guard;	      /* behind those, that cannot be touched */
};

struct engine {
	enum job_engine id;

	/* Before the filter. */
	struct engine_room (*room)(void);

	/* After the source was looked at and before a byte of it is given to the engine. */
	void (*build)(void);

	/* Takes in run.job; no guest code runs. Sends findings. */
	void (*prepare)(void);

	/* After GO: sends an ERROR of phase parse, and ends, or nothing. No guest code
	 * runs.
	 */
	void (*compile_only)(void);

	/* After GO: sends everything up to END, which the caller sends. */
	void (*execute)(void);

	/* Between true and false the limit of memory lies RUN_RESERVE_BYTES higher. */
	void (*reserve)(bool open);

	/* Most bytes of memory that the script has had. */
	uint64_t (*peak)(void);
};

extern const struct engine engine_duktape;
#ifdef WITH_QUICKJS
extern const struct engine engine_quickjs;
#endif

#endif
