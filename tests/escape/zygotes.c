/* SPDX-License-Identifier: MIT */
#include "tests/escape/zygotes.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "tests/escape/outside.h"

struct jail_template *template;

struct jail_spec template_spec(const char *name, const char *arg)
{
	struct jail_spec spec = inmate_spec(name, arg);

	spec.limits.open_files = 0;
	spec.template = template;
	return spec;
}

struct jail_template *make_template(void)
{
	struct jail_error err = {.errnum = 0};
	struct jail_template *made = NULL;
	int r = jail_template_make(&made, &err);

	check(r == 0 && made, "a template is made: %s", err.text);
	return made;
}

struct stat look_at(long pid, const char *name)
{
	struct stat st = {.st_ino = 0};
	char path[64];

	if (pid)
		snprintf(path, sizeof(path), "/proc/%ld/%s", pid, name);
	else
		snprintf(path, sizeof(path), "/proc/self/%s", name);
	if (stat(path, &st) < 0)
		check(false, "look at %s: %s", path, strerror(errno));
	return st;
}

bool is_zygote(pid_t pid)
{
	char comm[32] = "";

	return proc_text(pid, "comm", comm, sizeof(comm)) &&
	       !strcmp(comm, "jail-zygote\n") &&
	       look_at(pid, "ns/user").st_ino == look_at(0, "ns/user").st_ino;
}

unsigned find_children(pid_t found[PIDS_MOST], bool zygotes)
{
	char path[64], text[4096] = "", *at = text, *end;
	unsigned count = 0;

	snprintf(path, sizeof(path), "task/%ld/children", (long)getpid());
	proc_text(getpid(), path, text, sizeof(text));
	for (long pid; (pid = strtol(at, &end, 10)) > 0 && count < PIDS_MOST; at = end)
		if (is_zygote((pid_t)pid) == zygotes)
			found[count++] = (pid_t)pid;
	return count;
}

unsigned find_zygotes(pid_t found[PIDS_MOST])
{
	return find_children(found, true);
}

pid_t the_zygote(void)
{
	pid_t found[PIDS_MOST];

	if (find_zygotes(found) >= 1)
		return found[0];
	check(false, "there is a zygote");
	exit(tap_end());
}

bool is_rooted(pid_t zygote)
{
	return count_mounts(zygote) == 1;
}

bool has_children(void)
{
	return waitpid(-1, NULL, WNOHANG) >= 0 || errno != ECHILD;
}

void check_it_runs(const char *what)
{
	struct jail_spec spec = template_spec("exit", "7");
	struct outcome outcome = run_spec(&spec);

	check(outcome.r == 0 && outcome.result.exit_code == 7, "%s: the jail runs: %s",
	      what, outcome.err.text);
}

void rest(void)
{
	usleep(1100000);
}
