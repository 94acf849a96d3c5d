/* SPDX-License-Identifier: MIT */
/*
 * `quod exec`: any static program in the same jail, for tests and operators.
 *
 * The exit code is the program's own where it ended by itself. Where it did not, or never
 * began, it is one above 123, which programs leave to those who start them (env, timeout,
 * the shell), and one line on stderr says what happened: so a code up to 123 is always the
 * program's.
 */
#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "base/own.h"
#include "base/signal_name.h"
#include "supervisor/commands.h"
#include "supervisor/guard.h"
#include "supervisor/jailed.h"
#include "supervisor/policy_args.h"
#include "supervisor/program.h"
#include "supervisor/sink.h"
#include "supervisor/syscall_name.h"

enum {
	EXIT_CANNOT_START = 126, /* there is such a file, but it is none for a jail */
	EXIT_NOT_FOUND = 127,
};

struct exec_args {
	struct policy_args policy;
};

#define OPTIONS_INTO struct exec_args
static const struct option options[] = {exec_OPTIONS(OPTION_ROW)};

/* What is over its limit is told with the limit. */
static void add_limit(const struct limits *limits, enum status status, struct text *to)
{
	static const struct {
		enum status status;
		enum limit_id id;
	} limited[] = {{STATUS_TIMEOUT, LIMIT_ID_wall_ms},
		       {STATUS_CPU_LIMIT, LIMIT_ID_cpu_ms},
		       {STATUS_MEMORY_LIMIT, LIMIT_ID_memory_bytes}};
	char text[LIMIT_TEXT_MOST];

	for (size_t i = 0; i < ARRAY_LEN(limited); i++)
		if (limited[i].status == status) {
			limits_print(limited[i].id, limits->value[limited[i].id], text);
			text_addf(to, "; the limit is %s", text);
		}
}

/* The program that was named cannot be started: whoever named it has to mend that. */
static bool is_unusable(const struct jailed_end *end)
{
	return end->status == STATUS_INTERNAL_ERROR && end->err.stage == JAIL_STAGE_EXEC;
}

/* How the program itself brought it about. */
static void explain_program(const struct jailed_end *end, const char *program,
			    struct text *to)
{
	char room[SIGNAL_NAME_ROOM], call[SYSCALL_NAME_ROOM];

	if (end->violation_known) {
		syscall_name(end->violation.arch, end->violation.number, call,
			     sizeof(call));
		text_addf(to, "'%s' tried %s", program, call);
	} else if (end->signal) {
		text_addf(to, "'%s' was killed by %s", program,
			  signal_name(end->signal, room));
	} else {
		text_add_str(to, status_infos[end->status].about);
	}
}

static void explain(const struct jailed_end *end, const struct limits *limits,
		    const char *program, struct text *to)
{
	text_add_str(to, "quod: ");
	if (is_unusable(end)) {
		text_add_str(to, end->err.text);
		return;
	}
	text_addf(to, "%s: ", status_infos[end->status].name);
	if (end->status == STATUS_INTERNAL_ERROR && end->err.errnum)
		text_addf(to, "%s: %s", jail_stage_name(end->err.stage), end->err.text);
	else if (end->status == STATUS_INTERNAL_ERROR)
		text_add_str(to, explain_foreign_oom(end->oom_in_group));
	else
		explain_program(end, program, to);
	add_limit(limits, end->status, to);
}

/* Where there is no memory for a sink. */
static void tell_shortly(const struct jailed_end *end, struct patience *patience)
{
	char line[80];

	snprintf(line, sizeof(line), "quod: %s: no memory to say more\n",
		 status_infos[end->status].name);
	if (sink_wait(STDERR_FILENO, patience) == 0 &&
	    write(STDERR_FILENO, line, strlen(line)) < 0)
		return; /* nobody can be told */
}

static void tell(const struct jailed_end *end, const struct limits *limits,
		 const char *program, int signal_fd)
{
	struct patience patience = PATIENCE_INIT(signal_fd);
	own_text struct text line = TEXT_INIT(4096);
	own_sink struct sink sink;

	sink_init(&sink);
	explain(end, limits, program, &line);
	text_add_escaped(&sink.bytes, text_str(&line), line.len, 0);
	text_add_char(&sink.bytes, '\n');
	sink_commit(&sink, STDERR_FILENO);
	if (line.len && !text_status(&line) && !sink.error)
		(void)sink_flush(&sink, &patience);
	else
		tell_shortly(end, &patience);
}

/* The signal by which the kernel ends what is over such a limit. */
static int signal_of(enum status status)
{
	static const struct {
		enum status status;
		int signal;
	} signals[] = {{STATUS_CPU_LIMIT, SIGXCPU},
		       {STATUS_MEMORY_LIMIT, SIGKILL},
		       {STATUS_VIOLATION, SIGSYS}};

	for (size_t i = 0; i < ARRAY_LEN(signals); i++)
		if (signals[i].status == status)
			return signals[i].signal;
	return 0;
}

static int exit_code(const struct jailed_end *end)
{
	int signal = signal_of(end->status);

	if (end->status == STATUS_OK)
		return end->exit_code;
	if (is_unusable(end))
		return EXIT_CANNOT_START;
	return signal ? status_infos[STATUS_CRASHED].exit_code + signal
		      : status_exit_code(end->status, end->signal, false, false);
}

/* It is not the program's fault if there is no room for it. */
static int cannot_open(int r, const char *program, bool copied, struct usage *usage)
{
	usage_fail(usage, r, "cannot %s '%.200s': %s", copied ? "copy" : "open", program,
		   strerror(-r));
	command_misused(&command_exec, r, usage);
	if (r == -ENOENT || r == -ENOTDIR)
		return EXIT_NOT_FOUND;
	return r == -EMFILE || r == -ENFILE || r == -ENOMEM
		       ? status_infos[STATUS_INTERNAL_ERROR].exit_code
		       : EXIT_CANNOT_START;
}

static int exec_program(const struct limits *limits, const struct policy_calls *calls,
			const struct place_request *where, char *const *argv,
			struct usage *usage)
{
	struct jailed_end end = {0};
	own_fd int exe_fd = -1;
	bool tasks = limits->value[LIMIT_ID_processes] > 1;
	int r = program_open(argv[0], tasks, &exe_fd);

	if (r < 0)
		return cannot_open(r, argv[0], tasks, usage);
	struct run_place place;
	struct jail_error err;
	own_fd int signal_fd = -1;
	place_open(where, &place);
	r = guard_prepare((const int[]){exe_fd, place.fd}, 2, &signal_fd, &err);
	jailed_run(&(struct jailed_job){.limits = limits,
					.calls = calls,
					.place = &place,
					.exe_fd = exe_fd,
					.argv = argv,
					.signal_fd = r < 0 ? r : signal_fd,
					.unprepared = r < 0 ? &err : NULL},
		   &end);
	place_close(&place);
	if (end.status != STATUS_OK)
		tell(&end, limits, argv[0], signal_fd);
	return exit_code(&end);
}

static int cmd_exec(int argc, char **argv)
{
	struct exec_args args = {0};
	own_policy const struct policy *policy = NULL;
	struct limits limits;
	struct usage usage;
	int rest = 0;
	int r = options_parse(options, ARRAY_LEN(options), true, argc, argv, &args, &rest,
			      &usage);

	if (r == 0 && rest == 0)
		r = usage_fail(&usage, -EINVAL, "a PROGRAM is missing");
	if (r == 0)
		r = policy_args_resolve(&args.policy, &policy, &limits, &usage);
	if (r == 0) {
		argv[rest] = NULL;
		struct place_request where = policy_args_place(&args.policy, policy);
		r = exec_program(&limits, &policy->calls, &where, argv, &usage);
	}
	if (r >= 0)
		return r;
	command_misused(&command_exec, r, &usage);
	return status_infos[STATUS_INTERNAL_ERROR].exit_code;
}

const struct command command_exec = {
	.name = "exec",
	.options = options,
	.options_count = ARRAY_LEN(options),
	.run = cmd_exec,
};
