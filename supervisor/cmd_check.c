/* SPDX-License-Identifier: MIT */
/*
 * `quod check`: a run that ends where the source would begin. The same jail, the same
 * gate, and the engine's compiler; the script itself never starts.
 */
#include "supervisor/cmd_run.h"

#include "base/own.h"
#include "supervisor/commands.h"

#define OPTIONS_INTO struct run_args
static const struct option options[] = {check_OPTIONS(OPTION_ROW)};

static int cmd_check(int argc, char **argv)
{
	return cmd_run_main(&command_check, true, argc, argv);
}

const struct command command_check = {
	.name = "check",
	.options = options,
	.options_count = ARRAY_LEN(options),
	.run = cmd_check,
};
