/* SPDX-License-Identifier: MIT */
#include "tests/escape/harness.h"

#include <dirent.h>
#include <fcntl.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <poll.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/own.h"

static int tests_run, tests_failed;

const char *inmate_path(void)
{
	static char path[4096];
	const char *build = getenv("QUOD_TEST_BUILD");

	snprintf(path, sizeof(path), "%s/tests/escape/inmate", build ? build : ".");
	return path;
}

struct jail_spec inmate_spec(const char *what, const char *arg)
{
	static char *argv[4];
	static int exe = -1;
	static unsigned serial;
	static char id[64];
	struct jail_spec spec = JAIL_SPEC_INIT;

	if (exe < 0)
		exe = open(inmate_path(), O_PATH | O_CLOEXEC);
	argv[0] = (char *)(uintptr_t) "inmate";
	argv[1] = (char *)(uintptr_t)what;
	argv[2] = (char *)(uintptr_t)arg;
	snprintf(id, sizeof(id), "test-%d-%u", (int)getpid(), serial++);
	spec.id = id;
	spec.exe_fd = exe;
	spec.exe_name = "inmate";
	spec.argv = argv;
	spec.limits.memory_bytes = 64u << 20;
	spec.limits.stack_bytes = 8u << 20;
	spec.limits.cpu_seconds = 20;
	spec.limits.open_files = 64;
	return spec;
}

/* One poll and one read; false at end of file. */
static bool pump(struct jail *jail, char *to, size_t size, size_t *at, int timeout_ms)
{
	char rest[4096];
	struct pollfd out = {.fd = jail_fd(jail, JAIL_FD_OUT), .events = POLLIN};

	if (poll(&out, 1, timeout_ms) <= 0)
		return false;
	bool room = *at < size - 1;
	ssize_t n = room ? read(out.fd, to + *at, size - 1 - *at)
			 : read(out.fd, rest, sizeof(rest));
	if (n <= 0)
		return false;
	if (room)
		*at += (size_t)n;
	to[*at] = '\0';
	return true;
}

struct outcome run_spec(const struct jail_spec *spec)
{
	struct started started = begin_spec(spec);

	return finish_spec(&started);
}

struct started begin_spec(const struct jail_spec *spec)
{
	struct started started = {.jail = NULL};

	started.r = jail_start(spec, &started.jail, &started.err);
	return started;
}

struct outcome finish_spec(struct started *started)
{
	static struct outcome outcome;
	struct jail *jail = started->jail;
	size_t at = 0;

	memset(&outcome, 0, sizeof(outcome));
	outcome.r = started->r;
	outcome.err = started->err;
	if (outcome.r < 0)
		return outcome;
	jail_close_input(jail);
	outcome.by_memory = jail_memory_enforcer(jail);
	outcome.by_processes = jail_processes_enforcer(jail);
	while (pump(jail, outcome.out, sizeof(outcome.out), &at, 30000))
		continue;
	outcome.r = jail_wait(jail, &outcome.result, &outcome.err);
	jail_free(jail);
	started->jail = NULL;
	return outcome;
}

struct outcome run_inmate(const char *what, const char *arg)
{
	struct jail_spec spec = inmate_spec(what, arg);
	struct outcome outcome = run_spec(&spec);

	if (outcome.r < 0)
		check(false, "%s: %s: %s", what, jail_stage_name(outcome.err.stage),
		      outcome.err.text);
	return outcome;
}

bool await_ready(struct jail *jail, char *out, size_t size)
{
	size_t at = 0;

	out[0] = '\0';
	while (!strstr(out, "ready=1\n"))
		if (!pump(jail, out, size, &at, 30000))
			return check(false, "the inmate does not get ready");
	return true;
}

struct jail *start_ready(const struct jail_spec *spec)
{
	struct started started = begin_spec(spec);
	char out[256];

	if (started.r < 0)
		check(false, "start: %s", started.err.text);
	else if (!await_ready(started.jail, out, sizeof(out)))
		jail_free(TAKE_PTR(started.jail));
	return started.jail;
}

bool drained(struct jail *jail, int timeout_ms)
{
	char out[256];
	struct pollfd fd = {.fd = jail_fd(jail, JAIL_FD_OUT), .events = POLLIN};

	for (;;) {
		if (poll(&fd, 1, timeout_ms) <= 0)
			return false;
		if (read(fd.fd, out, sizeof(out)) == 0)
			return true;
	}
}

long jail_pid(const struct jail *jail)
{
	char path[64], line[128];
	long pid = -1;

	snprintf(path, sizeof(path), "/proc/self/fdinfo/%d",
		 jail_fd(jail, JAIL_FD_PIDFD));
	FILE *file = fopen(path, "re");
	while (file && fgets(line, sizeof(line), file))
		if (sscanf(line, "Pid: %ld", &pid) == 1)
			break;
	if (file)
		fclose(file);
	return pid;
}

bool has_line(const struct outcome *outcome, const char *line)
{
	size_t len = strlen(line);

	for (const char *at = outcome->out; (at = strstr(at, line)); at++)
		if ((at == outcome->out || at[-1] == '\n') && at[len] == '\n')
			return true;
	return false;
}

bool check(bool passed, const char *format, ...)
{
	va_list args;

	printf("%s %d - ", passed ? "ok" : "not ok", ++tests_run);
	va_start(args, format);
	vprintf(format, args);
	va_end(args);
	putchar('\n');
	fflush(stdout);
	tests_failed += !passed;
	return passed;
}

bool check_line(const struct outcome *outcome, const char *what, const char *line)
{
	bool passed = check(has_line(outcome, line), "%s: %s", what, line);

	if (!passed)
		note("exit %d signal %d, it said:\n%s", outcome->result.exit_code,
		     outcome->result.signal, outcome->out);
	return passed;
}

void check_apart(const char *what, void (*checks)(void))
{
	int counts[2] = {tests_run, tests_failed}, back[2], status;

	fflush(stdout);
	pid_t pid = pipe2(back, O_CLOEXEC) < 0 ? -1 : fork();
	if (pid == 0) {
		checks();
		fflush(stdout);
		counts[0] = tests_run;
		counts[1] = tests_failed;
		_exit(write(back[1], counts, sizeof(counts)) != (ssize_t)sizeof(counts));
	}
	if (pid < 0) {
		check(false, "%s: no process", what);
		return;
	}
	close(back[1]);
	bool told = read(back[0], counts, sizeof(counts)) == (ssize_t)sizeof(counts);
	close(back[0]);
	waitpid(pid, &status, 0);
	tests_run = counts[0];
	tests_failed = counts[1];
	if (!told || status != 0)
		check(false, "%s: ended with wait status %d", what, status);
}

void skip(const char *name, const char *why)
{
	printf("ok %d - %s # SKIP %s\n", ++tests_run, name, why);
}

void note(const char *format, ...)
{
	char text[4096], *line = text, *save = NULL;
	va_list args;

	va_start(args, format);
	vsnprintf(text, sizeof(text), format, args);
	va_end(args);
	for (line = strtok_r(text, "\n", &save); line; line = strtok_r(NULL, "\n", &save))
		printf("# %s\n", line);
}

int tap_end(void)
{
	printf("1..%d\n", tests_run);
	return tests_failed ? 1 : 0;
}

bool in_root_mode(void)
{
	struct jail_probe probe;

	for (unsigned i = 0; jail_probe_run(i, &probe) == 0; i++)
		if (strcmp(probe.name, "ids") == 0)
			return probe.state == JAIL_PROBE_WORKS;
	return false;
}

bool deny_call(long number, unsigned mask, unsigned first, int errnum)
{
	struct sock_filter code[] = {
		BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr)),
		BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, (unsigned)number, 0, 4),
		BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, args)),
		BPF_STMT(BPF_ALU | BPF_AND | BPF_K, mask),
		BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, first, 0, 1),
		BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | (unsigned)errnum),
		BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
	};
	struct sock_fprog program = {.len = ARRAY_LEN(code), .filter = code};

	return prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) == 0 &&
	       prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program) == 0;
}

long count_mounts(long pid)
{
	char path[64];
	FILE *file;
	long lines = 0;

	snprintf(path, sizeof(path), "/proc/%ld/mountinfo", pid);
	file = fopen(path, "re");
	for (int c; file && (c = getc(file)) != EOF;)
		lines += c == '\n';
	if (file)
		fclose(file);
	return lines;
}

long count_fds(void)
{
	DIR *dir = opendir("/proc/self/fd");
	long entries = 0;

	while (dir && readdir(dir))
		entries++;
	if (dir)
		closedir(dir);
	return entries;
}
