/* SPDX-License-Identifier: MIT */
/*
 * An engine behind the protocol. Each part of a run belongs to one call; all of them
 * happen under the inner filter, with memory from run.heap alone.
 */
#ifndef QUOD_JS_ENGINE_H
#define QUOD_JS_ENGINE_H

#include <stdbool.h>

#include "rootfs/protocol.h"

struct engine {
	enum job_engine id;

	/* Ahead of the job, so that a warm process has it behind it. */
	void (*build)(void);

	/* Takes in run.job before the gate; no guest code runs. Sends findings. */
	void (*prepare)(void);

	/* After GO: sends an ERROR of phase parse, and ends, or nothing. No guest code
	 * runs.
	 */
	void (*compile_only)(void);

	/* After GO: sends everything up to END, which the caller sends. */
	void (*execute)(void);
};

extern const struct engine engine_duktape;

#endif
