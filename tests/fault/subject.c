/* SPDX-License-Identifier: MIT */
/*
 * A record is compared from "status" to "error", which is what a caller acts on; times
 * and ids differ anyway.
 */
#include "tests/fault/subject.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/own.h"
#include "jail/jail.h"
#include "tests/escape/harness.h"
#include "tests/fault/host.h"
#include "tests/fault/walls.h"

#define INTERNAL_ERROR 125
#define CANNOT_START   126

const char *const ending_names[END_COUNT] = {
#define X(id, text) [END_##id] = text,
	ENDINGS(X)
#undef X
};

static char quod[4096], inmate[4096], cases[4096], policy[4096];

#define WORD(text) ((char *)(uintptr_t)(text))

static struct subject subjects[SUBJECT_COUNT] = {
	[SUBJECT_RUN] = {.name = "run",
			 .argv = {quod, WORD("run"), WORD("-o"), WORD("json"), WORD("-e"),
				  WORD("console.log('canary'); 42")},
			 .runs_by = SYS_read},
	[SUBJECT_WAIT] = {.name = "run that waits",
			  .argv = {quod, WORD("run"), WORD("-o"), WORD("json"),
				   WORD("--timeout"), WORD("50ms"), WORD("-e"),
				   WORD("setTimeout(function () {}, 1e9); 'canary'")},
			  .runs_by = SYS_read,
			  .limited = true},
	[SUBJECT_SPIN] = {.name = "run that spins",
			  .argv = {quod, WORD("run"), WORD("-o"), WORD("json"),
				   WORD("--timeout"), WORD("50ms"), WORD("-e"),
				   WORD("console.log('canary'); for (;;);")},
			  .runs_by = SYS_read,
			  .limited = true},
	[SUBJECT_EXEC] = {.name = "exec",
			  .argv = {quod, WORD("exec"), WORD("--"), inmate,
				   WORD("environment"), WORD("canary")},
			  .runs_by = SYS_write,
			  .exec = true},
	[SUBJECT_TASKS] = {.name = "exec of many",
			   .argv = {quod, WORD("exec"), WORD("-p"), policy, WORD("--"),
				    inmate, WORD("environment"), WORD("canary")},
			   .runs_by = SYS_write,
			   .exec = true},
	[SUBJECT_PAUSE] = {.name = "exec that waits",
			   .argv = {quod, WORD("exec"), WORD("--timeout"), WORD("400ms"),
				    WORD("--"), inmate, WORD("pause")},
			   .runs_by = SYS_write,
			   .exec = true,
			   .limited = true},
	[SUBJECT_CASES] = {.name = "run --cases",
			   .argv = {quod, WORD("run"), WORD("-o"), WORD("ndjson"),
				    WORD("--cases"), cases, WORD("-e"),
				    WORD("console.log('canary'); input")},
			   .runs_by = SYS_read},
};

static void find_programs(void)
{
	const char *build = getenv("QUOD_TEST_BUILD");
	char quod_js[4096];

	snprintf(quod, sizeof(quod), "%s/quod", build ? build : ".");
	snprintf(quod_js, sizeof(quod_js), "%s/quod-js", build ? build : ".");
	snprintf(inmate, sizeof(inmate), "%s", inmate_path());
	setenv("QUOD_JS", quod_js, 1);
	unsetenv("QUOD_POLICY");
}

/* A record's "status" and what follows it up to "error", times left out. */
static void essence(const char *record, char *to, size_t size)
{
	const char *from = strstr(record, "\"status\":");
	const char *end = from ? strstr(from, "\"error\":") : NULL;
	size_t at = 0;

	while (from && from < end && at < size - 1) {
		if (strncmp(from, "\"t_ms\":", 7) == 0)
			from += strcspn(from, "}");
		to[at++] = *from++;
	}
	to[at] = '\0';
}

static bool has_status(const struct trial *trial, const char *status)
{
	char wanted[64];

	snprintf(wanted, sizeof(wanted), "\"status\":\"%s\",", status);
	return strstr(trial->out, wanted) != NULL;
}

static bool is_as_ever(const struct subject *subject, const struct trial *trial)
{
	const struct trial *reference = &subject->reference;
	char got[TRIAL_OUT_ROOM], wanted[TRIAL_OUT_ROOM];

	if (!trial->exited || trial->code != reference->code)
		return false;
	if (subject->limited && subject->exec)
		return !trial->err[0] || strcmp(trial->err, reference->err) == 0;
	if (subject->limited)
		return has_status(trial, "timeout") && !trial->err[0];
	if (subject->exec)
		return strcmp(trial->out, reference->out) == 0 && !trial->err[0];
	essence(trial->out, got, sizeof(got));
	essence(reference->out, wanted, sizeof(wanted));
	return got[0] && strcmp(got, wanted) == 0 && !trial->err[0];
}

/* "STAGE: TEXT", with a stage that there is and a text. */
static bool names_a_stage(const char *text)
{
	for (int stage = JAIL_STAGE_NONE + 1; stage < JAIL_STAGES_COUNT; stage++) {
		const char *name = jail_stage_name(stage);
		size_t len = strlen(name);

		if (strncmp(text, name, len) == 0 && strncmp(text + len, ": ", 2) == 0)
			return strlen(text + len) > 4;
	}
	return false;
}

/* Copies up to any of the bytes in `stop`; true if the text was found at all. */
static bool copy_after(const char *in, const char *mark, const char *stop, char *to,
		       size_t size)
{
	const char *at = strstr(in, mark);

	at = at ? at + strlen(mark) : "";
	snprintf(to, size, "%.*s", (int)strcspn(at, stop), at);
	return *to;
}

static bool is_one_line_of_quods(const char *err)
{
	return strncmp(err, "quod: ", 6) == 0 && strchr(err, '\n') &&
	       strchr(err, '\n')[1] == '\0';
}

static bool is_refused(const struct subject *subject, const struct trial *trial,
		       char *said, size_t size)
{
	if (!trial->exited || trial->code != INTERNAL_ERROR)
		return false;
	if (subject->exec)
		return is_one_line_of_quods(trial->err) &&
		       copy_after(trial->err, "quod: internal_error: ", "\n", said,
				  size) &&
		       names_a_stage(said);
	return has_status(trial, "internal_error") && !trial->err[0] &&
	       copy_after(trial->out, "\"message\":\"", "\"\n", said, size) &&
	       names_a_stage(said);
}

/* What could not be read or started, by its name. */
static bool is_unusable(const struct subject *subject, const struct trial *trial)
{
	if (strstr(trial->err, "/policies: cannot be read: "))
		return trial->code == (subject->exec ? INTERNAL_ERROR : 2);
	if (strstr(trial->err, "cannot copy '") || strstr(trial->err, "cannot open '"))
		return trial->code == CANNOT_START || trial->code == INTERNAL_ERROR;
	return subject->exec && trial->code == CANNOT_START;
}

static enum ending bad_ending(const struct subject *subject, const struct trial *trial,
			      char *said, size_t size)
{
	if (is_refused(subject, trial, said, size))
		return END_REFUSED;
	copy_after(trial->err, "quod: ", "\n", said, size);
	if (!trial->exited || trial->hung)
		return END_OTHER;
	if (is_one_line_of_quods(trial->err) && is_unusable(subject, trial))
		return END_UNUSABLE;
	if (is_one_line_of_quods(trial->err) && trial->code == INTERNAL_ERROR &&
	    (subject->exec || !trial->out[0]))
		return END_MUTE;
	if (subject->exec && strncmp(said, "crashed: ", 9) == 0 && trial->code >= 128)
		return END_CRASHED;
	if (has_status(trial, "crashed") && trial->code >= 128) {
		copy_after(trial->out, "\"message\":\"", "\"\n", said, size);
		return END_CRASHED;
	}
	return END_OTHER;
}

enum ending subject_ending(const struct subject *subject, const struct trial *trial,
			   char *said, size_t size)
{
	bool bare = subject->walls_without_leaf[0] &&
		    strcmp(trial->walls, subject->walls_without_leaf) == 0 &&
		    strcmp(trial->walls, subject->reference.walls) != 0;

	said[0] = '\0';
	if (trial->hung || !is_as_ever(subject, trial))
		return bad_ending(subject, trial, said, size);
	return bare ? END_NO_LEAF : END_AS_EVER;
}

/* A cgroup that has no room for others below it: quod goes without. */
static void look_without_leaf(struct subject *subject)
{
	const struct fault none = {.kind = FAULT_NONE};

	if (!host_forbid_cgroups(true))
		return;
	tracer_run(subject->argv, subject->runs_by, &none, &subject->reference);
	memcpy(subject->walls_without_leaf, subject->reference.walls,
	       sizeof(subject->walls_without_leaf));
	host_forbid_cgroups(false);
}

static void remove_files(void)
{
	unlink(cases);
	unlink(policy);
}

static bool write_file(char path[4096], const char *text)
{
	const char *tmp = getenv("TMPDIR");

	snprintf(path, 4096, "%s/quod-fault.XXXXXX", tmp ? tmp : "/tmp");
	own_fd int fd = mkostemp(path, O_CLOEXEC);
	atexit(remove_files);
	return fd >= 0 && write(fd, text, strlen(text)) == (ssize_t)strlen(text);
}

/* What a subject reads. */
static bool write_files(enum subject_id id)
{
	if (id == SUBJECT_CASES)
		return write_file(cases, "{\"id\":\"one\",\"input\":42}\n");
	return id != SUBJECT_TASKS || write_file(policy, "[Limits]\nTasksMax=8\n");
}

bool subject_prepare(enum subject_id id, struct subject **ret_subject)
{
	const struct fault none = {.kind = FAULT_NONE};
	struct subject *subject = &subjects[id];
	struct trial *reference = &subject->reference;

	find_programs();
	if (!write_files(id))
		return check(false, "%s: its files", subject->name);
	look_without_leaf(subject);
	tracer_run(subject->argv, subject->runs_by, &none, reference);
	*ret_subject = subject;
	if (check(reference->exited && reference->code == (subject->limited ? 124 : 0) &&
			  (subject->limited || strstr(reference->out, "canary")) &&
			  !reference->hung && !reference->orphans &&
			  !reference->open_fds &&
			  (reference->walls[0] || id == SUBJECT_CASES),
		  "%s: works, undisturbed", subject->name))
		return id == SUBJECT_CASES ||
		       check(host_has_cgroup() ==
				     walls_have(reference->walls, "cgroup: a leaf"),
			     "%s: has a leaf where there is a cgroup", subject->name);
	note("exit %d code %d signal %d hung %d orphans %u fds %u\n%s\n%s",
	     reference->exited, reference->code, reference->signal, reference->hung,
	     reference->orphans, reference->open_fds, reference->out, reference->err);
	return false;
}

int subject_run_plainly(const struct subject *subject)
{
	int status = 0;
	pid_t pid = fork();

	if (pid == 0) {
		int null = open("/dev/null", O_RDWR | O_CLOEXEC);
		for (int fd = 0; fd < 3; fd++)
			dup2(null, fd);
		execv(subject->argv[0], subject->argv);
		_exit(98);
	}
	return pid > 0 && waitpid(pid, &status, 0) == pid && WIFEXITED(status)
		       ? WEXITSTATUS(status)
		       : -1;
}
