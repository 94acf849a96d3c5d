/* SPDX-License-Identifier: MIT */
/*
 * quodd with a server that belongs to somebody else: the monitor is the daemon's own, and
 * it starts this program as its server. A server can have a run of an existing policy
 * within its limits, and nothing else; whatever it tries, the monitor ends in order, says
 * why, and leaves no process behind.
 */
#include "tests/daemon/taken.h"

#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/file.h"
#include "base/own.h"
#include "daemon/quodd.h"
#include "daemon/server.h"
#include "tests/race/tap.h"

static const struct {
	const char *name, *said;
} scenes[SCENES_COUNT] = {
#define X(id, name, said) [SCENE_##id] = {name, said},
	SCENES(X)
#undef X
};

/* Those in which the server has the last word. */
static bool ends_by_itself(enum scene scene)
{
	return !scenes[scene].said && scene != SCENE_EMPTY;
}

/* Enough for forty jails. */
static const struct rlimit busy_files = {800, 800};

static _Noreturn void run_daemon(enum scene scene, const char *dir, int out)
{
	char path[4200], runs[16], config[4096], name[] = "quodd", socket[] = "--socket",
						 option[] = "--runs",
						 where[] = "--config";
	char *argv[] = {name, socket, path, option, runs, where, config, NULL};

	snprintf(config, sizeof(config), "%s", dir);
	snprintf(path, sizeof(path), "%s/socket", dir);
	snprintf(runs, sizeof(runs), "%d", SCENE_RUNS + (int)scene);
	if (dup2(out, STDERR_FILENO) < 0 ||
	    (scene == SCENE_BUSY && setrlimit(RLIMIT_NOFILE, &busy_files) < 0))
		_exit(99);
	alarm(60); /* against a hang: the server and its jails die with the monitor */
	_exit(quodd_main(ARRAY_LEN(argv) - 1, argv, "/proc/self/exe"));
}

/* All that both of them say, until neither lives. */
static int play(enum scene scene, const char *dir, char **ret_said)
{
	int ends[2], status = 0;
	size_t len;
	pid_t pid;

	if (pipe(ends) < 0)
		return -errno;
	fflush(stdout);
	pid = fork();
	if (pid == 0)
		run_daemon(scene, dir, ends[1]);
	close(ends[1]);
	if (file_read_fd(ends[0], 1u << 20, ret_said, &len) < 0)
		*ret_said = strdup("");
	close(ends[0]);
	waitpid(pid, &status, 0);
	return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}

static void show(const char *said, int code)
{
	printf("# exit code %d; said:\n", code);
	for (const char *line = said; *line; line += strcspn(line, "\n") + 1) {
		printf("#   %.*s\n", (int)strcspn(line, "\n"), line);
		if (!line[strcspn(line, "\n")])
			break;
	}
}

static void check_scene(enum scene scene, const char *dir)
{
	own_free char *said = NULL;
	int code = play(scene, dir, &said);
	const char *wanted = scenes[scene].said;
	bool good = code == 1 && !strstr(said, "# ");

	if (ends_by_itself(scene))
		good = good && strstr(said, "has ended with exit status 0");
	else
		good = good && strstr(said, "was killed by SIGKILL") &&
		       (!wanted || strstr(said, wanted));
	/* What its parent left behind would be ours. */
	good = good && waitpid(-1, NULL, WNOHANG) < 0 && errno == ECHILD;
	tap_result(good, "a server that sends ", scenes[scene].name);
	if (!good)
		show(said, code);
}

/* A warm jail becomes old soon enough to wait for it. */
static bool write_config(const char *path)
{
	static const char text[] = "[Pool]\nExpireSec=1s\n";
	own_fd int fd = open(path, O_WRONLY | O_CREAT | O_CLOEXEC, 0600);

	return fd >= 0 && file_write_all(fd, text, sizeof(text) - 1) == 0;
}

int main(int argc, char **argv)
{
	const char *build = getenv("QUOD_TEST_BUILD"), *tmp = getenv("TMPDIR");
	char dir[4096], path[4200];

	if (argc > 0 && !strcmp(argv[0], SERVER_NAME))
		return taken_server();
	snprintf(path, sizeof(path), "%s/quod-js", build ? build : ".");
	setenv("QUOD_JS", path, 1);
	snprintf(dir, sizeof(dir), "%s/quod-taken.XXXXXX", tmp ? tmp : "/tmp");
	prctl(PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0);
	if (!mkdtemp(dir))
		return 99;
	snprintf(path, sizeof(path), "%s/quodd.conf", dir);
	if (!write_config(path))
		return 99;
	for (int scene = 0; scene < SCENES_COUNT; scene++)
		check_scene((enum scene)scene, dir);
	unlink(path);
	rmdir(dir);
	return tap_done();
}
