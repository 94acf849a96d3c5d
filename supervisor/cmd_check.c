/* SPDX-License-Identifier: MIT */
/*
 * `quod check`: a run that ends where the source would begin. The same jail, the same
 * gate, and the engine's compiler; the script itself never starts.
 */
#include "supervisor/cmd_run.h"

#include "base/own.h"
#include "supervisor/commands.h"

#define FIELD(name) offsetof(struct run_args, name)

static const struct option options[] = {
	POLICY_ARGS_OPTIONS(run_args, policy),
	{'e', "eval", "CODE", "the source itself instead of a file", FIELD(code)},
	RUN_ARGS_GATE_OPTIONS,
	RUN_ARGS_DAEMON_OPTIONS,
	{'o', "output", "KIND", "text, json or ndjson", FIELD(output)},
};

static int cmd_check(int argc, char **argv)
{
	return cmd_run_main(&command_check, true, argc, argv);
}

const struct command command_check = {
	.name = "check",
	.synopsis = "[OPTION...] [-e CODE | FILE | -]",
	.about = "says what a script is about to do, without running it",
	.options = options,
	.options_count = ARRAY_LEN(options),
	.run = cmd_check,
};
