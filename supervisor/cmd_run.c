/* SPDX-License-Identifier: MIT */
/*
 * `quod run`: the options, and the order of things around a run.
 *
 * What can still be interrupted by hand (reading a source from a terminal) comes before
 * the signals are blocked; what needs files comes before the run confines the process.
 */
#include "supervisor/cmd_run.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "base/own.h"
#include "jail/jail.h"
#include "supervisor/commands.h"
#include "supervisor/guard.h"
#include "supervisor/remote.h"
#include "supervisor/run.h"

#define OPTIONS_INTO struct run_args
static const struct option options[] = {run_OPTIONS(OPTION_ROW)};

/* In a sink of its own: for when the other is what failed. */
int cmd_run_failed(const char *what, const char *why, struct patience *patience)
{
	own_sink struct sink sink;

	sink_init(&sink);
	text_addf(&sink.bytes, "quod: %s: ", what);
	text_add_escaped(&sink.bytes, why, strlen(why), 0);
	text_add_char(&sink.bytes, '\n');
	sink_commit(&sink, STDERR_FILENO);
	(void)sink_flush(&sink, patience);
	return status_infos[STATUS_INTERNAL_ERROR].exit_code;
}

int cmd_run_write_failed(int r, struct patience *patience)
{
	if (r == -EPIPE || r == -EINTR)
		return status_infos[STATUS_CANCELLED].exit_code;
	return cmd_run_failed("cannot write to stdout", strerror(-r), patience);
}

/* Tells the end and decides the exit code, which a reader that has gone may change. */
static int finish(struct output *output, const struct record *record, int signal_fd)
{
	struct patience patience = PATIENCE_INIT(signal_fd);
	int r;

	output_record(output, record);
	r = sink_flush(&output->sink, &patience);
	if (r < 0)
		return cmd_run_write_failed(r, &patience);
	return status_exit_code(record->status, record->crash_signal,
				record->request->judged, record->passed);
}

static int run_with(struct run_means *means, const struct request *request, int signal_fd)
{
	struct record record;
	int code;

	record_init(&record, request);
	run_request(request, means, &record);
	code = finish(means->output, &record, signal_fd);
	record_free(&record);
	return code;
}

static int run_here(const struct request *request, const struct run_place *place,
		    enum output_kind kind)
{
	struct interp interp = INTERP_INIT;
	struct output output;
	own_fd int signal_fd = -1;
	struct own_cell own;
	struct run_means means = {
		.cell = &own.cell, .interp = &interp, .output = &output};
	struct jail_error unprepared;
	int r = guard_prepare(&place->fd, 1, &signal_fd, &unprepared);
	int code;

	interp_open(&interp);
	own_cell_init(&own, &interp, place, signal_fd, r < 0 ? &unprepared : NULL);
	output_init(&output, kind);
	code = run_with(&means, request, signal_fd);
	output_free(&output);
	interp_close(&interp);
	return code;
}

int cmd_run_one(const struct request *request, const struct run_where *where,
		enum output_kind kind)
{
	return where->socket ? remote_run(request, where->socket, kind)
			     : run_here(request, where->place, kind);
}

static int run_all(const struct run_args *args, const struct request *request,
		   const struct run_where *where, enum output_kind kind,
		   struct usage *usage)
{
	return args->cases ? cases_run(args->cases, request, where, kind, usage)
			   : cmd_run_one(request, where, kind);
}

/* Once for all cases: finding the place may have moved us, and children would be in the
 * way of it. */
static int run_placed(const struct run_args *args, const struct request *request,
		      enum output_kind kind, struct usage *usage)
{
	struct place_request wanted = policy_args_place(&args->policy, request->policy);
	struct run_place place;
	int r;

	place_open(&wanted, &place);
	r = run_all(args, request, &(struct run_where){.place = &place}, kind, usage);
	place_close(&place);
	return r;
}

static int run_resolved(const struct run_args *args, bool check_only, struct usage *usage)
{
	const struct run_where there = {.socket = args->socket};
	struct run_texts texts = {0};
	struct request request = {0};
	enum output_kind kind = OUTPUT_TEXT;
	int r = run_args_resolve(args, &request, &texts, &kind, usage);

	/* What does not run has no verdict. */
	request.check_only = check_only;
	request.judged = request.judged && !check_only;
	if (r == 0)
		r = args->daemon ? run_all(args, &request, &there, kind, usage)
				 : run_placed(args, &request, kind, usage);
	policy_free(request.policy);
	free(texts.source);
	free(texts.input);
	return r;
}

/* The daemon's policy instead of our own. */
static int run_by_daemon(struct run_args *args, bool check_only, struct usage *usage)
{
	struct remote_policy policy;
	int r;

	args->socket = client_socket(args->socket);
	r = remote_policy_fetch(args->socket, args->policy.policy, &policy, usage);
	if (r > 0)
		return command_failed(r, usage);
	args->policy.given = &policy.policy;
	return run_resolved(args, check_only, usage);
}

int cmd_run_main(const struct command *command, bool check_only, int argc, char **argv)
{
	struct run_args args = {0};
	struct usage usage;
	int rest = 0;
	int r = options_parse(command->options, command->options_count, false, argc, argv,
			      &args, &rest, &usage);

	if (r == 0 && rest > 1)
		r = usage_fail(&usage, -EINVAL, "one source at a time: '%s' and '%s'",
			       argv[0], argv[1]);
	if (r == 0) {
		args.file = rest ? argv[0] : NULL;
		args.daemon = args.daemon || args.socket;
		r = run_args_check(&args, &usage);
	}
	if (r == 0) {
		r = args.daemon ? run_by_daemon(&args, check_only, &usage)
				: run_resolved(&args, check_only, &usage);
	}
	return r < 0 ? command_misused(command, r, &usage) : r;
}

static int cmd_run(int argc, char **argv)
{
	return cmd_run_main(&command_run, false, argc, argv);
}

const struct command command_run = {
	.name = "run",
	.options = options,
	.options_count = ARRAY_LEN(options),
	.run = cmd_run,
};
