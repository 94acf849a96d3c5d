/* SPDX-License-Identifier: MIT */
#include "tests/daemon/host.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/file.h"
#include "base/own.h"
#include "tests/daemon/crowd.h"

#define ANSWERS_MS 30000
#define LOOK_MS	   5

/* What nobody has asked for goes in a moment: then what is left is a leak. No run of a long
 * soak is forgotten. */
static int write_config(struct host *host)
{
	static const char text[] = "[Pool]\nMost=4\nExpireSec=1s\n"
				   "[History]\nMaxSize=16G\n";
	char path[HOST_PATH_ROOM + 16];
	own_fd int fd = -1;

	snprintf(host->config, HOST_PATH_ROOM, "%s/etc", host->dir);
	if (mkdir(host->config, 0700) < 0)
		return -errno;
	snprintf(path, sizeof(path), "%s/quodd.conf", host->config);
	fd = open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
	return fd < 0 ? -errno : file_write_all(fd, text, sizeof(text) - 1);
}

int host_init(struct host *host)
{
	const char *build = getenv("QUOD_TEST_BUILD"), *tmp = getenv("TMPDIR");

	*host = (struct host){.monitor = 0};
	if (!build || strlen(build) > 4000 || (tmp && strlen(tmp) > 60))
		return -ENOENT;
	snprintf(host->quodd, HOST_PATH_ROOM, "%s/quodd", build);
	snprintf(host->interpreter, HOST_PATH_ROOM, "QUOD_JS=%s/quod-js", build);
	snprintf(host->dir, sizeof(host->dir), "%s/quodd.XXXXXX", tmp ? tmp : "/tmp");
	if (!mkdtemp(host->dir))
		return -errno;
	snprintf(host->socket, HOST_PATH_ROOM, "%s/socket", host->dir);
	snprintf(host->state, HOST_PATH_ROOM, "%s/state", host->dir);
	snprintf(host->log, HOST_PATH_ROOM, "%s/log", host->dir);
	return mkdir(host->state, 0700) < 0 ? -errno : write_config(host);
}

/* Files of ours alone, a level deep. */
static void remove_below(const char *path)
{
	DIR *dir = opendir(path);

	if (!dir)
		return;
	for (struct dirent *entry; (entry = readdir(dir));)
		if (entry->d_name[0] != '.')
			unlinkat(dirfd(dir), entry->d_name, 0);
	closedir(dir);
	rmdir(path);
}

void host_remove(const struct host *host)
{
	remove_below(host->config);
	remove_below(host->state);
	remove_below(host->dir);
}

int host_start(struct host *host, const char *runs)
{
	char *const argv[] = {host->quodd,
			      (char *)"--socket",
			      host->socket,
			      (char *)"--state",
			      host->state,
			      (char *)"--config",
			      host->config,
			      (char *)"--runs",
			      (char *)(uintptr_t)runs,
			      NULL};
	char *const environment[] = {host->interpreter, NULL};
	pid_t pid = fork();

	if (pid < 0)
		return -errno;
	if (pid == 0) {
		/* A test that is interrupted leaves none. */
		prctl(PR_SET_PDEATHSIG, SIGKILL, 0, 0, 0);
		int log = open(host->log, O_WRONLY | O_CREAT | O_APPEND, 0600);

		dup2(log, STDERR_FILENO);
		dup2(log, STDOUT_FILENO);
		execve(host->quodd, argv, environment);
		_exit(127);
	}
	host->monitor = pid;
	return 0;
}

bool host_answers(const struct host *host)
{
	for (int waited = 0; waited < ANSWERS_MS; waited += LOOK_MS) {
		own_text struct text reply = TEXT_INIT(65536);
		siginfo_t info = {.si_pid = 0};

		if (crowd_get(host->socket, "/healthz", &reply))
			return true;
		if (waitid(P_PID, (id_t)host->monitor, &info,
			   WEXITED | WNOHANG | WNOWAIT) == 0 &&
		    info.si_pid)
			return false;
		poll(NULL, 0, LOOK_MS);
	}
	return false;
}

int host_stop(struct host *host)
{
	int status = 0;

	kill(host->monitor, SIGTERM);
	waitpid(host->monitor, &status, 0);
	host->monitor = 0;
	return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}

/* Calls take() for each child. */
static void each_child(pid_t pid, void (*take)(pid_t child, void *context), void *context)
{
	char path[64];
	FILE *file;
	int child;

	snprintf(path, sizeof(path), "/proc/%d/task/%d/children", pid, pid);
	file = fopen(path, "re");
	while (file && fscanf(file, "%d", &child) == 1)
		take(child, context);
	if (file)
		fclose(file);
}

static bool has_name(pid_t pid, const char *wanted)
{
	char path[64], name[32] = "";
	FILE *file;

	snprintf(path, sizeof(path), "/proc/%d/comm", pid);
	file = fopen(path, "re");
	if (!file)
		return false;
	if (fgets(name, sizeof(name), file))
		name[strcspn(name, "\n")] = '\0';
	fclose(file);
	return strcmp(name, wanted) == 0;
}

struct family {
	unsigned count, zygotes;
};

static void count_child(pid_t child, void *context)
{
	struct family *family = context;

	family->count++;
	family->zygotes += has_name(child, "jail-zygote");
}

unsigned host_children(pid_t pid, unsigned *ret_zygotes)
{
	struct family family = {0};

	each_child(pid, count_child, &family);
	*ret_zygotes = family.zygotes;
	return family.count - family.zygotes;
}

static void take_server(pid_t child, void *context)
{
	if (has_name(child, "quodd-server"))
		*(pid_t *)context = child;
}

pid_t host_server(const struct host *host)
{
	pid_t server = 0;

	each_child(host->monitor, take_server, &server);
	return server;
}

unsigned host_descriptors(pid_t pid)
{
	char path[64];
	unsigned count = 0;
	DIR *dir;

	snprintf(path, sizeof(path), "/proc/%d/fd", pid);
	dir = opendir(path);
	if (!dir)
		return 0;
	for (struct dirent *entry; (entry = readdir(dir));)
		count += entry->d_name[0] != '.';
	closedir(dir);
	return count;
}

uint64_t host_rss_kib(pid_t pid)
{
	unsigned long long kib = 0;
	char path[64], line[128];
	FILE *file;

	snprintf(path, sizeof(path), "/proc/%d/status", pid);
	file = fopen(path, "re");
	while (file && fgets(line, sizeof(line), file))
		if (sscanf(line, "VmRSS: %llu", &kib) == 1)
			break;
	if (file)
		fclose(file);
	return kib;
}
