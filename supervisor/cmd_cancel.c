/* SPDX-License-Identifier: MIT */
/* `quod cancel`: a run of quodd is to end. Whoever waits for it gets its record. */
#include <errno.h>
#include <stdio.h>

#include "base/own.h"
#include "supervisor/cmd_ask.h"
#include "supervisor/commands.h"
#include "supervisor/runid.h"

struct cancel_args {
	const char *socket;
};

#define OPTIONS_INTO struct cancel_args
static const struct option options[] = {cancel_OPTIONS(OPTION_ROW)};

/* No such run, or it is over: that is an answer. */
static int tell(const struct asked *asked, struct usage *why)
{
	unsigned status = asked->clients[0].reply.status;
	int code;

	if (status < 300)
		return 0;
	code = client_refused(&asked->clients[0], why);
	return command_failed(status == 404 || status == 409 ? EXIT_ANSWER_NO : code,
			      why);
}

static int cmd_cancel(int argc, char **argv)
{
	own_asked struct asked asked = {.count = 0};
	struct cancel_args args = {0};
	struct usage usage;
	char path[64];
	const char *paths[] = {path};
	int rest = 0;
	int r = options_parse(options, ARRAY_LEN(options), false, argc, argv, &args,
			      &rest, &usage);

	if (r == 0 && rest != 1)
		r = usage_fail(&usage, -EINVAL, "it takes the id of one run");
	if (r == 0 && !runid_is_valid(argv[0]))
		r = usage_fail(&usage, -EINVAL,
			       "'%.100s' is no id of a run: 26 digits and capital "
			       "letters",
			       argv[0]);
	if (r < 0)
		return command_misused(&command_cancel, r, &usage);
	snprintf(path, sizeof(path), "/v1/runs/%s", argv[0]);
	r = ask(&asked, args.socket, "DELETE", paths, 1, &usage);
	return r ? command_failed(r, &usage) : tell(&asked, &usage);
}

const struct command command_cancel = {
	.name = "cancel",
	.options = options,
	.options_count = ARRAY_LEN(options),
	.run = cmd_cancel,
};
