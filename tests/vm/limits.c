/* SPDX-License-Identifier: MIT */
/*
 * limits [ROUNDS]: what a cgroup holds of a guest that no filter keeps from making
 * processes, and of one that spins with a small share of the CPU: through libjail.
 * tests/integration/tasks.sh has the processes of `quod exec`.
 */
#include <fcntl.h>
#include <inttypes.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "base/number.h"
#include "base/own.h"
#include "tests/escape/harness.h"

/* Against a hang. */
#define END_MS	  60000
#define LOOK_MS	  20
#define LOOKS	  (END_MS / LOOK_MS)
#define PROCESSES 32u

static int group_fd = -1, hog_fd = -1;

static struct jail_spec hog_spec(const char *way)
{
	static char *argv[3];
	struct jail_spec spec = inmate_spec("", "");

	argv[0] = (char *)(uintptr_t) "hog";
	argv[1] = (char *)(uintptr_t)way;
	spec.exe_fd = hog_fd;
	spec.exe_name = "hog";
	spec.argv = argv;
	spec.cgroup_fd = group_fd;
	spec.flags = JAIL_NEED_CGROUP;
	spec.limits.cpu_percent = 100;
	spec.limits.processes = PROCESSES;
	return spec;
}

/* A file of a jail's leaf, as long as the jail is there. */
static const char *leaf_file(const char *id, const char *name)
{
	static char text[4096];
	char path[256];

	snprintf(path, sizeof(path), "%s.run/%s", id, name);
	own_fd int fd = openat(group_fd, path, O_RDONLY | O_CLOEXEC);
	ssize_t n = fd < 0 ? -1 : read(fd, text, sizeof(text) - 1);
	text[n > 0 ? n : 0] = '\0';
	return text;
}

/* The number after "key " in such a file; 0 if it is not there. */
static unsigned long leaf_number(const char *id, const char *name, const char *key)
{
	const char *at = strstr(leaf_file(id, name), key);

	return at ? strtoul(at + strlen(key), NULL, 10) : 0;
}

static bool becomes_positive(const char *id, const char *name, const char *key)
{
	for (int i = 0; i < LOOKS; i++) {
		if (leaf_number(id, name, key) > 0)
			return true;
		poll(NULL, 0, LOOK_MS);
	}
	return false;
}

static bool leaf_is_there(const char *id)
{
	char path[256];

	snprintf(path, sizeof(path), "%s.run", id);
	return faccessat(group_fd, path, F_OK, 0) == 0;
}

static int64_t now_us(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return (int64_t)now.tv_sec * 1000000 + now.tv_nsec / 1000;
}

/* Kills, waits and frees; says how long it took to the last process. */
static struct jail_result check_killed(struct jail *jail, const char *id,
				       const char *what)
{
	struct jail_result result = {.end = JAIL_EXITED};
	struct jail_error err;
	int64_t start = now_us();
	bool killed = jail_kill(jail, &err) == 0 && jail_wait(jail, &result, &err) == 0;

	note("%s: gone %" PRId64 " us after the kill", what, now_us() - start);
	check(killed && result.end == JAIL_SIGNALED && result.signal == SIGKILL,
	      "%s: killed", what);
	check(!leaf_is_there(id), "%s: its leaf is gone", what);
	check(drained(jail, END_MS), "%s: nobody holds its output any more", what);
	jail_free(jail);
	return result;
}

static void test_throttle(void)
{
	struct jail_spec spec = hog_spec("spin");
	char id[64];

	snprintf(id, sizeof(id), "%s", spec.id);
	spec.limits.cpu_percent = 5;
	struct jail *jail = start_ready(&spec);
	if (!jail)
		return;
	check(jail_cpu_enforcer(jail) == JAIL_BY_CGROUP, "throttle: held by the cgroup");
	check(strcmp(leaf_file(id, "cpu.max"), "5000 100000\n") == 0,
	      "throttle: 5 %% is in cpu.max");
	check(becomes_positive(id, "cpu.stat", "nr_throttled "),
	      "throttle: a guest that spins is throttled");
	check_killed(jail, id, "throttle");
}

static void test_bomb(void)
{
	struct jail_spec spec = hog_spec("bomb");
	char id[64];

	snprintf(id, sizeof(id), "%s", spec.id);
	spec.limits.cpu_percent = 1;
	struct jail *jail = start_ready(&spec);
	if (!jail)
		return;
	check(jail_processes_enforcer(jail) == JAIL_BY_CGROUP,
	      "bomb: held by the cgroup");
	check(becomes_positive(id, "pids.events", "max "),
	      "bomb: pids.max refuses a process");
	unsigned long count = strtoul(leaf_file(id, "pids.current"), NULL, 10);
	check(count > 1 && count <= PROCESSES, "bomb: %lu processes, %u allowed", count,
	      PROCESSES);
	/* Linux 6.11. */
	bool told = strtoul(leaf_file(id, "pids.peak"), NULL, 10) > 0;
	struct jail_result result = check_killed(jail, id, "bomb");
	check(result.pids_peak == (told ? PROCESSES : 0), "bomb: the most were %u",
	      result.pids_peak);
}

/* One round of a tree whose processes together have too much. */
static bool tree_is_told(void)
{
	struct jail_spec spec = hog_spec("tree");
	struct jail_result result = {.end = JAIL_EXITED};
	struct jail_error err;
	struct jail *jail = NULL;

	spec.limits.memory_bytes = 16u << 20;
	if (jail_start(&spec, &jail, &err) < 0) {
		note("%s", err.text);
		return false;
	}
	struct pollfd ended = {.fd = jail_fd(jail, JAIL_FD_PIDFD), .events = POLLIN};
	bool told = poll(&ended, 1, END_MS) == 1 && jail_wait(jail, &result, &err) == 0 &&
		    result.signal == SIGKILL && result.memory_limit_hit &&
		    result.oom_killed && !result.oom_in_group && drained(jail, END_MS);
	if (!told)
		note("end %d signal %d limit %d oom %d", result.end, result.signal,
		     result.memory_limit_hit, result.oom_killed);
	jail_free(jail);
	return told;
}

static void test_tree(uint32_t rounds)
{
	uint32_t told = 0;

	for (uint32_t i = 0; i < rounds; i++)
		told += tree_is_told();
	check(told == rounds, "tree: dies as one, its own limit, told in %u of %u", told,
	      rounds);
}

int main(int argc, char **argv)
{
	struct jail_error err = {.stage = JAIL_STAGE_NONE};
	uint32_t rounds = 100;
	char path[4096];

	if (argc > 1 && number_parse_u32(argv[1], 1, 1000000, &rounds) != NUMBER_OK)
		return 2;

	snprintf(path, sizeof(path), "%s/tests/vm/hog", getenv("QUOD_TEST_BUILD"));
	hog_fd = open(path, O_PATH | O_CLOEXEC);
	if (!check(jail_cgroup_open(NULL, true, &group_fd, &err) == 0 && hog_fd >= 0,
		   "a group with all controllers, and a program: %s", err.text))
		return tap_end();
	test_throttle();
	test_bomb();
	test_tree(rounds);
	return tap_end();
}
