/* SPDX-License-Identifier: MIT */
/*
 * One source, many inputs. Each case is a child process that does a whole run and prints
 * it: the parent reads nothing that a guest has written, and the confinement that a run
 * puts on its process ends with it.
 *
 * All lines are checked before the first case runs. The children print straight to our
 * stdout, one after the other, so what is printed is in the order of the cases.
 */
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/own.h"
#include "supervisor/awake.h"
#include "supervisor/cmd_run.h"
#include "supervisor/guard.h"
#include "supervisor/json.h"

#define CASES_MOST_BYTES (16u << 20)

struct one_case {
	char *id;    /* owned */
	char *input; /* JSON text, owned */
};

/* What every case has in common. */
struct shared {
	const struct request *request;
	const struct run_where *where;
	enum output_kind kind;
};

struct cases {
	struct one_case *list; /* owned */
	size_t count, room;
};

static void cases_free(struct cases *cases)
{
	for (size_t i = 0; i < cases->count; i++) {
		free(cases->list[i].id);
		free(cases->list[i].input);
	}
	free(cases->list);
}
#define own_cases __attribute__((cleanup(cases_free)))

static int case_add(struct cases *cases, const char *id, const struct json_span *input)
{
	size_t room = cases->room ? 2 * cases->room : 16;
	struct one_case *one;

	if (cases->count == cases->room) {
		one = realloc(cases->list, room * sizeof(*one));
		if (!one)
			return -ENOMEM;
		cases->list = one;
		cases->room = room;
	}
	one = &cases->list[cases->count];
	*one = (struct one_case){.id = strdup(id),
				 .input = strndup(input->at, input->len)};
	cases->count++;
	return one->id && one->input ? 0 : -ENOMEM;
}

/* An id with a NUL in it would be taken for another one. */
static bool read_id(const struct json_span *span, struct text *id)
{
	return json_add_unescaped(id, span) && text_status(id) == 0 &&
	       strlen(text_str(id)) == id->len;
}

/* The input goes on as the very bytes that stand here. */
static int parse_line(struct cases *cases, const char *line, size_t len, size_t number,
		      struct usage *usage)
{
	static const char *const names[] = {"id", "input"};
	own_text struct text id = TEXT_INIT(65536);
	struct json_span values[2];
	bool valid = false;
	size_t good = text_utf8_span(line, len);

	if (good == len)
		good = json_check(line, len, 0, &valid);
	if (!valid)
		return usage_fail(usage, -EINVAL,
				  "--cases line %zu is not JSON at offset %zu", number,
				  good);
	bool fits = json_members(line, len, names, values, 2) && read_id(&values[0], &id);
	if (text_status(&id) == -ENOMEM)
		return usage_fail(usage, -ENOMEM, "--cases: no memory");
	if (!fits)
		return usage_fail(
			usage, -EINVAL,
			"--cases line %zu is not {\"id\": string, \"input\": JSON}",
			number);
	if (values[1].len > JOB_INPUT_MOST)
		return usage_fail(usage, -EFBIG, "--cases line %zu: longer than 1 MiB",
				  number);
	if (case_add(cases, text_str(&id), &values[1]) < 0)
		return usage_fail(usage, -ENOMEM, "--cases: no memory");
	return 0;
}

static int parse_cases(struct cases *cases, const char *text, size_t len,
		       struct usage *usage)
{
	size_t number = 0;

	while (len) {
		const char *end = memchr(text, '\n', len);
		size_t line = end ? (size_t)(end - text) : len;
		int r;

		number++;
		if (line && (r = parse_line(cases, text, line, number, usage)) < 0)
			return r;
		line += end != NULL;
		text += line;
		len -= line;
	}
	if (cases->count == 0)
		return usage_fail(usage, -EINVAL, "--cases: there is no case in it");
	return 0;
}

/*
 * In the child. It is told to stop when we are gone, and ends as if cancelled. The
 * signals stay blocked all the way to the run, which reads them from a descriptor of its
 * own: at no moment can one of them end it without a word.
 */
static _Noreturn void run_case(const struct one_case *one, const struct shared *shared,
			       pid_t parent)
{
	struct request request = *shared->request;
	sigset_t term;

	/* Our parent speaks for the terminal: what is typed there must not come twice. */
	setpgid(0, 0);
	/* How it tells us to stop, whatever its own caller wants ignored. */
	sigemptyset(&term);
	sigaddset(&term, SIGTERM);
	sigprocmask(SIG_BLOCK, &term, NULL);
	signal(SIGTERM, SIG_DFL);
	/* Set, then look whether it was too late. */
	prctl(PR_SET_PDEATHSIG, SIGTERM);
	if (getppid() != parent)
		_exit(status_infos[STATUS_CANCELLED].exit_code);
	request.case_id = one->id;
	request.input = one->input;
	request.input_len = strlen(one->input);
	request.has_input = true;
	_exit(cmd_run_one(&request, shared->where, shared->kind));
}

/* A case that was killed from outside has printed nothing. */
static int exit_code_of(const siginfo_t *info, bool *ret_silent)
{
	*ret_silent = info->si_code != CLD_EXITED;
	return *ret_silent ? status_infos[STATUS_INTERNAL_ERROR].exit_code
			   : info->si_status;
}

/* A signal for us is passed on: the child then ends its run in order. */
static int await_case(pid_t child, const sigset_t *watched, bool *cancelled,
		      bool *ret_silent)
{
	siginfo_t info = {0};
	int sig;

	for (;;) {
		sig = sigwaitinfo(watched, NULL);
		if (sig > 0 && sig != SIGCHLD) {
			*cancelled = true;
			kill(child, SIGTERM);
		}
		if (waitid(P_PID, (id_t)child, &info, WEXITED | WNOHANG) == 0 &&
		    info.si_pid == child)
			return exit_code_of(&info, ret_silent);
	}
}

/* Our own words, and how long we wait for who reads them. */
struct voice {
	struct sink sink;
	struct patience patience;
};

/* What separates the cases: a list in JSON, a heading in text. Signals end the waiting
 * for a reader. Errors: -EINTR, and what write(2) gives. */
static int say(struct voice *voice, const char *before, const char *foreign,
	       const char *after)
{
	struct text *to = &voice->sink.bytes;

	text_add_str(to, before);
	text_add_escaped(to, foreign, strlen(foreign), 0);
	text_add_str(to, after);
	sink_commit(&voice->sink, STDOUT_FILENO);
	return sink_flush(&voice->sink, &voice->patience);
}

static int announce(struct voice *voice, enum output_kind kind,
		    const struct one_case *one, size_t index)
{
	if (kind == OUTPUT_JSON)
		return say(voice, index ? "," : "[", "", "");
	if (kind == OUTPUT_NDJSON)
		return 0;
	return say(voice, "case ", one->id, ":\n");
}

/* A signal that came between two cases. */
static bool is_told_to_stop(int signal_fd)
{
	struct pollfd slot = {.fd = signal_fd, .events = POLLIN};

	return poll(&slot, 1, 0) > 0;
}

static int run_one(const struct one_case *one, const struct shared *shared,
		   struct voice *voice, const sigset_t *watched, bool *stop,
		   bool *ret_silent)
{
	const pid_t parent = getpid();
	pid_t child = fork();

	if (child == 0)
		run_case(one, shared, parent);
	if (child < 0) {
		*ret_silent = true;
		return cmd_run_failed("cannot start a case", strerror(errno),
				      &voice->patience);
	}
	int code = await_case(child, watched, stop, ret_silent);
	/* The signal was read there. */
	if (*stop)
		patience_hurry(&voice->patience);
	return *ret_silent ? cmd_run_failed("a case was killed from outside", one->id,
					    &voice->patience)
			   : code;
}

/* One case after the other, each in a child. Returns the highest exit code, or a negative
 * errno if stdout cannot be written. */
static int run_each(const struct cases *cases, const struct shared *shared,
		    struct voice *voice)
{
	const enum output_kind kind = shared->kind;
	const int signal_fd = voice->patience.stop_fd;
	const int cancelled = status_infos[STATUS_CANCELLED].exit_code;
	sigset_t watched;
	bool stop = false;
	int worst = 0, r = 0;

	guard_signals(&watched);
	sigaddset(&watched, SIGCHLD);
	for (size_t i = 0; r == 0 && i < cases->count && !stop; i++) {
		r = is_told_to_stop(signal_fd)
			    ? -EINTR
			    : announce(voice, kind, &cases->list[i], i);
		if (r < 0)
			break;
		bool silent = false;
		int code =
			run_one(&cases->list[i], shared, voice, &watched, &stop, &silent);
		if (silent)
			r = say(voice, kind == OUTPUT_JSON ? "null" : "", "", "");
		worst = code > worst ? code : worst;
		stop = stop || code == cancelled;
	}
	/* The case that was told to stop may have been done just before. */
	if (stop && worst < cancelled)
		worst = cancelled;
	if (kind == OUTPUT_JSON && r != -EPIPE) {
		int closed = say(voice, "]\n", "", "");
		r = r < 0 ? r : closed;
	}
	return r < 0 ? r : worst;
}

static int run_all(const struct cases *cases, const struct shared *shared)
{
	own_fd int signal_fd = -1;
	struct jail_error err;
	sigset_t chld;
	int r;

	sigemptyset(&chld);
	sigaddset(&chld, SIGCHLD);
	sigprocmask(SIG_BLOCK, &chld, NULL);
	const int place_fd = shared->where->socket ? -1 : shared->where->place->fd;
	r = guard_prepare(&place_fd, 1, &signal_fd, &err);
	struct voice voice = {.patience = PATIENCE_INIT(signal_fd)};
	if (r < 0)
		return cmd_run_failed(jail_stage_name(err.stage), err.text,
				      &voice.patience);
	r = awake_start();
	if (r < 0)
		return cmd_run_failed("no timer", strerror(-r), &voice.patience);
	sink_init(&voice.sink);
	r = run_each(cases, shared, &voice);
	sink_free(&voice.sink);
	return r < 0 ? cmd_run_write_failed(r, &voice.patience) : r;
}

int cases_run(const char *path, const struct request *request,
	      const struct run_where *where, enum output_kind kind, struct usage *usage)
{
	const struct shared shared = {request, where, kind};
	own_cases struct cases cases = {0};
	own_free char *text = NULL;
	size_t len;
	int r;

	r = run_args_read(path, CASES_MOST_BYTES, &text, &len);
	if (r < 0)
		return run_args_read_failed(path, r, "16 MiB", usage);
	r = parse_cases(&cases, text, len, usage);
	return r < 0 ? r : run_all(&cases, &shared);
}
