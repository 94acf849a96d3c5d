/* SPDX-License-Identifier: MIT */
/*
 * What the host's daemon needs before anybody can ask it: its program, a configuration
 * that it takes, its server's user, a directory for its state, units that start it. The
 * configuration is judged by quodd itself.
 *
 * Root alone can see all of it; whoever else asks is told so, and hears what the daemon
 * says.
 */
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <pwd.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/own.h"
#include "supervisor/clock.h"
#include "supervisor/doctor_checks.h"

#define SERVER_USER	"quod"
#define CONFIG_USUAL	SYSCONFDIR "/quod"
#define STATE_USUAL	"/var/lib/quod"
#define HISTORY		"history"
#define QUODD_ANSWER_MS 5000

/* Below FAILS nothing more is written; above LESS a busy hour is. */
#define SPACE_FAILS  (4u << 20)
#define SPACE_LESS   (64u << 20)
#define INODES_FAILS 4u
#define INODES_LESS  64u

static const char *quodd_path(void)
{
	const char *path = secure_getenv("QUOD_QUODD");

	return path && *path ? path : SBINDIR "/quodd";
}

static const char *config_dir(const struct doctor *doctor)
{
	return doctor->config ? doctor->config : CONFIG_USUAL;
}

static const char *state_dir(const struct doctor *doctor)
{
	return doctor->state ? doctor->state : STATE_USUAL;
}

void check_operator(struct doctor *doctor)
{
	struct finding *finding;

	if (geteuid() == 0)
		return;
	finding = doctor_add(doctor, "caller", "look who asks");
	finding_is(finding, JAIL_PROBE_LESS,
		   "user %u: configuration and state are for root to look at",
		   (unsigned)geteuid());
	finding_instead(finding,
			"what the daemon says of them is all that is known here");
	finding_mend(finding, "sudo quod doctor --for quodd");
}

/* --- the program -------------------------------------------------------------- */

int doctor_listen(int fd, char *to, size_t size, int ms)
{
	uint64_t end_ms = clock_mono_ns() / NS_PER_MS + (uint64_t)ms;
	size_t len = 0;

	while (len < size) {
		uint64_t now_ms = clock_mono_ns() / NS_PER_MS;
		struct pollfd slot = {.fd = fd, .events = POLLIN};
		int ready = now_ms >= end_ms ? 0 : poll(&slot, 1, (int)(end_ms - now_ms));

		if (ready == 0)
			return -ETIMEDOUT;
		ssize_t n = read(fd, to + len, size - len);
		if (n == 0)
			break;
		if (n < 0 && errno != EINTR)
			return -errno;
		len += n > 0 ? (size_t)n : 0;
	}
	return (int)len;
}

int doctor_reap(pid_t pid, bool hung)
{
	int status = 0;

	if (hung)
		kill(pid, SIGKILL);
	while (waitpid(pid, &status, 0) < 0)
		if (errno != EINTR)
			return -errno;
	return WIFEXITED(status) ? WEXITSTATUS(status) : -EINTR;
}

static _Noreturn void execute(char *const *argv, int said)
{
	own_fd int nothing = open("/dev/null", O_RDONLY | O_CLOEXEC);

	if (nothing < 0 || dup2(nothing, STDIN_FILENO) < 0 ||
	    dup2(said, STDOUT_FILENO) < 0 || dup2(said, STDERR_FILENO) < 0)
		_exit(126);
	execv(argv[0], argv);
	dprintf(STDERR_FILENO, "quodd: %s\n", strerror(errno));
	_exit(127);
}

/* Its exit status, or a negative errno; what it said, as one string. */
static int run_quodd(const char *const *options, char *said, size_t size)
{
	char *argv[5] = {(char *)(uintptr_t)quodd_path()};
	int ends[2], heard;
	pid_t pid;

	for (size_t i = 0; options[i] && i + 2 < ARRAY_LEN(argv); i++)
		argv[i + 1] = (char *)(uintptr_t)options[i];
	if (pipe2(ends, O_CLOEXEC) < 0)
		return -errno;
	pid = fork();
	if (pid == 0)
		execute(argv, ends[1]);
	close_fd(ends[1]);
	heard = pid < 0 ? -errno
			: doctor_listen(ends[0], said, size - 1, QUODD_ANSWER_MS);
	close_fd(ends[0]);
	said[heard > 0 ? heard : 0] = '\0';
	if (pid < 0)
		return heard;
	/* Who says more than anybody asked for may never end. */
	int r = doctor_reap(pid, heard < 0 || (size_t)heard == size - 1);
	return heard < 0 ? heard : r;
}

void check_program(struct doctor *doctor)
{
	static const char *const options[] = {"--version", NULL};
	static const char wanted[] = "quodd " PACKAGE_VERSION "\n";
	struct finding *finding =
		doctor_add(doctor, "quodd", "'%.100s --version'", quodd_path());
	char said[512];
	int r = run_quodd(options, said, sizeof(said));

	if (r == 0 && strncmp(said, wanted, strlen(wanted)) == 0) {
		finding_is(finding, JAIL_PROBE_WORKS, "version " PACKAGE_VERSION);
		return;
	}
	said[strcspn(said, "\n")] = '\0';
	if (r == 0) {
		finding_is(finding, JAIL_PROBE_LESS,
			   "'%.200s', and this is quod " PACKAGE_VERSION, said);
		finding_instead(finding,
				"no limit is held by less: what one of them knows "
				"the other may not");
		finding_mend(finding, "install quod and quodd of one version");
		return;
	}
	finding_is(finding, JAIL_PROBE_FAILS, "%s",
		   said[0] ? said : strerror(r < 0 ? -r : EIO));
	finding_mend(finding, "install quodd, or let QUOD_QUODD name one");
}

/* --- configuration ------------------------------------------------------------ */

static unsigned count_lines(const char *text)
{
	unsigned count = 0;

	for (; *text; text++)
		count += *text == '\n';
	return count;
}

void check_config(struct doctor *doctor)
{
	const char *dir = config_dir(doctor), prefix[] = "quodd: ";
	const char *const options[] = {"--test", "--config", dir, NULL};
	struct finding *finding;
	char said[2048], *first = said;
	unsigned faults;

	if (geteuid() != 0 && !doctor->config)
		return;
	finding = doctor_add(doctor, "configuration", "'quodd --test --config %.100s'",
			     dir);
	int r = run_quodd(options, said, sizeof(said));
	if (r == 0) {
		finding_is(finding, JAIL_PROBE_WORKS, "quodd takes it");
		return;
	}
	faults = count_lines(said);
	said[strcspn(said, "\n")] = '\0';
	if (strncmp(first, prefix, strlen(prefix)) == 0)
		first += strlen(prefix);
	finding_is(finding, JAIL_PROBE_FAILS, "%.400s",
		   said[0] ? first : strerror(r < 0 ? -r : EIO));
	if (access(dir, F_OK) < 0)
		finding_mend(finding, "mkdir -p '%.150s'", dir);
	else
		finding_mend(finding,
			     "mend the file there (%u faults in all); look again: "
			     "quodd --test --config %.100s; then: systemctl "
			     "restart quodd, or reload where it runs",
			     faults, dir);
}

/* --- the server's user -------------------------------------------------------- */

void check_server_user(struct doctor *doctor)
{
	struct finding *finding;

	if (geteuid() != 0)
		return;
	finding =
		doctor_add(doctor, "server user", "look for the user '" SERVER_USER "'");
	if (getpwnam(SERVER_USER)) {
		finding_is(finding, JAIL_PROBE_WORKS, "the server becomes this user");
		return;
	}
	finding_mend(finding, "systemd-sysusers, or useradd --system --shell "
			      "/usr/sbin/nologin " SERVER_USER);
	if (!getpwnam("nobody")) {
		finding_is(finding, JAIL_PROBE_FAILS, "there is none, and no 'nobody'");
		return;
	}
	finding_is(finding, JAIL_PROBE_LESS, "there is none");
	finding_instead(finding,
			"the server becomes 'nobody', as whom others may run too: it "
			"is held apart from them by its namespaces and filter");
}

/* --- the state directory ------------------------------------------------------ */

/* The worse of two: how much is left, and is that enough? */
static enum jail_probe_state judge_left(uint64_t left, uint64_t fails, uint64_t less)
{
	return left < fails  ? JAIL_PROBE_FAILS
	       : left < less ? JAIL_PROBE_LESS
			     : JAIL_PROBE_WORKS;
}

static void judge_room(struct finding *finding, const char *dir, const struct statvfs *fs)
{
	uint64_t bytes = (uint64_t)fs->f_bavail * fs->f_frsize;
	enum jail_probe_state space = judge_left(bytes, SPACE_FAILS, SPACE_LESS);
	enum jail_probe_state inodes =
		fs->f_files ? judge_left(fs->f_favail, INODES_FAILS, INODES_LESS)
			    : JAIL_PROBE_WORKS;

	finding_is(finding, space > inodes ? space : inodes,
		   "its file system has %ju KiB and %ju inodes left",
		   (uintmax_t)bytes >> 10, (uintmax_t)fs->f_favail);
	if (finding->state == JAIL_PROBE_WORKS)
		return;
	finding_instead(
		finding, "%s",
		finding->state == JAIL_PROBE_LESS
			? "no limit is held by less: when it is full, no more runs "
			  "are taken on"
			: "");
	if (space >= inodes)
		finding_mend(finding,
			     "make room: df -h %.100s; the history takes as much as "
			     "MaxSize= in [History] of quodd.conf says, and "
			     "damaged ones stay: ls %.100s/" HISTORY "/damaged-*",
			     dir, dir);
	else
		finding_mend(finding,
			     "inodes are used up: df -i %.100s; remove files there, "
			     "or make the file system anew with more",
			     dir);
}

/* True: it is who may have it. */
static bool judge_owner(struct finding *finding, const char *path, const struct stat *st,
			uid_t other)
{
	if (st->st_uid == geteuid() || st->st_uid == other)
		return true;
	finding_is(finding, JAIL_PROBE_FAILS, "'%.150s' belongs to user %u", path,
		   (unsigned)st->st_uid);
	finding_mend(finding, "chown -R %u '%.150s'", (unsigned)other, path);
	return false;
}

static bool judge_history(struct finding *finding, const char *dir)
{
	const struct passwd *user = getpwnam(SERVER_USER);
	char path[300];
	struct stat st;

	if (!user)
		user = getpwnam("nobody");
	snprintf(path, sizeof(path), "%.250s/" HISTORY, dir);
	if (lstat(path, &st) < 0)
		return true;
	if (!S_ISDIR(st.st_mode)) {
		finding_is(finding, JAIL_PROBE_FAILS, "'%.150s' is no directory", path);
		finding_mend(finding, "mv '%.150s' '%.150s.old'", path, path);
		return false;
	}
	return judge_owner(finding, path, &st,
			   user && geteuid() == 0 ? user->pw_uid : geteuid());
}

static void judge_state(struct finding *finding, const char *dir)
{
	struct statvfs fs;
	struct stat st;

	if (stat(dir, &st) < 0 || statvfs(dir, &fs) < 0) {
		finding_is(finding, JAIL_PROBE_FAILS, "%s", strerror(errno));
		finding_mend(finding,
			     "install -d -m 0700 '%.150s', or let systemd make it: "
			     "systemctl start quodd",
			     dir);
		return;
	}
	if (!S_ISDIR(st.st_mode)) {
		finding_is(finding, JAIL_PROBE_FAILS, "it is no directory");
		finding_mend(finding, "mv '%.150s' '%.150s.old'", dir, dir);
		return;
	}
	if (!judge_owner(finding, dir, &st, geteuid()) || !judge_history(finding, dir))
		return;
	if (fs.f_flag & ST_RDONLY || access(dir, W_OK | X_OK) < 0) {
		finding_is(finding, JAIL_PROBE_FAILS, "it cannot be written: %s",
			   strerror(fs.f_flag & ST_RDONLY ? EROFS : errno));
		finding_mend(
			finding,
			fs.f_flag & ST_RDONLY
				? "the kernel may have made it read-only after an error "
				  "of the disk: dmesg | tail; then: mount -o remount,rw "
				  "'%.150s'"
				: "chmod u+rwx '%.150s'",
			dir);
		return;
	}
	judge_room(finding, dir, &fs);
}

void check_state(struct doctor *doctor)
{
	const char *dir = state_dir(doctor);

	if (geteuid() != 0 && !doctor->state)
		return;
	judge_state(doctor_add(doctor, "state directory", "look at '%.100s'", dir), dir);
}

/* --- units -------------------------------------------------------------------- */

/* What there is to hand to the daemon; what it was handed it says itself. */
void check_host_controllers(struct doctor *doctor)
{
	static const char *const paths[] = {"/sys/fs/cgroup/cgroup.controllers",
					    "/sys/fs/cgroup/unified/cgroup.controllers"};
	struct finding *finding =
		doctor_add(doctor, "host controllers", "read the list of cgroup v2");
	char missing[32];

	if (!doctor_missing_controllers(paths[0], missing, sizeof(missing)) &&
	    !doctor_missing_controllers(paths[1], missing, sizeof(missing)))
		finding_is(finding, JAIL_PROBE_LESS,
			   "there is no cgroup v2 at "
			   "/sys/fs/cgroup");
	else if (missing[0])
		finding_is(finding, JAIL_PROBE_LESS, "it has not:%s", missing);
	else
		finding_is(finding, JAIL_PROBE_WORKS, "memory, pids and cpu are there");
	if (finding->state == JAIL_PROBE_WORKS)
		return;
	finding_instead(finding,
			"memory is held by RLIMIT_DATA and the engine's own cap, "
			"processes by the filter, no share of the CPU; no tenant's "
			"budget can be held");
	finding_mend(finding, "boot with cgroup_no_v1=all or "
			      "systemd.unified_cgroup_hierarchy=1, and without "
			      "cgroup_disable=; no reboot mends it in a container");
}

static const char *const unit_dirs[] = {
	"/etc/systemd/system",	   "/run/systemd/system", "/usr/local/lib/systemd/system",
	"/usr/lib/systemd/system", "/lib/systemd/system",
};

/* The first of them counts, as for systemd. False: there is none. */
static bool find_unit(const char *name, bool *ret_masked)
{
	char path[128], target[16];
	struct stat st;

	for (size_t i = 0; i < ARRAY_LEN(unit_dirs); i++) {
		snprintf(path, sizeof(path), "%s/%s", unit_dirs[i], name);
		if (lstat(path, &st) < 0)
			continue;
		ssize_t n = readlink(path, target, sizeof(target));
		*ret_masked = (n == 9 && memcmp(target, "/dev/null", 9) == 0) ||
			      (S_ISREG(st.st_mode) && st.st_size == 0);
		return true;
	}
	return false;
}

static bool is_wanted(const char *target, const char *name)
{
	char path[128];
	struct stat st;

	snprintf(path, sizeof(path), "/etc/systemd/system/%s.wants/%s", target, name);
	return lstat(path, &st) == 0;
}

void check_units(struct doctor *doctor)
{
	bool masked = false, socket_masked = false;
	struct finding *finding;

	if (access("/run/systemd/system", F_OK) < 0)
		return;
	finding = doctor_add(doctor, "units", "look for quodd.service and quodd.socket");
	if (!find_unit("quodd.service", &masked) ||
	    !find_unit("quodd.socket", &socket_masked)) {
		finding_is(finding, JAIL_PROBE_LESS, "they are not installed");
		finding_instead(finding,
				"no limit is held by less, but whoever starts quodd "
				"has to give it a cgroup of its own");
		finding_mend(finding, "install the package quodd, or make install; then: "
				      "systemctl daemon-reload");
	} else if (masked || socket_masked) {
		finding_is(finding, JAIL_PROBE_FAILS, "they are masked");
		finding_mend(finding, "systemctl unmask quodd.service quodd.socket");
	} else if (!is_wanted("sockets.target", "quodd.socket") &&
		   !is_wanted("multi-user.target", "quodd.service")) {
		finding_is(
			finding, JAIL_PROBE_LESS,
			"they are installed and not enabled: nothing starts the daemon "
			"at boot");
		finding_instead(finding, "no limit is held by less");
		finding_mend(finding, "systemctl enable --now quodd.socket");
	} else {
		finding_is(finding, JAIL_PROBE_WORKS, "they are enabled");
	}
}
