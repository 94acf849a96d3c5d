/* SPDX-License-Identifier: MIT */
/*
 * `quod version`: what this is and what it was built with.
 */
#include <errno.h>

#include "base/own.h"
#include "policy/policy.h"
#include "policy/search.h"
#include "rootfs/protocol.h"
#include "supervisor/commands.h"
#include "supervisor/interp.h"

#ifdef __GLIBC__
#include <gnu/libc-version.h>
#endif

static void add_libc(struct text *to)
{
#ifdef __GLIBC__
	text_addf(to, "libc         glibc %s\n", gnu_get_libc_version());
#else
	text_add_str(to, "libc         musl\n");
#endif
}

static void add_engines(struct text *to)
{
	text_add_str(to, "engines     ");
	for (int i = POLICY_ENGINE_AUTO + 1; i < POLICY_ENGINES_COUNT; i++)
		if (policy_engine_is_built((enum policy_engine)i))
			text_addf(to, " %s", policy_engine_names[i]);
	text_add_char(to, '\n');
}

static int cmd_version(int argc, char **argv)
{
	own_text struct text to = TEXT_INIT(8192);
	struct usage usage;

	if (argc) {
		int r = usage_fail(&usage, -EINVAL,
				   "it takes no argument, and '%.100s' is one", argv[0]);
		return command_misused(&command_version, r, &usage);
	}
	text_addf(&to, "quod %s\n", PACKAGE_VERSION);
	text_addf(&to, "protocol     %u\n", PROTOCOL_VERSION);
	text_addf(&to, "interpreter  %s\n", interp_path());
	add_engines(&to);
	text_addf(&to, "policies     %s\n", search_path());
	add_libc(&to);
	return command_print(&to);
}

const struct command command_version = {
	.name = "version",
	.run = cmd_version,
};
