/* SPDX-License-Identifier: MIT */
/*
 * First the outputs are taken apart (one record, last; events before it), then it is
 * decided which of the two endings the record claims, then every field is held against
 * that ending. The first fault counts.
 */
#include "tests/race/oracle_internal.h"

#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <sys/wait.h>

#include "base/own.h"

const char *const outcome_names[OUTCOME_IDS] = {
#define X(id, name) [OUTCOME_##id] = name,
	OUTCOMES(X)
#undef X
};

bool oracle_fault(struct judging *j, const char *format, ...)
{
	va_list args;

	va_start(args, format);
	vsnprintf(j->verdict->fault, sizeof(j->verdict->fault), format, args);
	va_end(args);
	return false;
}

/* --- taking apart ------------------------------------------------------------ */

static bool take_line(struct judging *j, const char *line, size_t len)
{
	json_error_t error;
	json_t *object =
		json_loadb(line, len, JSON_REJECT_DUPLICATES | JSON_ALLOW_NUL, &error);

	if (!json_is_object(object)) {
		json_decref(object);
		return oracle_fault(j, "no JSON object: %s", error.text);
	}
	if (j->record || j->events_count == EVENTS_MOST) {
		json_decref(object);
		return oracle_fault(j, "something follows the record");
	}
	if (json_object_get(object, "event"))
		j->events[j->events_count++] = object;
	else
		j->record = object;
	return true;
}

/* A reader that went has the beginning of a line perhaps. */
static bool take_apart(struct judging *j)
{
	const char *at = text_str(&j->launched->out);
	const char *end = at + j->launched->out.len;

	while (at < end) {
		const char *line_end = memchr(at, '\n', (size_t)(end - at));

		if (!line_end)
			return j->launched->blown || oracle_fault(j, "the output is cut");
		if (!take_line(j, at, (size_t)(line_end - at)))
			return false;
		at = line_end + 1;
	}
	return true;
}

static void judging_free(struct judging *j)
{
	for (unsigned i = 0; i < j->events_count; i++)
		json_decref(j->events[i]);
	json_decref(j->record);
}

/* --- which ending ------------------------------------------------------------ */

static const struct ending *act_ending(const struct judging *j)
{
	const struct round *round = j->round;
	const struct act *act = round->pairing->act;
	static const struct ending in_time = {"ok", 0, {"null"}};
	const json_t *by = json_object_get(j->record, "enforced_by");

	if ((act->flags & ACT_OVER) && round->lines <= LOG_LINES_MOST)
		return &in_time;
	if (act->end_without_cgroup.status && strcmp(str(by, "memory"), "cgroup") != 0)
		return &act->end_without_cgroup;
	return &act->end;
}

static bool is_kill(const struct judging *j, const struct ending *ending)
{
	const json_t *kill = json_object_get(j->record, "kill");
	char text[128];

	snprintf(text, sizeof(text), "%s %s %s", str(kill, "by"), str(kill, "reason"),
		 str(kill, "signal"));
	if (json_is_null(kill))
		snprintf(text, sizeof(text), "null");
	for (size_t i = 0; i < ARRAY_LEN(ending->kills); i++)
		if (ending->kills[i] && strcmp(ending->kills[i], text) == 0)
			return true;
	return false;
}

static bool is_status(const struct judging *j, const struct ending *ending)
{
	return ending->status && strcmp(str(j->record, "status"), ending->status) == 0;
}

/* Where one racer is the reader that goes, whoever heard the whole record was there. */
static bool find_ending(struct judging *j)
{
	const struct rival *rival = &rivals[j->round->pairing->rival];

	j->ending = act_ending(j);
	j->guest_won = is_status(j, j->ending);
	if (j->guest_won)
		return true;
	j->ending = &rival->end;
	return is_status(j, j->ending) ||
	       oracle_fault(j, "status '%s' is none that this race can have",
			    str(j->record, "status"));
}

static void note_outcome(struct judging *j)
{
	for (int i = 0; i < OUTCOME_IDS; i++)
		if (strcmp(outcome_names[i], str(j->record, "status")) == 0)
			j->verdict->outcome = (enum outcome_id)i;
	j->verdict->side = j->guest_won ? SIDE_GUEST : SIDE_HOST;
	snprintf(j->verdict->id, sizeof(j->verdict->id), "%s", str(j->record, "id"));
}

/* The line too many is out: was the script still there to be killed? */
static void note_over(struct judging *j)
{
	if (!(flags_of(j) & ACT_OVER))
		return;
	j->verdict->side = SIDE_NONE;
	if (j->round->lines > LOG_LINES_MOST)
		j->verdict->side = is_null(json_object_get(j->record, "kill"), "signal")
					   ? SIDE_GUEST
					   : SIDE_HOST;
}

static bool check_ending(struct judging *j)
{
	const struct ending *ending = j->ending;
	int code = launched_code(j->launched);

	if (WIFSIGNALED(j->launched->status))
		return oracle_fault(j, "quod died by a signal, %d, after its record",
				    WTERMSIG(j->launched->status));
	if (code != ending->exit_code)
		return oracle_fault(j, "exit code %d with status '%s'", code,
				    ending->status);
	return is_kill(j, ending) ||
	       oracle_fault(j, "the kill does not fit the status '%s'", ending->status);
}

static bool judge_record(struct judging *j)
{
	if (!oracle_check_keys(j) || !find_ending(j))
		return false;
	note_outcome(j);
	note_over(j);
	return check_ending(j) && oracle_check_fields(j);
}

/* --- without a record -------------------------------------------------------- */

/* Before it has blocked its signals quod is a program like any other. */
static bool judge_signaled(struct judging *j)
{
	const struct launch *launch = &j->round->launch;

	j->verdict->outcome = OUTCOME_SIGNALED;
	j->verdict->side = SIDE_HOST;
	return (launch->blow == BLOW_SIGNAL && j->launched->blown &&
		(flags_of(j) & ACT_START) && j->launched->out.len == 0 &&
		WTERMSIG(j->launched->status) == launch->signal) ||
	       oracle_fault(j, "quod died by signal %d", WTERMSIG(j->launched->status));
}

/* The reader has gone: the exit code is all there is, and lines that came before. */
static bool judge_unheard(struct judging *j)
{
	const struct act *act = j->round->pairing->act;
	int code = launched_code(j->launched);
	bool host = code == rivals[RIVAL_CLOSE].end.exit_code;
	size_t lines = 0;

	j->verdict->outcome = OUTCOME_UNHEARD;
	j->verdict->side = host ? SIDE_HOST : SIDE_GUEST;
	for (unsigned i = 0; i < j->events_count; i++)
		if (strcmp(str(j->events[i], "event"), "log") == 0 &&
		    !oracle_check_line(j, j->events[i], lines++,
				       flags_of(j) & ACT_FLOODS))
			return false;
	return host || code == act->end.exit_code ||
	       (act->end_without_cgroup.status &&
		code == act->end_without_cgroup.exit_code) ||
	       oracle_fault(j, "exit code %d, and nobody heard why", code);
}

static bool judge(struct judging *j)
{
	if (j->launched->hung)
		return oracle_fault(j, "quod hung");
	if (j->launched->err.len)
		return oracle_fault(j, "stderr: %.200s", text_str(&j->launched->err));
	if (!take_apart(j))
		return false;
	if (j->record)
		return judge_record(j);
	if (WIFSIGNALED(j->launched->status))
		return judge_signaled(j);
	if (j->round->launch.blow == BLOW_CLOSE && j->launched->blown)
		return judge_unheard(j);
	return oracle_fault(j, "no record");
}

void oracle_judge(const struct round *round, const struct launched *launched,
		  struct verdict *ret)
{
	struct judging j = {.round = round, .launched = launched, .verdict = ret};

	*ret = (struct verdict){.outcome = OUTCOME_NONE};
	judge(&j);
	judging_free(&j);
}
