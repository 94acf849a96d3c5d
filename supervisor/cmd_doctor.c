/* SPDX-License-Identifier: MIT */
/*
 * `quod doctor`: what this host can enforce for a purpose, what not, and what mends it.
 * Each thing is tried, not looked up, and at last a whole run is.
 */
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "base/own.h"
#include "supervisor/cmd_run.h"
#include "supervisor/commands.h"
#include "supervisor/doctor.h"
#include "supervisor/guard.h"
#include "supervisor/json.h"
#include "supervisor/run.h"

/* Exit codes: runs are possible and some limit is held by something weaker, or they are
 * not. */
#define EXIT_FAILS 1

struct doctor_args {
	const char *output, *purpose, *socket, *config, *state;
};

#define OPTIONS_INTO struct doctor_args
static const struct option options[] = {doctor_OPTIONS(OPTION_ROW)};

static const int exit_codes[] = {[JAIL_PROBE_WORKS] = 0,
				 [JAIL_PROBE_LESS] = EXIT_LESS,
				 [JAIL_PROBE_FAILS] = EXIT_FAILS};

/* --- the answer --------------------------------------------------------------- */

static void add_json(const struct finding *finding, unsigned before, struct text *to)
{
	if (before)
		text_add_char(to, ',');
	finding_write_json(finding, to);
}

static void write_json(const struct doctor *doctor, struct text *to)
{
	enum jail_probe_state worst = doctor_worst(doctor);

	text_addf(to, "{\"for\":\"%s\",\"probes\":[",
		  doctor_purpose_names[doctor->purpose]);
	for (unsigned i = 0; i < doctor->count; i++)
		add_json(&doctor->findings[i], i, to);
	text_addf(to, "],\"state\":\"%s\",\"can_run\":%s}\n", finding_state_names[worst],
		  worst == JAIL_PROBE_FAILS ? "false" : "true");
}

/* Paths, and what an interpreter or a daemon said, may be in it. */
static void add_words(struct text *to, const char *words)
{
	text_add_escaped(to, words, strlen(words), 0);
}

static void add_more(struct text *to, const char *sign, const char *words)
{
	if (!words[0])
		return;
	text_addf(to, "%-24s %-6s %s ", "", "", sign);
	add_words(to, words);
	text_add_char(to, '\n');
}

static void add_row(const struct finding *finding, struct text *to)
{
	own_text struct text name = TEXT_INIT(8 * sizeof(finding->name));

	add_words(&name, finding->name);
	text_addf(to, "%-24s %-6s ", text_str(&name),
		  finding_state_names[finding->state]);
	add_words(to, finding->tried);
	text_add_str(to, ": ");
	add_words(to, finding->found);
	text_add_char(to, '\n');
	add_more(to, "so", finding->instead);
	add_more(to, "->", finding->remedy);
}

/* The names of those in that state. */
static void add_names(const struct doctor *doctor, enum jail_probe_state state,
		      const char *lead, struct text *to)
{
	for (unsigned i = 0; i < doctor->count; i++) {
		if (doctor->findings[i].state != state)
			continue;
		text_add_str(to, lead);
		add_words(to, doctor->findings[i].name);
		lead = ", ";
	}
}

static void write_text(const struct doctor *doctor, struct text *to)
{
	static const char *const verdicts[] = {
		[JAIL_PROBE_WORKS] = "fine",
		[JAIL_PROBE_LESS] = "it runs, with less",
		[JAIL_PROBE_FAILS] = "it cannot run",
	};
	enum jail_probe_state worst = doctor_worst(doctor);

	for (unsigned i = 0; i < doctor->count; i++)
		add_row(&doctor->findings[i], to);
	text_addf(to, "\n%s: %s", doctor_purpose_names[doctor->purpose], verdicts[worst]);
	if (worst != JAIL_PROBE_WORKS)
		add_names(doctor, worst, ": ", to);
	text_add_char(to, '\n');
}

/* --- a whole run -------------------------------------------------------------- */

static void judge_run(const struct record *record, struct finding *finding)
{
	if (record->status == STATUS_OK) {
		finding_is(finding, JAIL_PROBE_WORKS, "a script came to its end");
		return;
	}
	finding_told(finding, JAIL_PROBE_FAILS,
		     record->why.len ? text_str(&record->why)
				     : status_infos[record->status].about);
}

/* A whole run, in this process: it is confined afterwards, so this is the last. */
static void run_script(struct run_means *means, struct finding *finding)
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
	judge_run(&record, finding);
	record_free(&record);
}

/* *ret_signal_fd is the caller's; from then on it is what can stop us. */
static void try_run(struct doctor *doctor, int *ret_signal_fd)
{
	struct interp interp = INTERP_INIT;
	struct output output;
	const struct place_request where = {0};
	struct run_place place;
	struct own_cell own;
	struct run_means means = {
		.cell = &own.cell, .interp = &interp, .output = &output};
	struct jail_error unprepared;
	struct finding *finding;
	int r = guard_prepare(NULL, 0, ret_signal_fd, &unprepared);

	doctor->room = "run";
	finding = doctor_add(doctor, "a whole run", "let '%.100s' run a script",
			     interp_path());
	place_open(&where, &place);
	interp_open(&interp);
	own_cell_init(&own, &interp, &place, *ret_signal_fd, r < 0 ? &unprepared : NULL);
	output_init(&output, OUTPUT_JSON);
	run_script(&means, finding);
	output_free(&output);
	interp_close(&interp);
	place_close(&place);
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

static int choose(const struct doctor_args *args, struct doctor *doctor,
		  struct usage *usage)
{
	int r = run_args_choose("--for", args->purpose, doctor_purpose_names,
				DOCTOR_PURPOSES_COUNT, usage);

	if (r < 0)
		return r;
	doctor->purpose = (enum doctor_purpose)r;
	doctor->socket = args->socket;
	doctor->config = args->config;
	doctor->state = args->state;
	if ((args->socket || args->config || args->state) && r != DOCTOR_QUODD)
		return usage_fail(usage, -EINVAL,
				  "--socket, --config and --state go with --for quodd");
	return run_args_choose("-o", args->output, output_kind_names, OUTPUT_NDJSON,
			       usage);
}

static int cmd_doctor(int argc, char **argv)
{
	own_text struct text to = TEXT_INIT(1u << 20);
	own_fd int signal_fd = -1;
	struct doctor_args args = {.output = output_kind_names[OUTPUT_TEXT],
				   .purpose = doctor_purpose_names[DOCTOR_RUN]};
	struct usage usage;
	struct doctor doctor = {.purpose = DOCTOR_RUN};
	int r = options_parse_only(options, ARRAY_LEN(options), argc, argv, &args,
				   &usage);

	if (r == 0)
		r = choose(&args, &doctor, &usage);
	if (r < 0)
		return command_misused(&command_doctor, r, &usage);
	doctor_examine(&doctor);
	try_run(&doctor, &signal_fd);
	if (r == OUTPUT_JSON)
		write_json(&doctor, &to);
	else
		write_text(&doctor, &to);
	r = print(&to, signal_fd);
	return r ? r : exit_codes[doctor_worst(&doctor)];
}

const struct command command_doctor = {
	.name = "doctor",
	.options = options,
	.options_count = ARRAY_LEN(options),
	.run = cmd_doctor,
};
