/* SPDX-License-Identifier: MIT */
/*
 * Every wall of the jail alone: no seccomp filter, files allowed, so that no other layer
 * hides that one is missing. What the filters refuse is in filters.c.
 */
#include <errno.h>
#include <fcntl.h>
#include <sched.h>
#include <signal.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/capability.h>
#include <sys/ipc.h>
#include <sys/resource.h>
#include <sys/shm.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/own.h"
#include "tests/escape/harness.h"

static void lines(const struct outcome *outcome, const char *what,
		  const char *const *wanted)
{
	for (; *wanted; wanted++)
		check_line(outcome, what, *wanted);
}

static void test_empty_root(void)
{
	static const char *const wanted[] = {
		"entries=0",	"statvfs=ok",  "readonly=1",  "nosuid=1",
		"create=EROFS", "mkdir=EROFS", "proc=ENOENT", "dev=ENOENT",
		"up=ENOENT",	"tty=ENOENT",  NULL};
	struct outcome outcome = run_inmate("root", "");

	lines(&outcome, "empty root", wanted);
}

/* As uid 0 of its namespace: only the missing capabilities can refuse. */
static void test_capabilities_as_inner_root(void)
{
	static const char *const wanted[] = {
		"sets=0",	    "bounding=0",	 "ambient=0",	"no_new_privs=1",
		"securebits=EPERM", "sethostname=EPERM", "mount=EPERM", "umount=EPERM",
		"chroot=EPERM",	    "unshare_net=EPERM", NULL};
	struct jail_spec spec = inmate_spec("caps", "");

	spec.uid_inside = 0;
	struct outcome outcome = run_spec(&spec);
	lines(&outcome, "capabilities as inner root", wanted);
}

static void test_ids(void)
{
	static const char *const wanted[] = {"uid=1000", "gid=1000",	    "pid=1",
					     "sid=1",	 "setgroups=EPERM", NULL};
	struct outcome outcome = run_inmate("ids", "");

	lines(&outcome, "ids", wanted);
	check(!has_line(&outcome, "setuid=ok"), "ids: no way to uid 0");
	/* Rootless, the caller's groups cannot be dropped; they mean nothing inside. */
	if (in_root_mode())
		check_line(&outcome, "ids: supplementary groups dropped", "groups=0");
}

static void test_descriptors(void)
{
	static const char *const wanted[] = {"fd=0", "fd=1", "fd=2", "tty0=0", NULL};
	int junk[20];

	/* An odd caller: inheritable descriptors, an ignored and a blocked signal. */
	for (size_t i = 0; i < ARRAY_LEN(junk); i++)
		junk[i] = open("/", O_RDONLY);
	sigset_t odd, before;
	sigemptyset(&odd);
	sigaddset(&odd, SIGUSR1);
	sigprocmask(SIG_BLOCK, &odd, &before);
	void (*old)(int) = signal(SIGPIPE, SIG_IGN);
	struct outcome outcome = run_inmate("fds", "");
	signal(SIGPIPE, old);
	sigprocmask(SIG_SETMASK, &before, NULL);
	for (size_t i = 0; i < ARRAY_LEN(junk); i++)
		close(junk[i]);

	lines(&outcome, "descriptors", wanted);
	check(!strstr(outcome.out, "fd=3") && !strstr(outcome.out, "fd=1\nfd=2\nfd="),
	      "descriptors: none but 0, 1, 2");
	check(!strstr(outcome.out, "not_default="),
	      "descriptors: default signal actions");
	check(!strstr(outcome.out, "blocked="), "descriptors: no blocked signal");
}

static void test_environment(void)
{
	static const char *const wanted[] = {"arg=a b", "environment=0", "cwd=/", NULL};
	char before[4096];

	setenv("QUOD_SECRET", "1", 1);
	if (!getcwd(before, sizeof(before)) || chdir("/usr") < 0)
		check(false, "environment: cannot stand elsewhere");
	struct outcome outcome = run_inmate("environment", "a b");
	if (chdir(before) < 0)
		check(false, "environment: cannot go back");
	lines(&outcome, "environment", wanted);
}

static void test_rlimits(void)
{
	static const char *const wanted[] = {"nofile=64",  "fsize=0", "memlock=0",
					     "msgqueue=0", "cpu=20",  "stack=8388608",
					     NULL};
	struct outcome outcome = run_inmate("rlimits", "");

	lines(&outcome, "rlimits", wanted);
	check(has_line(&outcome, "core=1") || has_line(&outcome, "core=0"),
	      "rlimits: core at most 1");
	if (outcome.by_memory == JAIL_BY_RLIMIT)
		check_line(&outcome, "rlimits", "data=67108864");
}

static void test_memory_by_rlimit(void)
{
	struct outcome outcome = run_inmate("memory", "200");

	check(outcome.by_memory == JAIL_BY_RLIMIT, "memory: held by RLIMIT_DATA");
	check_line(&outcome, "memory", "stopped=ENOMEM");
	check(outcome.result.memory_peak_bytes < 72u << 20, "memory: peak under 72 MiB");
	check(outcome.result.memory_peak_bytes > 40u << 20, "memory: peak over 40 MiB");
}

static int listen_abstract(char *name, size_t size)
{
	struct sockaddr_un address = {.sun_family = AF_UNIX};
	int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);

	snprintf(name, size, "quod-test-%d", (int)getpid());
	strcpy(address.sun_path + 1, name);
	socklen_t len =
		(socklen_t)(offsetof(struct sockaddr_un, sun_path) + 1 + strlen(name));
	if (bind(fd, (struct sockaddr *)&address, len) < 0 || listen(fd, 1) < 0)
		return close_fd(fd);
	return fd;
}

static void test_network(void)
{
	static const char *const wanted[] = {"socket=ok",
					     "interfaces=1",
					     "lo_up=0",
					     "loopback=ENETUNREACH",
					     "metadata=ENETUNREACH",
					     "abstract=ECONNREFUSED",
					     NULL};
	char name[64];
	own_fd int listener = listen_abstract(name, sizeof(name));

	check(listener >= 0, "network: the host listens on an abstract socket");
	struct outcome outcome = run_inmate("network", name);
	lines(&outcome, "network", wanted);
}

static void test_loopback_when_asked(void)
{
	struct jail_spec spec = inmate_spec("network", "x");

	spec.flags |= JAIL_LOOPBACK_UP;
	struct outcome outcome = run_spec(&spec);
	check_line(&outcome, "loopback asked for", "lo_up=1");
	check_line(&outcome, "loopback asked for", "loopback=ECONNREFUSED");
	check_line(&outcome, "loopback asked for", "metadata=ENETUNREACH");
}

static void test_ipc(void)
{
	key_t key = (key_t)(0x51000000 + getpid());
	int shm = shmget(key, 4096, IPC_CREAT | IPC_EXCL | 0666);
	char text[32];

	check(shm >= 0, "ipc: the host has a SysV segment that everyone may use");
	snprintf(text, sizeof(text), "%d", (int)key);
	struct outcome outcome = run_inmate("ipc", text);
	check_line(&outcome, "ipc", "shm=ENOENT");
	shmctl(shm, IPC_RMID, NULL);
}

/* Reads "Key:\tvalue" of a process from outside. */
static bool status_has(long pid, const char *line)
{
	char path[64], text[4096];

	snprintf(path, sizeof(path), "/proc/%ld/status", pid);
	own_fd int fd = open(path, O_RDONLY | O_CLOEXEC);
	ssize_t n = fd < 0 ? -1 : read(fd, text, sizeof(text) - 1);
	text[n > 0 ? n : 0] = '\0';
	return strstr(text, line) != NULL;
}

static void test_seen_from_outside(void)
{
	static const char *const wanted[] = {"CapInh:\t0000000000000000\n",
					     "CapPrm:\t0000000000000000\n",
					     "CapEff:\t0000000000000000\n",
					     "CapBnd:\t0000000000000000\n",
					     "CapAmb:\t0000000000000000\n",
					     "NoNewPrivs:\t1\n",
					     NULL};
	struct jail_spec spec = inmate_spec("pause", "");
	struct jail *jail = start_ready(&spec);
	char path[64], score[16] = "";

	if (!jail)
		return;
	long pid = jail_pid(jail);
	for (const char *const *line = wanted; *line; line++)
		check(status_has(pid, *line), "from outside: %.6s", *line);
	cap_t sets = cap_get_pid((pid_t)pid);
	cap_t none = cap_init();
	check(sets && none && cap_compare(sets, none) == 0,
	      "from outside: libcap finds no capability");
	cap_free(sets);
	cap_free(none);
	snprintf(path, sizeof(path), "/proc/%ld/oom_score_adj", pid);
	own_fd int fd = open(path, O_RDONLY | O_CLOEXEC);
	if (fd >= 0 && read(fd, score, sizeof(score) - 1) < 0)
		score[0] = '\0';
	check(strcmp(score, "1000\n") == 0,
	      "from outside: first to die when memory ends");
	jail_free(jail);
}

static long host_uid(const struct jail *jail)
{
	char path[64];

	snprintf(path, sizeof(path), "/proc/%ld/status", jail_pid(jail));
	FILE *file = fopen(path, "re");
	char line[128];
	long uid = -1;
	while (file && fgets(line, sizeof(line), file))
		if (sscanf(line, "Uid: %ld", &uid) == 1)
			break;
	if (file)
		fclose(file);
	return uid;
}

/* What a kernel still has under a uid, the next jail does not meet; nor does it try the
 * uids of all that live. */
static void test_uid_rests(void)
{
	struct jail_spec spec = inmate_spec("pause", "");
	long before;

	if (!in_root_mode())
		return;
	spec.uid_first = 1900000100;
	spec.uid_count = 8;
	struct jail *jail = start_ready(&spec);
	if (!jail)
		return;
	before = host_uid(jail);
	jail_free(jail);
	struct jail_spec again = inmate_spec("pause", "");
	again.uid_first = spec.uid_first;
	again.uid_count = spec.uid_count;
	jail = start_ready(&again);
	check(jail && host_uid(jail) != before,
	      "lease: a uid that was just given back is not the next one");
	jail_free(jail);
}

static void test_uid_lease(void)
{
	struct jail_spec spec = inmate_spec("pause", "");
	struct jail_error err;
	struct jail *third = NULL;

	if (!in_root_mode()) {
		struct jail *jail = start_ready(&spec);
		check(jail && host_uid(jail) == (long)geteuid(),
		      "rootless: the host uid is the caller's");
		jail_free(jail);
		return;
	}
	spec.uid_first = 1900000000;
	spec.uid_count = 2;
	struct jail *one = start_ready(&spec);
	struct jail_spec again = inmate_spec("pause", "");
	again.uid_first = spec.uid_first;
	again.uid_count = spec.uid_count;
	struct jail *two = start_ready(&again);
	if (!one || !two)
		return;
	check(host_uid(one) != host_uid(two), "lease: two jails, two host uids");
	check(host_uid(one) >= 1900000000 && host_uid(one) < 1900000002,
	      "lease: from the range asked for");
	check(jail_start(&again, &third, &err) == -EAGAIN &&
		      err.stage == JAIL_STAGE_LEASE,
	      "lease: the range is used up, and that is said: %s", err.text);
	jail_free(one);
	third = start_ready(&again);
	check(third != NULL, "lease: given back at the end of a jail");
	jail_free(third);
	jail_free(two);
}

/* 200 lines, as an orchestrator may write them: more than one read of a map gives. */
static bool write_long_map(pid_t pid, const char *name)
{
	char path[64], text[4096];
	size_t at = 0;

	for (int i = 0; i < 199; i++)
		at += (size_t)snprintf(text + at, sizeof(text) - at, "%d %d 1\n", i, i);
	at += (size_t)snprintf(text + at, sizeof(text) - at, "%u %u %u\n", QUOD_UID_FIRST,
			       QUOD_UID_FIRST, QUOD_UID_COUNT);
	snprintf(path, sizeof(path), "/proc/%d/%s", (int)pid, name);
	own_fd int fd = open(path, O_WRONLY | O_CLOEXEC);
	return fd >= 0 && write(fd, text, at) == (ssize_t)at;
}

static void test_root_mode_with_a_long_id_map(void)
{
	int ready[2], go[2], status = 1;
	char byte = 0;

	if (!in_root_mode() || pipe(ready) < 0 || pipe(go) < 0)
		return;
	fflush(stdout);
	pid_t pid = fork();
	if (pid == 0) {
		close(go[1]);
		bool told = unshare(CLONE_NEWUSER) == 0 &&
			    write(ready[1], &byte, 1) == 1 && read(go[0], &byte, 1) == 1;
		_exit(told && in_root_mode() ? 0 : 1);
	}
	close(ready[1]);
	bool mapped = read(ready[0], &byte, 1) == 1 && write_long_map(pid, "uid_map") &&
		      write_long_map(pid, "gid_map") && write(go[1], &byte, 1) == 1;
	close(ready[0]);
	close(go[0]);
	close(go[1]);
	waitpid(pid, &status, 0);
	check(mapped && status == 0, "root mode is seen in an id map of 200 lines");
}

static void test_kill_takes_the_whole_tree(void)
{
	struct jail_spec spec = inmate_spec("tree", "40");
	struct jail *jail = start_ready(&spec);
	struct jail_result result;
	struct jail_error err;

	if (!jail)
		return;
	check(jail_kill(jail, &err) == 0, "tree: killed");
	check(jail_wait(jail, &result, &err) == 0 && result.end == JAIL_SIGNALED &&
		      result.signal == SIGKILL,
	      "tree: pid 1 died by SIGKILL");
	/* Forty processes, deaf and in sessions of their own, held this pipe open. */
	check(drained(jail, 1000), "tree: nobody holds its output any more");
	jail_free(jail);
}

static void test_pid_one_that_aborts(void)
{
	struct outcome outcome = run_inmate("abort", "");

	check(outcome.result.end == JAIL_SIGNALED,
	      "abort of pid 1 is seen as a signal (%d)", outcome.result.signal);
}

static void test_exit_code(void)
{
	struct outcome outcome = run_inmate("exit", "42");

	check(outcome.result.end == JAIL_EXITED && outcome.result.exit_code == 42,
	      "exit code 42 comes back");
}

static void test_cpu_clock(void)
{
	struct jail_spec spec = inmate_spec("spin", "");
	struct jail *jail = start_ready(&spec);
	uint64_t used = 0;

	if (!jail)
		return;
	while (jail_cpu_us(jail, &used) == 0 && used < 50000)
		continue;
	check(used >= 50000, "CPU time of a running jail can be read");
	jail_free(jail);
}

static void test_nothing_is_left(void)
{
	long mounts = count_mounts(getpid()), fds = count_fds();
	bool all = true;

	for (int i = 0; i < 200; i++) {
		struct outcome outcome = run_inmate("exit", "0");
		all = all && outcome.r == 0;
	}
	check(all, "leak: 200 jails ran");
	check(count_mounts(getpid()) == mounts,
	      "leak: no mount of the host came or went");
	check(count_fds() == fds, "leak: no descriptor is left open");
	check(waitpid(-1, NULL, WNOHANG) < 0 && errno == ECHILD,
	      "leak: no child is left");
}

/* A caller that is favoured by the scheduler does not pass that on. */
static void test_scheduling(void)
{
	struct jail_spec spec = inmate_spec("pause", "");
	const struct sched_param high = {.sched_priority = 10},
				 plain = {.sched_priority = 0};

	if (sched_setscheduler(0, SCHED_FIFO, &high) < 0) {
		/* Only the privileged get there, and so only they could pass it on. */
		check(!in_root_mode(), "scheduling: no privilege to have or to give");
		return;
	}
	setpriority(PRIO_PROCESS, 0, -5);
	struct jail *jail = start_ready(&spec);
	sched_setscheduler(0, SCHED_OTHER, &plain);
	setpriority(PRIO_PROCESS, 0, 0);
	if (!jail)
		return;
	pid_t pid = (pid_t)jail_pid(jail);
	check(sched_getscheduler(pid) == SCHED_OTHER, "scheduling: no real-time class");
	check(getpriority(PRIO_PROCESS, (id_t)pid) == 0,
	      "scheduling: no better nice value");
	jail_free(jail);
}

int main(void)
{
	test_empty_root();
	test_capabilities_as_inner_root();
	test_ids();
	test_descriptors();
	test_environment();
	test_rlimits();
	test_memory_by_rlimit();
	test_network();
	test_loopback_when_asked();
	test_ipc();
	test_seen_from_outside();
	test_uid_lease();
	test_uid_rests();
	test_root_mode_with_a_long_id_map();
	test_kill_takes_the_whole_tree();
	test_pid_one_that_aborts();
	test_exit_code();
	test_cpu_clock();
	test_scheduling();
	test_nothing_is_left();
	return tap_end();
}
