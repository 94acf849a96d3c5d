/* SPDX-License-Identifier: MIT */
/*
 * `quod doctor`: what this host can enforce, what not, and what mends it. Each probe is
 * tried, not looked up.
 */
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "base/own.h"
#include "jail/jail.h"
#include "supervisor/cmd_run.h"
#include "supervisor/commands.h"
#include "supervisor/guard.h"
#include "supervisor/json.h"
#include "supervisor/run.h"

/* Exit code if a run is not possible here. */
#define DOCTOR_FAILS 1

struct doctor_args {
	const char *output;
};

static const struct option options[] = {
	{'o', "output", "KIND", "text or json", offsetof(struct doctor_args, output)},
};

static const char *const state_names[] = {[JAIL_PROBE_WORKS] = "works",
					  [JAIL_PROBE_LESS] = "less",
					  [JAIL_PROBE_FAILS] = "fails"};

static void add_json(const struct jail_probe *probe, struct text *to)
{
	if (to->data[to->len - 1] != '[')
		text_add_char(to, ',');
	text_add_str(to, "{\"name\":");
	json_add_str(to, probe->name);
	text_addf(to, ",\"state\":\"%s\",\"found\":", state_names[probe->state]);
	json_add_str(to, probe->found);
	text_add_str(to, ",\"remedy\":");
	json_add_str(to, probe->remedy[0] ? probe->remedy : NULL);
	text_add_char(to, '}');
}

/* Paths, and what an interpreter said, may be in it. */
static void add_line(struct text *to, const char *words)
{
	text_add_escaped(to, words, strlen(words), 0);
	text_add_char(to, '\n');
}

static void add_row(const struct jail_probe *probe, struct text *to)
{
	text_addf(to, "%-24s %-6s ", probe->name, state_names[probe->state]);
	add_line(to, probe->found);
	if (!probe->remedy[0])
		return;
	text_addf(to, "%-24s %-6s -> ", "", "");
	add_line(to, probe->remedy);
}

static void judge_run(const struct record *record, struct jail_probe *probe)
{
	if (record->status == STATUS_OK) {
		snprintf(probe->found, sizeof(probe->found),
			 "'%s' ran a script and ended cleanly", interp_path());
		return;
	}
	probe->state = JAIL_PROBE_FAILS;
	snprintf(probe->found, sizeof(probe->found), "%s",
		 status_infos[record->status].about);
	snprintf(probe->remedy, sizeof(probe->remedy), "%.230s", text_str(&record->why));
}

/* A whole run, in this process: it is confined afterwards, so this is the last probe. */
static void run_script(struct run_means *means, struct jail_probe *probe)
{
	const struct policy *policy = policy_builtin(0);
	struct request request = {.policy = policy,
				  .limits = policy->limits,
				  .source = "1",
				  .source_len = 1,
				  .name = "doctor"};
	struct record record;

	record_init(&record, &request);
	run_request(&request, means, &record);
	judge_run(&record, probe);
	record_free(&record);
}

/* *ret_signal_fd is the caller's; from then on it is what can stop us. */
static void probe_run(struct jail_probe *probe, int *ret_signal_fd)
{
	struct interp interp = INTERP_INIT;
	struct output output;
	const struct place_request where = {0};
	struct run_place place;
	struct own_cell own;
	struct run_means means = {
		.cell = &own.cell, .interp = &interp, .output = &output};
	struct jail_error unprepared;
	int r = guard_prepare(NULL, 0, ret_signal_fd, &unprepared);

	*probe = (struct jail_probe){.name = "a whole run"};
	place_open(&where, &place);
	interp_open(&interp);
	own_cell_init(&own, &interp, &place, *ret_signal_fd, r < 0 ? &unprepared : NULL);
	output_init(&output, OUTPUT_JSON);
	run_script(&means, probe);
	output_free(&output);
	interp_close(&interp);
	place_close(&place);
}

static int probe_one(unsigned index, struct jail_probe *probe, int *signal_fd)
{
	if (index < jail_probe_count())
		return jail_probe_run(index, probe);
	probe_run(probe, signal_fd);
	return 0;
}

static int examine(bool json, struct text *to, int *signal_fd)
{
	int worst = 0;

	for (unsigned i = 0; i < jail_probe_count() + 1; i++) {
		struct jail_probe probe;

		if (probe_one(i, &probe, signal_fd) < 0)
			continue;
		if (json)
			add_json(&probe, to);
		else
			add_row(&probe, to);
		if (probe.state == JAIL_PROBE_FAILS)
			worst = DOCTOR_FAILS;
	}
	return worst;
}

/* The run that was tried has blocked the signals for good. */
static int print(const struct text *text, int signal_fd)
{
	struct patience patience = PATIENCE_INIT(signal_fd);
	own_sink struct sink sink;
	int r = text_status(text);

	sink_init(&sink);
	text_add(&sink.bytes, text->data, text->len);
	sink_commit(&sink, STDOUT_FILENO);
	if (r == 0)
		r = sink_flush(&sink, &patience);
	return r < 0 ? cmd_run_write_failed(r, &patience) : 0;
}

static int cmd_doctor(int argc, char **argv)
{
	own_text struct text to = TEXT_INIT(1u << 20);
	own_fd int signal_fd = -1;
	struct doctor_args args = {.output = output_kind_names[OUTPUT_TEXT]};
	struct usage usage;
	int code;
	int r = options_parse_only(options, ARRAY_LEN(options), argc, argv, &args,
				   &usage);

	if (r == 0)
		r = run_args_choose("-o", args.output, output_kind_names, OUTPUT_NDJSON,
				    &usage);
	if (r < 0)
		return command_misused(&command_doctor, r, &usage);
	text_add_str(&to, r == OUTPUT_JSON ? "{\"probes\":[" : "");
	code = examine(r == OUTPUT_JSON, &to, &signal_fd);
	if (r == OUTPUT_JSON)
		text_addf(&to, "],\"can_run\":%s}\n", code ? "false" : "true");
	r = print(&to, signal_fd);
	return r ? r : code;
}

const struct command command_doctor = {
	.name = "doctor",
	.synopsis = "[-o text|json]",
	.about = "says what this host can enforce, and what mends what it cannot",
	.options = options,
	.options_count = ARRAY_LEN(options),
	.run = cmd_doctor,
};
